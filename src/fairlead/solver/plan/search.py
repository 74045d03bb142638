"""Any waves to the target: greedy ones, and what gets on where those are stuck."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from fairlead.solver.plan.builder import WaveBuilder
from fairlead.solver.plan.greedy import Steps, distance, end_of, follow, moving, run
from fairlead.solver.plan.migration import Migration, Place, WorkloadPath, left_over, size
from fairlead.solver.plan.transient import Placed
from fairlead.solver.plan.waves import MoveOrder
from fairlead.solver.running.deadline import Deadline
from fairlead.solver.running.search import RunLimits, Search, Verdict

SMALL = 1500
"""Numbers in a model up to which CP-SAT is asked for waves."""

ATTEMPTS = 6
"""Greedy attempts, each with the workloads that were left over before going first."""

AT_ONCE = 2.0
"""Seconds that one model may take."""


TRIES = 100
"""Detours that are followed to their end before giving up."""

LOOKS = 500
"""Workloads and clusters they could leave that are looked at before giving up."""

WAYS = 8
"""Clusters to wait on that are tried for each."""

Everywhere = Callable[[], Migration]
"""Gives the migration with the rules of all clusters; made only where it is needed."""


@dataclass(frozen=True, slots=True)
class WaveSearch:
    """State of a search: its waves, whether replicas wait on detours, and the least number of waves."""

    waves: tuple[Steps, ...]
    detours: bool = False
    bound: int = 0


def searched(migration: Migration, everywhere: Everywhere | None, search: Search) -> WaveSearch:
    """Return waves that get as near to the target as was found, without looking for fewer."""
    deadline = search.deadline
    waves, detours = _greedy(migration, deadline), False
    while True:
        stuck = at(migration, waves)
        if not stuck.paths or not deadline.remaining():
            return WaveSearch(waves, detours)
        more = _one_more(stuck, search)
        if not more and not detours:
            whole = _other_end(migration, waves, search, free=False)
            if whole:
                return WaveSearch(whole)
        if not more and everywhere is not None:
            more = _with_detour(at(everywhere(), waves), deadline)
            detours |= bool(more)
        if not more:
            break
        waves += more
    whole = () if everywhere is None else _other_end(everywhere(), waves, search, free=True)
    return WaveSearch(whole, detours=True) if whole else WaveSearch(waves, detours)


def at(migration: Migration, waves: tuple[Steps, ...]) -> Migration:
    """Return the migration that remains after some waves."""
    return migration.starting_at(end_of(migration, waves)[0])


def holds(migration: Migration, waves: tuple[Steps, ...]) -> bool:
    """Tell whether waves keep every rule on the way."""
    positions: dict[str, Placed] = migration.start()
    used: Mapping[Place, int] = migration.used
    for wave in filter(None, waves):
        builder = WaveBuilder(migration, positions, used)
        if not builder.add(*((migration.paths[key], step) for key, step in wave.items())):
            return False
        positions, used = follow(migration, positions, used, wave)
    return True


def _greedy(migration: Migration, deadline: Deadline) -> tuple[Steps, ...]:
    """Return the best of a few greedy attempts; the first that arrives ends them."""
    urgent: dict[str, int] = {}
    best: tuple[Steps, ...] = ()
    far: int | None = None
    for attempt in range(ATTEMPTS):
        waves = run(migration, urgent)
        end = end_of(migration, waves)[0]
        left = distance(migration, end)
        if far is None or (left, len(waves)) < (far, len(best)):
            best, far = waves, left
        if not left or (attempt and not deadline.remaining()):
            break
        for key in migration.starting_at(end).paths:
            urgent[key] = urgent.get(key, 0) + 1
    return best


def _one_more(stuck: Migration, search: Search) -> tuple[Steps, ...]:
    """Return a wave that only CP-SAT finds, and what follows greedily; empty where there is none."""
    if not any(path.tricky or path.order is not MoveOrder.START_FIRST for path in stuck.paths.values()):
        return ()
    from fairlead.solver.plan.wave_model import WaveModel

    wave = WaveModel(stuck, 1, everywhere=False).nearest(search.part(0.5, AT_ONCE).single())
    return (*wave, *run(at(stuck, wave))) if wave and holds(stuck, wave) else ()


def reach(
    migration: Migration, waves: int, effort: RunLimits, *, everywhere: bool
) -> tuple[Verdict, tuple[Steps, ...]]:
    """Ask CP-SAT for so many waves to the target, with waiting on any open cluster if everywhere is.

    ``INFEASIBLE`` is proven; waves that break a rule count as none. OR-Tools is imported with the first
    question, as few plans have one.
    """
    from fairlead.solver.plan.wave_model import WaveModel

    verdict, found = WaveModel(migration, waves, everywhere=everywhere).reach(effort)
    return verdict, found if holds(migration, found) else ()


def _other_end(
    migration: Migration, waves: tuple[Steps, ...], search: Search, *, free: bool
) -> tuple[Steps, ...]:
    """Replace the last waves by others that arrive; ever more of them, while the models are small."""
    for kept in range(len(waves), -1, -1):
        part = at(migration, waves[:kept])
        count = max(3, len(waves) - kept + 2)
        if size(part, count, everywhere=free) > SMALL or not search.deadline.remaining():
            break
        _, found = reach(part, count, search.part(0.25, AT_ONCE).single(), everywhere=free)
        if found:
            return (*waves[:kept], *found)
    return ()


def _with_detour(migration: Migration, deadline: Deadline) -> tuple[Steps, ...]:
    """Return waves that begin with a detour and get nearer to the target; empty where none was found.

    A detour lets a replica wait on a third cluster, so that clusters without room can exchange replicas.
    """
    far = distance(migration, migration.start())
    for _, wave in zip(range(TRIES), _detours(migration), strict=False):
        if not deadline.remaining():
            break
        parked = migration.starting_at(end_of(migration, [wave])[0])
        waves = run(parked)
        end = end_of(parked, waves)[0]
        if distance(parked, end) < far and not _waiting(migration, wave, end):
            return (wave, *waves)
    return ()


def _waiting(migration: Migration, wave: Steps, end: Mapping[str, Placed]) -> bool:
    """Tell whether replicas that made a detour are still where they only wait."""
    for key, step in wave.items():
        path = migration.paths[key]
        for via in step.starts:
            own = max(path.start.get(via, 0), path.target.get(via, 0))
            if end.get(key, path.target).get(via, 0) > own:
                return True
    return False


def _detours(migration: Migration) -> Iterator[Steps]:
    """Yield waves of one detour each: those first that free just enough, to a near cluster with much room."""
    for (path, source, counts), _ in zip(_waiting_to_leave(migration), range(LOOKS), strict=False):
        builder = WaveBuilder(migration, migration.start(), migration.used)
        for via in _ways(path, source, builder)[:WAYS]:
            for count in _fitting(path, via, counts, builder):
                if builder.add((path, moving(path, {source: count}, {via: count}))):
                    yield dict(builder.steps)
                    builder = WaveBuilder(migration, migration.start(), migration.used)


def _waiting_to_leave(migration: Migration) -> Iterator[tuple[WorkloadPath, str, tuple[int, int]]]:
    """Yield paths and clusters that make room by leaving: replicas that are enough, and all there."""
    short = migration.lacking(migration.start(), migration.room(migration.used))
    for path in sorted(migration.paths.values(), key=lambda each: each.key):
        out, into = left_over(path, path.start)
        for source in sorted(out) if into else ():
            # So that all that wait for the cluster fit; 0 where none wait.
            needs = path.needs.get(source, {}).items()
            enough = max((-(-short[place] // need) for place, need in needs if place in short), default=0)
            if enough:
                yield path, source, (min(enough, out[source]), out[source])


def _fitting(path: WorkloadPath, via: str, counts: tuple[int, int], builder: WaveBuilder) -> list[int]:
    """Return how many may wait on a cluster; fewer than wanted where not all fit."""
    most = path.constraints.open[via]
    limits = [builder.fits(path, via), None if most is None else most - path.start.get(via, 0)]
    known = [limit for limit in (*limits, builder.moves_left) if limit is not None]
    return sorted({count for count in (min([count, *known]) for count in counts) if count > 0})


def _ways(path: WorkloadPath, source: str, builder: WaveBuilder) -> list[str]:
    """Return clusters on which replicas of a workload may wait, near ones with much room first."""
    regions = builder.migration.regions
    rooms = {name: builder.fits(path, name) for name in path.constraints.open if name != source}

    def rank(name: str) -> tuple[bool, bool, int, str]:
        room = rooms[name]
        return regions[name] != regions[source], room is not None, -(room or 0), name

    return sorted((name for name, room in rooms.items() if room is None or room > 0), key=rank)
