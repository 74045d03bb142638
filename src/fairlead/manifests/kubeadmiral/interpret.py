"""From a policy of KubeAdmiral to rules, resolved against the clusters.

Workloads to which the same policy applies share what came of it where nothing of their own changes it.
"""

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, TypeVar

from fairlead.manifests.kubeadmiral.division import (
    Weighed,
    bounds,
    copies,
    dynamic_weights,
    is_static,
    ranking,
    static_weights,
    tiers,
)
from fairlead.manifests.kubeadmiral.feedback import Feedback
from fairlead.manifests.kubeadmiral.grounds import (
    NOTHING_RUNS,
    UNAVAILABLE,
    candidates,
    closed_clusters,
    closed_for_good,
    without,
)
from fairlead.manifests.kubeadmiral.policy import MAX_CLUSTERS, MODE, PLACEMENT, RESCHEDULING, Policy
from fairlead.models.cluster import Cluster
from fairlead.models.rules import (
    Aggregated,
    Bounds,
    Candidates,
    Duplicated,
    Moves,
    Spread,
    Tiers,
    Total,
    Weights,
    WorkloadRule,
)
from fairlead.models.rules.bounds import Bound
from fairlead.models.rules.candidates import Exclusion
from fairlead.models.source import Source
from fairlead.models.statement import Statement
from fairlead.models.words import with_nearest
from fairlead.models.workload import Workload

V = TypeVar("V")

NO_COPY = "may hold at most 0 replicas"


