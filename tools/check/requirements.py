# SPDX-License-Identifier: Apache-2.0
"""What has to be installed: one table, how to tell that a thing is there, and what to do when it is not.

Each row belongs to a group; a configuration names the groups it needs. On Debian 12 as root what is missing is
installed after it was announced, one line each. Elsewhere it is listed with the way to get it, and nothing begins.
When nothing is missing, nothing is printed and the network is not touched.
"""

import dataclasses
import importlib
import importlib.util
import os
import pathlib
import shutil
import sys

from check import commands, tree
from check.python_tools import PYTHON_TOOLS


_SECONDS_TO_UPDATE, _SECONDS_TO_INSTALL = 300, 1200
# How long apt-get waits for another one's lock, and for a server that does not answer.
_PATIENCE = ("-o", "DPkg::Lock::Timeout=120", "-o", "Acquire::http::Timeout=30", "-o", "Acquire::https::Timeout=30")


class Unmet(Exception):
    """Something needed can't be had here; str() is all that there is to say about it."""


@dataclasses.dataclass(frozen=True)
class Evidence:
    """How to tell that a package is present: by what the build itself will look for."""

    kind: str  # "program", "file" (below /usr and the like; may hold wildcards) or "python module"
    name: str

    def present(self) -> bool:
        if self.kind == "program":
            return shutil.which(self.name) is not None
        if self.kind == "python module":
            importlib.invalidate_caches()
            return importlib.util.find_spec(self.name) is not None
        return any(next(folder.glob(self.name), None) for folder in _prefixes())

    def __str__(self) -> str:
        return {"program": f"{self.name} is not on PATH",
                "file": f"there is no {self.name} below {' or '.join(map(str, _prefixes()))}",
                "python module": f"{sys.executable} has no module {self.name}"}[self.kind]


def program(name: str) -> Evidence:
    return Evidence("program", name)


def file(name: str) -> Evidence:
    return Evidence("file", name)


@dataclasses.dataclass(frozen=True)
class Package:
    group: str
    name: str
    version: str  # apt's pattern: the upstream version, and any Debian revision of it, which security updates raise
    why: str
    evidence: Evidence

    def present(self) -> bool:
        return self.evidence.present()

    def announce(self) -> str:
        return f"{self.name:<20} {self.version.rstrip('*'):<12} {self.why}"


PACKAGES = (
    Package("build", "ca-certificates", "20*", "to fetch CMake from PyPI",
            file("../etc/ssl/certs/ca-certificates.crt")),
    Package("build", "python3-venv", "3.11*", "to keep CMake and Ninja inside build/tools",
            Evidence("python module", "ensurepip")),
    Package("clang", "clang-19", "1:19.1.7*", "the compiler", program("clang++-19")),
    Package("modules", "clang-tools-19", "1:19.1.7*", "finds what imports what", program("clang-scan-deps-19")),
    Package("sanitizers", "libclang-rt-19-dev", "1:19.1.7*", "the sanitizers' run-time libraries",
            file("lib/llvm-19/lib/clang/19/lib/*/libclang_rt.tsan*")),
    Package("gcc", "g++-12", "12.2.0*", "the oldest compiler that is supported", program("g++-12")),
    Package("gcc", "libjemalloc-dev", "5.3*", "jemalloc, for the allocator of frames over it",
            file("include/jemalloc/jemalloc.h")),
    Package("gcc", "pkg-config", "1.8*", "finds it", program("pkg-config")),
    Package("make", "make", "4.3*", "builds a program against what is installed", program("make")),
    Package("make", "pkg-config", "1.8*", "tells it what is installed", program("pkg-config")),
    Package("libraries", "libexpected-dev", "1.0.0*", "tl::expected, the error type", file("include/tl/expected.hpp")),
    Package("tests", "libgtest-dev", "1.12.1*", "GoogleTest", file("include/gtest/gtest.h")),
    Package("tests", "librapidcheck-dev", "0~1033*", "property tests", file("include/rapidcheck.h")),
    Package("tests", "libbenchmark-dev", "1.7.1*", "benchmarks", file("include/benchmark/benchmark.h")),
    Package("hosts", "libboost1.81-dev", "1.81.0*", "Boost.Asio, which hosts/asio drops parts into",
            file("lib/*/cmake/Boost-1.81.0/BoostConfig.cmake")),
    Package("peers", "libboost1.81-dev", "1.81.0*", "Boost.Asio and Boost.Lockfree, measured beside timers, wakes and I/O",
            file("lib/*/cmake/Boost-1.81.0/BoostConfig.cmake")),
    Package("peers", "libabsl-dev", "20220623*", "absl::btree_map, measured beside the timers",
            file("include/absl/container/btree_map.h")),
    Package("peers", "libuv1-dev", "1.44*", "libuv, measured beside the timers", file("include/uv.h")),
    Package("peers", "libconcurrentqueue-dev", "1.0.3*", "moodycamel's queue, measured beside the wakes",
            file("include/concurrentqueue/concurrentqueue.h")),
    Package("peers", "liburing-dev", "2.3*", "liburing, measured beside submission, and Asio's io_uring",
            file("include/liburing.h")),
    Package("budget", "valgrind", "1:3.19*", "counts instructions", program("valgrind")),
    Package("style", "git", "1:2.39*", "tells which files belong to the tree", program("git")),
    Package("style", "clang-format-19", "1:19.1.7*", "the layout of C++", program("clang-format-19")),
    Package("style", "clang-tidy-19", "1:19.1.7*", "names and traps of C++", program("clang-tidy-19")),
    Package("debian", "debootstrap", "1.0.128*", "makes newer Debians, for their compilers", program("debootstrap")),
    Package("docs", "hugo", "0.111*", "turns the pages of the documentation into HTML", program("hugo")),
)

