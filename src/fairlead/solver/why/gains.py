"""Which bounds improve an answer when they are moved by one."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from fairlead.models.levels import PRICED
from fairlead.models.outcome import Status
from fairlead.models.placement import Placement
from fairlead.models.score import levels_of, score
from fairlead.solver.exact.allocation import allocate
from fairlead.solver.exact.boxes import box_of
from fairlead.solver.running.deadline import Deadline
from fairlead.solver.why.answer import Gain
from fairlead.solver.why.answered import SAME, Answered, Difference
from fairlead.solver.why.change import Change
from fairlead.solver.why.changes import changes_of
from fairlead.solver.why.exchange import Exchanged

LARGEST_SHARE = 0.25
"""Of the time that is left, what a single question may use."""


@dataclass(frozen=True, slots=True)
class Gains:
    """Bounds that improve the answer, the best first; how many were tried, and how many not in time."""

    found: tuple[Gain, ...] = ()
    tried: int = 0
    untried: int = 0


def gains_of(about: Answered, deadline: Deadline) -> Gains:
    """Return the bounds of a workload that improve the answer when moved by one.

    Nothing is tried where no level of the answer is proven best; from the first one on that may be worse than
    best, levels do not count.
    """
    changes = changes_of(about, binding=about.exchanges is not None)
    if about.levels and not about.proven:
        return Gains(untried=len(changes))
    if not any(attained.value for attained in about.values) and PRICED.isdisjoint(
        level.base for level in about.levels
    ):
        return Gains(tried=len(changes))  # no level can be lower than 0
    found = [
        (change, _tried(about, change, deadline, share))
        for change, share in zip(changes, shares(len(changes)), strict=True)
    ]
    known = [(change, difference) for change, difference in found if difference is not None]
    gains = [(change, difference) for change, difference in known if difference.change < 0]
    gains.sort(key=lambda pair: _rank(about, *pair))
    return Gains(
        tuple(_gain(change, difference) for change, difference in gains), len(known), len(found) - len(known)
    )


def shares(count: int) -> Iterator[float]:
    """Yield the share of the remaining time that each of so many questions may use."""
    return (max(1 / rest, LARGEST_SHARE) for rest in range(count, 0, -1))


def _tried(about: Answered, change: Change, deadline: Deadline, share: float) -> Difference | None:
    """Return what a change makes of the answer; None where that is not known in time."""
    if about.exchanges is not None:
        best = change.best
        known = (
            _by_division(about, change)
            if best is None
            else _by_exchange(about, change, best(about.exchanges))
        )
        if known is not None:
            return known
    if not deadline.remaining():
        return None
    changed = change.build()
    if levels_of(changed) != about.levels:
        return SAME  # nothing to compare
    outcome = about.resolve(changed, deadline.part(share))
    if outcome.placement is None:
        return SAME if outcome.status is Status.INFEASIBLE else None
    difference = about.compare(outcome.objectives)
    if difference.proven:
        return difference
    if about.is_same(outcome.objectives):
        return SAME
    return difference if difference.change < 0 else None


def _by_division(about: Answered, change: Change) -> Difference | None:
    """Return what is made of the answer by dividing again; None where that takes a solve."""
    changed = change.build()
    if not about.alone or levels_of(changed) != about.levels:
        return None
    workload = changed.workload(about.key)
    boxed = box_of(workload, changed, about.part.limits)
    placed = allocate(workload, changed, boxed) if boxed.box.feasible else None
    if placed is None:
        return None
    scored = score(changed, Placement({about.key: placed}))
    return about.compare([replace(each, proven=True) for each in scored])


def _by_exchange(about: Answered, change: Change, best: Exchanged | None) -> Difference | None:
    """Return what the best exchange gains; None where it breaks a rule that is not in the box."""
    if best is None:
        return SAME
    difference = about.change(best)
    return difference if difference.change >= 0 or about.stands(best, change.build) else None


def _rank(about: Answered, change: Change, difference: Difference) -> tuple[object, ...]:
    """Return what gains are sorted by: the level, the gain, single clusters first, then the words."""
    place = about.levels.index(difference.level) if difference.level else len(about.levels)
    return place, difference.change, change.cluster is None, change.action


def _gain(change: Change, difference: Difference) -> Gain:
    """Return a gain."""
    return Gain(
        change.action,
        difference.level.name if difference.level else "",
        difference.before,
        -difference.change,
        difference.proven,
        change.source,
        change.cluster,
    )
