"""Waves made greedily: as much as fits into every wave, moves that repair or free scarce room first."""

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from fairlead.models.errors import UsageError
from fairlead.solver.plan.builder import Addition, WaveBuilder
from fairlead.solver.plan.migration import Migration, Place, WorkloadPath, charge, left_over
from fairlead.solver.plan.steps import WaveStep, after, minus, total
from fairlead.solver.plan.transient import Placed
from fairlead.solver.plan.waves import MoveOrder

NEAR = 32
"""Numbers of replicas that are tried one by one, from the largest down and at last."""

Steps = Mapping[str, WaveStep]
"""Replicas stopped and started in one wave, by workload key; workloads that do nothing are absent."""

NOT_URGENT: Mapping[str, int] = MappingProxyType({})

MOST_WAVES = 10_000
"""Waves that a plan may have: nobody carries out more, and a replica at a time may mean billions."""


Scarcity = Mapping[str, int]
"""Room that arriving replicas lack on a cluster, in millionths of its limit, at least 1; absent: none
lacking."""


def _scarcity(migration: Migration, positions: Mapping[str, Placed], room: Mapping[Place, int]) -> Scarcity:
    """Return on which clusters arriving replicas lack room."""
    short: dict[str, int] = {}
    for place, lack in migration.lacking(positions, room).items():
        share = lack * 10**6 // (migration.limits[place] + 1) + 1
        short[place[0]] = max(share, short.get(place[0], 0))
    return short


def _sources(out: Placed, scarce: Scarcity) -> list[str]:
    """Return clusters to be left, those first that lack the most room."""
    return sorted(out, key=lambda cluster: (-scarce.get(cluster, 0), cluster))


def greedy_wave(
    migration: Migration,
    positions: Mapping[str, Placed],
    used: Mapping[Place, int],
    urgent: Mapping[str, int] = NOT_URGENT,
) -> Steps:
    """Return one wave straight to the target, urgent workloads first; empty where nothing gets on."""
    builder = WaveBuilder(migration, positions, used)
    scarce = _scarcity(migration, positions, builder.room)
    pending = [path for key, path in migration.paths.items() if any(left_over(path, positions[key]))]
    for path in pending:
        _stop_for_good(path, builder, scarce)
    ordered = _ordered(pending, positions, builder, scarce)
    ordered.sort(key=lambda path: -urgent.get(path.key, 0))
    moved = True
    while moved:
        moved = False
        for path in ordered:
            moved |= _advance(path, builder, scarce)
        moved |= _advance_groups(migration, ordered, builder, scarce)
    return {key: step for key, step in builder.steps.items() if not step.empty}


def run(migration: Migration, urgent: Mapping[str, int] = NOT_URGENT) -> tuple[Steps, ...]:
    """Return greedy waves from the start until nothing gets on; urgent workloads go before others.

    Raises `UsageError` where there are more than `MOST_WAVES`.
    """
    positions: dict[str, Placed] = migration.start()
    used = dict(migration.used)
    waves: list[Steps] = []
    while True:
        wave = greedy_wave(migration, positions, used, urgent)
        if not wave:
            return tuple(waves)
        if len(waves) == MOST_WAVES:
            raise too_many_waves(f"more than {MOST_WAVES}")
        waves.append(wave)
        positions, used = follow(migration, positions, used, wave)


def too_many_waves(count: str) -> UsageError:
    """Return the error that a plan would have so many waves."""
    return UsageError(
        f"the moves take {count} waves, and a plan has at most {MOST_WAVES}; let more replicas move in a wave"
        " (max_moves_per_wave, max_surge, max_unavailable, order), or make more room"
    )


def follow(
    migration: Migration, positions: Mapping[str, Placed], used: Mapping[Place, int], wave: Steps
) -> tuple[dict[str, Placed], dict[Place, int]]:
    """Return the positions of workloads and the amounts used after a wave."""
    then, taken = dict(positions), dict(used)
    for key, step in wave.items():
        then[key] = after(positions[key], step)
        charge(taken, migration.paths[key].needs, minus(then[key], positions[key]))
    return then, taken


def end_of(migration: Migration, waves: Sequence[Steps]) -> tuple[dict[str, Placed], dict[Place, int]]:
    """Return the positions of workloads and the amounts used after some waves."""
    positions, used = migration.start(), dict(migration.used)
    for wave in waves:
        positions, used = follow(migration, positions, used, wave)
    return positions, used


def distance(migration: Migration, positions: Mapping[str, Placed]) -> int:
    """Return how many replicas have still to be started or stopped to reach the target."""
    sums = (left_over(path, positions[key]) for key, path in migration.paths.items())
    return sum(max(total(out), total(into)) for out, into in sums)


def _ordered(
    pending: Sequence[WorkloadPath], positions: Mapping[str, Placed], builder: WaveBuilder, scarce: Scarcity
) -> list[WorkloadPath]:
    """Sort what moves: repairs first, then what frees scarce room, then what needs most."""

    def rank(path: WorkloadPath) -> tuple[bool, int, int, str]:
        out, into = left_over(path, positions[path.key])
        freed = max((scarce.get(cluster, 0) for cluster in out), default=0)
        size = sum(
            need * 10**6 // (builder.migration.limits[place] + 1)
            for cluster in into
            for place, need in path.needs.get(cluster, {}).items()
        )
        return not repairs(path, positions[path.key], builder.room), -freed, -size, path.key

    return sorted(pending, key=rank)


def repairs(path: WorkloadPath, position: Placed, room: Mapping[Place, int]) -> bool:
    """Tell whether moving mends something: replicas missing, or standing where they must not."""
    out = left_over(path, position)[0]
    return (
        total(position) < total(path.target)
        or any(cluster in path.refused for cluster in out)
        or any(room[place] < 0 for cluster in out for place in path.needs.get(cluster, {}))
        or (path.constraints.tricky and path.constraints.broken(position))
    )


