"""Ways out that sums tell, without a model: the missing amount is the least that anything can cost.

Several totals ask for more of one stock than there is: a resource of all clusters that are open to some
workloads, or a number of a quota. A change that costs 1 gives back, or adds, the largest request at most, so
a single change of what that makes the least cost is the cheapest way. All else is left to CP-SAT.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from fairlead.models.problem import Problem
from fairlead.models.rules import Candidates, Quota, Total
from fairlead.models.rules.capacity import needs
from fairlead.models.statement import Change
from fairlead.models.workload import Workload
from fairlead.solver.changes.apply import apply
from fairlead.solver.changes.kinds import ChangeKind, order, varied
from fairlead.solver.changes.quota import followed, number_of
from fairlead.solver.conflicts.scarcity import demands_on, over_quota, supply_of
from fairlead.solver.feasibility import has_placement
from fairlead.solver.relaxation.box_sums import Changes, of_one
from fairlead.solver.relaxation.relaxable import Relaxable, relaxables_of
from fairlead.solver.relaxation.shared_numbers import EXACT
from fairlead.solver.relaxation.stock import KINDS, larger_budgets, relaxables, stock_of
from fairlead.solver.running.search import Search

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
