# SPDX-License-Identifier: Apache-2.0
"""The table of configurations. To add one, write a row; its function takes a Run and returns its tests.

A configuration that can't configure or build raises StepFailed and counts as one failed test.

What the daily ones show, that no other one shows:

    asan      every test, law and example, checked, under AddressSanitizer and UndefinedBehaviorSanitizer
    gcc       every test, law and example, checked, as g++ 12 compiles them, each file including all that it uses
    release   every test, law and example, unchecked and optimised: what users run
    tsan      what threads share, under ThreadSanitizer
    modules   the modules and what imports them, checked and counted; asan and gcc show the rest of that build
    shared    what imports, and what runs code compiled into libraries, where these are shared
    package, conan, vcpkg   that what is installed can be consumed, and which mistakes are refused
    docs, bench, budget, self   the site; the harness, the report and ./demo; what operations cost; ./check itself

`quick` is every test of the preset `modules`, for the inner loop. A test that shows something about one build alone
needs no run in the others: the benchmarks are built by `bench` and `budget`, and by the deep `debug`.
"""

from check import benches, budgets, cmake_build, conan, consumers, debian, docs, fuzz, stress, style, tidy, vcpkg
from check import self as promises
from check.execution import Configuration, Run
from check.results import Test


def preset(name: str, description: str, *needs: str, folder: str = "", daily: bool = True) -> Configuration:
    """Builds the CMake preset of that name and runs its tests: those with its label (cmake_build.LABELS), else all. With
    a folder, another name for the whole of the preset that builds there."""

    def run(run: Run) -> list[Test]:
        cmake_build.build(run, folder or name, whole=bool(folder))
        return cmake_build.test(run, folder or name, whole=bool(folder))

    return Configuration(name, description, frozenset({"build", "libraries", "hosts", "tests", *needs}), run, daily,
                         builds=frozenset({folder or name}))


def _builds(*folders: str) -> frozenset[str]:
    return frozenset(folders)


CLANG_BUILD = frozenset({"build", "libraries", "hosts", "tests", "clang"})

# The long ones come first: what is left at the end has nothing beside it.
CONFIGURATIONS = (
    Configuration("style", "rules of style, clang-format, clang-tidy over each part's header", CLANG_BUILD | {"style"},
                  style.run, builds=_builds("release")),
    preset("asan", "clang 19, headers, AddressSanitizer and UndefinedBehaviorSanitizer", "clang", "sanitizers"),
    preset("gcc", "g++ 12, headers, checked", "gcc"),
    preset("release", "clang 19, headers, as users build it", "clang"),
    preset("modules", "clang 19, modules and what imports them, checked", "clang", "modules"),
    preset("shared", "clang 19, shared libraries, modules and headers: what crosses their boundary", "clang", "modules"),
    preset("tsan", "clang 19, headers, ThreadSanitizer over what is concurrent", "clang", "sanitizers"),
    Configuration("vcpkg", "packages made by vcpkg's port, consumed, and what it refuses; the manifests",
                  CLANG_BUILD | {"modules", "gcc", "old cmake"}, vcpkg.run),
    Configuration("package", "fresh projects that consume pinion, and what they are told when they err",
                  CLANG_BUILD | {"modules", "gcc", "old cmake", "make"}, consumers.run,
                  builds=_builds("modules", "shared", "install", "headers")),
    Configuration("conan", "packages made by Conan, consumed, and what the recipe refuses",
                  CLANG_BUILD | {"modules", "gcc", "conan"}, conan.run),
    Configuration("bench", "the harness and the report, and a small run of ./demo", CLANG_BUILD | {"peers"},
                  benches.run, builds=_builds("demo")),
    Configuration("self", "the promises of ./check itself", CLANG_BUILD | {"modules", "style"}, promises.run,
                  builds=_builds(promises.GREEN)),
    Configuration("budget", "instructions an operation and bytes a timer, against what is recorded",
                  CLANG_BUILD | {"budget"}, budgets.run, record=budgets.write),
    Configuration("docs", "the documentation site: links, contracts, exported names", CLANG_BUILD | {"modules", "docs"},
                  docs.run, builds=_builds(docs.PRESET)),
    preset("quick", "clang 19, modules and headers, checked: every test, for the inner loop", "clang", "modules",
           folder="modules", daily=False),
    preset("debug", "clang 19, headers, without optimisation, and the benchmarks", "clang", daily=False),
    Configuration("fuzz", f"every wheel against ordered_map, {fuzz.OPERATIONS // 10**6}M operations in all; libFuzzer on "
                  "wheels and on settings", CLANG_BUILD | {"sanitizers"}, fuzz.run, daily=False, builds=_builds("release")),
    Configuration("stress", "ten million wakes for each pair of inbox and notifier; a thousand executors on a loaded "
                  "machine; an hour of owners whose engines come and go", CLANG_BUILD | {"sanitizers"}, stress.run, daily=False, builds=_builds("release", "tsan")),
    Configuration("tidy", "clang-tidy over every source file", CLANG_BUILD | {"modules", "style"}, tidy.run_everywhere,
                  daily=False, builds=_builds("modules")),
    Configuration("peers", "peers in Rust, measured beside the others by ./demo --peers", CLANG_BUILD | {"peers"},
                  benches.run_peers, daily=False, builds=_builds("demo")),
    Configuration("debian", "newer Debians: headers, examples and modules with g++ 14 and 16, clang 19 and 22",
                  frozenset({"build", "debian"}), debian.run, daily=False),
    Configuration("conan-deep", "Conan: each part alone, shared, checked, with and without modules",
                  CLANG_BUILD | {"modules", "gcc", "conan"}, conan.run_deep, daily=False, builds=_builds("conan")),
    Configuration("vcpkg-deep", "vcpkg: each feature alone, shared, release only",
                  CLANG_BUILD | {"modules", "gcc", "old cmake"}, vcpkg.run_deep, daily=False),
)

BY_NAME = {configuration.name: configuration for configuration in CONFIGURATIONS}

# Runs of several configurations that have a name of their own.
GROUPS = {"deep": CONFIGURATIONS}
DAILY = tuple(configuration for configuration in CONFIGURATIONS if configuration.daily)
