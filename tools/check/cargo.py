# SPDX-License-Identifier: Apache-2.0
"""The Rust workspace of bench/peers: built by cargo into build/peers. Cargo is not installed for it: Debian's is too old."""

import pathlib
import re
import shutil
import subprocess

from check import commands, tree
from check.commands import StepFailed

SOURCE = tree.ROOT / "bench" / "peers"
TARGET = tree.BUILD / "peers"
OLDEST = (1, 94)  # what the youngest of the crates asks for
SECONDS_TO_BUILD = 900


def why_not() -> str | None:
    """Why the workspace can't be built here; None where it can."""
    needed = f"takes cargo {'.'.join(map(str, OLDEST))} or newer, from Rust's own installer (rustup)"
    if shutil.which("cargo") is None:
        return f"{needed}; there is none on PATH"
    told = subprocess.run(["cargo", "--version"], capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    version = re.search(r"(\d+)\.(\d+)", told.stdout)
    if version is None:
        return f"{needed}; the one on PATH doesn't tell its version"
    if (int(version[1]), int(version[2])) < OLDEST:
        return f"{needed}; this is {version[0]}"
    return None


def build(run) -> None:
    """Fetches the crates the first time. StepFailed."""
    run.progress("building the peers in Rust")
    environment = commands.environment() | {"CARGO_TARGET_DIR": str(TARGET)}
    result = run.log.run(["cargo", "build", "--release", "--jobs", run.jobs], cwd=SOURCE, env=environment,
                         timeout=SECONDS_TO_BUILD)
    if not result.ok:
        raise StepFailed(commands.relevant(result.output))


def program(name: str) -> pathlib.Path:
    return TARGET / "release" / name
