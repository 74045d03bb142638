"""Account of every field of a manifest that is converted: nothing is left out in silence.

Provider, region and zone become labels, and at last two inputs are compared by what they mean: the rules of
every workload, without files, lines and reasons.
"""

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from pydantic.alias_generators import to_camel

from fairlead.manifests.api.meta import Api, Inert
from fairlead.manifests.yaml.documents import Document, Path, field_name, shortened
from fairlead.models.errors import Mistake
from fairlead.models.problem import Problem
from fairlead.models.rules import Bounds, Candidates, Companionship, GroupTotal, Spread
from fairlead.models.rules.bounds import Bound
from fairlead.models.source import Source
from fairlead.models.statement import Statement
from fairlead.models.words import counted, listed, shown
from fairlead.models.workload import Workload, running

KIND = "convert"

JsonObject = dict[str, Any]

NOT_BINPACK = "has no equivalent: Binpack fills clusters one by one, Aggregated divides by room"


class Account:
    """Losses and rewordings in the manifests of one conversion."""

    def __init__(self, target: str) -> None:
        self.target = target
        """The system that is written for."""
        self.losses: list[Mistake] = []
        """Fields that the other system cannot express."""
        self._noted: dict[tuple[str, str], list[Source]] = {}

    def lost(self, document: Document, path: Path, message: str) -> None:
        """Say that something that counts is not written; the message follows the value."""
        found = document.value(path)
        value = "" if found is None else shortened(found)
        self.losses.append(document.mistake(path, message, value))

    def note(self, document: Document, path: Path, message: str) -> None:
        """Say something about a field that is no loss; the message follows the field."""
        told = f"{field_name(path)}: {message}" if path else message
        self._noted.setdefault((document.kind, told), []).append(document.source(path))

    @property
    def notes(self) -> tuple[Statement, ...]:
        """Fields written in another way, or without influence on a placement; of all manifests at once."""
        return tuple(
            Statement(
                KIND, f"{kind if len(sources) == 1 else counted(len(sources), kind)}: {told}", sources[0]
            )
            for (kind, told), sources in self._noted.items()
        )

    def by_name(self, document: Document, path: Path, names: Sequence[str]) -> None:
        """Note that clusters are named which were selected."""
        told = f"written by name for {listed(names, 'cluster')}; add clusters that join later by hand"
        self.note(document, path, told)

    def inert(self, document: Document, model: Api, path: Path) -> None:
        """Note the fields of a part that are not written, and have no influence on placements."""
        written = document.value(path)
        if not isinstance(written, Mapping):
            return
        for name, field in type(model).model_fields.items():
            alias = field.alias or to_camel(name)
            marks = (mark for mark in field.metadata if isinstance(mark, Inert))
            for mark in marks if written.get(alias) is not None else ():
                self.note(document, (*path, alias), f"not written: {mark.why}")


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


Meaning = Mapping[str, Any]


def differences(given: Problem, found: Problem) -> Iterator[str]:
    """Say the differences between two problems.

    Whether a workload is due is left out: that depends on the scheduler, not on what is declared.
    """
    wanted, there = given.workload_by_key, found.workload_by_key
    for key in sorted(wanted.keys() | there.keys()):
        if key not in there:
            yield f"{key}: is not placed any more"
        elif key not in wanted:
            yield f"{key}: was not placed before"
        else:
            yield from _differing(f"{key}: ", _of_workload(wanted[key]), _of_workload(there[key]))
    yield from _differing("", _of_all(given), _of_all(found))


def _differing(who: str, wanted: Meaning, there: Meaning) -> Iterator[str]:
    for part in dict.fromkeys((*wanted, *there)):
        before, after = wanted.get(part), there.get(part)
        if before == after:
            continue
        told = [_told(each) for each in (before, after)]
        if max(map(len, told)) > _LONGEST:
            yield f"{who}{part}: not the same"
        else:
            yield f"{who}{part}: {told[0]} before, {told[1]} after"


_LONGEST = 40
"""Characters of a value that is told."""


def _told(value: Any) -> str:
    """Return a value in words; a rule that says nothing more is there."""
    if value in (None, [], {}, ()):
        return "nothing"
    return "there" if value == [{}] else shown(value)


def _of_workload(workload: Workload) -> dict[str, Any]:
    """Return the rules and values of a workload, by the names that people use."""
    found: dict[str, Any] = {
        "replicas": workload.replicas,
        "requests": dict(workload.requests),
        "what runs": running(workload),
        "priority": workload.priority,
        "fresh": workload.fresh,
    }
    groups = workload.groups if len(workload.groups) > 1 else ()
    found |= {f"affinity group {one.name}": [_plain(rule) for rule in one.rules] for one in groups}
    for rule in workload.rules:
        if not _says_nothing(rule):
            found.setdefault(_called(rule), []).append(_plain(rule))
    return found


def _of_all(problem: Problem) -> dict[str, Any]:
    """Return the rules and values of all workloads together, and the capacity of clusters."""
    found: dict[str, Any] = {
        "order of levels": problem.levels,
        "tolerances": {key: str(one) for key, one in problem.tolerances.items()},
        "measure of the deviation": str(problem.deviation),
    }
    for rule in problem.rules:
        found.setdefault(_called(rule), []).append(_plain(rule))
    for cluster in problem.clusters:
        found[f"cluster {cluster.name}"] = {
            "allocatable": dict(cluster.allocatable or {}),
            "free": dict(cluster.free or {}),
            "grades": _plain(cluster.grades),
            "deleting": cluster.deleting,
        }
    return found


_NAMES = {"Candidates": "eligible clusters", "Shares": "hierarchical weights", "Companionship": "affinity"}


def _called(rule: Any) -> str:
    """Return the name of a rule: its class in words, where people do not know it by another name."""
    name = type(rule).__name__
    if name in _NAMES:
        return _NAMES[name]
    return "".join(f" {each.lower()}" if each.isupper() else each for each in name).strip()


def _says_nothing(rule: Any) -> bool:
    """Tell whether a rule asks for what is so anyway: that some cluster is used, or at least no replicas."""
    match rule:
        case Spread():
            return rule.field == "cluster" and rule.minimum <= 1 and rule.maximum is None
        case Bounds():
            return not rule.maximum and not _positive(rule.minimum)
        case _:
            return False


def _positive(minima: Mapping[str, Bound]) -> dict[str, int]:
    return {name: one.replicas for name, one in minima.items() if one.replicas}


def _plain(value: Any) -> Any:
    """Return a value as data, without where it was declared and what it is called."""
    if isinstance(value, Source):
        return None
    if isinstance(value, Candidates):
        return {"names": list(value.names), "take nothing new": sorted(value.held_only)}
    if isinstance(value, Bound):
        return value.replicas
    if isinstance(value, Spread):
        return {
            "field": by_label(value.field),
            "groups": _plain(value.groups),
            "most": value.maximum,
            "fewest": max(1, value.minimum),
        }
    if dataclasses.is_dataclass(value):
        fields = (each.name for each in dataclasses.fields(value) if each.compare)
        skipped = {"source", "sources", *(("name",) if isinstance(value, Companionship | GroupTotal) else ())}
        told = {name: _plain(getattr(value, name)) for name in fields if name not in skipped}
        if isinstance(value, Bounds):
            told["minimum"] = _positive(value.minimum)
        return {**told, "field": by_label(told["field"])} if "field" in told else told
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in sorted(value.items(), key=str)}
    if isinstance(value, frozenset | set):
        return sorted(map(str, value))
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value
