# SPDX-License-Identifier: Apache-2.0
"""pinion for Conan 2: `conan create . -s compiler.cppstd=20 --build=missing`.

The options have the names and values of CMake's (cmake/options.cmake): PINION_TIMER_DEFAULT is `timer_default`. A part
is one row of PARTS; what is not a part is one row of SWITCHES. docs/packages.md says how it is used.
"""

import dataclasses
import pathlib
import re

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.build import valid_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, rmdir
from conan.tools.scm import Version

required_conan_version = ">=2.1"


@dataclasses.dataclass(frozen=True)
class Default:
    name: str  # of the option
    backends: tuple[str, ...]  # what it can be; the first is the default's default


@dataclasses.dataclass(frozen=True)
class Part:
    name: str
    links: tuple[str, ...] = ()  # other parts
    requires: tuple[str, ...] = ()  # Conan references of what its headers include
    has_library: bool = False
    is_optional: bool = True
    is_host: bool = False  # drops parts into a host, and is there only if asked for
    defaults: tuple[Default, ...] = ()  # which of its backends it recommends

    @property
    def option(self):
        return f"with_{self.name}" if self.is_host else self.name

    @property
    def folder(self):
        return f"hosts/{self.name}" if self.is_host else self.name


PARTS = (
    Part("base", requires=("tl-expected/1.1.0",), has_library=True, is_optional=False),
    Part("timer", links=("base",),
         defaults=(Default("timer_default", ("deferred_wheel", "ordered_map", "two_level_wheel", "stationary_wheel",
                                             "overflow_wheel")),)),
    Part("waker", links=("base",), has_library=True,
         defaults=(Default("inbox_default", ("tagged_inbox", "bounded_inbox", "mutex_inbox")),
                   Default("notifier_default", ("eventfd_notifier", "futex_notifier")))),
    Part("iosubmit", links=("base",), has_library=True,
         defaults=(Default("policy_default", ("chosen_policy", "adaptive", "balanced", "batch_or_idle", "immediate",
                                              "low_latency", "high_throughput")),
                   Default("ring_default", ("either_ring", "uring_ring", "epoll_ring")))),
    Part("preempt", links=("base",), has_library=True,
         defaults=(Default("preempt_default", ("ticker_source", "posix_timer_source", "tsc_budget",
                                               "operation_budget")),)),
    Part("sim", links=("base",), has_library=True),
    Part("asio", links=("preempt",), requires=("boost/1.81.0",), is_host=True),
)
SWITCHES = {
    # AUTO leaves it to the machine that builds; whoever shares binaries says ON or OFF.
    "modules": (["AUTO", "ON", "OFF"], "AUTO"),
    "assert": ([True, False], False),
    "statistics": ([True, False], False),
}

# The oldest that is tested; and the oldest that builds modules.
COMPILERS = {"gcc": "12", "clang": "19"}
MODULE_COMPILERS = {"gcc": "16", "clang": "19"}

OPTIONAL_PARTS = tuple(part for part in PARTS if part.is_optional)


