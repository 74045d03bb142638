"""Parts of manifests that both a policy and its overriding annotations have.

Absent and null are the zero value and unknown fields are skipped, as with Go's JSON decoder.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from fairlead.models.cluster import Toleration
from fairlead.models.selectors import Requirement
from fairlead.solver.dispensers.kubeadmiral.inputs import SelectorTerm

Document = Mapping[str, Any]


def section(document: Document, *path: str) -> Document:
    """Return the object under a path; empty where there is none."""
    found: Any = document
    for key in path:
        found = found.get(key) or {}
    return {} if found is None else found


def entries(document: Document, key: str) -> Sequence[Any]:
    """Return the list under a key; empty where there is none."""
    return document.get(key) or ()


def text(document: Document, key: str) -> str:
    """Return the text under a key; empty where there is none."""
    return document.get(key) or ""


def terms(documents: Sequence[Document]) -> tuple[SelectorTerm, ...]:
    """Return the terms of a cluster affinity."""
    return tuple(term(document) for document in documents)


def term(document: Document) -> SelectorTerm:
    """Return one term of a cluster affinity."""
    return SelectorTerm(_requirements(document, "matchExpressions"), _requirements(document, "matchFields"))


def _requirements(document: Document, key: str) -> tuple[Requirement, ...]:
    return tuple(
        Requirement(text(each, "key"), text(each, "operator"), tuple(entries(each, "values")))
        for each in entries(document, key)
    )


def tolerations(documents: Sequence[Document]) -> tuple[Toleration, ...]:
    """Return tolerations; their seconds have no effect on scheduling."""
    return tuple(
        Toleration(text(each, "key"), text(each, "operator"), text(each, "value"), text(each, "effect"))
        for each in documents
    )


def cluster_names(placements: Sequence[Document]) -> frozenset[str]:
    """Return the clusters of a placement list."""
    return frozenset(placement["cluster"] for placement in placements)


def preference(placements: Sequence[Document], name: str) -> dict[str, int]:
    """Return one preference by cluster.

    Where a cluster stands several times the last entry that sets the preference wins; every entry sets
    minReplicas, to 0 where it is absent.
    """
    found: dict[str, int] = {}
    for placement in placements:
        value = section(placement, "preferences").get(name)
        if value is not None or name == "minReplicas":
            found[placement["cluster"]] = value or 0
    return found
