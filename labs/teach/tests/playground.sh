#!/bin/bash
# playground.sh - the playground in a headless Chromium (make test-playground).  Prints TAP.
cd "$(dirname "$0")/../../.." || exit 2
PYTHONPATH=tests/browser exec python3 -B labs/teach/tests/playground_page.py build/playground.html build/playground/digests "$@"
