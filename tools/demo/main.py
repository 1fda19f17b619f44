# SPDX-License-Identifier: Apache-2.0
"""The course of `./demo`: install, build, measure, report. What it can be asked for stands in options.py."""

import collections
import os
import pathlib
import shutil
import subprocess
import sys
import time

from check import build_lock, cargo, cmake_build, commands, requirements, tree
from check.execution import Run, say
from demo import claims, options, record
from demo.options import Options, Refused
from harness import measurement, part, session
from harness.measurement import Measurement, MalformedRecord
from harness.part import BadPart, Part
from harness.program import BenchmarkFailed, BenchmarkProgram
from harness.progress import Progress, duration
from harness.summary import WorkDiffers
from report import bars, table
from report.page import Report, report

BUILD = "demo"  # the folder of build/
_LIVE = "scheduler/bench/live/live_server"
_SKIPPED, _SECONDS_TO_END = 77, 60  # the status of a program that can't run here; and how long one may take to end
_NEEDS = {"build", "clang", "libraries", "tests"}
_PEERS = {"peers"}  # groups without which a contestant is left out, and all others are measured


def main(arguments: list[str]) -> int:
    commands.raise_interrupts()
    try:
        return _obey(options.parse(arguments, tree.ROOT))
    except (Refused, build_lock.Busy, requirements.Unmet, BadPart, MalformedRecord) as error:
        return _end(str(error), 2)
    except commands.StepFailed as error:
        return _end(f"the build failed:\n{error}\nThe log: {tree.relative(tree.LOGS / BUILD)}.log", 1)
    except BenchmarkFailed as error:
        return _end(f"measuring failed, and nothing was written: {error}", 1)
    except WorkDiffers as error:
        return _end(f"nothing was written: {error}", 1)
    except OSError as error:
        return _end(f"./demo can't go on: {error.filename or 'the system'}: {error.strerror}", 2)
    except KeyboardInterrupt:
        return _end("interrupted; nothing was written", 130)


def _obey(wanted: Options) -> int:
    if wanted.help:
        say(options.__doc__.rstrip())
        return 0
    parts = part.discover(tree.ROOT)
    if wanted.recorded:
        rows = measurement.read(wanted.recorded)
        if unknown := {row.part for row in rows} - {each.name for each in parts}:
            raise Refused(f"{wanted.recorded} is of a part \"{unknown.pop()}\"; there are reports of "
                          f"{' '.join(each.name for each in parts)}")
        _publish(parts, rows, {}, wanted)
        _say_bars(bars.outcomes(parts, rows))
        return 0
    with build_lock.hold("./demo"):
        return _measure(parts, wanted)


def _measure(parts: list[Part], wanted: Options) -> int:
    begin = time.monotonic()
    progress = Progress()
    if wanted.peers and (reason := cargo.why_not()):
        raise Refused(f"./demo: --peers {reason}")
    _install()
    _build(progress, wanted.more)
    if wanted.peers:
        _build_peers(progress)
    if wanted.live:
        _show_live(wanted.live)
    say(f"built in {duration(time.monotonic() - begin)}; measuring for about {duration(wanted.minutes * 60)}, on "
        f"{tree.processors()} processors with a load average of {os.getloadavg()[0]:.2f}")
    programs = [(each, BenchmarkProgram(each.name, tree.BUILD / BUILD / each.program)) for each in parts]
    if wanted.peers:
        programs += [(each, BenchmarkProgram(each.name, cargo.program(each.peers))) for each in parts if each.peers]
    done = session.run(programs, seconds=wanted.minutes * 60, only=wanted.only, quick=wanted.quick, progress=progress)
    for contestant, reason in done.left_out.items():
        say(f"left out: {contestant}: {reason}")
    _publish(parts, done.rows, done.left_out, wanted)
    found = bars.outcomes(parts, done.rows)
    if wanted.record is not None:
        _record(done.rows, found, wanted)
    _say_bars(found)
    say(f"done in {duration(time.monotonic() - begin)}")
    return 0


