# SPDX-License-Identifier: Apache-2.0
"""Where things are: the tree, its build directory, and the files that belong to the tree."""

import os
import pathlib
import shutil
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "build"
LOGS = BUILD / "logs"
TOOLS = BUILD / "tools"

# Folders that git ignores; needed only where git can't be asked.
_NOT_OURS = {".git", "build", "out", "__pycache__"}


def relative(path: pathlib.Path) -> str:
    """The path as it is printed: from the root of the tree where it lies inside."""
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else str(path)


def processors() -> int:
    """How many processors this program may use, which in a container is fewer than there are."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _git(*arguments: str) -> str | None:
    """What git says about this tree; None where there is no git or the tree is no checkout of its own."""
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        return None
    # The tree may belong to another user than the one who runs this; git asks to be told that this is meant.
    command = ["git", "-c", f"safe.directory={ROOT}", "-C", str(ROOT), *arguments]
    result = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    return result.stdout if result.returncode == 0 else None


def status() -> str | None:
    """What differs from the last commit, as `git status --porcelain` puts it; None outside a checkout."""
    return _git("status", "--porcelain")


def files() -> list[str]:
    """Every file of the tree that git tracks or would track, relative to the root, sorted."""
    listed = _git("ls-files", "-z", "--cached", "--others", "--exclude-standard")
    if listed is not None:
        names = [name for name in listed.split("\0") if name]
    else:
        names = []
        for folder, folders, entries in os.walk(ROOT):
            folders[:] = [name for name in folders if name not in _NOT_OURS]
            names += [str((pathlib.Path(folder) / entry).relative_to(ROOT)) for entry in entries]
    return sorted({name for name in names if (ROOT / name).is_file()})


def texts() -> dict[str, str]:
    """Every text file of the tree: path -> text. What is not UTF-8 is not text."""
    result = {}
    for name in files():
        try:
            result[name] = (ROOT / name).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
    return result
