# SPDX-License-Identifier: Apache-2.0
"""A fault in cmake/parts.json: CMake and Python refuse it in the same sentence, before anything is built."""

import json
import pathlib
import re
import shutil

import parts
from check import catalogue, commands, tree
from check.execution import Run
from check.python_tools import CMAKE
from check.results import Test, verdict


def _part(name: str, /, **changes):
    """A change of the file: of one part."""
    def change(file: dict) -> None:
        next(part for part in (*file["parts"], *file["hosts"]) if part["name"] == name).update(changes)

    return change


def _option(name: str, /, **changes):
    """Of the first option of a part."""
    def change(file: dict) -> None:
        next(part for part in file["parts"] if part["name"] == name)["options"][0].update(changes)

    return change


def _new_part(entry):
    return lambda file: file["parts"].append(entry)


# A fault: a change of the file, and words that the answer has to hold.
FAULTS = {
    "an unknown key": (_part("timer", lnks=["base"]), ("timer", "lnks", "links")),
    "an unknown key of an option": (_option("timer", value=[]), ("value", "values")),
    "an unknown key of a package": (_part("sim", requires=[{"conn": "x"}]), ("sim", "conn", "conan")),
    "an unknown key of the file": (lambda file: file.update(pars=[]), ("pars", "parts")),
    "a package that nothing finds": (_part("sim", requires=[{"target": "x"}]), ("sim", "package", "pkg_config")),
    "a package without its target": (_part("sim", requires=[{"package": "x"}]), ("sim", "target", "pkg_config")),
    "a package found twice": (_part("sim", requires=[{"package": "x", "target": "x", "pkg_config": "x"}]),
                              ("sim", "target", "pkg_config")),
    "another kind of value": (_part("timer", links="base"), ("links", "STRING", "ARRAY")),
    "a part without a name": (_new_part({"what": "x"}), ("name", "links")),
    "a part that is no object": (_new_part("loop"), ("object", "name")),
    "a part with an empty name": (_new_part({"name": "", "what": "x"}), ('""', "part", "letter")),
    "a part of a name that is none": (_new_part({"name": "a;b", "what": "x"}), ("a;b", "part", "letter")),
    "a part twice": (_new_part({"name": "timer", "what": "x"}), ("another", "timer")),
    "an option twice": (_option("waker", name="PINION_TIMER_DEFAULT"), ("PINION_TIMER_DEFAULT", "another")),
    "an option of another's name": (_option("timer", name="TIMER"), ("TIMER", "PINION_")),
    "an option named as an earlier part's switch": (_option("waker", name="PINION_TIMER"), ("PINION_TIMER", "another")),
    "an option named as a later part's switch": (_option("timer", name="PINION_WAKER"), ("PINION_WAKER", "another")),
    "an option named as a macro": (_option("timer", name="PINION_CHECKED"), ("PINION_CHECKED", "reserved")),
    "an option named as a part's macro": (_option("timer", name="PINION_HAS_SIM"), ("PINION_HAS_SIM", "reserved")),
    "a value of two": (_option("waker", values=["tagged_inbox", "a;b"]), ("waker", "entry 1", "values")),
    "an empty value": (_option("waker", values=["tagged_inbox", ""]), ("waker", "entry 1", "values")),
    "a value that is a number": (_option("waker", values=["tagged_inbox", 1]), ("waker", "entry 1", "values")),
    "a value twice": (_option("waker", values=["tagged_inbox", "tagged_inbox"]), ("waker", "entry 1", "values")),
    "two links in one": (_part("asio", links=["preempt;timer"]), ("asio", "entry 0", "links")),
    "a switch turned round": (_option("waker", values=["OFF", "ON"], default="ON"), ("PINION_INBOX_DEFAULT", "ON OFF")),
    "nothing required": (lambda file: file["parts"][0].pop("required"), ("required", "base")),
    "two parts required": (_part("timer", required=True), ("required", "base")),
    "keys of options missing": (lambda file: file["keys"].pop("option"), ("keys", "option")),
    "keys that are none": (lambda file: file.update(keys=[]), ("keys", "all")),
    "an unknown part in links": (_part("asio", links=["premept"]), ("premept", "preempt")),
    "a circle": (lambda file: (_part("timer", links=["waker"])(file), _part("waker", links=["timer"])(file)),
                 ("timer", "waker", "circle")),
    "a part that links itself": (_part("sim", links=["sim"]), ("sim", "circle")),
    "a part without its folder": (_new_part({"name": "loop", "what": "x"}), ("loop/CMakeLists.txt",)),
    "a backend without its header": (_option("timer", values=["no_wheel"], default="no_wheel"),
                                     ("no_wheel.hpp", "timer/include", "there are 0")),
    "a default that is no value": (_option("waker", default="inbox"),
                                   ("PINION_INBOX_DEFAULT", "inbox", "tagged_inbox")),
    "tools without a compiler": (lambda file: file["tools"]["modules"].pop("clang"),
                                 ("modules", "clang", "gcc")),
}


def run(run: Run, folder: pathlib.Path) -> list[Test]:
    run.progress("faults of cmake/parts.json")
    shutil.copytree(tree.ROOT / "cmake", folder / "cmake")
    folders = {part.folder.split("/")[0] for part in catalogue.read().everything}
    for name in (*folders, "modules", "CMakeLists.txt"):
        (folder / name).symlink_to(tree.ROOT / name)
    tests = [verdict(f"bad input: parts.json: {name}", _wrong_answer(run, folder, *fault))
             for name, fault in FAULTS.items()]
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
    result = run.log.run(["cmake", "-P", folder / "cmake" / "parts.cmake"],
                         env=commands.environment(CMAKE.programs))
    message = re.search(r"\(message\):\n(.*?)\nCall Stack", result.output, re.DOTALL)
    return " ".join(message.group(1).split()) if message and result.output.count("CMake Error") == 1 else None


def _wrong_build(run: Run, folder: pathlib.Path) -> str | None:
    result = run.log.run(["cmake", "-S", folder, "-B", folder / "build", "-G", "Ninja"],
                         env=commands.environment(CMAKE.programs))
    if result.ok or (folder / "build" / "build.ninja").exists():
        return "a build was made that one could start"
    return None if "parts.json" in result.output else commands.relevant(result.output)
