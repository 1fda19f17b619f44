# SPDX-License-Identifier: Apache-2.0
"""One run at a time in a tree: a ./check or ./demo that finds another one using build/ is refused, and told which.

The lock is on the folder of the tree itself: a refused run leaves nothing behind, and the system frees the lock when
its holder ends, however it ends. A run that another run starts in the same tree works under the lock of its starter.
"""

import contextlib
import fcntl
import os
import pathlib
import textwrap

from check import tree

_HELD = "PINION_CHECK_HOLDS"  # the tree that a run which started this one has locked


class Busy(Exception):
    """Another run works in this tree; str() is one sentence that says which."""


@contextlib.contextmanager
def hold(program: str):
    """Locks the tree for `program`, as it is called on the command line. Raises Busy."""
    if os.environ.get(_HELD) == str(tree.ROOT):
        yield
        return
    folder = os.open(tree.ROOT, os.O_RDONLY | os.O_DIRECTORY)
    try:
        try:
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Busy(f"{program} can't begin: {_holder(folder)} is using build/, which takes one run at a time; wait "
                       "for its end, or end it") from None
        os.environ[_HELD] = str(tree.ROOT)
        yield
    finally:
        os.environ.pop(_HELD, None)
        os.close(folder)


def _holder(folder: int) -> str:
    """The process that has the lock, by its command line, as far as this system tells."""
    inode = os.fstat(folder).st_ino
    with contextlib.suppress(OSError):
        for line in pathlib.Path("/proc/locks").read_text(encoding="ascii").splitlines():
            # 1: FLOCK  ADVISORY  WRITE 4711 08:01:131073 0 EOF; a process that waits has `->` behind the number
            words = line.split()
            if words[1] == "FLOCK" and words[4].isdigit() and words[5].rsplit(":", 1)[1] == str(inode):
                return f"process {words[4]}{_command(words[4])}"
    return "another run of ./check or ./demo"


def _command(process: str) -> str:
    with contextlib.suppress(OSError):
        words = pathlib.Path("/proc", process, "cmdline").read_bytes().decode(errors="replace").replace("\0", " ")
        return f" ({textwrap.shorten(words, 100)})"
    return ""
