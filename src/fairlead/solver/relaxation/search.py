"""The search for relaxations: the cheapest changes for every part without placement, put together.

A part is what has no placement together with all that a way out of it could concern.
"""

import math
from collections.abc import Callable, Container, Hashable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from itertools import takewhile

from fairlead.models.problem import Problem
from fairlead.models.statement import Change, Relaxation
from fairlead.models.variants import among, binding, with_rules, with_workload
from fairlead.models.workload import Workload, earlier_groups, in_group
from fairlead.solver.changes.apply import apply
from fairlead.solver.changes.fragments import fragments
from fairlead.solver.changes.kinds import ChangeKind, describe_all, effort, order
from fairlead.solver.changes.open_clusters import interpreted, may_be_untold
from fairlead.solver.conflicts.alone import alone
from fairlead.solver.feasibility import has_placement
from fairlead.solver.groups.choices import apart, choices, is_complete, is_shut
from fairlead.solver.relaxation.shared_numbers import (
    EXACT,
    for_all,
    numbers_of,
    sharing_workloads,
    spoils,
    spoilt,
)
from fairlead.solver.relaxation.way import WayOut, chosen, joined
from fairlead.solver.relaxation.ways import is_large, ways, ways_of_large
from fairlead.solver.running.search import Search


def relaxations(
    problem: Problem, search: Search, *, most: int = 3, failing: Container[str] | None = None
) -> tuple[Relaxation, ...]:
    """Return changes that make a problem feasible, the cheapest ones; see `fairlead.solver.changes.kinds`.

    The most useful come first, see `effort`. Every one of them was verified: with the changes made, the
    whole problem has a placement, in some choice of affinity groups, except for parts of which no way out is
    known (`Relaxation.without`). None changes all the rules that a cheaper one changes.

    `problem`: a problem without placement. Parts of it that have one are left alone. `search`: when the
    answer is due; what is verified by then is returned. `most`: how many are
    wanted. `failing`: workloads of which it is known that they, or others of their part, cannot be placed;
    None where that is to be found out.
    """
    if not search.deadline.remaining():
        return ()
    found: list[list[WayOut]] = []
    parts = bundles(problem, search, failing)
    without: list[str] = []
    for left, part in zip(range(len(parts), 0, -1), parts, strict=True):
        of_part, left_out = _ways_out(part, problem, search.part(1 / left), most)
        found += [of_part] if of_part else []
        without += left_out
    inside = {workload.key for part in parts for workload in part.workloads}
    suiting: list[WayOut] = []
    for way in _together(found, most):
        if len(suiting) < most and _suits_others(way, inside, problem, search):
            suiting.append(way)
    return tuple(
        replace(_relaxation(way, problem), without=tuple(sorted(without)))
        for way in sorted(suiting, key=lambda each: effort(each.changes))
    )


def _ways_out(
    part: Problem, problem: Problem, search: Search, most: int
) -> tuple[list[WayOut], AbstractSet[str]]:
    """Return ways out of one part of a problem, and workloads that they leave out: nothing helps these."""
    part, afresh = _placed_afresh(part, search)
    left_out: AbstractSet[str] = frozenset(each.key for each in part.workloads if is_shut(each, afresh=True))
    while True:
        rest = among(part, part.workload_by_key.keys() - left_out) if left_out else part
        if (left_out or afresh) and _is_feasible(rest, search):
            return ([WayOut(afresh, proven=True)] if afresh else []), left_out
        found = _ways_of(rest, problem, search, most) if search.deadline.remaining() else []
        if found:
            both = [(tuple(sorted((*afresh, *one.changes), key=order)), one.proven) for one in found]
            return [WayOut(changes, proven) for changes, proven in both], left_out
        stuck = left_out | _stuck(rest, problem, search)
        if stuck == left_out:
            # Each has a way out, but no one is known for all: those last whose rules do not tell theirs.
            stuck = left_out | {each.key for each in rest.workloads if may_be_untold(each)}
        if stuck == left_out:
            return [], part.workload_by_key.keys()
        left_out = stuck


