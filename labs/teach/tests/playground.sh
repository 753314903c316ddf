#!/bin/bash
# playground.sh - the playground in a headless Chromium (make test-playground).  Prints TAP.
cd "$(dirname "$0")/.." || exit 2
exec python3 -B tests/browser/playground_page.py build/playground.html build/playground/digests "$@"
