# SPDX-License-Identifier: Apache-2.0
"""A part, a backend and an option, added to a copy of the tree by the steps of CONTRIBUTING.md only.

They are built, installed and found, and stand in the tables. The part links another one, and a package that
only pkg-config knows.
"""

import json
import pathlib
import shutil
import sys

import parts
from check import catalogue, commands, style_cxx, tree
from check.commands import StepFailed
from check.execution import Run
from check.python_tools import CMAKE
from check.results import Test, verdict

_SPDX = "SPDX-License-Identifier: Apache-2.0\n"
_PLAIN = "spare_part/include/pinion/spare_part/kind/plain_spare.hpp"
_PART = {
    "spare_part/README.md": "# spare_part\n",
    "spare_part/CMakeLists.txt": f"""# {_SPDX}
pinion_part(spare_part
  HEADERS
    pinion/spare_part.hpp
    pinion/spare_part/default_spare.hpp
    pinion/spare_part/kind/plain_spare.hpp)
""",
    "spare_part/include/pinion/spare_part.hpp": f"""// {_SPDX}
#pragma once
#include <pinion/spare_part/default_spare.hpp>
#include <pinion/spare_part/kind/plain_spare.hpp>
""",
    "spare_part/include/pinion/spare_part/default_spare.hpp": f"""// {_SPDX}
#pragma once
#include <pinion/config.hpp>
#include PINION_SPARE_DEFAULT_HEADER

namespace pinion::spare_part {{
using default_spare = PINION_SPARE_DEFAULT;
}}
""",
    _PLAIN: f"""// {_SPDX}
#pragma once
#include <pinion/timer/ordered_map.hpp>

namespace pinion::spare_part {{
struct plain_spare {{
  timer::ordered_map<int> timers{{instant{{0}}}};
}};
}}
""",
    "modules/spare_part.cppm": f"""// {_SPDX}
module;
#include <pinion/spare_part.hpp>

export module pinion.spare_part;
""",
    "test_package/spare_part.cpp": f"""// {_SPDX}
#include <pinion/spare_part.hpp>
#include <type_traits>

int main() {{
  namespace spare_part = pinion::spare_part;
  static_assert(std::is_same_v<spare_part::default_spare, spare_part::EXPECTED_SPARE_DEFAULT>);
  static_assert(PINION_SPARE_LOUD == EXPECTED_SPARE_LOUD);
  return spare_part::plain_spare{{}}.timers.size() == 0 ? 0 : 1;
}}
""",
}
_ENTRY = {
    "name": "spare_part",
    "what": "a part to throw away",
    "links": ["timer"],
    "options": [{
        "name": "PINION_SPARE_DEFAULT",
        "what": "what `pinion::spare_part::default_spare` names",
        "values": ["plain_spare"],
        "default": "plain_spare",
        "headers": True,
    }],
}
_OPTION = {
    "name": "PINION_SPARE_LOUD",
    "what": "a spare part that is heard",
    "values": ["ON", "OFF"],
    "default": "OFF",
    "requires": [{"pkg_config": "spare-loudness", "version": "2", "title": "Loudness"}],
}
_LOUDNESS = "Name: spare-loudness\nDescription: a package that only pkg-config knows\nVersion: 2.1\n"
_CHOSEN = {"PINION_SPARE_DEFAULT": "other_spare", "PINION_SPARE_LOUD": "ON"}


def run(run: Run, folder: pathlib.Path) -> list[Test]:
    run.progress("a part, a backend and an option to throw away")
    copy = folder / "tree"
    for name in tree.files():
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(tree.ROOT / name, copy / name)
    touched = _add_part(run, copy)
    touched |= _add_backend(run, copy) | _add_option(run, copy)
    return [verdict("throw-away: part, backend and option are built and found", _build(run, copy, folder)),
            verdict("throw-away: they are in the tables and manifests", _tables(copy, touched)),
            verdict("throw-away: the part may include what it links, and no more", _may_include(copy))]


def _add_part(run: Run, copy: pathlib.Path) -> set[str]:
    _write(copy, _PART)
    return _change(run, copy, lambda file: file["parts"].append(_ENTRY))


def _add_backend(run: Run, copy: pathlib.Path) -> set[str]:
    other = _PART[_PLAIN].replace("plain_spare", "other_spare")
    _write(copy, {_PLAIN.replace("plain_spare", "other_spare"): other})
    for name in ("spare_part/CMakeLists.txt", "spare_part/include/pinion/spare_part.hpp"):
        line = next(line for line in _PART[name].splitlines() if "plain_spare" in line)
        both = f"{line.replace('plain_spare', 'other_spare').rstrip(')')}\n{line}"
        _write(copy, {name: _PART[name].replace(line, both)})
    return _change(run, copy, lambda file: file["parts"][-1]["options"][0]["values"].append("other_spare"))


def _add_option(run: Run, copy: pathlib.Path) -> set[str]:
    return _change(run, copy, lambda file: file["parts"][-1]["options"].append(_OPTION))