def _placed_afresh(part: Problem, search: Search) -> tuple[Problem, tuple[Change, ...]]:
    """Return a part whose workloads that nothing opens a cluster to are placed afresh, where that helps them.

    Only a group before the observed one can help these. The second are the changes that this takes.
    """
    shut = filter(is_shut, part.workloads)
    after, changes = part, list[Change]()
    for moved, change in _in_earlier_groups(shut, lambda one: alone(one, with_workload(part, one)), search):
        after = with_workload(after, moved)
        changes.append(change)
    return after, tuple(sorted(changes, key=order))


def _in_earlier_groups(
    workloads: Iterable[Workload], tried: Callable[[Workload], Problem], search: Search
) -> Iterator[tuple[Workload, Change]]:
    """Yield workloads in a group before the observed one that would do, and that it takes a reschedule.

    `tried`: the problem that has a placement then, if one does.
    """
    for workload in workloads:
        for group in earlier_groups(workload):
            moved = replace(in_group(workload, group), groups=())
            if _is_feasible(tried(moved), search):
                yield (
                    moved,
                    Change(ChangeKind.RESCHEDULE, workload.key, None, group.name, 0, 1, 1, group.source),
                )
                break


def _stuck(part: Problem, problem: Problem, search: Search) -> AbstractSet[str]:
    """Return the workloads that have no way out even where all others have left their clusters."""
    found: set[str] = set()
    for each in part.workloads if len(part.workloads) > 1 else ():
        one = alone(each, part)
        if not _is_feasible(one, search) and not _ways_of(one, problem, search, 1):
            found.add(each.key)
        if not search.deadline.remaining():
            return frozenset()
    return found


def _is_feasible(part: Problem, search: Search) -> bool:
    """Tell whether a part has a placement in any choice of groups; False where time is over before that."""
    tried = takewhile(lambda _: search.deadline.remaining(), choices(part))
    return any(has_placement(each.problem, search) for each in tried)


def _ways_of(part: Problem, problem: Problem, search: Search, most: int) -> list[WayOut]:
    """Return ways out of a part, whatever groups its workloads get, that spoil nothing in the problem."""
    found: list[WayOut] = []
    every = list(choices(part))
    certain = is_complete(part)
    for left, choice in zip(range(len(every), 0, -1), every, strict=True):
        due = search.part(1 / left)
        if not due.deadline.remaining():
            certain = False
            break
        found += _ways_of_all(choice.problem, due, most)
    afresh = _in_earlier_groups(part.workloads, lambda moved: with_workload(part, moved), search)
    found += [WayOut((change,), proven=True) for _, change in afresh]
    sure = certain and all(one.proven for one in found)
    suiting = [one for one in found if not spoils(one.changes, problem.workloads, problem)]
    suiting = suiting or [one for one in found if _is_told(one.changes, problem)]
    return chosen([WayOut(one.changes, sure and one.proven) for one in suiting], most)


def _is_told(changes: Sequence[Change], problem: Problem) -> bool:
    """Tell whether it is known what holds on clusters that open: what rules do not tell is read again."""
    every = spoilt(changes, problem.workloads, problem)
    return all(interpreted(each, problem.clusters) is not None for each in every)


def _ways_of_all(part: Problem, search: Search, most: int) -> list[WayOut]:
    """Return ways out of a part; where it is several that share numbers, those of the first one if these do.

    What the first one without a placement needs at least, all of them need; so its cheapest way is the
    cheapest for all. Others may have one: which of them meet depends on the groups that are chosen.
    """
    several = apart(part, opened=True)
    inside = (among(part, each.workload_by_key.keys()) for each in several if len(several) > 1)
    first = next((each for each in inside if not has_placement(each, search)), None)
    if first is not None:
        found = [
            WayOut(changes, way.proven)
            for way in ways(first, search.part(0.5), most)
            if has_placement(apply(part, changes := for_all(way.changes, part.workloads, part)), search)
        ]
        if found:
            return found
    if is_large(part):
        found = ways_of_large(part, search, most)
        return found or ways(part, search, most, modelled=search.deadline.at == math.inf)
    return ways(part, search, most)


