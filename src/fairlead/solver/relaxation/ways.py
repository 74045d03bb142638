"""Ways out of one problem in which every workload has its affinity group: the cheapest sets of changes.

A model of many workloads with all their numbers would take too long. There one workload stands for all that
are alike, and whatever changes help each of them are verified together.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice, product

from fairlead.models.check import check
from fairlead.models.cluster import Taint
from fairlead.models.problem import Problem
from fairlead.models.rules import Candidates, Duplicated, Total, Weights
from fairlead.models.rules.candidates import Cause
from fairlead.models.source import Source
from fairlead.models.statement import Change
from fairlead.models.variants import with_each
from fairlead.models.workload import Workload
from fairlead.solver.changes.apply import apply
from fairlead.solver.changes.kinds import ChangeKind, order
from fairlead.solver.changes.open_clusters import raised
from fairlead.solver.changes.quota import followed
from fairlead.solver.conflicts.alone import alone, fails_alone
from fairlead.solver.conflicts.names import alike
from fairlead.solver.dispensers import reference
from fairlead.solver.feasibility import has_placement
from fairlead.solver.relaxation.model import relaxation_model
from fairlead.solver.relaxation.shared_numbers import counted_once, for_all, spoils
from fairlead.solver.relaxation.stock import larger_budgets
from fairlead.solver.relaxation.sums import quick
from fairlead.solver.relaxation.way import SIMPLE, WayOut, chosen
from fairlead.solver.running.search import Search

MOST_PLACES = 4_000
"""Workloads times clusters up to which one model of everything is made."""
MOST_DISPENSED = 2_000
"""Workloads up to which the reference dispenser is asked for a placement."""
SHARE = 0.5
"""Part of the time that may go into ways of single workloads, which the rest verifies, or into the cheapest
way, which is followed by one of few changes."""
FRUITLESS = 5
"""Sets of changes that may fail the check before the search is given up."""
WAYS = 8
"""Ways that are tried to open a cluster to workloads of full copies that have none."""


def ways(part: Problem, search: Search, most: int, *, modelled: bool = True) -> list[WayOut]:
    """Return changes that make a problem feasible, the cheapest first.

    `part`: a problem without placement, in which every workload has its group, preferences left out;
    `modelled`: False makes no model of everything, which takes long for many workloads.
    """
    found = [WayOut(changes, proven=True) for changes in quick(part, search, most)]
    if found:
        return chosen(found, most)
    for first in _tolerations_of_copies(part) if modelled else ():
        found += _search(part, first, search, most) or _search(part, first, search, most, thoroughly=True)
    if not found and modelled:
        found += _with_room_for_copies(part, search, most)
    for first in () if found or not modelled else (*_untold_tolerations(part), *_raised_copies(part)):
        every = _search(part, first, search, most)
        # Without a change of this kind there is no way out, so no other is cheaper than one alone.
        found += [WayOut(one.changes, one.cost == 1) for one in every]
    certain = all(one.proven for one in found)
    kept = chosen([WayOut(one.changes, certain and one.proven) for one in found], most)
    return [*kept[:1], *_of_another_kind(part, kept, search, most), *kept[1:]][:most]


def _of_another_kind(part: Problem, found: Sequence[WayOut], search: Search, most: int) -> list[WayOut]:
    """Return a single change of another kind at the same cost, where all that were found are of one kind."""
    kinds, costs = {change.kind for way in found for change in way.changes}, {way.cost for way in found}
    single = all(len(way.changes) == 1 and way.proven for way in found)
    if not 1 < len(found) == most or not single or len(kinds) > 1 or len(costs) > 1:
        return []
    others = _search(part, (), search, 1, without=kinds.pop())
    return [one for one in others if len(one.changes) == 1 and one.cost in costs and one.proven]


def _with_room_for_copies(part: Problem, search: Search, most: int) -> Iterator[WayOut]:
    """Yield changes with which full copies have room that are small for lack of it now, and grow with it."""
    for first in _tolerations_of_copies(part):
        opened = apply(part, first)
        grown = replace(opened, workloads=tuple(map(_whole, opened.workloads)))
        for way in _search(grown, (), search, most) if grown != opened else ():
            changes = for_all((*first, *way.changes), part.workloads, part)
            helps = not spoils(changes, part.workloads, part)
            if helps and has_placement(apply(part, changes), search):
                yield WayOut(tuple(sorted(changes, key=order)), proven=False)


def _whole(workload: Workload) -> Workload:
    """Return a workload whose full copies are as large as they would be with more room."""
    whole = with_each(
        workload.rules, Duplicated, lambda rule: replace(rule, copies={**rule.copies, **rule.ample}, ample={})
    )
    return replace(workload, rules=whole)


def _search(
    part: Problem,
    first: tuple[Change, ...],
    search: Search,
    most: int,
    *,
    thoroughly: bool = False,
    without: str | None = None,
) -> list[WayOut]:
    """Return changes that make a problem feasible, the cheapest first; some of them are settled before.

    Where the cheapest way changes many relaxables, ways of few follow, which people can read. `thoroughly`
    tries those that do not help by themselves again, together with more. `without`: kind of changes that are
    not made; None where all are.
    """
    found: list[WayOut] = []
    model = relaxation_model(apply(part, first), search.deadline)
    if model is not None and without is not None:
        model.exclude_kind(without)
    fruitless = 0
    proven, few = True, False
    while model is not None and len(found) < most and fruitless < FRUITLESS:
        # Half of the time is kept for a way of few changes, as the cheapest may have more than anybody reads.
        solution = model.run(search if found else search.part(SHARE))
        # A second way that is only the best in this time would be another one a moment later.
        if solution is None or (found and not solution.certain and not few):
            return found
        proven = proven and solution.certain
        shared = for_all((*first, *solution.changes), part.workloads, part)
        changes = followed(tuple(sorted(shared, key=order)), part)
        spoilt = spoils([each for each in changes if each not in first], part.workloads, part)
        after = apply(part, changes)
        # The placement that was found by the way will do, or any other.
        helps = (
            bool(changes)
            and not spoilt
            and (not check(after, solution.placement) or has_placement(after, search) is True)
        )
        if helps:
            found.append(WayOut(changes, proven))
        else:
            fruitless, proven = fruitless + 1, False
        if not solution.support:
            return found
        model.exclude(solution.support, with_more=helps or not thoroughly)
        if found and not few and len(solution.support) > SIMPLE:
            model.relax_at_most(SIMPLE)
            few = True
    return found


def _tolerations_of_copies(problem: Problem) -> Iterator[tuple[Change, ...]]:
    """Yield ways to open a cluster to every workload of full copies that has none; one empty way if all do.

    A candidate more is a copy more, so nothing else opens clusters to such workloads.
    """
    every: list[list[tuple[Change, ...]]] = []
    for workload in problem.workloads:
        rule = workload.rule(Candidates) or Candidates(())
        if workload.rule(Duplicated) is not None and workload.replicas and not rule.names:
            sets = {
                tuple(sorted(taints)): each.source
                for name, each in rule.excluded.items()
                for taints in (each.taints, _evicting(each.taints) if workload.current.get(name) else ())
                if taints
            }
            ordered = sorted(sets, key=lambda taints: (len(taints), taints))[:WAYS]
            every.append([_tolerate(workload, taints, sets[taints]) for taints in ordered])
    for chosen_ways in islice(product(*every), WAYS):
        yield counted_once((change for way in chosen_ways for change in way), problem)


def _untold_tolerations(problem: Problem) -> Iterator[tuple[Change, ...]]:
    """Yield tolerations of which the rules do not tell what would hold on the clusters that open.

    First those of one cluster to one workload, and what they open to others of the policy; then all of them.
    """
    every: dict[tuple[Change, ...], None] = {}
    for workload in problem.workloads:
        rule = workload.rule(Candidates)
        for name, each in rule.excluded.items() if rule is not None and workload.replicas else ():
            for taints in {each.spoiling, _evicting(each.spoiling) if workload.current.get(name) else ()}:
                if taints:
                    changes = _tolerate(workload, tuple(sorted(taints)), each.source)
                    every[tuple(sorted(for_all(changes, problem.workloads, problem), key=order))] = None
    single = sorted(every, key=lambda way: (len(way), [order(each) for each in way]))
    together = {each.about: each for way in single for each in way}
    yield from single[:WAYS]
    if len(single) > 1:
        yield counted_once(sorted(together.values(), key=order), problem)


def _raised_copies(problem: Problem) -> Iterator[tuple[Change, ...]]:
    """Yield maxima of 0, raised to 1, of workloads of full copies that have no cluster for that reason."""
    for workload in problem.workloads:
        rule = workload.rule(Candidates) or Candidates(())
        for name, each in rule.excluded.items() if workload.replicas and not rule.names else ():
            if each.cause is Cause.NO_COPY and raised(workload, name, 1, problem) is not None:
                change = Change(ChangeKind.MAXIMUM, workload.key, name, "", 0, 1, 1, each.source)
                yield for_all((change,), problem.workloads, problem)


def _evicting(taints: Iterable[Taint]) -> tuple[Taint, ...]:
    """Return the taints that do not even let stay what runs."""
    return tuple(taint for taint in taints if taint.effect != "NoSchedule")


def _tolerate(workload: Workload, taints: tuple[Taint, ...], source: Source | None) -> tuple[Change, ...]:
    return tuple(
        Change(ChangeKind.TOLERATION, workload.key, None, taint, 0, 1, 1, source) for taint in taints
    )


def is_large(part: Problem) -> bool:
    """Tell whether a part is too large for one model."""
    return len(part.workloads) * len(part.clusters) > MOST_PLACES


def ways_of_large(part: Problem, search: Search, most: int) -> list[WayOut]:
    """Return changes that make a large part feasible: those of its workloads that fail by themselves.

    A budget of moves is one number for all of them, so that is looked at first.

    The cheapest first; empty where no workload fails by itself, or nothing was verified in time.
    """
    larger = larger_budgets(part, search)
    if larger:
        return [WayOut(changes, proven=True) for changes in larger]
    failing = alike(each for each in part.workloads if fails_alone(each, part))
    each_way: list[list[WayOut]] = []
    for members in failing:
        due = search.part(SHARE)
        if not due.deadline.remaining():
            return []
        found = ways(alone(members[0], part), due, most)
        if not found:
            return []
        each_way.append([WayOut(_of_all(way.changes, members, part), way.proven) for way in found])
    if not each_way:
        return []
    joined = [_together(each_way, at) for at in range(max(map(len, each_way)))]
    verified: list[WayOut] = []
    for way in chosen(joined, len(joined)):
        if (
            len(verified) < most
            and search.deadline.remaining()
            and _is_placed(apply(part, way.changes), search)
        ):
            verified.append(way)
    # What one workload needs at least, all of them need; that is the truth only where it counts once.
    return [
        WayOut(
            way.changes, way.proven and len(failing) == 1 and sum(1 for one in way.changes if one.cost) == 1
        )
        for way in verified
    ]


def _of_all(changes: Sequence[Change], members: Sequence[Workload], part: Problem) -> tuple[Change, ...]:
    """Return the changes of one workload, for all that are alike; a number that they share counts once."""
    shared = for_all(changes, members, part)
    known = {each.about for each in shared}
    mine = (
        replace(
            change,
            workload=workload.key,
            source=workload.replicas_source if change.kind == ChangeKind.REPLICAS else change.source,
        )
        for change in changes
        if change.workload is not None
        for workload in members
    )
    return tuple(sorted((*shared, *(each for each in mine if each.about not in known)), key=order))


def _together(each_way: Sequence[Sequence[WayOut]], at: int) -> WayOut:
    """Return one way of every class, the last one where a class has no more; nothing is changed twice."""
    changes: dict[tuple[object, ...], Change] = {}
    picked = [found[min(at, len(found) - 1)] for found in each_way]
    for change in (change for way in picked for change in way.changes):
        known = changes.get(change.about)
        if known is None or (known.amount, known.cost) < (change.amount, change.cost):
            changes[change.about] = change
    return WayOut(tuple(sorted(changes.values(), key=order)), all(way.proven for way in picked))


def _is_placed(problem: Problem, search: Search) -> bool:
    """Tell whether a problem has a placement: the reference dispenser's, or any other."""
    if len(problem.workloads) <= MOST_DISPENSED:
        spread_out = replace(problem, workloads=tuple(map(_evenly, problem.workloads)))
        if not check(problem, reference.place(spread_out)):
            return True
    return has_placement(problem, search) is True


def _evenly(workload: Workload) -> Workload:
    """Return a workload that is divided evenly where it is divided at all, so that it spreads by itself."""
    rule = workload.rule(Candidates)
    if workload.rule(Total) is None or rule is None:
        return workload
    return replace(workload, rules=(*workload.rules, Weights(dict.fromkeys(rule.names, 1))))
