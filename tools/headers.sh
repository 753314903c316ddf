#!/bin/bash
# headers.sh CC... - are the libraries' headers here?  Says which package to install if not.
set -euo pipefail

missing=0
while read -r header package; do
    if ! echo "#include <$header>" | "$@" -x c -E - >/dev/null 2>&1; then
        echo "no <$header> here ($package): 'make deps' installs what is needed" >&2
        missing=1
    fi
done <<'END'
stdio.h libc6-dev
jemalloc/jemalloc.h libjemalloc-dev
cjson/cJSON.h libcjson-dev
lzma.h liblzma-dev
zlib.h zlib1g-dev
xxhash.h libxxhash-dev
uthash.h uthash-dev
END
exit $missing
