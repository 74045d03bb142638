"""Partial placements: lower limits give way, and the missing amounts are minimised before all else."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import assert_never

from ortools.sat.python import cp_model

from fairlead.encoders.convex import Term, missing_up_to
from fairlead.encoders.costs import Cost, LinearCost, Origin
from fairlead.encoders.encoding import Encoding, total, weighted
from fairlead.encoders.survival import unions
from fairlead.encoders.variables import Place, PlaceSet
from fairlead.models import rules
from fairlead.models.errors import InternalError
from fairlead.models.levels import MADE_WORSE
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.requirement import MINIMA, SPREAD, UNPLACED
from fairlead.models.rules import bounds, group_total
from fairlead.models.rules.candidates import candidates_of
from fairlead.models.rules.duplicated import copy_on
from fairlead.models.shortfall import About, broken_amounts, shortfall_levels
from fairlead.models.statement import Violation
from fairlead.models.workload import Workload

KIND = "partial"


@dataclass(frozen=True, slots=True)
class ShortfallTerm:
    """Amount that one rule of a workload is short of, as a cost on a level of its own."""

    key: str
    """Key of the level on which it counts."""
    priority: int
    cost: Cost
    about: About | None = None
    """Identity of the rule, see `Violation.about`; None where nothing that runs can break it."""


def encode(problem: Problem, encoding: Encoding) -> None:
    """Keep copies whole, and minimise what is missing: level by level, priority by priority.

    For a workload of N replicas with x_c of them on cluster c, u_c = 1 where that is positive, and s >= 0::

        unplaced          N - sum x_c;  under Duplicated x_c = n_c u_c and sum (n_c - x_c) over candidates,
                          or N where copies may be chosen and there is none
        minima shortfall  s >= minimum_c - x_c;  s >= minimum_c u_c - x_c where it binds only what is held;
                          s >= minimum_G - sum x_c over the clusters of a set G
        spread shortfall  s >= minimum - sum v_g over groups g with v_g = 1 where one holds replicas;
                          s >= minimum - sum x_c outside of a group that may be lost
        made worse        m >= sum s - (what is missing now), m >= 0, for every rule that what runs now breaks
    """
    lacks = [lack for workload in problem.workloads for lack in _lacks(workload, encoding)]
    for level in shortfall_levels(problem):
        if level == MADE_WORSE:
            _prefer_not_worse(lacks, broken_amounts(problem), encoding)
        else:
            found = [each for each in lacks if (each.key, each.priority) == (level.key, level.priority)]
            encoding.prefer(level, [each.cost for each in found], because=Origin(KIND))


def _prefer_not_worse(
    lacks: Sequence[ShortfallTerm], before: Mapping[About, int], encoding: Encoding
) -> None:
    """Minimise by how much rules that are broken now are broken more."""
    because = Origin(KIND)
    rows: list[tuple[cp_model.IntVar, int, list[ShortfallTerm]]] = []
    for about, amount in before.items():
        same = [lack for lack in lacks if lack.about == about]
        parts = [lack.cost.terms() for lack in same]
        missed = [term for some, _ in parts for term in some]
        offset = sum(some for _, some in parts)
        most = offset + sum(max(0, factor * variable.domain.max()) for variable, factor in missed)
        worse = encoding.model.new_int_var(0, max(0, most), "")
        encoding.require_coupled(weighted([(worse, -1), *missed]) <= amount - offset, because=because)
        rows.append((worse, amount, same))

    def values(placement: Placement) -> Iterator[Term]:
        for worse, amount, same in rows:
            yield worse, max(0, sum(lack.cost.of(placement) for lack in same) - amount)

    terms = [(worse, 1) for worse, _, _ in rows]
    cost = LinearCost(terms, 0, lambda placement: sum(count for _, count in values(placement)), values)
    encoding.prefer(MADE_WORSE, [cost], because=because)


def _lacks(workload: Workload, encoding: Encoding) -> Iterator[ShortfallTerm]:
    """Yield the possible shortfalls of a workload; minima are not missed where it is scaled to 0."""
    for rule in workload.rules:
        if isinstance(rule, rules.Candidates | rules.Preference):
            continue
        match rule:
            case rules.Total():
                yield _of_total(workload, encoding)
            case rules.Duplicated():
                yield from _of_copies(rule, workload, encoding)
            case rules.Bounds() | rules.GroupTotal() | rules.Grouped():
                if workload.replicas:
                    yield from _of_minimum(rule, workload, encoding)
            case _:
                assert_never(rule)


def _of_minimum(
    rule: rules.Bounds | rules.GroupTotal | rules.Grouped, workload: Workload, encoding: Encoding
) -> Iterator[ShortfallTerm]:
    match rule:
        case rules.Bounds():
            yield from _of_bounds(rule, workload, encoding)
        case rules.GroupTotal():
            if rule.minimum:
                yield _of_group(rule, workload, encoding)
        case rules.Spread():
            if rule.minimum:
                yield _of_spread(rule, workload, encoding)
        case rules.Survival():
            if rule.minimum:
                yield from _of_survival(rule, workload, encoding)
        case _:
            if rule.loosened() is not rule:
                raise InternalError(f"nothing counts what {rule.kind} is short of")


def _of_total(workload: Workload, encoding: Encoding) -> ShortfallTerm:
    key, replicas = workload.key, workload.replicas
    terms = [(encoding.replicas(key, cluster.name), -1) for cluster in encoding.problem.clusters]

    def missing(placement: Placement) -> int:
        return max(0, replicas - sum(placement.of(key).values()))

    return ShortfallTerm(UNPLACED, workload.priority, LinearCost(terms, replicas, missing))


def _of_copies(rule: rules.Duplicated, workload: Workload, encoding: Encoding) -> Iterator[ShortfallTerm]:
    """Keep copies whole or leave them out; yield the replicas of those that are missing."""
    names = candidates_of(workload)
    full = {name: copy_on(rule, workload, name) for name in names}
    for name in names:
        used = encoding.used(workload.key, name)
        held = encoding.replicas(workload.key, name)
        encoding.require_coupled(held == full[name] * used, because=Origin(KIND, workload.key, name))
    if rule.choice or not names:
        yield from _of_any_copy(names, workload, encoding)
        return

    def missing(placement: Placement) -> int:
        placed = placement.of(workload.key)
        return sum(count - placed.get(name, 0) for name, count in full.items())

    terms = [(encoding.replicas(workload.key, name), -1) for name in names]
    yield ShortfallTerm(UNPLACED, workload.priority, LinearCost(terms, sum(full.values()), missing))


def _of_any_copy(names: Sequence[str], workload: Workload, encoding: Encoding) -> Iterator[ShortfallTerm]:
    """Yield the replicas of one copy where there is none at all."""
    if not workload.replicas:
        return
    none = encoding.model.new_bool_var("")
    literals = [encoding.used(workload.key, name) for name in names]
    encoding.require_coupled(total([none, *literals]) >= 1, because=Origin(KIND, workload.key))

    def absent(placement: Placement) -> bool:
        placed = placement.of(workload.key)
        return not any(placed.get(name) for name in names)

    cost = LinearCost(
        [(none, workload.replicas)],
        0,
        lambda placement: workload.replicas * absent(placement),
        lambda placement: [(none, int(absent(placement)))],
    )
    yield ShortfallTerm(UNPLACED, workload.priority, cost)


def _of_bounds(rule: rules.Bounds, workload: Workload, encoding: Encoding) -> Iterator[ShortfallTerm]:
    for name, bound in rule.minimum.items():
        about = Violation(bounds.KIND, "", 0, bound.source, workload.key, name, gives_way=True).about
        if name in rule.where_held and bound.replicas > 1:
            cost = _missing_where_held(name, bound.replicas, workload, encoding)
            yield ShortfallTerm(MINIMA, workload.priority, cost, about)
        elif name not in rule.where_held and bound.replicas:
            place = Place(workload.key, name)
            up_to = encoding.convex_cost(place, missing_up_to(bound.replicas))
            yield ShortfallTerm(MINIMA, workload.priority, up_to, about)


def _missing_where_held(name: str, least: int, workload: Workload, encoding: Encoding) -> LinearCost:

    def missing(placement: Placement) -> int:
        count = placement.of(workload.key).get(name, 0)
        return max(0, least - count) if count else 0

    asked = least * encoding.used(workload.key, name)
    return _slack([asked - encoding.replicas(workload.key, name)], least, missing, workload, encoding)


def _of_group(rule: rules.GroupTotal, workload: Workload, encoding: Encoding) -> ShortfallTerm:
    group = PlaceSet(workload.key, rule.clusters)
    cost = encoding.convex_cost(group, missing_up_to(rule.minimum))
    return ShortfallTerm(MINIMA, workload.priority, cost, _about(group_total.KIND, rule, workload, rule.name))


def _of_spread(rule: rules.Spread, workload: Workload, encoding: Encoding) -> ShortfallTerm:
    reached = total(encoding.any_used(workload.key, clusters) for clusters in rule.groups.values())

    def missing(placement: Placement) -> int:
        holding = placement.of(workload.key).keys()
        used = sum(1 for clusters in rule.groups.values() if not clusters.isdisjoint(holding))
        return max(0, rule.minimum - used)

    cost = _slack([rule.minimum - reached], rule.minimum, missing, workload, encoding)
    return ShortfallTerm(SPREAD, workload.priority, cost, _about(rule.kind, rule, workload, rule.field))


def _of_survival(rule: rules.Survival, workload: Workload, encoding: Encoding) -> Iterator[ShortfallTerm]:
    """Yield, for every group that may be lost, how many replicas too few are left.

    Of several losses at once the worst counts: one slack, at least what each of them misses.
    """
    names = frozenset(cluster.name for cluster in encoding.problem.clusters)
    if rule.at_once:
        yield from _of_losses(rule, workload, encoding, names)
        return
    for detail, clusters in unions(rule):
        outside = PlaceSet(workload.key, names - clusters)
        cost = encoding.convex_cost(outside, missing_up_to(rule.minimum))
        yield ShortfallTerm(SPREAD, workload.priority, cost, _about(rule.kind, rule, workload, detail))


def _of_losses(
    rule: rules.Survival, workload: Workload, encoding: Encoding, names: frozenset[str]
) -> Iterator[ShortfallTerm]:
    """Yield how many replicas too few are left by the worst of several losses at once."""
    key = workload.key
    kept = [names - clusters for _, clusters in unions(rule)]

    def missing(placement: Placement) -> int:
        placed = placement.of(key)
        left = min(sum(held for name, held in placed.items() if name in rest) for rest in kept)
        return max(0, rule.minimum - left)

    if kept:
        lacking = [
            rule.minimum - total(encoding.replicas(key, name) for name in sorted(rest)) for rest in kept
        ]
        cost = _slack(lacking, rule.minimum, missing, workload, encoding)
        yield ShortfallTerm(SPREAD, workload.priority, cost, _about(rule.kind, rule, workload, rule.name))


def _about(
    kind: str, rule: rules.GroupTotal | rules.Spread | rules.Survival, workload: Workload, detail: str
) -> About:
    return Violation(kind, "", 0, rule.source, workload.key, None, detail, gives_way=True).about


def _slack(
    lacking: Sequence[cp_model.LinearExpr],
    most: int,
    missing: Callable[[Placement], int],
    workload: Workload,
    encoding: Encoding,
) -> LinearCost:
    """Return a cost with a variable that is at least all that is lacking, and at least 0."""
    slack = encoding.model.new_int_var(0, most, "")
    for each in lacking:
        encoding.require_coupled(each <= slack, because=Origin(KIND, workload.key))
    return LinearCost([(slack, 1)], 0, missing, lambda placement: [(slack, missing(placement))])
