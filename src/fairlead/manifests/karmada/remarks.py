"""Remarks on a placement: fields that disagree or do nothing, clusters that are not there."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from fairlead.manifests.api.meta import EFFECTS
from fairlead.manifests.api.policies import ClusterSet, Placement
from fairlead.manifests.eligibility import Eligibility
from fairlead.manifests.join import Subject
from fairlead.manifests.karmada.facts import Declared, as_declared, named
from fairlead.manifests.karmada.groups import declared_tiers, is_inherited
from fairlead.manifests.karmada.preferences import ResolvedBounds, preferences_of
from fairlead.manifests.karmada.requests import idle_division, in_sets
from fairlead.manifests.karmada.resolve import Resolver
from fairlead.manifests.karmada.specified import annotated, idle_parts
from fairlead.manifests.yaml.documents import Path, field_name
from fairlead.models.selectors import IN
from fairlead.models.statement import Statement
from fairlead.models.words import counted, first_of, listed, with_nearest
from fairlead.models.workload import Workload


def remarks(subject: Subject, workload: Workload, declared: Declared) -> Iterator[Statement]:
    """Say where the parts of the input disagree, and which one counts."""
    if subject.outvoted is not None:
        other = named(subject.outvoted.model.place)
        text = (
            f"{other} precedes {declared.name}, but does not take over {workload.key}, which that has claimed"
        )
        yield Statement("policy", text, subject.outvoted.source(), workload.key)
    yield from _idle_totals(subject, declared)
    yield from _idle_placement(declared)
    yield from tiny_memory(workload)
    if subject.binding:
        yield from other_replicas(subject, workload, "binding")


def tiny_memory(workload: Workload) -> Iterator[Statement]:
    """Say that a workload requests less than 1 KiB of memory, as 256m, which is thousandths, or 256."""
    asked = workload.requests.get("memory", 0)
    if 0 < asked < 1024:
        asks = f"requests {counted(asked, 'byte')} of memory per replica"
        text = f"{workload.key} {asks}; did you mean Mi or Gi?"
        yield Statement("requests", text, workload.source, workload.key)


def other_replicas(subject: Subject, workload: Workload, counts: str) -> Iterator[Statement]:
    """Say that a template asks for another number of replicas than the object that counts."""
    asked = subject.template.model.spec.replicas if subject.template else workload.replicas
    if asked != workload.replicas:
        other = f"the {workload.replicas} of its {counts} count"
        text = f"{workload.key}: the template asks for {asked} replicas, but {other}"
        yield Statement("replicas", text, workload.replicas_source, workload.key)


def _idle_placement(declared: Declared) -> Iterator[Statement]:
    """Name parts of a placement that are right alone and do nothing beside the others."""
    placement = declared.placement
    if is_inherited(placement) and not placement.cluster_affinities:
        why = "it makes overflow tiers of clusterAffinities, and there are none"
        yield declared.remark("affinity", ("affinityStrategy", "mode"), f"Inherited has no effect: {why}")
    for position, one in enumerate(placement.cluster_tolerations):
        if not one.is_known:
            told = f"tolerates nothing: operators are Equal and Exists, effects {', '.join(EFFECTS)}"
            yield declared.remark("toleration", ("clusterTolerations", position), told)


def _idle_totals(subject: Subject, declared: Declared) -> Iterator[Statement]:
    """Name totals that do nothing: beside another way of dividing, or on a binding whose policy counts."""
    policy, binding = subject.policy, subject.binding
    stated = as_declared(subject)
    if stated is not None and binding is not None and in_sets(binding.model.spec):
        for path, why in idle_division(stated.placement):
            remark = stated.remark("components", path, f"has no effect: {why}")
            yield replace(remark, workload=subject.identity.name)
        return
    if policy is not None:
        spec = policy.model.spec
        idle = idle_parts(spec.placement, policy.model.metadata, spec.replicas)
    else:
        idle = idle_parts(declared.placement, binding.model.metadata) if binding else iter(())
    for path, why in idle:
        text = f"{declared.name}: {field_name(path)} has no effect: {why}"
        yield Statement("specified", text, declared.document.source(path))
    for path, _ in annotated(binding.model.metadata) if policy and binding else ():
        where = ("metadata", *path)
        text = f"{field_name(where)} of the binding has no effect: {declared.name} counts"
        yield Statement("specified", text, binding.source(*where) if binding else None)


def without_effect(
    bounds: ResolvedBounds, standings: Sequence[Eligibility], declared: Declared, present: frozenset[str]
) -> Iterator[Statement]:
    """Name bounds on clusters that cannot be chosen, in whatever affinity group, or are not there.

    `standings`: how clusters stand in every affinity group; the reasons of the first one are told.
    """
    excluded = standings[0].excluded
    for path, matched in bounds.idle:
        closed = [name for name in matched if all(name in each.excluded for each in standings)]
        told = first_of([f"{name} ({excluded[name].reason})" for name in closed])
        if closed:
            text = f"{declared.name}: the bound has no effect on {told}: not eligible"
            yield Statement("bounds", text, declared.source(path))
    for path, unknown in bounds.absent:
        text = (
            f"{declared.name}: the bound has no effect on {with_nearest(unknown, present)}: not in the input"
        )
        yield Statement("bounds", text, declared.source(path))


def refused_weights(declared: Declared) -> Iterator[Statement]:
    """Name static weights of 0, which are understood here and which Karmada's API server refuses."""
    for path, preferences in preferences_of(declared.placement.replica_scheduling):
        found = [at for at, term in enumerate(preferences.static_weight_list) if not term.weight]
        if found:
            where = (*path, "staticWeightList", found[0], "weight")
            more = f", as {counted(len(found) - 1, 'more weight')} of the list" if found[1:] else ""
            told = f"is 0{more}; Karmada's API server refuses less than 1: leave out of the list what is to"
            yield declared.remark("weights", where, f"{told} get nothing")


