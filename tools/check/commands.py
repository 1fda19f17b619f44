# SPDX-License-Identifier: Apache-2.0
"""Running a program with all that it prints in a log, and picking from a log what explains a failure."""

import dataclasses
import os
import pathlib
import re
import resource
import shlex
import signal
import subprocess
import time

from check import tree

LINES_SHOWN = 40
SECONDS_MAX = 900  # for every command that has no limit of its own: what hangs is to be told, not waited for
SECONDS_TO_END = 5
TIMED_OUT = 124  # the status of what was stopped, as `timeout` has it
_EXPLAINS = re.compile(r"error:|^stopped: not done|CMake Error|^FAILED:|undefined reference|Traceback|Sanitizer|^E: ", re.MULTILINE)

# What a developer's shell may hold that would make two machines build two different things.
_UNWANTED = ("CC", "CXX", "CFLAGS", "CXXFLAGS", "CPPFLAGS", "LDFLAGS", "DESTDIR", "CMAKE_GENERATOR",
             "CMAKE_BUILD_TYPE", "CMAKE_TOOLCHAIN_FILE", "CMAKE_CXX_COMPILER_LAUNCHER", "CTEST_PARALLEL_LEVEL")


class StepFailed(Exception):
    """A step without which its configuration can't go on; str() says what went wrong."""


@dataclasses.dataclass(frozen=True)
class Finished:
    status: int
    output: str

    @property
    def ok(self) -> bool:
        return self.status == 0


def environment(*folders: pathlib.Path) -> dict[str, str]:
    """The environment for a build: this one, without what would change it, `folders` first on PATH."""
    result = {name: value for name, value in os.environ.items() if name not in _UNWANTED}
    result["PATH"] = os.pathsep.join([*map(str, folders), result.get("PATH", os.defpath)])
    return result


class Log:
    """The log of one configuration, build/logs/NAME.log; created by the first thing written to it."""

    def __init__(self, name: str):
        self.path = tree.LOGS / f"{name}.log"
        self._begun = False

    def run(self, command, *, cwd=None, env=None, timeout=SECONDS_MAX, user=None) -> Finished:
        """Runs a command to its end, its output in the log and returned. Never raises for what the command does.

        After `timeout` seconds the command and all that it started is stopped, and the output ends with words on that.
        """
        self.write(f"$ {shlex.join(map(str, command))}\n")
        begin, cost = time.monotonic(), _processor_seconds()
        with open(self.path, "r+b") as file:
            start = file.seek(0, os.SEEK_END)
            status = _run(command, file, cwd or tree.ROOT, env, timeout, user)
            file.seek(start)
            output = file.read().decode("utf-8", errors="replace")
        self.write(f"# {time.monotonic() - begin:.1f} s, {_processor_seconds() - cost:.1f} s of processors\n")
        if status is None:
            self.write(note := f"\nstopped: not done after {timeout} seconds\n")
            return Finished(TIMED_OUT, output + note)
        return Finished(status, output)

    def write(self, text: str) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with open(self.path, "a" if self._begun else "w", encoding="utf-8") as file:
            file.write(text)
        self._begun = True


def _processor_seconds() -> float:
    """What all processes took that this one started and that ended; beside others, theirs is among it."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _run(command, file, cwd, env, timeout, user) -> int | None:
    """The exit status; None after a time-out. Whatever happens, nothing that was started is left running."""
    try:
        # A session of its own, so that an interrupt ends the whole family of a build, not only its head.
        child = subprocess.Popen([*map(str, command)], stdin=subprocess.DEVNULL, stdout=file,
                                 stderr=subprocess.STDOUT, cwd=cwd, env=env, user=user, start_new_session=True)
    except OSError as error:
        file.write(f"{command[0]}: {error.strerror}\n".encode())
        file.flush()
        return 127
    try:
        return child.wait(timeout)
    except subprocess.TimeoutExpired:
        return None
    finally:
        if child.returncode is None:
            _end(child)


def _end(child: subprocess.Popen) -> None:
    # Asked first: Ninja ends its compilers, which are in groups of their own, when it is asked, not when it is killed.
    os.killpg(child.pid, signal.SIGTERM)
    try:
        child.wait(SECONDS_TO_END)
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()


def relevant(output: str) -> str:
    """The lines of a log that explain a failure: from the first one that names an error, else the last ones."""
    lines = output.rstrip().splitlines()
    first = next((number for number, line in enumerate(lines) if _EXPLAINS.search(line)), None)
    if first is None:
        return "\n".join(lines[-LINES_SHOWN:])
    more = ["..."] if len(lines) > first + LINES_SHOWN else []
    return "\n".join(lines[first:first + LINES_SHOWN] + more)
