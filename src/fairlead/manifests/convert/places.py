"""Provider, region and zone as labels: KubeAdmiral's clusters have no fields for them."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

from fairlead.manifests.convert.account import JsonObject

LABELS: Mapping[str, str] = MappingProxyType(
    {
        "region": "topology.kubernetes.io/region",
        "zone": "topology.kubernetes.io/zone",
        "provider": "fairlead.io/provider",
    }
)
"""Labels by field. Kubernetes has none for the provider."""

_SAYING_FIELDS = ("field", "groupBy")


def by_label(field: str) -> str:
    """Return the label that stands for a field of a cluster; of anything else the same."""
    return LABELS.get(field, field)


def expressions(requirements: Iterable[Any]) -> list[JsonObject]:
    """Return requirements over fields or labels as requirements over labels.

    `requirements`: of any kind that has a key, an operator and values.
    """
    return [
        {
            "key": by_label(one.key),
            "operator": one.operator,
            **({"values": list(one.values)} if one.values else {}),
        }
        for one in requirements
    ]


def over_labels(part: Any) -> Any:
    """Return a part of a manifest of fairlead's own kinds that asks for labels where it asked for fields."""
    if isinstance(part, list):
        return [over_labels(one) for one in part]
    if not isinstance(part, dict):
        return part
    found: JsonObject = {}
    for key, value in part.items():
        if key in _SAYING_FIELDS and isinstance(value, str):
            found[key] = by_label(value)
        elif key == "by" and isinstance(value, list):
            found[key] = [by_label(str(one)) for one in value]
        elif key != "fieldSelector":
            found[key] = over_labels(value)
    stated = (part.get("fieldSelector") or {}).get("matchExpressions")
    if stated:
        labels = dict(found.get("labelSelector") or {})
        named = [{**one, "key": by_label(one["key"])} for one in stated]
        labels["matchExpressions"] = [*(labels.get("matchExpressions") or ()), *named]
        found["labelSelector"] = labels
    return found
