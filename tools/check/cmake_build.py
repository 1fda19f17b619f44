# SPDX-License-Identifier: Apache-2.0
"""Configure, build and test one preset of CMakePresets.json; every CTest test is one test here."""

import pathlib
import re
import shutil
import xml.etree.ElementTree

from check import commands, tree
from check.commands import StepFailed
from check.python_tools import CMAKE
from check.results import Test, failed, passed, skipped

SECONDS_PER_TEST = 300
SECONDS_TO_BUILD, SECONDS_TO_TEST = 2700, 1800  # a whole build, a whole run of CTest, on a slow machine
_OF_CASES = "cases"  # the label of a program of GoogleTest, whose cases are counted one by one
_TOGETHER = "together"  # the folder for the cases of programs that are run whole
# Presets of which only the tests with one label are built and run, for what the others could show is shown elsewhere.
LABELS = {"modules": "import", "tsan": "concurrent", "shared": "boundary"}
# What GoogleTest prints around the test's own words.
_FRAME = re.compile(r"Note: Google Test|Running main| *\d+ FAILED TEST|$|"
                    r"\[(=+|-+|  PASSED  |  FAILED  |  SKIPPED | RUN      |       OK )\]")
_OUTPUT_LINES_PER_FAILURE = 20


def configure(run, preset: str, *arguments: str, source: pathlib.Path = tree.ROOT) -> None:
    """Configures the preset into build/<preset> of `source`."""
    run.progress("configuring")
    command = ["cmake", "--preset", preset, *arguments]
    environment = commands.environment(CMAKE.programs)
    result = run.log.run(command, cwd=source, env=environment)
    if not result.ok and (source / "build" / preset / "CMakeCache.txt").exists():
        # What an earlier state of the tree left in the cache must not decide about this one.
        result = run.log.run([*command, "--fresh"], cwd=source, env=environment)
    if not result.ok:
        raise StepFailed(commands.relevant(result.output))


def compile_all(run, preset: str, *, target: str | None = None, whole: bool = False,
                source: pathlib.Path = tree.ROOT) -> None:
    """Builds the target; unless told, what the preset's tests need and what it installs; of the whole preset, all."""
    run.progress("building")
    if target is None:
        target = "all" if whole or preset not in LABELS else f"{LABELS[preset]}_tests"
    result = run.log.run(["cmake", "--build", source / "build" / preset, "--parallel", run.jobs, "--target", target,
                          "--", "-k", "0"],  # each error is told, not the first one alone
                         cwd=source, env=commands.environment(CMAKE.programs), timeout=SECONDS_TO_BUILD)
    if not result.ok:
        raise StepFailed(commands.relevant(result.output))


def build(run, preset: str, *, whole: bool = False, source: pathlib.Path = tree.ROOT) -> None:
    configure(run, preset, source=source)
    compile_all(run, preset, whole=whole, source=source)


def test(run, preset: str, *, whole: bool = False, source: pathlib.Path = tree.ROOT) -> list[Test]:
    """Runs the preset's tests: those with its label, or all where it has none and of the whole preset."""
    run.progress("testing")
    folder = source / "build" / preset
    junit = folder / "tests.xml"
    junit.unlink(missing_ok=True)
    shutil.rmtree(folder / _TOGETHER, ignore_errors=True)
    command = ["ctest", "--test-dir", folder, "--parallel", run.jobs, "--output-junit", junit, "--output-on-failure",
               "--no-tests=error", "--timeout", SECONDS_PER_TEST, "--test-output-size-passed", 65536]
    labels = [] if whole or preset not in LABELS else ["--label-regex", f"^{LABELS[preset]}$"]
    result = run.log.run([*command, *labels], cwd=source,
                         env=commands.environment(CMAKE.programs) | {"GTEST_COLOR": "no"}, timeout=SECONDS_TO_TEST)
    tests = read_junit(junit) if junit.exists() else []
    if not result.ok and not any(test.outcome == "failed" for test in tests):
        tests.append(failed(f"{preset}: ctest", commands.relevant(result.output)))
    return tests


