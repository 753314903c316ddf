#!/usr/bin/env python3
"""judge.py DOCUMENT KEY=VALUE... - does a driver's document add up, and has it these values?

KEY is a path (ledger.ran), VALUE a number, null, or >=N, <=N.  What holds of every document is checked always: the
ledger, counts of the histograms against it, bins that are bins, percentiles that follow from the bins.
"""
import json
import math
import sys

HISTOGRAMS = ("lateness_ns", "after_call_ns", "lag_ns", "start_ns", "stop_ns")
problems = []


def expect(fact, words):
    if not fact:
        problems.append(words)


def is_bin(low_ns):
    """src/harness/measure/stats/histogram.h: 32 bins in each octave of ps."""
    ps = round(low_ns * 1000)
    return ps < 32 or ps % (1 << (ps.bit_length() - 6)) == 0


def above_ns(low_ns):
    ps = round(low_ns * 1000)
    return (ps + (1 if ps < 32 else 1 << (ps.bit_length() - 6))) / 1000


def check_histogram(name, histogram):
    bins = histogram["bins"]
    expect(sum(count for _, count in bins) == histogram["count"], f"{name}: the bins do not add up to count")
    expect(bins == sorted(bins), f"{name}: bins do not rise")
    expect(all(is_bin(low) and count > 0 for low, count in bins), f"{name}: a bin that is none")
    expect(bins[-1][0] <= histogram["max"] < above_ns(bins[-1][0]) + 1, f"{name}: max is not in the last bin")
    for key, q in (("p50", .5), ("p90", .9), ("p99", .99), ("p99_9", .999), ("p99_99", .9999)):
        below, rank = 0, math.ceil(q * histogram["count"])
        for low, count in bins:
            below += count
            if below >= rank:
                break
        wanted = min(above_ns(low), histogram["max"])
        expect(abs(histogram[key] - wanted) < 0.01, f"{name}: {key} is {histogram[key]}, by the bins {wanted}")


def check_document(document):
    expect(document["format"] == "twbench-original 1", "the format")
    ledger = document["ledger"]
    expect(ledger["accepted"] == ledger["ran"] + ledger["stopped"] + ledger["returned"], f"the ledger: {ledger}")
    expect(document["lost"] == 0 and document["twice"] == 0, "timers are lost, or ended twice")
    counts = {name: document[name]["count"] if document[name] else 0 for name in HISTOGRAMS}
    expect(counts["lateness_ns"] == counts["after_call_ns"] == document.get("runs", ledger["ran"]), f"lateness of what ran: {counts}, {ledger}")
    expect(counts["start_ns"] == ledger["accepted"] + ledger["refused"], f"a time for each start: {counts}, {ledger}")
    stops = ledger["stopped"] + document["stopped_yet_ran"] + document["stops_too_late"]
    expect(counts["stop_ns"] == stops, f"a time for each stop: {counts}, {stops}")
    for name in HISTOGRAMS:
        if document[name]:
            check_histogram(name, document[name])


def value_of(document, path):
    for key in path.split("."):
        document = document[key]
    return document


def check_value(document, words):
    sign = next(sign for sign in (">=", "<=", "=") if sign in words)
    path, wanted = words.split(sign)
    found = value_of(document, path)
    if wanted == "null" or found is None:
        holds = found is None and wanted == "null" and sign == "="
    elif sign == "=":
        holds = str(found) == wanted
    else:
        holds = found >= float(wanted) if sign == ">=" else found <= float(wanted)
    expect(holds, f"{path} is {found}, expected {sign}{wanted}")


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        text = file.read()
    expect(text.count("\n") == 1, "more or less than one line on standard output")
    document = json.loads(text)
    if document["ledger"] is not None:
        check_document(document)
    for words in sys.argv[2:]:
        check_value(document, words)
    print("\n".join(problems))
    sys.exit(bool(problems))


main()
