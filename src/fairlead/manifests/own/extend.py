"""All manifests of our own kinds, applied to workloads that have the rules of their policies already."""

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import Any, NamedTuple

from fairlead.manifests.api import own
from fairlead.manifests.api.meta import Object
from fairlead.manifests.api.own import Profile, ProfileSpec, WorkloadAffinity
from fairlead.manifests.extensions import Extensions, RuleManifest, rule_of
from fairlead.manifests.fleet import Addition, Fleet, ManifestReading
from fairlead.manifests.join import Subject
from fairlead.manifests.own import grouped, prices, profile
from fairlead.manifests.own.grouped import ResolvedShares
from fairlead.manifests.own.sets import (
    Remark,
    named,
    of_kind,
    selected,
    selects,
    selects_workload,
    statements,
)
from fairlead.manifests.validation import Located
from fairlead.models.closed_clusters import rule_without
from fairlead.models.cluster import Cluster
from fairlead.models.errors import Mistake
from fairlead.models.problem import Problem
from fairlead.models.rules import Bounds, Companionship, MoveBudget, Weights, WorkloadRule
from fairlead.models.rules.candidates import Exclusion, candidates_of
from fairlead.models.rules.capacity import needs
from fairlead.models.source import NOWHERE, Source
from fairlead.models.variants import Rules
from fairlead.models.words import first_of
from fairlead.models.workload import Workload, at_start, scheduling_order

ExclusionByCluster = Mapping[str, Exclusion]


def idle_bounds(rules: Sequence[WorkloadRule], closed: ExclusionByCluster) -> Iterator[Remark]:
    """Tell of bounds on candidates that are excluded now."""
    idle: dict[tuple[str, Source], set[str]] = {}
    for rule in rules:
        if isinstance(rule, Bounds):
            for name, bound in (*rule.minimum.items(), *rule.maximum.items()):
                if name in closed:
                    idle.setdefault((closed[name].reason, bound.source or NOWHERE), set()).add(name)
    for (reason, source), names in idle.items():
        text = f"the bound has no effect on {first_of(sorted(names))} ({reason})"
        yield Remark(text, source)


class Added(NamedTuple):
    """The rules of a workload with what a manifest adds, and what there is to say about it."""

    rules: Rules
    remarks: tuple[Remark, ...] = ()


class Adder(Fleet):
    """Resolves manifests against candidates; workloads with the same candidates share what comes of it.

    Every method adds what a manifest says to the rules of a workload, or of one of its affinity groups.
    """

    __slots__ = ()

    def group_bounds(self, located: Located[own.GroupBounds], workload: Workload) -> Added:
        """Add how many replicas groups of clusters hold."""
        names = candidates_of(workload)
        key = (id(located.model), names)
        found = self.memory.once(key, lambda: grouped.totals(located, names, self.clusters))
        return Added(*grouped.added(workload.rules, found))

    def grouped(self, located: Located[grouped.GroupedKind], workload: Workload) -> Added:
        """Add what has to hold of the groups of a field."""
        names, replicas = candidates_of(workload), workload.replicas
        key = (id(located.model), names)
        silent = self.memory.once(key, lambda: tuple(grouped.silent(located, names, self.clusters)))
        rule = self.memory.once(
            (*key, replicas), lambda: grouped.rule_of(located, replicas, names, self.clusters)
        )
        return Added((*workload.rules, rule), silent)

    def price(self, located: Located[own.PriceList], workload: Workload) -> Added:
        """Add what a replica costs."""
        names, needed = candidates_of(workload), needs(workload)
        key = (id(located.model), names)
        priced = self.memory.once(id(located.model), lambda: prices.entries(located, self.clusters))
        free = self.memory.once(key, lambda: tuple(prices.unpriced(located, priced, names)))
        rule = self.memory.once(
            (*key, tuple(sorted(needed.items()))), lambda: prices.price(located, priced, names, needed)
        )
        return Added((*workload.rules, rule), free)

    def shares(self, located: Located[own.HierarchicalWeights], workload: Workload) -> Added:
        """Put shares in the place of weights; a workload that is not divided by weights has none."""
        rules, names = workload.rules, candidates_of(workload)
        if workload.rule(Weights) is None:
            text = f"{named(located)} has no effect where replicas are not divided by weights"
            return Added(rules, (Remark(text, located.source()),))
        key = (id(located.model), names)
        found = self.memory.once(key, lambda: grouped.divided_by_depth(located, names, self.clusters))

        kept = (
            found.shares if isinstance(rule, Weights) else self._without(rule, workload, found)
            for rule in rules
        )
        left = tuple(rule for rule in kept if rule is not None)
        return Added(left, tuple(idle_bounds(rules, found.closed)))

    def _without(self, rule: WorkloadRule, workload: Workload, found: ResolvedShares) -> WorkloadRule | None:

        def reduced() -> WorkloadRule | None:
            return rule_without(rule, workload.rules, workload, found.closed) if found.closed else rule

        return self.memory.once(("without", id(rule), id(found)), reduced)

    def outside(self, located: Located[RuleManifest], workload: Workload) -> Added:
        """Add what a kind from outside makes; of equal rules all workloads have the very same one."""
        names = candidates_of(workload)
        candidates = [self.clusters[name] for name in sorted(names)]
        found = rule_of(located.model, workload, candidates, located.source)
        if found is None:
            return Added(workload.rules)
        known: list[WorkloadRule] = self.memory.once((id(located.model), names), list)
        rule = next((each for each in known if each == found), found)
        known.extend([rule] if rule is found else [])
        return Added((*workload.rules, rule))


