#!/bin/bash
# ci.sh - the workflow files of docs/ci, step by step as GitHub and GitLab run them, in a repository
# with a base and a branch; and tools/compare_with_base.sh, which both call.  Prints TAP.
#
# The steps are taken out of the files, so what is tested is what people copy.  Three things are
# stood in for: apt-get, GitHub's gh, and the time a build takes (make finds the objects of the
# sources that have not changed).  Counts decide here, on one small cell: no time is measured.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 2

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -c 'import yaml' 2>/dev/null ||
    { echo "Bail out! no PyYAML: 'make deps' installs python3-yaml"; exit 1; }

# ---- The repository. -----------------------------------------------------------------------------

# A name with a space in it, because people have such directories.
clone="$work/the clone"
mkdir -p "$clone/build/release" "$work/bin"
tar -c --exclude=./build --exclude=./.git --exclude=./results . | tar -x -C "$clone"
if [ -d build/release ]; then
    tar -c -C build/release --exclude=./tests . | tar -x -C "$clone/build/release"
fi
export HOME=$work GIT_AUTHOR_NAME=t GIT_AUTHOR_EMAIL=t@example.org GIT_COMMITTER_NAME=t \
    GIT_COMMITTER_EMAIL=t@example.org GIT_CONFIG_NOSYSTEM=1
unset MAKEFLAGS MAKELEVEL MFLAGS CI

in_clone() {
    git -C "$clone" "$@"
}

# One comparison more per start, which no test of the answers would see.
slow_down() {
    sed -i '/^static int heap_start/,/^{/ s/^{/&\n    TW_COUNT(timers, comparisons, 1);/' \
        "$clone/src/impls/heap.c"
}

make_branches() {
    in_clone init --quiet --initial-branch=main &&
        in_clone add -A && in_clone commit --quiet -m base &&
        in_clone checkout --quiet -b same && echo >>"$clone/VERSION.txt" &&
        in_clone add -A && in_clone commit --quiet -m same &&
        in_clone checkout --quiet -b slower main && slow_down &&
        in_clone commit --quiet -a -m slower &&
        in_clone checkout --quiet -b broken main && echo 'no C' >>"$clone/src/main.c" &&
        in_clone commit --quiet -a -m broken &&
        in_clone checkout --quiet -b mended && in_clone revert --no-edit HEAD >/dev/null &&
        in_clone checkout --quiet -b moved-on main && echo >>"$clone/LATER.txt" &&
        in_clone add -A && in_clone commit --quiet -m later &&
        in_clone checkout --quiet main
}

make_branches || { echo "Bail out! the repository of the test could not be made"; exit 1; }
make -C "$clone" >"$work/build.log" 2>&1 ||
    { echo "Bail out! the base does not build: $(tail -n 3 "$work/build.log")"; exit 1; }
cp -a "$clone/build" "$work/ready"

# ---- Stand-ins. ----------------------------------------------------------------------------------

cat >"$work/bin/make" <<'END'
#!/bin/bash
# make -C TREE ...: a tree that was never built begins with the objects of the first commit.  What
# differs from that in the tree is newer than they are.
if [ ! -e "$2/build/release/flags" ]; then
    mkdir -p "$2/build" && cp -a "$READY/release" "$2/build"
    # All of one moment: an object that were older than the word of its flags would be compiled again.
    touch "$2/build/now"
    find "$2/build/release" -exec touch -h -r "$2/build/now" {} +
    git -C "$2" diff --name-only main HEAD -- src | (cd "$2" && sleep 0.02 && xargs -r touch)
fi
exec "$MAKE_PROGRAM" "$@"
END
cat >"$work/bin/apt-get" <<'END'
#!/bin/bash
echo "apt-get $*" >>"$CALLS"
END
cat >"$work/bin/gh" <<'END'
#!/bin/bash
# The comments of a pull request that has been commented on when there is a file of ids.
echo "gh $*" >>"$CALLS"
case "$*" in
*--paginate*) cat ids 2>/dev/null ;;
esac
exit 0
END
chmod +x "$work/bin/"*
MAKE_PROGRAM=$(command -v make)
export MAKE_PROGRAM READY=$work/ready CALLS=$work/calls PATH=$work/bin:$PATH

