"""Oddities in the metadata of a manifest: names that no API server takes, and misspelt annotations."""

import re
from collections.abc import Iterator

from fairlead.manifests.api.karmada import Cluster
from fairlead.manifests.api.meta import Object
from fairlead.manifests.validation import UNKNOWN_FIELD, Located
from fairlead.models.statement import Statement

_DNS_NAME = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
# Characters that Karmada takes for a cluster, and Kubernetes for a namespace.
_LONGEST_CLUSTER, _LONGEST_NAMESPACE = 48, 63


def odd_metadata(located: Located[Object], *, specifies: bool) -> Iterator[Statement]:
    """Say that an annotation has no effect, or that an API server refuses a name that is taken here.

    `specifies`: whether its annotations may specify replicas; a proposal spells them in the singular.
    """
    if located.model.metadata.annotation and not specifies:
        text = f"{located.document.kind}: metadata.annotation is an unknown field and has no effect"
        yield Statement(UNKNOWN_FIELD, text, located.source("metadata", "annotation"))
    meta, kind = located.model.metadata, located.document.kind
    if meta.name == meta.generate_name:
        text = (
            f"{kind}: metadata.generateName {meta.name!r} stands for the name that Kubernetes will make of it"
        )
        yield Statement("name", text, located.source("metadata", "generateName"))
    else:
        longest = _LONGEST_CLUSTER if isinstance(located.model, Cluster) else None
        yield from _odd(located, "name", meta.name, longest)
    if meta.namespace:
        yield from _odd(located, "namespace", meta.namespace, _LONGEST_NAMESPACE)


def _odd(located: Located[Object], field: str, name: str, longest: int | None) -> Iterator[Statement]:
    """Say which names an API server would refuse; a length means that it has no dots either."""
    fits = _DNS_NAME.fullmatch(name) is not None and (longest is None or len(name) <= longest)
    if fits and not (longest and "." in name):
        return
    text = f"{located.document.kind}: metadata.{field} {name!r} is not a name that Kubernetes accepts: "
    allowed = "lower case letters, digits, '-' and '.'"
    if longest:
        allowed = f"at most {longest} lower case letters, digits and '-'"
    yield Statement(
        "name", f"{text}{allowed}, with a letter or digit at both ends", located.source("metadata", field)
    )
