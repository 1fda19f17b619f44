# SPDX-License-Identifier: Apache-2.0
"""What `./check` is made of.

main            arguments
build_lock      one run at a time in a tree
execution       running configurations, the printed lines
configurations  the table of configurations: add one there
requirements    the table of what has to be installed, and installing it
python_tools    CMake, Ninja and Conan from PyPI, below build/tools (versions and hashes: pins/)
tree            where things are: the tree, its build directory, its files
results         one test's outcome, and counting many
commands        running a program with its output in a log
cargo           the peers in Rust (bench/peers)
cmake_build     configure, build, test one CMake preset
style           the style rules, over every file of the tree (style_text, style_documents, style_cxx, generated;
                style_samples)
tidy            clang-format and clang-tidy
consumers       fresh projects that consume pinion (in cmake/consumers); bad_input: what they are told when they err;
                throw_away: a part, a backend and an option added to a copy of the tree
installations   what is installed: by the line of README, beside a Debug build, for pkg-config
conan           packages made by Conan (recipe: conanfile.py)
vcpkg           packages made by vcpkg (port: ports/pinion; vcpkg_tool, vcpkg_refusals), and the program
                that stands in for vcpkg where there is none (vcpkg_stand_in, vcpkg_platform, vcpkg_lint)
catalogue       what cmake/parts.json says of this tree (../parts.py); generated: what is made from it and committed
                (tools/mend); parts_faults: what becomes of a fault in it
packages_page   docs/packages.md, taken at its word
loopback_only   running a command where no other machine is reached
budgets         instructions and bytes against what is recorded (bench/budget)
debian          newer Debians with their compilers, by debootstrap
docs            the documentation site, which tools/documentation builds
self            the promises of `./check` itself, proved; self_stops: how a run ends before its time
"""