class RuleSource(NamedTuple):
    """How a kind adds rules to single workloads, and what in a manifest of it matches no cluster."""

    add: Callable[[Adder, Any, Workload], Added]
    remarks: Callable[[Any, Mapping[str, Cluster]], Iterator[Remark]] = lambda _located, _clusters: iter(())


WAYS: Mapping[type[Object], RuleSource] = {
    own.HierarchicalWeights: RuleSource(Adder.shares, grouped.share_remarks),  # first: it excludes candidates
    own.GroupBounds: RuleSource(Adder.group_bounds, grouped.remarks),
    own.Survival: RuleSource(Adder.grouped),
    own.Skew: RuleSource(Adder.grouped),
    own.PriceList: RuleSource(Adder.price, prices.remarks),
    RuleManifest: RuleSource(Adder.outside),
}
"""Kinds that add rules to single workloads, in the order in which they do."""


def companionships(
    located: Located[WorkloadAffinity], workloads: Sequence[Workload], clusters: Container[str]
) -> Iterator[Companionship]:
    """Yield one rule for the selected workloads, or for every value of the label that groups them.

    A group of a single workload says nothing.
    """
    spec, key = located.model.spec, located.model.spec.group_by_label_key
    together, source = spec.type == "Affinity", located.source("spec")
    found: dict[str, list[str]] = {}
    for workload in sorted(workloads, key=lambda each: scheduling_order(each, clusters)):
        value = "" if key is None else workload.labels.get(key)
        if value is not None:
            found.setdefault(value, []).append(workload.key)
    for value, members in sorted(found.items()):
        if len(members) > 1:
            label = f": {key}={value}" if key else ""
            yield Companionship(f"{named(located)}{label}", tuple(members), together, source)


def extended(problem: Problem, manifests: Sequence[Located[Object]], extensions: Extensions) -> Problem:
    """Return a problem with what our own kinds say of its workloads, of its levels and of its clusters."""
    clusters = problem.cluster_by_name
    adder = Adder(clusters)
    workloads = list(problem.workloads)
    told = list(_selecting_nothing(manifests, workloads))
    for kind, way in WAYS.items():
        for located in sorted(of_kind(manifests, kind), key=lambda one: one.model.kind):
            told.extend(way.remarks(located, clusters))
            add, later = partial(way.add, adder, located), partial(_added_again, kind, located)
            for position, workload in enumerate(workloads):
                if selects_workload(located, workload):
                    extended, remarks = _added(add, workload)
                    workloads[position] = _read_with(extended, later)
                    told.extend(one._replace(workload=workload.key) for one in remarks)
    companions, lonely = _companions(manifests, workloads, clusters)
    budgets, idle = _budgets(manifests, clusters, workloads)
    wanted = next((one.model.spec for one in of_kind(manifests, Profile)), ProfileSpec())
    rates = of_kind(manifests, own.FailureRates)
    strange = profile.unknown_groups(rates, problem.clusters)
    return replace(
        problem,
        workloads=tuple(workloads),
        rules=(*problem.rules, *companions, *budgets),
        levels=profile.order(wanted, extensions),
        deviation=profile.measure(wanted),
        warnings=(*problem.warnings, *statements([*told, *lonely, *idle, *strange])),
        tolerances=profile.tolerances(wanted, extensions),
        failure_rates=profile.rates_of(rates),
    )


