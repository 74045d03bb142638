"""From a policy of KubeAdmiral to rules, resolved against the clusters.

Workloads to which the same policy applies share what came of it where nothing of their own changes it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Self

from fairlead.manifests.eligibility import Eligibility, Ground, candidates
from fairlead.manifests.fleet import Fleet, Interpreted, ManifestReading
from fairlead.manifests.kubeadmiral import division
from fairlead.manifests.kubeadmiral.annotations import Reports
from fairlead.manifests.kubeadmiral.policies import MAX_CLUSTERS, MODE, PLACEMENT, RESCHEDULING, AppliedPolicy
from fairlead.models.cluster import Cluster, Taint
from fairlead.models.rules import (
    Aggregated,
    Bounds,
    Candidates,
    Duplicated,
    Spread,
    Tiers,
    Total,
    Weights,
    WorkloadRule,
)
from fairlead.models.rules.bounds import Bound
from fairlead.models.rules.candidates import Cause, Exclusion
from fairlead.models.source import Source
from fairlead.models.statement import Statement
from fairlead.models.triggers import held_back
from fairlead.models.validity import uncounted
from fairlead.models.words import with_nearest
from fairlead.models.workload import Workload

NO_COPY = "may hold at most 0 replicas"


class PolicyInterpreter(Fleet):
    """Turns policies into rules."""

    __slots__ = ()

    def interpret(
        self, workload: Workload, policy: AppliedPolicy, feedback: Reports, replicas: Source
    ) -> Interpreted:
        """Return the rules of a workload."""
        held = self.present.intersection(workload.current)
        if policy.sticky and held:
            # No total: what runs stays, also where another number is wanted by now.
            return Interpreted(self._unchanged(workload, policy), tuple(_differing(workload, policy, held)))
        open_to = self._open_to(workload, policy, feedback)
        if not policy.divide:
            rules = tuple(self._duplicated(workload, policy, feedback, open_to))
        else:
            rules = tuple(self._divided(workload, policy, feedback, open_to, replicas))
        found = next(rule for rule in rules if isinstance(rule, Candidates))
        warnings = (*feedback.warnings, *self._without_effect(policy, found))
        return Interpreted(rules, warnings)

    def _unchanged(self, workload: Workload, policy: AppliedPolicy) -> tuple[WorkloadRule, ...]:
        source = policy.sources[RESCHEDULING]
        names = tuple(sorted(self.present.intersection(workload.current)))
        held = {name: Bound(workload.current[name], source, workload.current[name]) for name in names}
        shut = Exclusion(division.NOTHING_RUNS, source, cause=Cause.BESIDE_OTHERS)
        closed = {name: shut for name in sorted(self.present) if name not in held}
        return Candidates(names, closed), Bounds(held, held)

    def _open_to(self, workload: Workload, policy: AppliedPolicy, feedback: Reports) -> Eligibility:
        api = (workload.api_version, workload.kind)
        _, found = self.standing(
            (policy.key, api), lambda: partial(division.ground_of, policy, api), workload
        )
        leaving = {
            name: Ground(division.UNAVAILABLE, source) for name, source in feedback.unavailable.items()
        }
        return found.without(leaving).closed_for_good(leaving)

    def _duplicated(
        self, workload: Workload, policy: AppliedPolicy, feedback: Reports, open_to: Eligibility
    ) -> Iterator[WorkloadRule]:
        """Place a copy on every cluster, or on as many as allowed."""
        limits = division.bounds(policy, feedback, open_to.names) or Bounds()
        choice, short = policy.max_clusters is not None, division.too_small(limits)
        none = {
            name: most
            for name, most in limits.maximum.items()
            if not most.replicas and (choice or name not in short)
        }
        empty = {
            name: Ground(
                NO_COPY, most.source, cause=Cause.NO_COPY if most.ceiling is None else Cause.REPORTED
            )
            for name, most in none.items()
        }
        shut = division.bounds(policy, feedback, open_to.openable()) or Bounds()
        hopeless = [name for name, most in shut.maximum.items() if not most.replicas]
        found = open_to.without(empty).closed_for_good(hopeless)
        names = found.names
        yield self._candidates(found)
        copies = division.copies(limits, workload, names, self.clusters, policy.placement)
        sizes, _, _ = copies
        yield Duplicated(policy.sources[MODE], choice, *copies)
        if choice:
            least = {
                name: Bound(min(low.replicas, sizes.get(name, workload.replicas)), low.source)
                for name, low in limits.minimum.items()
                if name not in empty
            }
            if least:
                most = {name: bound for name, bound in short.items() if name not in empty}
                yield Bounds(least, most, frozenset(names), preferred=True)
            yield from self._most_clusters(policy, found)
            yield division.ranking(policy, workload, names, self)
            yield from self.moves(workload, keep=policy.avoid_disruption, over_tiers=policy.binpack)
        elif short:
            yield Bounds({}, short)

    def _divided(
        self,
        workload: Workload,
        policy: AppliedPolicy,
        feedback: Reports,
        open_to: Eligibility,
        replicas: Source,
    ) -> Iterator[WorkloadRule]:
        """Divide by weights; under Binpack fill one cluster after the other, and as few as possible."""
        found, weights = self._weighed(workload, policy, open_to)
        yield self._candidates(found)
        yield Total(replicas)
        yield from self._bounds(policy, feedback, found)
        yield from self._most_clusters(policy, found)
        if weights is None:
            key = ("tiers", policy.key, found.names)
            ordered: Tiers | None = self.memory.once(key, lambda: division.tiers(policy, found.names))
            if ordered is not None:
                yield ordered
            yield Aggregated(policy.sources[MODE])
        else:
            if policy.max_clusters is not None and policy.placement.priorities:
                yield division.ranking(policy, workload, found.names, self)
            yield Weights(weights, not division.is_static(policy), policy.sources[PLACEMENT])
        yield from self.moves(workload, keep=policy.avoid_disruption, over_tiers=policy.binpack)

    def _candidates(self, found: Eligibility) -> Candidates:
        """Return the rule; workloads with one standing share it. What is kept keeps its id."""
        _, rule = self.memory.once(("rule", id(found)), lambda: (found, candidates(found)))
        return rule

    def _weighed(
        self, workload: Workload, policy: AppliedPolicy, open_to: Eligibility
    ) -> tuple[Eligibility, Mapping[str, int] | None]:
        """Weigh the candidates as stated, or by the room that they have; not at all under Binpack."""
        if policy.binpack:
            return open_to, None
        if not division.is_static(policy):
            return self.by_room(open_to, lambda names: division.dynamic_weights(workload, names, self))
        key = ("static", policy.key, open_to.names)
        weighed = self.memory.once(key, lambda: division.static_weights(policy, open_to.names))
        found = open_to.without(weighed.closed)
        if found.openable():
            found = found.closed_for_good(division.static_weights(policy, sorted(self.clusters)).closed)
        return found, weighed.weights

    def _bounds(self, policy: AppliedPolicy, feedback: Reports, found: Eligibility) -> Iterator[Bounds]:
        """Bound the replicas of clusters; nothing where nothing is bounded."""
        key = ("bounds", policy.key, found.names)
        reported = feedback.limited or feedback.estimated
        limits: Bounds | None = (
            division.bounds(policy, feedback, found.names)
            if reported
            else self.memory.once(key, lambda: division.bounds(policy, feedback, found.names))
        )
        if limits is not None:
            yield limits

    def _most_clusters(self, policy: AppliedPolicy, found: Eligibility) -> Iterator[Spread]:
        """Limit the number of clusters, each a group of its own."""
        if policy.max_clusters is not None:
            groups: dict[str, frozenset[str]] = self.memory.once(
                ("groups", found.names), lambda: {name: frozenset([name]) for name in found.names}
            )
            yield Spread("cluster", groups, 0, policy.max_clusters, policy.sources[MAX_CLUSTERS])

    def _without_effect(self, policy: AppliedPolicy, found: Candidates) -> Iterator[Statement]:
        for name, source in policy.placement.entries.items():
            if name not in self.present:
                said = with_nearest([name], self.present)
                text = f"{policy.name}: the placement list names {said}, which is not in the input"
                yield Statement("bounds", text, source)
            elif name in policy.placement.told and name in found.excluded:
                reason = found.excluded[name].reason
                text = f"{policy.name}: the preferences have no effect on {name} ({reason})"
                yield Statement("bounds", text, source)


@dataclass(frozen=True, slots=True)
class PolicyReading(ManifestReading):
    """Manifests of KubeAdmiral that the rules of a workload are read from."""

    policy: AppliedPolicy
    feedback: Reports
    replicas: Source

    def stated(self, workload: Workload, clusters: Sequence[Cluster]) -> Workload:
        """Return a workload with the rules that its policy makes of some clusters.

        Where a cluster is being deleted it does not run any more, even if nothing else of it may change.
        """
        standing = workload
        if self.policy.sticky:
            leaving = {one.name for one in clusters if one.deleting}
            left = {name: count for name, count in workload.current.items() if name not in leaving}
            standing = replace(workload, current=left)
        interpreter = PolicyInterpreter.of(clusters)
        rules = interpreter.interpret(standing, self.policy, self.feedback, self.replicas).rules
        return replace(workload, rules=rules, without=uncounted(rules))

    def tolerates(self, taint: Taint) -> bool:
        """Tell whether the policy, or the annotation over it, tolerates a taint."""
        return any(one.tolerates(taint) for one in self.policy.tolerations)

    def with_weight(self, cluster: str, weight: int) -> Self:
        """Return the same with another static weight of a cluster."""
        stated = self.policy.placement
        source = stated.weights[cluster].source if cluster in stated.weights else None
        weights = {**stated.weights, cluster: Bound(weight, source)}
        return replace(self, policy=replace(self.policy, placement=replace(stated, weights=weights)))

    def with_maximum(self, cluster: str, most: int) -> Self | None:
        """Return the same with another maximum on a cluster; None where the policy states none there."""
        stated = self.policy.placement
        if cluster not in stated.maximum:
            return None
        bound = stated.maximum[cluster]._replace(replicas=most)
        raised = replace(stated, maximum={**stated.maximum, cluster: bound})
        return replace(self, policy=replace(self.policy, placement=raised))


def _differing(workload: Workload, policy: AppliedPolicy, held: frozenset[str]) -> Iterator[Statement]:
    """Say that another number of replicas runs than is wanted, and that this stays so."""
    running = {name: count for name, count in workload.current.items() if name in held}
    if policy.divide and sum(running.values()) != workload.replicas:
        yield held_back(replace(workload, current=running), policy.sources[RESCHEDULING])
