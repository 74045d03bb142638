"""Problems that are made in Python are validated as manifests are: all that is wrong is told at once.

Rules that nobody leaves out by mistake without noticing are added where they are missing: `Total` to every
workload, and `Capacity` to the problem, unless they are left out on purpose (``Workload.without``,
``Problem.without``).
"""

import operator
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, assert_never, get_args

from fairlead.models.amounts import MOST_REPLICAS, excessive
from fairlead.models.balance import without_balance
from fairlead.models.cluster import Cluster
from fairlead.models.errors import ManifestError, Mistake, UsageError
from fairlead.models.in_order import Clusters, extremes, numbers_of
from fairlead.models.kept import keep, kept
from fairlead.models.levels import Level, order_with
from fairlead.models.problem import Problem
from fairlead.models.rules import (
    Aggregated,
    BindingRule,
    Bounds,
    Candidates,
    Capacity,
    Companionship,
    Copies,
    CustomCost,
    CustomRule,
    Duplicated,
    Evenness,
    Grouped,
    GroupTotal,
    MoveBudget,
    MovePrice,
    Moves,
    Preference,
    Price,
    Quota,
    SharedRule,
    Shares,
    Tiers,
    Total,
    Weights,
    WorkloadRule,
    bounds,
    capacity,
    custom,
    total,
    weights,
)
from fairlead.models.shapes import misfits
from fairlead.models.source import Source
from fairlead.models.workload import Workload

Found = Iterator[tuple[str, Any, str]]
"""Field, value and what is wrong with it."""

COUNT = f"must be a whole number from 0 to {MOST_REPLICAS}"
AMOUNT = "must be a whole number of at least 0: millicores of cpu, bytes, pods or devices of all else"
WEIGHT = "must be a whole number of at least 0"
FREE = "must be a whole number: millicores of cpu, bytes, pods or devices of all else"
UNKNOWN = "is not a cluster of the problem"


def completed(problem: Problem) -> Problem:
    """Return a problem with the rules that hold unless they are left out on purpose, once it is valid.

    Raises
    ------
    UsageError
        Where something else is given, such as the path of a file.
    ManifestError
        Where anything in the problem is wrong; names every mistake.
    """
    given: object = problem
    if not isinstance(given, Problem):
        raise UsageError(
            f"{type(given).__name__} is no problem; fairlead.load and Model.problem() return one"
        )
    if mistakes := mistakes_of(problem):
        raise ManifestError(mistakes)
    problem = without_balance(with_outside(problem))
    workloads = tuple(_counted(workload) for workload in problem.workloads)
    rules = problem.rules
    if capacity.KIND not in problem.without and not any(isinstance(rule, Capacity) for rule in rules):
        rules = (Capacity(), *rules)
    if rules is problem.rules and all(map(operator.is_, workloads, problem.workloads)):
        return problem
    return replace(problem, workloads=workloads, rules=rules)


def trusted(problem: Problem) -> Problem:
    """Return a problem that was made from a valid one: nobody looks for mistakes in it again."""
    nothing: tuple[Mistake, ...] = ()
    keep(problem, mistakes_of, nothing)
    return problem


def _counted(workload: Workload) -> Workload:
    """Return a workload that has as many replicas as it asks for."""
    if total.KIND in workload.without or not uncounted(workload.rules):
        return workload
    return replace(workload, rules=(*workload.rules, Total()))


def uncounted(rules: Iterable[WorkloadRule]) -> frozenset[str]:
    """Return `Workload.without` of a workload whose rules are complete: the total where no rule counts."""
    counts = any(isinstance(rule, Total | Duplicated) for rule in rules)
    return frozenset() if counts else frozenset([total.KIND])


@kept
def mistakes_of(problem: Problem) -> tuple[Mistake, ...]:
    """Return everything that is wrong with the numbers and names of a problem.

    Of what is of another type than declared nothing else is told.
    """
    return tuple(_mistakes("problem", None, _misfits(problem))) or tuple(_all_mistakes(problem))


def _misfits(thing: object) -> Sequence[tuple[str, Any, str]]:
    """Return fields that hold something else than declared."""
    return [(each.field, each.value, each.allowed) for each in misfits(thing)]