class Interpreted(NamedTuple):
    """What a policy means for one workload.

    Parameters
    ----------
    rules
        Rules, resolved against the clusters.
    warnings
        Preferences without effect, and what is assumed.
    """

    rules: tuple[WorkloadRule, ...]
    warnings: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class PolicyInterpreter:
    """Turns policies into rules.

    Parameters
    ----------
    clusters
        Member clusters by name.
    present
        Their names.
    """

    clusters: Mapping[str, Cluster]
    present: frozenset[str]
    _memory: dict[Hashable, Any] = field(default_factory=dict)

    def interpret(
        self, workload: Workload, policy: Policy, feedback: Feedback, replicas: Source
    ) -> Interpreted:
        """Return the rules of a workload.

        Parameters
        ----------
        workload
            The workload, without rules.
        policy
            Its policy, with what annotations override.
        feedback
            What the migration controllers have reported of it.
        replicas
            Where the number of its replicas stands.
        """
        held = self.present.intersection(workload.current)
        if policy.sticky and held:
            # No total: what runs stays, also where another number is wanted by now.
            return Interpreted(self._unchanged(workload, policy), tuple(_differing(workload, policy, held)))
        open_to = self._open_to(workload, policy, feedback, held)
        if not policy.divide:
            rules = tuple(self._duplicated(workload, policy, feedback, open_to))
        elif policy.binpack:
            rules = tuple(self._packed(workload, policy, feedback, open_to, replicas))
        else:
            rules = tuple(self._shared(workload, policy, feedback, open_to, replicas))
        found = next(rule for rule in rules if isinstance(rule, Candidates))
        openable = tuple(sorted(name for name, each in found.excluded.items() if each.taints))
        if openable:
            opening = (bounds(policy, feedback, openable) or Bounds(),) if policy.divide else ()
            rules = tuple(replace(rule, opening=opening) if rule is found else rule for rule in rules)
        warnings = (*feedback.warnings, *self._without_effect(policy, found))
        return Interpreted(rules, warnings)

    def _once(self, key: Hashable, make: Callable[[], V]) -> V:
        """Make a thing that several workloads share only once."""
        if key not in self._memory:
            self._memory[key] = make()
        found: V = self._memory[key]
        return found

    def _unchanged(self, workload: Workload, policy: Policy) -> tuple[WorkloadRule, ...]:
        """Keep everything as it runs."""
        source = policy.sources[RESCHEDULING]
        names = tuple(sorted(self.present.intersection(workload.current)))
        held = {name: Bound(workload.current[name], source, workload.current[name]) for name in names}
        closed = {name: Exclusion(NOTHING_RUNS, source) for name in sorted(self.present) if name not in held}
        return Candidates(names, closed), Bounds(held, held)

    def _open_to(
        self, workload: Workload, policy: Policy, feedback: Feedback, held: frozenset[str]
    ) -> Candidates:
        """Find the clusters that are open to a workload."""
        api = (workload.api_version, workload.kind)
        key = (policy.key, api)
        closed = self._once(("closed", key), lambda: closed_clusters(policy, api, self.clusters))
        kept = frozenset(name for name in held if name in closed and closed[name].keeps)
        found = self._once(("candidates", key, kept), lambda: candidates(closed, self.clusters, kept))
        leaving = {name: Exclusion(UNAVAILABLE, source) for name, source in feedback.unavailable.items()}
        return without(found, leaving)

    def _duplicated(
        self, workload: Workload, policy: Policy, feedback: Feedback, open_to: Candidates
    ) -> Iterator[WorkloadRule]:
        """Place a copy on every cluster, or on as many as allowed."""
        limits = bounds(policy, feedback, open_to.names) or Bounds()
        none = {name: most for name, most in limits.maximum.items() if not most.replicas}
        empty = {name: Exclusion(NO_COPY, most.source) for name, most in none.items()}
        # A copy of its own size on a cluster that is opened is nothing that a toleration alone tells.
        bounded = {*policy.preferred.minimum, *policy.preferred.maximum}
        found = closed_for_good(without(open_to, empty), bounded, spoiling=True)
        names = found.names
        sizes, ample = copies(limits, workload, names, self.clusters, policy.preferred)
        choice = policy.max_clusters is not None
        yield found
        yield Duplicated(policy.sources[MODE], choice, sizes, ample)
        if choice:
            least = {
                name: Bound(min(low.replicas, sizes.get(name, workload.replicas)), low.source)
                for name, low in limits.minimum.items()
                if name not in empty
            }
            if least:
                yield Bounds(least, {}, frozenset(names), preferred=True)
            yield from self._most_clusters(policy, found)
            yield ranking(policy, workload, names, self.clusters)
            yield from self._moves(workload, policy)

    def _packed(
        self,
        workload: Workload,
        policy: Policy,
        feedback: Feedback,
        open_to: Candidates,
        replicas: Source,
    ) -> Iterator[WorkloadRule]:
        """Fill one cluster after the other, and as few as possible."""
        yield open_to
        yield Total(replicas)
        yield from self._bounds(policy, feedback, open_to)
        yield from self._most_clusters(policy, open_to)
        ordered: Tiers | None = self._once(
            ("tiers", policy.key, open_to.names), lambda: tiers(policy, open_to.names)
        )
        if ordered is not None:
            yield ordered
        yield Aggregated(policy.sources[MODE])
        yield from self._moves(workload, policy)

    def _shared(
        self,
        workload: Workload,
        policy: Policy,
        feedback: Feedback,
        open_to: Candidates,
        replicas: Source,
    ) -> Iterator[WorkloadRule]:
        """Divide by weights."""
        weighed = self._weighed(workload, policy, open_to)
        found = without(open_to, weighed.closed)
        if any(each.taints for each in found.excluded.values()):
            found = closed_for_good(found, self._weighed_if_open(workload, policy, found))
        if weighed.full:
            # What takes nothing new for two reasons would not take more if its taints were tolerated.
            held = {
                name: replace(each, taints=()) if name in weighed.full else each
                for name, each in found.held_only.items()
            }
            found = Candidates(found.names, found.excluded, {**weighed.full, **held})
        yield found
        yield Total(replicas)
        yield from self._bounds(policy, feedback, found)
        yield from self._most_clusters(policy, found)
        if policy.max_clusters is not None and policy.preferred.priorities:
            yield ranking(policy, workload, found.names, self.clusters)
        yield Weights(weighed.weights, not is_static(policy), policy.sources[PLACEMENT])
        yield from self._moves(workload, policy)

    def _weighed_if_open(
        self, workload: Workload, policy: Policy, found: Candidates
    ) -> Mapping[str, Exclusion]:
        """Return the clusters that would not be weighed even if their taints were tolerated."""
        if is_static(policy):
            return static_weights(policy, sorted(self.clusters)).closed
        openable = tuple(sorted(name for name, each in found.excluded.items() if each.taints))
        weighed = dynamic_weights(workload, openable, self.clusters, {})
        return {**weighed.closed, **weighed.full}

    def _weighed(self, workload: Workload, policy: Policy, open_to: Candidates) -> Weighed:
        """Weigh the candidates: as stated, or by the room that they have."""
        if is_static(policy):
            key = ("static", policy.key, open_to.names)
            return self._once(key, lambda: static_weights(policy, open_to.names))
        requests = tuple(sorted(workload.requests.items()))
        empty: dict[str, int | None] = self._once(("rooms", requests), dict)
        return dynamic_weights(workload, open_to.names, self.clusters, empty)

    def _bounds(self, policy: Policy, feedback: Feedback, found: Candidates) -> Iterator[Bounds]:
        """Bound the replicas of clusters; nothing where nothing is bounded."""
        key = ("bounds", policy.key, found.names)
        reported = feedback.limited.replicas or feedback.estimated.replicas
        limits: Bounds | None = (
            bounds(policy, feedback, found.names)
            if reported
            else self._once(key, lambda: bounds(policy, feedback, found.names))
        )
        if limits is not None:
            yield limits

    def _most_clusters(self, policy: Policy, found: Candidates) -> Iterator[Spread]:
        """Limit the number of clusters, each a group of its own."""
        if policy.max_clusters is not None:
            groups: dict[str, frozenset[str]] = self._once(
                ("groups", found.names), lambda: {name: frozenset([name]) for name in found.names}
            )
            yield Spread("cluster", groups, 0, policy.max_clusters, policy.sources[MAX_CLUSTERS])

    def _moves(self, workload: Workload, policy: Policy) -> Iterator[Moves]:
        """Keep what runs: before the ratio where disruption is to be avoided, after it otherwise."""
        if not self.present.isdisjoint(workload.current):
            yield Moves(self.present, policy.avoid_disruption, over_tiers=policy.binpack)

    def _without_effect(self, policy: Policy, found: Candidates) -> Iterator[Statement]:
        """Name entries of the placement list that lead nowhere."""
        for name, source in policy.preferred.entries.items():
            if name not in self.present:
                said = with_nearest([name], self.present)
                text = f"{policy.name}: the placement list names {said}, which is not in the input"
                yield Statement("bounds", text, source)
            elif name in policy.preferred.told and name in found.excluded:
                reason = found.excluded[name].reason
                text = f"{policy.name}: the preferences have no effect on {name} ({reason})"
                yield Statement("bounds", text, source)


def _differing(workload: Workload, policy: Policy, held: frozenset[str]) -> Iterator[Statement]:
    """Say that another number of replicas runs than is wanted, and that this stays so."""
    running = sum(workload.current[name] for name in held)
    if policy.divide and running != workload.replicas:
        text = (
            f"{workload.key}: {running} replicas run and {workload.replicas} are wanted, "
            f"but {policy.name} disables rescheduling"
        )
        yield Statement("rescheduling", text, policy.sources[RESCHEDULING], workload.key)
