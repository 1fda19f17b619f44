# SPDX-License-Identifier: Apache-2.0
"""A fresh project that consumes the package which `conan create` has just made: every part of it, included and, where
the package has modules, imported. A part is one program here, named as the part."""

import pathlib

from conan import ConanFile
from conan.errors import ConanException
from conan.tools.build import can_run
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.gnu import PkgConfigDeps

_NUMBERS = {"True": "1", "False": "0"}


class TestPinion(ConanFile):
    settings = "os", "arch", "compiler", "build_type"

    def requirements(self):
        self.requires(self.tested_reference_str)

    def layout(self):
        # Where the tree's other builds are, so that the tree stays as it was.
        cmake_layout(self, build_folder="../build/test_package")

    def generate(self):
        CMakeDeps(self).generate()
        PkgConfigDeps(self).generate()  # jemalloc's, with which with_jemalloc=True is consumed
        pinion = self.dependencies["pinion"]
        toolchain = CMakeToolchain(self, generator="Ninja" if pinion.options.modules == "ON" else None)
        toolchain.user_presets_path = False
        toolchain.cache_variables |= {
            "PARTS": ";".join(pinion.cpp_info.components),
            "MODULES": str(pinion.options.modules),
            # What each program compares with what it got.
            "EXPECTED": ";".join(f"EXPECTED_{name.upper()}={_NUMBERS.get(value, value)}"
                                 for name, value in pinion.options.items()),
        }
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def test(self):
        if not (pathlib.Path(self.dependencies["pinion"].package_folder) / "licenses" / "LICENSE").is_file():
            raise ConanException("the package holds no licence")
        if can_run(self):
            for program in sorted(pathlib.Path(self.build_folder).glob("test_*")):
                self.run(str(program), env="conanrun")
