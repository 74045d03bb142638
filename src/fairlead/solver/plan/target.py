"""The problem behind a plan: the same workloads and clusters, with budgets and pins as rules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from fairlead.models.check import in_kept_group, violations_of
from fairlead.models.errors import UsageError
from fairlead.models.levels import BALANCE
from fairlead.models.names import find_cluster, find_workload
from fairlead.models.problem import Problem
from fairlead.models.quantity import Amount, percentage, share_of
from fairlead.models.rules import MoveBudget, MovePrice, Moves, Total, Weights, WorkloadRule
from fairlead.models.rules.move_budget import under_way
from fairlead.models.validity import trusted
from fairlead.models.variants import Rules, with_rules
from fairlead.models.words import no_such
from fairlead.models.workload import Workload, as_scheduled, running
from fairlead.solver.plan.answer import Budgets, OtherWorkloads, PlanOptions

UnderWay = Mapping[str, frozenset[str]]
"""Clusters by workload from which replicas are on their way already."""


def planned(problem: Problem, options: PlanOptions) -> Problem:
    """Return the problem whose best placement is the target of a plan.

    Where somebody asked to rebalance some workloads (``Workload.fresh``, a WorkloadRebalancer), these are
    planned, and the others stay or make room as the options say; otherwise all are planned. A workload that
    breaks a rule where it runs is always planned.

    The options name workloads by their keys; see `by_key`.
    """
    asked = any(workload.fresh for workload in problem.workloads)
    staying = frozenset(
        workload.key
        for workload in problem.workloads
        if asked and not workload.fresh and _stands_well(workload, problem)
    )
    moves = Moves(frozenset(problem.cluster_by_name))
    price = MovePrice(options.gain, moves.present) if options.gain else None
    workloads = tuple(
        _prepared(
            each,
            moves,
            price,
            first=options.moves_first or each.key in staying,
            due=each.due if asked else True,
        )
        for each in problem.workloads
    )
    still = (staying if options.others is OtherWorkloads.STAY else frozenset()) | options.pinned
    leaving = under_way(problem.workloads)
    pins = (
        MoveBudget(f"{key}, which stays", 0, frozenset({key}), under_way=leaving) for key in sorted(still)
    )
    question = replace(
        problem,
        # Nothing is moved only to fill clusters alike.
        levels=tuple(key for key in problem.levels if key != BALANCE.key),
        workloads=workloads,
        rules=(*problem.rules, *_budgets(problem, options, leaving), *pins),
    )
    return trusted(question) if options.budgets == Budgets() else question


def by_key(problem: Problem, options: PlanOptions) -> PlanOptions:
    """Return options that name workloads by their keys, whatever names they were given.

    Raises `UsageError` where the options name a workload, namespace or cluster that is not in the problem.
    """
    budgets = options.budgets
    spaces = {each.namespace for each in problem.workloads}
    strangers = sorted(budgets.namespaces.keys() - spaces)
    if strangers:
        raise UsageError(no_such("namespace", strangers[0], spaces))
    for name in sorted(options.pinned_clusters | budgets.leaving.keys() | budgets.arriving.keys()):
        find_cluster(problem, name)
    named = {find_workload(problem, name).key: amount for name, amount in budgets.workloads.items()}
    pinned = frozenset(find_workload(problem, name).key for name in sorted(options.pinned))
    return replace(options, budgets=replace(budgets, workloads=named), pinned=pinned)


def _stands_well(workload: Workload, problem: Problem) -> bool:
    """Tell whether a workload may stay: what runs is what is wanted, and breaks no rule of its own."""
    held = running(workload, problem.cluster_by_name)
    return not any(violations_of(in_kept_group(as_scheduled(workload), held), held))


def _prepared(
    workload: Workload, moves: Moves, price: MovePrice | None, *, first: bool, due: bool
) -> Workload:
    """Return a workload with the price of its moves, and with moves before all else where they come first."""

    def counted(given: Rules) -> Rules:
        before = next((rule for rule in given if isinstance(rule, Moves)), moves)
        rules: list[WorkloadRule] = [rule for rule in given if not isinstance(rule, Moves)]
        rules.append(replace(before, keep=True) if first else before)
        if price is not None and {Weights, Total} <= {type(rule) for rule in given}:
            rules.append(price)
        return tuple(rules)

    after, fresh = with_rules(workload, counted), workload.fresh and not first
    return after if (fresh, due) == (after.fresh, after.due) else replace(after, fresh=fresh, due=due)


def _budgets(problem: Problem, options: PlanOptions, leaving: UnderWay) -> Iterator[MoveBudget]:
    budgets = options.budgets
    everyone = [workload.key for workload in problem.workloads]
    if budgets.total is not None:
        yield _budget("all workloads", budgets.total, everyone, problem, leaving)
    for key in everyone:
        amount = budgets.workloads.get(key, budgets.per_workload)
        if amount is not None:
            yield _budget(key, amount, [key], problem, leaving)
    for space in sorted({workload.namespace for workload in problem.workloads}):
        amount = budgets.namespaces.get(space, budgets.per_namespace)
        inside = [workload.key for workload in problem.workloads if workload.namespace == space]
        if amount is not None:
            yield _budget(f"namespace {space}", amount, inside, problem, leaving)

    def most(name: str, given: Mapping[str, Amount]) -> int:
        amount = 0 if name in options.pinned_clusters else given[name]
        return share_of(amount, sum(workload.current.get(name, 0) for workload in problem.workloads))

    for name in sorted(options.pinned_clusters | budgets.leaving.keys()):
        allowed, only = most(name, budgets.leaving), frozenset({name})
        yield MoveBudget(f"leaving {name}", allowed, leaving=only, under_way=leaving)
    for name in sorted(options.pinned_clusters | budgets.arriving.keys()):
        allowed, only = most(name, budgets.arriving), frozenset({name})
        yield MoveBudget(f"arriving at {name}", allowed, arriving=only)


def _budget(name: str, amount: Amount, keys: list[str], problem: Problem, leaving: UnderWay) -> MoveBudget:
    """Return the budget that some workloads share."""
    there = (running(problem.workload_by_key[key], problem.cluster_by_name) for key in keys)
    most, part = share_of(amount, sum(sum(held.values()) for held in there)), percentage(amount)
    return MoveBudget(name, most, frozenset(keys), under_way=leaving, part=part)
