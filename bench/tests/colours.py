# SPDX-License-Identifier: Apache-2.0
"""What eyes make of the colours of style.css: contrast as WCAG defines it, colour blindness by the model of Machado,
Oliveira and Fernandes (2009), and distance in CIELAB (20 is plain to see)."""

import re

_BLINDNESS = {
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritanopia": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}
_TO_XYZ = ((0.4124564, 0.3575761, 0.1804375), (0.2126729, 0.7151522, 0.0721750), (0.0193339, 0.1191920, 0.9503041))
_WHITE = (0.95047, 1.0, 1.08883)


def schemes(style: str) -> dict[str, dict[str, str]]:
    """The variables of each scheme: light first, dark where it differs from it."""
    blocks = re.findall(r":root \{(.*?)\}", style, re.DOTALL)
    light, dark, paper = (dict(re.findall(r"--([a-z0-9]+): (#[0-9a-f]{6})", block)) for block in blocks)
    return {"light": light, "dark": light | dark, "paper": light | paper}


def contrast(first: str, second: str) -> float:
    lighter, darker = sorted((_luminance(first), _luminance(second)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def seen_by_the_colour_blind(colour: str, kind: str) -> tuple[float, ...]:
    """In linear light."""
    return tuple(min(1.0, max(0.0, part)) for part in _times(_BLINDNESS[kind], _linear(colour)))


def distance(first: tuple[float, ...], second: tuple[float, ...]) -> float:
    return sum((a - b) ** 2 for a, b in zip(_lab(first), _lab(second))) ** 0.5


def _linear(colour: str) -> tuple[float, ...]:
    parts = (int(colour[at:at + 2], 16) / 255 for at in (1, 3, 5))
    return tuple(part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)


def _luminance(colour: str) -> float:
    return sum(weight * part for weight, part in zip(_TO_XYZ[1], _linear(colour)))


def _times(matrix, vector) -> tuple[float, ...]:
    return tuple(sum(weight * part for weight, part in zip(row, vector)) for row in matrix)


def _lab(linear: tuple[float, ...]) -> tuple[float, float, float]:
    x, y, z = (part ** (1 / 3) if part > 0.008856 else 7.787 * part + 16 / 116
               for part in (value / white for value, white in zip(_times(_TO_XYZ, linear), _WHITE)))
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)
