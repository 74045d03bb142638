"""Weeks as an HTML page with curves: what is pending, what is against rules, over the hours of the week."""

from collections.abc import Callable, Sequence
from html import escape
from pathlib import Path

from curves import DASHES
from week_tables import CONTENDERS, OPENB, Run, range_of, to_markdown

from fairlead.solver.script.played import HandledEvent

LEAST = 0.5
"""What is less than this stands at the bottom of a logarithmic axis."""

STYLE = (
    "body{font-family:sans-serif;max-width:86em;margin:2em auto;padding:0 1em;color:#222}"
    "table{border-collapse:collapse;margin:1em 0;font-size:.9em}"
    "td,th{border-bottom:1px solid #ccc;padding:.3em .6em;text-align:right}"
    "td:first-child,th:first-child{text-align:left}td{white-space:nowrap}"
    ".wide{overflow-x:auto}img{max-width:100%}"
)

CURVES: tuple[tuple[str, str, Callable[[HandledEvent], float]], ...] = (
    ("pending", "replicas that do not run", lambda step: step.missing + step.waiting),
    ("broken", "replicas against rules", lambda step: step.broken),
    ("moved", "replicas moved so far", lambda step: step.moved + step.planned),
)


def write_page(runs: Sequence[Run], folder: Path) -> None:
    """Write a page and its drawings; of every size the first seed is drawn.

    Parameters
    ----------
    runs
        What was measured.
    folder
        Made where it does not exist.
    """
    folder.mkdir(parents=True, exist_ok=True)
    parts = []
    for size in dict.fromkeys(run.size for run in runs):
        inside = [run for run in runs if run.size == size]
        seeds = sorted({run.seed for run in inside})
        drawn = [run for run in inside if run.seed == seeds[0]]
        name = f"week-{size}.svg"
        draw(drawn, folder / name)
        told = ", ".join(map(str, seeds))
        events = range_of([len(run.handled.steps) for run in inside], ",.0f")
        parts.append(
            f"<h2>{title_of(size)}</h2><p>{events} events; seeds {told}; curves of seed {seeds[0]}.</p>"
        )
        parts.append(f'<img src="{name}" alt="pending, against rules and moved over the week">')
        parts += [_html(table) for table in to_markdown(inside).split("\n\n")]
    title = "A week of a fleet"
    head = (
        "<!doctype html><html lang=en><meta charset=utf-8>"
        '<meta name=viewport content="width=device-width">'
        f"<title>{title}</title><style>{STYLE}</style>"
    )
    (folder / "week.html").write_text(f"{head}<h1>{title}</h1>{''.join(parts)}</html>\n")


def title_of(size: str) -> str:
    """Return what people read of a size."""
    if size == OPENB:
        return "The openb trace"
    return "{:,} workloads on {} clusters".format(*map(int, size.split("x")))


def _html(table: str) -> str:
    """Return a Markdown table as HTML."""
    head, _, *rows = [[cell.strip() for cell in line[1:-1].split("|")] for line in table.splitlines()]
    shown = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
    named = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    return f"<div class=wide><table><tr>{named}</tr>{shown}</table></div>"


def draw(runs: Sequence[Run], file: Path) -> None:
    """Draw the curves of one week, readable in black and white."""
    import matplotlib as mpl

    mpl.use("svg")
    from matplotlib import pyplot as plt

    with mpl.rc_context({"svg.hashsalt": "fairlead", "font.size": 8, "svg.fonttype": "none"}):
        figure, rows = plt.subplots(len(CURVES), 1, figsize=(8, 7), sharex=True)
        for axes, (name, title, value) in zip(rows, CURVES, strict=True):
            for number, run in enumerate(_in_order(runs)):
                hours, values = _curve(run.handled.steps, value, summed=name == "moved")
                grey = str(0.55 * (number // len(DASHES)))
                axes.step(
                    hours,
                    values,
                    where="post",
                    label=CONTENDERS[run.handled.scheduler],
                    linestyle=DASHES[number % len(DASHES)],
                    color=grey,
                    linewidth=0.9,
                )
            axes.set_ylabel(title)
            axes.grid(visible=True, linewidth=0.3, color="0.8")
            if name != "moved":
                axes.set_yscale("log")
                axes.minorticks_off()
        rows[-1].set_xlabel("hours since Monday")
        figure.legend(*rows[0].get_legend_handles_labels(), loc="upper center", ncols=3, frameon=False)
        figure.tight_layout(rect=(0, 0, 1, 0.93))
        figure.savefig(file, metadata={"Date": None})
        plt.close(figure)


def _in_order(runs: Sequence[Run]) -> list[Run]:
    """Return runs in the order of the contenders."""
    order = list(CONTENDERS)
    return sorted(runs, key=lambda run: order.index(run.handled.scheduler))


def _curve(
    steps: Sequence[HandledEvent], value: Callable[[HandledEvent], float], *, summed: bool
) -> tuple[list[float], list[float]]:
    """Return hours and values at which a curve changes, the end included."""
    hours: list[float] = []
    values: list[float] = []
    now = total = 0.0
    for step in steps:
        found = value(step)
        total = total + found if summed else max(LEAST, found)
        if not values or values[-1] != total:
            hours.append(now)
            values.append(total)
        now += step.hours
    return [*hours, now], [*values, total]
