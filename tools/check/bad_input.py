# SPDX-License-Identifier: Apache-2.0
"""Mistakes of users, and what they are told: one error that names mistake and choices, and nothing
half-built."""

import dataclasses
import pathlib
import shutil

from check import catalogue, commands, parts_faults, tree
from check.execution import Run
from check.python_tools import CMAKE, OLD_CMAKE, PythonTool
from check.results import Test, verdict

FIND_PACKAGE = tree.ROOT / "cmake" / "consumers" / "find_package"
ADD_SUBDIRECTORY = FIND_PACKAGE.parent / "add_subdirectory"


@dataclasses.dataclass(frozen=True)
class Mistake:
    name: str
    source: pathlib.Path
    arguments: tuple[str, ...]
    told: tuple[str, ...]  # words that the message has to hold
    compiler: str = "clang++-19"
    cmake: PythonTool = CMAKE


def _find(name: str, prefix: pathlib.Path, component: str, *told: str, arguments=(), **tools) -> Mistake:
    usual = (f"-DCMAKE_PREFIX_PATH={prefix}", f"-DCOMPONENTS={component}", "-DCONSUMES=pinion::timer")
    return Mistake(name, FIND_PACKAGE, (*usual, *arguments), told, **tools)


def _configure(name: str, argument: str, *told: str, **tools) -> Mistake:
    return Mistake(name, tree.ROOT, (argument, "-DPINION_TESTS=OFF"), told, **tools)


def run(run: Run, prefix: pathlib.Path, with_modules: pathlib.Path, folder: pathlib.Path) -> list[Test]:
    """The first two hold whole installations, one of them with modules; `folder` is for what is made here."""
    run.progress("bad input")
    broken = _incomplete_installations(run, prefix, folder)
    mistakes = (
        _find("unknown component", prefix, "tmer", "tmer", "timer"),
        _find("component left out of the build", broken["without timer"], "timer", "timer", "PINION_TIMER"),
        _find("host left out of the build", broken["without timer"], "asio", "asio", "PINION_WITH_ASIO"),
        _find("host without its own package", with_modules, "asio", "asio", "Boost 1.81",
              arguments=("-DCMAKE_DISABLE_FIND_PACKAGE_Boost=ON",)),
        _find("modules, by a compiler that can't import", with_modules, "timer_module", "timer_module", "GNU 12",
              "clang 19", "GCC 16", compiler="g++-12"),
        _find("component without base", broken["without base"], "timer", "base", "incomplete"),
        _find("component with a file missing", broken["file missing"], "timer", "timer", "incomplete"),
        _find("component without the module that is asked for", broken["without modules"], "timer_module", "incomplete",
              "pinion-base_module-targets.cmake"),
        _configure("unknown option", "-DPINION_TIMR=ON", "PINION_TIMR",
                   "did you mean PINION_TIMER? its options: PINION_"),
        _configure("an option in small letters", "-DPINION_timer=ON", "PINION_timer", "did you mean PINION_TIMER?"),
        _configure("an option with letters turned round", "-DPINION_WRANINGS=ON", "did you mean PINION_WARNINGS?"),
        _configure("an option unlike any", "-DPINION_(=ON", "PINION_( is not an option", "; its options: PINION_"),
        Mistake("unknown option, inside a project", ADD_SUBDIRECTORY,
                (f"-DLIBRARY_SOURCE_DIR={tree.ROOT}", "-DPINION_TIMR=ON", "-DCONSUMES=pinion::timer"),
                ("PINION_TIMR", "did you mean PINION_TIMER?", "enclosing project")),
        _configure("value of a switch", "-DPINION_TIMER=MAYBE", "MAYBE", "ON OFF"),
        Mistake("host without the part that is dropped in", tree.ROOT,
                ("-DPINION_WITH_ASIO=ON", "-DPINION_PREEMPT=OFF", "-DPINION_TESTS=OFF"),
                ("PINION_WITH_ASIO=ON", "PINION_PREEMPT=OFF")),
        Mistake("a part without one that it needs", tree.ROOT,
                ("-DPINION_SCHEDULER=ON", "-DPINION_IOSUBMIT=OFF", "-DPINION_TESTS=OFF"),
                ("PINION_SCHEDULER=ON", "PINION_IOSUBMIT=OFF")),
        _configure("unknown backend", "-DPINION_TIMER_DEFAULT=orderd_map", "orderd_map", "ordered_map"),
        _configure("value of PINION_MODULES", "-DPINION_MODULES=MAYBE", "MAYBE", "AUTO ON OFF"),
        _configure("more contestants where there are none", "-DPINION_BENCH_MORE=/", "PINION_BENCH_MORE=/",
                   "timer/CMakeLists.txt", "executor/CMakeLists.txt"),
        _configure("modules with g++ 12", "-DPINION_MODULES=ON", "PINION_MODULES=ON", "clang 19", compiler="g++-12"),
        _configure("modules with CMake 3.25", "-DPINION_MODULES=ON", "PINION_MODULES=ON", "4.4", cmake=OLD_CMAKE),
    )
    tests = [verdict(f"bad input: {mistake.name}", _make(run, mistake, folder / "mistake")) for mistake in mistakes]
    tests.append(verdict("bad input: unknown preset", _unknown_preset(run)))
    return tests + parts_faults.run(run, folder / "parts")


