"""Relaxations where several totals ask for more of one stock than there is: a single change makes it good.

The stock is a resource of all clusters that are open to some workloads, or a number of a quota. What is asked
for too much bounds the cost: a change that costs 1 gives back, or adds, the largest request at most. A single
change of that cost is the cheapest way, and only has to be verified.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from fairlead.models.problem import Problem
from fairlead.models.rules import Candidates, Duplicated, MoveBudget, Quota, Total
from fairlead.models.rules.capacity import needs
from fairlead.models.statement import Change
from fairlead.models.workload import Workload
from fairlead.solver.changes.apply import apply
from fairlead.solver.changes.kinds import Kind, order, varied
from fairlead.solver.changes.quota import followed, number_of
from fairlead.solver.conflicts.alone import fails_alone
from fairlead.solver.conflicts.budgets import over_budget
from fairlead.solver.conflicts.scarcity import demands_on, is_scarce, over_quota, supply_of
from fairlead.solver.feasibility import has_placement
from fairlead.solver.relaxation.relaxable import Relaxable, relaxables_of
from fairlead.solver.relaxation.sharing import EXACT
from fairlead.solver.relaxation.stock import KINDS, relaxables, stock_of
from fairlead.solver.running.deadline import Deadline

Changes = tuple[Change, ...]

FRUITLESS = 3
"""Changes in a row that may fail to be verified before this is given up."""


@dataclass(frozen=True, slots=True)
class _Excess:
    """Too much that is asked for."""

    resource: str
    """Of what."""
    amount: int
    """How much too much, in the resource's unit."""
    workloads: tuple[Workload, ...]
    """Who asks for it."""
    adding: tuple[Relaxable, ...]
    """The relaxables that add to the stock."""
    over: Mapping[str, int] = field(default_factory=dict)
    """What clusters have beyond the last step that replicas take; it counts where something is added."""


def quick(problem: Problem, deadline: Deadline, seed: int, most: int) -> list[Changes]:
    """Return single changes that make a problem feasible and cost the least; empty where none is known.

    `problem`: a problem without placement, with several workloads, preferences left out.
    """
    found = relaxables(problem)
    # An exact number that several share gives back more than the largest request; no other gives back any.
    shared = any(relaxable.sharing and relaxable.kind in EXACT for relaxable in found)
    if len(problem.workloads) < 2 or shared:
        return []
    ways = larger_budgets(problem, deadline, seed)
    if ways:
        return ways
    for excess in _excesses(problem, found):
        ways = []
        fruitless = 0
        for change in _cheapest(excess, problem):
            changes = followed((change,), problem)
            if len(ways) >= most or fruitless >= FRUITLESS or not deadline.remaining():
                break
            after = apply(problem, changes)
            if has_placement(after, deadline, seed):
                ways.append(changes)
            elif not ways:
                fruitless += 1
        if ways:
            return ways
    return []


def larger_budgets(problem: Problem, deadline: Deadline, seed: int) -> list[Changes]:
    """Return a budget that allows what has to move, where that makes a problem feasible; empty where not.

    Nothing else that costs as little does: to scale something down by one saves one move at most. Only a
    toleration could, or a number that several workloads or copies share: that is left to a search.
    """
    if any(each.kind is Kind.TOLERATION or each.sharing for each in relaxables(problem)):
        return []
    for rule in problem.rules:
        found = over_budget(rule, problem) if isinstance(rule, MoveBudget) else {}
        copied = any(problem.workload(key).rule(Duplicated) is not None for key in found)
        if found and not copied and isinstance(rule, MoveBudget):
            moving = sum(found.values())
            more = moving - rule.most
            changes = (Change(Kind.MOVE_BUDGET, None, None, rule.name, rule.most, moving, more, rule.source),)
            after = apply(problem, changes)
            # Whoever fails by himself is found much faster than all of them together.
            hopeless = is_scarce(after) or any(fails_alone(each, after) for each in after.workloads)
            if not hopeless and has_placement(after, deadline, seed):
                return [changes]
    return []


def _excesses(problem: Problem, found: Sequence[Relaxable]) -> Iterator[_Excess]:
    """Yield what is asked for too much: of quotas, then of what clusters have."""
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
            if relaxable.kind is Kind.QUOTA
            and number_of(relaxable.detail, relaxable.cluster, problem) == (rule, scope)
        )
        inside = tuple(problem.workload(key) for key, amount in asked.items() if amount)
        yield _Excess(scope.resource, sum(asked.values()) - limit, inside, adding)


def _of_clusters(problem: Problem, found: Sequence[Relaxable]) -> Iterator[_Excess]:
    """Yield resources of which totals ask for more than all clusters have that are open to them."""
    if any(relaxable.kind is Kind.TOLERATION for relaxable in found):
        # To open a cluster costs 1, whatever it has.
        return
    adding: dict[tuple[str, str], Relaxable] = {
        (relaxable.cluster or "", relaxable.named): relaxable
        for relaxable in found
        if relaxable.kind is Kind.CAPACITY
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
                each for each in relaxables_of(workload) if each.kind is Kind.REPLICAS and each.direction < 0
            )
            changes += [each.change(by, by, workload.key) for each in fewer]
    for relaxable, stock in stocks:
        amount = excess.amount - excess.over.get(relaxable.cluster or "", 0)
        cost = -(-amount // stock.largest)
        if cost <= least and amount > 0 and stock.is_plain:
            changes.append(relaxable.change(amount, cost, None))
    for (change,) in varied([(each,) for each in sorted(changes, key=order)]):
        yield change
