"""The picture of how full clusters are: a bar for the target, a mark for what runs now, a line at 100%."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from fairlead.models.words import format_percent
from fairlead.report.html.canvas import (
    INK,
    MOVE,
    MUTED,
    STOP,
    TRACK,
    Canvas,
    drawn,
    fitting,
    measured,
    widest,
)

ROW, GAP, HEAD, FOOT = 20, 10, 24, 4
"""Pixels of height: of a bar with its text, between clusters, above the first and below the last."""
FULLEST = Fraction(3, 2)
"""Share up to which bars grow; above it only the text tells how far."""
SPACE = 14
"""Pixels between two columns."""
STACKED_BELOW = 560
"""Pixels of width below which the name of a cluster stands above its bars."""


@dataclass(frozen=True, slots=True)
class Fill:
    """How full one cluster is in one resource.

    Parameters
    ----------
    cluster, resource
        Which.
    after
        The used part with the target, 1 where all is used.
    before
        The used part now; None where nothing is to be compared.
    """

    cluster: str
    resource: str
    after: Fraction
    before: Fraction | None = None

    @property
    def most(self) -> Fraction:
        """The larger part."""
        return max(self.after, self.before or Fraction(0))

    @property
    def text(self) -> str:
        """The parts in words."""
        after = format_percent(self.after)
        return after if self.before is None else f"{format_percent(self.before)} → {after}"


@dataclass(frozen=True, slots=True)
class _Frame:
    """Where the columns of the picture stand, in pixels from the left."""

    resource: float
    track: float
    text: float
    full: Fraction
    stacked: bool

    def at(self, share: Fraction) -> float:
        """Return where a share ends."""
        return self.track + float(min(share, self.full) / self.full) * (self.text - self.track)


def utilisation_picture(fills: Sequence[Fill], width: int, name: str) -> str:
    """Return the picture of some clusters as SVG.

    Parameters
    ----------
    fills
        What to show, the resources of a cluster beside one another; at least one.
    width
        In pixels.
    name
        Its class in the page.
    """
    frame = _frame(fills, width)
    names = list(dict.fromkeys(fill.cluster for fill in fills))
    rows = len(fills) + (len(names) if frame.stacked else 0)
    height = HEAD + ROW * rows + GAP * (len(names) - 1) + FOOT

    def draw(canvas: Canvas) -> None:
        full = frame.at(Fraction(1))
        canvas.text((full, 9), "100%", MUTED, side="center")
        top = float(HEAD)
        for cluster in names:
            shown = fitting(cluster, width if frame.stacked else frame.resource - SPACE + 1)
            canvas.text((0, top + ROW / 2), shown)
            top += ROW if frame.stacked else 0
            first = top
            for fill in fills:
                if fill.cluster == cluster:
                    _row(canvas, fill, frame, top)
                    top += ROW
            # After its bars, so that the line is never under one, and only beside them, not through names.
            canvas.line((full, first), (full, top), INK, dashed=True)
            top += GAP

    return drawn(name, width, height, draw)


def _frame(fills: Sequence[Fill], width: int) -> _Frame:
    """Return where the columns stand: as wide as their texts need, the bars take the rest."""
    stacked = width < STACKED_BELOW
    resource = 0.0 if stacked else widest([fill.cluster for fill in fills], 0.28 * width) + SPACE
    track = resource + widest([fill.resource for fill in fills], 0.2 * width) + SPACE
    text = width - max(measured(fill.text) for fill in fills) - 10
    full = min(FULLEST, max(Fraction(1), *(fill.most for fill in fills)))
    # Half of "100%" stands to the right of its line.
    return _Frame(resource, track, min(text, width - 30.0), full, stacked)


def _row(canvas: Canvas, fill: Fill, frame: _Frame, top: float) -> None:
    """Draw one resource of one cluster."""
    middle = top + ROW / 2
    canvas.text(
        (frame.resource, middle), fitting(fill.resource, frame.track - frame.resource - SPACE + 1), MUTED
    )
    canvas.rectangle((frame.track, middle - 5), (frame.text - frame.track, 10), TRACK)
    within = frame.at(min(fill.after, Fraction(1)))
    canvas.rectangle((frame.track, middle - 5), (within - frame.track, 10), MOVE)
    canvas.rectangle((within, middle - 5), (frame.at(fill.after) - within, 10), STOP)
    if fill.before is not None:
        now = frame.at(fill.before)
        canvas.line((now, middle - 7), (now, middle + 7), STOP if fill.before > 1 else INK)
    canvas.text((frame.text + 10, middle), fill.text, STOP if fill.most > 1 else INK)
