"""From one manifest of our own kinds to rules of one workload."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple

from fairlead.manifests.api import own
from fairlead.manifests.api.meta import Object
from fairlead.manifests.extensions import RuleManifest, rule_of
from fairlead.manifests.own import grouped, hierarchy, prices
from fairlead.manifests.own.sets import Remark, named
from fairlead.manifests.standing import Memory
from fairlead.manifests.validation import Located
from fairlead.models.closed import rule_without
from fairlead.models.cluster import Cluster
from fairlead.models.rules import Bounds, Candidates, Weights, WorkloadRule
from fairlead.models.rules.candidates import Exclusion
from fairlead.models.rules.capacity import needs
from fairlead.models.source import NOWHERE, Source
from fairlead.models.variants import Rules
from fairlead.models.words import first_of
from fairlead.models.workload import Workload

Closed = Mapping[str, Exclusion]


def idle_bounds(rules: Sequence[WorkloadRule], closed: Closed) -> Iterator[Remark]:
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


@dataclass(frozen=True, slots=True)
class Adder:
    """Resolves manifests against candidates; workloads with the same candidates share what comes of it.

    Every method adds what a manifest says to the rules of a workload, or of one of its affinity groups.
    """

    clusters: Mapping[str, Cluster]
    memory: Memory = field(default_factory=Memory)

    def group_bounds(self, located: Located[own.GroupBounds], workload: Workload) -> Added:
        """Add how many replicas groups of clusters hold."""
        names = _candidate_names(workload)
        key = (id(located.model), names)
        found = self.memory.once(key, lambda: grouped.totals(located, names, self.clusters))
        return Added(*grouped.added(workload.rules, found))

    def grouped(self, located: Located[grouped.GroupedKind], workload: Workload) -> Added:
        """Add what has to hold of the groups of a field."""
        names, replicas = _candidate_names(workload), workload.replicas
        key = (id(located.model), names)
        silent = self.memory.once(key, lambda: tuple(grouped.silent(located, names, self.clusters)))
        rule = self.memory.once(
            (*key, replicas), lambda: grouped.rule_of(located, replicas, names, self.clusters)
        )
        return Added((*workload.rules, rule), silent)

    def price(self, located: Located[own.PriceList], workload: Workload) -> Added:
        """Add what a replica costs."""
        names, needed = _candidate_names(workload), needs(workload)
        key = (id(located.model), names)
        priced = self.memory.once(id(located.model), lambda: prices.entries(located, self.clusters))
        free = self.memory.once(key, lambda: tuple(prices.unpriced(located, priced, names)))
        rule = self.memory.once(
            (*key, tuple(sorted(needed.items()))), lambda: prices.price(located, priced, names, needed)
        )
        return Added((*workload.rules, rule), free)

    def shares(self, located: Located[own.HierarchicalWeights], workload: Workload) -> Added:
        """Put shares in the place of weights; a workload that is not divided by weights has none."""
        rules, names = workload.rules, _candidate_names(workload)
        if workload.rule(Weights) is None:
            text = f"{named(located)} has no effect where replicas are not divided by weights"
            return Added(rules, (Remark(text, located.source()),))
        key = (id(located.model), names)
        found = self.memory.once(key, lambda: hierarchy.division(located, names, self.clusters))

        kept = (
            found.shares if isinstance(rule, Weights) else self._without(rule, workload, found)
            for rule in rules
        )
        left = tuple(rule for rule in kept if rule is not None)
        return Added(left, tuple(idle_bounds(rules, found.closed)))

    def _without(
        self, rule: WorkloadRule, workload: Workload, found: hierarchy.Division
    ) -> WorkloadRule | None:

        def reduced() -> WorkloadRule | None:
            return rule_without(rule, workload.rules, workload, found.closed) if found.closed else rule

        return self.memory.once(("without", id(rule), id(found)), reduced)

    def outside(self, located: Located[RuleManifest], workload: Workload) -> Added:
        """Add what a kind from outside makes; of equal rules all workloads have the very same one."""
        names = _candidate_names(workload)
        candidates = [self.clusters[name] for name in sorted(names)]
        found = rule_of(located.model, workload, candidates, located.source)
        if found is None:
            return Added(workload.rules)
        known: list[WorkloadRule] = self.memory.once((id(located.model), names), list)
        rule = next((each for each in known if each == found), found)
        known.extend([rule] if rule is found else [])
        return Added((*workload.rules, rule))


def _candidate_names(workload: Workload) -> tuple[str, ...]:
    rule = workload.rule(Candidates)
    return rule.names if rule else ()


class Way(NamedTuple):
    """How a kind adds rules to single workloads, and what in a manifest of it matches no cluster."""

    add: Callable[[Adder, Any, Workload], Added]
    remarks: Callable[[Any, Mapping[str, Cluster]], Iterator[Remark]] = lambda _located, _clusters: iter(())


WAYS: Mapping[type[Object], Way] = MappingProxyType(
    {
        own.HierarchicalWeights: Way(Adder.shares, hierarchy.remarks),  # first: it excludes candidates
        own.GroupBounds: Way(Adder.group_bounds, grouped.remarks),
        own.Survival: Way(Adder.grouped),
        own.Skew: Way(Adder.grouped),
        own.PriceList: Way(Adder.price, prices.remarks),
        RuleManifest: Way(Adder.outside),
    }
)
"""Kinds that add rules to single workloads, in the order in which they do."""
