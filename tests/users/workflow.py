#!/usr/bin/env python3
"""workflow.py FILE - run the steps of a workflow file of docs/ci here, as GitHub or GitLab runs them.

In the working directory, each step in a shell of its own (GitHub) or all lines in one (GitLab).  BASE_SHA in the
environment is the commit at which the branch left main.  The exit status is the job's.
"""
import os
import re
import subprocess
import sys

import yaml

jobs = yaml.safe_load(open(sys.argv[1]))
base = os.environ["BASE_SHA"]


def shell(text, environment, *flags):
    variables = {name: str(value) for name, value in environment.items()}
    return subprocess.run(["bash", *flags, "-c", text], stdin=subprocess.DEVNULL,
                          env={**os.environ, **variables}).returncode


def github():
    known = {"github.event.pull_request.base.sha": base}
    status = 0
    [job] = jobs["jobs"].values()
    assert job["timeout-minutes"] and jobs["permissions"] == {"contents": "read"}
    for step in job["steps"]:
        assert ("run" in step) != ("uses" in step) and "${{" not in step.get("run", ""), step
        assert step.get("if") in (None, "always()"), step
        if "run" not in step or (status and step.get("if") != "always()"):
            continue
        filled = {name: re.sub(r"\$\{\{ (\S+) \}\}", lambda match: known[match[1]], value)
                  for name, value in step.get("env", {}).items()}
        ended = shell(step["run"], {**jobs["env"], **filled}, "-e")
        status = status or ended
    return status


def gitlab():
    job = jobs["timer"]
    assert job["timeout"] and job["allow_failure"] == {"exit_codes": 4}
    variables = {**job["variables"], "CI_MERGE_REQUEST_DIFF_BASE_SHA": base}
    return shell("\n".join(job["before_script"] + job["script"]), variables, "-e", "-o", "pipefail")


sys.exit(github() if "jobs" in jobs else gitlab())
