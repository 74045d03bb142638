"""Conflicts of one workload in closed form, without a solver.

Where rules bound single clusters or their total, a conflict is one of few kinds: a cluster needs more than it
may hold, minima add up to more than the total, all candidates together hold less than the total, or as many
groups of them as a spread allows do, a set of clusters cannot hold what it has to, or a spread wants more
groups than there are. Each of them is minimal by construction.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations, islice

from fairlead.models import rules
from fairlead.models.problem import Problem
from fairlead.models.statement import Proof
from fairlead.models.workload import Workload
from fairlead.solver.conflicts.outline import Outline, outline_of
from fairlead.solver.conflicts.scarcity import FoundConflict, fewest_over, over_quota
from fairlead.solver.conflicts.subset import most_within, widest
from fairlead.solver.conflicts.units import Part, Positions, Room, Unit, has_to_move


def closed_form(workload: Workload, problem: Problem, units: Sequence[Unit]) -> FoundConflict | None:
    """Return a conflict of one workload; None where none is seen without a solver.

    `problem`: the question, as if it had no other workload.
    """
    most = widest(workload)
    for at, unit in enumerate(units):
        if _impossible(unit.part, most, problem):
            return FoundConflict((at,), Proof.SMALLEST)
    outline = outline_of(workload, problem, units)
    every = (
        *_pairs(outline),
        *_sums(outline),
        *_spreads(outline),
        *_sets(outline),
    )
    found = min((each for each in every if each is not None), key=len, default=None)
    if found is None:
        return None
    smallest = len(found) <= 2 or outline.only_boxes
    told = outline_of(workload, problem, [units[at] for at in found]).only_boxes
    return FoundConflict(tuple(sorted(found)), Proof.SMALLEST if smallest else Proof.MINIMAL, told)


def _impossible(part: Part, most: int, problem: Problem) -> bool:
    """Tell whether a unit has no placement even by itself, with at most so many replicas on every cluster."""
    match part:
        case rules.Total() | rules.Duplicated():
            return not problem.clusters
        case rules.Numbered():
            return part.impossible(most, frozenset(problem.cluster_by_name))
        case rules.Candidates() | rules.Companionship() | rules.MoveBudget() | rules.Quota() | Room():
            return False


def _pairs(outline: Outline) -> Iterator[Positions]:
    """Yield conflicts of two units, of each kind the first one."""
    workload, problem, closed = outline.workload, outline.problem, outline.closed
    total = () if outline.total is None else (outline.total,)
    yield from islice(_crossing(outline), 1)
    wide = (
        at
        for at, rule in outline.of(rules.Spread).items()
        if rule.minimum > workload.replicas > 0 and _disjoint(rule.groups.values())
    )
    yield from islice(((*total, at) for at in wide if total), 1)
    copies = outline.of(rules.Duplicated) if not outline.names and workload.replicas else ()
    yield from islice(((at, *closed) for at in copies), 1)
    budgets = outline.of(rules.MoveBudget).items() if closed else ()
    small = (at for at, rule in budgets if has_to_move(rule, workload, problem) > rule.most)
    yield from islice(((at, *closed) for at in small), 1)
    quotas = outline.of(rules.Quota).items() if total else ()
    over = (at for at, rule in quotas if any(over_quota(rule, problem, {workload.key})))
    yield from islice(((*total, at) for at in over), 1)


def _sums(outline: Outline) -> Iterator[Positions | None]:
    """Yield minima that add up to more than the total, and clusters that hold less than it together."""
    if outline.total is None:
        return
    least = (outline.least(name) for name in outline.limits.keys() & frozenset(outline.names))
    yield _over(outline.total, outline.workload.replicas, (each for each in least if each))
    if outline.workload.replicas:
        yield _under(outline.total, outline.workload.replicas, outline.names, outline, outline.closed)


def _spreads(outline: Outline) -> Iterator[Positions]:
    """Yield the fewest spreads that allow so few groups that these hold less than the total, whichever."""
    found = {name: outline.most(name) for name in outline.names}
    holds = {name: most for name, most in found.items() if most is not None}
    if outline.total is None or not outline.workload.replicas or len(holds) < len(found):
        return
    problem, spreads = outline.problem, outline.of(rules.Spread)
    limiting = [at for at, rule in spreads.items() if rule.maximum is not None]
    for number in range(1, len(limiting) + 1):
        for some in combinations(limiting, number):
            # What is in more groups than that holds nothing, whatever room it has.
            able = {each for each in problem.cluster_by_name if all(_holds(spreads[at], each) for at in some)}
            known = dict.fromkeys(unit for name, (_, unit) in holds.items() if name in able)
            closed = outline.closed if able.difference(outline.names) else ()
            conflict = (outline.total, *some, *known, *closed)
            asked = [outline.units[at] for at in conflict]
            most = most_within(problem, outline.workload.key, asked) if able else 0
            if most is not None and most < outline.workload.replicas:
                yield conflict
                return


def _holds(rule: rules.Spread, name: str) -> bool:
    """Tell whether a cluster is in no more groups than may hold replicas."""
    inside = sum(name in clusters for clusters in rule.groups.values())
    return rule.maximum is None or inside <= rule.maximum


def _sets(outline: Outline) -> Iterator[Positions | None]:
    """Yield conflicts of sets with what their clusters hold, and of disjoint sets with the total.

    Last comes a spread over more groups than have candidates.
    """
    wanted, totals, closed = outline.workload.replicas, outline.of(rules.GroupTotal), outline.closed
    lows = {at: rule for at, rule in totals.items() if rule.minimum and rule.clusters}
    highs = {at: rule for at, rule in totals.items() if rule.maximum is not None and rule.clusters}
    known = frozenset(outline.names)
    for at, rule in lows.items():
        shut = closed if rule.clusters - known else ()
        yield _under(at, rule.minimum, sorted(rule.clusters & known), outline, shut)
        if outline.total is not None and rule.minimum > wanted:
            yield outline.total, at
    for at, rule in highs.items():
        least = (outline.least(name) for name in sorted(rule.clusters))
        yield _over(at, rule.maximum or 0, (each for each in least if each))
    if outline.total is not None and wanted:
        if _disjoint(rule.clusters & known for rule in lows.values()):
            over = _over(outline.total, wanted, [(rule.minimum, at) for at, rule in lows.items()])
            apart = over is None or _disjoint(rule.clusters for at, rule in lows.items() if at in over)
            yield over if over is None or apart else (*over, *closed)
        for covering in _covers(highs, outline.names):
            if sum(rule.maximum or 0 for rule in covering.values()) < wanted:
                yield outline.total, *covering, *closed
    if closed:
        few = (
            at
            for at, rule in outline.of(rules.Spread).items()
            if rule.minimum > sum(not inside.isdisjoint(known) for inside in rule.groups.values())
        )
        yield from islice(((at, *closed) for at in few), 1)


def _crossing(outline: Outline) -> Iterator[Positions]:
    """Yield clusters that need more than they may hold."""
    for name in outline.names:
        least, most = outline.least(name), outline.most(name)
        if least and most and least[0] > most[0] and least[1] != most[1]:
            yield least[1], most[1]


def _over(limit: int, allowed: int, needs: Iterable[tuple[int, int]]) -> Positions | None:
    """Return a limit and the fewest needs that add up to more; None where they do not."""
    found = fewest_over(sorted(needs, key=lambda each: each[1]), allowed)
    return None if found is None else (limit, *found)


def _under(
    need: int, wanted: int, names: Iterable[str], outline: Outline, closed: Positions = ()
) -> Positions | None:
    """Return a need and what keeps some clusters from holding so many; None where nothing does."""
    holds = [outline.most(name) for name in names]
    known = [each for each in holds if each is not None]
    if len(known) < len(holds) or sum(most for most, _ in known) >= wanted:
        return None
    return (need, *(at for _, at in known), *closed)


def _covers(
    highs: Mapping[int, rules.GroupTotal], names: Sequence[str]
) -> Iterator[Mapping[int, rules.GroupTotal]]:
    """Yield sets that hold every candidate: single ones, and all others together where they are disjoint."""
    parts = {}
    for at, rule in highs.items():
        if names and rule.clusters.issuperset(names):
            yield {at: rule}
        else:
            parts[at] = rule
    inside = frozenset[str]().union(*(rule.clusters for rule in parts.values()))
    if parts and _disjoint(rule.clusters for rule in parts.values()) and inside.issuperset(names):
        yield parts


def _disjoint(sets: Iterable[frozenset[str]]) -> bool:
    """Tell whether no cluster is in two sets."""
    inside = [name for names in sets for name in names]
    return len(inside) == len(set(inside))