def _make(run: Run, mistake: Mistake, folder: pathlib.Path) -> str | None:
    """Makes the mistake; what is wrong with the answer, or None."""
    shutil.rmtree(folder, ignore_errors=True)
    source, build = mistake.source, folder / "build"
    folder.mkdir()
    if source != tree.ROOT:
        source = folder / source.name
        shutil.copytree(mistake.source, source)
        shutil.copy(FIND_PACKAGE.parent / "unchanged.cmake", folder)
        shutil.copy(FIND_PACKAGE.parent / "programs" / "include.cpp", source / "main.cpp")
    result = run.log.run(["cmake", "-S", source, "-B", build, "-G", "Ninja",
                          f"-DCMAKE_CXX_COMPILER={mistake.compiler}", *mistake.arguments],
                         cwd=folder, env=commands.environment(mistake.cmake.programs, CMAKE.programs))
    if result.ok:
        return "it was accepted"
    if (build / "build.ninja").exists():
        return "it was refused, but a build was made that one could start"
    return _wrong_with(result.output, mistake.told)


def _wrong_with(output: str, told: tuple[str, ...]) -> str | None:
    message = " ".join(output.split())  # CMake breaks its lines where it likes
    errors = output.count("CMake Error")
    unsaid = [word for word in told if word not in message]
    if errors == 1 and not unsaid:
        return None
    wrong = f"it doesn't say {unsaid}" if unsaid else f"{errors} errors follow each other where one is to be"
    return f"{wrong}:\n{commands.relevant(output)}"


def _unknown_preset(run: Run) -> str | None:
    result = run.log.run(["cmake", "--preset", "relase"], env=commands.environment(CMAKE.programs))
    return "it was accepted" if result.ok else _wrong_with(result.output, ("relase", "preset"))


def _incomplete_installations(run: Run, prefix: pathlib.Path, folder: pathlib.Path) -> dict[str, pathlib.Path]:
    environment = commands.environment(CMAKE.programs)

    def cmake(*arguments) -> None:
        result = run.log.run(["cmake", *arguments], env=environment)
        if not result.ok:
            raise commands.StepFailed(commands.relevant(result.output))

    result = {name: folder / f"prefix-{name.replace(' ', '-')}" for name in
              ("without timer", "without base", "without modules", "file missing")}
    build = folder / "build-without-timer"
    # The base alone, which is soonest built.
    without = [f"-D{part.switch.name}=OFF" for part in catalogue.read().optional]
    cmake("--preset", "install", "-B", build, "-G", "Ninja", "-DCMAKE_CXX_COMPILER=g++-12", *without)
    cmake("--build", build, "--parallel", run.jobs)
    cmake("--install", build, "--prefix", result["without timer"])
    cmake("--install", tree.BUILD / "install", "--prefix", result["without base"], "--component", "pinion_timer")
    for component in ("pinion_base", "pinion_timer"):
        cmake("--install", tree.BUILD / "modules", "--prefix", result["without modules"], "--component", component)
    shutil.copytree(prefix, result["file missing"])
    for file in result["file missing"].rglob("pinion-timer-targets.cmake"):
        file.unlink()
    return result