def _write(copy: pathlib.Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        (copy / name).write_text(text, encoding="utf-8")


def _change(run: Run, copy: pathlib.Path, change) -> set[str]:
    """Changes cmake/parts.json, and runs tools/mend: the files that it has written."""
    file = json.loads((copy / parts.FILE).read_text(encoding="utf-8"))
    change(file)
    (copy / parts.FILE).write_text(json.dumps(file, indent=2), encoding="utf-8")
    result = run.log.run([sys.executable, copy / "tools" / "mend"], cwd=copy)
    if not result.ok:
        raise StepFailed(commands.relevant(result.output))
    return set(result.output.split())


def _build(run: Run, copy: pathlib.Path, folder: pathlib.Path) -> str | None:
    """Headers only, without what is not needed: what went wrong, or None."""
    known = parts.read_tree(copy)
    (folder / "spare-loudness.pc").write_text(_LOUDNESS, encoding="utf-8")
    environment = commands.environment(CMAKE.programs) | {"PKG_CONFIG_PATH": str(folder)}
    chosen = {"timer", "spare_part"}
    settings = {part.switch.name: "ON" if part.name in chosen else "OFF" for part in known.optional}
    settings |= {name: "OFF" for name in ("PINION_MODULES", "PINION_TESTS", "PINION_EXAMPLES")} | _CHOSEN
    options = [f"-D{name}={value}" for name, value in settings.items()]
    expected = catalogue.expected(known, chosen, _CHOSEN)
    configure = ["cmake", "-G", "Ninja", "-DCMAKE_CXX_COMPILER=clang++-19"]
    for command in (
        [*configure, "-S", copy, "-B", folder / "build", *options],
        ["cmake", "--build", folder / "build", "--parallel", run.jobs],
        ["cmake", "--install", folder / "build", "--prefix", folder / "prefix"],
        [*configure, "-S", copy / "test_package", "-B", folder / "consumer", "-DPARTS=spare_part",
         "-DMODULES=OFF", f"-DCMAKE_PREFIX_PATH={folder / 'prefix'}", f"-DEXPECTED={';'.join(expected)}"],
        ["cmake", "--build", folder / "consumer", "--parallel", run.jobs],
        [folder / "consumer" / "test_spare_part_include"],
    ):
        result = run.log.run(command, cwd=folder, env=environment)
        if not result.ok:
            return commands.relevant(result.output)
    config = (folder / "prefix" / "include" / "pinion" / "config.hpp").read_text(encoding="utf-8")
    lines = ("#define PINION_HAS_SPARE_PART 1",
             "inline constexpr bool has_spare_part = PINION_HAS_SPARE_PART;",
             "#define PINION_SPARE_DEFAULT other_spare",
             "#define PINION_SPARE_DEFAULT_HEADER <pinion/spare_part/kind/other_spare.hpp>",
             "#define PINION_SPARE_LOUD 1")
    return "\n".join(f"config.hpp has no line `{line}`" for line in lines if line not in config.splitlines())


def _tables(copy: pathlib.Path, touched: set[str]) -> str | None:
    """What is missing from what tools/mend has written."""
    wanted = {
        "README.md": ("| [spare_part](spare_part/README.md) | `PINION_SPARE_PART` "
                      "| `plain_spare`, `other_spare` | a part to throw away |",
                      "| `PINION_SPARE_LOUD` | Loudness 2 |"),
        "docs/building.md": ("| `PINION_SPARE_LOUD` | `ON` `OFF` | `OFF` | a spare part that is heard |",),
        "docs/packages.md": ("| `PINION_SPARE_PART` | `ON` `OFF` | `spare_part`: `True` `False` "
                             "| feature `spare-part` |",
                             "| `PINION_SPARE_LOUD` | `ON` `OFF` | not offered | not offered |"),
        "modules/base.cppm": ("using pinion::has_spare_part;",),
        "ports/pinion/vcpkg.json": ('    "spare-part": {', '    "spare-part",'),
        "test_package/base.cpp": ("  static_assert(pinion::has_spare_part == EXPECTED_SPARE_PART);",),
    }
    wrong = [f"{name} has no line `{line}`" for name, lines in wanted.items() for line in lines
             if line not in (copy / name).read_text(encoding="utf-8").splitlines()]
    wrong += [f"tools/mend wrote {name} as well" for name in sorted(touched - wanted.keys())]
    return "\n".join(wrong)


def _may_include(copy: pathlib.Path) -> str | None:
    texts = {name: "" for name in tree.files()}
    texts[parts.FILE] = (copy / parts.FILE).read_text(encoding="utf-8")
    path = "spare_part/src/spare_part.cpp"
    includes = "#include <pinion/timer.hpp>\n#include <pinion/base.hpp>\n"
    found = style_cxx.part_dependencies(path, includes, texts)
    refused = style_cxx.part_dependencies(path, "#include <pinion/waker.hpp>\n", texts)
    return "\n".join([*found, *([] if refused else ["it may include waker, which it does not link"])])
