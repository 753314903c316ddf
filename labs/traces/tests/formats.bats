# formats.bats - what trace and import write keeps to their schemas, which say what every key means.

setup() {
    cd "$BATS_TEST_DIRNAME/../../.." || return
}

@test "the document of trace keeps to its schema" {
    PYTHONPATH=tests python3 -B - <<'PYTHON'
import tap
from format_check import check_written
check_written("trace", "labs/traces/schema/trace-1.json",
              ["trace", "libuv-bind", "--json={}"])
tap.end()
PYTHON
}

@test "the document of import keeps to its schema" {
    TRACE=$BATS_TEST_TMPDIR/trace.tt PYTHONPATH=tests python3 -B - <<'PYTHON'
import os
import tap
from format_check import check_written
check_written("import", "labs/traces/schema/import-1.json",
              ["import", "nginx", "labs/traces/tests/import/samples/nginx-debug_event-mid.log.xz", "-o",
               os.environ["TRACE"], "--json={}"], without=("converter", "flags"))
tap.end()
PYTHON
}
