# SPDX-License-Identifier: Apache-2.0
"""The configuration `self`: what `./check` promises, proved on a throw-away copy of the tree.

Without root, without a compiler, without a network or on another system it says in one clear text what is
missing and how to get it; where another run uses build/ it says which one; it stops what hangs; it is red
when a test fails or none ran; it leaves the work tree as it was; every rule of style can fail.
"""

import contextlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

from check import cmake_build, commands, execution, python_tools, requirements, self_stops, style, tree
from check.execution import Configuration, Run
from check.python_tools import CMAKE
from check.results import Test, failed, passed, skipped, verdict
from check.style_samples import SAMPLES

_HIDDEN = "clang++-19"  # the compiler that the runs below can't find
GREEN = "modules"  # what is green without a network; it has been built before, and its tests are few
_NOBODY = 65534
_SECONDS_TO_REFUSE, _SECONDS_TO_BEGREEN = 300, 3600
_HOLD = """import fcntl, os, sys
fcntl.flock(os.open(sys.argv[1], os.O_RDONLY), fcntl.LOCK_EX)
print(flush=True)
sys.stdin.read()
"""
_FAILING_PROJECT = """cmake_minimum_required(VERSION 3.25)
project(failing LANGUAGES NONE)
enable_testing()
add_test(NAME holds COMMAND ${CMAKE_COMMAND} -E true)
add_test(NAME breaks COMMAND ${CMAKE_COMMAND} -E false)
"""
_FAILING_PRESETS = """{"version": 6, "configurePresets": [
  {"name": "failing", "generator": "Ninja", "binaryDir": "${sourceDir}/build/failing"}]}
"""


def run(run: Run) -> list[Test]:
    before = tree.status()
    with tempfile.TemporaryDirectory(prefix="pinion-self-") as name:
        folder = pathlib.Path(name)
        folder.chmod(0o755)  # another user is to read it
        run.progress("refusals")
        tests = _refusals(run, folder)
        run.progress("a failing project")
        tests += _red_runs(run, folder)
        tests += _side_by_side()
        tests += self_stops.run(run, folder)
        tests += _cases_that_never_ran(folder)
        tests += _skips_without_a_reason(run, folder)
    tests += _limits(run)
    run.progress("rules of style")
    tests += _rules_can_fail()
    run.progress("without a network")
    tests.append(_green_without_network(run))
    if before is not None:
        complaint = None if tree.status() == before else f"before:\n{before}after:\n{tree.status()}"
        tests.append(verdict("self: all this left the work tree as it was", complaint))
    return tests


def _refusals(run: Run, folder: pathlib.Path) -> list[Test]:
    """What a run says where it can't begin, in a copy of the tree that was never built."""
    copy = _copy_of_tree(run, folder / "tree")
    everything = {name: value for name, value in os.environ.items() if not name.startswith("PIP_")}
    no_compiler = everything | {"PATH": str(_programs_but_one(folder / "programs"))}
    release = folder / "os-release"
    release.write_text('ID=fedora\nVERSION_ID="40"\n', encoding="utf-8")
    nobody = _NOBODY if os.geteuid() == 0 else None
    on_fedora = ("unshare", "-m", "sh", "-c", 'mount --bind "$0" /etc/os-release && exec "$@"', release)
    offline = ("unshare", "-n")

    def refused(name: str, arguments: str, *told: str, environment=no_compiler, within=(), user=None) -> Test:
        if within and (reason := _not_permitted(run, within[:2])):
            return skipped(f"self: {name}", reason)
        if "apt-get" in told and not requirements.is_debian_12():
            return skipped(f"self: {name}", "this is not Debian 12")
        python = shutil.which("python3", path=environment["PATH"]) or sys.executable
        result = run.log.run([*within, python, copy / "check", arguments], cwd=copy, env=environment, user=user,
                             timeout=_SECONDS_TO_REFUSE)
        wrong = [f"the exit status is {result.status} instead of 2"] if result.status != 2 else []
        wrong += [f"it doesn't say \"{words}\"" for words in told if words not in result.output]
        wrong += ["it ends in a stack of errors"] if "Traceback" in result.output else []
        left = sorted(path.name for path in (copy / "build").glob("*") if path.name not in ("logs", "tools"))
        wrong += [f"it began to build {left}"] if left else []
        return verdict(f"self: {name}", "; ".join(wrong) + f"\n{result.output}" if wrong else None)

    tests = [
        refused("an unknown configuration is refused with the valid ones", "relase", '"relase"', "release", "quick"),
        refused("as a user without root it lists what is missing and the command", "release", "clang-19",
                "apt-get", "install -y", "As root:", user=nobody),
        refused("on another system it lists what is missing with its version", "release", "clang-19", "19.1.7",
                "not Debian 12", within=on_fedora),
    ]
    complaint = "they left a folder" if (copy / "build").exists() else None
    tests += [
        verdict("self: refused runs leave nothing half-built", complaint),
        refused("a compiler that can't be installed is one clear text", "release", "installing",
                "clang-19 is still missing", "apt-get", "The log: build/logs/install.log", within=offline),
        refused("a CMake that can't be fetched is one clear text", "release", "installing", "cmake==4.4.4",
                "no network", environment=everything, within=offline),
        _second_run_is_refused(run, copy),
        verdict("self: refused runs leave the work tree clean",
                run.log.run(["git", "-C", copy, "status", "--porcelain"]).output),
    ]
    return tests


