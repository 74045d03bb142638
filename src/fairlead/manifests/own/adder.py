"""From one manifest of our own kinds to rules of one workload."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from fairlead.manifests.api import own
from fairlead.manifests.api.meta import Object
from fairlead.manifests.extensions import RuleManifest, rule_of
from fairlead.manifests.own import grouped, hierarchy, prices
from fairlead.manifests.own.sets import Remark, named
from fairlead.manifests.standing import Memory
from fairlead.manifests.validation import Located
from fairlead.manifests.yaml.documents import first_few
from fairlead.models.closed import rule_without
from fairlead.models.cluster import Cluster
from fairlead.models.errors import InternalError
from fairlead.models.rules import Bounds, Candidates, Weights, WorkloadRule
from fairlead.models.rules.candidates import Exclusion
from fairlead.models.rules.capacity import needs
from fairlead.models.source import NOWHERE, Source
from fairlead.models.variants import Rules
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
        text = f"the bound has no effect on {first_few(sorted(names))} ({reason})"
        yield Remark(text, source)


PER_WORKLOAD: tuple[type[Object], ...] = (
    own.HierarchicalWeights,  # first, because it excludes candidates
    own.GroupBounds,
    *grouped.KINDS,
    own.PriceList,
    RuleManifest,
)
"""Kinds that add rules to single workloads, in the order in which they do."""


class Added(NamedTuple):
    """The rules of a workload with what a manifest adds, and what there is to say about it."""

    rules: Rules
    remarks: tuple[Remark, ...] = ()


@dataclass(frozen=True, slots=True)
class Adder:
    """Resolves manifests against candidates; workloads with the same candidates share what comes of it."""

    clusters: Mapping[str, Cluster]
    memory: Memory = field(default_factory=Memory)

    def remarks(self, located: Located[Object]) -> Iterator[Remark]:
        """Tell what in a manifest matches no cluster of the input."""
        match located.model:
            case own.GroupBounds() as model:
                yield from grouped.remarks(Located(model, located.document), self.clusters)
            case own.PriceList() as model:
                yield from prices.remarks(Located(model, located.document), self.clusters)
            case own.HierarchicalWeights() as model:
                yield from hierarchy.remarks(Located(model, located.document), self.clusters)
            case _:
                return

    def add(self, located: Located[Object], workload: Workload, rules: Rules) -> Added:
        """Add to the rules of a workload, or of one of its affinity groups, what a manifest says."""
        names = next((rule.names for rule in rules if isinstance(rule, Candidates)), ())
        if isinstance(located.model, grouped.GroupedKind):
            return self._grouped(Located(located.model, located.document), names, workload.replicas, rules)
        match located.model:
            case own.GroupBounds() as model:
                return self._group_bounds(Located(model, located.document), names, rules)
            case own.PriceList() as model:
                return self._price(Located(model, located.document), names, needs(workload), rules)
            case own.HierarchicalWeights() as model:
                return self._shares(Located(model, located.document), names, replace(workload, rules=rules))
            case RuleManifest() as model:
                return self._outside(Located(model, located.document), names, replace(workload, rules=rules))
            case model:
                raise InternalError(f"{type(model).__name__} adds no rule to a workload")

    def _group_bounds(self, located: Located[own.GroupBounds], names: Sequence[str], rules: Rules) -> Added:
        key = (id(located.model), names)
        found = self.memory.once(key, lambda: grouped.totals(located, names, self.clusters))
        return Added(*grouped.added(rules, found))

    def _grouped(
        self, located: Located[grouped.GroupedKind], names: Sequence[str], replicas: int, rules: Rules
    ) -> Added:
        key = (id(located.model), names)
        silent = self.memory.once(key, lambda: tuple(grouped.silent(located, names, self.clusters)))
        rule = self.memory.once(
            (*key, replicas), lambda: grouped.rule_of(located, replicas, names, self.clusters)
        )
        return Added((*rules, rule), silent)

    def _price(
        self, located: Located[own.PriceList], names: Sequence[str], needed: Mapping[str, int], rules: Rules
    ) -> Added:
        key = (id(located.model), names)
        priced = self.memory.once(id(located.model), lambda: prices.entries(located, self.clusters))
        free = self.memory.once(key, lambda: tuple(prices.unpriced(located, priced, names)))
        rule = self.memory.once(
            (*key, tuple(sorted(needed.items()))), lambda: prices.price(located, priced, names, needed)
        )
        return Added((*rules, rule), free)

    def _shares(
        self, located: Located[own.HierarchicalWeights], names: Sequence[str], workload: Workload
    ) -> Added:
        """Put shares in the place of weights; a workload that is not divided by weights has none."""
        if workload.rule(Weights) is None:
            text = f"{named(located)} has no effect where replicas are not divided by weights"
            return Added(workload.rules, (Remark(text, located.source()),))
        key = (id(located.model), names)
        found = self.memory.once(key, lambda: hierarchy.division(located, names, self.clusters))
        kept = (
            found.shares if isinstance(rule, Weights) else self._without(rule, workload, found)
            for rule in workload.rules
        )
        left = tuple(rule for rule in kept if rule is not None)
        return Added(left, tuple(idle_bounds(workload.rules, found.closed)))

    def _outside(self, located: Located[RuleManifest], names: Sequence[str], workload: Workload) -> Added:
        """Add what a kind from outside makes; of equal rules all workloads have the very same one."""
        candidates = [self.clusters[name] for name in sorted(names)]
        found = rule_of(located.model, workload, candidates, located.source)
        if found is None:
            return Added(workload.rules)
        known: list[WorkloadRule] = self.memory.once((id(located.model), names), list)
        rule = next((each for each in known if each == found), found)
        known.extend([rule] if rule is found else [])
        return Added((*workload.rules, rule))

    def _without(
        self, rule: WorkloadRule, workload: Workload, found: hierarchy.Division
    ) -> WorkloadRule | None:
        """Take the candidates without a share out of a rule."""

        def reduced() -> WorkloadRule | None:
            return rule_without(rule, workload.rules, workload, found.closed) if found.closed else rule

        return self.memory.once(("without", id(rule), id(found)), reduced)