def _read_with(workload: Workload, later: Addition) -> Workload:
    """Return a workload whose reading knows one manifest more, unless it has no replicas to speak of."""
    if not isinstance(workload.reading, ManifestReading) or workload.without_replicas:
        return workload
    return replace(workload, reading=workload.reading.extended(later))


def _added_again(
    kind: type[Object], located: Located[Object], workload: Workload, clusters: Mapping[str, Cluster]
) -> Workload:
    """Add what one manifest says of a workload that was read again; see `fleet.Addition`."""
    return _added(partial(WAYS[kind].add, Adder(clusters), located), workload)[0]


def _added(add: Callable[[Workload], Added], workload: Workload) -> tuple[Workload, Sequence[Remark]]:
    """Add to a workload, in every affinity group, what one manifest says of it."""
    if not workload.groups:
        rules, remarks = add(workload)
        return replace(workload, rules=rules), remarks
    found = [add(replace(workload, rules=group.rules)) for group in workload.groups]
    pairs = zip(workload.groups, found, strict=True)
    groups = tuple(replace(group, rules=each.rules) for group, each in pairs)
    return at_start(replace(workload, groups=groups)), [one for each in found for one in each.remarks]


def _companions(
    manifests: Sequence[Located[Object]], workloads: Sequence[Workload], clusters: Container[str]
) -> tuple[tuple[Companionship, ...], list[Remark]]:
    """Return who stands together or apart, and the manifests that say so of nobody."""
    rules: list[Companionship] = []
    lonely: list[Remark] = []
    for located in of_kind(manifests, own.WorkloadAffinity):
        members = selected(located.model.spec.workload_selector, workloads)
        found = tuple(companionships(located, members, clusters))
        rules.extend(found)
        if members and not found:
            text = f"{named(located)} has no effect: no two of the selected workloads belong together"
            lonely.append(Remark(text, located.source("spec")))
    return tuple(rules), lonely


def _budgets(
    manifests: Sequence[Located[Object]], clusters: Mapping[str, Cluster], workloads: Sequence[Workload]
) -> tuple[tuple[MoveBudget, ...], list[Remark]]:
    """Return how many replicas may move, and sets of clusters that match nothing."""
    rules: list[MoveBudget] = []
    idle: list[Remark] = []
    for located in of_kind(manifests, own.MoveBudget):
        members = selected(located.model.spec.workload_selector, workloads)
        rules.extend(prices.budgets(located, members, clusters))
        idle.extend(prices.budget_remarks(located, clusters))
    return tuple(rules), idle


def _selecting_nothing(
    manifests: Sequence[Located[Object]], workloads: Sequence[Workload]
) -> Iterator[Remark]:
    for located in manifests:
        if not isinstance(located.model, Profile | own.FailureRates) and not any(
            selects_workload(located, workload) for workload in workloads
        ):
            text = f"{named(located)} selects no workload that is placed"
            yield Remark(text, located.source("spec", "workloadSelector"))


def contradictions(manifests: Sequence[Located[Object]], subjects: Sequence[Subject]) -> Iterator[Mistake]:
    """List manifests of which there may be one only: in the whole input, or for a workload."""
    yield from profile.second(of_kind(manifests, Profile))
    yield from profile.rates_twice(of_kind(manifests, own.FailureRates))
    for pair in combinations(of_kind(manifests, own.PriceList), 2):
        if pair[0].model.spec.level == pair[1].model.spec.level:
            yield from _both(*pair, subjects)
            yield from prices.other_currency(*pair)
    for two in combinations(of_kind(manifests, own.HierarchicalWeights), 2):
        yield from _both(*two, subjects)


Single = own.PriceList | own.HierarchicalWeights


def _both(first: Located[Single], second: Located[Single], subjects: Sequence[Subject]) -> Iterator[Mistake]:
    """Refuse two manifests that select one workload; the first such workload is named."""
    for one in (subject.resource for subject in subjects):
        if all(selects(each.model.spec.workload_selector, one) for each in (first, second)):
            shown = "/".join(filter(None, (one.namespace, one.name)))
            message = (
                f"selects {one.kind} {shown}, which {named(first)} at {first.source()} selects too;"
                f" a workload takes one {second.model.kind} only"
            )
            yield second.document.mistake(("spec", "workloadSelector"), message)
            return