PYTHONPATH=tests python3 -B - "$work" "$clone" <<'PYTHON'
import fcntl, json, os, re, shutil, subprocess, sys
import xml.etree.ElementTree
import yaml
from tap import end, report

work, clone = sys.argv[1:]
SMALL = " --pairs=0 --impl=heap --workload=hold --tasks=200 --no-system-check"
DOCUMENTS = ["results/compare.json", "results/compare.md", "results/compare.xml"]
CALLS = os.environ["CALLS"]
tool = os.path.join(clone, "tools/compare_with_base.sh")

def git(*words):
    run = subprocess.run(["git", "-C", clone, *words], capture_output=True, text=True, check=True)
    return run.stdout.strip()


def expect(what, got, wanted):
    return [] if got == wanted else [f"{what}: {got!r}, expected {wanted!r}"]


def contains(part, text):
    return [] if part in text else [f"no {part!r} in: {text[-400:]}"]


def bash(text, environment, *flags):
    """Exit status and output of a piece of shell, run in the clone as the services run it."""
    run = subprocess.run(["bash", *flags, "-c", text], cwd=clone, capture_output=True, text=True,
                         stdin=subprocess.DEVNULL, env={**os.environ, **environment})
    return run.returncode, run.stdout + run.stderr


def clear(branch):
    """The clone as a runner finds it: at the commit; of other runs only what was built is left."""
    git("checkout", "--quiet", "--force", branch)
    shutil.rmtree(f"{clone}/results", ignore_errors=True)
    for path in (f"{clone}/ids", f"{clone}/comment.md", f"{work}/summary", CALLS):
        if os.path.exists(path):
            os.remove(path)
    os.mkdir(f"{clone}/results")


def read(path):
    return open(path).read() if os.path.exists(path) else ""


def documents(verdict):
    """What is wrong with the three documents that a comparison leaves."""
    missing = [f"{path} is not there" for path in DOCUMENTS if not read(f"{clone}/{path}")]
    if missing:
        return missing
    xml.etree.ElementTree.parse(f"{clone}/results/compare.xml")
    document = json.load(open(f"{clone}/results/compare.json"))
    return expect("verdict", document["verdict"], verdict) + \
        expect("worktrees", len(git("worktree", "list").splitlines()), 1)


# ---- GitHub. -------------------------------------------------------------------------------------

github_text = read("docs/ci/github-actions.yml")
github = yaml.safe_load(github_text)
# What the expressions of the file stand for in a pull request against main.
EXPRESSIONS = {
    "github.event.pull_request.base.sha": git("rev-parse", "moved-on"),
    "github.event.pull_request.number": "7",
    "github.repository": "owner/name",
    "github.token": "secret",
}


def filled(environment):
    return {name: re.sub(r"\$\{\{ (\S+) \}\}", lambda m: EXPRESSIONS[m[1]], str(value))
            for name, value in environment.items()}


def wanted(step, failed):
    condition = step.get("if")
    if condition == "hashFiles('results/compare.md') != ''":
        return os.path.exists(f"{clone}/results/compare.md")
    assert condition in (None, "always()"), condition
    return condition == "always()" or not failed


def run_github(job, **environment):
    """The job's status and all it printed: its run steps, one shell each, as the runner does."""
    failed, printed = 0, ""
    for step in github["jobs"][job]["steps"]:
        if "run" not in step or not wanted(step, failed):
            continue
        variables = {"GITHUB_STEP_SUMMARY": f"{work}/summary", **filled(github["env"]),
                     **filled(step.get("env", {})), **environment}
        status, output = bash(step["run"], variables, "-e")
        failed, printed = failed or status, printed + output
    return failed, printed


