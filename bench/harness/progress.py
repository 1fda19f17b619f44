# SPDX-License-Identifier: Apache-2.0
"""How far a run is: one line that changes where somebody watches, now and then a line of its own in a log."""

import contextlib
import shutil
import sys
import time

_SECONDS_BETWEEN_LINES = 15


class Progress:
    def __init__(self, stream=None, clock=time.monotonic):
        self._stream = stream or sys.stdout
        self._clock = clock
        self._watched = self._stream.isatty()
        self._last_line = -float("inf")

    def show(self, step: str, detail: str = "", seconds_left: float | None = None) -> None:
        """What is being done now. Cheap to call often."""
        left = f"{duration(seconds_left)} left" if seconds_left is not None else ""
        if self._watched:
            text = "  ".join(part for part in (step, left, detail) if part)
            self._write(f"\r\x1b[K{text[:shutil.get_terminal_size().columns - 1]}")
        elif self._clock() - self._last_line >= _SECONDS_BETWEEN_LINES:
            self.line(", ".join(part for part in (step, left, f"now {detail}" if detail else "") if part))

    def line(self, text: str) -> None:
        """A line that stays."""
        self.clear()
        self._write(f"{text}\n")
        self._last_line = self._clock()

    def clear(self) -> None:
        if self._watched:
            self._write("\r\x1b[K")

    def _write(self, text: str) -> None:
        with contextlib.suppress(BrokenPipeError):  # a reader that went away must not end a run
            self._stream.write(text)
            self._stream.flush()


def duration(seconds: float) -> str:
    """Minutes and seconds, as in 3:07."""
    whole = max(0, round(seconds))
    return f"{whole // 60}:{whole % 60:02}"