def _all_mistakes(problem: Problem) -> Iterator[Mistake]:
    """Yield mistakes of clusters, of workloads, and of what these share."""
    known, keys = problem.all_clusters, frozenset(problem.workload_by_key)
    odd = {cluster.name: found for cluster in problem.clusters if (found := _misfits(cluster))}
    for cluster in () if not odd and known.once(_are_plain) else problem.clusters:
        found = odd.get(cluster.name) or list(_of_cluster(cluster))
        yield from _mistakes(f"cluster {cluster.name}", cluster.source, found)
    for workload in problem.workloads:
        yield from _mistakes(f"workload {workload.key}", workload.source, _of_workload(workload, known))
    for shared in problem.rules:
        told = _of_any_rule(shared, _OF_PROBLEMS) or _of_shared(shared, known, keys)
        yield from _mistakes("problem", None, told)
    if all(_has_amounts(workload) for workload in problem.workloads):
        for workload, resource, message in excessive(problem):
            yield Mistake(workload.source, f"workload {workload.key}: requests[{resource}]", "", message)


def _has_amounts(workload: Workload) -> bool:
    """Tell whether what a workload asks for is a number of replicas, each of whole amounts."""
    needs = workload.requests
    typed = isinstance(needs, Mapping) and isinstance(workload.rules, tuple | list)
    return typed and _is_count(workload.replicas) and all(map(_is_whole, needs.values()))


_OF_WORKLOADS = frozenset((*get_args(BindingRule), *get_args(Preference)))
_OF_PROBLEMS = frozenset(get_args(SharedRule))


def _of_any_rule(rule: object, kinds: frozenset[type]) -> Sequence[tuple[str, Any, str]]:
    """Return what is no rule of some kinds, or of another type in it than declared."""
    if type(rule) not in kinds and not isinstance(rule, tuple(kinds)):
        return [("rules", rule, "is no rule that can stand there")]
    return [(f"{type(rule).__name__}.{each.field}", each.value, each.allowed) for each in misfits(rule)]


def _of_cluster(cluster: Cluster) -> Found:
    """Yield what is wrong with the amounts of a cluster."""
    yield from _amounts("allocatable", cluster.allocatable or {}, AMOUNT, least=0)
    yield from _amounts("free", cluster.free or {}, FREE, least=None)
    for place, grade in enumerate(cluster.grades):
        yield from _numbers({f"grades[{place}].nodes": grade.nodes}, MOST_REPLICAS**2)
        yield from _amounts(f"grades[{place}].offers", grade.offers, AMOUNT, least=0)


def _mistakes(
    subject: str, source: Source | None, found: Iterable[tuple[str, Any, str]]
) -> Iterator[Mistake]:
    """Yield mistakes about one object."""
    for field, value, message in found:
        yield Mistake(source or Source("<dict>", 0), f"{subject}: {field}", str(value)[:80], message)


def _is_whole(value: object) -> bool:
    """Tell whether a value is a whole number; True and False are none."""
    return isinstance(value, int) and not isinstance(value, bool)


def _are_plain(clusters: Clusters) -> bool:
    """Tell whether the amounts of all clusters are right, as they mostly are: one look at all of them."""
    had, free = clusters.allocatable.values(), clusters.free.values()
    whole = all(_all_whole(column.amounts) for column in chain(had, free))
    return whole and all(extremes(column)[0] >= 0 for column in had) and not clusters.graded


def _all_whole(numbers: Collection[object]) -> bool:
    """Tell whether all numbers are plain whole ones."""
    return operator.countOf(map(type, numbers), int) == len(numbers)


def _is_count(value: Any) -> bool:
    """Tell whether a value is a number of replicas."""
    return _is_whole(value) and 0 <= value <= MOST_REPLICAS


def _amounts(field: str, amounts: Mapping[str, Any], allowed: str, *, least: int | None) -> Found:
    """Yield amounts that are not whole, or too small."""
    if _all_whole(numbers_of(amounts)) and (least is None or extremes(amounts)[0] >= least):
        return
    for resource, amount in amounts.items():
        if not _is_whole(amount) or (least is not None and amount < least):
            yield f"{field}[{resource}]", amount, allowed


def _numbers(numbers: Mapping[str, Any], most: int = MOST_REPLICAS) -> Found:
    """Yield numbers, by field, that are no numbers of replicas."""
    for field, number in numbers.items():
        if not (_is_whole(number) and 0 <= number <= most):
            yield field, number, COUNT


def _counts(field: str, counts: Mapping[str, Any], most: int = MOST_REPLICAS) -> Found:
    """Yield numbers of one field, by what they are for, that are no numbers of replicas."""
    if _all_whole(numbers_of(counts)):
        least, greatest = extremes(counts)
        if least >= 0 and greatest <= most:
            return
    yield from _numbers({f"{field}[{name}]": count for name, count in counts.items()}, most)


