# SPDX-License-Identifier: Apache-2.0
"""The configuration `package`: fresh projects outside the tree consume pinion, each way, and are told when they err.

The projects and their programs are in cmake/consumers; one is copied to a temporary folder, configured, built and run.
What they consume was installed by the line of README, and from the builds of the presets `modules` and `shared`.
"""

import dataclasses
import json
import pathlib
import shlex
import shutil
import tempfile

from check import bad_input, catalogue, cmake_build, commands, installations, throw_away, tree
from check.execution import Run
from check.python_tools import CMAKE, OLD_CMAKE, PythonTool
from check.results import Test, verdict

PROJECTS = tree.ROOT / "cmake" / "consumers"
_NO_BOOST = ("-DCMAKE_DISABLE_FIND_PACKAGE_Boost=ON",)
_STRICT = "-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wold-style-cast -Werror"

# The project's own, and where CMake is to look for an installed pinion.
_THEIR_OPTIONS = ("-DPINION_SERVER_TLS=OFF", "-DPINION_FLAVOUR=lemon", "-DPINION_ROOT=/nowhere")


@dataclasses.dataclass(frozen=True)
class Consumer:
    name: str
    project: str  # folder of cmake/consumers
    program: str  # file of cmake/consumers/programs
    consumes: str
    compiler: str = "clang++-19"
    cmake: PythonTool = CMAKE
    prefix: str = ""  # the preset whose installation is found; empty: it gets the sources
    components: str = "timer"
    arguments: tuple[str, ...] = ()
    flags: str = ""
    target: str = "all"  # `consumer`: only what it links, where the whole of pinion inside a project was built before
    is_alone: bool = True  # inside a project: it asks pinion for no tests and no install rules


CONSUMERS = (
    Consumer("find_package, include, g++ 12, CMake 3.25", "find_package", "include", "pinion::timer", "g++-12",
             OLD_CMAKE, "install"),
    Consumer("find_package, include, of a build with modules, CMake 3.25", "find_package", "include", "pinion::timer",
             "g++-12", OLD_CMAKE, "modules"),
    Consumer("find_package, include, strict warnings", "find_package", "include", "pinion::timer", prefix="install",
             flags=_STRICT),
    Consumer("find_package, import", "find_package", "import", "pinion::timer_module", prefix="modules"),
    Consumer("find_package, import, C++23", "find_package", "import", "pinion::timer_module", prefix="modules",
             arguments=("-DCMAKE_CXX_STANDARD=23",)),
    Consumer("find_package, import, no extensions", "find_package", "import", "pinion::timer_module", prefix="modules",
             arguments=("-DCMAKE_CXX_EXTENSIONS=OFF",)),
    Consumer("find_package, import pinion", "find_package", "import_all", "pinion::pinion_module", prefix="modules",
             components="pinion"),
    Consumer("find_package without components, without the host's own package", "find_package", "include",
             "pinion::pinion", prefix="modules", components="", arguments=_NO_BOOST),
    Consumer("find_package, an optional host without the host's own package", "find_package", "include",
             "pinion::timer", prefix="modules", components="timer;OPTIONAL_COMPONENTS;asio", arguments=_NO_BOOST),
    Consumer("find_package without components, import, without the host's own package", "find_package", "import",
             "pinion::timer_module", prefix="modules", components="", arguments=_NO_BOOST),
    Consumer("find_package without components, import pinion", "find_package", "import_all",
             "pinion::pinion_module", prefix="modules", components=""),
    Consumer("find_package without components, include, where no module is installed", "find_package", "include",
             "pinion::pinion", prefix="no modules", components=""),
    Consumer("find_package, import, where only this module and what it imports is installed", "find_package", "import",
             "pinion::timer_module", prefix="a module", components=""),
    Consumer("find_package, include, shared", "find_package", "include", "pinion::timer", "g++-12", OLD_CMAKE,
             "shared"),
    Consumer("find_package, import, shared", "find_package", "import", "pinion::timer_module", prefix="shared"),
    Consumer("add_subdirectory, include, g++ 12, CMake 3.25, strict warnings", "add_subdirectory", "include",
             "pinion::timer", "g++-12", OLD_CMAKE, flags=_STRICT),
    Consumer("add_subdirectory, import, strict warnings", "add_subdirectory", "import", "pinion::timer_module",
             flags=_STRICT),
    Consumer("FetchContent, include, g++ 12, CMake 3.25", "fetch_content", "include", "pinion::timer", "g++-12",
             OLD_CMAKE, target="consumer"),
    Consumer("FetchContent, import", "fetch_content", "import", "pinion::timer_module", target="consumer"),
    Consumer("add_subdirectory, a project with namesakes", "namesakes", "include", "pinion::timer", "g++-12", OLD_CMAKE,
             arguments=_THEIR_OPTIONS, target="consumer"),
    Consumer("add_subdirectory, a project with namesakes that asks for tests and install rules", "namesakes", "include",
             "pinion::timer", "g++-12", OLD_CMAKE, arguments=(*_THEIR_OPTIONS, "-DPINION_TESTS=ON", "-DPINION_INSTALL=ON"),
             target="consumer", is_alone=False),
)


