# SPDX-License-Identifier: Apache-2.0
"""What is installed, and how: by the line of README, beside a Debug build, and as pkg-config and make use it."""

import json
import pathlib
import re
import shlex
import shutil

from check import commands, tree
from check.commands import StepFailed
from check.execution import Run
from check.python_tools import CMAKE, OLD_CMAKE
from check.results import Test, verdict

CONSUMERS = tree.ROOT / "cmake" / "consumers"
# What only tests, benchmarks and hosts need; hidden, as it is where nobody develops pinion.
_FOR_DEVELOPERS = ("GTest", "rapidcheck", "benchmark", "Boost")


def run(run: Run, static: pathlib.Path, shared: pathlib.Path, folder: pathlib.Path) -> list[Test]:
    """`static` and `shared` hold whole installations, `folder` is for what is made here."""
    run.progress("headers, each alone")
    tests = [verdict("package: each public header compiles alone", _headers_alone(run))]
    tests.append(verdict("package: shared libraries give what public headers declare", _foreign_symbols(run, shared)))
    tests.append(verdict("package: a program in C++17 is told first that this takes C++20", _older_language(run, static)))
    run.progress("pkg-config")
    for kind, prefix in (("static", static), ("shared", shared)):
        complaint = _make(run, "pinion", prefix, folder / f"make-{kind}")
        tests.append(verdict(f"package: pkg-config, make, g++ 12, {kind}, moved", complaint))
    run.progress("Release and Debug")
    return [*tests, *_two_configurations(run, folder / "two")]


def install(run: Run, build: pathlib.Path, prefix: pathlib.Path, *arguments: str) -> None:
    _must(run, "cmake", "--install", build, "--prefix", prefix, *arguments)


def install_by_the_page(run: Run, prefix: pathlib.Path) -> list[Test]:
    """Follows the line by which README installs, with the oldest CMake, and with the developers' packages hidden."""
    run.progress("the install line")
    text = (tree.ROOT / "README.md").read_text(encoding="utf-8")
    line = re.search(r"^cmake --preset install && .* /usr/local$", text, re.MULTILINE)
    if not line:
        raise StepFailed("README.md has no line that installs: cmake --preset install && ... --prefix /usr/local")
    configure, *more = line.group().replace("/usr/local", str(prefix)).split(" && ")
    hidden = " ".join(f"-DCMAKE_DISABLE_FIND_PACKAGE_{name}=ON" for name in _FOR_DEVELOPERS)
    environment = (commands.environment(OLD_CMAKE.programs, CMAKE.programs)
                   | {"CXX": "g++-12", "CMAKE_GENERATOR": "Ninja", "CMAKE_BUILD_PARALLEL_LEVEL": str(run.jobs)})
    for command in (f"{configure} --fresh -DCMAKE_EXPORT_COMPILE_COMMANDS=ON {hidden}", *more):
        result = run.log.run(shlex.split(command), env=environment)
        if not result.ok:
            raise StepFailed(commands.relevant(result.output))
    entries = json.loads((tree.BUILD / "install" / "compile_commands.json").read_text(encoding="utf-8"))
    compiled = [tree.relative(pathlib.Path(entry["file"])) for entry in entries]
    needless = "\n".join(f"{name} is compiled, and nothing of it is installed" for name in compiled
                         if not re.fullmatch(r"\w+/src/\w+\.cpp", name))
    return [verdict("package: the install line builds what is installed and no more", needless)]


def _headers_alone(run: Run) -> str | None:
    """In a folder of its own, so that what did not change is not compiled again."""
    build = tree.BUILD / "headers"
    _must(run, "cmake", "--preset", "release", "-B", build, "-DPINION_TESTS=OFF", "-DPINION_EXAMPLES=OFF",
          "-DPINION_BENCH=OFF", "-DCMAKE_VERIFY_INTERFACE_HEADER_SETS=ON")
    result = run.log.run(["cmake", "--build", build, "--parallel", run.jobs, "--target", "all_verify_interface_header_sets",
                          "--", "-k", "0"], env=commands.environment(CMAKE.programs))
    return None if result.ok else commands.relevant(result.output)


def _older_language(run: Run, prefix: pathlib.Path) -> str | None:
    """g++ 12 takes C++17 where no language is named, in which <coroutine> asks for an option that does not help."""
    include, found = prefix / "include", []
    for header in sorted((include / "pinion").rglob("*.hpp")):
        if header.parent.name != "pinion" and "<coroutine>" not in header.read_text(encoding="utf-8"):
            continue
        told = run.log.run(["g++-12", "-std=c++17", "-E", "-o", "/dev/null", f"-I{include}", header]).output.splitlines()
        first = next((line for line in told if "error: " in line), "no error")
        if "pinion needs C++20" not in first:
            found.append(f"{header.relative_to(include)}: {first}: include <pinion/config.hpp> before all others")
    return "\n".join(found)


