"""A script that was played: what every scheduler came to, and what it did after which event."""

from fairlead.models.words import counted
from fairlead.report.blocks import NOTHING, Cell, Line, Row, Table, Text, cells, columns, number, some, table
from fairlead.report.terminal import Look
from fairlead.solver.script.played import Handled, Played, quantile

TOTALS = columns(
    "~Scheduler", ">Pending", ">Over", ">Broken", ">Moved", ">Evicted", ">Off weights", ">Clusters"
)
_EFFORT = columns(">Proven", ">Seconds", ">95%", ">Worst")
EVENTS = columns(
    "~Scheduler", "When", "~Event", ">Due", ">Moved", ">Evicted", ">Planned", ">Pending", ">Over", ">Broken"
)

_LEGEND = (
    "PENDING, OVER and BROKEN are replica-hours: replicas that do not run; those of them that are placed"
    " where there is no capacity; those of workloads that break a rule."
)


def summary(played: Played) -> list[str]:
    """Return a short, readable rendering, a line each."""
    return [title(played), *(f"  {_told(one)}" for one in played.handled)]


def title(played: Played) -> str:
    """Return the name, the number of events and the hours of a script that was played."""
    script = played.script
    return f"Script {script.name}: {counted(len(script.events), 'event')} in {script.hours:,.0f} hours"


def verdict(played: Played) -> str:
    """Return the verdict on the first scheduler, in a sentence."""
    return _told(played.handled[0]) if played.handled else title(played)


def terminal(played: Played, look: Look) -> list[list[Line]]:
    """Return everything that a terminal shows.

    Without headers one flat table for scripts is left: what every scheduler came to, or with all details
    what it did after every event.
    """
    if not look.headers:
        return [[_events(played) if look.wide else _totals(played, look)]]
    groups: list[list[Line]] = [[Text(title(played), "bold")], [_totals(played, look), Text(_LEGEND, "dim")]]
    if look.wide:
        groups.append(some(_events(played)))
    return [*groups, [Text(f"{_told(one)}.") for one in played.handled[:1]]]


def _totals(played: Played, look: Look) -> Table:
    head = (*TOTALS, *_EFFORT) if look.wide else TOTALS
    return table(head, [(*_row(one), *(_effort(one) if look.wide else ())) for one in played.handled])


def _row(one: Handled) -> Row:
    return (
        Cell(one.scheduler, "bold"),
        *map(_hours, (one.pending_hours, one.waiting_hours, one.broken_hours)),
        *cells(one.moved, one.forced, f"{one.off:.1f}"),
        NOTHING if one.clusters is None else Cell(f"{one.clusters:.2f}"),
    )


def _effort(one: Handled) -> Row:
    """Return the seconds of one scheduler's answers, and how many are as good as proven."""
    seconds = one.seconds
    return (
        NOTHING if one.proven is None else Cell(f"{one.proven:.0%}"),
        *cells(f"{sum(seconds):.2f}", f"{quantile(seconds, 0.95):.3f}", f"{quantile(seconds, 1):.3f}"),
    )


def _events(played: Played) -> Table:
    rows = (
        (
            *cells(one.scheduler, f"{step.at:%Y-%m-%d %H:%M}", step.name, step.due, step.moved),
            *cells(step.forced, step.planned),
            *(number(each, "bad") for each in (step.missing + step.waiting, step.waiting, step.broken)),
        )
        for one in played.handled
        for step in one.steps
    )
    return table(EVENTS, rows)


def _hours(hours: float) -> Cell:
    """Return replica-hours that should not be; none are quiet."""
    return Cell(f"{hours:,.1f}", "bad") if hours else NOTHING


def _told(one: Handled) -> str:
    pending = f"{one.pending_hours:,.1f} replica-hours pending" if one.pending_hours else "nothing pending"
    broken = f"{one.broken_hours:,.1f} against a rule" if one.broken_hours else "no rule broken"
    moved = f"{counted(one.moved, 'replica')} moved" if one.moved else "nothing moved"
    evicted = f"{one.forced} evicted"
    return f"{one.scheduler}: {pending}, {broken}; {moved}, {evicted}"
