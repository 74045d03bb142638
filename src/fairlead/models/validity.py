"""Problems that are made in Python are validated as manifests are: all mistakes are told at once.

Rules that nobody leaves out by mistake without noticing are added where they are missing: `Total` to every
workload, and `Capacity` to the problem, unless they are left out on purpose (``Workload.without``,
``Problem.without``); and `Candidates`, all clusters, to every workload. Sums of whole units stay inside 64
bits, so that all of them are exact: what asks for more is refused.
"""

import math
import operator
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from fairlead.models import check as checking
from fairlead.models import score as scoring
from fairlead.models.cluster import Cluster
from fairlead.models.errors import ManifestError, Mistake, UsageError
from fairlead.models.faults import are_plain, of_cluster, of_problem, of_workload
from fairlead.models.in_order import keep, kept
from fairlead.models.levels import DEFAULT_ORDER, Level, order_with
from fairlead.models.mistaken import Faults
from fairlead.models.outcome import Attained
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem, mistyped
from fairlead.models.quantity import format_units
from fairlead.models.rules import (
    Bounds,
    Candidates,
    Capacity,
    CustomCost,
    CustomRule,
    Duplicated,
    Total,
    WorkloadRule,
    capacity,
    custom,
    total,
)
from fairlead.models.rules.capacity import needs
from fairlead.models.rules.duplicated import largest_copy
from fairlead.models.score import told, with_balance, without_balance
from fairlead.models.shapes import fit
from fairlead.models.source import Source
from fairlead.models.statement import Violation
from fairlead.models.variants import Rules, every_rule, sets_of_rules, with_rules
from fairlead.models.workload import Workload

T = TypeVar("T", Cluster, Workload)

NO_MISTAKES: tuple[Mistake, ...] = ()


def completed(problem: Problem) -> Problem:
    """Return a problem with the rules that hold unless they are left out on purpose, once it is valid.

    Raises `UsageError` where something else is given, such as the path of a file, and `ManifestError` where
    anything in the problem is wrong; names every mistake.
    """
    given: object = problem
    if not isinstance(given, Problem):
        raise UsageError(
            f"{type(given).__name__} is not a problem; fairlead.load and Model.problem() return one"
        )
    if mistakes := mistakes_of(problem):
        raise ManifestError(mistakes)
    problem = without_balance(with_outside(problem))
    if not {*problem.levels}.issuperset(DEFAULT_ORDER):
        counting = {level.key for level in problem.all_workloads.once(told)}
        wrong = "is a level on which something counts, and has no place in the order"
        left_out = sorted(counting - {*problem.levels})
        if left_out:
            raise ManifestError(Mistake.told("problem", None, "levels", key, wrong) for key in left_out)
    everywhere = Candidates(problem.all_clusters.names)
    workloads = tuple(_in_full(workload, everywhere) for workload in problem.workloads)
    rules = problem.rules
    if capacity.KIND not in problem.without and not any(isinstance(rule, Capacity) for rule in rules):
        rules = (Capacity(), *rules)
    if rules is problem.rules and all(map(operator.is_, workloads, problem.workloads)):
        return problem
    return replace(problem, workloads=workloads, rules=rules)


def trusted(problem: Problem) -> Problem:
    """Return a problem that was made from a valid one: nobody looks for mistakes in it again."""
    keep(problem, mistakes_of, NO_MISTAKES)
    return problem


def well_typed(problem: Problem) -> Problem:
    """Return a problem that was read from manifests, and so holds what is declared: nobody looks at types.

    Of rules from outside that is not known; a problem that has any is looked at like all others.
    """
    rules = (rule for each in problem.workloads for rule in every_rule(each))
    if not any(isinstance(rule, CustomRule | CustomCost) for rule in rules):
        keep(problem, mistyped, NO_MISTAKES)
        problem.all_workloads.vouch()
    return problem


def _in_full(workload: Workload, everywhere: Candidates) -> Workload:
    """Return a workload that has all replicas that it asks for, on clusters of the problem in name order."""

    def added(rules: Rules) -> Rules:
        rules = tuple(rule.in_order() if isinstance(rule, Candidates) else rule for rule in rules)
        placed = any(isinstance(rule, Candidates) for rule in rules)
        # Whoever wants none has none: no number is open that would have to be left out of the rules.
        left_out = workload.without if workload.replicas else frozenset[str]()
        missing = uncounted(rules) - left_out
        return (() if placed else (everywhere,)) + rules + ((Total(),) if missing else ())

    if all(added(rules) == rules for rules in sets_of_rules(workload)):
        return workload
    return with_rules(workload, added)


def uncounted(rules: Iterable[WorkloadRule]) -> frozenset[str]:
    """Return `Workload.without` of a workload whose rules are complete: the total where no rule counts."""
    told = any(isinstance(rule, Total | Duplicated) for rule in rules)
    return frozenset() if told else frozenset([total.KIND])


@kept
def mistakes_of(problem: Problem) -> tuple[Mistake, ...]:
    """Return everything that is wrong with the types, numbers and names of a problem.

    Numbers and names are looked at in all that is of the types declared, sums where nothing else is wrong.
    """
    found = (*mistyped(problem), *_all_mistakes(problem))
    return found or tuple(
        Mistake(workload.source, f"workload {workload.key}: requests[{resource}]", "", message)
        for workload, resource, message in excessive(problem)
    )