def _stop_for_good(path: WorkloadPath, builder: WaveBuilder, scarce: Scarcity) -> None:
    """Stop what is too many, all of it where the rules allow it, else as much as they do."""
    surplus = builder.within(total(builder.positions[path.key]) - total(path.target))
    if surplus <= 0:
        return
    out = builder.remaining(path)[0]
    gone = _take(out, surplus, _sources(out, scarce))
    if builder.add((path, WaveStep(gone=gone))):
        return
    for cluster in _sources(out, scarce):
        most = min(surplus, out[cluster])
        while stopped := next(
            (count for count in _counts(most) if builder.add((path, WaveStep(gone={cluster: count})))), 0
        ):
            most, surplus = most - stopped, surplus - stopped


def _take(offered: Placed, wanted: int, order: Sequence[str]) -> dict[str, int]:
    """Take a number of replicas from clusters in order."""
    taken: dict[str, int] = {}
    for cluster in order:
        count = min(wanted, offered[cluster])
        if count > 0:
            taken[cluster] = count
            wanted -= count
    return taken


def _advance(path: WorkloadPath, builder: WaveBuilder, scarce: Scarcity) -> bool:
    """Move as much of one workload as fits; tell whether anything moved."""
    moved = False
    for step in _tries(path, builder, scarce):
        if builder.add((path, step)):
            moved = True
            if not path.tricky:
                break
    return moved


def _tries(path: WorkloadPath, builder: WaveBuilder, scarce: Scarcity) -> Iterator[WaveStep]:
    """Yield steps to try: what fits; where rules may be in the way also all at once and pair by pair."""
    if path.tricky:
        yield _whole(path, builder, scarce)
    out, into = builder.remaining(path)
    if into:
        yield _step(path, builder, out, _fitting(path, builder, into), scarce)
    if path.tricky and into:
        for source in [*_sources(out, scarce), None]:
            for sink in sorted(into):
                yield from _pair(path, builder, source, sink)


def _pair(path: WorkloadPath, builder: WaveBuilder, source: str | None, sink: str) -> Iterator[WaveStep]:
    """Yield steps from one cluster to another, the largest first; from nowhere where replicas are missing."""
    out, into = builder.remaining(path)
    most = _fitting(path, builder, into).get(sink, 0)
    for count in _counts(most):
        # What was yielded before may have been made by now.
        out, into = builder.remaining(path)
        free = total(into) - total(out) if source is None else out.get(source, 0)
        if count <= min(free, into.get(sink, 0)):
            yield moving(path, {} if source is None else {source: count}, {sink: count})


def _counts(most: int) -> Iterator[int]:
    """Yield numbers of replicas to try, the largest first: all near both ends, and halves in between."""
    count = most
    while count > 0:
        yield count
        near = most - count < NEAR or count <= NEAR
        count = count - 1 if near else max(NEAR, count // 2)


def _whole(path: WorkloadPath, builder: WaveBuilder, scarce: Scarcity) -> WaveStep:
    """Return everything that is left of a workload's way as one step."""
    out, into = builder.remaining(path)
    if total(out) > total(into):
        out = _take(out, total(into), _sources(out, scarce))
    return moving(path, out, into)


def moving(path: WorkloadPath, out: Placed, into: Placed) -> WaveStep:
    """Return a step that stops and starts in the order of the workload."""
    return WaveStep(into, early=out) if path.order is MoveOrder.STOP_FIRST else WaveStep(into, late=out)


def _fitting(path: WorkloadPath, builder: WaveBuilder, into: Placed) -> dict[str, int]:
    """Return how many replicas can be started where."""
    found: dict[str, int] = {}
    for cluster, count in sorted(into.items()):
        fits = builder.fits(path, cluster)
        possible = builder.within(count if fits is None else min(count, fits))
        if possible:
            found[cluster] = possible
    return found


def _step(
    path: WorkloadPath, builder: WaveBuilder, out: Placed, fitting: Placed, scarce: Scarcity
) -> WaveStep:
    """Return as large a step as availability allows: what is missing first, then moves."""
    before, so_far = builder.positions[path.key], builder.step(path.key)
    running = total(before)
    missing = max(0, total(path.target) - running - so_far.fresh)
    early = path.order is MoveOrder.STOP_FIRST
    count = builder.within(total(fitting))
    if early:
        fewest = running - total(so_far.gone) - total(so_far.early)
        spare = max(0, fewest - min(path.least, running))
        count = min(count, missing + spare)
    if path.most is not None:
        # What stops first makes room for as many; what is missing or moves the other way round does not.
        peak = running - total(so_far.gone) - total(so_far.early) + total(so_far.starts)
        margin = max(0, max(path.most, running) - peak)
        count = min(count, margin + (max(0, count - missing) if early else 0))
    starts = _take(fitting, count, sorted(fitting))
    stops = _take(out, max(0, total(starts) - missing), _sources(out, scarce))
    return moving(path, stops, starts)


def _advance_groups(
    migration: Migration, ordered: Sequence[WorkloadPath], builder: WaveBuilder, scarce: Scarcity
) -> bool:
    """Move workloads that keep together all at once; tell whether anything moved."""
    moved = False
    for group in migration.companions:
        additions: list[Addition] = [
            (path, _whole(path, builder, scarce)) for path in ordered if path.key in group.members
        ]
        additions = [(path, step) for path, step in additions if not step.empty]
        moved |= len(additions) > 1 and builder.add(*additions)
    return moved
