"""The fewest waves, the slow and certain way: every wave there is, judged by the simulator alone."""

from collections.abc import Iterator
from itertools import product

from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.solver.plan.replay import replay
from fairlead.solver.plan.schedule import waves_of
from fairlead.solver.plan.waves import Move, MoveOrder, Wave, WaveOptions, WavePlan
from fairlead.solver.running.deadline import Deadline
from fleets import RandomFleet

Placed = dict[str, int]
Step = tuple[tuple[Move, ...], Placed]


def goes_straight(fleet: RandomFleet, about: object) -> bool:
    """Plan the waves of a fleet; tell whether they go straight to the target: then none need fewer."""
    plan = waves_of(fleet.problem, fleet.target, fleet.options, Deadline())
    straight = plan.complete and not plan.detours
    fewest = fewest_waves(fleet.problem, fleet.target, fleet.options)
    assert (len(plan.waves) if straight else None) == fewest, about
    assert plan.proven or not straight, about
    return straight


def fewest_waves(problem: Problem, target: Placement, options: WaveOptions) -> int | None:
    """Return the fewest waves in which every replica moves at most once; None where there is no such plan.

    A breadth-first search over all placements between what runs and the target.
    """
    plan = WavePlan(problem, target, (), options=options)
    start = plan.states[0]
    done = Placement({workload.key: target.of(workload.key) for workload in problem.workloads})
    reached: dict[Placement, tuple[Wave, ...]] = {start: ()}
    level = [start]
    while level:
        if done in reached:
            return len(reached[done])
        following = []
        for state in level:
            for moves, after in _waves(problem, state, target, options):
                if after in reached:
                    continue
                waves = (*reached[state], Wave(moves))
                found = replay(WavePlan(problem, target, waves, options=options))
                if not any(breach.wave for breach in found):
                    reached[after] = waves
                    following.append(after)
        level = following
    return None


def _waves(
    problem: Problem, state: Placement, target: Placement, options: WaveOptions
) -> Iterator[tuple[tuple[Move, ...], Placement]]:
    """Yield every wave straight to the target and where it leads."""
    keys = [workload.key for workload in problem.workloads]
    choices = [list(_steps(key, dict(state.of(key)), dict(target.of(key)), options.order)) for key in keys]
    for chosen in product(*choices):
        moves = tuple(move for step in chosen for move in step[0])
        if moves:
            yield moves, Placement({key: step[1] for key, step in zip(keys, chosen, strict=True)})


def _steps(key: str, held: Placed, wanted: Placed, order: MoveOrder) -> Iterator[Step]:
    """Yield everything that one workload can do in a wave; how replicas are paired makes no difference."""
    names = sorted(held.keys() | wanted.keys())
    change = sum(wanted.values()) - sum(held.values())
    spans = [_between(held.get(name, 0), wanted.get(name, 0)) for name in names]
    for numbers in product(*spans):
        after = dict(zip(names, numbers, strict=True))
        stops = [name for name in names for _ in range(held.get(name, 0) - after[name])]
        starts = [name for name in names for _ in range(after[name] - held.get(name, 0))]
        for how in set(product("leg", repeat=len(stops))):
            moves = _moves(key, list(zip(stops, how, strict=True)), starts)
            allowed = {
                "l": order is not MoveOrder.STOP_FIRST,
                "e": order is not MoveOrder.START_FIRST,
                "g": change < 0,
            }
            fresh = len(starts) - sum(kind != "g" for kind in how)
            ordered = all(
                how[one] <= how[one + 1] for one in range(len(stops) - 1) if stops[one] == stops[one + 1]
            )
            if (
                ordered
                and all(allowed[kind] for kind in how)
                and 0 <= fresh <= max(0, change)
                and how.count("g") <= max(0, -change)
            ):
                yield moves, after


def _between(first: int, last: int) -> range:
    """Return all numbers from one to another."""
    return range(first, last + 1) if first <= last else range(first, last - 1, -1)


def _moves(key: str, stops: list[tuple[str, str]], starts: list[str]) -> tuple[Move, ...]:
    """Pair what is stopped with what is started."""
    counts: dict[tuple[str | None, str | None, bool], int] = {}
    waiting = list(starts)
    for source, kind in stops:
        target = waiting.pop() if kind != "g" and waiting else None
        place = (source, target, kind == "e")
        counts[place] = counts.get(place, 0) + 1
    for name in waiting:
        counts[None, name, False] = counts.get((None, name, False), 0) + 1
    return tuple(Move(key, source, target, count, first) for (source, target, first), count in counts.items())
