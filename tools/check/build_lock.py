# SPDX-License-Identifier: Apache-2.0
"""One run at a time in a tree: a ./check or ./demo that finds another one using build/ is refused, and told
which.

The lock is on the folder of the tree itself, so a refused run leaves nothing behind. The commands of a run
have the lock's descriptor, too. So the lock is free when the run ends in order, and where it is killed, when
the last of its commands has ended. A run that another run starts in the same tree works under the lock of its
starter.
"""

import contextlib
import fcntl
import os
import pathlib
import textwrap

from check import tree

_HELD = "PINION_CHECK_HOLDS"  # the tree that a run which started this one has locked
_HIGH = 200  # the least number of the lock's descriptor: the low ones are free for what a command opens
descriptors: tuple[int, ...] = ()  # for each command that a run begins


class Busy(Exception):
    """Another run works in this tree; str() is one sentence that says which."""


@contextlib.contextmanager
def hold(program: str):
    """Locks the tree for `program`, as it is called on the command line. Raises Busy."""
    if os.environ.get(_HELD) == str(tree.ROOT):
        yield
        return
    global descriptors
    opened = os.open(tree.ROOT, os.O_RDONLY | os.O_DIRECTORY)
    folder = fcntl.fcntl(opened, fcntl.F_DUPFD_CLOEXEC, _HIGH)
    os.close(opened)
    try:
        try:
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Busy(f"{program} can't begin: {_holder(folder)} is using build/, which takes one run at a time; wait "
                       "for its end, or end it") from None
        os.environ[_HELD] = str(tree.ROOT)
        descriptors = (folder,)
        yield
    finally:
        descriptors = ()
        os.environ.pop(_HELD, None)
        fcntl.flock(folder, fcntl.LOCK_UN)
        os.close(folder)


def _holder(folder: int) -> str:
    """The process that has the lock, by its command line, as far as this system tells; a process that it
    began, where the first one was killed."""
    inode = os.fstat(folder).st_ino
    with contextlib.suppress(OSError):
        for line in pathlib.Path("/proc/locks").read_text(encoding="ascii").splitlines():
            # 1: FLOCK  ADVISORY  WRITE 4711 08:01:131073 0 EOF; a process that waits has `->` behind the
            # number
            words = line.split()
            if words[1] == "FLOCK" and words[4].isdigit() and words[5].rsplit(":", 1)[1] == str(inode):
                if pathlib.Path("/proc", words[4]).exists():
                    return f"process {words[4]}{_command(words[4])}"
                for heir in _opened(folder):
                    return f"process {heir}{_command(heir)}, left behind by a run that was killed,"
    return "another run of ./check or ./demo"


def _opened(folder: int) -> list[str]:
    """The other processes that have the folder open."""
    found = []
    for name in pathlib.Path("/proc").glob("[0-9]*/fd/*"):
        with contextlib.suppress(OSError):
            if os.path.samestat(name.stat(), os.fstat(folder)) and name.parts[2] != str(os.getpid()):
                found.append(name.parts[2])
    return found


def _command(process: str) -> str:
    with contextlib.suppress(OSError):
        words = pathlib.Path("/proc", process, "cmdline").read_bytes().decode(errors="replace").replace("\0", " ")
        return f" ({textwrap.shorten(words, 100)})"
    return ""