def run(run: Run) -> list[Test]:
    with tempfile.TemporaryDirectory(prefix="pinion-package-") as name:
        folder = pathlib.Path(name)
        prefixes = {"install": folder / "prefix-install"}
        tests = installations.install_by_the_page(run, prefixes["install"])
        for preset in ("modules", "shared"):
            cmake_build.build(run, preset)
            prefixes[preset] = folder / f"prefix-{preset}"
            installations.install(run, tree.BUILD / preset, prefixes[preset])
        prefixes |= _without_modules(run, folder)
        tests += [verdict(f"package: no path of the build in the installation of {preset}", _build_paths(prefix))
                  for preset, prefix in prefixes.items()]
        for number, consumer in enumerate(CONSUMERS, 1):
            run.progress(f"consumer {number} of {len(CONSUMERS)}")
            complaint = _consume(run, consumer, prefixes.get(consumer.prefix), folder / f"consumer-{number}")
            tests.append(verdict(f"package: {consumer.name}", complaint))
        tests += installations.run(run, prefixes["install"], prefixes["shared"], folder)
        tests += throw_away.run(run, folder / "throw-away")
        return tests + bad_input.run(run, prefixes["install"], prefixes["modules"], folder)


def _without_modules(run: Run, folder: pathlib.Path) -> dict[str, pathlib.Path]:
    """Installations of what the preset `modules` builds: all parts without their modules, and with two of them."""
    parts = [part.name for part in catalogue.read().optional]
    headers = [f"pinion_{name}" for name in ("base", *parts, "pinion")]
    chosen = {"no modules": headers, "a module": [*headers, "pinion_base_module", "pinion_timer_module"]}
    prefixes = {name: folder / f"prefix-{name.replace(' ', '-')}" for name in chosen}
    for name, components in chosen.items():
        for component in components:
            installations.install(run, tree.BUILD / "modules", prefixes[name], "--component", component)
    return prefixes


def _consume(run: Run, consumer: Consumer, prefix: pathlib.Path | None, folder: pathlib.Path) -> str | None:
    """What went wrong, or None."""
    source, build = folder / consumer.project, folder / "build"
    shutil.copytree(PROJECTS / consumer.project, source)
    shutil.copy(PROJECTS / "unchanged.cmake", folder)
    shutil.copy(PROJECTS / "programs" / f"{consumer.program}.cpp", source / "main.cpp")
    place = f"-DCMAKE_PREFIX_PATH={prefix}" if prefix else f"-DLIBRARY_SOURCE_DIR={tree.ROOT}"
    environment = commands.environment(consumer.cmake.programs, CMAKE.programs)
    for command in (
        ["cmake", "-S", source, "-B", build, "-G", "Ninja", f"-DCMAKE_CXX_COMPILER={consumer.compiler}",
         f"-DCMAKE_CXX_FLAGS={consumer.flags}", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON", place,
         f"-DCOMPONENTS={consumer.components}", f"-DCONSUMES={consumer.consumes}", *consumer.arguments],
        ["cmake", "--build", build, "--parallel", run.jobs, "--target", consumer.target],
        [build / "consumer"],
    ):
        result = run.log.run(command, cwd=folder, env=environment)
        if not result.ok:
            return commands.relevant(result.output)
    if result.output != "fired 7\n":
        return f"the program printed {result.output!r} instead of \"fired 7\""
    complaint = _imposed_warnings(consumer, build)
    if complaint or consumer.prefix or not consumer.is_alone:
        return complaint
    return _foreign_tests(run, build, environment) or _foreign_files(run, build, environment)


def _imposed_warnings(consumer: Consumer, build: pathlib.Path) -> str | None:
    """pinion's warnings are for pinion's files."""
    entries = json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))
    command = next(entry["command"] for entry in entries if entry["file"].endswith("main.cpp"))
    flags = {word for word in shlex.split(command) if word.startswith("-W")} - set(consumer.flags.split())
    return f"the consumer's own file is compiled with {' '.join(sorted(flags))}" if flags else None


def _foreign_tests(run: Run, build: pathlib.Path, environment) -> str | None:
    """A project that contains pinion sees its own tests, and no others."""
    result = run.log.run(["ctest", "--test-dir", build, "--show-only=json-v1"], env=environment)
    names = [test["name"] for test in json.loads(result.output)["tests"]]
    return None if names == ["consumer"] else f"the parent's tests are {names} instead of its own one"


def _foreign_files(run: Run, build: pathlib.Path, environment) -> str | None:
    """A project that contains pinion installs its own files, and no others."""
    prefix = build / "prefix"
    result = run.log.run(["cmake", "--install", build, "--prefix", prefix], env=environment)
    if not result.ok:
        return commands.relevant(result.output)
    names = [str(file.relative_to(prefix)) for file in prefix.rglob("*") if file.is_file()]
    return None if names == ["bin/consumer"] else f"the parent installs {names} instead of its own program"


def _build_paths(prefix: pathlib.Path) -> str | None:
    """An installation may be moved and packed: its files for CMake and pkg-config name neither the tree nor the prefix."""
    files = [file for pattern in ("*.cmake", "*.pc") for file in sorted(prefix.rglob(pattern))]
    found = [f"{file.relative_to(prefix)} names {path}" for file in files for path in (tree.ROOT, prefix) if str(path) in file.read_text(encoding="utf-8")]
    return "\n".join(found)
