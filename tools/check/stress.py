# SPDX-License-Identifier: Apache-2.0
"""The configuration `stress`: ten million wakes for each pair of inbox and notifier, where the tests have one million."""

from check import cmake_build, commands, tree
from check.execution import Run
from check.results import Test, verdict

WAKES = 10_000_000
_SECONDS = 1800


def run(run: Run) -> list[Test]:
    cmake_build.configure(run, "release")
    cmake_build.compile_all(run, "release", target="waker_stress")
    program = tree.ROOT / "build" / "release" / "waker" / "tests" / "waker_stress"
    run.progress("waking")
    result = run.log.run([program, "--gtest_filter=stress*"], timeout=_SECONDS,
                         env=commands.environment() | {"PINION_TEST_WAKES": str(WAKES)})
    name = f"stress: {WAKES} wakes are served by each pair of inbox and notifier"
    return [verdict(name, None if result.ok and "[  PASSED  ]" in result.output else result.output[-4000:])]
