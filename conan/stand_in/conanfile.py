# SPDX-License-Identifier: Apache-2.0
"""Stands in for the Conan package of tl::expected where there is no network: the system's header, packed in the way
in which the real one describes itself. So the checks see pinion with its requirement as a package, too."""

import pathlib

from conan import ConanFile
from conan.tools.files import copy


class TlExpectedStandIn(ConanFile):
    name = "tl-expected"
    version = "1.1.0"
    package_type = "header-library"
    no_copy_source = True

    def package(self):
        package = pathlib.Path(self.package_folder)
        copy(self, "expected.hpp", "/usr/include/tl", str(package / "include" / "tl"))

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "tl-expected")
        self.cpp_info.set_property("cmake_target_name", "tl::expected")
        self.cpp_info.bindirs = []
        self.cpp_info.libdirs = []