def _install() -> None:
    requirements.ensure(_NEEDS, say)
    try:
        requirements.ensure(_PEERS, say)
    except requirements.Unmet as unmet:
        say(f"going on without what only peers need:\n{unmet}\n")


def _build(progress: Progress, more: pathlib.Path | None) -> None:
    """The preset `release` with only what is measured, in a folder of its own; `more` is where further
    contestants are."""
    run = Run(commands.Log(BUILD), tree.processors(), progress.show)
    cmake_build.configure(run, "release", "-B", tree.BUILD / BUILD, "-DPINION_BENCH=ON", "-DPINION_TESTS=OFF",
                          "-DPINION_EXAMPLES=OFF", "-DPINION_INSTALL=OFF", "-DPINION_WITH_ASIO=OFF", f"-DPINION_BENCH_MORE={more or ''}")
    cmake_build.compile_all(run, BUILD)
    progress.clear()


def _build_peers(progress: Progress) -> None:
    cargo.build(Run(commands.Log(f"{BUILD}-peers"), tree.processors(), progress.show))
    progress.clear()


def _show_live(seconds: int) -> None:
    """An echo server of tasks with timeouts, under load, a line each second."""
    say("an echo server of tasks, each with a time for every read and write, and what its executor does meanwhile:")
    sys.stdout.flush()
    try:
        ended = subprocess.run([tree.BUILD / BUILD / _LIVE, str(seconds)], timeout=seconds + _SECONDS_TO_END, check=False)
    except subprocess.TimeoutExpired:
        raise BenchmarkFailed(f"{_LIVE} did not end") from None
    if ended.returncode not in (0, _SKIPPED):
        raise BenchmarkFailed(f"{_LIVE} ended with {ended.returncode}")
    say("")


def _publish(parts: list[Part], rows: list[Measurement], left_out: dict[str, str], wanted: Options) -> None:
    """The page and the raw figures, and the tables on the terminal."""
    by_part = collections.defaultdict(list)
    for row in rows:
        by_part[row.part].append(row)
    shown = report([each for each in parts if each.name in by_part], rows, left_out=left_out,
                   raw=[f"{name}.csv" for name in by_part])
    wanted.out.mkdir(parents=True, exist_ok=True)
    for name, of_part in by_part.items():
        measurement.write(wanted.out / f"{name}.csv", of_part)
    (wanted.out / "report.html").write_text(shown.html, encoding="utf-8")
    _print(shown)
    say(f"\n{len(rows):,} raw figures: {' '.join(_shown(wanted.out / f'{name}.csv') for name in by_part)}")
    say(f"the report: {_shown(wanted.out / 'report.html')}")


def _print(shown: Report) -> None:
    width = min(shutil.get_terminal_size((110, 24)).columns, 140)
    say("\nmedian ± MAD of the repetitions")
    for each in shown.tables:
        say(f"\n{table.as_text(each, width)}")
    say("")
    for words in shown.readings:
        say(words)


def _say_bars(found: list[bars.Outcome]) -> None:
    for line in bars.in_words(found):
        say(line)


def _record(rows: list[Measurement], found: list[bars.Outcome], wanted: Options) -> None:
    name = wanted.record or "-".join([*dict.fromkeys(row.part for row in rows), *(["quick"] if wanted.quick else [])])
    path = record.keep(rows, name, tree.ROOT / "bench" / "record")
    claims.add(path.parent, path.stem, found)
    say(f"recorded: {tree.relative(path)}; its row for bench/record/README.md:\n{record.row_of(path, rows)}")


def _shown(path: pathlib.Path) -> str:
    return tree.relative(path.resolve())


def _end(text: str, status: int) -> int:
    sys.stdout.flush()
    print(text, file=sys.stderr, flush=True)
    return status
