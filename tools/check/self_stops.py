# SPDX-License-Identifier: Apache-2.0
"""How a run ends before its time: its commands end with it, and those of a killed run are named to the next.

Each proof is a program of its own, because a run that stops is stopped for good.
"""

import os
import pathlib
import select
import signal
import subprocess
import sys
import time

from check import tree
from check.execution import Run
from check.results import Test, verdict

_SECONDS = 60  # within which each program is to end; the commands that it begins would take longer
_HEAD = """import pathlib, signal, subprocess, sys, time
sys.path[:0] = [sys.argv[1]]
from check import build_lock, commands, execution, tree
from check.execution import Configuration
folder = tree.ROOT = pathlib.Path(sys.argv[2])
tree.LOGS = folder / "logs"
"""
_FAULT = """
def lasts(run):
    run.log.run(["sh", "-c", f"echo > {folder}/begun; exec sleep 100"])
    return []
def fails(run):
    while not (folder / "begun").exists():
        time.sleep(0.01)
    raise ZeroDivisionError
rows = [Configuration(function.__name__, "", frozenset(), function) for function in (lasts, fails)]
execution.execute(rows, jobs=2)
"""
# Where ./check runs in the background of a shell without job control, the program inherits that SIGINT is ignored.
_INTERRUPT = """
signal.signal(signal.SIGINT, signal.default_int_handler)
class Interrupted(subprocess.Popen):
    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        pathlib.Path(folder / "begun").write_text(str(self.pid))
        signal.raise_signal(signal.SIGINT)
subprocess.Popen = Interrupted
try:
    commands.Log("interrupted").run(["sleep", "100"])
except KeyboardInterrupt:
    print("it was interrupted")
"""
_HOLD = """
with build_lock.hold("./check"):
    commands.Log("held").run(["sh", "-c", f"echo $$ > {folder}/begun; exec sleep 100"])
"""
_TRY = """
try:
    with build_lock.hold("./check"):
        print("it began")
except build_lock.Busy as busy:
    print(busy)
"""


def run(run: Run, folder: pathlib.Path) -> list[Test]:
    run.progress("ends before the time")
    return [verdict(f"self: {name}", proof(run, _made(folder / proof.__name__))) for name, proof in (
        ("a fault of one configuration ends the one beside it", _fault),
        ("an interrupt ends also what has only just begun", _interrupt),
        ("what a killed run leaves behind keeps build/ to itself, and is named", _killed),
    )]


def _made(folder: pathlib.Path) -> pathlib.Path:
    folder.mkdir()
    return folder


def _command(program: str, folder: pathlib.Path) -> list:
    return [sys.executable, "-B", "-c", _HEAD + program, tree.ROOT / "tools", folder]


def _fault(run: Run, folder: pathlib.Path) -> str | None:
    result = run.log.run(_command(_FAULT, folder), timeout=_SECONDS)
    return None if result.status == 1 and "ZeroDivisionError" in result.output else f"{result}"


def _interrupt(run: Run, folder: pathlib.Path) -> str | None:
    result = run.log.run(_command(_INTERRUPT, folder), timeout=_SECONDS)
    if "it was interrupted" not in result.output:
        return f"{result}"
    return f"the command goes on:\n{result.output}" if _ended(_process(folder)) else None


def _killed(run: Run, folder: pathlib.Path) -> str | None:
    holder = subprocess.Popen(_command(_HOLD, folder), stdin=subprocess.DEVNULL)
    try:
        process = _process(folder)
    finally:
        holder.kill()
        holder.wait()
    meanwhile = run.log.run(_command(_TRY, folder)).output
    if not _ended(process):
        return f"the command did not go on when its run was killed; a second run said: {meanwhile}"
    afterwards = run.log.run(_command(_TRY, folder)).output
    if f"process {process} (" in meanwhile and afterwards == "it began\n":
        return None
    return f"while the command went on a run said: {meanwhile}afterwards: {afterwards}"


def _process(folder: pathlib.Path) -> int:
    """The command's process, as soon as the command has written its number."""
    for _ in range(_SECONDS * 100):
        if (folder / "begun").exists() and (told := (folder / "begun").read_text(encoding="utf-8")):
            return int(told)
        time.sleep(0.01)
    raise TimeoutError("the command did not begin")


def _ended(process: int) -> bool:
    """Ends the process, where it still runs; whether it still ran."""
    try:
        descriptor = os.pidfd_open(process)
    except ProcessLookupError:
        return False
    try:
        signal.pidfd_send_signal(descriptor, signal.SIGKILL)
        select.select([descriptor], [], [], _SECONDS)
    finally:
        os.close(descriptor)
    return True