steps = [step for job in github["jobs"].values() for step in job["steps"]]
report("GitHub: every job ends by itself, and steps are what we think they are",
       [name for name, job in github["jobs"].items() if not job.get("timeout-minutes")] +
       [step for step in steps if ("run" in step) == ("uses" in step) or not step.get("name")])
# PyYAML reads the key `on` as YAML 1.1 does, as a truth value.
report("GitHub: runs for pull requests, with rights to read",
       expect("on", list(github[True]), ["pull_request"]) +
       expect("permissions", github["permissions"], {"contents": "read"}) +
       expect("history", github["jobs"]["compare"]["steps"][0]["with"]["fetch-depth"], 0))
report("GitHub: what is written by strangers never becomes part of a script",
       [step["run"] for step in steps if "${{" in step.get("run", "")])

default = github["env"]["COMPARE_FLAGS"]
counts_only = re.search(r"# COMPARE_FLAGS: (.*)", github_text)[1]

clear("same")
status, output = run_github("compare", COMPARE_FLAGS=default + SMALL)
report("GitHub: a head that is the same passes",
       expect("status", status, 0) + documents("same") + ([output[-600:]] if status else []))
report("GitHub: the summary has the verdict",
       expect("summary", read(f"{work}/summary") or None, read(f"{clone}/results/compare.md")))
report("GitHub: OLD is where the branch left, not where main is now",
       contains(f"OLD is {git('rev-parse', 'main')[:12]}", output))

clear("slower")
status, output = run_github("compare", COMPARE_FLAGS=counts_only + SMALL.replace(" --pairs=0", ""))
report("GitHub: one comparison more per start fails",
       expect("status", status, 3) + documents("regressed") +
       [f"no {text}" for text in ("::error::regressed", "comparisons") if text not in output])
report("GitHub: the summary says so too", contains("comparisons", read(f"{work}/summary")))

run_github("comment")
report("GitHub: the first comment is a new one",
       contains("--method POST repos/owner/name/issues/7/comments", read(CALLS)))
report("GitHub: it is the Markdown behind a mark",
       expect("comment", read(f"{clone}/comment.md"),
              "<!-- twbench compare -->\n" + read(f"{clone}/results/compare.md")))
open(f"{clone}/ids", "w").write("123\n456\n")
status, output = run_github("comment")
report("GitHub: the next one takes its place",
       expect("status", status, 0) +
       contains("--method PATCH repos/owner/name/issues/comments/123 ", read(CALLS)))

# What each status becomes, with a comparison that ends as it is told.
clear("same")
open(tool, "w").write('#!/bin/bash\nexit "$ENDS"\n')
for ends, becomes, said in ((0, 0, ""), (1, 1, "::error::no verdict"),
                            (2, 2, "::error::no verdict"), (3, 3, "::error::regressed"),
                            (4, 0, "::warning::inconclusive"), (130, 130, "::error::no verdict")):
    status, output = run_github("compare", ENDS=str(ends))
    report(f"GitHub: status {ends} of compare ends as {becomes}",
           expect("status", status, becomes) + contains(said, output))
status, _ = run_github("comment")
report("GitHub: nothing to comment is no failure",
       expect("status", status, 0) + expect("calls", read(CALLS), ""))

# ---- GitLab. -------------------------------------------------------------------------------------

gitlab_text = read("docs/ci/gitlab-ci.yml")
gitlab = yaml.safe_load(gitlab_text)["compare"]


def run_gitlab(**environment):
    """One shell for all lines of the job, which ends at the first that fails."""
    variables = {**gitlab["variables"],
                 "CI_MERGE_REQUEST_DIFF_BASE_SHA": git("rev-parse", "main"), **environment}
    return bash("\n".join(gitlab["before_script"] + gitlab["script"]), variables,
                "-e", "-o", "pipefail")


report("GitLab: runs for merge requests, ends by itself, has all history",
       expect("rules", gitlab["rules"], [{"if": '$CI_PIPELINE_SOURCE == "merge_request_event"'}]) +
       expect("depth", gitlab["variables"]["GIT_DEPTH"], "0") +
       expect("timeout", gitlab["timeout"], "20 minutes"))
