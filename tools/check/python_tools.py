# SPDX-License-Identifier: Apache-2.0
"""CMake, Ninja and Conan from PyPI, in virtual environments below build/tools.

Debian 12's own CMake is too old for modules; and consumers with an old CMake are tested with the old one. What is
fetched has the versions and the hashes of `pins/`, also what the tools need in turn: pip refuses everything else.
"""

import dataclasses
import pathlib
import re
import shutil
import sys

from check import commands, tree

PINS = pathlib.Path(__file__).parent / "pins"
_SECONDS_TO_INSTALL = 600


@dataclasses.dataclass(frozen=True)
class PythonTool:
    group: str
    folder: str
    wanted: tuple[str, ...]
    why: str
    # Files of pins/, installed in this order. A tool that comes as source is built by what the file before it brought.
    pins: tuple[str, ...]

    @property
    def home(self) -> pathlib.Path:
        return tree.TOOLS / self.folder

    @property
    def programs(self) -> pathlib.Path:
        """The folder to put on PATH."""
        return self.home / "bin"

    def announce(self) -> str:
        rows = (pin.split("==") for pin in self.wanted)
        return "\n  ".join(f"{name:<20} {version:<12} from PyPI: {self.why}" for name, version in rows)

    def wrong_pins(self) -> list[str]:
        """What is wanted and has no exact version with a hash in pins/."""
        pinned = {line for name in self.pins for line in
                  re.findall(r"^(\S+==\S+) \\\n +--hash=sha256:", (PINS / name).read_text(encoding="utf-8"), re.MULTILINE)}
        return sorted(set(self.wanted) - pinned)

    def present(self) -> bool:
        return self._stamp().is_file() and self._stamp().read_text(encoding="utf-8") == self._stamp_text()

    def install(self, log: commands.Log) -> bool:
        """Makes the environment anew; the stamp comes last, so that what was interrupted does not count."""
        shutil.rmtree(self.home, ignore_errors=True)
        pip = [self.programs / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
               "--retries", "2", "--no-deps", "--require-hashes", "--no-build-isolation"]
        steps = [[sys.executable, "-m", "venv", self.home], *([*pip, "-r", PINS / name] for name in self.pins)]
        if not all(log.run(step, timeout=_SECONDS_TO_INSTALL).ok for step in steps):
            shutil.rmtree(self.home, ignore_errors=True)
            return False
        self._stamp().write_text(self._stamp_text(), encoding="utf-8")
        return True

    def _stamp(self) -> pathlib.Path:
        return self.home / "installed"

    def _stamp_text(self) -> str:
        # A virtual environment holds its own path: in a tree that was moved, it has to be made again.
        return "\n".join([*((PINS / name).read_text(encoding="utf-8") for name in self.pins), str(self.home), ""])


CMAKE = PythonTool("build", "cmake-4.4", ("cmake==4.4.4", "ninja==1.13.2"), "modules need CMake 4.4 and Ninja",
                   ("cmake-4.4.txt",))
OLD_CMAKE = PythonTool("old cmake", "cmake-3.25", ("cmake==3.25.2",), "the oldest CMake that consumers may have",
                       ("cmake-3.25.txt",))
CONAN = PythonTool("conan", "conan-2.34", ("conan==2.34.0",), "packages as Conan makes them",
                   ("conan-2.34-build.txt", "conan-2.34.txt"))

PYTHON_TOOLS = (CMAKE, OLD_CMAKE, CONAN)
