"""tap.py - counts the results of a browser test and prints them as TAP; what both tests share."""
results = []


def report(name, problems):
    """One result: ok without problems, of which the first twelve are shown."""
    problems = list(problems)
    results.append(not problems)
    print(f"{'not ok' if problems else 'ok'} {len(results)} - {name}", flush=True)
    for problem in problems[:12]:
        print("# " + str(problem).replace("\n", "\n# "))