GROUPS = {entry.group for entry in PACKAGES} | {tool.group for tool in PYTHON_TOOLS}


def ensure(groups: set[str], say) -> None:
    """Everything of these groups is there on return; else raises Unmet with one clear text. `say` prints a line."""
    # One of two groups has two rows, with a reason each.
    packages = list({package.name: package for package in PACKAGES
                     if package.group in groups and not package.present()}.values())
    tools = [tool for tool in PYTHON_TOOLS if tool.group in groups and not tool.present()]
    if not packages and not tools:
        return
    if packages and (obstacle := _why_not_install()):
        raise Unmet(_refusal(packages, obstacle))
    say("installing what is missing:")
    for entry in [*packages, *tools]:
        say(f"  {entry.announce()}")
    log = commands.Log("install")
    if packages:
        _install(packages, log)
    for tool in tools:
        if not tool.install(log):
            raise Unmet(f"{' '.join(tool.wanted)} could not be installed from PyPI. The likely cause is that there is "
                        f"no network; it is needed this once. The log: {tree.relative(log.path)}")


def _install(packages: list[Package], log: commands.Log) -> None:
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    # A failed update may still be followed by an install that works, from the lists that are there.
    log.run(["apt-get", "-qq", *_PATIENCE, "update"], env=environment, timeout=_SECONDS_TO_UPDATE)
    result = log.run(["apt-get", "-qq", *_PATIENCE, *_apt_arguments(packages)], env=environment,
                     timeout=_SECONDS_TO_INSTALL)
    absent = [package for package in packages if not package.present()]
    if not absent:
        return
    said = [line for line in result.output.splitlines() if line.startswith("E: ")]
    lines = [f"{package.name} is still missing after the attempt to install it: {package.evidence}"
             for package in absent]
    if result.status == commands.TIMED_OUT:
        lines.append(f"apt-get was stopped: it was not done after {_SECONDS_TO_INSTALL} seconds")
    else:
        lines.append(f"apt-get said: {said[0]}" if said else
                     "apt-get reported no error: the package is installed, but not where this run looks")
    raise Unmet("\n".join([*lines, f"The log: {tree.relative(log.path)}"]))


def _apt_arguments(packages: list[Package]) -> list[str]:
    return ["install", "-y", "--no-install-recommends",
            *(f"{package.name}={package.version}" for package in packages)]


def _why_not_install() -> str | None:
    """Why this program can't install packages itself; None where it can."""
    if not is_debian_12():
        return "this is not Debian 12, whose packages the versions name"
    if os.geteuid() != 0:
        return "that takes root"
    return None


def _refusal(packages: list[Package], obstacle: str) -> str:
    lines = ["missing:", *(f"  {package.announce()}" for package in packages), ""]
    if is_debian_12():
        arguments = " ".join(f"'{word}'" if "*" in word else word for word in _apt_arguments(packages))
        lines += [f"./check does not install these itself: {obstacle}. As root:",
                  f"  apt-get update && apt-get {arguments}"]
    else:
        lines += [f"./check does not install these itself: {obstacle}. Install them in these versions by this system's",
                  "own means, so that each of these can be found, or run ./check in a Debian 12 container:"]
        lines += [f"  {package.evidence.kind} {package.evidence.name}" for package in packages]
    return "\n".join(lines)


def is_debian_12() -> bool:
    try:
        lines = pathlib.Path("/etc/os-release").read_text(encoding="utf-8").splitlines()
    except OSError:
        return False
    fields = dict(line.replace('"', "").split("=", 1) for line in lines if "=" in line)
    return fields.get("ID") == "debian" and fields.get("VERSION_ID") == "12"


def _prefixes() -> list[pathlib.Path]:
    """Where CMake will look for headers and libraries, too."""
    named = os.environ.get("CMAKE_PREFIX_PATH", "").split(os.pathsep)
    return [pathlib.Path(name) for name in [*named, "/usr/local", "/usr"] if name]
