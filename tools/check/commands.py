# SPDX-License-Identifier: Apache-2.0
"""Running a program with all that it prints in a log, and picking from a log what explains a failure."""

import contextlib
import dataclasses
import os
import pathlib
import re
import select
import shlex
import signal
import subprocess
import threading
import time

from check import build_lock, tree

LINES_SHOWN = 40
SECONDS_MAX = 900  # for every command that has no limit of its own: what hangs is to be told, not waited for
SECONDS_TO_END = 5
_INTERRUPTS = signal.SIGINT, signal.SIGTERM, signal.SIGHUP
TIMED_OUT = 124  # the status of what was stopped, as `timeout` has it
_EXPLAINS = re.compile(r"error:|^stopped: not done|^ended by signal|CMake Error|^FAILED:|undefined reference|Traceback|Sanitizer|^E: ",
                       re.MULTILINE)

# What a developer's shell may hold that would make two machines build two different things.
_UNWANTED = ("CC", "CXX", "CFLAGS", "CXXFLAGS", "CPPFLAGS", "LDFLAGS", "DESTDIR", "CMAKE_GENERATOR",
             "CMAKE_BUILD_TYPE", "CMAKE_TOOLCHAIN_FILE", "CMAKE_CXX_COMPILER_LAUNCHER", "CTEST_PARALLEL_LEVEL")
# What would make GoogleTest leave out cases: GTEST_FILTER, GTEST_TOTAL_SHARDS, TEST_SHARD_INDEX and more.
_UNWANTED_OF_TESTS = ("GTEST_", "TEST_")


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
    result = {name: value for name, value in os.environ.items()
              if name not in _UNWANTED and not name.startswith(_UNWANTED_OF_TESTS)}
    result["PATH"] = os.pathsep.join([*map(str, folders), result.get("PATH", os.defpath)])
    return result


def raise_interrupts() -> None:
    """Has each interrupt raised as KeyboardInterrupt, also the end of the terminal: commands are in sessions
    of their own, which do not end with it. A signal that this program's starter ignores (nohup) stays
    ignored."""
    for number in _INTERRUPTS:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler)


