"""From a placement to rules, resolved against the clusters.

Every kind of rule has its own function. Placements that read the same are resolved once and share what came
of it; only the lines of the files, which differ, are looked up for each.
"""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, TypeVar

from fairlead.models.cluster import Cluster
from fairlead.models.manifests.api.placement import Placement
from fairlead.models.manifests.division import (
    DYNAMIC,
    STATIC,
    Declaration,
    ResolvedBounds,
    is_divided,
    is_dynamic,
    resolve_bounds,
    static_weights,
)
from fairlead.models.manifests.facts import Declared
from fairlead.models.manifests.standing import EVICTING, Ground, Standing, grounds, standing
from fairlead.models.rules import Bounds, Candidates, Duplicated, Moves, Total, Weights, WorkloadRule
from fairlead.models.rules.bounds import Bound
from fairlead.models.rules.candidates import Exclusion
from fairlead.models.rules.capacity import room
from fairlead.models.source import Source
from fairlead.models.statement import Statement
from fairlead.models.workload import Workload

V = TypeVar("V")

UNWEIGHABLE = "capacity is unknown, so it cannot be weighed by available replicas"


class Interpreted(NamedTuple):
    """What a placement means for one workload.

    Parameters
    ----------
    rules
        Rules, resolved against the clusters.
    warnings
        Bounds that have no effect.
    """

    rules: tuple[WorkloadRule, ...]
    warnings: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Division:
    """Candidates and weights of one workload.

    Parameters
    ----------
    standing
        The candidates.
    weights
        Weight by candidate; None where nothing is divided.
    key
        Equal for workloads that share this division; None where nobody does.
    """

    standing: Standing
    weights: Mapping[str, int] | None = None
    key: Hashable | None = None


