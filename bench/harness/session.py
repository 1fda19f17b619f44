# SPDX-License-Identifier: Apache-2.0
"""A whole run: every benchmark of every program, interleaved, as often as the time allows (plan.py)."""

import collections
import dataclasses
import datetime
import random
import re
import time

from harness import machine, plan
from harness.measurement import Measurement
from harness.part import Part
from harness.program import Benchmark, BenchmarkFailed, BenchmarkProgram
from harness.progress import Progress, duration
from harness.summary import require_same_work

SECONDS_FOR_ALL = 8 * 60


@dataclasses.dataclass
class Session:
    """After run(): the raw figures, and who was not there to be measured, or was skipped and is not measured again."""

    rows: list[Measurement] = dataclasses.field(default_factory=list)
    left_out: dict[str, str] = dataclasses.field(default_factory=dict)


def run(parts: list[tuple[Part, BenchmarkProgram]], *, seconds: float, only: str, quick: bool, progress: Progress,
        seed: int = 1) -> Session:
    """Measures what `only`, a regular expression, finds in workload/contestant/n; if that is empty, all but what the part
    calls seldom, or in SECONDS_FOR_ALL everything. BenchmarkFailed, WorkDiffers.

    A part may stand there with several programs, each with contestants of its own.
    """
    short = not only and seconds < SECONDS_FOR_ALL
    return _Run(parts, only, quick, short, progress, seed).run(seconds)


class _Run:
    def __init__(self, parts, only: str, quick: bool, short: bool, progress: Progress, seed: int):
        self._programs: dict[Benchmark, BenchmarkProgram] = {}
        self._progress = progress
        self._random = random.Random(seed)
        self._session = Session()
        self._times_run = collections.Counter()
        self._costs: dict[Benchmark, float] = {}
        self._skipped: set[Benchmark] = set()
        self._place = {"commit": machine.commit(), "cpu": machine.cpu(), "system": machine.system()}
        # Groups of contestants that are compared with each other, the most important ones first.
        self._groups: dict[tuple[str, str, int], list[Benchmark]] = {}
        self._most: dict[tuple[str, str, int], int] = {}
        for part, program in parts:
            self._add(part, program, only, part.quick if quick else "", part.seldom if short else "")
        if not self._groups:
            raise BenchmarkFailed(f"no benchmark has a name in which \"{only}\" is found" if only else
                                  "there is no benchmark to run")

    def run(self, seconds: float) -> Session:
        begin = time.monotonic()
        first = [benchmark for group in self._groups.values() for benchmark in group]
        self._random.shuffle(first)
        for number, benchmark in enumerate(first, 1):
            # What the others will take isn't known before each of them ran once.
            self._progress.show(f"round 1: {number} of {len(first)}", str(benchmark))
            self._measure(benchmark)
        require_same_work(self._session.rows)  # now, rather than after all the time was spent
        left = seconds - (time.monotonic() - begin)
        costs = [sum(self._costs[benchmark] for benchmark in group if benchmark not in self._skipped)
                 for group in self._groups.values()]
        further = plan.further_repetitions(costs, [self._most[key] for key in self._groups], left)
        counts = {benchmark: count for group, count in zip(self._groups.values(), further) if count
                  for benchmark in group}
        rest = plan.spread(counts, self._random)
        if not rest:
            self._progress.line(f"round 1 took {duration(seconds - left)} of {duration(seconds)}, so there is no time "
                                "for another: figures without a spread. --minutes gives more, a less busy machine too")
        expected = sum(self._costs[benchmark] for benchmark in rest)
        done = 0.0
        for number, benchmark in enumerate(rest, 1):
            if benchmark in self._skipped:
                continue
            self._progress.show(f"repetitions: {number} of {len(rest)}", str(benchmark), seconds_left=expected - done)
            if time.monotonic() - begin + self._costs[benchmark] > seconds * 1.1:
                self._progress.line("the machine has become slower than it was in round 1; the remaining "
                                    f"{len(rest) - number + 1} repetitions are left out")
                break
            self._measure(benchmark)
            done += self._costs[benchmark]
        self._progress.clear()
        return self._session

    def _add(self, part: Part, program: BenchmarkProgram, only: str, quick: str, seldom: str) -> None:
        chosen = collections.defaultdict(list)
        for benchmark in program.benchmarks():
            name = f"{benchmark.workload}/{benchmark.contestant}/{benchmark.n}"
            left_out = seldom and re.search(seldom, name)
            if re.search(only, name) and re.search(quick, name) and not left_out:
                chosen[part.name, benchmark.workload, benchmark.n].append(benchmark)
                self._programs[benchmark] = program
        importance = {workload: place for place, workload in enumerate(part.workloads())}
        for key in sorted(chosen, key=lambda key: (importance.get(key[1], len(importance)), key[2])):
            self._groups.setdefault(key, []).extend(chosen[key])
            self._most[key] = part.repetitions_max.get(key[1], plan.REPETITIONS_MAX)

    def _measure(self, benchmark: Benchmark) -> None:
        date = datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        begin, load_before = time.monotonic(), machine.load()
        outcome = self._programs[benchmark].measure(benchmark)
        self._costs.setdefault(benchmark, time.monotonic() - begin)
        load_after = machine.load()
        self._times_run[benchmark] += 1
        self._session.left_out |= outcome.left_out
        if outcome.skipped:
            self._skipped.add(benchmark)
            self._session.left_out[f"{benchmark.workload}/{benchmark.contestant}/{benchmark.n}"] = (
                f"skipped in repetition {self._times_run[benchmark]}: {outcome.skipped}")
            self._progress.line(f"skipped: {benchmark}: {outcome.skipped}")
            return
        self._session.rows += [
            Measurement(date=date, **self._place, compiler=outcome.compiler, load_before=load_before,
                        load_after=load_after, part=benchmark.part, workload=benchmark.workload,
                        contestant=benchmark.contestant, n=benchmark.n, repetition=self._times_run[benchmark],
                        quantity=quantity, unit=unit, value=value, checksum=outcome.checksum)
            for quantity, unit, value in outcome.figures]