@contextlib.contextmanager
def _interrupts_wait():
    """Has an interrupt that comes inside this `with` raised at its end. Only the main thread is
    interrupted."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    arrived = []
    before = {number: signal.signal(number, lambda number, _: arrived.append(number)) for number in _INTERRUPTS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    for number in arrived:
        signal.raise_signal(number)


class Stopped(Exception):
    """The whole run ends: no command begins any more, and those that ran have been ended."""


class _Running:
    """All commands that run now, in whichever thread, so that an interrupt can end them."""

    def __init__(self):
        self._lock = threading.Lock()
        self._children: set[subprocess.Popen] = set()
        self._is_stopping = False

    def begin(self, *arguments, **options) -> subprocess.Popen:
        with self._lock:
            if self._is_stopping:
                raise Stopped
            child = subprocess.Popen(*arguments, **options)
            self._children.add(child)
            return child

    def ended(self, child: subprocess.Popen) -> None:
        with self._lock:
            self._children.discard(child)
            if self._is_stopping:
                raise Stopped

    def stop(self, number: int) -> None:
        with self._lock:
            self._is_stopping = True
            for child in self._children:
                _signal(child, number)


_running = _Running()


def stop_all(is_urgent: bool) -> None:
    """No command begins any more; those that run in other threads are asked to end, or, if it is urgent,
    killed."""
    _running.stop(signal.SIGKILL if is_urgent else signal.SIGTERM)


_counting = threading.Lock()


class Log:
    """The log of one configuration, build/logs/NAME.log; created by the first thing written to it."""

    def __init__(self, name: str):
        self.path = tree.LOGS / f"{name}.log"
        self.processor_seconds = 0.0  # what the commands took until now, all that they started included
        self._begun = False

    def run(self, command, *, cwd=None, env=None, timeout=SECONDS_MAX, user=None) -> Finished:
        """Runs a command to its end, its output in the log and returned. Never raises for what the command
        does.

        After `timeout` seconds the command and all that it started is stopped. Where that or a signal ended the
        command, the output ends with words on it.
        """
        self.write(f"$ {shlex.join(map(str, command))}\n")
        begin = time.monotonic()
        with open(self.path, "r+b") as file:
            start = file.seek(0, os.SEEK_END)
            status, cost = _run(command, file, cwd or tree.ROOT, env, timeout, user)
            file.seek(start)
            output = file.read().decode("utf-8", errors="replace")
        self.processor_seconds += cost
        self.write(f"# {time.monotonic() - begin:.1f} s, {cost:.1f} s of processors\n")
        if status is None:
            self.write(note := f"\nstopped: not done after {timeout} seconds\n")
            return Finished(TIMED_OUT, output + note)
        if status < 0:
            self.write(note := f"\nended by signal {-status} ({signal.strsignal(-status)})\n")
            return Finished(status, output + note)
        return Finished(status, output)

    def add(self, other: "Log") -> None:
        """Counts what another log's commands took as this one's own."""
        with _counting:
            self.processor_seconds += other.processor_seconds

    def write(self, text: str) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with open(self.path, "a" if self._begun else "w", encoding="utf-8") as file:
            file.write(text)
        self._begun = True


def _run(command, file, cwd, env, timeout, user) -> tuple[int | None, float]:
    """The exit status, None after a time-out, and the seconds of processors. Whatever happens, nothing that
    was started is left running."""
    is_late, child, used = False, None, None
    try:
        with _interrupts_wait():  # so that the command has not begun, or is ended below
            # A session of its own, so that an interrupt ends the whole family of a build, not only its head.
            child = _running.begin([*map(str, command)], stdin=subprocess.DEVNULL, stdout=file, cwd=cwd, env=env,
                                   stderr=subprocess.STDOUT, user=user, start_new_session=True,
                                   pass_fds=build_lock.descriptors)
        used = _wait(child, timeout)
        if used is None:
            is_late, used = True, _end(child)
    except OSError as error:
        if child is not None:
            raise
        file.write(f"{command[0]}: {error.strerror}\n".encode())
        file.flush()
        return 127, 0.0
    finally:
        if child is not None:
            if used is None:
                _end(child)
            _running.ended(child)
    return None if is_late else child.returncode, used.ru_utime + used.ru_stime


def _wait(child: subprocess.Popen, timeout: float | None):
    """Waits for the end of the child and returns what it used; None where that takes longer than the timeout.

    Popen.wait() does not tell what was used, and RUSAGE_CHILDREN tells it of all threads' children together.
    """
    descriptor = os.pidfd_open(child.pid)
    try:
        poll = select.poll()
        poll.register(descriptor, select.POLLIN)
        if not poll.poll(None if timeout is None else timeout * 1000):
            return None
    finally:
        os.close(descriptor)
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    return used


def _end(child: subprocess.Popen):
    """Ends the child and all that it started; what it used."""
    # Asked first: Ninja ends its compilers, which are in groups of their own, when it is asked, not when it
    # is killed.
    _signal(child, signal.SIGTERM)
    if (used := _wait(child, SECONDS_TO_END)) is None:
        _signal(child, signal.SIGKILL)
        used = _wait(child, None)
    return used


def _signal(child: subprocess.Popen, number: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, number)


def relevant(output: str) -> str:
    """The lines of a log that explain a failure: from the first one that names an error, else the last
    ones."""
    lines = output.rstrip().splitlines()
    first = next((number for number, line in enumerate(lines) if _EXPLAINS.search(line)), None)
    if first is None:
        return "\n".join(lines[-LINES_SHOWN:])
    more = ["..."] if len(lines) > first + LINES_SHOWN else []
    return "\n".join(lines[first:first + LINES_SHOWN] + more)
