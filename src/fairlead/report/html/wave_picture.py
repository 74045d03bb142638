"""The picture of the waves: how many replicas move, start and stop in each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fairlead.models.words import counted
from fairlead.report.amounts import happening
from fairlead.report.html.canvas import Canvas, drawn, measured
from fairlead.report.html.flow_picture import COLOURS

ROW = 24
"""Pixels of height of a wave."""
SHORTEST = 60
"""Pixels that the longest bar needs; where words leave it less, only a number stands beside it."""
VERBS: Mapping[str, tuple[str, str]] = {
    "move": ("moves", "move"),
    "start": ("starts", "start"),
    "stop": ("stops", "stop"),
}


def in_words(counts: Mapping[str, int], noun: str = "") -> str:
    """Return what happens to how many replicas, with a noun behind the first number where one is given.

    >>> in_words({"move": 3, "start": 1, "stop": 0}, "replica")
    '3 replicas move, 1 starts'
    """
    return happening(((count, *VERBS[kind]) for kind, count in counts.items()), noun) or "nothing"


def wave_picture(waves: Sequence[Mapping[str, int]], width: int, name: str) -> str:
    """Return the picture of some waves as SVG.

    Parameters
    ----------
    waves
        Replicas that move, start and stop in every wave; at least one wave.
    width
        In pixels.
    name
        Its class in the page.
    """
    titles = [f"wave {number}" for number in range(1, len(waves) + 1)]
    texts = [in_words(counts) for counts in waves]
    start = measured(titles[-1]) + 12
    room = width - start - max(map(measured, texts)) - 12
    if room < SHORTEST:
        # The words are in the tables below; here the bars count.
        texts = [counted(sum(counts.values()), "replica") for counts in waves]
        room = width - start - max(map(measured, texts)) - 12
    most = max(sum(counts.values()) for counts in waves)

    def draw(canvas: Canvas) -> None:
        for index, counts in enumerate(waves):
            middle = ROW * index + ROW / 2
            canvas.text((0, middle), titles[index], "muted")
            left = start
            for kind, count in counts.items():
                # A single replica stays visible beside a wave of thousands.
                long = max(2.0, room * count / most) if count else 0.0
                canvas.rectangle((left, middle - 7), (long, 14), COLOURS[kind])
                left += long
            canvas.text((left + 8, middle), texts[index])

    return drawn(name, width, ROW * len(waves), draw)
