"""From any number of inputs to a problem."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from fairlead.manifests.autoscaling import autoscaled
from fairlead.manifests.clusters import across, cluster_warnings, read_clusters
from fairlead.manifests.collect import Manifests, is_marked
from fairlead.manifests.extensions import Extension, Extensions
from fairlead.manifests.gathering import gather, in_order, not_understood
from fairlead.manifests.join import Subject, keys, subject_of, unknown
from fairlead.manifests.karmada.companions import Member, companionships, subjects_with
from fairlead.manifests.karmada.facts import Declared, declared_for, left_out, read_workload
from fairlead.manifests.karmada.interpret import Propagation
from fairlead.manifests.karmada.requests import resized
from fairlead.manifests.undecided import node_claims, strangers, whole_objects
from fairlead.manifests.yaml.documents import Identity
from fairlead.manifests.yaml.reader import Input
from fairlead.models.check import with_due
from fairlead.models.cluster import Cluster
from fairlead.models.errors import ManifestError, Mistake, UnsupportedError
from fairlead.models.problem import Problem
from fairlead.models.rules import Capacity, SharedRule
from fairlead.models.selectors import select
from fairlead.models.source import FederatedUnit
from fairlead.models.statement import NOT_UNDERSTOOD, Statement
from fairlead.models.uncollected import uncollected
from fairlead.models.usage import add, as_they_run, without_lag
from fairlead.models.validity import excessive, well_typed, with_outside
from fairlead.models.workload import Workload, as_it_runs

if TYPE_CHECKING:
    from fairlead.manifests.kubeadmiral.scheduling import Federation, PlacedSubject

__all__ = ["Input", "load", "select"]

MANY = 10
"""Warnings after which it is no longer looked for what a workload that is left out may be meant by."""


def load(
    *sources: Input | Iterable[Input], recursive: bool = False, extensions: Iterable[Extension] = ()
) -> Problem:
    """Read manifests and return the placement problem that they describe.

    Parameters
    ----------
    sources
        Files, directories, ``-`` for standard input, open files, parsed documents (dicts), or lists of any of
        these.
    recursive
        Whether directories below a directory are read too.
    extensions
        Extensions whose kinds and levels are known, beside those that are installed.

    Returns
    -------
    Problem
        Clusters, workloads with their rules, and warnings: skipped kinds, unknown fields, workloads that are
        left out, also because their bindings or federated objects cannot be understood, bounds without
        effect.

    Raises
    ------
    ManifestError
        Where anything but a binding or federated object is wrong, or these are and nothing else is to be
        placed; names every mistake of every file.
    UnsupportedError
        Where the input is right, but only holds what this version cannot read.
    ExtensionError
        Where an extension that the input needs cannot be loaded, or breaks its promises.
    """
    with uncollected(lasting=True):
        return _load(sources, Extensions(tuple(extensions)), recursive=recursive)


def _load(sources: Iterable[Input | Iterable[Input]], extensions: Extensions, *, recursive: bool) -> Problem:
    _, manifests, subjects = gather(sources, extensions, recursive=recursive)
    problem = problem_of(manifests, subjects, extensions=extensions)
    missed = not_understood(manifests)
    if not problem.workloads and missed:
        others = (one for one in problem.warnings if one.rule != NOT_UNDERSTOOD)
        raise ManifestError(missed, others)
    if not problem.workloads and manifests.unsupported:
        raise UnsupportedError("\n".join(map(str, manifests.unsupported)))
    return problem


def problem_of(
    manifests: Manifests,
    subjects: Sequence[Subject],
    asked: Collection[Identity] | None = None,
    extensions: Extensions | None = None,
) -> Problem:
    """Put the problem together; what cannot be understood is left out, and a warning says so.

    `asked`: workloads of Karmada that are to be placed; of all others only what they hold counts, and those
    that stand with or apart from them stay as they run. None places all. `extensions`: where levels from
    outside are looked for; None means those that are installed.

    Raises `ManifestError` where all workloads together ask for too much to count.
    """
    declared_clusters = (manifests.clusters, manifests.federated_clusters)
    clusters = read_clusters(*declared_clusters)
    warnings = [*manifests.warnings, *manifests.unsupported, *cluster_warnings(*declared_clusters)]
    warnings += _nobodys(manifests)
    named = list(zip(subjects, keys(subjects), strict=True))
    held = [read_workload(subject, key) for subject, key in named]
    clusters = as_they_run(clusters, held, _resized(subjects))
    up_to_date = without_lag(clusters, held)
    taking_part = frozenset(subjects_with(subjects, asked)) if asked is not None else None
    parts = _parted(named, held, manifests, _federation(manifests, up_to_date), taking_part)
    warnings += [*parts.warnings, *whole_objects(named)]
    propagation = Propagation.of(manifests.rebalancers, manifests.priority_classes, up_to_date)
    present = propagation.interpreter.present
    members = []
    for subject, read, declared in parts.placed:
        workload, remarked = propagation.place(subject, read, declared)
        if asked is not None and subject.identity not in asked:
            workload = as_it_runs(workload, present)
        members.append(Member(workload, subject, declared))
        warnings += remarked
    workloads = [member.workload for member in members]
    for _, _, found in parts.federated:
        workloads += [found.workload] if found.workload else []
        warnings += found.warnings
    workloads, changing = autoscaled(manifests.autoscalers, workloads)
    warnings += [*changing, *_overridden(manifests, workloads, clusters)]
    claiming = [(subject, read.key) for subject, read, _ in parts.placed]
    warnings += node_claims([*claiming, *((subject, key) for subject, key, _ in parts.federated)])
    warnings += [*strangers(workloads, present), *unknown(manifests.rebalancers, subjects)]
    warnings += across(*declared_clusters, workloads)
    # Where some stay as they are, what they hold is taken, also before their clusters tell so.
    known = clusters if asked is None else up_to_date
    rules: tuple[SharedRule, ...] = (Capacity(), *companionships(members, present))
    problem = Problem(known, tuple(workloads), rules, warnings=tuple(warnings))
    return _completed(problem, manifests, parts.idle, extensions or Extensions())


def _resized(subjects: Iterable[Subject]) -> dict[tuple[str, str], int]:
    """Return the requests of component sets beyond those of the sets that run, by cluster and resource."""
    more: dict[tuple[str, str], int] = {}
    for subject in subjects:
        for cluster, amounts in resized(subject.binding.model.spec) if subject.binding else ():
            add(more, {(cluster, resource): amount for resource, amount in amounts.items() if amount})
    return more


def _nobodys(manifests: Manifests) -> Iterator[Statement]:
    """Say which objects cannot be understood so far that not even their workloads are known."""
    for one in manifests.unread:
        if subject_of(one) is None:
            first = one.mistakes[0]
            text = f"{one.document.kind} is left out: it cannot be understood: {first.sentence}"
            yield Statement(NOT_UNDERSTOOD, text, first.source)


@dataclass(frozen=True, slots=True)
class _Parts:
    """Workloads by who places them, and those that stay as they are."""

    placed: list[tuple[Subject, Workload, Declared]] = field(default_factory=list)
    """Workloads of Karmada."""
    federated: "list[tuple[Subject, str, PlacedSubject]]" = field(default_factory=list)
    """Workloads of KubeAdmiral, with their keys."""
    idle: list[Workload] = field(default_factory=list)
    """Workloads of which only counts what they hold."""
    warnings: list[Statement] = field(default_factory=list)


def _parted(
    named: Iterable[tuple[Subject, str]],
    held: Iterable[Workload],
    manifests: Manifests,
    federation: "Federation | None",
    taking_part: frozenset[Identity] | None,
) -> _Parts:
    """Part workloads by who places them; those that take no part, if not all do, stay as they are."""
    parts = _Parts()
    for (subject, key), workload in zip(named, held, strict=True):
        if taking_part is not None and subject.identity not in taking_part:
            parts.idle.append(workload)
            continue
        if federation is not None and not subject.unread and federation.places(subject):
            parts.federated.append((subject, key, federation.place(subject, key)))
            continue
        declared = declared_for(subject)
        # Nobody reads what is odd of hundreds of workloads.
        few = len(parts.warnings) < MANY
        reason = left_out(subject, key, declared, manifests.policies if few else ())
        if declared is not None and reason is None:
            parts.placed.append((subject, workload, declared))
        else:
            parts.idle.append(workload)
        parts.warnings.extend([reason] if reason else [])
    return parts


def _federation(manifests: Manifests, clusters: Sequence[Cluster]) -> "Federation | None":
    """Return KubeAdmiral's part of the input; None where it can have none, as in most inputs."""
    if not manifests.federated and not any(map(is_marked, manifests.workloads)):
        return None
    from fairlead.manifests.kubeadmiral.scheduling import Federation

    return Federation.of(manifests.federation_policies, clusters)


