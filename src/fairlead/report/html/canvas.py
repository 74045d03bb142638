"""Drawing: small SVG pictures whose colours follow the page, written without any library."""

from collections.abc import Callable, Sequence
from html import escape
from typing import Literal

from fairlead.models.words import escaped

Ink = Literal["ink", "muted", "track", "move", "start", "stop", "notice", "bad", "lost"]
"""Colours by their names in the style sheet, so that a picture follows the page into the dark."""

SIZE = 13.0
"""Height of the letters in pixels; the same in wide and narrow pictures."""

_WIDTHS = {
    0.3: "'IJijl",
    0.35: " ,./:;\\|",
    0.4: "()-[]ft",
    0.45: "!r",
    0.5: '"*_`',
    0.55: "?csz",
    0.6: "FLkvxy",
    0.65: "$0123456789EPSTYabdeghnopqu{}",
    0.7: "ABCKRVXZ",
    0.75: "NU",
    0.8: "&DGHOQ",
    0.85: "#+<=>^w~",
    0.9: "M",
    0.95: "%",
    1: "@Wm",
}
_WIDTH = {letter: width for width, letters in _WIDTHS.items() for letter in letters}
"""Width of a letter as a share of the height: of DejaVu Sans, which is wider than the fonts of systems."""


class Canvas:
    """A surface of pixels with the origin in the upper left corner."""

    def __init__(self) -> None:
        self.parts: list[str] = []

    def rectangle(self, corner: tuple[float, float], size: tuple[float, float], colour: Ink) -> None:
        """Fill a rectangle; nothing where it has no width."""
        if size[0] > 0:
            x, y, width, height = map(_number, (*corner, *size))
            self.parts.append(f'<rect class="{colour}" x="{x}" y="{y}" width="{width}" height="{height}"/>')

    def dashes(self, start: tuple[float, float], width: float) -> None:
        """Draw a level line of dashes."""
        x, y = map(_number, start)
        self.parts.append(f'<path class="dashes" d="M{x} {y}h{_number(width)}"/>')

    def ribbon(
        self, left: tuple[float, float], right: tuple[float, float], width: float, colour: Ink
    ) -> None:
        """Fill a band of a width that leads from one upper corner to the other."""
        (x, y), (end, top) = left, right
        middle = (x + end) / 2
        there = f"M{_number(x)} {_number(y)}C{_points((middle, y), (middle, top), (end, top))}"
        back = _points((middle, top + width), (middle, y + width), (x, y + width))
        self.parts.append(f'<path class="{colour} band" d="{there}V{_number(top + width)}C{back}Z"/>')

    def text(
        self,
        place: tuple[float, float],
        text: str,
        colour: Ink = "ink",
        *,
        side: Literal["left", "center", "right"] = "left",
        bold: bool = False,
    ) -> None:
        """Write a text; its left end, middle or right end and half of its height are at the place."""
        if not text:
            return
        x, y = _number(place[0]), _number(place[1] + 0.36 * SIZE)
        anchor = {"left": "", "center": ' text-anchor="middle"', "right": ' text-anchor="end"'}[side]
        names = f"{colour} bold" if bold else colour
        self.parts.append(
            f'<text class="{names}" x="{x}" y="{y}"{anchor}>{escape(escaped(text), quote=False)}</text>'
        )


def drawn(name: str, width: float, height: float, draw: Callable[[Canvas], None]) -> str:
    """Return a picture as an SVG element for the inside of a page.

    `width`, `height`: in pixels.
    """
    canvas = Canvas()
    draw(canvas)
    size = f'width="{width:g}" height="{height:g}" viewBox="0 0 {width:g} {height:g}"'
    return f'<svg class="{name}" {size} aria-hidden="true">{"".join(canvas.parts)}</svg>'


def _number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def _points(*points: tuple[float, float]) -> str:
    return " ".join(f"{_number(x)} {_number(y)}" for x, y in points)


def measured(text: str) -> float:
    """Return the width of a text in pixels, rather more than less."""
    return SIZE * sum(_WIDTH.get(letter, 1.0) for letter in escaped(text))


def fitting(text: str, width: float) -> str:
    """Return a text that is cut in its middle where it is wider than so many pixels.

    Both ends stay: names of clusters often differ only in their last letters.
    """
    if measured(text) <= width:
        return text
    for kept in range(len(text) - 1, 1, -1):
        shown = f"{text[: (kept + 1) // 2]}…{text[len(text) - kept // 2 :]}"
        if measured(shown) <= width:
            return shown
    return "…"


def mosaic(pictures: Sequence[str], size: tuple[float, float], across: int, style: str) -> str:
    """Return pictures of one size side by side, as an SVG document of its own.

    `pictures`: what `drawn` returned. `size`: width and height of each, in pixels. `across`: how many stand
    side by side. `style`: style sheet with the colours.
    """
    width, height = size
    placed = "".join(
        f'<g transform="translate({at % across * width:g} {at // across * height:g})">{picture}</g>'
        for at, picture in enumerate(pictures)
    )
    whole = across * width, -(-len(pictures) // across) * height
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="fairlead" width="{whole[0]:g}" '
        f'height="{whole[1]:g}" viewBox="0 0 {whole[0]:g} {whole[1]:g}"><style>{style}</style>{placed}</svg>'
    )
