# SPDX-License-Identifier: Apache-2.0
"""The program `vcpkg`: the real one where it is on PATH, with its own scripts; elsewhere cmake/vcpkg_harness.

It is used for one triplet, `pinion-test`, written anew for each installation: Linux, static, with the compiler wanted.
"""

import dataclasses
import os
import pathlib
import shutil

from check import commands, tree, vcpkg_stand_in
from check.execution import Run
from check.python_tools import CMAKE

PORTS = tree.ROOT / "ports"
COMPILERS = {"gcc": ("gcc-12", "g++-12"), "clang": ("clang-19", "clang++-19")}
_RPATH = "set(VCPKG_FIXUP_ELF_RPATH OFF)\n"  # it takes patchelf, and nothing is moved here


@dataclasses.dataclass
class Vcpkg:
    """The program, and a place for what is made with it."""

    run: Run
    folder: pathlib.Path
    root: pathlib.Path  # of its scripts
    made: int = 0

    @property
    def is_real(self) -> bool:
        return self.root != vcpkg_stand_in.ROOT

    @property
    def environment(self) -> dict[str, str]:
        return commands.environment(self.root, CMAKE.programs) | {
            "CC": "gcc-12", "CXX": "g++-12", "VCPKG_ROOT": str(self.root), "VCPKG_DISABLE_METRICS": "1",
            "VCPKG_BINARY_SOURCES": "clear", "VCPKG_MAX_CONCURRENCY": str(self.run.jobs)}

    def new_place(self) -> pathlib.Path:
        self.made += 1
        place = self.folder / f"installation-{self.made}"
        place.mkdir(parents=True)
        return place

    def install(self, place: pathlib.Path, spec: str, *, compiler: str = "gcc", triplet: str = "",
                ports: pathlib.Path = PORTS) -> commands.Finished:
        """Installs into place/installed, with these lines in the triplet beside the usual ones."""
        write_triplet(place, compiler, triplet)
        host = ["--host-triplet=pinion-test"] if self.is_real else []
        return self.run.log.run(
            [self.root / "vcpkg", "install", spec, "--triplet=pinion-test", *host, f"--overlay-ports={ports}",
             f"--overlay-triplets={place}", f"--x-install-root={place / 'installed'}",
             f"--x-buildtrees-root={place / 'buildtrees'}", f"--x-packages-root={place / 'packages'}"],
            cwd=place, env=self.environment)

    def consumer_arguments(self, place: pathlib.Path) -> list[str]:
        """What CMake is given to find what was installed there."""
        return [f"-DCMAKE_TOOLCHAIN_FILE={self.root / 'scripts/buildsystems/vcpkg.cmake'}", "-DVCPKG_MANIFEST_MODE=OFF",
                f"-DVCPKG_CHAINLOAD_TOOLCHAIN_FILE={place / 'toolchain.cmake'}",
                "-DVCPKG_TARGET_TRIPLET=pinion-test", f"-DVCPKG_INSTALLED_DIR={place / 'installed'}"]


def choose(run: Run, folder: pathlib.Path) -> Vcpkg:
    return Vcpkg(run, folder, _real_root() or vcpkg_stand_in.ROOT)


def stand_in(run: Run, folder: pathlib.Path) -> Vcpkg:
    return Vcpkg(run, folder, vcpkg_stand_in.ROOT)


def write_triplet(place: pathlib.Path, compiler: str, lines: str = "") -> None:
    c, cxx = COMPILERS[compiler]
    toolchain = place / "toolchain.cmake"
    toolchain.write_text(f"set(CMAKE_C_COMPILER {c})\nset(CMAKE_CXX_COMPILER {cxx})\n", encoding="utf-8")
    usual = (vcpkg_stand_in.ROOT / "triplets" / "x64-linux.cmake").read_text(encoding="utf-8")
    (place / "pinion-test.cmake").write_text(
        f"{usual}{_RPATH}set(VCPKG_CHAINLOAD_TOOLCHAIN_FILE {toolchain})\n{lines}", encoding="utf-8")


def _real_root() -> pathlib.Path | None:
    """The folder of a real vcpkg on PATH; None where there is none, or none with its scripts."""
    program = shutil.which("vcpkg")
    if program is None:
        return None
    folders = [os.environ.get("VCPKG_ROOT"), pathlib.Path(program).resolve().parent]
    return next((root for folder in folders if folder and ((root := pathlib.Path(folder)) / ".vcpkg-root").is_file()
                 and (root / "vcpkg").is_file()), None)