def _all_mistakes(problem: Problem) -> Iterator[Mistake]:
    """Yield the mistakes in numbers and names of all that is of the types declared."""
    known, keys = problem.all_clusters, frozenset(problem.workload_by_key)
    plain = known.as_declared and known.once(are_plain)
    for cluster in () if plain else _as_declared(known, all_are=known.as_declared):
        yield from _mistakes(f"cluster {cluster.name}", cluster.source, of_cluster(cluster))
    workloads = problem.all_workloads
    for workload in _as_declared(workloads, all_are=workloads.as_declared):
        yield from _mistakes(f"workload {workload.key}", workload.source, of_workload(workload, known))
    if not mistyped(problem):
        yield from _mistakes("problem", None, of_problem(problem))
        for shared in problem.rules:
            yield from _mistakes("problem", None, shared.mistakes(known, keys))


def _as_declared(things: Sequence[T], *, all_are: bool) -> Sequence[T]:
    """Return the clusters or workloads that hold what they are declared to hold."""
    return things if all_are else [each for each in things if fit((each,), type(each))]


def _mistakes(subject: str, source: Source | None, found: Faults) -> Iterator[Mistake]:
    for field, value, message in found:
        yield Mistake.told(subject, source, field, value, message)


def with_outside(problem: Problem) -> Problem:
    """Return a problem that has all levels to which rules from outside contribute, once these are sound."""
    levels: set[Level] = set()
    for workload in problem.workloads:
        for rule in every_rule(workload):
            if isinstance(rule, CustomRule | CustomCost):
                custom.vouch(rule, workload)
                levels.update((rule.level,) if isinstance(rule, CustomCost) else ())
    order = order_with(problem.levels, levels)
    return problem if order == problem.levels else replace(problem, levels=order)


Placed = Placement | Mapping[str, Mapping[str, int]]


def check(problem: Problem, placement: Placed) -> tuple[Violation, ...]:
    """Return every rule that a placement breaks; empty where it breaks none.

    Parameters
    ----------
    problem
        The clusters, workloads and rules; `Total` and `Capacity` hold unless they are left out on purpose.
    placement
        Replicas by workload key and cluster name; a workload that is left out holds none.

    Raises
    ------
    ManifestError
        Where the problem was made in Python and something in it is wrong; names every mistake.
    UsageError
        Where the placement names a workload that the problem does not have, or is none.
    """
    return checking.check(completed(problem), placement)


def score(problem: Problem, placement: Placed) -> tuple[Attained, ...]:
    """Return the value of every level that the problem has, the most important first.

    Parameters
    ----------
    problem
        The question; its `deviation` says how the distance from the ratio is measured.
    placement
        Replicas by workload key and cluster name.

    Returns
    -------
    tuple of Attained
        Exact values (int or Fraction), without bound or proof. Levels to which no rule contributes are left
        out.

    Raises
    ------
    ManifestError
        Where the problem was made in Python and something in it is wrong; names every mistake.
    UsageError
        Where the placement is none.
    """
    return scoring.score(with_balance(completed(problem)), placement)


MOST_UNITS = 2**60
"""Most of a resource that all replicas may request together, in greatest common divisors of their requests.

What clusters offer has no limit: more than all replicas together ask for is as good as no limit.
"""


def excessive(problem: "Problem") -> Iterator[tuple["Workload", str, str]]:
    """Yield the workload that asks most of every resource of which too much is asked, with what is wrong.

    Yields
    ------
    workload, resource, message
        One for each resource of which all workloads together ask more than `MOST_UNITS`.
    """
    # Mostly not even all replicas with the largest of all requests would ask for too much.
    largest_need = max((max(each.requests.values(), default=1) for each in problem.workloads), default=1)
    if max(1, largest_need) * sum(_most(each, problem) for each in problem.workloads) <= MOST_UNITS:
        return
    asked: dict[str, list[tuple[int, int, Workload]]] = {}
    for workload in problem.workloads:
        count = _most(workload, problem)
        for resource, need in needs(workload).items():
            asked.setdefault(resource, []).append((need, count, workload))
    for resource, asking in sorted(asked.items()):
        unit = math.gcd(*(need for need, _, _ in asking))
        total = sum(need * count for need, count, _ in asking)
        if total // unit > MOST_UNITS:
            _, _, workload = max(asking, key=lambda each: (each[0] * each[1], each[2].key))
            whole, most = format_units(resource, total), format_units(resource, MOST_UNITS * unit)
            message = (
                f"all replicas together ask for {whole} {resource}, which is too much to count exactly; "
                f"allowed are {most} in units of {format_units(resource, unit)}, the greatest common divisor "
                "of the requests"
            )
            yield workload, resource, message


def _most(workload: "Workload", problem: "Problem") -> int:
    """Return how many replicas of a workload all clusters together can be asked for."""
    if workload.rule(Duplicated) is None:
        return workload.replicas
    return largest(workload) * max(1, len(problem.clusters))


def largest(workload: "Workload") -> int:
    """Return the most replicas that any cluster can be asked for, whatever the clusters are like.

    With a total that is all of them, with full copies the largest copy. Without either, what a cluster runs
    may stay although fewer are wanted by now (KubeAdmiral's ``disableRescheduling``): that and minima count.
    """
    copies = workload.rule(Duplicated)
    if copies is not None:
        return largest_copy(copies, workload)
    if workload.rule(Total) is not None or not workload.replicas:
        return workload.replicas
    least = (bound.replicas for rule in workload.rules_of(Bounds) for bound in rule.minimum.values())
    return max(workload.replicas, *least, *workload.current.values(), 0)


def together(workload: "Workload", most: int, clusters: Collection[str]) -> int:
    """Return the most replicas that some clusters can be asked for together, none for more than `most`.

    Full copies add up, all else is divided among clusters.
    """
    return most if workload.rule(Duplicated) is None else most * len(clusters)