def _overridden(
    manifests: Manifests, workloads: Sequence[Workload], clusters: Sequence[Cluster]
) -> Iterable[Statement]:
    """Say which policies write another number of replicas than is placed."""
    policies = (manifests.overrides, manifests.federated_overrides)
    if not any(policies) and not any(
        isinstance(one.declared, FederatedUnit) and one.declared.override_policies(one.namespace)
        for one in workloads
    ):
        return ()
    from fairlead.manifests.overridden import replica_overrides

    return replica_overrides(*policies, workloads, clusters)


def _completed(
    problem: Problem, manifests: Manifests, idle: Sequence[Workload], extensions: Extensions
) -> Problem:
    """Return a problem with our own kinds, quotas, the workloads that are due, and levels from outside."""
    if manifests.own:
        from fairlead.manifests.own.extend import extended

        problem = extended(problem, manifests.own, extensions)
    if manifests.quotas:
        from fairlead.manifests.karmada.quotas import with_quotas

        problem = with_quotas(problem, manifests.quotas, idle)
    problem = replace(problem, workloads=with_due(problem.workloads), warnings=in_order(problem.warnings))
    problem = with_outside(problem)
    excess = [
        Mistake(workload.source, f"resourceRequest.{resource}", "", message)
        for workload, resource, message in excessive(problem)
    ]
    if excess:
        raise ManifestError(excess)
    return well_typed(problem)
