"""Any waves to the target: greedy ones, and what gets on where those are stuck."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from fairlead.solver.deadline import Deadline
from fairlead.solver.engine import Effort
from fairlead.solver.plan.builder import WaveBuilder
from fairlead.solver.plan.detours import with_detour
from fairlead.solver.plan.greedy import Steps, distance, end_of, follow, run
from fairlead.solver.plan.migration import Fleet, Place
from fairlead.solver.plan.steps import Placed
from fairlead.solver.plan.wave_model import one_wave, reach, size
from fairlead.solver.plan.waves import Order

SMALL = 1500
"""Numbers in a model up to which CP-SAT is asked for waves."""

ATTEMPTS = 6
"""Greedy attempts, each with the workloads that were left over before going first."""

AT_ONCE = 2.0
"""Seconds that one model may take."""


Everywhere = Callable[[], Fleet]
"""Gives the fleet with the rules of all clusters; made only where it is needed."""


@dataclass(frozen=True, slots=True)
class Search:
    """Where a search has got to.

    Parameters
    ----------
    waves
        What is done in every wave.
    detours
        True where replicas wait on the way.
    bound
        Waves that are needed at the least to get where these waves lead.
    """

    waves: tuple[Steps, ...]
    detours: bool = False
    bound: int = 0


def searched(fleet: Fleet, everywhere: Everywhere | None, deadline: Deadline, seed: int) -> Search:
    """Return waves that get as near to the target as was found, without looking for fewer.

    Parameters
    ----------
    fleet
        What moves.
    everywhere
        The same with the rules of all clusters, for detours; None where there are to be none.
    deadline
        When to give up beyond the greedy waves.
    seed
        Random seed of CP-SAT.
    """
    waves, detours = _greedy(fleet, deadline), False
    while True:
        stuck = at(fleet, waves)
        if not stuck.trips or not deadline.remaining():
            return Search(waves, detours)
        more = _one_more(stuck, deadline, seed)
        if not more and not detours:
            whole = _other_end(fleet, waves, deadline, seed, free=False)
            if whole:
                return Search(whole)
        if not more and everywhere is not None:
            more = with_detour(at(everywhere(), waves), deadline)
            detours |= bool(more)
        if not more:
            break
        waves += more
    whole = () if everywhere is None else _other_end(everywhere(), waves, deadline, seed, free=True)
    return Search(whole, detours=True) if whole else Search(waves, detours)


def at(fleet: Fleet, waves: tuple[Steps, ...]) -> Fleet:
    """Return what still moves after some waves."""
    return fleet.starting_at(end_of(fleet, waves)[0])


def holds(fleet: Fleet, waves: tuple[Steps, ...]) -> bool:
    """Tell whether waves keep every rule on the way."""
    positions: dict[str, Placed] = fleet.start()
    used: Mapping[Place, int] = fleet.used
    for wave in filter(None, waves):
        builder = WaveBuilder(fleet, positions, used)
        if not builder.add(*((fleet.trips[key], step) for key, step in wave.items())):
            return False
        positions, used = follow(fleet, positions, used, wave)
    return True


def _greedy(fleet: Fleet, deadline: Deadline) -> tuple[Steps, ...]:
    """Return the best of a few greedy attempts; the first that arrives ends them."""
    urgent: dict[str, int] = {}
    best: tuple[Steps, ...] = ()
    far: int | None = None
    for attempt in range(ATTEMPTS):
        waves = run(fleet, urgent)
        end = end_of(fleet, waves)[0]
        left = distance(fleet, end)
        if far is None or (left, len(waves)) < (far, len(best)):
            best, far = waves, left
        if not left or (attempt and not deadline.remaining()):
            break
        for key in fleet.starting_at(end).trips:
            urgent[key] = urgent.get(key, 0) + 1
    return best


def _one_more(stuck: Fleet, deadline: Deadline, seed: int) -> tuple[Steps, ...]:
    """Return a wave that only CP-SAT finds, and what follows greedily; empty where there is none."""
    if not any(trip.tricky or trip.order is not Order.START_FIRST for trip in stuck.trips.values()):
        return ()
    wave = one_wave(stuck, Effort(deadline.part(0.5, at_most=AT_ONCE), seed=seed))
    if not wave or not holds(stuck, (wave,)):
        return ()
    return (wave, *run(at(stuck, (wave,))))


def _other_end(
    fleet: Fleet, waves: tuple[Steps, ...], deadline: Deadline, seed: int, *, free: bool
) -> tuple[Steps, ...]:
    """Replace the last waves by others that arrive; ever more of them, while the models are small."""
    for kept in range(len(waves), -1, -1):
        part = at(fleet, waves[:kept])
        count = max(3, len(waves) - kept + 2)
        if size(part, count, everywhere=free) > SMALL or not deadline.remaining():
            break
        effort = Effort(deadline.part(0.25, at_most=AT_ONCE), seed=seed)
        _, found = reach(part, count, effort, everywhere=free)
        if found and holds(part, found):
            return (*waves[:kept], *found)
    return ()
