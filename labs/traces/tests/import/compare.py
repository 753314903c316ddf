"""compare.py FOUND.json EXPECTED.json - names each key whose value is not the expected one.

Keys that only FOUND has are this program's own and of no interest here.
"""
import json
import sys

found, expected = (json.load(open(path)) for path in sys.argv[1:3])
differing = [key for key in expected if found.get(key) != expected[key]]
for key in differing:
    print(f"{key}: {found.get(key)} instead of {expected[key]}")
sys.exit(bool(differing))
