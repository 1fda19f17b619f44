# SPDX-License-Identifier: Apache-2.0
"""The configuration `stress`: what the tests try for seconds, for long. Ten million wakes for each pair of inbox and
notifier, where the tests have one million; a thousand executors of each kind of the soak on a machine that is loaded; an hour of
owners with engines that come and go, a third of it under ThreadSanitizer.
"""

from check import cmake_build, commands, tree
from check.execution import Run
from check.results import Test, verdict

WAKES = 10_000_000
EXECUTORS = 1_000
_SECONDS = 1800
# Of the composition, by preset.
SECONDS_OF_OWNERS = {"release": 2400, "tsan": 1200}
_SECONDS_TO_END = 300  # beyond these, for the last episodes


def run(run: Run) -> list[Test]:
    cmake_build.configure(run, "release")
    cmake_build.compile_all(run, "release", target="waker_stress")
    run.progress("waking")
    name = f"stress: {WAKES} wakes are served by each pair of inbox and notifier"
    program = tree.ROOT / "build" / "release" / "waker" / "tests" / "waker_stress"
    waking = _play(run, name, [program, "--gtest_filter=stress*"], _SECONDS, {"PINION_TEST_WAKES": str(WAKES)})
    return [waking, _soak(run), *(_play_owners(run, preset, seconds) for preset, seconds in SECONDS_OF_OWNERS.items())]


def _soak(run: Run) -> Test:
    cmake_build.compile_all(run, "release", target="scheduler_soak")
    run.progress("executors on a loaded machine")
    name = f"stress: {EXECUTORS} executors on a loaded machine end each task, park never for ever, and leave nothing"
    program = tree.ROOT / "build" / "release" / "scheduler" / "tests" / "scheduler_soak"
    knobs = {"PINION_TEST_EXECUTORS": str(EXECUTORS), "PINION_TEST_BURNERS": str(2 * tree.processors())}
    return _play(run, name, [program, "--gtest_filter=executor_soak.*"], _SECONDS, knobs)


def _play_owners(run: Run, preset: str, seconds: int) -> Test:
    cmake_build.configure(run, preset)
    cmake_build.compile_all(run, preset, target="scheduler_stress")
    run.progress(f"playing owners ({preset})")
    name = f"stress: nothing is lost between owners in {seconds} s ({preset})"
    program = tree.ROOT / "build" / preset / "scheduler" / "tests" / "kernel" / "scheduler_stress"
    return _play(run, name, [program], seconds + _SECONDS_TO_END, {"PINION_TEST_SECONDS": str(seconds)})


def _play(run: Run, name: str, command: list, timeout: int, knobs: dict[str, str]) -> Test:
    result = run.log.run(command, timeout=timeout, env=commands.environment() | knobs)
    return verdict(name, None if result.ok and "[  PASSED  ]" in result.output else result.output[-4000:])
