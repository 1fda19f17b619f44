# SPDX-License-Identifier: Apache-2.0
"""Running configurations: a line for each, what failed and why, and the tally as the last line.

Two run side by side, so that one compiles while the other waits for a test, a download or a linker. Two that
build in one folder of build/ never do; of those that may begin, the first of the table does.
"""

import contextlib
import dataclasses
import sys
import threading
import time
from collections.abc import Callable

from check import commands, tree
from check.results import (FAILED, PASSED, SKIPPED, Test, failed, failure_lines, is_green, last_line, passed, skip_lines,
                           skipped, tally)

BUDGET_MINUTES = 25
_LANES = 2


@dataclasses.dataclass(frozen=True)
class Run:
    """What a running configuration is given."""

    log: commands.Log
    jobs: int
    progress: Callable[[str], None]  # says what is being done, where somebody is watching


@dataclasses.dataclass(frozen=True)
class Configuration:
    name: str
    description: str
    needs: frozenset[str]  # groups of requirements.py
    run: Callable[[Run], list[Test]]
    daily: bool = True  # else only by name, and in `./check deep`
    record: Callable[[Run], list[Test]] | None = None  # makes what is measured now the standard, where there is one
    builds: frozenset[str] = frozenset()  # folders of build/ that the run uses, beside one of its own name
    alone: bool = False  # others beside the run would disturb it


def say(line: str) -> None:
    with contextlib.suppress(BrokenPipeError):
        print(line, flush=True)


def execute(configurations: list[Configuration], jobs: int, *, whole: bool = False,
            say: Callable[[str], None] = say) -> int:
    """Runs the configurations, says a line for each and the tally; the exit status."""
    start, before = time.monotonic(), tree.status()
    course = _Course(configurations, jobs, say)
    try:
        course.run()
    except KeyboardInterrupt:
        _wipe()
        say(f"interrupted; what had been finished by then: {last_line(course.tests)}")
        raise
    tests = course.tests
    if whole:
        tests += _untouched_tree(before, say)
    for line in skip_lines(tests) + failure_lines(tests):
        say(line)
    minutes = (time.monotonic() - start) / 60
    if whole:
        say(f"{minutes:.1f} minutes, {course.processor_seconds / 60:.1f} minutes of processors")
    if whole and minutes > BUDGET_MINUTES:
        say(f"warning: this took {minutes:.0f} minutes; the budget of a daily run is {BUDGET_MINUTES}")
    if not any(test.outcome != SKIPPED for test in tests):
        say("not a single test ran, so nothing has been proved")
    say(last_line(tests))
    return 0 if is_green(tests) else 1


class _Course:
    """Configurations on their way: which wait, which run, and what came of the others."""

    def __init__(self, configurations: list[Configuration], jobs: int, say: Callable[[str], None]):
        self._say = say
        self.tests: list[Test] = []
        self.processor_seconds = 0.0
        self._waiting = list(configurations)
        self._running: list[Configuration] = []
        self._steps: dict[str, str] = {}  # what those that run are doing
        self._changed = threading.Condition()
        self._failure: BaseException | None = None
        self._lanes = min(_LANES, jobs, len(configurations))  # the lanes that have not ended
        # Side by side each has more than its share: while one waits, the other has the processors to itself.
        self._jobs = jobs if self._lanes == 1 else jobs // self._lanes + 1

    def run(self) -> None:
        """Returns when all are done. What a configuration raises, and an interrupt, ends the others, and is
        raised."""
        lanes = [threading.Thread(target=self._lane) for _ in range(self._lanes)]
        for lane in lanes:
            lane.start()
        try:
            with self._changed:
                self._changed.wait_for(lambda: self._failure or not self._lanes)
        except KeyboardInterrupt as interrupt:
            self._failure = interrupt
        if self._failure:
            with self._changed:
                self._waiting.clear()
                self._changed.notify_all()
            commands.stop_all(is_urgent=False)
            for lane in lanes:
                lane.join(commands.SECONDS_TO_END)
            commands.stop_all(is_urgent=True)
            raise self._failure

    def _lane(self) -> None:
        try:
            while configuration := self._next():
                self._run_one(configuration)
        except commands.Stopped:
            pass
        except BaseException as failure:  # a fault of ./check itself
            with self._changed:
                self._failure = self._failure or failure
        finally:
            with self._changed:
                self._lanes -= 1
                self._changed.notify_all()

    def _next(self) -> Configuration | None:
        with self._changed:
            while self._waiting:
                for configuration in self._waiting:
                    if not any(_disturb(configuration, other) for other in self._running):
                        self._waiting.remove(configuration)
                        self._running.append(configuration)
                        return configuration
                self._changed.wait()
            return None

    def _run_one(self, configuration: Configuration) -> None:
        name, start = configuration.name, time.monotonic()
        log = commands.Log(name)
        try:
            tests = configuration.run(Run(log, self._jobs, lambda step: self._progress(name, step)))
        except commands.StepFailed as reason:
            tests = [failed(f"{name}: build", str(reason))]
        finally:
            with self._changed:
                self._steps.pop(name, None)
                self._running.remove(configuration)
                self._changed.notify_all()
        with self._changed:
            self.tests += tests
            self.processor_seconds += log.processor_seconds
            _wipe()
            _report(name, tests, time.monotonic() - start, log, self._say)

    def _progress(self, name: str, step: str) -> None:
        with self._changed:
            self._steps[name] = step
            if sys.stdout.isatty():
                steps = "; ".join(f"{name} {step}" for name, step in self._steps.items())
                print(f"\r\x1b[K{steps} ...", end="", flush=True)


def _disturb(one: Configuration, other: Configuration) -> bool:
    return one.alone or other.alone or bool((one.builds | {one.name}) & (other.builds | {other.name}))


def _report(name: str, tests: list[Test], seconds: float, log: commands.Log, say) -> None:
    counts = tally(tests)
    verdict = f"FAILED {counts[FAILED]} of" if counts[FAILED] else "ok"
    skips = f"{counts[SKIPPED]} skipped" if counts[SKIPPED] else ""
    say(f"{name:<10} {verdict:<12} {len(tests):5} tests {seconds:6.0f} s {log.processor_seconds:6.0f} s of processors  "
        f"{skips}".rstrip())
    for test in tests:
        if test.outcome == PASSED and test.detail:
            say(f"  {test.detail}")
    if counts[FAILED]:
        _explain([test for test in tests if test.outcome == FAILED], log, say)


def _explain(failures: list[Test], log: commands.Log, say) -> None:
    """Every failure by name, then what went wrong: of each its share of the lines, of many only the first."""
    for test in failures:
        say(f"  failed: {test.name}")
    share = max(commands.LINES_SHOWN // len(failures), 8)
    lines = []
    for test in failures:
        detail = test.detail.splitlines()
        lines += [f"--- {test.name}", *detail[:share], *(["..."] if len(detail) > share else [])]
    for line in lines[:commands.LINES_SHOWN + len(failures)]:
        say(f"    {line}")
    say(f"  log: {tree.relative(log.path)}")


def _untouched_tree(before: str | None, say) -> list[Test]:
    name = "tree: a run leaves the work tree as it was"
    if before is None:
        return [skipped(name, "this is no git checkout")]
    after = tree.status()
    if after == before:
        return [passed(name)]
    changed = sorted(set((after or "").splitlines()) ^ set(before.splitlines()))
    test = failed(name, "\n".join(changed))
    say(f"{'tree':<10} FAILED")
    for line in changed:
        say(f"    {line}")
    return [test]


def _wipe() -> None:
    if sys.stdout.isatty():
        print("\r\x1b[K", end="", flush=True)