def _strangers(field: str, clusters: Collection[str], known: Clusters) -> Found:
    """Yield clusters that the problem does not have."""
    # Very often all are named, in order.
    if clusters == known.names or all(map(known.by_name.__contains__, clusters)):
        return
    for name in sorted(set(clusters) - known.by_name.keys()):
        yield field, name, UNKNOWN


def _of_workload(workload: Workload, known: Clusters) -> Found:
    """Yield what is wrong with a workload and its rules."""
    if odd := _misfits(workload):
        yield from odd
        return
    yield from _numbers({"replicas": workload.replicas})
    yield from _amounts("requests", workload.requests, AMOUNT, least=0)
    yield from _counts("current", workload.current)
    for rule in _every_rule(workload):
        yield from _of_any_rule(rule, _OF_WORKLOADS) or _of_rule(rule, known)


def _every_rule(workload: Workload) -> Iterable[WorkloadRule]:
    """Return the rules of a workload and of all of its affinity groups, each once."""
    rules = [*workload.rules, *(rule for group in workload.groups for rule in group.rules)]
    return {id(rule): rule for rule in rules}.values()


def with_outside(problem: Problem) -> Problem:
    """Return a problem that has all levels to which rules from outside contribute, once these are sound."""
    levels: set[Level] = set()
    for workload in problem.workloads:
        for rule in _every_rule(workload):
            if isinstance(rule, CustomRule | CustomCost):
                custom.vouch(rule, workload)
                levels.update((rule.level,) if isinstance(rule, CustomCost) else ())
    order = order_with(problem.levels, levels)
    return problem if order == problem.levels else replace(problem, levels=order)


def _of_rule(rule: WorkloadRule, known: Clusters) -> Found:  # noqa: C901, PLR0912 - one case a rule
    """Yield what is wrong with one rule of a workload."""
    match rule:
        case Candidates():
            yield from _strangers("Candidates.names", rule.names, known)
        case Bounds():
            for side, numbers in (("minimum", bounds.minima(rule)), ("maximum", bounds.maxima(rule))):
                yield from _strangers(f"Bounds.{side}", numbers.names, known)
                yield from _counts(f"Bounds.{side}", numbers)
        case GroupTotal():
            yield from _strangers(f"GroupTotal {rule.name}", rule.clusters, known)
            about = f"GroupTotal {rule.name}"
            limit = {} if rule.maximum is None else {f"{about}: maximum": rule.maximum}
            yield from _numbers({f"{about}: minimum": rule.minimum, **limit})
        case CustomCost():
            return
        case Grouped():
            about = f"{type(rule).__name__} {rule.name}"
            for group, clusters in rule.members:
                yield from _strangers(f"{about}: {group}", clusters, known)
            yield from _numbers({f"{about}: {number.name}": number.value for number in rule.numbers()})
        case Weights():
            weighed = weights.by_cluster(rule)
            yield from _strangers("Weights.weights", tuple(weighed), known)
            yield from _amounts("Weights.weights", weighed, WEIGHT, least=0)
        case Duplicated():
            yield from _strangers("Duplicated.copies", rule.copies, known)
            yield from _counts("Duplicated.copies", rule.copies)
        case Price():
            yield from _strangers("Price.prices", rule.prices, known)
        case Evenness():
            yield from _strangers("Evenness.clusters", rule.clusters, known)
        case Tiers():
            for number, tier in enumerate(rule.tiers):
                yield from _strangers(f"Tiers.tiers[{number}]", tier, known)
        case Shares():
            for part in (part for depth in rule.depths for part in depth):
                yield from _strangers(f"Shares {part.name}", part.clusters, known)
        case Total() | Aggregated() | Copies() | Moves() | MovePrice():
            return
        case _:
            assert_never(rule)


def _of_shared(rule: SharedRule, known: Clusters, keys: frozenset[str]) -> Found:
    """Yield what is wrong with one rule that several workloads share."""
    match rule:
        case MoveBudget():
            yield from _numbers({f"MoveBudget {rule.name}: most": rule.most}, MOST_REPLICAS**2)
        case Companionship():
            for key in sorted(set(rule.members) - keys):
                yield f"Companionship {rule.name}: members", key, "is not a workload of the problem"
        case Quota():
            yield from _strangers(
                f"Quota {rule.name}: limits", [scope.cluster for scope in rule.limits if scope.cluster], known
            )
            for scope, limit in rule.limits.items():
                if not _is_whole(limit.hard) or not _is_whole(limit.used):
                    yield f"Quota {rule.name}: limits[{scope.resource}]", limit.hard, FREE
        case Capacity():
            return
        case _:
            assert_never(rule)
