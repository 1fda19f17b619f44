# SPDX-License-Identifier: Apache-2.0
"""The configuration `bench`: the tests of harness and report, and one small run of ./demo, from build to page; and `peers`,
which is such a run with the peers in Rust."""

import pathlib
import re
import shutil
import sys
import tempfile

from check import cargo, commands, tree
from check.execution import Run
from check.results import Test, failed, skipped, verdict

# Of timers every workload but the connections, at its smallest size, every workload of wakes, with one sender, every
# workload of submission at one size, every workload of preemption with slices of 1 ms, every workload of a turn, with one task,
# every workload of an executor but those that sleep, with few, and the ablation as its page shows it.
_SMALL = ("^(?!task_echo).*/(10000|65536)$|clustered|^(push|batch)/.*/1$|^(queued_again|busy|parked|polled|actors)/|"
          "^(nop|read4k)/.*/8$|^write1m/.*/1$|^echo/.*/64$|^(latency|burst|busy_burst|decision)/|"
          "^(check|yield_\\w+|for_each|begin_\\w+|first_begin)/|^(timer|wake|delivery)/.*/1000$|"
          "^(idle|tick|woken|calls)/|^(resumption|yield|sleep|wake|nop)/.*/1$|"
          "^spawn(_memory)?/.*/1000$|^task_(yield/.*/1$|channel/|ping_pong/|echo/.*/64$)|^beside_hog/.*/1000$|^ablation/.*/64$")
_SECONDS_PER_RUN = 3600  # of ./demo, which builds first
_SHORT = {"PINION_BENCH_ECHO_MS": "100"}
_MORE = "tree_of_iterators"  # the contestant of bench/tests/more
_RESULT = re.compile(r"^(test_\w+) \(([\w.]+)\)(?:\n[^\n]*)? \.\.\. (ok|FAIL|ERROR|skipped .*)$", re.MULTILINE)


def run(run: Run) -> list[Test]:
    run.progress("unit tests")
    tests = _unit_tests(run)
    with tempfile.TemporaryDirectory(prefix="pinion-bench-") as folder:
        run.progress("a run of ./demo --more")
        tests.append(_run_with_more(run, pathlib.Path(folder)))
        run.progress("a small run of ./demo")
        tests += _small_run(run, pathlib.Path(folder))
    return tests


def run_peers(run: Run) -> list[Test]:
    """That the peers in Rust do the same work as everybody else: the run compares checksums, and fails where one differs."""
    name = "bench: ./demo --peers measures peers in Rust beside all others"
    if reason := cargo.why_not():
        return [skipped(name, f"it {reason}")]
    with tempfile.TemporaryDirectory(prefix="pinion-peers-") as folder:
        run.progress("a small run of ./demo --peers")
        out = pathlib.Path(folder)
        measured = run.log.run([sys.executable, tree.ROOT / "demo", "--peers", "--only", f"{_SMALL}|percentiles/",
                                "--minutes", "0.05", "--out", out], env=commands.environment() | _SHORT,
                               timeout=_SECONDS_PER_RUN)
        complaint = _wrong_with(measured, out)
        for part, peer in (("timer", "glommio_btree"), ("waker", "crossbeam_channel"), ("iosubmit", "tokio_io"),
                           ("preempt", "tokio"), ("executor", "tokio"), ("ablation", "monoio")):
            if complaint is None and peer not in _figures(out, part):
                complaint = f"the peers of {part} were not measured"
    return [verdict(name, complaint)]


def _unit_tests(run: Run) -> list[Test]:
    command = [sys.executable, "-B", "-m", "unittest", "discover", "--verbose", "-s", "bench/tests", "-t", "bench"]
    result = run.log.run(command, env=commands.environment() | {"PYTHONPATH": str(tree.ROOT / "tools")})
    explained = commands.relevant(result.output)
    tests = [verdict(f"bench: {case.split('.')[-2]}.{name}", None if outcome == "ok" else explained)
             for name, case, outcome in _RESULT.findall(result.output)]
    if not tests or (not result.ok and all(test.outcome == "passed" for test in tests)):
        tests.append(failed("bench: unit tests", explained))
    return tests


def _run_with_more(run: Run, folder: pathlib.Path) -> Test:
    """A contestant from outside the tree, built into the program and measured beside all others."""
    shutil.copytree(tree.ROOT / "bench" / "tests" / "more", folder / "more")
    measured = run.log.run([sys.executable, tree.ROOT / "demo", "--more", folder / "more", "--only",
                            "^(arm_and_cancel|churn|push_on)/.*/10000$", "--minutes", "0.05", "--out",
                            folder / "run-with-more"], timeout=_SECONDS_PER_RUN)
    complaint = _wrong_with(measured, folder / "run-with-more")
    if complaint is None and _MORE not in _figures(folder / "run-with-more"):
        complaint = f"{_MORE} was not measured"
    return verdict("bench: ./demo --more measures a contestant from outside the tree", complaint)


def _small_run(run: Run, folder: pathlib.Path) -> list[Test]:
    """Every workload at the smallest size, once each; the page of it, and the same page from its CSV."""
    demo = [sys.executable, tree.ROOT / "demo"]
    measured = run.log.run([*demo, "--only", _SMALL, "--minutes", "0.05", "--live", "1", "--out", folder / "run"],
                           env=commands.environment() | _SHORT, timeout=_SECONDS_PER_RUN)
    complaint = _wrong_with(measured, folder / "run")
    if complaint is None and not re.search(r"^Skipped: |^[1-9]\d* requests in 1 s .* each answered right", measured.output, re.M):
        complaint = "no server was shown at work"
    if complaint is None and _MORE in _figures(folder / "run"):
        complaint = f"{_MORE} was measured, which only an earlier --more had asked for"
    tests = [verdict("bench: ./demo builds, measures and writes its page", complaint)]
    for part in ("timer", "waker", "iosubmit", "preempt", "scheduler", "executor", "ablation"):
        again = run.log.run([*demo, "--from", folder / "run" / f"{part}.csv", "--out", folder / "again"])
        tests.append(verdict(f"bench: ./demo --from makes the page of a record of {part}",
                             _wrong_with(again, folder / "again")))
    return tests


def _figures(out: pathlib.Path, part: str = "timer") -> str:
    return (out / f"{part}.csv").read_text(encoding="utf-8")


def _wrong_with(result: commands.Finished, out: pathlib.Path) -> str | None:
    if not result.ok:
        return commands.relevant(result.output)
    page = out / "report.html"
    return None if page.is_file() and "</html>" in page.read_text(encoding="utf-8") else "there is no whole page"