KIND = "cluster"


def unknown_clusters(declared: Declared, resolver: Resolver) -> Iterator[Statement]:
    """Say which names, regions and the like of affinities and static weights no cluster of the input has.

    Those of bounds and of totals are told with what they do not bound or hold.
    """
    clusters = resolver.clusters
    for path, affinity in _sets(declared.placement, resolver):
        for field, names in (("clusterNames", affinity.cluster_names), ("exclude", affinity.exclude)):
            if not all(map(clusters.__contains__, names)):
                unknown = [name for name in dict.fromkeys(names) if name not in clusters]
                told = f"names {with_nearest(unknown, clusters)}, not in the input"
                yield declared.remark(KIND, (*path, field), told, (names.index(unknown[0]),))
        yield from _unknown_values(declared, path, affinity, resolver)


def _unknown_values(
    declared: Declared, path: Path, affinity: ClusterSet, resolver: Resolver
) -> Iterator[Statement]:
    """Say which regions, zones and providers of a set no cluster of the input has."""
    for position, one in enumerate(affinity.fields):
        known = resolver.values(one.key)
        unknown = [value for value in dict.fromkeys(one.values) if value not in known]
        if one.operator == IN and unknown:
            place = (*path, "fieldSelector", "matchExpressions", position, "values")
            there = f"known: {listed(sorted(known), one.key)}" if known else f"no cluster has a {one.key}"
            told = f"names {one.key} {with_nearest(unknown, known)}, not in the input ({there})"
            yield declared.remark(KIND, place, told, (one.values.index(unknown[0]),))


def _sets(placement: Placement, resolver: Resolver) -> Iterator[tuple[Path, ClusterSet]]:
    """Yield the sets of clusters that candidates and static weights come from, with their paths.

    Static weights that are all for single clusters that there are, are left out.
    """
    for tier in declared_tiers(placement):
        if tier.affinity is not None:
            yield tier.path, tier.affinity
    for path, preferences in preferences_of(placement.replica_scheduling):
        if resolver.alone(preferences.static_weight_list) is not None:
            continue
        for position, term in enumerate(preferences.static_weight_list):
            yield (*path, "staticWeightList", position, *term.target_path), term.target_cluster