def _together(found: Sequence[Sequence[WayOut]], most: int) -> list[WayOut]:
    """Return ways out of all parts: the best of each, and then another one in a single part."""
    if not found:
        return []
    best = [each[0] for each in found]
    every = [joined(best)]
    for at, each in enumerate(found):
        every += [joined([*best[:at], way, *best[at + 1 :]]) for way in each[1:]]
    return chosen(every, 2 * most) if len(found) > 1 else every


def _suits_others(way: WayOut, inside: AbstractSet[str], problem: Problem, search: Search) -> bool:
    """Tell whether those who share a number that is changed, and had a placement, still have one."""
    sharing = [each for each in sharing_workloads(way.changes, problem) if each.key not in inside]
    more = for_all(way.changes, sharing, problem)[len(way.changes) :]
    changed = {each.workload for each in more}
    if not changed:
        return True
    rest = among(problem, problem.workload_by_key.keys() - inside)
    after = apply(rest, more)
    return all(
        _is_feasible(part, search)
        for part in apart(after, opened=True)
        if not changed.isdisjoint(part.workload_by_key)
    )


def _relaxation(way: WayOut, problem: Problem) -> Relaxation:
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


def bundles(problem: Problem, search: Search, failing: Container[str] | None = None) -> tuple[Problem, ...]:
    """Return the parts of a problem that have no placement, preferences left out.

    Workloads are in one part where they may meet on a cluster, in any of their affinity groups or once taints
    are tolerated; where they share a rule; and where a number of one policy counts for both and one of them
    cannot be placed as it is.

    `problem`: a problem without placement; `failing`: workloads of which it is known that they, or others of
    their part, cannot be placed; None where that is to be found out.
    """
    bare = replace(
        problem, workloads=tuple(with_rules(each, binding) for each in problem.workloads), partial=False
    )
    parts = [among(bare, part.workload_by_key) for part in apart(bare, opened=True)]
    if len(parts) == 1:
        return tuple(parts)
    hopeless = [
        part
        for part in parts
        if (
            has_none(part, search) if failing is None else any(each.key in failing for each in part.workloads)
        )
    ]
    return tuple(among(bare, keys) for keys in _tied(hopeless, parts))


def has_none(part: Problem, search: Search) -> bool:
    """Tell whether a part has no placement in any choice of groups."""
    return all(has_placement(each.problem, search) is False for each in choices(part))


def _tied(hopeless: Sequence[Problem], parts: Sequence[Problem]) -> list[set[str]]:
    """Return the workloads of parts without placement: those that share a number together.

    Parts that have a placement belong to them where an exact number counts for both.
    """
    found = [(set(part.workload_by_key), numbers_of(part)) for part in hopeless]
    exact = [numbers_of(part, EXACT) for part in hopeless]
    if any(exact):
        names = {name for part in hopeless for name in part.workload_by_key}
        wanted = frozenset[Hashable]().union(*exact)
        for part in parts:
            if names.isdisjoint(part.workload_by_key):
                shares = numbers_of(part, EXACT)
                if not shares.isdisjoint(wanted):
                    found.append((set(part.workload_by_key), numbers_of(part)))
    joined: list[tuple[set[str], frozenset[Hashable]]] = []
    for keys, numbers in found:
        apart = [each for each in joined if each[1].isdisjoint(numbers)]
        for other_keys, other_numbers in (each for each in joined if not each[1].isdisjoint(numbers)):
            keys, numbers = keys | other_keys, numbers | other_numbers  # noqa: PLW2901 - they become one
        joined = [*apart, (keys, numbers)]
    return sorted((keys for keys, _ in joined), key=min)
