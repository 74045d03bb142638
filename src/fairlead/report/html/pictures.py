"""Pictures of the way: bands from cluster to cluster, and numbers of replicas by wave."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from fairlead.models.words import counted, happening
from fairlead.report.html.canvas import Canvas, Ink, drawn, fitting, measured
from fairlead.solver.plan.waves import Move

COLOURS: Mapping[str, Ink] = {"move": "move", "start": "start", "stop": "stop"}
NEW, GONE = "started new", "stopped"
HEAD = 26
"""Pixels above the first band, for the words that say which side is which."""
BANDS, REPLICA = 240, 14
"""Pixels of height that all bands share, and that one replica takes at most."""
SLOT, GAP = 19, 8
"""Pixels of height of a label, and between two of them."""
BAR = 8
"""Pixels of width of the bar at either end of a band."""


def flows(moves: Iterable[Move]) -> tuple[Move, ...]:
    """Return the moves of all workloads together, the largest first, those of equal size by name.

    A replica that waits on a third cluster counts twice.
    """
    counts: Counter[tuple[str | None, str | None]] = Counter()
    for move in moves:
        counts[move.source, move.target] += move.replicas
    found = (Move("", source, target, replicas) for (source, target), replicas in counts.items())
    return tuple(sorted(found, key=lambda flow: (-flow.replicas, flow.source or "", flow.target or "")))


def by_kind(moves: Iterable[Move]) -> dict[str, int]:
    """Return how many replicas move, start and stop."""
    counts = {"move": 0, "start": 0, "stop": 0}
    for move in moves:
        counts[move.kind] += move.replicas
    return counts


def flow_picture(flows: Sequence[Move], width: int, name: str) -> str:
    """Return the picture of some flows as SVG.

    `flows`: what to show; at least one. `width`: in pixels. `name`: its class in the page.
    """
    scale = min(REPLICA, BANDS / sum(flow.replicas for flow in flows))
    left = _Side([(flow.source, flow.replicas) for flow in flows], scale, NEW, "start")
    right = _Side([(flow.target, flow.replicas) for flow in flows], scale, GONE, "stop")
    height = HEAD + max(left.height, right.height)
    room = 0.38 * width

    def draw(canvas: Canvas) -> None:
        edges = _label_width(left, room), width - _label_width(right, room)
        canvas.text((edges[0], 8), "from", "muted", side="right")
        canvas.text((edges[1], 8), "to", "muted")
        _bands(canvas, flows, (left, right), edges, scale)
        _labels(canvas, left, edges[0], room, before=True)
        _labels(canvas, right, edges[1], room, before=False)

    return drawn(name, width, height, draw)


class _Side:
    """Where the clusters of one side stand, from top to bottom: the busiest first, what is none last.

    The key None stands for no cluster; it has a label and a colour of its own.
    """

    def __init__(
        self, ends: Sequence[tuple[str | None, int]], scale: float, none: str, colour_of_none: Ink
    ) -> None:
        self.none = none
        self.colour_of_none: Ink = colour_of_none
        self.replicas: dict[str | None, int] = {}
        for name, replicas in ends:
            self.replicas[name] = self.replicas.get(name, 0) + replicas
        self.names = sorted(self.replicas, key=lambda name: (name is None, -self.replicas[name], name or ""))
        self.top: dict[str | None, float] = {}
        self.middle: dict[str | None, float] = {}
        below = float(HEAD)
        for name in self.names:
            thickness = self.replicas[name] * scale
            slot = max(SLOT, thickness)
            self.middle[name] = below + slot / 2
            self.top[name] = self.middle[name] - thickness / 2
            below += slot + GAP
        self.height = below - HEAD

    def label(self, name: str | None) -> str:
        """Return the text beside a bar."""
        return self.none if name is None else name

    def colour(self, name: str | None) -> Ink:
        """Return the colour of a bar."""
        return self.colour_of_none if name is None else "move"


def _label_width(side: _Side, room: float) -> float:
    """Return the pixels from the edge of the picture to the bar of a side."""
    widths = [measured(f"{side.label(name)}: {count}") for name, count in side.replicas.items()]
    return min(room, max(widths)) + 10


def _bands(
    canvas: Canvas,
    flows: Sequence[Move],
    sides: tuple[_Side, _Side],
    edges: tuple[float, float],
    scale: float,
) -> None:
    """Draw every band; at a cluster bands stand in the order of their other ends, so that few cross."""
    left, right = sides
    starts: dict[Move, float] = {}
    arrives: dict[Move, float] = {}
    used: dict[str | None, float] = {}
    for flow in sorted(flows, key=lambda flow: right.top[flow.target]):
        starts[flow] = left.top[flow.source] + used.get(flow.source, 0.0)
        used[flow.source] = used.get(flow.source, 0.0) + flow.replicas * scale
    used = {}
    for flow in sorted(flows, key=lambda flow: left.top[flow.source]):
        arrives[flow] = right.top[flow.target] + used.get(flow.target, 0.0)
        used[flow.target] = used.get(flow.target, 0.0) + flow.replicas * scale
    for flow in flows:
        places = (edges[0] + BAR, starts[flow]), (edges[1] - BAR, arrives[flow])
        canvas.ribbon(*places, max(1.0, flow.replicas * scale), COLOURS[flow.kind])
    for side, edge in ((left, edges[0]), (right, edges[1] - BAR)):
        for name in side.names:
            size = BAR, max(1.0, side.replicas[name] * scale)
            canvas.rectangle((edge, side.top[name]), size, side.colour(name))


def _labels(canvas: Canvas, side: _Side, edge: float, room: float, *, before: bool) -> None:
    for name in side.names:
        count = str(side.replicas[name])
        shown = fitting(side.label(name), room - measured(f": {count}"))
        text = f"{shown}: {count}"
        colour: Ink = "muted" if name is None else "ink"
        canvas.text(
            (edge - 7 if before else edge + 7, side.middle[name]),
            text,
            colour,
            side="right" if before else "left",
        )


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
    """Return the numbers of replicas that move, start or stop, in words; the noun follows the first.

    >>> in_words({"move": 3, "start": 1, "stop": 0}, "replica")
    '3 replicas move, 1 starts'
    """
    return happening(((count, *VERBS[kind]) for kind, count in counts.items()), noun) or "nothing"


def wave_picture(waves: Sequence[Mapping[str, int]], width: int, name: str) -> str:
    """Return the picture of some waves as SVG.

    `waves`: replicas that move, start and stop in every wave; at least one wave. `width`: in pixels. `name`:
    its class in the page.
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
