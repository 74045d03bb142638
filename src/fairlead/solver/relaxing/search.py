"""The search for relaxations: the cheapest changes for every part without placement, put together."""

import math
from collections.abc import Container, Iterator, Sequence
from dataclasses import replace

from fairlead.models.affinity_groups import from_start, in_group
from fairlead.models.problem import Problem
from fairlead.models.statement import Change, Relaxation
from fairlead.models.workload import Workload
from fairlead.solver.changes.apply import apply
from fairlead.solver.changes.kinds import Kind, describe_all, order
from fairlead.solver.changes.manifest import fragments
from fairlead.solver.components import components
from fairlead.solver.deadline import Deadline
from fairlead.solver.feasibility import has_placement
from fairlead.solver.joint_choices import choices, is_complete, reaching
from fairlead.solver.relaxing.bundles import bundles
from fairlead.solver.relaxing.large import is_large, ways_of_large
from fairlead.solver.relaxing.sharing import for_all, sharing_workloads, spoils
from fairlead.solver.relaxing.ways import Way, chosen, ways


def relaxations(
    problem: Problem,
    deadline: Deadline,
    seed: int,
    *,
    most: int = 3,
    failing: Container[str] | None = None,
) -> tuple[Relaxation, ...]:
    """Return changes that make a problem feasible, the cheapest first; see `fairlead.solver.changes.kinds`.

    Every one of them was verified: with the changes made, the whole problem has a placement, in some choice
    of affinity groups. None changes all the rules that one before it changes.

    Parameters
    ----------
    problem
        A problem without placement. Parts of it that have one are left alone.
    deadline
        When the answer is due; what is verified by then is returned.
    seed
        Random seed of CP-SAT.
    most
        How many are wanted.
    failing
        Workloads of which it is known that they, or others of their part, cannot be placed; None where that
        is to be found out.
    """
    found: list[list[Way]] = []
    parts = bundles(problem, deadline, seed, failing)
    for left, part in zip(range(len(parts), 0, -1), parts, strict=True):
        due = deadline.part(1 / left)
        if not due.remaining():
            return ()
        found.append(_ways_of(part, due, seed, most))
        if not found[-1]:
            return ()
    inside = {workload.key for part in parts for workload in part.workloads}
    told: list[Relaxation] = []
    for way in _together(found, most):
        if len(told) < most and _suits_others(way, inside, problem, deadline, seed):
            told.append(_relaxation(way, problem))
    return tuple(told)


def _ways_of(part: Problem, deadline: Deadline, seed: int, most: int) -> list[Way]:
    """Return ways out of a part, whatever groups its workloads get."""
    found: list[Way] = []
    every = list(choices(part))
    certain = is_complete(part)
    for left, choice in zip(range(len(every), 0, -1), every, strict=True):
        due = deadline.part(1 / left)
        if not due.remaining():
            certain = False
            break
        found += _ways_of_all(choice.problem, due, seed, most)
    found += _earlier_groups(part, deadline, seed)
    sure = certain and all(one.proven for one in found)
    return chosen([Way(one.changes, sure and one.proven) for one in found], most)


def _ways_of_all(part: Problem, deadline: Deadline, seed: int, most: int) -> list[Way]:
    """Return ways out of a part; where it is several that share numbers, those of the first one if these do.

    What the first part needs at least, all of them need; so its cheapest way is the cheapest for all.
    """
    several = components(replace(part, workloads=tuple(map(reaching, part.workloads))))
    if len(several) > 1:
        keys = several[0].workload_by_key
        first = replace(part, workloads=tuple(each for each in part.workloads if each.key in keys))
        found = [
            Way(changes, way.proven)
            for way in ways(first, deadline.part(0.5), seed, most)
            if has_placement(
                apply(part, changes := for_all(way.changes, part.workloads, part)), deadline, seed
            )
        ]
        if found:
            return found
    if is_large(part):
        found = ways_of_large(part, deadline, seed, most)
        return found or ways(part, deadline, seed, most, modelled=deadline.at == math.inf)
    return ways(part, deadline, seed, most)


def _earlier_groups(part: Problem, deadline: Deadline, seed: int) -> Iterator[Way]:
    """Yield that a workload is placed afresh, where a group before the observed one would do."""
    for workload in part.workloads:
        later = from_start(workload)
        for group in workload.groups[: len(workload.groups) - len(later)]:
            others = tuple(each for each in part.workloads if each.key != workload.key)
            moved = replace(in_group(workload, group), groups=())
            tried = replace(part, workloads=(*others, moved))
            if any(has_placement(each.problem, deadline, seed) for each in choices(tried)):
                change = Change(Kind.RESCHEDULE, workload.key, None, group.name, 0, 1, 1, group.source)
                yield Way((change,), proven=True)
                break


def _together(found: Sequence[Sequence[Way]], most: int) -> list[Way]:
    """Return ways out of all parts: the best of each, and then another one in a single part."""
    if not found:
        return []
    best = [each[0] for each in found]
    joined = [_joined(best)]
    for at, each in enumerate(found):
        joined += [_joined([*best[:at], way, *best[at + 1 :]]) for way in each[1:]]
    return chosen(joined, 2 * most) if len(found) > 1 else joined


def _joined(every: Sequence[Way]) -> Way:
    """Return changes for several parts as one way."""
    changes = tuple(sorted((change for way in every for change in way.changes), key=order))
    return Way(changes, all(way.proven for way in every))


def _suits_others(way: Way, inside: Container[str], problem: Problem, deadline: Deadline, seed: int) -> bool:
    """Tell whether those who share a number that is changed, and had a placement, still have one."""
    if spoils(way.changes, problem.workloads, problem):
        return False
    sharing = [each for each in sharing_workloads(way.changes, problem) if each.key not in inside]
    more = for_all(way.changes, sharing, problem)[len(way.changes) :]
    changed = {each.workload for each in more}
    if not changed:
        return True
    rest = replace(problem, workloads=tuple(each for each in problem.workloads if each.key not in inside))
    after = apply(rest, more)
    return all(
        any(has_placement(each.problem, deadline, seed) for each in choices(_given(part, after)))
        for part in components(replace(after, workloads=tuple(map(reaching, after.workloads))))
        if not changed.isdisjoint(part.workload_by_key)
    )


def _given(part: Problem, problem: Problem) -> Problem:
    """Return a part with its workloads as a problem has them."""
    workloads: tuple[Workload, ...] = tuple(problem.workload_by_key[each.key] for each in part.workloads)
    return replace(part, workloads=workloads)


def _relaxation(way: Way, problem: Problem) -> Relaxation:
    """Put changes into words."""
    text = describe_all(way.changes, named=len(problem.workloads) > 1)
    return Relaxation(
        text if way.proven else f"{text} (perhaps not the cheapest way)",
        way.cost,
        next((change.source for change in way.changes if change.source), None),
        way.changes,
        fragments(way.changes, problem),
        way.proven,
    )
