"""How full the fullest cluster is after an event in a running fleet, beside the least that is possible.

    python benchmarks/fullness.py --sizes 300x30 --events drain --seeds 0-2

The least is that of a linear program: replicas in fractions on the clusters where each workload may stand,
with no more moves than the answer makes; minima, maxima, totals, copies and what clusters offer hold, all
else is left out. It is told twice: for everybody, and where those stay that nobody would look at now, whose
moves come before balance. The exit code is 1 where an answer is more than 1.05 times as full as the second,
or where balance costs a move of a workload that keeps what runs.
"""

import argparse
import math
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from fleet_cases import SIZES, fleet_problem
from fleet_events import EVENTS
from ortools.linear_solver.python import model_builder as builder

import fairlead
from fairlead.models.levels import BALANCE, MOVES_FIRST, MOVES_UNCHANGED
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import Bounds, Candidates, Duplicated, Moves, moves
from fairlead.models.rules.bounds import Bound
from fairlead.models.rules.capacity import needs
from fairlead.models.rules.duplicated import copy_on
from fairlead.models.usage import Utilisation, utilisation
from fairlead.models.workload import Workload

MOST = 1.05
KEEPING = frozenset(level.name for level in (MOVES_UNCHANGED, MOVES_FIRST))


def fullest(problem: Problem, placement: Placement) -> float:
    """Return how full the fullest cluster is in any resource, what others use included."""
    return max(_share(each, each.used) for each in utilisation(problem, placement) if each.allocatable)


def moves_of(problem: Problem, placement: Placement) -> int:
    """Return how many replicas move."""
    present = Moves(frozenset(problem.cluster_by_name))
    return sum(present.among(each, placement.of(each.key)) for each in problem.workloads)


def least_fullest(problem: Problem, most_moves: int) -> float:
    """Return how full the fullest cluster is at least, with at most so many moves, in fractions."""
    model = builder.Model()
    peak = model.new_var(0, math.inf, is_integer=False, name=None)
    used: dict[tuple[str, str], list[tuple[builder.Variable, int]]] = {}
    stopped: list[builder.Variable] = []
    unavoidable = 0
    for workload in problem.workloads:
        variables = _variables(model, workload, problem)
        for name, variable in variables.items():
            for resource, need in needs(workload).items():
                used.setdefault((name, resource), []).append((variable, need))
        there = {name: count for name, count in workload.current.items() if name in problem.cluster_by_name}
        held = moves.movable(workload, there)
        unavoidable += moves.unavoidable(workload, held)
        for name, count in held.items():
            stopped.append(model.new_var(0, count, is_integer=False, name=None))
            kept = [(variables[name], 1)] if name in variables else []
            model.add(_weighted([(stopped[-1], 1), *kept]) >= count)
    model.add(_weighted([(each, 1) for each in stopped]) <= most_moves + unavoidable)
    for each in utilisation(problem, Placement({})):
        row = _weighted(used.get((each.cluster, each.resource), []))
        if each.offered is not None:
            model.add(row <= each.offered)
        if each.allocatable:
            model.add(row + each.others <= each.allocatable * peak)
    model.minimize(peak)
    run = builder.Solver("glop")
    if run.solve(model) != builder.SolveStatus.OPTIMAL:
        raise RuntimeError("the linear program has no solution, although a placement is known")
    return float(run.value(peak))


def _weighted(terms: Sequence[tuple[builder.Variable, int]]) -> builder.LinearExpr:
    """Return a sum of variables times numbers."""
    return builder.LinearExpr.weighted_sum([one for one, _ in terms], [float(number) for _, number in terms])


def settled(problem: Problem, placement: Placement) -> Problem:
    """Return a problem in which those stay where they are placed that nobody would look at now."""
    workloads = (each if each.due else _standing(each, placement.of(each.key)) for each in problem.workloads)
    return replace(problem, workloads=tuple(workloads))


