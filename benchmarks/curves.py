"""How fast values and bounds got better, as SVG that is readable in black and white."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from measuring import Measurement

# Dashes and signs tell the contenders apart, not colours; 4 and 9 share no divisor, so that pairs differ.
DASHES = ("-", "--", ":", "-.")
SIGNS = ("o", "s", "^", "D", "v", "x", "+", "*", "<")
# The least distance that is drawn, in percent; what is nearer stands on this line.
LEAST = 1e-4
MOST_POINTS = 60


def draw(case: str, measurements: Sequence[Measurement], file: Path) -> bool:
    """Draw values above the best bound and bounds below the best value; tell whether there is a drawing.

    Parameters
    ----------
    case
        Name of the case.
    measurements
        Of that case; those that told nothing on their way are drawn with their end alone,
        and there is no drawing where that is so of all.
    file
        Where the drawing goes.
    """
    values = [one.value for one in measurements if one.value is not None]
    bounds = [one.bound for one in measurements if one.bound is not None]
    searched = sum(len(one.points) > 1 for one in measurements)
    if not values or not bounds or not searched:
        return False
    import matplotlib as mpl

    mpl.use("svg")
    from matplotlib import pyplot as plt

    with mpl.rc_context({"svg.hashsalt": "fairlead", "font.size": 8, "svg.fonttype": "none"}):
        figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3.4), sharex=True, sharey=True)
        for number, one in enumerate(_longest(measurements)):
            above = [(at, _percent(value - max(bounds), max(bounds))) for at, value in _values(one)]
            below = [(at, _percent(min(values) - bound, min(values))) for at, bound in _bounds(one)]
            for axes, points in ((left, above), (right, below)):
                # An empty line gives a contender its place in the legend all the same.
                times, distances = zip(*_thinned(points), strict=True) if points else ((), ())
                axes.step(times, distances, where="post", label=one.contender, **_look(number))
        left.set_title("value above the best bound")
        right.set_title("bound below the best value")
        left.set_ylabel(f"% (at least {LEAST:g} is drawn)")
        for axes in (left, right):
            axes.set_xscale("log")
            axes.set_yscale("log")
            axes.minorticks_off()
            axes.grid(visible=True, linewidth=0.3, color="0.8")
            axes.set_xlabel("seconds")
        figure.suptitle(case)
        figure.tight_layout(rect=(0, 0, 0.82, 1))
        figure.legend(*left.get_legend_handles_labels(), loc="center right", fontsize=7, frameon=False)
        figure.savefig(file, metadata={"Date": None} if file.suffix == ".svg" else {})
        plt.close(figure)
    return True


def _look(number: int) -> dict[str, Any]:
    """Return how the line of a contender looks; its sign stands at the end."""
    return {
        "linestyle": DASHES[number % len(DASHES)],
        "marker": SIGNS[number % len(SIGNS)],
        "markevery": [-1],
        "markersize": 5,
        "markerfacecolor": "none",
        "color": "black",
        "linewidth": 0.9,
    }


def _longest(measurements: Sequence[Measurement]) -> list[Measurement]:
    """Return one measurement of every contender, that of the longest limit, valid ones and bounds only."""
    found: dict[str, Measurement] = {}
    for one in measurements:
        known = found.get(one.contender)
        if one.state in ("valid", "bound") and (known is None or known.limit < one.limit):
            found[one.contender] = one
    return list(found.values())


def _values(one: Measurement) -> list[tuple[float, float]]:
    """Return when values were known, the end included."""
    told = [(point.seconds, point.value) for point in one.points if point.value is not None]
    return told if one.value is None else [*told, (max(one.seconds, 1e-3), one.value)]


def _bounds(one: Measurement) -> list[tuple[float, float]]:
    """Return when bounds were known, the end included."""
    told = [(point.seconds, point.bound) for point in one.points if point.bound is not None]
    return told if one.bound is None else [*told, (max(one.seconds, 1e-3), one.bound)]


def _percent(distance: float, whole: float) -> float:
    """Return a distance in percent, at least the least that is drawn."""
    return max(LEAST, 100 * distance / abs(whole)) if whole else LEAST


def _thinned(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return few enough points to keep the file small, the last one among them."""
    step = max(1, -(-len(points) // MOST_POINTS))
    return [*points[:-1:step], points[-1]]
