"""Fewer waves to the same end, and how many there have to be at the least."""

from fairlead.solver.deadline import Deadline
from fairlead.solver.engine import Effort, Verdict
from fairlead.solver.plan.bound import fewest_waves
from fairlead.solver.plan.greedy import Steps, end_of, repairs
from fairlead.solver.plan.migration import Fleet
from fairlead.solver.plan.search import AT_ONCE, SMALL, Everywhere, Search, at, holds
from fairlead.solver.plan.steps import NOTHING
from fairlead.solver.plan.wave_model import reach, size

LARGE = 8000
"""Numbers in a model up to which CP-SAT is asked whether so many waves do; "no" is soon found."""

WIDTHS = (2, 3, 4, 5, 6)
"""How many waves in a row are looked at together."""


def shortened(
    fleet: Fleet, everywhere: Everywhere | None, search: Search, deadline: Deadline, seed: int
) -> Search:
    """Return fewer waves to the same end where that was found, and a bound on their number.

    A few waves in a row are replaced by one fewer, first at the end, where little moves, as often as that
    succeeds. Then CP-SAT is asked for the least number of waves and upwards, until it finds a plan or has no
    answer in time.

    Parameters
    ----------
    fleet, everywhere, deadline, seed
        As for `searched`.
    search
        The waves.
    """
    if not search.waves:
        return search
    free = search.detours and everywhere is not None
    chosen = everywhere() if free and everywhere is not None else fleet
    chosen = chosen.bound_for({**chosen.start(), **end_of(chosen, search.waves)[0]})
    waves = _squeezed(chosen, search.waves, deadline.part(0.6), seed, free=free)
    # One wave has no detours; of more waves the calculation knows only those without.
    bound = min(len(waves), fewest_waves(chosen, min(2, len(waves)) if search.detours else len(waves)))
    while bound < len(waves) and deadline.remaining() and size(chosen, bound, everywhere=free) <= LARGE:
        effort = Effort(deadline.part(0.5, at_most=2 * AT_ONCE), seed=seed)
        verdict, found = reach(chosen, bound, effort, everywhere=free)
        if verdict is Verdict.INFEASIBLE:
            bound += 1
        elif found and holds(chosen, found):
            waves, bound = found, len(found)
        else:
            break
    if not search.detours and size(chosen, len(waves)) <= SMALL:
        waves = repairs_first(chosen, waves)
    return Search(waves, search.detours, bound)


def repairs_first(fleet: Fleet, waves: tuple[Steps, ...]) -> tuple[Steps, ...]:
    """Return the same steps with those that mend something in the earliest waves in which they fit.

    Parameters
    ----------
    fleet
        What moves, without detours.
    waves
        What is done in every wave.
    """
    room = {place: limit - fleet.used.get(place, 0) for place, limit in fleet.limits.items()}
    mending = [key for key, trip in fleet.trips.items() if repairs(trip, trip.start, room)]
    moved = True
    while moved:
        moved = False
        for number in range(1, len(waves)):
            for key in mending:
                earlier = _one_earlier(waves, number, key)
                if earlier and holds(at(fleet, waves[: number - 1]), earlier):
                    waves = (*waves[: number - 1], *earlier, *waves[number + 1 :])
                    moved = True
    return tuple(wave for wave in waves if wave)


def _one_earlier(waves: tuple[Steps, ...], number: int, key: str) -> tuple[Steps, ...]:
    """Return a wave and the one before it, a workload's step in the earlier one; empty without one."""
    before, wave = waves[number - 1], waves[number]
    if key not in wave:
        return ()
    earlier = {**before, key: before.get(key, NOTHING) + wave[key]}
    return earlier, {other: step for other, step in wave.items() if other != key}


def _squeezed(
    fleet: Fleet, waves: tuple[Steps, ...], deadline: Deadline, seed: int, *, free: bool
) -> tuple[Steps, ...]:
    """Replace waves in a row by one fewer as long as that succeeds."""
    for width in WIDTHS:
        start = len(waves) - width
        while start >= 0 and deadline.remaining():
            shorter = _one_fewer(
                fleet, waves[:start], waves[start : start + width], deadline, seed, free=free
            )
            if shorter is None:
                start -= 1
                continue
            waves = (*waves[:start], *shorter, *waves[start + width :])
            start = min(start + 1, len(waves) - width)
    return waves


def _one_fewer(
    fleet: Fleet,
    before: tuple[Steps, ...],
    window: tuple[Steps, ...],
    deadline: Deadline,
    seed: int,
    *,
    free: bool,
) -> tuple[Steps, ...] | None:
    """Return one wave fewer that leads to the same state; None where none was found."""
    part = at(fleet, before)
    end = end_of(part, window)[0]
    part = part.bound_for({**part.start(), **end})
    part = part.starting_at(part.start())
    count = len(window) - 1
    if size(part, count, everywhere=free) > 2 * SMALL:
        return None
    effort = Effort(deadline.part(0.5, at_most=AT_ONCE), seed=seed)
    _, found = reach(part, count, effort, everywhere=free)
    return found if found and holds(part, found) else None
