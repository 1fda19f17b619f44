# SPDX-License-Identifier: Apache-2.0
"""The configuration `budget`: instructions an operation and bytes a timer, against what bench/budget records."""

import shutil

from budget import counts, record, verdict
from check import cmake_build, commands, tree
from check.commands import StepFailed
from check.execution import Run
from check.results import Test, failed, passed, skipped

BUILD = "budget"  # the folder of build/


def run(run: Run) -> list[Test]:
    _build(run)
    return [test for part in _parts() for test in _compare(run, part)]


def write(run: Run) -> list[Test]:
    """What is counted now becomes the budget."""
    _build(run)
    tests = []
    for part in _parts():
        try:
            counted = _count(run, part)
        except counts.NotCounted as reason:
            tests.append(failed(f"budget: {part} can be recorded", str(reason)))
            continue
        path = record.path_of(part)
        record.write(path, counted)
        tests.append(passed(f"budget: {part} is recorded", f"{len(counted.values)} rows: {tree.relative(path)}"))
    return tests


def _parts() -> list[str]:
    return sorted(path.parts[-3] for path in tree.ROOT.glob("*/bench/*_budget.cpp"))


def _build(run: Run) -> None:
    """The preset `release` with only what is counted, in a folder of its own."""
    cmake_build.configure(run, "release", "-B", tree.BUILD / BUILD, "-DPINION_BENCH=ON", "-DPINION_TESTS=OFF",
                          "-DPINION_EXAMPLES=OFF", "-DPINION_INSTALL=OFF", "-DPINION_WITH_ASIO=OFF")
    for part in _parts():
        cmake_build.compile_all(run, BUILD, target=f"{part}_budget")


def _count(run: Run, part: str) -> counts.Counts:
    run.progress(f"counting {part}")
    folder = tree.BUILD / BUILD / f"{part}-dumps"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    program = tree.BUILD / BUILD / part / "bench" / f"{part}_budget"
    # Symbols are bound when the program starts: looking one up at its first call is no cost of the operation that makes it.
    environment = commands.environment() | {"LD_BIND_NOW": "1"}
    result = run.log.run(counts.command(program, folder), timeout=counts.SECONDS_MAX, env=environment)
    alone = run.log.run([program], timeout=counts.SECONDS_MAX, env=environment)
    counted = counts.read(result.output, folder, alone.output)
    for each in (result, alone):
        if not each.ok:
            raise counts.NotCounted(commands.relevant(each.output))
    return counted


def _compare(run: Run, part: str) -> list[Test]:
    try:
        recorded = record.read(record.path_of(part))
        counted = _count(run, part)
    except (counts.NotCounted, record.BadRecord) as reason:
        return [failed(f"budget: {part} is counted", str(reason))]
    return [_test(part, each) for each in verdict.compare(counted, recorded)]


def _test(part: str, found: verdict.Verdict) -> Test:
    name = f"budget: {part} {found.row} {found.row.unit}"
    if found.failure:
        return failed(name, found.failure)
    return skipped(name, found.skip) if found.skip else passed(name, found.hint)
