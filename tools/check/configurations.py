# SPDX-License-Identifier: Apache-2.0
"""The table of configurations. To add one, write a row; its function takes a Run and returns its tests.

A configuration that can't configure or build raises StepFailed and counts as one failed test.
"""

from check import benches, budgets, cmake_build, conan, consumers, docs, fuzz, stress, style, tidy, vcpkg
from check import self as promises
from check.execution import Configuration, Run
from check.results import Test


def preset(name: str, description: str, *needs: str, daily: bool = True) -> Configuration:
    """Builds the CMake preset of that name and runs its tests."""

    def run(run: Run) -> list[Test]:
        cmake_build.build(run, name)
        return cmake_build.test(run, name)

    return Configuration(name, description, frozenset({"build", "libraries", "hosts", "tests", *needs}), run, daily)


CLANG_BUILD = frozenset({"build", "libraries", "hosts", "tests", "clang"})

CONFIGURATIONS = (
    Configuration("style", "rules of style, clang-format, clang-tidy over each part's header", CLANG_BUILD | {"style"},
                  style.run),
    preset("modules", "clang 19, modules and headers, checked", "clang", "modules"),
    preset("release", "clang 19, headers, as users build it", "clang"),
    preset("asan", "clang 19, headers, AddressSanitizer and UndefinedBehaviorSanitizer", "clang", "sanitizers"),
    preset("tsan", "clang 19, headers, ThreadSanitizer over what is concurrent", "clang", "sanitizers"),
    preset("gcc", "g++ 12, headers", "gcc"),
    preset("shared", "clang 19, shared libraries, modules and headers: what crosses their boundary", "clang", "modules"),
    Configuration("package", "fresh projects that consume pinion, and what they are told when they err",
                  CLANG_BUILD | {"modules", "gcc", "old cmake"}, consumers.run),
    Configuration("conan", "packages made by Conan, consumed, and what the recipe refuses",
                  CLANG_BUILD | {"modules", "gcc", "conan"}, conan.run),
    Configuration("vcpkg", "packages made by vcpkg's port, consumed, and what it refuses; the manifests",
                  CLANG_BUILD | {"modules", "gcc", "old cmake"}, vcpkg.run),
    Configuration("docs", "the documentation site: links, contracts, exported names", CLANG_BUILD | {"modules", "docs"},
                  docs.run),
    Configuration("bench", "the harness and the report, and a small run of ./demo", CLANG_BUILD | {"peers"},
                  benches.run),
    Configuration("budget", "instructions an operation and bytes a timer, against what is recorded",
                  CLANG_BUILD | {"budget"}, budgets.run, record=budgets.write),
    Configuration("self", "the promises of ./check itself", CLANG_BUILD | {"modules", "style"}, promises.run),
    preset("debug", "clang 19, headers, without optimisation", "clang", daily=False),
    Configuration("fuzz", "every wheel against ordered_map for 100M operations; libFuzzer on wheels and on settings",
                  CLANG_BUILD | {"sanitizers"}, fuzz.run, daily=False),
    Configuration("stress", "ten million wakes for each pair of inbox and notifier", CLANG_BUILD, stress.run, daily=False),
    Configuration("tidy", "clang-tidy over every source file", CLANG_BUILD | {"modules", "style"}, tidy.run_everywhere,
                  daily=False),
    Configuration("peers", "peers in Rust, measured beside the others by ./demo --peers", CLANG_BUILD | {"peers"},
                  benches.run_peers, daily=False),
    Configuration("conan-deep", "Conan: each part alone, shared, checked, with and without modules",
                  CLANG_BUILD | {"modules", "gcc", "conan"}, conan.run_deep, daily=False),
    Configuration("vcpkg-deep", "vcpkg: each feature alone, shared, release only",
                  CLANG_BUILD | {"modules", "gcc", "old cmake"}, vcpkg.run_deep, daily=False),
)

BY_NAME = {configuration.name: configuration for configuration in CONFIGURATIONS}

# Runs of several configurations that have a name of their own.
GROUPS = {
    "quick": (BY_NAME["modules"],),
    "deep": CONFIGURATIONS,
}
DAILY = tuple(configuration for configuration in CONFIGURATIONS if configuration.daily)
