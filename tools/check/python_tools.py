# SPDX-License-Identifier: Apache-2.0
"""CMake and Ninja, each in its pinned version from PyPI, in virtual environments below build/tools.

Debian 12's own CMake is too old for modules; and consumers with an old CMake are tested with the old one.
"""

import dataclasses
import pathlib
import shutil
import sys

from check import commands, tree


@dataclasses.dataclass(frozen=True)
class PythonTool:
    group: str
    folder: str
    pins: tuple[str, ...]
    why: str

    @property
    def home(self) -> pathlib.Path:
        return tree.TOOLS / self.folder

    @property
    def programs(self) -> pathlib.Path:
        """The folder to put on PATH."""
        return self.home / "bin"

    def announce(self) -> str:
        rows = (pin.split("==") for pin in self.pins)
        return "\n  ".join(f"{name:<20} {version:<12} from PyPI: {self.why}" for name, version in rows)

    def present(self) -> bool:
        return self._stamp().is_file() and self._stamp().read_text(encoding="utf-8") == self._stamp_text()

    def install(self, log: commands.Log) -> bool:
        """Makes the environment anew; the stamp comes last, so that what was interrupted does not count."""
        shutil.rmtree(self.home, ignore_errors=True)
        pip = [self.programs / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
               "--retries", "2", *self.pins]
        if not log.run([sys.executable, "-m", "venv", self.home]).ok or not log.run(pip).ok:
            shutil.rmtree(self.home, ignore_errors=True)
            return False
        self._stamp().write_text(self._stamp_text(), encoding="utf-8")
        return True

    def _stamp(self) -> pathlib.Path:
        return self.home / "installed"

    def _stamp_text(self) -> str:
        # A virtual environment holds its own path: in a tree that was moved, it has to be made again.
        return "\n".join([*self.pins, str(self.home), ""])


CMAKE = PythonTool("build", "cmake-4.4", ("cmake==4.4.4", "ninja==1.13.2"), "modules need CMake 4.4 and Ninja")
OLD_CMAKE = PythonTool("old cmake", "cmake-3.25", ("cmake==3.25.2",), "the oldest CMake that consumers may have")
CONAN = PythonTool("conan", "conan-2.34", ("conan==2.34.0",), "packages as Conan makes them")

PYTHON_TOOLS = (CMAKE, OLD_CMAKE, CONAN)
