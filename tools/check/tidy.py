# SPDX-License-Identifier: Apache-2.0
"""clang-format over every C++ file; clang-tidy over one file per part every day, over every source in `tidy`.

clang-tidy takes many seconds for a file that includes GoogleTest; what users include is what is looked at daily.
"""

import concurrent.futures
import itertools
import json
import pathlib
import re

from check import cmake_build, commands, tree
from check.execution import Run
from check.results import Test, verdict

CXX = (".hpp", ".cpp", ".cppm")
TIDY = ("clang-tidy-19", "--quiet", f"--config-file={tree.ROOT / '.clang-tidy'}")

_PRECOMPILED = re.compile(r" -Winvalid-pch| -Xclang -include(-pch)? -Xclang \S+cmake_pch\S+")

# What is right in a test, a fuzzer or an example: leaving what it registers to the framework, main() that throws, plain
# loops, functions of one file without `static`, asking what a move left behind, products of small constants, and the names
# that GoogleTest and libFuzzer want.
RELAXED = ("--checks=-clang-analyzer-*,-bugprone-exception-escape,-bugprone-implicit-widening-of-multiplication-result,"
           "-bugprone-use-after-move,-misc-use-internal-linkage,-performance-inefficient-*,-readability-identifier-naming")


def layout(run: Run) -> Test:
    files = [name for name in tree.files() if name.endswith(CXX)]
    if not files:
        return verdict("style: clang-format", None)
    result = run.log.run(["clang-format-19", "--dry-run", "--Werror", *files])
    if result.ok:
        return verdict("style: clang-format", None)
    places = re.findall(r"^([^:\n]+):(\d+):\d+: error", result.output, re.MULTILINE)
    lines = {file: sorted({int(line) for name, line in places if name == file}) for file, _ in places}
    found = [f"{file}:{numbers[0]}: {len(numbers)} lines are laid out in another way"
             for file, numbers in lines.items()] or [commands.relevant(result.output)]
    return verdict("style: clang-format", "\n".join(["the remedy: clang-format-19 -i FILE", *found]))


def part_headers(run: Run) -> list[Test]:
    """One test per part: clang-tidy over its <pinion/PART.hpp>."""
    tests = []
    headers = [*tree.ROOT.glob("*/include/pinion/*.hpp"), *tree.ROOT.glob("hosts/*/include/pinion/*.hpp")]
    parts = [header.parents[1].parent for header in sorted(headers) if header.stem == header.parents[1].parent.name]
    generated = _generated_headers(run) if parts else None
    folder = tree.BUILD / "style"
    folder.mkdir(parents=True, exist_ok=True)
    include_flags = [f"-I{part / 'include'}" for part in parts] + [f"-I{generated}"]
    for part in parts:
        source = folder / f"{part.name}.cpp"
        source.write_text(f"#include <pinion/{part.name}.hpp>\n", encoding="utf-8")
        own_headers = f"--header-filter=^{part}/.*"
        result = run.log.run([*TIDY, own_headers, source, "--", "-std=c++20", *include_flags])
        tests.append(verdict(f"style: clang-tidy {part.name}", None if result.ok else commands.relevant(result.output)))
    return tests


def run_everywhere(run: Run) -> list[Test]:
    """One test per source file of the tree that the preset `modules` compiles, as many at a time as there are jobs."""
    cmake_build.build(run, "modules")
    folder = tree.BUILD / "tidy"
    sources = _write_commands(tree.BUILD / "modules" / "compile_commands.json", folder)
    folders = sorted({name.split("/", 1)[0] for name in tree.files() if name.endswith(CXX)})
    own_headers = f"--header-filter=^{tree.ROOT}/({'|'.join(folders)})/.*"
    done = itertools.count(1)

    def look(source: pathlib.Path) -> Test:
        relaxed = [RELAXED] if {"tests", "bench", "examples", "fuzz"} & set(source.parts) else []
        # A log of its own: others write at the same time.
        log = commands.Log(f"tidy/{tree.relative(source).replace('/', '-')}")
        result = log.run([*TIDY, *relaxed, own_headers, "-p", folder, source])
        run.log.add(log)
        run.progress(f"clang-tidy {next(done)} of {len(sources)}")
        name = f"clang-tidy {tree.relative(source)}"
        return verdict(name, None if result.ok else commands.relevant(result.output))

    with concurrent.futures.ThreadPoolExecutor(run.jobs) as pool:
        return list(pool.map(look, sources))


def _write_commands(built: pathlib.Path, folder: pathlib.Path) -> list[pathlib.Path]:
    """The compile commands of the tree's own files, each file once, for `clang-tidy -p folder`; those files, the largest
    first. Without precompiled headers, which only a whole build makes: each file includes what it uses."""
    ours = {tree.ROOT / name for name in tree.files()}
    entries = {pathlib.Path(entry["file"]): entry for entry in json.loads(built.read_text(encoding="utf-8"))}
    entries = {file: entry | {"command": _PRECOMPILED.sub("", entry["command"])} for file, entry in entries.items()
               if file in ours}
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "compile_commands.json").write_text(json.dumps(list(entries.values())), encoding="utf-8")
    return sorted(entries, key=lambda file: -file.stat().st_size)


def _generated_headers(run: Run) -> pathlib.Path:
    """The include folder of some configured build, for <pinion/config.hpp>; of one that has all there is in it today."""
    template = (tree.ROOT / "cmake" / "config.hpp.in").stat().st_mtime
    for preset in ("modules", "release"):
        header = tree.BUILD / preset / "include" / "pinion" / "config.hpp"
        if header.is_file() and header.stat().st_mtime >= template:
            return tree.BUILD / preset / "include"
    cmake_build.configure(run, "release")
    return tree.BUILD / "release" / "include"
