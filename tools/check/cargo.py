# SPDX-License-Identifier: Apache-2.0
"""The Rust workspace of bench/peers: built by cargo into build/peers. Cargo is not installed for it: Debian's
is too old.

Every crate has the version and the checksum of bench/peers/versions.lock. Cargo wants them in a Cargo.lock
beside Cargo.toml, with the registry at each. That file is written here, and git ignores it. The registry's
name is what cargo wrote into the first one.
"""

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
VERSIONS, LOCK = SOURCE / "versions.lock", SOURCE / "Cargo.lock"
_HEAD = """# SPDX-License-Identifier: Apache-2.0
#
# Every crate that the peers are built from, also those that they need in turn: its version and the checksum
# of its source. It is cargo's own Cargo.lock without the line that says where crates come from;
# tools/check/cargo.py adds that line, and builds with --locked. To renew: delete this file, run `./check
# peers`, and commit the file that it then writes.
"""
_SOURCE = re.compile(r'^source = ".*"\n', re.MULTILINE)


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
    if not VERSIONS.exists():
        LOCK.unlink(missing_ok=True)
    if not LOCK.exists():
        _must(run, ["cargo", "generate-lockfile"], environment)
    lock = LOCK.read_text(encoding="utf-8")
    if VERSIONS.exists():
        LOCK.write_text(with_registry(VERSIONS.read_text(encoding="utf-8"), lock), encoding="utf-8")
    else:
        VERSIONS.write_text(_HEAD + without_registry(lock), encoding="utf-8")
    _must(run, ["cargo", "build", "--locked", "--release", "--jobs", run.jobs], environment)


def with_registry(versions: str, lock: str) -> str:
    """What cargo reads: `versions` with the registry of `lock`. The workspace's own crate has neither
    checksum nor registry."""
    return re.sub(r'^(?=checksum = ")', lambda _: _registry(lock), versions, flags=re.MULTILINE)


def without_registry(lock: str) -> str:
    """What is committed."""
    return re.sub(r"\A(#.*\n)+", "", lock).replace(_registry(lock), "")


def _registry(lock: str) -> str:
    """The line that names the registry. StepFailed."""
    sources = set(_SOURCE.findall(lock))
    if len(sources) != 1:
        raise StepFailed(f"{tree.relative(LOCK)} is to take every crate from one registry, and names "
                         f"{len(sources)}; delete it, to have cargo make it anew")
    return sources.pop()


def _must(run, command: list, environment: dict[str, str]) -> None:
    result = run.log.run(command, cwd=SOURCE, env=environment, timeout=SECONDS_TO_BUILD)
    if not result.ok:
        raise StepFailed(commands.relevant(result.output))


def program(name: str) -> pathlib.Path:
    return TARGET / "release" / name
