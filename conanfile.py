# SPDX-License-Identifier: Apache-2.0
"""pinion for Conan 2: `conan create . -s compiler.cppstd=20 --build=missing`.

Parts and options are those of cmake/parts.json: PINION_TIMER_DEFAULT is `timer_default`. docs/packages.md says how
it is used.
"""

import importlib.util
import pathlib

from conan import ConanFile
from conan.errors import ConanException, ConanInvalidConfiguration
from conan.tools.build import valid_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import collect_libs, copy, rmdir
from conan.tools.gnu import PkgConfigDeps
from conan.tools.scm import Version

required_conan_version = ">=2.1"


def _read_parts():
    """The reader, and what it read; both are exported beside this file."""
    here = pathlib.Path(__file__).parent
    spec = importlib.util.spec_from_file_location("pinion_parts", here / "tools" / "parts.py")
    reader = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(reader)
    try:
        return reader, reader.read((here / reader.FILE).read_text(encoding="utf-8"))
    except reader.Wrong as reason:
        raise ConanException(str(reason)) from reason


_READER, PINION = _read_parts()
PARTS = [part for part in PINION.everything if part.offered_by("conan")]
OPTIONS = [option for part in PARTS for option in part.all_options if option.offered_by("conan")]
OPTIONS += PINION.options


class Pinion(ConanFile):
    name = "pinion"
    description = "The parts of a thread-per-core executor as C++20 modules, each one swappable"
    license = "Apache-2.0"
    topics = ("timer", "executor", "coroutines", "thread-per-core", "cpp20", "modules")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = ({"shared": [True, False], "fPIC": [True, False]}
               | {option.short_name: [True, False] if option.is_switch else list(option.values)
                  for option in OPTIONS})
    default_options = ({"shared": False, "fPIC": True}
                       | {option.short_name: option.default == "ON" if option.is_switch else option.default
                          for option in OPTIONS}
                       # Of Boost only headers are used, and none of them needs one of its libraries.
                       | {"boost/*:header_only": True})
    exports = "tools/parts.py", "cmake/parts.json"
    exports_sources = ("CMakeLists.txt", "LICENSE", "modules/*",
                       "cmake/*", "!cmake/consumers/*", "!cmake/vcpkg_harness/*",
                       *(f"{part.folder}/{below}" for part in PINION.everything
                         for below in ("CMakeLists.txt", "include/*", "src/*")))

    def set_version(self):
        self.version = _READER.version(pathlib.Path(self.recipe_folder))

    def configure(self):
        if self.options.shared:
            self.options.rm_safe("fPIC")
        for part in PARTS:
            if not self._has(part):
                if self._wants(part):
                    self.options.rm_safe(part.switch.short_name)
                # The options of what is not there must not make another package of the same.
                for option in part.options:
                    self.options.rm_safe(option.short_name)

    def layout(self):
        cmake_layout(self)

    def requirements(self):
        packages = [package for part in self._parts() for package in self._packages(part)]
        for reference in dict.fromkeys(package.conan for package in packages):
            self.requires(reference, transitive_headers=True)

    def validate(self):
        compiler, version = str(self.settings.compiler), Version(self.settings.compiler.version)
        oldest, of_modules = PINION.tools["headers"], PINION.tools["modules"]
        if self.settings.os != "Linux":
            self._refuse(f"pinion is built and tested on Linux only, and this is {self.settings.os}: choose a profile "
                         f"for Linux (-s os=Linux)")
        if compiler not in ("gcc", "clang") or version < oldest[compiler]:
            self._refuse(f"{compiler} {version} is none of the compilers that pinion is tested with: choose gcc "
                         f"{oldest['gcc']} or clang {oldest['clang']}, or newer, in the profile")
        if self.settings.get_safe("compiler.cppstd") and not valid_min_cppstd(self, 20):
            self._refuse(f"pinion's headers are C++20, and compiler.cppstd={self.settings.compiler.cppstd} is older: "
                         f"add -s compiler.cppstd=20 or newer")
        if self.options.modules == "ON" and version < of_modules[compiler]:
            self._refuse(f"modules=ON, but {compiler} {version} can't build them; clang {of_modules['clang']} "
                         f"and gcc {of_modules['gcc']} can: choose one of these, or use the headers "
                         f"(-o \"pinion/*:modules=OFF\")")
        for part in self._parts():
            for needed in (other for other in PARTS if other.name in part.links and not self._has(other)):
                self._refuse(f"{part.switch.short_name}=True needs the part {needed.name}, and "
                             f"{needed.switch.short_name}=False leaves it out: change one of the two")

    def generate(self):
        CMakeDeps(self).generate()
        PkgConfigDeps(self).generate()  # what pkg-config knows is asked of that by CMake, too
        # Modules need Ninja; where they are not demanded, the generator is whatever the profile says.
        toolchain = CMakeToolchain(self, generator="Ninja" if self.options.modules == "ON" else None)
        for option in OPTIONS:
            if (value := self.options.get_safe(option.short_name)) is not None:
                value = {"True": "ON", "False": "OFF"}.get(str(value), str(value))
                toolchain.cache_variables[option.name] = value
        for name in ("TESTS", "EXAMPLES", "WARNINGS"):
            toolchain.cache_variables[f"PINION_{name}"] = "OFF"
        toolchain.cache_variables["CMAKE_DEBUG_POSTFIX"] = ""  # Debug is a package of its own
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        package = pathlib.Path(self.package_folder)
        copy(self, "LICENSE", self.source_folder, str(package / "licenses"))
        rmdir(self, str(package / "share"))  # the licence once more, where CMake puts it
        rmdir(self, str(package / "lib" / "pkgconfig"))  # Conan makes its own, with the paths of all packages

    def package_info(self):
        # pinion's own config files are what find_package reads: nothing here could describe a module. The components
        # are for generators of other kinds, and name what the headers need.
        self.cpp_info.set_property("cmake_find_mode", "none")
        libraries = collect_libs(self)  # a part of headers alone has none
        for part in self._parts():
            component = self.cpp_info.components[part.name]
            component.libs = [name for name in libraries if name == f"pinion_{part.name}"]
            names = [package.conan.split("/")[0] for package in self._packages(part)]
            component.requires = [*part.links, *(f"{name}::{name}" for name in names)]
            # The root's is not read where there are components.
            component.builddirs = ["lib/cmake/pinion"]

    def _wants(self, part):
        return part.required or bool(self.options.get_safe(part.switch.short_name))

    def _has(self, part):
        """A part that links what is left out is left out with it; a host, which is off by default, is refused then."""
        return self._wants(part) and (part.is_host or all(self._has(PINION.part(name)) for name in part.links))

    def _parts(self):
        return [part for part in PARTS if self._has(part)]

    def _packages(self, part):
        """What the part requires with the options that are on."""
        return [*part.requires, *(package for option in part.options if option.is_switch and
                                  self.options.get_safe(option.short_name) for package in option.requires)]

    @staticmethod
    def _refuse(reason):
        raise ConanInvalidConfiguration(reason)
