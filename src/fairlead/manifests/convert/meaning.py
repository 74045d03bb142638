"""Whether two inputs mean the same: the rules of every workload, without files, lines and reasons."""

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any

from fairlead.manifests.convert.places import by_label
from fairlead.models.problem import Problem
from fairlead.models.rules import Bounds, Candidates, Companionship, GroupTotal, Spread
from fairlead.models.rules.bounds import Bound
from fairlead.models.source import Source
from fairlead.models.words import shown
from fairlead.models.workload import Workload

Meaning = Mapping[str, Any]


def differences(given: Problem, found: Problem) -> Iterator[str]:
    """Say what two problems do not have in common.

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
    return "nothing" if value in (None, [], {}, ()) else shown(value)


def _of_workload(workload: Workload) -> dict[str, Any]:
    """Return what is asked for a workload, by what people call it."""
    found: dict[str, Any] = {
        "replicas": workload.replicas,
        "requests": dict(workload.requests),
        "what runs": {name: count for name, count in workload.current.items() if count},
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
    """Return what is asked for all workloads together, and what clusters can take."""
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
    """Return what a rule is called: its class in words, where people do not know it by another name."""
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
