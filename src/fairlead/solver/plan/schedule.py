"""From what runs now to a target placement in as few waves as possible."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache

from fairlead.models.errors import InternalError, UsageError
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.solver.plan.blocked import blocked_moves
from fairlead.solver.plan.greedy import MOST_WAVES, Steps, distance, end_of, repairs, too_many_waves
from fairlead.solver.plan.migration import Migration, WorkloadPath, left_over, migration_of, size
from fairlead.solver.plan.replay import replay
from fairlead.solver.plan.search import AT_ONCE, SMALL, Everywhere, WaveSearch, at, holds, reach, searched
from fairlead.solver.plan.steps import NOTHING, total, wave_of
from fairlead.solver.plan.waves import MoveOrder, WaveOptions, WavePlan
from fairlead.solver.running.deadline import Deadline
from fairlead.solver.running.search import Search, Verdict

LARGE = 8000
"""Numbers in a model up to which CP-SAT is asked whether so many waves do; "no" is soon found."""

WIDTHS = (2, 3, 4, 5, 6)
"""How many waves in a row are looked at together."""


def shortened(
    migration: Migration, everywhere: Everywhere | None, known: WaveSearch, search: Search
) -> WaveSearch:
    """Return fewer waves to the same end where that was found, and a bound on their number.

    A few waves in a row are replaced by one fewer, first at the end, where little moves, as often as that
    succeeds. Then CP-SAT is asked for the least number of waves and upwards, until it finds a plan or has no
    answer in time.
    """
    if len(known.waves) < 2:
        return WaveSearch(known.waves, known.detours, len(known.waves))
    free = known.detours and everywhere is not None
    chosen = everywhere() if free and everywhere is not None else migration
    chosen = chosen.bound_for(end_of(chosen, known.waves)[0])
    waves = _squeezed(chosen, known.waves, search.part(0.6), free=free)
    bound = min(len(waves), fewest_waves(chosen))
    due = search.deadline
    while bound < len(waves) and due.remaining() and size(chosen, bound, everywhere=free) <= LARGE:
        verdict, found = reach(chosen, bound, search.part(0.5, 2 * AT_ONCE).single(), everywhere=free)
        if verdict is Verdict.INFEASIBLE:
            bound += 1
        elif found:
            waves, bound = found, len(found)
        else:
            break
    if not known.detours and size(chosen, len(waves)) <= SMALL:
        waves = repairs_first(chosen, waves)
    return WaveSearch(waves, known.detours, bound)


def repairs_first(migration: Migration, waves: tuple[Steps, ...]) -> tuple[Steps, ...]:
    """Return the same steps, without detours, with those that mend something as early as they fit."""
    room = migration.room(migration.used)
    mending = [key for key, path in migration.paths.items() if repairs(path, path.start, room)]
    moved = True
    while moved:
        moved = False
        for number in range(1, len(waves)):
            for key in mending:
                earlier = _one_earlier(waves, number, key)
                if earlier and holds(at(migration, waves[: number - 1]), earlier):
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
    migration: Migration, waves: tuple[Steps, ...], search: Search, *, free: bool
) -> tuple[Steps, ...]:
    """Replace waves in a row by one fewer as long as that succeeds."""
    for width in WIDTHS:
        start = len(waves) - width
        while start >= 0 and search.deadline.remaining():
            part = at(migration, waves[:start])
            shorter = _one_fewer(part, waves[start : start + width], search, free=free)
            if not shorter:
                start -= 1
                continue
            waves = (*waves[:start], *shorter, *waves[start + width :])
            start = min(start + 1, len(waves) - width)
    return waves


def _one_fewer(
    migration: Migration, window: tuple[Steps, ...], search: Search, *, free: bool
) -> tuple[Steps, ...]:
    """Return one wave fewer that leads to the same state; empty where none was found."""
    bound = migration.bound_for(end_of(migration, window)[0])
    part = bound.starting_at(bound.start())
    count = len(window) - 1
    if size(part, count, everywhere=free) > 2 * SMALL:
        return ()
    return reach(part, count, search.part(0.5, AT_ONCE).single(), everywhere=free)[1]


def fewest_waves(migration: Migration) -> int:
    """Return a number of waves below which no plan reaches the target, whatever room there is.

    A wave makes no more moves than it may, and no workload starts more in it than its availability allows.
    """
    left = distance(migration, migration.start())
    by_moves = min(left, 1) if migration.most_moves is None else -(-left // migration.most_moves)
    return max([by_moves, *map(_fewest_of, migration.paths.values())])


def _fewest_of(path: WorkloadPath) -> int:
    """Return the same for one workload."""
    out, into = (total(each) for each in left_over(path, path.start))
    both = total(path.start), total(path.target)
    at_once = into
    if path.order is MoveOrder.STOP_FIRST:
        at_once = path.early_allowed + max(0, into - out)
    elif path.most is not None:
        at_once = max(path.most, *both) - min(both) + path.early_allowed
    # What stops for good makes room for as many at once.
    return -(-(into - max(0, out - into)) // max(1, at_once))


def waves_of(
    problem: Problem,
    target: Placement | Mapping[str, Mapping[str, int]],
    options: WaveOptions | None = None,
    deadline: Deadline | None = None,
    seed: int = 0,
) -> WavePlan:
    """Return waves of moves that lead from what runs now to a target and keep every rule on the way.

    Greedy waves first; small plans are then shortened, or proven shortest, with CP-SAT. Replicas go
    straight to their target, and every wave moves what it can. Where nothing gets on, or where a wave is
    saved, replicas of workloads whose order allows either are stopped first; only where nothing gets on even
    so, replicas may wait on a third cluster. What cannot be reached is left where it is and reported.

    `target`: where everything goes; a workload that is left out is stopped. `options`: how moves may be made;
    the new replica first, none missing, detours allowed, where left out. `deadline`: when the answer is due;
    the greedy waves are finished in any case. None: 5 seconds are spent at most on looking for fewer waves.

    Raises `UsageError` where the target names a workload or a cluster that is not in the problem, or takes
    more than `MOST_WAVES` waves. Raises `InternalError` where the waves break a rule, which is a bug.
    """
    placed = target if isinstance(target, Placement) else Placement(target)
    chosen = options or WaveOptions()
    _known(problem, placed)
    search = Search(deadline or Deadline.after(5.0), seed=seed)
    migration = migration_of(problem, placed, chosen)
    everywhere = (
        cache(lambda: migration_of(problem, placed, chosen, everywhere=True)) if chosen.detours else None
    )
    if (least := fewest_waves(migration)) > MOST_WAVES:
        raise too_many_waves(f"at least {least}")
    found = shortened(migration, everywhere, searched(migration, everywhere, search), search)
    end, used = end_of(migration, found.waves)
    plan = WavePlan(
        problem,
        placed,
        tuple(wave_of(wave, migration.regions) for wave in found.waves),
        found.bound,
        (),
        chosen,
        found.detours,
    )
    if distance(migration, end):

        def reaches(changed: Migration) -> bool:
            return not distance(changed, end_of(changed, searched(changed, None, search).waves)[0])

        stuck = migration.starting_at(end)
        plan = replace(plan, blocked=blocked_moves(plan, stuck, used, reaches))
    breaches = replay(plan)
    if breaches:
        raise InternalError("the waves break a rule: " + "; ".join(str(breach) for breach in breaches[:3]))
    return plan


def _known(problem: Problem, placement: Placement) -> None:
    """Refuse workloads and clusters that are not in the problem."""
    for key, placed in placement.items():
        problem.workload(key)
        for cluster in placed:
            if cluster not in problem.cluster_by_name:
                raise UsageError(f"{key}: the placement names {cluster}, which is not in the input")