def _second_run_is_refused(run: Run, copy: pathlib.Path) -> Test:
    name = "self: a second run in one tree is refused, and told which one it meets"
    holder = subprocess.Popen([sys.executable, "-c", _HOLD, copy], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        holder.stdout.readline()
        result = run.log.run([sys.executable, copy / "check", "release"], cwd=copy, timeout=_SECONDS_TO_REFUSE)
    finally:
        holder.communicate()  # its input ends, and so does it
    lines = result.output.splitlines()
    told = len(lines) == 1 and f"process {holder.pid} (" in lines[0] and "is using build/" in lines[0]
    return verdict(name, None if result.status == 2 and told else f"exit status {result.status}; {result.output}")


def _limits(run: Run) -> list[Test]:
    hung = run.log.run(["sh", "-c", "echo begun; sleep 60 & wait"], timeout=1)
    told = hung.status == commands.TIMED_OUT and "stopped: not done after 1 seconds" in commands.relevant(hung.output)
    killed = commands.relevant(run.log.run(["sh", "-c", "echo begun; kill -KILL $$"]).output)
    unpinned = {tool.folder: wrong for tool in python_tools.PYTHON_TOOLS if (wrong := tool.wrong_pins())}
    return [verdict("self: a step that hangs is stopped, and told", None if told else f"{hung}"),
            verdict("self: a step that a signal ends is told", None if killed.startswith("ended by signal 9") else killed),
            verdict("self: what comes from PyPI is pinned with its hash", f"{unpinned}" if unpinned else None)]


def _copy_of_tree(run: Run, copy: pathlib.Path) -> pathlib.Path:
    """The tree as it is now, committed or not, in a repository of its own."""
    for name in tree.files():
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(tree.ROOT / name, copy / name)
    identity = ("-c", "user.name=nobody", "-c", "user.email=nobody@example.invalid", "-c", "commit.gpgsign=false")
    for command in (["init", "-q"], ["add", "-A"], [*identity, "commit", "-q", "--no-verify", "-m", "a copy"]):
        result = run.log.run(["git", "-C", copy, *command])
        if not result.ok:
            raise commands.StepFailed(result.output)
    return copy


def _programs_but_one(folder: pathlib.Path) -> pathlib.Path:
    """A folder that stands for PATH and lacks the compiler."""
    folder.mkdir()
    for place in ("/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin", "/sbin"):
        for program in pathlib.Path(place).glob("*"):
            if program.name != _HIDDEN and not (folder / program.name).exists():
                with contextlib.suppress(FileExistsError):  # a link that leads nowhere
                    (folder / program.name).symlink_to(program)
    return folder


def _not_permitted(run: Run, unshare) -> str | None:
    """Why a run can't be cut off from the network (unshare -n) or the mounts (unshare -m); None where it
    can."""
    return None if run.log.run([*unshare, "true"]).ok else f"{' '.join(unshare)} is not permitted here"


def _green_without_network(run: Run) -> Test:
    name = f"self: without a network, with nothing missing, ./check {GREEN} is green"
    if reason := _not_permitted(run, ("unshare", "-n")):
        return skipped(name, reason)
    loopback_only = pathlib.Path(__file__).with_name("loopback_only.py")
    command = ["unshare", "-n", sys.executable, loopback_only, sys.executable, tree.ROOT / "check", "-j", str(run.jobs),
               GREEN]
    result = run.log.run(command, timeout=_SECONDS_TO_BEGREEN)
    last = (result.output.splitlines() or [""])[-1]
    is_green = result.ok and re.fullmatch(r"[1-9]\d* passed, 0 failed, \d+ skipped", last)
    return verdict(name, None if is_green and "installing" not in result.output else result.output)


def _red_runs(run: Run, folder: pathlib.Path) -> list[Test]:
    project = folder / "failing"
    project.mkdir()
    (project / "CMakeLists.txt").write_text(_FAILING_PROJECT, encoding="utf-8")
    (project / "CMakePresets.json").write_text(_FAILING_PRESETS, encoding="utf-8")

    def failing(inner: Run) -> list[Test]:
        cmake_build.build(inner, "failing", source=project)
        return cmake_build.test(inner, "failing", source=project)

    def unbuildable(inner: Run) -> list[Test]:
        cmake_build.configure(inner, "no-such-preset", source=project)
        return []

    return [
        _red("a failed test is named and turns the run red", failing, "  failed: breaks",
             "\nfailed: breaks\n", "1 passed, 1 failed, 0 skipped"),
        _red("what can't be configured counts as one failure", unbuildable, "failed: self-red: build",
             "0 passed, 1 failed"),
        _red("a run that tested nothing is red", lambda _: [], "0 passed, 0 failed, 0 skipped"),
        _red("a run that only skipped is red", lambda _: [skipped("x", "for a reason")], "for a reason",
             "0 passed, 0 failed, 1 skipped"),
    ]


def _side_by_side() -> list[Test]:
    """Two configurations meet in the middle of their runs, and others that build in one folder never do."""
    meeting, inside = threading.Barrier(2, timeout=60), threading.Lock()

    def meet(_) -> list[Test]:
        try:
            meeting.wait()
        except threading.BrokenBarrierError:
            return [failed("meet", "nothing ran beside it")]
        return [passed("meet")]

    def be_alone(_) -> list[Test]:
        if not inside.acquire(blocking=False):
            return [failed("be alone", "something ran beside it")]
        time.sleep(0.1)  # in which the other one would begin
        inside.release()
        return [passed("be alone")]

    def execute(name: str, builds: frozenset[str], function) -> Test:
        said = []
        configurations = [Configuration(f"self-{number}", "", frozenset(), function, builds=builds) for number in (1, 2)]
        status = execution.execute(configurations, jobs=2, say=said.append)
        return verdict(f"self: {name}", "\n".join(said) if status else None)

    return [execute("two configurations run side by side", frozenset(), meet),
            execute("two that build in one folder run one after the other", frozenset({"self"}), be_alone)]


def _cases_that_never_ran(folder: pathlib.Path) -> list[Test]:
    """A program of tests that ends well, and whose cases were not run, or not all."""
    labels = '<properties><property name="cmake_labels" value="base;cases"/></properties>'
    written = {"before its last case": None, "no case at all": "<testsuites/>"}
    tests = []
    for told, cases in written.items():
        place = folder / told.replace(" ", "-")
        (place / "together").mkdir(parents=True)
        (place / "tests.xml").write_text(f'<testsuite><testcase name="base.x" status="run">{labels}</testcase></testsuite>')
        if cases:
            (place / "together" / "base.x.xml").write_text(cases)
        found = cmake_build.read_junit(place / "tests.xml")
        is_red = [test.outcome for test in found] == ["failed"] and told in found[0].detail
        tests.append(verdict(f"self: a program that ends with {told} has failed", None if is_red else f"{found}"))
    return tests


def _skips_without_a_reason(run: Run, folder: pathlib.Path) -> list[Test]:
    """An example that ends with 77 is skipped by CTest where the output begins with these words, and has
    passed or failed where it does not."""
    told = {"says why": ("echo Skipped: no ring", True),
            "says why on standard error": ("echo Skipped: no ring >&2", True),
            "says nothing": ("", False), "gives no reason": ("echo Skipped:", False),
            "says more than why": ("echo begun; echo Skipped: no ring", False)}
    tests, program, expected = [], folder / "example", folder / "expected"
    expected.write_text("done\n", encoding="utf-8")
    for name, (says, is_skipped) in told.items():
        program.write_text(f"#!/bin/sh\n{says}\nexit 77\n", encoding="utf-8")
        program.chmod(0o755)
        result = run.log.run(["cmake", f"-DPROGRAM={program}", f"-DEXPECTED={expected}", "-P",
                              tree.ROOT / "cmake" / "expect_output.cmake"], env=commands.environment(CMAKE.programs))
        is_right = result.ok == is_skipped and result.output.startswith("Skipped: ") == is_skipped
        tests.append(verdict(f"self: an example that skips and {name} {'is skipped' if is_skipped else 'has failed'}",
                             None if is_right else f"{result}"))
    return tests


def _red(name: str, configuration, *told: str) -> Test:
    """Passes if a run of this configuration ends red, says so in these words, and the tally is its last
    line."""
    said = []
    status = execution.execute([Configuration("self-red", "", frozenset(), configuration)], jobs=1, say=said.append)
    output = "".join(f"{line}\n" for line in said)
    ends_with_tally = re.search(r"\d+ passed, \d+ failed, \d+ skipped\n\Z", output)
    if status == 1 and ends_with_tally and all(words in output for words in told):
        return verdict(f"self: {name}", None)
    return failed(f"self: {name}", f"exit status {status}; it printed:\n{output}")


def _rules_can_fail() -> list[Test]:
    return [verdict(f"self: rule \"{name}\" finds what is bad, and only that", _sample_complaint(name, rule))
            for name, rule in style.RULES.items()]


def _sample_complaint(name: str, rule) -> str | None:
    bad, good = SAMPLES.get(name, ([], []))
    if not bad or not good:
        return "it has no samples in style_samples.py"
    for sample in bad:
        found = style.findings(rule, sample)
        if not found:
            return f"it finds nothing wrong with {sample}"
        if not all(re.match(r"[^:]+:\d+: \S", finding) for finding in found):
            return f"not every finding begins with file and line: {found}"
    for sample in good:
        if found := style.findings(rule, sample):
            return f"it finds fault with {sample}: {found}"
    return None