def _foreign_symbols(run: Run, prefix: pathlib.Path) -> str | None:
    """Each symbol of a library is named in a header that is installed, or starts a module. What the standard library's
    templates make in each library is the standard library's."""
    text = "\n".join(header.read_text(encoding="utf-8") for header in (prefix / "include" / "pinion").rglob("*.hpp"))
    declared = set(re.findall(r"\w+", text))
    found, count = [], 0
    for library in sorted(next(prefix.rglob("pkgconfig")).parent.glob("libpinion_*.so")):
        for line in _must(run, "nm", "--dynamic", "--demangle", "--defined-only", library).splitlines():
            _, kind, symbol = line.split(maxsplit=2)
            name = re.sub(r"\[abi:\w+\]|\(.*", "", symbol)
            if name.startswith("initializer for module pinion") or (kind in "WVu" and not name.startswith("pinion::")):
                continue
            count += 1
            if not name.startswith("pinion::") or set(re.findall(r"\w+", name)) - declared:
                found.append(f"{library.name}: {symbol}")
    return "\n".join(found) if count else "there is no symbol at all"


def _make(run: Run, packages: str, prefix: pathlib.Path, folder: pathlib.Path) -> str | None:
    """Moves the installation and builds the project of pkg_config with it; what went wrong, or None."""
    shutil.copytree(CONSUMERS / "pkg_config", folder)
    shutil.copy(CONSUMERS / "programs" / "linked.cpp", folder / "main.cpp")
    shutil.copytree(prefix, moved := folder / "moved", symlinks=True)
    libraries = next(moved.rglob("pkgconfig")).parent
    environment = commands.environment() | {"PKG_CONFIG_PATH": str(libraries / "pkgconfig"),
                                            "LD_LIBRARY_PATH": str(libraries)}
    for command in (["make", "-C", folder, "CXX=g++-12", f"PACKAGES={packages}"], [folder / "consumer"]):
        result = run.log.run(command, env=environment)
        if not result.ok:
            return commands.relevant(result.output)
    return None if result.output == "fired 7\n" else f"the program printed {result.output!r} instead of \"fired 7\""


def _two_configurations(run: Run, folder: pathlib.Path) -> list[Test]:
    """Release and Debug in one prefix: each configuration of a consumer links its own, and so do pkg-config's names."""
    build, prefix = folder / "build", folder / "prefix"
    _must(run, "cmake", "--preset", "install", "-B", build, "-G", "Ninja Multi-Config", "-DCMAKE_CXX_COMPILER=clang++-19",
          "-DPINION_MODULES=ON", *(f"-DPINION_{part}=OFF" for part in ("IOSUBMIT", "PREEMPT", "SIM")))
    for configuration in ("Release", "Debug"):
        _must(run, "cmake", "--build", build, "--parallel", run.jobs, "--config", configuration)
        install(run, build, prefix, "--config", configuration)
    tests = [verdict("package: find_package, import, a Debug installation beside a Release one",
                     _consume_two(run, prefix, folder / "consumer"))]
    for name in ("pinion", "pinion-d"):
        tests.append(verdict(f"package: pkg-config {name}, where both are installed",
                             _make(run, name, prefix, folder / f"make-{name}")))
    return tests


def _consume_two(run: Run, prefix: pathlib.Path, folder: pathlib.Path) -> str | None:
    shutil.copytree(CONSUMERS / "two_configurations", folder)
    shutil.copy(CONSUMERS / "programs" / "import.cpp", folder / "main.cpp")
    build = folder / "build"
    _must(run, "cmake", "-S", folder, "-B", build, "-G", "Ninja Multi-Config", "-DCMAKE_CXX_COMPILER=clang++-19",
          f"-DCMAKE_PREFIX_PATH={prefix}")
    for configuration, postfix in (("Release", ""), ("Debug", "-d")):
        _must(run, "cmake", "--build", build, "--config", configuration)
        _must(run, build / configuration / "consumer")
        linked = (build / f"{configuration}.library").read_text(encoding="utf-8")
        if linked != (wanted := f"libpinion_base{postfix}.a libpinion_timer_module{postfix}.a"):
            return f"{configuration} links {linked} instead of {wanted}"
    return None


def _must(run: Run, *command) -> str:
    result = run.log.run(command, env=commands.environment(CMAKE.programs))
    if not result.ok:
        raise StepFailed(commands.relevant(result.output))
    return result.output