report("GitLab: keeps what compare leaves, whatever the verdict",
       expect("paths", sorted(gitlab["artifacts"]["paths"]), DOCUMENTS) +
       expect("junit", gitlab["artifacts"]["reports"]["junit"], "results/compare.xml") +
       expect("when", gitlab["artifacts"]["when"], "always"))
report("GitLab: inconclusive, and only that, is a warning",
       expect("allow_failure", gitlab["allow_failure"], {"exit_codes": 4}))
report("both files compare with the same flags",
       expect("default", gitlab["variables"]["COMPARE_FLAGS"], default) +
       expect("counts only", re.search(r"# COMPARE_FLAGS: (.*)", gitlab_text)[1], counts_only))

clear("same")
status, output = run_gitlab(COMPARE_FLAGS=default + SMALL)
report("GitLab: a head that is the same passes",
       expect("status", status, 0) + documents("same") + ([output[-600:]] if status else []))
report("GitLab: the container gets git and make",
       contains("install -y --no-install-recommends git make", read(CALLS)))
clear("slower")
status, output = run_gitlab(COMPARE_FLAGS=counts_only + SMALL.replace(" --pairs=0", ""))
report("GitLab: one comparison more per start fails",
       expect("status", status, 3) + documents("regressed"))
clear("same")
open(tool, "w").write('#!/bin/bash\nexit "$ENDS"\n')
report("GitLab: the job has the status of compare",
       [problem for ends in (0, 1, 2, 3, 4)
        for problem in expect("status", run_gitlab(ENDS=str(ends))[0], ends)])

# ---- At a desk. ----------------------------------------------------------------------------------


def compare(*words, directory=clone):
    run = subprocess.run([os.path.join(directory, "tools/compare_with_base.sh"), *words], cwd=work,
                         capture_output=True, text=True, stdin=subprocess.DEVNULL)
    return run.returncode, run.stdout, run.stderr


def refuses(name, said, *words, **where):
    status, output, errors = compare(*words, **where)
    report(name, expect("status", status, 2) + expect("output", output, "") +
           contains(said, errors.strip().splitlines()[-1]))


small = SMALL.split()
clear("main")
git("checkout", "--quiet", "slower", "--", "src/impls/heap.c")
status, output, errors = compare(*small, "--fail-on=work")
report("without a reference, changes that are not committed are compared with the commit",
       expect("status", status, 3) + contains("with uncommitted changes", errors) +
       contains("comparisons", output))
report("and are left as they were",
       expect("changed", git("diff", "--name-only", "HEAD"), "src/impls/heap.c") +
       expect("worktrees", len(git("worktree", "list").splitlines()), 1))

clear("mended")
os.makedirs(f"{clone}/build/base/left by a killed run")
refuses("a base that does not build is no verdict", "does not build here", "broken")
report("nothing is left of it, nor of an earlier one",
       expect("build/base", os.path.exists(f"{clone}/build/base"), False))
clear("broken")
refuses("neither is a head that does not", "this tree does not build", "main")
clear("main")
refuses("a reference that is not there is named", "'nowhere' is no commit here", "nowhere")
git("clone", "--quiet", "--depth=1", "--no-single-branch", f"file://{clone}", f"{work}/shallow")
refuses("a shallow clone is told how to get its history", "this clone is shallow", "origin/slower",
        directory=f"{work}/shallow")
os.mkdir(f"{work}/tarball")
shutil.copytree(f"{clone}/tools", f"{work}/tarball/tools")
refuses("a tree without history is told so", "no git repository", directory=f"{work}/tarball")
with open(f"{clone}/build/base.lock") as lock:
    fcntl.flock(lock, fcntl.LOCK_EX)
    refuses("a second one at the same time is refused", "another comparison is running", "main")
status, output, errors = compare("HEAD", "--no-such-flag")
report("what twbench refuses ends with its status and words",
       expect("status", status, 2) + contains("--no-such-flag", errors.strip().splitlines()[-1]))

end()
PYTHON
