# SPDX-License-Identifier: Apache-2.0
"""Elements of a plot. Colours and type are classes of style.css, so that one drawing serves light, dark and paper."""

import html
import math

# A contestant is told by its colour, the shape of its points and the dashes of its line. Of the first eight any one of these
# is enough; the next eight have the same colours with other shapes and dashes, and so on.
LOOKS = 8
_DASHES = ("", "7 4", "2 3", "10 3 2 3", "5 2", "1 4", "12 4", "8 3 2 3 2 3")
_TEXT_WIDTH, _BOLD_WIDTH = 0.56, 0.66  # of a character, in parts of the type's size: on the safe side for the usual fonts


def element(name: str, content: str = "", /, **attributes) -> str:
    """One element; underscores of attributes' names become hyphens, a trailing one is dropped (class_)."""
    written = "".join(f' {key.rstrip("_").replace("_", "-")}="{html.escape(_written(value))}"'
                      for key, value in attributes.items() if value is not None)
    return f"<{name}{written}>{content}</{name}>" if content else f"<{name}{written}/>"


def text(x: float, y: float, words: str, **attributes) -> str:
    return element("text", html.escape(words, quote=False), x=x, y=y, **attributes)


def line(x1: float, y1: float, x2: float, y2: float, class_: str, **attributes) -> str:
    return element("line", x1=x1, y1=y1, x2=x2, y2=y2, class_=class_, **attributes)


def colour(look: int) -> str:
    """The class of one contestant's colour."""
    return f"k{look % LOOKS}"


def _turned(look: int) -> int:
    return look + look // LOOKS


def course(points: list[tuple[float, float]], look: int, ours: bool) -> str:
    """The line of one contestant."""
    return element("polyline", points=" ".join(f"{_written(x)},{_written(y)}" for x, y in points),
                   class_=f"course {colour(look)}{' ours' if ours else ''}",
                   stroke_dasharray=_DASHES[_turned(look) % LOOKS] or None)


def marker(x: float, y: float, look: int, size: float = 4.5) -> str:
    """The point of one contestant, in its shape."""
    kind, shape = f"mark {colour(look)}", _turned(look) % 4
    if shape == 0:
        return element("circle", cx=x, cy=y, r=size, class_=kind)
    if shape == 1:
        side = size * 1.8
        return element("rect", x=x - side / 2, y=y - side / 2, width=side, height=side, class_=kind)
    turn, corners = ((-90, 3), (0, 4))[shape - 2]
    reach = size * (1.35 if corners == 3 else 1.3)
    points = [(x + reach * math.cos(math.radians(turn + 360 * corner / corners)),
               y + reach * math.sin(math.radians(turn + 360 * corner / corners))) for corner in range(corners)]
    return element("polygon", points=" ".join(f"{_written(a)},{_written(b)}" for a, b in points), class_=kind)


def whisker(x1: float, y1: float, x2: float, y2: float, look: int) -> str:
    """From median - MAD to median + MAD, with a cap at either end; where it is shorter than a pixel, nothing."""
    if abs(x2 - x1) + abs(y2 - y1) < 1:
        return ""
    reach_x, reach_y = (0, 3.5) if y1 == y2 else (3.5, 0)
    strokes = [(x1, y1, x2, y2), *((x - reach_x, y - reach_y, x + reach_x, y + reach_y)
                                   for x, y in ((x1, y1), (x2, y2)))]
    path = "".join(f"M{_written(a)} {_written(b)}L{_written(c)} {_written(d)}" for a, b, c, d in strokes)
    return element("path", d=path, class_=f"whisker {colour(look)}")


def drawing(width: float, height: float, parts: list[str], description: str) -> str:
    """A whole plot; the description is for those who can't see it."""
    title = element("title", html.escape(description, quote=False))
    return element("svg", title + "".join(parts), viewBox=f"0 0 {_written(width)} {_written(height)}", role="img",
                   xmlns="http://www.w3.org/2000/svg")


def width_of(words: str, size: float, bold: bool = False) -> float:
    """About how wide a text is."""
    return len(words) * size * (_BOLD_WIDTH if bold else _TEXT_WIDTH)


def _written(value) -> str:
    return f"{value:.1f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)
