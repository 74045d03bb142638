"""Annotations on an object that override its policy, part by part.

One that cannot be read is passed over with a warning, and the policy holds for that part, as in KubeAdmiral.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Annotated, Any

from pydantic import Field

from fairlead.manifests.api import meta
from fairlead.manifests.api.base import Anything, Api, Texts
from fairlead.manifests.api.kubeadmiral import ClusterSelectorTerm, DesiredPlacement
from fairlead.manifests.documents import field_name, shortened
from fairlead.manifests.kubeadmiral.findings import affinity_findings, placement_findings
from fairlead.manifests.kubeadmiral.marks import PREFIX, A, Annotation, Mark, Marks, read_json
from fairlead.manifests.kubeadmiral.policy import (
    AFFINITY,
    MAX_CLUSTERS,
    MODE,
    PLACEMENT,
    RESCHEDULING,
    SELECTOR,
    TOLERATIONS,
    Policy,
    terms,
    tolerations,
)
from fairlead.manifests.kubeadmiral.preferences import preferences
from fairlead.manifests.webhook import Finding
from fairlead.models.selectors import LabelSelector
from fairlead.models.statement import Statement

_COUNT = re.compile(r"\+?[0-9]{1,18}")

Parts = dict[str, Any]


class _Tolerations(Annotation):
    value: tuple[meta.Toleration, ...] = ()


class _Placements(Annotation):
    value: tuple[DesiredPlacement, ...] = ()


class _Selector(Annotation):
    value: Texts = Field(default_factory=dict)


class _Required(Api):
    cluster_selector_terms: tuple[ClusterSelectorTerm, ...] = ()


class _ClusterAffinity(Api):
    required: Annotated[_Required | None, Field(alias="requiredDuringSchedulingIgnoredDuringExecution")] = (
        None
    )
    preferred: Annotated[Anything, Field(alias="preferredDuringSchedulingIgnoredDuringExecution")] = None


class _NamedAffinity(Api):
    cluster_affinity: _ClusterAffinity = _ClusterAffinity()


class _Affinity(Annotation):
    value: _NamedAffinity = _NamedAffinity()


class _UnreadableError(Exception):
    """An annotation cannot be read; the text says why."""


def overridden(policy: Policy, annotations: Marks, key: str) -> tuple[Policy, list[Statement]]:
    """Return a policy with everything replaced that annotations of an object override.

    Parameters
    ----------
    policy
        The policy.
    annotations
        Those of the object.
    key
        The object.

    Returns
    -------
    tuple
        The policy for this object, and what could not be read or has no effect.
    """
    warnings: list[Statement] = []
    for name, (part, read) in _READERS.items():
        mark = annotations.get(PREFIX + name)
        if mark is None:
            continue
        try:
            parts = read(mark)
        except _UnreadableError as problem:
            shown = shortened(mark.value)
            text = f"{key}: annotation {PREFIX}{name} {shown!r} {problem}; {policy.name} holds instead"
            warnings.append(Statement("annotation", text, mark.source, key))
            continue
        sources = {**policy.sources, part: mark.source}
        policy = replace(policy, **parts, sources=sources, key=(policy.key, name, mark))
        warnings.extend(_without_effect(name, mark, key))
    return policy, warnings


def _parsed(mark: Mark, model: type[A]) -> A:
    """Read the JSON of an annotation."""
    read, problem = read_json(mark.value, model)
    if read is None:
        raise _UnreadableError(problem)
    return read


def _refuse(findings: Iterator[Finding]) -> None:
    """Refuse what is right alone and wrong together."""
    for finding in findings:
        raise _UnreadableError(f"{field_name(finding.path)} {finding.message}")


def _chosen(mark: Mark, allowed: Mapping[str, bool]) -> bool:
    """Return what one of two words means."""
    if mark.value not in allowed:
        raise _UnreadableError(f"is not allowed; allowed are {' and '.join(allowed)}")
    return allowed[mark.value]


def _mode(mark: Mark) -> Parts:
    return {"divide": _chosen(mark, {"Divide": True, "Duplicate": False})}


def _sticky(mark: Mark) -> Parts:
    return {"sticky": _chosen(mark, {"true": True, "false": False})}


def _tolerated(mark: Mark) -> Parts:
    return {"tolerations": tolerations(_parsed(mark, _Tolerations).value)}


def _placements(mark: Mark) -> Parts:
    placement = _parsed(mark, _Placements).value
    _refuse(placement_findings(placement))
    return {"preferred": preferences(placement, lambda _: mark.source)}


def _selector(mark: Mark) -> Parts:
    return {"selector": LabelSelector.of(_parsed(mark, _Selector).value)}


def _affinity(mark: Mark) -> Parts:
    required = _parsed(mark, _Affinity).value.cluster_affinity.required
    if required is None:
        return {"terms": None}
    _refuse(affinity_findings(required.cluster_selector_terms))
    return {"terms": terms(required.cluster_selector_terms)}


def _max_clusters(mark: Mark) -> Parts:
    if not _COUNT.fullmatch(mark.value):
        raise _UnreadableError("must be a whole number, at least 0")
    return {"max_clusters": int(mark.value)}


def _without_effect(name: str, mark: Mark, key: str) -> Iterator[Statement]:
    """Say what of a readable annotation has no effect."""
    if name == "affinity" and _parsed(mark, _Affinity).value.cluster_affinity.preferred:
        text = f"{key}: preferred terms of annotation {PREFIX}affinity have no effect; only required ones do"
        yield Statement("annotation", text, mark.source, key)


_READERS: Mapping[str, tuple[str, Callable[[Mark], Parts]]] = MappingProxyType(
    {
        "scheduling-mode": (MODE, _mode),
        "sticky-cluster": (RESCHEDULING, _sticky),
        "tolerations": (TOLERATIONS, _tolerated),
        "placements": (PLACEMENT, _placements),
        "clusterSelector": (SELECTOR, _selector),
        "affinity": (AFFINITY, _affinity),
        "maxClusters": (MAX_CLUSTERS, _max_clusters),
    }
)
