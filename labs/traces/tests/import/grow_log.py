"""grow_log.py KIND SAMPLE MEGABYTES >LOG - a sample, plain or .xz or .gz, over and over, each time later.

What is a time in it goes on by as many seconds each time, so that the result is one long log and not the
same moment again and again: for measuring how fast `twbench import` reads (labs/traces/docs/TRACES.md has the figures).
"""
import gzip
import lzma
import re
import sys

SECONDS = 100  # longer than any of the samples and most of their timers

# Per kind: what holds a time (its last group is the number), and its ticks in a second.
STAMP = (rb" ()(\d+)\.\d+: ", 1)
TIMES = {
    "nginx": [(rb"event timer add: -?\d+: \d+:()(\d+)", 1000),
              (rb"event timer del: -?\d+: ()(\d+)", 1000),
              (rb"event timer: -?\d+, old: ()(\d+)", 1000), (rb", new: ()(\d+)", 1000)],
    "libuv": [STAMP, (rb" (now|deadline)=(\d+)", 1000)],
    "libevent": [STAMP, (rb" (sec)=(\d+)(?= usec=\d+ abs=1)", 1)],
    "ktimer": [STAMP, (rb" (expires|bucket_expiry|now|baseclk)=(\d+)", 250)],
    "khrtimer": [STAMP, (rb" (expires|softexpires|now)=(\d+)", 1000000000)],
}


def sample_read(path):
    opened = {"xz": lzma.open, "gz": gzip.open}.get(path.rsplit(".", 1)[-1], open)
    with opened(path, "rb") as sample:
        return sample.read()


def template(text, times):
    """The text around the numbers, and the numbers with what is added to them each time."""
    found = sorted((match.start(2), match.end(2), ticks * SECONDS)
                   for pattern, ticks in times for match in re.finditer(pattern, text))
    around, numbers, at = [], [], 0
    for start, end, step in found:
        around.append(text[at:start])
        numbers.append((int(text[start:end]), step))
        at = end
    return around, numbers, text[at:]


def main():
    kind, path, megabytes = sys.argv[1], sys.argv[2], int(sys.argv[3])
    around, numbers, rest = template(sample_read(path), TIMES[kind])
    written = turn = 0
    while written < megabytes * 1000000:
        pieces = []
        for piece, (number, step) in zip(around, numbers):
            pieces += (piece, b"%d" % (number + turn * step))
        block = b"".join(pieces) + rest
        sys.stdout.buffer.write(block)
        written += len(block)
        turn += 1


main()
