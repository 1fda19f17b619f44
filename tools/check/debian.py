# SPDX-License-Identifier: Apache-2.0
"""The configuration `debian`: newer Debians, with their compilers, in a folder each of
build/debian, made by debootstrap.

There headers and examples are built, as C++20 and as C++23, warnings being errors. Where a compiler can, the
modules are built, and what imports them runs. The systems come from the mirror that this machine's own apt
takes Debian from. All this is skipped where apt has no such mirror, debootstrap can't run, or there is no
network.
"""

import dataclasses
import os
import pathlib
import re
import shutil

from check import cmake_build, commands, tree
from check.commands import StepFailed
from check.execution import Run
from check.python_tools import CMAKE
from check.results import Test, failed, passed, skipped, verdict

HOME = tree.BUILD / "debian"
_LIBRARIES = ("libexpected-dev", "libgtest-dev", "librapidcheck-dev", "libboost-dev", "pkg-config")
_SECONDS_TO_MAKE = 1800
_STANDARDS = (20, 23)


@dataclasses.dataclass(frozen=True)
class Compiler:
    program: str
    packages: tuple[str, ...]
    imports: bool = False  # whether modules work with it
    flags: str = ""


@dataclasses.dataclass(frozen=True)
class System:
    suite: str
    compilers: tuple[Compiler, ...]

    @property
    def root(self) -> pathlib.Path:
        return HOME / self.suite

    @property
    def packages(self) -> list[str]:
        return [*(package for compiler in self.compilers for package in compiler.packages), *_LIBRARIES]


SYSTEMS = (
    # With g++ 14 imported inline coroutine bodies crash the compiler. Without clang-tools CMake finds no threads with clang.
    System("trixie", (Compiler("g++-14", ("g++-14",)), Compiler("clang++-19", ("clang-19", "clang-tools-19")))),
    # g++ 16 takes what a coroutine's frame holds for uninitialized, and warns. Through a module it warns also of a frame
    # whose promise is of a type in an unnamed namespace.
    System("sid", (Compiler("g++-16", ("g++-16",), imports=True,
                            flags="-Wno-error=maybe-uninitialized -Wno-error=attributes"),
                   Compiler("clang++-22", ("clang-22", "clang-tools-22"), imports=True))),
)


def run(run: Run) -> list[Test]:
    return [test for system in SYSTEMS for test in _run(run, system)]


def _run(run: Run, system: System) -> list[Test]:
    name = f"debian: {system.suite}"
    if reason := _why_not(run) or _make(run, system):
        return [skipped(name, reason)]
    tests = []
    for compiler in system.compilers:
        for standard in _STANDARDS:
            tests.append(verdict(f"{name}: {compiler.program}, C++{standard}: headers and examples",
                                 _build_headers(run, system, compiler, standard)))
        if compiler.imports:
            tests += _import(run, system, compiler)
    return tests


def _why_not(run: Run) -> str | None:
    if os.geteuid() != 0:
        return "debootstrap takes root"
    if shutil.which("debootstrap") is None:
        return "there is no debootstrap"
    if _mirror(run) is None:
        return "apt has no lists of packages from a mirror of Debian here"
    return None if run.log.run(["unshare", "-m", "true"]).ok else "unshare -m is not permitted here"


def _mirror(run: Run) -> str | None:
    """Where apt takes Debian's own packages from; None where it takes none."""
    result = run.log.run(["apt-get", "indextargets", "--format", "$(SITE)", "Created-By: Packages", "Origin: Debian",
                          "Label: Debian"])
    return next((line for line in result.output.splitlines() if re.match(r"https?://", line)), None)


def _make(run: Run, system: System) -> str | None:
    """Makes the system, unless it is there with these packages; why it can't be made. StepFailed where it is
    only half made."""
    stamp = system.root / "installed-for-pinion"
    wanted = "\n".join([*system.packages, ""])
    if stamp.is_file() and stamp.read_text(encoding="utf-8") == wanted:
        return None
    run.progress(f"making Debian {system.suite}")
    shutil.rmtree(system.root, ignore_errors=True)
    system.root.mkdir(parents=True)
    result = run.log.run(["debootstrap", "--variant=minbase", f"--include={','.join(system.packages)}", system.suite,
                          system.root, _mirror(run)], timeout=_SECONDS_TO_MAKE)
    if not result.ok:
        said = next((line for line in result.output.splitlines() if line.startswith("E: ")), "it does not say why")
        if "Couldn't download" in said or "Failed getting release" in said or "Invalid Release" in said:
            return f"debootstrap can't fetch Debian {system.suite}: {said}"
        raise StepFailed(f"Debian {system.suite} can't be made: {said}\n{commands.relevant(result.output)}")
    stamp.write_text(wanted, encoding="utf-8")
    return None


