"""Drawing: matplotlib as a writer of small SVG pictures whose colours follow the page."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable, Sequence
from html import escape
from typing import TYPE_CHECKING, Any, Literal

from fairlead.models.words import escaped

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.figure import Figure

INK, MUTED, TRACK = "#010101", "#020202", "#030303"
MOVE, START, STOP = "#050505", "#060606", "#070707"
"""Stand-ins for colours: the finished picture names a variable of the style sheet instead, so that it
follows the page into the dark."""
VARIABLES = {
    INK: "ink",
    MUTED: "muted",
    TRACK: "track",
    MOVE: "move",
    START: "start",
    STOP: "stop",
}

SIZE = 13.0
"""Height of the letters in pixels; the same in wide and narrow pictures."""
FONT = "DejaVu Sans"
"""Font by which texts are measured. It comes with matplotlib and is wider than the fonts of systems."""

_NO_METADATA: dict[str, Any] = {"Format": None, "Type": None, "Creator": None, "Date": None}


class Canvas:
    """A surface of pixels with the origin in the upper left corner; no axes, which cost most of the time."""

    def __init__(self, figure: Figure, height: float) -> None:
        from matplotlib.transforms import Affine2D

        self._figure = figure
        self._pixels = Affine2D().scale(1, -1).translate(0, height)
        self.texts: list[str] = []

    def _add(self, artist: Artist) -> None:
        """Put something on the surface."""
        artist.set_transform(self._pixels)
        self._figure.add_artist(artist)

    def rectangle(self, corner: tuple[float, float], size: tuple[float, float], colour: str) -> None:
        """Fill a rectangle; nothing where it has no width."""
        from matplotlib.patches import Rectangle

        if size[0] > 0:
            self._add(Rectangle(corner, *size, facecolor=colour, edgecolor="none"))

    def line(
        self, start: tuple[float, float], end: tuple[float, float], colour: str, *, dashed: bool = False
    ) -> None:
        """Draw a line of one pixel, dashed or twice as strong."""
        from matplotlib.lines import Line2D

        style, width = ((0, (3, 3)), 1.0) if dashed else ("-", 2.0)
        points = (start[0], end[0]), (start[1], end[1])
        self._add(Line2D(*points, color=colour, lw=width, ls=style))

    def ribbon(
        self, left: tuple[float, float], right: tuple[float, float], width: float, colour: str
    ) -> None:
        """Fill a band of a width that leads from one upper corner to the other."""
        from matplotlib.patches import PathPatch
        from matplotlib.path import Path

        (x, y), (end, top) = left, right
        middle = (x + end) / 2
        points = [(x, y), (middle, y), (middle, top), (end, top)]
        points += [(end, top + width), (middle, top + width), (middle, y + width), (x, y + width), (x, y)]
        curve = [Path.CURVE4] * 3
        codes = [Path.MOVETO, *curve, Path.LINETO, *curve, Path.CLOSEPOLY]
        self._add(PathPatch(Path(points, codes), fc=colour, ec="none", alpha=0.45))

    def text(
        self,
        place: tuple[float, float],
        text: str,
        colour: str = INK,
        *,
        side: Literal["left", "center", "right"] = "left",
    ) -> None:
        """Write a text; its left end, middle or right end and half of its height are at the place."""
        x, y = place
        # A stand-in is drawn: what cleans the picture afterwards must not touch texts of the input.
        stand_in = f"text-{len(self.texts)}-"
        self.texts.append(text)
        self._figure.text(
            x,
            y + 0.36 * SIZE,
            stand_in,
            color=colour,
            fontsize=SIZE,
            family=FONT,
            ha=side,
            va="baseline",
            transform=self._pixels,
        )


def drawn(name: str, width: float, height: float, draw: Callable[[Canvas], None]) -> str:
    """Return a picture as an SVG element for the inside of a page.

    Parameters
    ----------
    name
        Its class; also begins every identifier inside, so that several pictures fit into one page.
    width, height
        In pixels.
    draw
        What draws it.
    """
    import matplotlib as mpl
    from matplotlib.figure import Figure

    buffer = io.StringIO()
    # What the user's matplotlib is set to must not show; rc_context puts it back.
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": name, "path.simplify": False})
        figure = Figure(figsize=(width / 72, height / 72), dpi=72)
        figure.patch.set_visible(False)
        canvas = Canvas(figure, height)
        draw(canvas)
        figure.savefig(buffer, format="svg", metadata=_NO_METADATA)
    size = f'width="{width:g}" height="{height:g}" viewBox="0 0 {width:g} {height:g}"'
    inside = _cleaned(buffer.getvalue(), name)
    inside = re.sub(r">text-(\d+)-<", lambda found: f">{_escaped(canvas.texts[int(found[1])])}<", inside)
    return f'<svg class="{name}" {size} aria-hidden="true">{inside}'


def _escaped(text: str) -> str:
    """Return a text for the inside of an element."""
    return escape(escaped(text), quote=False)


def _cleaned(document: str, name: str) -> str:
    """Return the inside of the element without what only a file of its own needs, in the page's colours."""
    inside = document[document.index(">", document.index("<svg")) + 1 :]
    inside = re.sub(r"<defs>\s*<style.*?</style>\s*</defs>", "", inside, flags=re.DOTALL)
    inside = re.sub(r"<!--.*?-->", "", inside, flags=re.DOTALL)
    inside = re.sub(r'\bid="(?=[\w.-]+")', f'id="{name}-', inside)
    inside = inside.replace("url(#", f"url(#{name}-").replace('xlink:href="#', f'href="#{name}-')
    inside = re.sub(r"font-family: [^;\"]*;? ?", "", inside)
    inside = re.sub(r' transform="rotate\(-0 [^"]*\)"', "", inside)
    inside = re.sub(r">\s+<", "><", inside)
    for colour, variable in VARIABLES.items():
        inside = inside.replace(colour, f"var(--{variable})")
    return inside.strip()


def measured(text: str) -> float:
    """Return the width of a text in pixels."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph", category=UserWarning)
        properties = FontProperties(family=FONT, size=SIZE)
        width: float = text_to_path.get_text_width_height_descent(escaped(text), properties, False)[0]
    return width


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


def widest(texts: Sequence[str], most: float) -> float:
    """Return the width of the widest text, at most so many pixels."""
    return min(most, max(map(measured, texts), default=0.0))
