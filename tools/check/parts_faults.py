# SPDX-License-Identifier: Apache-2.0
"""A cmake/parts.json with a fault in it is refused by CMake and by Python, in the same sentence, before anything is built."""

import json
import pathlib
import re
import shutil

import parts
from check import catalogue, commands, tree
from check.execution import Run
from check.python_tools import CMAKE
from check.results import Test, verdict


def _of(file: dict, name: str) -> dict:
    return next(part for part in (*file["parts"], *file["hosts"]) if part["name"] == name)


# What is done to the file, and words that the answer has to hold.
FAULTS = {
    "an unknown key": (lambda file: _of(file, "timer").update(lnks=["base"]), ("timer", "lnks", "links")),
    "an unknown key of an option": (lambda file: _of(file, "timer")["options"][0].update(value=[]), ("value", "values")),
    "an unknown key of a package": (lambda file: _of(file, "base")["requires"][0].update(conn="x"), ("conn", "conan")),
    "an unknown key of the file": (lambda file: file.update(pars=[]), ("pars", "parts")),
    "another kind of value": (lambda file: _of(file, "timer").update(links="base"), ("links", "STRING", "ARRAY")),
    "a part without a name": (lambda file: file["parts"].append({"what": "x"}), ("name", "links")),
    "a part that is no object": (lambda file: file["parts"].append("loop"), ("object", "name")),
    "a part twice": (lambda file: file["parts"].append(_of(file, "timer") | {"options": []}), ("two", "timer")),
    "an option twice": (lambda file: file["options"].append(file["options"][0]), ("PINION_MODULES", "another")),
    "an option of another's name": (lambda file: file["options"][0].update(name="MODULES"), ("MODULES", "PINION_")),
    "an unknown part in links": (lambda file: _of(file, "asio").update(links=["premept"]), ("premept", "preempt")),
    "a circle": (lambda file: _of(file, "timer").update(links=["asio"]) or _of(file, "asio").update(links=["timer"]),
                 ("timer", "asio", "circle")),
    "a part that links itself": (lambda file: _of(file, "sim").update(links=["sim"]), ("sim", "circle")),
    "a part without its folder": (lambda file: file["parts"].append({"name": "loop", "what": "x"}), ("loop/CMakeLists.txt",)),
    "a backend without its header": (lambda file: _of(file, "timer")["options"][0]["values"].append("no_wheel"),
                                     ("no_wheel.hpp", "timer/include", "there are 0")),
    "a default that is no value": (lambda file: _of(file, "waker")["options"][0].update(default="inbox"),
                                   ("PINION_INBOX_DEFAULT", "inbox", "tagged_inbox")),
    "tools without a compiler": (lambda file: file["tools"]["modules"].pop("clang"), ("modules", "clang", "gcc")),
}


def run(run: Run, folder: pathlib.Path) -> list[Test]:
    run.progress("faults of cmake/parts.json")
    shutil.copytree(tree.ROOT / "cmake", folder / "cmake")
    for name in (*(part.folder.split("/")[0] for part in catalogue.read().everything), "modules", "CMakeLists.txt"):
        if not (folder / name).exists():
            (folder / name).symlink_to(tree.ROOT / name)
    tests = [verdict(f"bad input: parts.json: {name}", _wrong_answer(run, folder, *fault)) for name, fault in FAULTS.items()]
    (folder / parts.FILE).write_text("{", encoding="utf-8")
    wrong = [] if _said_by_python(folder) else ["Python accepts it"]
    wrong += [] if "parts.json" in (_said_by_cmake(run, folder) or "") else ["CMake accepts it"]
    return [*tests, verdict("bad input: parts.json: no JSON", "; ".join(wrong)),
            verdict("bad input: parts.json: nothing is built", _wrong_build(run, folder))]


def _wrong_answer(run: Run, folder: pathlib.Path, change, told: tuple[str, ...]) -> str | None:
    file = json.loads((tree.ROOT / parts.FILE).read_text(encoding="utf-8"))
    change(file)
    (folder / parts.FILE).write_text(json.dumps(file), encoding="utf-8")
    by_python, by_cmake = _said_by_python(folder), _said_by_cmake(run, folder)
    if by_python is None or by_cmake is None or by_python != by_cmake:
        return f"Python says: {by_python}\nCMake says: {by_cmake}"
    unsaid = [word for word in told if word not in by_python]
    return f"it doesn't say {unsaid}: {by_python}" if unsaid else None


def _said_by_python(folder: pathlib.Path) -> str | None:
    try:
        parts.read_tree(folder)
    except parts.Wrong as reason:
        return str(reason)
    return None


def _said_by_cmake(run: Run, folder: pathlib.Path) -> str | None:
    result = run.log.run(["cmake", "-P", folder / "cmake" / "parts.cmake"], env=commands.environment(CMAKE.programs))
    message = re.search(r"\(message\):\n(.*?)\nCall Stack", result.output, re.DOTALL)
    return " ".join(message.group(1).split()) if message and result.output.count("CMake Error") == 1 else None


def _wrong_build(run: Run, folder: pathlib.Path) -> str | None:
    result = run.log.run(["cmake", "-S", folder, "-B", folder / "build", "-G", "Ninja"],
                         env=commands.environment(CMAKE.programs))
    if result.ok or (folder / "build" / "build.ninja").exists():
        return "a build was made that one could start"
    return None if "parts.json" in result.output else commands.relevant(result.output)