class Pinion(ConanFile):
    name = "pinion"
    description = "The parts of a thread-per-core executor as C++20 modules, each one swappable"
    license = "Apache-2.0"
    topics = ("timer", "executor", "coroutines", "thread-per-core", "cpp20", "modules")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = ({"shared": [True, False], "fPIC": [True, False]}
               | {part.option: [True, False] for part in OPTIONAL_PARTS}
               | {default.name: list(default.backends) for part in PARTS for default in part.defaults}
               | {name: values for name, (values, _) in SWITCHES.items()})
    default_options = ({"shared": False, "fPIC": True}
                       | {part.option: not part.is_host for part in OPTIONAL_PARTS}
                       | {default.name: default.backends[0] for part in PARTS for default in part.defaults}
                       | {name: default for name, (_, default) in SWITCHES.items()}
                       # Of Boost only headers are used, and none of them needs one of its libraries.
                       | {"boost/*:header_only": True})
    exports_sources = ("CMakeLists.txt", "LICENSE", "modules/*",
                       "cmake/*", "!cmake/consumers/*", "!cmake/vcpkg_harness/*",
                       *(f"{part.folder}/{below}" for part in PARTS
                         for below in ("CMakeLists.txt", "include/*", "src/*")))

    def set_version(self):
        """The version stands once, in CMakeLists.txt."""
        text = (pathlib.Path(self.recipe_folder) / "CMakeLists.txt").read_text(encoding="utf-8")
        self.version = re.search(r"project\(pinion VERSION ([0-9.]+)", text).group(1)

    def configure(self):
        if self.options.shared:
            self.options.rm_safe("fPIC")
        for part in PARTS:
            if not self._has(part):
                # The default of what is not there must not make another package of the same.
                for default in part.defaults:
                    self.options.rm_safe(default.name)

    def layout(self):
        cmake_layout(self)

    def requirements(self):
        for reference in dict.fromkeys(reference for part in self._parts() for reference in part.requires):
            self.requires(reference, transitive_headers=True)

    def validate(self):
        compiler, version = str(self.settings.compiler), Version(self.settings.compiler.version)
        if self.settings.os != "Linux":
            self._refuse(f"pinion is built and tested on Linux only, and this is {self.settings.os}: choose a profile "
                         f"for Linux (-s os=Linux)")
        if compiler not in COMPILERS or version < COMPILERS[compiler]:
            self._refuse(f"{compiler} {version} is none of the compilers that pinion is tested with: choose gcc "
                         f"{COMPILERS['gcc']} or clang {COMPILERS['clang']}, or newer, in the profile")
        if self.settings.get_safe("compiler.cppstd") and not valid_min_cppstd(self, 20):
            self._refuse(f"pinion's headers are C++20, and compiler.cppstd={self.settings.compiler.cppstd} is older: "
                         f"add -s compiler.cppstd=20 or newer")
        if self.options.modules == "ON" and version < MODULE_COMPILERS[compiler]:
            self._refuse(f"modules=ON, but {compiler} {version} can't build them; clang {MODULE_COMPILERS['clang']} "
                         f"and gcc {MODULE_COMPILERS['gcc']} can: choose one of these, or use the headers "
                         f"(-o \"pinion/*:modules=OFF\")")

        for part in self._parts():
            for needed in (other for other in PARTS if other.name in part.links and not self._has(other)):
                self._refuse(f"{part.option}=True needs the part {needed.name}, and {needed.option}=False leaves it out: "
                             f"change one of the two")

    def generate(self):
        CMakeDeps(self).generate()
        # Modules need Ninja; where they are not demanded, the generator is whatever the profile says.
        toolchain = CMakeToolchain(self, generator="Ninja" if self.options.modules == "ON" else None)
        for option in (*(part.option for part in OPTIONAL_PARTS), *SWITCHES):
            toolchain.cache_variables[f"PINION_{option.upper()}"] = _cmake_value(getattr(self.options, option))
        for part in self._parts():
            for default in part.defaults:
                value = str(getattr(self.options, default.name))
                toolchain.cache_variables[f"PINION_{default.name.upper()}"] = value
        for name in ("TESTS", "EXAMPLES", "WARNINGS"):
            toolchain.cache_variables[f"PINION_{name}"] = "OFF"
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

    def package_info(self):
        # pinion's own config files are what find_package reads: nothing here could describe a module. The components
        # are for generators of other kinds, and name what the headers need.
        self.cpp_info.set_property("cmake_find_mode", "none")
        for part in self._parts():
            component = self.cpp_info.components[part.name]
            component.libs = [f"pinion_{part.name}"] if part.has_library else []
            component.requires = [*part.links, *(f"{name}::{name}" for name in
                                                 (reference.split("/")[0] for reference in part.requires))]
            # The root's is not read where there are components.
            component.builddirs = ["lib/cmake/pinion"]

    def _has(self, part):
        return not part.is_optional or bool(self.options.get_safe(part.option))

    def _parts(self):
        return [part for part in PARTS if self._has(part)]

    @staticmethod
    def _refuse(reason):
        raise ConanInvalidConfiguration(reason)


def _cmake_value(option):
    return {"True": "ON", "False": "OFF"}.get(str(option), str(option))