def read_junit(path: pathlib.Path) -> list[Test]:
    tests = []
    together = {cases.stem: cases for cases in (path.parent / _TOGETHER).glob("*.xml")}
    for case in xml.etree.ElementTree.parse(path).getroot().iter("testcase"):
        name, state, output = case.get("name", ""), case.get("status"), case.findtext("system-out") or ""
        if name in together:
            tests += read_cases(together[name], name, state, output)
        elif state == "run" and _OF_CASES in _labels(case):
            tests.append(failed(name, "\n".join([*_case_it_ended_in(output), "it ended well before its last case"])))
        elif state == "run":
            tests.append(passed(name))
        elif state == "disabled":
            tests.append(skipped(name, "disabled"))
        elif state == "notrun" and case.find("skipped") is not None and _was_skipped(case):
            tests.append(skipped(name, _skip_reason(output)))
        else:
            said = _words_of(output) or _message(case) or "no output"
            tests.append(failed(name, "\n".join([*_case_it_ended_in(output), said])))
    return tests


def read_cases(path: pathlib.Path, program: str, state: str | None, output: str) -> list[Test]:
    """What GoogleTest wrote of the cases of one program (cmake/testing.cmake)."""
    tests = []
    part = program.partition(".")[0]
    for case in xml.etree.ElementTree.parse(path).getroot().iter("testcase"):
        name = f"{part}.{case.get('classname')}.{case.get('name')}"
        wrong, skip = case.find("failure"), case.find("skipped")
        if wrong is not None:
            lines = (wrong.get("message") or "").rstrip().splitlines()
            tests.append(failed(name, "\n".join(lines[-_OUTPUT_LINES_PER_FAILURE:]) or "no output"))
        elif skip is not None:
            tests.append(skipped(name, " ".join((skip.get("message") or "").split())))
        elif case.get("status") == "run":
            tests.append(passed(name))
        else:
            tests.append(skipped(name, "disabled"))
    if not tests:
        tests.append(failed(program, "it has no case at all"))
    elif state != "run" and not any(test.outcome == "failed" for test in tests):
        tests.append(failed(program, f"it ended badly, though no case of it failed:\n{_words_of(output)}"))
    return tests


def _labels(case) -> list[str]:
    value = next((one.get("value") for one in case.iter("property") if one.get("name") == "cmake_labels"), None)
    return (value or "").split(";")


def _words_of(output: str) -> str:
    """The last lines of what a test printed, without what GoogleTest prints around them."""
    lines = [line for line in output.rstrip().splitlines() if not _FRAME.match(line)]
    return "\n".join(lines[-_OUTPUT_LINES_PER_FAILURE:])


def _case_it_ended_in(output: str) -> list[str]:
    """Of a program that did not come to the end of a case: which one that was."""
    marks = re.findall(r"^\[( RUN      |       OK |  FAILED  |  SKIPPED )\] (\S+)", output, re.MULTILINE)
    return [f"it ended in {marks[-1][1]}:"] if marks and "RUN" in marks[-1][0] else []


def _was_skipped(case) -> bool:
    """Whether the test chose not to run; a test whose program is missing is `notrun` as well, and has failed."""
    return (_message(case) or "").startswith("SKIP_")


def _message(case) -> str | None:
    element = next((child for child in case if child.tag in ("skipped", "failure")), None)
    return element.get("message") if element is not None else None


def _skip_reason(output: str) -> str:
    """GoogleTest prints `file:line: Skipped` and the reason below; of any other program the last line will do."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    for number, line in enumerate(lines[:-1]):
        if re.search(r": Skipped$", line) and not lines[number + 1].startswith("["):
            return lines[number + 1]
    return lines[-1] if lines and not lines[-1].startswith("[") else ""
