# SPDX-License-Identifier: Apache-2.0
"""One benchmark program (bench/program/program.hpp says what they all promise): listing and running its benchmarks.

Each run is a process of its own, so every repetition finds a fresh heap, whoever was measured before, and memory laid
out anew. Google Benchmark's random interleaving repeats within one process, where a contestant inherits the heap that
the last one left.
"""

import dataclasses
import json
import pathlib
import re
import subprocess

from harness.measurement import UNITS

SECONDS_PER_BENCHMARK = 600
_FIGURE = re.compile(rf"(?P<quantity>[a-z0-9_]+)_(?P<unit>{'|'.join(UNITS)})")
# What Google Benchmark itself writes into a result, some of which ends like a unit.
_NOT_FIGURES = {"name", "run_name", "run_type", "repetitions", "repetition_index", "threads", "iterations", "real_time",
                "cpu_time", "time_unit", "label", "family_index", "per_family_instance_index"}


class BenchmarkFailed(Exception):
    """A program that can't be measured, or did not do its work; str() says which and why."""


@dataclasses.dataclass(frozen=True)
class Benchmark:
    part: str
    workload: str
    contestant: str
    n: int
    name: str  # as the program lists it

    def __str__(self) -> str:
        return f"{self.workload} {self.contestant} {self.n:,}"


@dataclasses.dataclass(frozen=True)
class Outcome:
    figures: tuple[tuple[str, str, float], ...]  # quantity, unit, value
    checksum: str
    compiler: str
    left_out: dict[str, str]  # contestant or workload -> why the program is without it
    skipped: str = ""  # why the work was not done this time, though nothing is wrong: then there are no figures


class BenchmarkProgram:
    def __init__(self, part: str, path: pathlib.Path):
        self.part = part
        self._path = path

    def benchmarks(self) -> list[Benchmark]:
        lines = self._run("--benchmark_list_tests=true").splitlines()
        return [self._benchmark(line.strip()) for line in lines if line.strip()]

    def measure(self, benchmark: Benchmark) -> Outcome:
        """Runs one benchmark once."""
        output = self._run(f"--benchmark_filter=^{benchmark.name}$", "--benchmark_format=json", may_fail=True)
        try:
            document = json.loads(output)
            context, (result,) = document["context"], document["benchmarks"]
        except (ValueError, KeyError, TypeError):
            raise BenchmarkFailed(f"{benchmark}: {self._path.name} did not report one result; it printed:\n"
                                  f"{output[-2000:]}") from None
        if result.get("error_occurred"):
            raise BenchmarkFailed(f"{benchmark}: {result.get('error_message') or 'the program reports an error'}")
        if result.get("skipped"):
            reason = result.get("skip_message") or "the program does not say why"
            return Outcome((), "", context.get("compiler", ""), _left_out(context.get("left_out", "")), skipped=reason)
        if context.get("build") != "optimised":
            raise BenchmarkFailed(f"{self._path.name} is a build that is {context.get('build')}; its figures would say "
                                  f"nothing: measure a build of the preset `release`")
        figures = tuple(_figure(benchmark, name, value) for name, value in result.items() if name not in _NOT_FIGURES)
        if not figures or not re.fullmatch(r"[0-9a-f]{16}", result.get("label", "")):
            raise BenchmarkFailed(f"{benchmark}: the program gave no figures, or no checksum of its work")
        return Outcome(figures, result["label"], context["compiler"], _left_out(context.get("left_out", "")))

    def _benchmark(self, name: str) -> Benchmark:
        match = re.match(r"(\w+)/(\w+)/(\d+)(?:/|$)", name)
        if match is None:
            raise BenchmarkFailed(f"{self._path.name} lists \"{name}\"; a benchmark is named workload/contestant/n")
        return Benchmark(self.part, match[1], match[2], int(match[3]), name)

    def _run(self, *arguments: str, may_fail: bool = False) -> str:
        try:
            result = subprocess.run([self._path, *arguments], capture_output=True, text=True, stdin=subprocess.DEVNULL,
                                    errors="replace", timeout=SECONDS_PER_BENCHMARK, check=False)
        except OSError as error:
            raise BenchmarkFailed(f"{self._path} can't be run: {error.strerror}; was it built?") from error
        except subprocess.TimeoutExpired:
            raise BenchmarkFailed(f"{self._path.name} {' '.join(arguments)} was stopped: not done after "
                                  f"{SECONDS_PER_BENCHMARK} seconds") from None
        # A wrong checksum ends in 1 with a document that says so; everything else ends without one, or in the middle of it.
        if result.returncode != 0 and not (may_fail and result.stdout.rstrip().endswith("}")):
            said = "\n".join((result.stdout + result.stderr).splitlines()[-10:])
            raise BenchmarkFailed(f"{self._path.name} {' '.join(arguments)} ended with {result.returncode}:\n{said}")
        return result.stdout


def _figure(benchmark: Benchmark, name: str, value) -> tuple[str, str, float]:
    match = _FIGURE.fullmatch(name)
    if match is None or not isinstance(value, (int, float)):
        raise BenchmarkFailed(f"{benchmark}: the figure \"{name}\" is to be a number, and its name to end in one of "
                              f"{' '.join('_' + unit for unit in UNITS)}")
    return match["quantity"], match["unit"], float(value)


def _left_out(text: str) -> dict[str, str]:
    pairs = (entry.partition(": ") for entry in text.split("; ") if entry)
    return {contestant: reason for contestant, _, reason in pairs}
