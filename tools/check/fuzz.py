# SPDX-License-Identifier: Apache-2.0
"""The configuration `fuzz`: every wheel against ordered_map for long, from a seed and by libFuzzer; the settings by libFuzzer; random
programs on compositions of the parts.

The seed is another each time; what fails says how to play it again.
"""

import concurrent.futures
import pathlib
import random
import tempfile

from check import cmake_build, commands, tree
from check.execution import Run
from check.results import Test, verdict

OPERATIONS = 100_000_000
FUZZER_RUNS = 200_000
PROGRAMS = 20_000_000
_SECONDS = 1800


def run(run: Run) -> list[Test]:
    cmake_build.configure(run, "release")
    for target in ("timer_differential", "timer_store_fuzz", "iosubmit_settings_fuzz", "scheduler_composition"):
        cmake_build.compile_all(run, "release", target=target)
    programs = tree.ROOT / "build" / "release"
    differential = programs / "timer" / "tests" / "timer_differential"
    backends = run.log.run([differential, "--list"]).output.split()
    seed = random.randrange(2**32)
    run.progress("playing")
    with concurrent.futures.ThreadPoolExecutor(run.jobs) as pool:
        plays = [pool.submit(_play, differential, backend, seed,
                             OPERATIONS // len(backends) + 1) for backend in backends]
        plays.append(pool.submit(_fuzz, programs / "timer" / "fuzz" / "timer_store_fuzz", seed, 2048,
                                 "show no difference to ordered_map"))
        plays.append(pool.submit(_fuzz, programs / "iosubmit" / "fuzz" / "iosubmit_settings_fuzz", seed, 128,
                                 "are taken as settings only as they are written"))
        plays.append(pool.submit(_model, programs / "scheduler" / "tests" / "composition" / "scheduler_composition", seed))
        return [play.result() for play in plays]


def _play(program: pathlib.Path, backend: str, seed: int, operations: int) -> Test:
    result = commands.Log(f"fuzz-{backend}").run(
        [program, "--backend", backend, "--seed", seed, "--operations", operations], timeout=_SECONDS)
    name = f"fuzz: {backend} does what ordered_map does, {operations} times"
    return verdict(name, None if result.ok else result.output[-4000:])


def _model(program: pathlib.Path, seed: int) -> Test:
    result = commands.Log("fuzz-model").run(
        [program, "--gtest_filter=model.NothingComes*"], timeout=_SECONDS,
        env=commands.environment() | {"PINION_TEST_SEED": str(seed), "PINION_TEST_PROGRAMS": str(PROGRAMS)})
    passed = result.ok and "[  PASSED  ] 1 test" in result.output
    return verdict(f"fuzz: nothing comes of {PROGRAMS} programs that may not", None if passed else result.output[-4000:])


def _fuzz(program: pathlib.Path, seed: int, longest: int, claim: str) -> Test:
    with tempfile.TemporaryDirectory(prefix="pinion-fuzz-", ignore_cleanup_errors=True) as corpus:
        artifacts = tree.LOGS / f"{program.name}-"
        result = commands.Log(program.name).run(
            [program, f"-runs={FUZZER_RUNS}", f"-seed={seed % 2**31 + 1}", f"-max_len={longest}", "-timeout=60",
             "-print_final_stats=1", f"-artifact_prefix={artifacts}", corpus], timeout=_SECONDS)
    name = f"fuzz: {FUZZER_RUNS} inputs of libFuzzer {claim}"
    return verdict(name, None if result.ok else commands.relevant(result.output))