@dataclass(frozen=True, slots=True)
class Interpreter:
    """Turns placements into rules.

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

    @classmethod
    def of(cls, clusters: Sequence[Cluster]) -> "Interpreter":
        """Return an interpreter for some clusters."""
        by_name = {cluster.name: cluster for cluster in clusters}
        return cls(by_name, frozenset(by_name))

    def interpret(
        self, workload: Workload, declared: Declared, evicting: Mapping[str, Source], replicas: Source
    ) -> Interpreted:
        """Return the rules of a workload.

        Parameters
        ----------
        workload
            The workload, without rules.
        declared
            Its placement.
        evicting
            Clusters that it is leaving, and where that stands.
        replicas
            Where the number of its replicas stands.
        """
        division = self._division(workload, declared, evicting)
        bounds = self._resolved_bounds(division, declared)
        rules = (
            self._candidates(division, declared),
            *self._amount(division, declared, replicas),
            *self._bounds(division, declared, bounds),
            *self._preferences(division, declared, workload),
        )
        return Interpreted(rules, tuple(_without_effect(bounds, division.standing, declared)))

    def _amount(
        self, division: Division, declared: Declared, replicas: Source
    ) -> Iterator[Total | Duplicated]:
        """Say how many replicas there are in all, or in every cluster."""
        if division.weights is None:
            yield Duplicated(declared.source(("replicaScheduling", "replicaSchedulingType")))
        else:
            yield Total(replicas)

    def _preferences(
        self, division: Division, declared: Declared, workload: Workload
    ) -> Iterator[Weights | Moves]:
        """Say in which ratio a workload is divided, and that what runs better stays."""
        if division.weights is None:
            return
        dynamic = is_dynamic(declared.placement)
        yield Weights(division.weights, dynamic, declared.source(DYNAMIC if dynamic else STATIC))
        if not self.present.isdisjoint(workload.current):
            yield Moves(self.present, keep=dynamic)

    def _once(self, key: Hashable | None, make: Callable[[], V]) -> V:
        """Make a thing that several workloads share only once; without a key nobody shares it."""
        if key is None:
            return make()
        if key not in self._memory:
            self._memory[key] = make()
        found: V = self._memory[key]
        return found

    def _text(self, declared: Declared, *names: str) -> str:
        """Return fields of a placement as text, which tells placements that say the same."""
        return self._once(("text", id(declared.document), names), lambda: declared.text(*names))

    def _division(self, workload: Workload, declared: Declared, evicting: Mapping[str, Source]) -> Division:
        """Find the candidates and weights of a workload."""
        base = self._standing(workload, declared, evicting)
        text = self._text(declared, "replicaScheduling")
        key = None if base.key is None else (text, base.key)
        if not is_divided(declared.placement):
            return replace(base, key=key)
        if is_dynamic(declared.placement):
            return self._dynamic(base, workload, key)
        return self._once(key and ("static", key), lambda: self._static(base, declared.placement, key))

    def _standing(self, workload: Workload, declared: Declared, evicting: Mapping[str, Source]) -> Division:
        """Find the clusters that are open to a workload."""
        text = self._text(declared, "clusterAffinity", "clusterTolerations")
        who = (text, workload.api_version, workload.kind)
        closed = self._once(
            ("grounds", who),
            lambda: grounds(declared.placement, workload.api_version, workload.kind, self.clusters),
        )
        held = frozenset(name for name in workload.current if name in closed and closed[name].keeps)
        key = ("standing", who, held)
        base = self._once(key, lambda: standing(closed, self.clusters, held))
        leaving = {name: Ground(EVICTING, source) for name, source in evicting.items() if name in base.names}
        return Division(base.without(leaving)) if leaving else Division(base, key=key)

    def _static(self, base: Division, placement: Placement, key: Hashable | None) -> Division:
        """Weigh candidates by what the placement says; those without weight are none."""
        found = static_weights(placement, base.standing.names, self.clusters)
        return Division(base.standing.without(found.closed), found.weights, key)

    def _dynamic(self, base: Division, workload: Workload, key: Hashable | None) -> Division:
        """Weigh candidates by the room they have for the workload; one of unknown room takes nothing new."""
        holds = any(name in self.present for name in workload.current)
        requests = tuple(sorted(workload.requests.items()))
        shared = None if key is None or holds else (key, requests)
        return self._once(
            shared and ("dynamic", shared), lambda: self._by_room(base.standing, workload, requests, shared)
        )

    def _by_room(
        self, base: Standing, workload: Workload, requests: Hashable, key: Hashable | None
    ) -> Division:
        """Compute the room of every candidate; where nothing runs, the requests alone decide."""
        empty: dict[str, int | None] = self._once(("room", requests), dict)
        probe = replace(workload, current={})
        for name in base.names:
            if name not in empty and name not in workload.current:
                empty[name] = room(probe, self.clusters[name])
        rooms = {
            name: room(workload, self.clusters[name]) if name in workload.current else empty[name]
            for name in base.names
        }
        unknown = [name for name in base.names if rooms[name] is None]
        why = {name: Ground(UNWEIGHABLE, self.clusters[name].source) for name in unknown}
        closed = {name: ground for name, ground in why.items() if name not in workload.current}
        full = {name: ground for name, ground in why.items() if name in workload.current}
        weights = {name: weight or 0 for name, weight in rooms.items() if name not in closed}
        return Division(base.without(closed).limited(full), weights, key)

    def _candidates(self, division: Division, declared: Declared) -> Candidates:
        """Say where in the files the reasons stand."""
        key = division.key and ("candidates", id(declared.document), division.key)
        return self._once(key, lambda: _located(division.standing, declared))

    def _resolved_bounds(self, division: Division, declared: Declared) -> ResolvedBounds:
        """Resolve the bounds against the candidates."""
        names = division.standing.names
        key = division.key and ("resolved", division.key)
        return self._once(key, lambda: resolve_bounds(declared.placement, names, self.clusters))

    def _bounds(self, division: Division, declared: Declared, bounds: ResolvedBounds) -> Iterator[Bounds]:
        """Say where in the files the bounds stand; nothing where there are none."""
        if bounds.minimum or bounds.maximum:
            key = division.key and ("bounds", id(declared.document), division.key)
            low, high = bounds.minimum, bounds.maximum
            yield self._once(key, lambda: Bounds(_at_lines(low, declared), _at_lines(high, declared)))


def _without_effect(bounds: ResolvedBounds, standing_: Standing, declared: Declared) -> Iterator[Statement]:
    """Name bounds on clusters that cannot be chosen or are not there."""
    for path, closed in bounds.idle:
        told = _listed([f"{name} ({standing_.excluded[name].reason})" for name in closed])
        text = f"{declared.name}: the bound has no effect on {told}: not among the candidates"
        yield Statement("bounds", text, declared.source(path))
    for path, unknown in bounds.absent:
        text = f"{declared.name}: the bound has no effect on {_listed(unknown)}: not in the input"
        yield Statement("bounds", text, declared.source(path))


def _listed(names: Sequence[str]) -> str:
    """Return the first three names, and how many more there are."""
    rest = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return ", ".join(names[:3]) + rest


def _located(standing_: Standing, declared: Declared) -> Candidates:
    """Turn grounds into exclusions with file and line."""
    known: dict[int, Exclusion] = {}

    def exclusion(ground: Ground) -> Exclusion:
        found = known.get(id(ground))
        if found is None:
            where = ground.where if isinstance(ground.where, Source) else declared.source(ground.where)
            found = known[id(ground)] = Exclusion(ground.reason, where)
        return found

    excluded, held_only = standing_.excluded, standing_.held_only
    return Candidates(
        standing_.names,
        {name: exclusion(excluded[name]) for name in sorted(excluded)},
        {name: exclusion(held_only[name]) for name in sorted(held_only)},
    )


def _at_lines(bounds: Mapping[str, Declaration], declared: Declared) -> Mapping[str, Bound]:
    """Turn declarations into bounds with file and line."""
    known: dict[int, Bound] = {}
    for declaration in bounds.values():
        if id(declaration) not in known:
            known[id(declaration)] = Bound(declaration.replicas, declared.source(declaration.path))
    return {name: known[id(declaration)] for name, declaration in bounds.items()}
