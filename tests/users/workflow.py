#!/usr/bin/env python3
"""workflow.py FILE [INPUT=VALUE...] - run the steps of a workflow file of docs/ci, or of action.yml, here, as GitHub or
GitLab runs them.

In the working directory, each step in a shell of its own (GitHub) or all lines in one (GitLab).  BASE_SHA in the
environment is the commit at which the branch left main.  Of an action the folder of FILE is its own, inputs that are not
given have their defaults, and no other action runs.  The exit status is the job's.
"""
import os
import re
import subprocess
import sys
import tempfile

import yaml

jobs = yaml.safe_load(open(sys.argv[1]))
base = os.environ["BASE_SHA"]


def shell(text, environment, *flags):
    variables = {name: str(value) for name, value in environment.items()}
    return subprocess.run(["bash", *flags, "-c", text], stdin=subprocess.DEVNULL,
                          env={**os.environ, **variables}).returncode


def github():
    known = {"github.event.pull_request.base.sha": base, "github.event.pull_request.number": 7}
    status = 0
    [job] = jobs["jobs"].values()
    assert job["timeout-minutes"] and jobs["permissions"] == {"contents": "read"}
    for step in job["steps"]:
        assert ("run" in step) != ("uses" in step) and "${{" not in step.get("run", ""), step
        assert step.get("if") in (None, "always()"), step
        if "run" not in step or (status and step.get("if") != "always()"):
            continue
        filled = {name: re.sub(r"\$\{\{ (\S+) \}\}", lambda match: str(known[match[1]]), value)
                  for name, value in step.get("env", {}).items()}
        ended = shell(step["run"], {**jobs["env"], **filled}, "-e")
        status = status or ended
    return status


def gitlab():
    job = jobs["timer"]
    assert job["timeout"] and job["allow_failure"] == {"exit_codes": 4}
    variables = {**job["variables"], "CI_MERGE_REQUEST_DIFF_BASE_SHA": base}
    return shell("\n".join(job["before_script"] + job["script"]), variables, "-e", "-o", "pipefail")


def action():
    folder = os.path.dirname(os.path.abspath(sys.argv[1]))
    known = {"github.action_path": folder, "github.event.pull_request.base.sha": base}
    given = dict(word.split("=", 1) for word in sys.argv[2:])
    assert set(given) <= set(jobs["inputs"]), given

    def fill(text):
        return re.sub(r"\$\{\{ (\S+) \}\}", lambda match: known[match[1]], text)

    for name, described in jobs["inputs"].items():
        known["inputs." + name] = given.get(name, fill(described["default"]))
    status = 0
    with tempfile.TemporaryDirectory() as temporary:
        for step in jobs["runs"]["steps"]:
            assert ("run" in step) != ("uses" in step) and "${{" not in step.get("run", ""), step
            assert step.get("if") in (None, "always()") and ("run" not in step or step["shell"] == "bash"), step
            if "run" not in step or (status and step.get("if") != "always()"):
                continue
            output = os.path.join(temporary, "output")
            open(output, "w").close()
            environment = {name: fill(value) for name, value in step.get("env", {}).items()}
            ended = shell(step["run"], {**environment, "RUNNER_TEMP": temporary, "GITHUB_OUTPUT": output},
                          "--noprofile", "--norc", "-e", "-o", "pipefail")
            status = status or ended
            for line in open(output):
                name, value = line.rstrip("\n").split("=", 1)
                known[f"steps.{step['id']}.outputs.{name}"] = value
    for name, described in jobs["outputs"].items():
        known.setdefault(re.fullmatch(r"\$\{\{ (\S+) \}\}", described["value"])[1], "")
        print(f"output {name}={fill(described['value'])}")
    return status


if "runs" in jobs:
    sys.exit(action())
sys.exit(github() if "jobs" in jobs else gitlab())
