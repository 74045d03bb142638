"""Model: a placement problem made in Python, without YAML."""

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from fairlead.manifests.api.own import OWN_KINDS
from fairlead.manifests.extensions import Extension, Extensions
from fairlead.manifests.loading import load
from fairlead.manifests.yaml.documents import OWN_API_VERSION, shortened
from fairlead.manifests.yaml.reader import NamedDocument
from fairlead.modelling.entries import ClusterEntry, Entry, RuleEntry, WorkloadEntry
from fairlead.modelling.policy import Policy, Quantity, kept
from fairlead.models.cluster import Taint
from fairlead.models.errors import ManifestError, Mistake
from fairlead.models.outcome import Outcome
from fairlead.models.problem import Problem
from fairlead.models.source import Source
from fairlead.models.words import counted
from fairlead.solver.solve import solve


class Model:
    """Clusters, workloads and rules, added one by one; all mistakes in them are reported together.

    A model means the same as manifests with the same content, and is read by the same code. Messages name the
    line of the program instead of a line of a file.

    Parameters
    ----------
    extensions
        Extensions whose kinds and levels are known, beside those that are installed.

    Examples
    --------
    >>> import fairlead
    >>> model = fairlead.Model()
    >>> model.add_cluster("berlin", region="eu", allocatable={"cpu": "4", "memory": "16Gi"})
    >>> model.add_cluster("boston", region="us", allocatable={"cpu": "8", "memory": "32Gi"})
    >>> model.add_workload("shop/web", 9, requests={"cpu": "500m", "memory": "1Gi"})
    >>> model
    Model(2 clusters, 1 workload)
    >>> print(model.solve().placement["shop/web"]["berlin"])
    5
    """

    def __init__(self, extensions: Iterable[Extension] = ()) -> None:
        self._extensions = tuple(extensions)
        self._clusters: list[ClusterEntry] = []
        self._workloads: list[WorkloadEntry] = []
        self._rules: list[RuleEntry] = []

    def __repr__(self) -> str:
        rules = f", {counted(len(self._rules), 'rule')}" if self._rules else ""
        sizes = f"{counted(len(self._clusters), 'cluster')}, {counted(len(self._workloads), 'workload')}"
        return f"Model({sizes}{rules})"

    def add_cluster(
        self,
        name: str,
        *,
        provider: str = "",
        region: str = "",
        zones: Sequence[str] = (),
        labels: Mapping[str, str] | None = None,
        taints: Sequence[Taint] = (),
        allocatable: Mapping[str, Quantity] | None = None,
        allocated: Mapping[str, Quantity] | None = None,
    ) -> None:
        """Add a member cluster.

        Parameters
        ----------
        name
            Unique name.
        provider, region, zones
            Where it runs; empty where that does not matter.
        labels
            Its labels; None means none.
        taints
            Taints of the cluster, which keep away workloads that do not tolerate them.
        allocatable
            Capacity of its nodes by resource, in cores, bytes, pods and devices: ``{"cpu": "4", "memory":
            "16Gi"}``. A resource that is left out is not there, but for pods, which are then not counted (in
            `compare`, Karmada's scheduler takes a cluster without a number of pods for one that is full).
            None means that the capacity is unknown, which is no limit.
        allocated
            Amounts requested there now, in the same units, by the workloads of the model as well; None means
            none.
        """
        self._clusters.append(
            ClusterEntry(
                _caller(),
                name,
                provider,
                region,
                zones,
                kept({} if labels is None else labels),
                taints,
                kept(allocatable),
                kept({} if allocated is None else allocated),
            )
        )

    def add_workload(  # noqa: PLR0913 - all but name and replicas by keyword
        self,
        name: str,
        replicas: int,
        *,
        policy: Policy | None = None,
        requests: Mapping[str, Quantity] | None = None,
        running: Mapping[str, int] | None = None,
        labels: Mapping[str, str] | None = None,
        priority: int = 0,
        fresh: bool = False,
        api_version: str = "apps/v1",
        kind: str = "Deployment",
    ) -> None:
        """Add a workload.

        Parameters
        ----------
        name
            ``namespace/name``, the key of the workload in outcomes; without a namespace it is in ``default``.
        replicas
            Replicas wanted in total; under division ``duplicated`` on every cluster.
        policy
            Where replicas may run and how they are divided; None divides them evenly over all clusters.
        requests
            Request of one replica by resource: ``{"cpu": "500m", "memory": "1Gi"}``; None means none.
        running
            Replicas that run now by cluster; None means none.
        labels
            Labels of the workload; None means none.
        priority
            Scheduling priority: where not everything fits, higher goes first.
        fresh
            True to reschedule from scratch, False to keep what runs where possible.
        api_version, kind
            The kind of the workload.
        """
        self._workloads.append(
            WorkloadEntry(
                _caller(),
                name,
                replicas,
                Policy() if policy is None else policy,
                kept({} if requests is None else requests),
                kept({} if running is None else running),
                kept({} if labels is None else labels),
                priority,
                fresh,
                api_version,
                kind,
            )
        )

    def add_rule(self, kind: str, spec: Mapping[str, Any], name: str = "") -> None:
        """Add one of fairlead's own kinds, such as a price list, or a kind of an extension.

        Parameters
        ----------
        kind
            ``PriceList``, ``GroupBounds``, ``Survival``, ``Skew``, ``Profile``, ...
        spec
            Its ``spec``, as the kind's page describes it.
        name
            Name of it in messages; empty numbers it.
        """
        named = name or f"{str(kind).lower()}-{len(self._rules) + 1}"
        outside = None if kind in OWN_KINDS else Extensions(self._extensions).named(kind)
        version = OWN_API_VERSION if outside is None else outside.group_version
        self._rules.append(RuleEntry(_caller(), version, kind, named, spec))

    def problem(self) -> Problem:
        """Return the problem.

        Raises
        ------
        ManifestError
            Where anything is wrong; names every mistake with the line of the program that made it.
        """
        mistakes = list(self._mistakes())
        if mistakes:
            raise ManifestError(mistakes)
        return load([*self._documents()], extensions=self._extensions)

    def solve(
        self, *, time_limit: float | None = 10.0, deviation: str | None = None, partial: bool = False
    ) -> Outcome:
        """Place all replicas; ``fairlead.solve(model.problem(), ...)`` has more options.

        Parameters
        ----------
        time_limit, deviation, partial
            As for `fairlead.solve`.

        Raises
        ------
        ManifestError
            Where anything is wrong; names every mistake with the line of the program that made it.
        """
        return solve(self.problem(), time_limit=time_limit, deviation=deviation, partial=partial)

    def _mistakes(self) -> Iterator[Mistake]:
        """Yield everything that is wrong; what only manifests can say is left to their reader."""
        clusters = frozenset(str(one.name) for one in self._clusters)
        entries: list[ClusterEntry | WorkloadEntry] = [*self._clusters, *self._workloads]
        said: set[tuple[str, ...]] = set()
        for entry in entries:
            found = [*entry.mistakes(clusters)]
            if entry.identity in said:
                found.append(("name", "", "is defined twice"))
            said.add(entry.identity)
            for field, value, message in found:
                yield Mistake(entry.source, f"{entry.title}: {field}", shortened(value), message)

    def _documents(self) -> Iterator[NamedDocument]:
        """Yield manifests that say the same, each with the line that said it."""
        kinds = {(one.api_version, one.kind) for one in self._workloads}
        entries: tuple[Entry, ...] = (*self._clusters, *self._workloads, *self._rules)
        for entry in entries:
            for manifest in entry.manifests(kinds):
                yield NamedDocument(entry.source.file, manifest, entry.source.line)


def _caller() -> Source:
    """Return file and line of the program that called the model; the file from here where it lies below."""
    frame = sys._getframe(2)  # noqa: SLF001 - what `warnings` and `logging` do; inspect would read files
    path, here = Path(frame.f_code.co_filename), Path.cwd()
    return Source(str(path.relative_to(here) if path.is_relative_to(here) else path), frame.f_lineno)