def _standing(workload: Workload, placed: Mapping[str, int]) -> Workload:
    """Return a workload that can only stand where it is placed."""
    exactly = {name: Bound(count) for name, count in placed.items()}
    rules = (Candidates(tuple(sorted(placed))), Bounds(exactly, exactly))
    return replace(workload, rules=rules, groups=(), replicas=sum(placed.values()))


def _variables(model: builder.Model, workload: Workload, problem: Problem) -> dict[str, builder.Variable]:
    """Return the replicas of a workload where it may stand, within its bounds and its total."""
    copies, found = workload.rule(Duplicated), {}
    for name in problem.candidates(workload):
        low, high = 0, workload.replicas
        for rule in workload.rules_of(Bounds):
            if name in rule.minimum and name not in rule.where_held and not rule.preferred:
                low = max(low, rule.minimum[name].replicas)
            if name in rule.maximum:
                high = min(high, rule.maximum[name].replicas)
        if copies is not None:
            high = copy_on(copies, workload, name)
            low = 0 if copies.choice else high
        found[name] = model.new_var(low, max(low, high), is_integer=False, name=None)
    if copies is None:
        model.add(_weighted([(each, 1) for each in found.values()]) == workload.replicas)
    return found


def _share(each: Utilisation, used: int) -> float:
    """Return the part of what is allocatable that is used, by others too."""
    return (each.others + used) / (each.allocatable or 1)


def _measured(workloads: int, clusters: int, event: str, seed: int, limit: float) -> bool:
    """Print what one fleet comes to; tell whether that is good enough."""
    problem = fleet_problem(workloads, clusters, seed, event=event)
    plain = replace(problem, levels=tuple(key for key in problem.levels if key != BALANCE.key))
    found, kept = {}, {}
    for name, asked in (("without", plain), ("with", problem)):
        began = time.process_time()
        outcome = fairlead.solve(asked, time_limit=limit)
        spent = time.process_time() - began
        if outcome.placement is None:
            raise RuntimeError(f"{event} {seed}: no placement")
        kept[name] = sum(each.value for each in outcome.objectives if each.name in KEEPING)
        found[name] = outcome.placement
        full, moved = fullest(problem, outcome.placement), moves_of(problem, outcome.placement)
        print(
            f"{workloads}x{clusters} {event} {seed} {name} balance: {full:.3f} full, {moved} moves,"
            f" {kept[name]} of them by who keeps what runs, {outcome.status}, {spent:.1f} s of CPU"
        )
    full, most = fullest(problem, found["with"]), moves_of(problem, found["with"])
    every, free = (least_fullest(asked, most) for asked in (problem, settled(problem, found["with"])))
    print(
        f"  least {every:.3f}, {full / every:.3f} times;"
        f" where nobody else moves {free:.3f}, {full / free:.3f} times"
    )
    return full / free <= MOST and kept["with"] <= kept["without"]


def _seeds(text: str) -> range:
    """Read 0-4 or 3."""
    first, _, last = text.partition("-")
    return range(int(first), int(last or first) + 1)


def _cases() -> Iterator[tuple[int, int, str, int, float]]:
    """Yield what the command line asks for."""
    sizes = ", ".join(f"{workloads}x{clusters}" for workloads, clusters in SIZES)
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--sizes", default="300x30", help=f"of {sizes}")
    parser.add_argument("--events", default="drain", help=f"of {', '.join(EVENTS)}")
    parser.add_argument("--seeds", default="0-2", type=_seeds)
    parser.add_argument("--time-limit", default=30.0, type=float)
    asked = parser.parse_args()
    for size in asked.sizes.split(","):
        workloads, _, clusters = size.partition("x")
        for event in asked.events.split(","):
            for seed in asked.seeds:
                yield int(workloads), int(clusters), event, seed, asked.time_limit


if __name__ == "__main__":
    missed = [case for case in _cases() if not _measured(*case)]
    sys.exit(1 if missed else 0)
