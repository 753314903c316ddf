#!/bin/bash
# lessons.sh - is LESSONS.md true?  Runs each of its commands, looks for the lines quoted below it in
# what comes out, and for each figure of the text in what its step ran and in the files of its experiments; draws the pictures again and
# compares.  Commands marked `timed` are run without taking times.  Prints TAP.
set -uo pipefail

root=$(cd "$(dirname "$0")/../../.." && pwd)
lessons=${1:-$root/labs/teach/docs/LESSONS.md}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$root" || exit 1

python3 - "$lessons" "$work" <<'PYTHON'
import os, re, subprocess, sys

FENCE = re.compile(r'^ *```(.*)$')
results = []


def report(passed, what, why=''):
    results.append(passed)
    print(('ok ' if passed else 'not ok ') + f'{len(results)} - {what}')
    if not passed:
        print('# ' + why.replace('\n', '\n# '))


def squeeze(text):
    return ' '.join(text.split())


def parts_of(lines):
    """The steps: title, the text outside of fences, and (language, lines) of each fence."""
    steps, fence = [['', [], []]], None
    for line in lines:
        mark = FENCE.match(line)
        if fence is not None:
            if mark:
                fence = None
            else:
                fence.append(line.strip())
        elif mark:
            fence = []
            steps[-1][2].append((mark.group(1), fence))
        elif line.startswith('## '):
            steps.append([line[3:].strip(), [], []])
        else:
            steps[-1][1].append(line)
    return steps


def run(command, timed):
    if timed:
        command += ' --quick' if ' claims ' in command else ' --counts-only'
    done = subprocess.run(['bash', '-c', command], capture_output=True, text=True)
    return done.returncode, squeeze(done.stdout), done.stderr


def experiments_of(command):
    """The files of the experiments that a command runs: what they set may be said, too."""
    names = re.findall(r'(?<![\w=])([TF])(\d+)\b', command) if ' claims ' in command else []
    paths = [f'labs/teach/experiments/{letter}{int(n):0{2 if letter == "T" else 1}}.json' for letter, n in names]
    return ' '.join(open(path, encoding='utf-8').read() for path in paths)


def lacks_a_lab(command, errors):
    """Does it take a lab that is not built here?  Then what it prints is not to be had."""
    asked = experiments_of(command)
    labs = [*re.findall(r'"lab": "(\w+)"', asked), *(['libraries'] if '"libraries"' in asked else [])]
    built = {'libraries': 'build/release/libraries'}
    return 'is in the lab' in errors or any(not os.path.exists(built.get(lab, f'build/release/twbench-{lab}')) for lab in labs)


def numbers_of(text):
    """Numbers as printed, without separators of thousands; 8k is 8000 as well."""
    found = set()
    for word, unit in re.findall(r'(?<![\w.])(\d[\d,]*(?:\.\d+)?)([kM]?)', text):
        number = word.rstrip(',').replace(',', '')
        found.update([number], ['%g' % round(float(number) * {'k': 1e3, 'M': 1e6}[unit]), number + unit] if unit else [])
    return found


def figures_of(text):
    """What a step says in its text: numbers of three digits, or with a fraction.  Commands are not figures."""
    text = re.sub(r'`[^`]*`|\]\([^)]*\)|Scheme \d', ' ', text)
    return {n for n in numbers_of(text) if '.' in n or len(n.rstrip('kM')) >= 3}


for title, text, fences in parts_of(open(sys.argv[1], encoding='utf-8').read().splitlines()):
    seen, output, lacks, skipped = '', '', False, False
    for kind, lines in fences:
        if kind.startswith('sh'):
            for command in lines:
                status, output, errors = run(command, 'timed' in kind)
                lacks = lacks_a_lab(command, errors)
                skipped = skipped or lacks
                seen += ' '.join(['', output, command, experiments_of(command)])
                if ' show ' in command:
                    narrow = subprocess.run(['bash', '-c', 'export COLUMNS=40; ' + command], capture_output=True, text=True).stdout
                    report(all(len(line) <= 40 or len(line.split()) == 1 for line in narrow.splitlines()), 'within 40 columns: ' + command)
                report(lacks or (status == 0 and output != ''), command + (' # skip a lab' if lacks else ''), f'status {status}\n{errors}')
        else:
            at = 0
            for line in lines:
                found = output.find(squeeze(line), at)
                report(lacks or found >= 0, 'quoted: ' + line + (' # skip a lab' if lacks else ''), 'not in the output, or not in this order:\n' + output)
                at = max(found, at)
    for command in re.findall(r'`(\./twbench [^`]*)`', '\n'.join(text)):
        if ' show ' in command or '--quick' in command:
            status, output, errors = run(squeeze(command), False)
            seen += ' '.join(['', output, command, experiments_of(command)])
            skipped = skipped or lacks_a_lab(command, errors)
            report(skipped or status == 0, command + (' # skip a lab' if skipped else ''), f'status {status}\n{errors}')
    # What is written by a command is checked by tests/pages.sh.
    plain = re.sub('<!-- shown by:.*?<!-- end -->', '', '\n'.join(text), flags=re.S)
    missing = figures_of(plain) - numbers_of(seen)
    if fences:
        report(skipped or not missing, f'{title}: every figure is in what the step ran' + (' # skip a lab' if skipped else ''), ' '.join(sorted(missing)))

drawn = subprocess.run(['labs/teach/docs/lessons_pictures.sh', sys.argv[2]], capture_output=True, text=True)
report(drawn.returncode == 0 and os.listdir(sys.argv[2]), 'the pictures are drawn again', drawn.stderr)
kept = 'labs/teach/docs/lessons'
for name in sorted(set(os.listdir(sys.argv[2])) | set(os.listdir(kept))):
    old, new = (open(p, encoding='utf-8').read() if os.path.exists(p) else None
                for p in (f'{kept}/{name}', f'{sys.argv[2]}/{name}'))
    report(old == new, f'{kept}/{name} is what its command draws', 'run labs/teach/docs/lessons_pictures.sh')
print(f'1..{len(results)}')
sys.exit(not all(results))
PYTHON
