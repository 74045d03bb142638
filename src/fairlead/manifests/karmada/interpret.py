"""From a placement to rules, resolved against the clusters.

Every kind of rule has its own function. Placements that read the same share what came of them; only the lines
of the files, which differ, are looked up for each.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self

from fairlead.manifests.api.karmada import WorkloadRebalancer
from fairlead.manifests.api.workloads import PriorityClass
from fairlead.manifests.eligibility import candidates, made_once
from fairlead.manifests.fleet import Interpreted, ManifestReading
from fairlead.manifests.join import Rebalancing, Subject
from fairlead.manifests.karmada.facts import Declared, evictions, replicas_source
from fairlead.manifests.karmada.groups import DeclaredGroup, group_with, groups_of, spreads
from fairlead.manifests.karmada.preferences import (
    DIVISION,
    DYNAMIC,
    STATIC,
    ResolvedBounds,
    is_aggregated,
    is_dynamic,
)
from fairlead.manifests.karmada.remarks import refused_weights, remarks, unknown_clusters, without_effect
from fairlead.manifests.karmada.resolve import ResolvedGroup, Resolver
from fairlead.manifests.karmada.scheduled import Priorities, as_binding, is_at_rest
from fairlead.manifests.karmada.totals import doubtful, located
from fairlead.manifests.validation import Located
from fairlead.models.cluster import Cluster, Taint
from fairlead.models.rules import (
    Aggregated,
    Bounds,
    Copies,
    Duplicated,
    Evenness,
    GroupTotal,
    Moves,
    Tiers,
    Total,
    Weights,
    WorkloadRule,
)
from fairlead.models.rules.bounds import Bound
from fairlead.models.source import Source
from fairlead.models.statement import Statement
from fairlead.models.workload import AffinityGroup, Workload, at_start


class Interpreter(Resolver):
    """Turns placements into rules."""

    __slots__ = ()

    def interpret(
        self, workload: Workload, declared: Declared, evicting: Mapping[str, Source], replicas: Source
    ) -> Interpreted:
        """Return the rules of a workload."""
        found = [
            (group, *self._in_group(group, workload, declared, evicting, replicas))
            for group in groups_of(declared.placement)
        ]
        _, rules, first = found[0]
        groups = tuple(
            AffinityGroup(group.name, its_rules, declared.source(group.path))
            for group, its_rules, _ in found
            if group.name is not None
        )
        standings = [division.standing for *_, division in found]
        idle = without_effect(first.bounds, standings, declared, self.present)
        totals = [[rule for rule in made if isinstance(rule, GroupTotal)] for _, made, _ in found]
        doubts = [
            tuple(doubtful(division.totals, made, workload, self.present))
            for (*_, division), made in zip(found, totals, strict=True)
        ]
        shared = (doubt for doubt in doubts[0] if all(doubt in others for others in doubts[1:]))
        unknown = self.memory.once(
            ("said", id(declared.document), declared.path),
            lambda: (*unknown_clusters(declared, self), *refused_weights(declared)),
        )
        told = [*unknown, *idle, *shared]
        if any(division.unweighed for *_, division in found):
            why = "no eligible cluster has a static weight above 0, so all of them weigh the same"
            told.append(Statement("weights", f"{declared.name}: {why}", declared.source(STATIC)))
        return Interpreted(rules, tuple(told), groups)

    def _in_group(
        self,
        group: DeclaredGroup,
        workload: Workload,
        declared: Declared,
        evicting: Mapping[str, Source],
        replicas: Source,
    ) -> tuple[tuple[WorkloadRule, ...], ResolvedGroup]:
        division = self.division(group, workload, declared, evicting)
        # What depends on a division and on the lines of a document is made once for all that share both.
        key = division.key and ("rules", id(declared.document), division.key)
        found = self.memory.once(key, lambda: tuple(self._whoever(division, declared)))
        amount = _amount(division, declared, replicas)
        rules = (found[0], amount, *found[1:], *self._preferences(division, declared, workload))
        return rules, division

    def _whoever(self, division: ResolvedGroup, declared: Declared) -> Iterator[WorkloadRule]:
        """Yield the candidates, then all rules in which no single workload counts, each with its line."""
        yield candidates(division.standing, declared.source)
        yield from located(division.totals, declared.source)
        if division.bounds.minimum or division.bounds.maximum:
            yield _at_lines(division.bounds, _where_held(division, declared), declared)
        for rule, path in spreads(declared.placement, division.standing.names, self.clusters):
            yield replace(rule, source=declared.source(path))

    def _preferences(
        self, division: ResolvedGroup, declared: Declared, workload: Workload
    ) -> Iterator[Tiers | Aggregated | Weights | Copies | Evenness | Moves]:
        """Say where a workload stands best, in which ratio it is divided, and that what runs better stays."""
        if division.weights is None and not declared.totals.even:
            if declared.placement.spread_constraints:
                yield Copies(self.ranking(division, workload))
                yield from self.moves(workload, keep=True)
            return
        tiers = tuple(inside for inside, _ in division.tiers)
        if tiers:
            yield Tiers(tiers, tuple(declared.source(path) for _, path in division.tiers))
        if division.weights is None:  # what totals add or take is shared evenly
            yield Evenness(division.standing.names)
            yield from self.moves(workload, keep=True)
            return
        equal = declared.totals.equal
        dynamic = is_dynamic(declared.placement) and not equal
        aggregated = is_aggregated(declared.placement) and not equal
        if aggregated:
            yield Aggregated(declared.source(DIVISION))
        path = DIVISION if aggregated or equal else DYNAMIC if dynamic else STATIC
        yield Weights(division.weights, dynamic, declared.source(path), tiers)
        yield from self.moves(workload, keep=dynamic)


@dataclass(frozen=True, slots=True)
class PlacementReading(ManifestReading):
    """Manifests of Karmada that the rules of a workload are read from."""

    declared: Declared
    evicting: Mapping[str, Source]
    replicas: Source

    def stated(self, workload: Workload, clusters: Sequence[Cluster]) -> Workload:
        """Return a workload with the rules that its placement makes of some clusters."""
        found = Interpreter.of(clusters).interpret(workload, self.declared, self.evicting, self.replicas)
        return replace(workload, rules=found.rules, groups=found.groups)

    def tolerates(self, taint: Taint) -> bool:
        """Tell whether the placement tolerates a taint."""
        tolerations = self.declared.placement.cluster_tolerations
        return any(one.toleration.tolerates(taint) for one in tolerations)

    def with_weight(self, cluster: str, weight: int) -> Self:
        """Return the same with another static weight of a cluster, whatever terms match it."""
        weights = {**self.declared.reweighed, cluster: weight}
        return replace(self, declared=replace(self.declared, reweighed=weights))

    def with_maximum(self, cluster: str, most: int) -> None:
        """Return nothing: a maximum of Karmada's closes no cluster, so its rule says what to change."""
        del cluster, most


