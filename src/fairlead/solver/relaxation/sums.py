"""Ways out that sums tell, without a model: what is missing is the least that anything can cost.

*One workload* whose rules bound single clusters and the total, ``lo_c <= x_c <= hi_c`` and a total N: a
change that costs 1 moves a bound or the total by 1 at most, so what is missing is the least cost:

* clusters with ``lo_c > hi_c`` while ``sum min(lo_c, hi_c) <= N <= sum hi_c``: the sum of the differences;
* ``sum lo_c > N``, or ``sum hi_c < N``: the difference;
* full copies of N: every replica fewer costs 1, and to let every copy have one more costs 1 or more, so
  copies of the smallest ``hi_c`` are the cheapest way, and larger clusters the only other one.

*Several workloads* whose totals ask for more of one stock than there is: a resource of all clusters that are
open to them, or a number of a quota. A change that costs 1 gives back, or adds, the largest request at most,
so a single change of what that makes the least cost is the cheapest way. All else is left to CP-SAT.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import Bounds, Candidates, Capacity, Duplicated, Quota, Total
from fairlead.models.rules.capacity import graded_room, needs
from fairlead.models.statement import Change
from fairlead.models.triggers import is_held_back
from fairlead.models.workload import Workload
from fairlead.solver.changes.apply import apply
from fairlead.solver.changes.kinds import ChangeKind, order, varied
from fairlead.solver.changes.quota import followed, number_of
from fairlead.solver.conflicts.scarcity import demands_on, over_quota, supply_of
from fairlead.solver.exact.boxes import box_of
from fairlead.solver.feasibility import has_placement
from fairlead.solver.relaxation.relaxable import Relaxable, relaxables_of, widest
from fairlead.solver.relaxation.shared_numbers import EXACT
from fairlead.solver.relaxation.stock import KINDS, larger_budgets, relaxables, stock_of
from fairlead.solver.running.search import Search

Changes = tuple[Change, ...]


def of_one(problem: Problem, most: int) -> list[Changes]:
    """Return ways out for a workload alone, the cheapest first; none where these are not known.

    Of full copies, the second is the cheapest that leaves the first rule alone.
    """
    box = _box(problem)
    if box is None:
        return []
    if problem.workloads[0].rule(Duplicated) is not None:
        found = _ranked(_smaller_or_larger(box))
    else:
        missing, ways = _ways(box, most)
        found = varied(_ranked(each for each in ways if _cost(each) == missing))
    return [way for way in found[:most] if _has_box(apply(problem, way))]


def _has_box(problem: Problem) -> bool:
    """Tell whether the only workload has a placement: its box says so, also where time is over."""
    return box_of(problem.workloads[0], problem).box.feasible


@dataclass(frozen=True, slots=True)
class _Box:
    """The workload as a box: fewest and most replicas by candidate, and what may be changed by cluster."""

    problem: Problem
    workload: Workload
    low: Mapping[str, int]
    high: Mapping[str, int]
    found: Mapping[str | None, tuple[Relaxable, ...]]

    def change(self, kind: ChangeKind, cluster: str | None, by: int) -> Changes:
        """Return a number that is changed by so much; nothing where it cannot be."""
        way = 1 if by > 0 else -1
        for each in self.found.get(cluster, ()):
            if each.kind is kind and each.direction == way and each.most >= abs(by):
                return (each.change(abs(by), abs(by), self.workload.key),)
        return ()

    def raised(self, name: str, replicas: int) -> Changes:
        """Return what lets a cluster hold so many replicas; nothing where that is not to be had."""
        cluster, candidates = self.problem.cluster_by_name[name], self.workload.rule(Candidates)
        graded = graded_room(self.workload, cluster)
        held = self.workload.current.get(name, 0)
        closed = candidates is not None and name in candidates.held_only and held < replicas
        if closed or (graded is not None and graded < replicas):
            return ()
        changes: list[Change] = []
        for each in self.found.get(name, ()):
            if each.kind is ChangeKind.MAXIMUM and each.before < replicas:
                if each.before + each.most < replicas:
                    return ()
                changes.append(each.change(replicas - each.before, replicas - each.before, each.workload))
            if each.kind is ChangeKind.CAPACITY:
                lacking, cost = stock_of(each, self.problem).lacking(
                    Placement({self.workload.key: {name: replicas}})
                )
                changes += [each.change(lacking, cost, None)] if lacking else []
        return tuple(changes)


def _cost(changes: Changes) -> int:
    return sum(change.cost for change in changes)


def _ranked(ways: Iterable[Changes]) -> list[Changes]:
    """Sort ways: the cheapest, then those of the fewest changes, of the first kinds and the first names."""
    return sorted(
        (tuple(sorted(each, key=order)) for each in ways if each),
        key=lambda each: (_cost(each), len(each), [order(change) for change in each]),
    )


def _box(problem: Problem) -> _Box | None:
    """Return the box of the only workload; None where its rules say more, or taints close clusters."""
    if any(not isinstance(rule, Capacity) for rule in problem.rules):
        return None
    (workload,) = problem.workloads
    copies, bounds = workload.rule(Duplicated), workload.rule(Bounds) or Bounds()
    if not workload.replicas or is_held_back(workload) or not problem.candidates(workload):
        return None
    simple = Candidates | Bounds | (Total if copies is None else Duplicated)
    if any(not isinstance(rule, simple) for rule in workload.rules):
        return None
    if len(workload.rules_of(Bounds)) > 1 or bounds.where_held:
        return None
    if copies is None and workload.rule(Total) is None:
        return None
    minimum = any(each.replicas for each in bounds.minimum.values())
    if copies is not None and (copies.choice or copies.copies or minimum):
        return None
    found: dict[str | None, tuple[Relaxable, ...]] = {}
    for each in relaxables(problem):
        if each.kind is ChangeKind.TOLERATION:
            return None
        found[each.cluster] = (*found.get(each.cluster, ()), each)
    # No cluster is asked for more than that, so that it bounds none.
    boxed = box_of(replace(workload, replicas=widest(workload)), problem)
    low, high = (
        dict(zip(boxed.names, each.tolist(), strict=True)) for each in (boxed.box.lower, boxed.box.upper)
    )
    return _Box(problem, workload, low, high, found)


def _ways(box: _Box, most: int) -> tuple[int, list[Changes]]:
    """Return what is missing and ways to make it good; none where several contradictions meet."""
    wanted = box.workload.replicas
    crossed = [name for name in box.low if box.low[name] > box.high[name]]
    least, greatest = sum(box.low.values()), sum(box.high.values())
    if crossed:
        fitting = sum(min(box.low[name], box.high[name]) for name in box.low)
        missing = sum(box.low[name] - box.high[name] for name in crossed)
        if not fitting <= wanted <= greatest:
            return missing, []
        lowered = [box.change(ChangeKind.MINIMUM, name, box.high[name] - box.low[name]) for name in crossed]
        several = len(crossed) > 1 or least > wanted
        raised = () if several else box.raised(crossed[0], box.low[crossed[0]])
        return missing, [tuple(change for each in lowered for change in each), raised]
    if least > wanted:
        more = box.change(ChangeKind.REPLICAS, None, least - wanted)
        return least - wanted, [more, *_lower_minima(box, least - wanted, most)]
    missing = wanted - greatest
    ways = [box.raised(name, box.high[name] + missing) for name in box.low]
    return missing, [box.change(ChangeKind.REPLICAS, None, -missing), *ways]


def _smaller_or_larger(box: _Box) -> list[Changes]:
    """Return smaller copies, and more room wherever a full copy has none; nothing where no copy stands."""
    wanted, fitting = box.workload.replicas, min(box.high.values())
    if not 0 < fitting < wanted:
        return []
    larger = [box.raised(name, wanted) for name, most in box.high.items() if most < wanted]
    together = tuple(change for each in larger for change in each) if all(larger) else ()
    return [box.change(ChangeKind.REPLICAS, None, fitting - wanted), together]


def _lower_minima(box: _Box, by: int, most: int) -> Iterator[Changes]:
    """Yield single minima that are large enough, or the fewest that are large enough together."""
    enough = [name for name in sorted(box.low) if box.low[name] >= by]
    for name in enough[:most]:
        yield box.change(ChangeKind.MINIMUM, name, -by)
    if enough:
        return
    changes: list[Change] = []
    for name in sorted(box.low, key=lambda each: (-box.low[each], each)):
        step = min(by, box.low[name])
        if step:
            changes += box.change(ChangeKind.MINIMUM, name, -step)
        by -= step
    yield tuple(changes)


FRUITLESS = 3
"""Changes in a row that may fail to be verified before this is given up."""


def quick(problem: Problem, search: Search, most: int) -> list[Changes]:
    """Return changes that make a problem feasible and cost the least; empty where sums do not tell.

    `problem`: a problem without placement, preferences left out; `most`: how many are wanted.
    """
    if len(problem.workloads) == 1:
        return of_one(problem, most)
    ways = larger_budgets(problem, search)
    if ways:
        return ways
    for excess in _excesses(problem):
        ways = []
        fruitless = 0
        for change in _cheapest(excess, problem):
            changes = followed((change,), problem)
            if len(ways) >= most or fruitless >= FRUITLESS or not search.deadline.remaining():
                break
            if has_placement(apply(problem, changes), search):
                ways.append(changes)
            elif not ways:
                fruitless += 1
        if ways:
            return ways
    return []


@dataclass(frozen=True, slots=True)
class _Excess:
    """Amount of a resource that workloads ask for too much, in its unit, and what adds to the stock."""

    resource: str
    amount: int
    workloads: tuple[Workload, ...]
    adding: tuple[Relaxable, ...]
    over: Mapping[str, int] = field(default_factory=dict)
    """Capacity by cluster beyond the last multiple of the requests; it counts where something is added."""


def _excesses(problem: Problem) -> Iterator[_Excess]:
    """Yield the amounts that are asked for too much: of quotas, then of clusters."""
    found = relaxables(problem)
    # An exact number that several share gives back more than the largest request; no other gives back any.
    if any(relaxable.sharing and relaxable.kind in EXACT for relaxable in found):
        return
    for rule in problem.rules:
        if isinstance(rule, Quota):
            yield from _of_quota(rule, problem, found)
    if problem.has_capacity:
        yield from _of_clusters(problem, found)


def _of_quota(rule: Quota, problem: Problem, found: Sequence[Relaxable]) -> Iterator[_Excess]:
    """Yield the numbers of a quota for all clusters together that totals do not fit into."""
    totals = {each.key for each in problem.workloads if each.rule(Total) is not None}
    for scope, limit, asked in over_quota(rule, problem, totals):
        adding = tuple(
            relaxable
            for relaxable in found
            if relaxable.kind is ChangeKind.QUOTA
            and number_of(relaxable.detail, relaxable.cluster, problem) == (rule, scope)
        )
        inside = tuple(problem.workload(key) for key, amount in asked.items() if amount)
        yield _Excess(scope.resource, sum(asked.values()) - limit, inside, adding)


def _of_clusters(problem: Problem, found: Sequence[Relaxable]) -> Iterator[_Excess]:
    """Yield resources of which totals ask for more than all clusters have that are open to them."""
    if any(relaxable.kind is ChangeKind.TOLERATION for relaxable in found):
        # To open a cluster costs 1, whatever it has.
        return
    adding: dict[tuple[str, str], Relaxable] = {
        (relaxable.cluster or "", relaxable.named): relaxable
        for relaxable in found
        if relaxable.kind is ChangeKind.CAPACITY
    }
    keys = {
        each.key
        for each in problem.workloads
        if each.rule(Total) is not None and each.rule(Candidates) is not None
    }
    for resource, demands in demands_on(problem, adding, keys).items():
        supply = supply_of(demands, resource, problem)
        if supply.excess > 0:
            inside = tuple(problem.workload(each.key) for each in demands)
            more = tuple(adding[name, resource] for name in sorted(supply.rooms))
            # What is left of a cluster beyond the last step that replicas take is of no use.
            over = {name: room % supply.step for name, room in supply.rooms.items() if room > 0}
            yield _Excess(resource, supply.excess, inside, more, over)


def _cheapest(excess: _Excess, problem: Problem) -> Iterator[Change]:
    """Yield the single changes of the least possible cost, one of every kind before a second one of any."""
    stocks = [
        (relaxable, stock_of(relaxable, problem)) for relaxable in excess.adding if relaxable.kind in KINDS
    ]
    requests = [needs(each)[excess.resource] for each in excess.workloads]
    largest = max([*requests, *(stock.largest for _, stock in stocks)])
    least = -(-excess.amount // largest)
    changes: list[Change] = []
    for workload in excess.workloads:
        by = -(-excess.amount // needs(workload)[excess.resource])
        if by == least and by < workload.replicas:
            fewer = (
                each
                for each in relaxables_of(workload)
                if each.kind is ChangeKind.REPLICAS and each.direction < 0
            )
            changes += [each.change(by, by, workload.key) for each in fewer]
    for relaxable, stock in stocks:
        amount = excess.amount - excess.over.get(relaxable.cluster or "", 0)
        cost = -(-amount // stock.largest)
        if cost <= least and amount > 0 and stock.is_plain:
            changes.append(relaxable.change(amount, cost, None))
    for (change,) in varied([(each,) for each in sorted(changes, key=order)]):
        yield change
