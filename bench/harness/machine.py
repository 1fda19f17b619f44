# SPDX-License-Identifier: Apache-2.0
"""What the figures were taken on. Nothing here names the machine itself."""

import os
import pathlib
import platform
import re
import shutil
import subprocess

from check import tree


def cpu() -> str:
    """The processor's model and how many of them this program may use."""
    count = tree.processors()
    return f"{_cpu_model()}, {count} processor{'s' if count > 1 else ''}"


def system() -> str:
    name = _os_release().get("PRETTY_NAME", platform.system())
    # Only the numbers of the release: what follows them names who built it.
    release = re.match(r"[\d.]*\d", platform.release())
    return f"{name}, {platform.system()} {release[0] if release else platform.release()}"


def load() -> float:
    """The load average of the last minute; 0 where the system has none."""
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0


def commit() -> str:
    """The tree's commit, with a + if it differs from that; - outside a checkout."""
    status = tree.status()
    if status is None:
        return "-"
    command = [shutil.which("git"), "-c", f"safe.directory={tree.ROOT}", "-C", str(tree.ROOT), "rev-parse",
               "--short=12", "HEAD"]
    result = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    return result.stdout.strip() + ("+" if status else "") if result.returncode == 0 else "-"


def _cpu_model() -> str:
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.machine()
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.machine()


def _os_release() -> dict[str, str]:
    try:
        return platform.freedesktop_os_release()
    except OSError:
        return {}