def _amount(division: ResolvedGroup, declared: Declared, replicas: Source) -> Total | Duplicated:
    if division.weights is not None or declared.totals.even:
        return Total(replicas)
    choice = bool(declared.placement.spread_constraints)
    return Duplicated(declared.source(("replicaScheduling", "replicaSchedulingType")), choice)


def _at_lines(found: ResolvedBounds, where_held: frozenset[str], declared: Declared) -> Bounds:
    """Return bounds with file and line; those of one declaration are one object."""
    told = (*found.minimum.values(), *found.maximum.values())
    made = made_once(told, lambda one: Bound(one.replicas, declared.source(one.path)))
    minimum = {name: made[id(one)] for name, one in found.minimum.items()}
    maximum = {name: made[id(one)] for name, one in found.maximum.items()}
    return Bounds(minimum, maximum, where_held)


def _where_held(division: ResolvedGroup, declared: Declared) -> frozenset[str]:
    """Return the candidates that may go without replicas: all where there is a choice, else later tiers."""
    if _chooses(declared):
        return frozenset(division.standing.names)
    return frozenset().union(*(inside for inside, _ in division.tiers[1:]))


def _chooses(declared: Declared) -> bool:
    chosen = is_aggregated(declared.placement) and not (declared.totals.even or declared.totals.equal)
    return chosen or bool(declared.placement.spread_constraints)


@dataclass(frozen=True, slots=True)
class Propagation:
    """Karmada's part of the input, as `fairlead.manifests.kubeadmiral.scheduling.Federation` is the other."""

    interpreter: Interpreter
    rebalancing: Rebalancing
    priorities: Priorities

    @classmethod
    def of(
        cls,
        rebalancers: Iterable[Located[WorkloadRebalancer]],
        classes: Iterable[Located[PriorityClass]],
        clusters: Sequence[Cluster],
    ) -> "Propagation":
        """Return Karmada's part of the input."""
        return cls(Interpreter.of(clusters), Rebalancing.of(rebalancers), Priorities.of(classes))

    def place(self, subject: Subject, read: Workload, declared: Declared) -> tuple[Workload, list[Statement]]:
        """Return a workload with its rules, and what there is to say about it."""
        urgency, unresolved = self.priorities.of_workload(subject, read.key)
        fresh, binding = self.rebalancing.wants(subject) or read.fresh, as_binding(subject, declared, read)
        due, observed = not binding.up_to_date, self._group(subject, read, declared)
        workload = replace(
            read, policy=declared.name, priority=urgency, fresh=fresh, due=due, observed=observed
        )
        reading = PlacementReading(declared, evictions(subject), replicas_source(subject))
        interpreted = self.interpreter.interpret(workload, declared, reading.evicting, reading.replicas)
        remarked = [*remarks(subject, workload, declared), *interpreted.warnings, *unresolved]
        placed = replace(
            workload,
            rules=interpreted.rules,
            groups=interpreted.groups,
            declared=binding,
            reading=reading,
        )
        return at_start(placed), remarked

    def _group(self, subject: Subject, read: Workload, declared: Declared) -> str | None:
        """Return the affinity group in which a workload was scheduled last; None where that is unknown.

        A binding that Karmada's scheduler would leave as it is stays in the group where it runs, also where
        its status, which backups leave out, does not say in which.
        """
        groups = groups_of(declared.placement) if declared.placement.cluster_affinities else ()
        if (
            not groups
            or read.observed in [group.name for group in groups]
            or not is_at_rest(subject, read, declared)
        ):
            return read.observed
        return group_with(read.current, groups, None, self.interpreter.clusters)