def _inside(run: Run, system: System, *command, timeout: float = commands.SECONDS_MAX) -> commands.Finished:
    """Runs a command in the system, where the tree has the path that it has here."""
    enter = 'mkdir -p "$1$2" && mount --bind "$2" "$1$2" && mount -t proc proc "$1/proc" && root=$1 && folder=$2 && ' \
            'shift 2 && exec chroot "$root" sh -c \'cd "$0" && exec "$@"\' "$folder" "$@"'
    programs = [str(path) for path in CMAKE.home.glob("lib/python3*/site-packages/cmake/data/bin")]
    environment = {"PATH": os.pathsep.join([*programs, str(CMAKE.programs), "/usr/bin", "/bin", "/usr/sbin", "/sbin"]),
                   "LC_ALL": "C.UTF-8", "HOME": "/root", "GTEST_COLOR": "no"}
    return run.log.run(["unshare", "-m", "sh", "-c", enter, "sh", system.root, tree.ROOT, *command], env=environment,
                       timeout=timeout)


def _configure(run: Run, system: System, compiler: Compiler, folder: pathlib.Path, *options: str) -> commands.Finished:
    return _inside(run, system, "cmake", "-S", tree.ROOT, "-B", folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                   f"-DCMAKE_CXX_COMPILER={compiler.program}", f"-DCMAKE_CXX_FLAGS={compiler.flags}",
                   "-DCMAKE_COMPILE_WARNING_AS_ERROR=ON", "-DPINION_BENCH=OFF", "-DPINION_INSTALL=OFF", *options)


def _build_headers(run: Run, system: System, compiler: Compiler, standard: int) -> str | None:
    """What went wrong, or None."""
    run.progress(f"{compiler.program}, C++{standard}")
    folder = HOME / f"build-{system.suite}-{compiler.program}-{standard}"
    for result in (
        _configure(run, system, compiler, folder, f"-DCMAKE_CXX_STANDARD={standard}", "-DPINION_MODULES=OFF",
                   "-DPINION_TESTS=OFF", "-DPINION_EXAMPLES=ON", "-DPINION_WITH_ASIO=ON",
                   "-DCMAKE_VERIFY_INTERFACE_HEADER_SETS=ON"),
        _inside(run, system, "cmake", "--build", folder, "--parallel", str(run.jobs), "--target", "all",
                "all_verify_interface_header_sets", timeout=cmake_build.SECONDS_TO_BUILD),
    ):
        if not result.ok:
            return commands.relevant(result.output)
    return None


def _import(run: Run, system: System, compiler: Compiler) -> list[Test]:
    """Builds the modules and the tests that import them, and runs these."""
    name = f"debian: {system.suite}: {compiler.program}: the modules are built"
    run.progress(f"{compiler.program}, modules")
    folder = HOME / f"build-{system.suite}-{compiler.program}-modules"
    junit = folder / "tests.xml"
    junit.unlink(missing_ok=True)
    for step in (
        lambda: _configure(run, system, compiler, folder, "-DPINION_MODULES=ON", "-DPINION_TESTS=ON",
                           "-DPINION_EXAMPLES=OFF", "-DPINION_WITH_ASIO=OFF", "-DPINION_ASSERT=ON"),
        lambda: _inside(run, system, "cmake", "--build", folder, "--parallel", str(run.jobs), "--target", "import_tests",
                        timeout=cmake_build.SECONDS_TO_BUILD),
    ):
        result = step()
        if not result.ok:
            return [failed(name, commands.relevant(result.output))]
    result = _inside(run, system, "ctest", "--test-dir", folder, "--parallel", str(run.jobs), "--output-junit", junit,
                     "--output-on-failure", "--no-tests=error", "--label-regex", "^import$",
                     timeout=cmake_build.SECONDS_TO_TEST)
    tests = cmake_build.read_junit(junit) if junit.exists() else []
    if not tests:
        return [passed(name), failed(f"debian: {system.suite}: {compiler.program}: ctest", commands.relevant(result.output))]
    return [passed(name), *(dataclasses.replace(test, name=f"{compiler.program}: {test.name}") for test in tests)]
