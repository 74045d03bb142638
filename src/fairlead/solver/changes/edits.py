"""Edits of manifests that a change needs, also inside the JSON of annotations."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, assert_never

from fairlead.manifests.yaml.documents import Path, value_at
from fairlead.models.errors import InternalError
from fairlead.models.problem import Problem
from fairlead.models.rules import Companionship, MoveBudget
from fairlead.models.rules.move_budget import replicas_of
from fairlead.models.source import FederatedUnit
from fairlead.models.statement import Change
from fairlead.models.workload import Workload
from fairlead.solver.changes.kinds import ChangeKind, taint_of

Data = Mapping[str, Any]

PLACEMENT: Path = ("spec", "placement")
CONSTRAINT: Path = (*PLACEMENT, "replicaScheduling", "weightPreference", "clusterConstraint")
TERMS = "clusterConstraintTerms"


@dataclass(frozen=True, slots=True)
class Edit:
    """A value at a path."""

    path: Path
    """Keys and list positions; a position at the end of its list appends."""
    value: Any
    """The value; None deletes what is there."""
    lenient: Literal["least", "most"] | None = None
    """Which of two numbers counts where one entry of a manifest is changed for several workloads or sets: the
    least or the most. None means the last one."""

    def into(self, data: dict[str, Any]) -> None:
        """Put the value into a document; what is missing on the way is made."""
        inner: Any = data
        for step, following in zip(self.path, self.path[1:], strict=False):
            empty: Any = [] if isinstance(following, int) else {}
            if isinstance(step, int):
                if step == len(inner):
                    inner.append(empty)
            elif inner.get(step) is None:
                inner[step] = empty
            inner = inner[step]
        last = self.path[-1]
        if isinstance(last, int) and last == len(inner):
            inner.append(self.value)
        else:
            inner[last] = self.value


def edits(change: Change, data: Data, workload: Workload, problem: Problem) -> Iterator[Edit]:
    """Yield the edits by which a change of a rule of one workload gets into the object that declared it.

    `change`: the change, neither of replicas nor of what several workloads share; `data`: the object as it
    was written, as far as it is known.
    """
    path = change.source.path if change.source else ()
    kind = ChangeKind(change.kind)
    match kind:
        case ChangeKind.MINIMUM | ChangeKind.MAXIMUM:
            yield from _bounds(change, data, workload, problem)
        case ChangeKind.TOTAL | ChangeKind.GROUP_MINIMUM | ChangeKind.GROUP_MAXIMUM:
            yield from _total(change, path, data)
        case ChangeKind.FEWEST_GROUPS | ChangeKind.MOST_GROUPS:
            yield from _groups(change, path, workload)
        case ChangeKind.SURVIVAL:
            yield _survival(change, data, workload)
        case ChangeKind.SKEW | ChangeKind.CUSTOM:
            # A plain number of a kind made for fairlead stands where its source says; lists are not known.
            if path and all(isinstance(step, str) for step in path):
                yield Edit(path, change.after, "most" if change.after > change.before else "least")
        case (
            ChangeKind.RESCHEDULE
            | ChangeKind.MOVE_BUDGET
            | ChangeKind.TOLERATION
            | ChangeKind.COMPANION
            | ChangeKind.REPLICAS
            | ChangeKind.QUOTA
            | ChangeKind.CAPACITY
        ):
            raise InternalError(f"a change of {kind} is none of a rule of one workload")
        case _:
            assert_never(kind)


def companions(change: Change, data: Data, problem: Problem) -> Iterator[Edit]:
    """Yield the names of the workloads that stay together, or apart, once one has left."""
    path: Path = ("spec", "workloadSelector", "names")
    rules = [rule for rule in problem.rules if isinstance(rule, Companionship)]
    keys = {key for rule in rules if rule.source == change.source for key in rule.members}
    known = value_at(data, *path) or sorted({problem.workload_by_key[key].name for key in keys})
    leaves = problem.workload_by_key[change.workload or ""].name
    left = [name for name in known if name != leaves]
    # Without any name everything would be selected; one alone has no company.
    yield Edit(path, left or known[:1])


def moved(change: Change, data: Data, problem: Problem) -> Iterator[Edit]:
    """Yield a larger budget of moves: a number; where an entry counts for several, a percentage stays one."""
    path = change.source.path if change.source else ()
    if path[:2] in (("spec", "leaving"), ("spec", "arriving")):
        path = (*path, "replicas")
    budgets = (each for each in problem.rules if isinstance(each, MoveBudget))
    running = replicas_of(next(each for each in budgets if each.name == change.named), problem)
    several = path[-1:] in (("perWorkload",), ("perNamespace",))
    if several and str(value_at(data, *path)).endswith("%") and change.after <= running:
        yield Edit(path, f"{-(-100 * change.after // running)}%", "most")
    else:
        yield Edit(path, change.after, "most")


def toleration(change: Change, path: Path, data: Data) -> Iterator[Edit]:
    """Yield a toleration at the end of a list, unless an earlier change put it there."""
    taint = taint_of(change)
    how = {"operator": "Equal", "value": taint.value} if taint.value else {"operator": "Exists"}
    wanted = {"key": taint.key, **how, "effect": taint.effect}
    if inside(path):
        yield Edit(path, tolerated(str(value_at(data, *path) or "[]"), wanted))
        return
    known = value_at(data, *path) or []
    if wanted not in known:
        yield Edit((*path, len(known)), wanted)


def _bounds(change: Change, data: Data, workload: Workload, problem: Problem) -> Iterator[Edit]:
    """Yield a minimum or a maximum of one cluster."""
    name = "minReplicas" if change.kind == ChangeKind.MINIMUM else "maxReplicas"
    path = change.source.path if change.source else ()
    if not isinstance(workload.declared, FederatedUnit):
        yield from _bound(change, name, data, problem)
    elif inside(path):
        text = preferred(str(value_at(data, *path) or "[]"), change.cluster or "", name, change.after)
        yield Edit(path, text)
    else:
        yield from _preference(change, name, data)


def _preference(change: Change, name: str, data: Data) -> Iterator[Edit]:
    """Yield a number of the placement list of KubeAdmiral's policy: the last entry of a cluster counts."""
    entries = value_at(data, *PLACEMENT) or []
    found = [position for position, entry in enumerate(entries) if entry.get("cluster") == change.cluster]
    if found:
        yield Edit((*PLACEMENT, found[-1], "preferences", name), change.after)


def _bound(change: Change, name: str, data: Data, problem: Problem) -> Iterator[Edit]:
    """Yield a bound of one cluster, in a term of its own where it is declared for several.

    Of several terms that match a cluster the smallest number counts. That suits a lower minimum; of a
    higher maximum the cluster is taken out of the terms that would still hold it down.
    """
    base = _base(change.source.path if change.source else ())
    terms = value_at(data, *base, TERMS) or []
    known = [at for at, term in enumerate(terms) if _names(term) == [change.cluster] and name in term]
    own = known[-1] if known else len(terms)
    low: list[int] = []
    for position, term in enumerate(terms):
        lifted = name == "maxReplicas" and position != own and term.get(name, change.after) < change.after
        if lifted and _matches(term, change, problem):
            inside = () if term.get("targetCluster") is None else ("targetCluster",)
            yield Edit(
                (*base, TERMS, position, *inside, "exclude"),
                [*(value_at(term, *inside, "exclude") or []), change.cluster],
            )
            low += [term["minReplicas"]] if "minReplicas" in term else []
    if known:
        yield Edit((*base, TERMS, own, name), change.after)
        return
    kept = {"minReplicas": min(low)} if low else {}
    target = {"clusterNames": [change.cluster]}
    yield Edit((*base, TERMS, own), {"targetCluster": target, **kept, name: change.after})


def _base(path: Path) -> Path:
    """Return where the constraint stands that a bound was declared in."""
    if TERMS in path:
        return path[: path.index(TERMS)]
    return path[:-1] if path and path[-1] in ("minReplicas", "maxReplicas") else CONSTRAINT


def _names(term: Mapping[str, Any]) -> list[str] | None:
    """Return the clusters of a term that names them and says nothing else of them."""
    target = term.get("targetCluster") or term
    plain = not any(target.get(other) for other in ("labelSelector", "fieldSelector", "exclude"))
    return list(target.get("clusterNames") or []) if plain else None


def _matches(term: Mapping[str, Any], change: Change, problem: Problem) -> bool:
    """Tell whether a term is about the cluster of a change."""
    from fairlead.manifests.api.policies import ClusterAffinity
    from fairlead.manifests.karmada.groups import matching

    selecting = ("clusterNames", "exclude", "labelSelector", "fieldSelector")
    raw = term.get("targetCluster") or {each: term[each] for each in selecting if each in term}
    affinity = ClusterAffinity.model_validate(raw)
    return change.cluster in matching(affinity, problem.cluster_by_name)


def _total(change: Change, path: Path, data: Data) -> Iterator[Edit]:
    """Yield a total: a number, or the bounds of a set; an entry for many sets gives way on one side."""
    if inside(path):
        annotation, entry = parted(path)
        yield Edit(annotation, specified(str(value_at(data, *annotation)), entry, change.after))
    elif path[-1:] == ("replicas",):
        yield Edit(path, change.after)
    elif path[:2] == ("spec", "groups"):
        both = change.kind == ChangeKind.TOTAL and not value_at(data, *path, "groupBy")
        lower = change.after < change.before
        if both or lower:
            yield Edit((*path, "minReplicas"), change.after, "least")
        if both or not lower:
            yield Edit((*path, "maxReplicas"), change.after, None if both else "most")


def _groups(change: Change, path: Path, workload: Workload) -> Iterator[Edit]:
    """Yield a bound of a spread constraint."""
    if isinstance(workload.declared, FederatedUnit):
        if inside(path):
            yield Edit(path, str(change.after))
        else:
            yield Edit(("spec", "maxClusters"), change.after)
        return
    name = "minGroups" if change.kind == ChangeKind.FEWEST_GROUPS else "maxGroups"
    base = path or (*PLACEMENT, "spreadConstraints", 0)
    if not path:
        yield Edit(base, {"spreadByField": change.named})
    yield Edit((*base, name), change.after)


def _survival(change: Change, data: Data, workload: Workload) -> Edit:
    """Return how many replicas have to be left, or which part of them.

    A part stays one, rounded down, so that workloads with other numbers of replicas have to leave no more.
    """
    if value_at(data, "spec", "minPercent") is None:
        return Edit(("spec", "minReplicas"), change.after, "least")
    return Edit(("spec", "minPercent"), f"{100 * change.after // workload.replicas}%", "least")


def inside(path: Path) -> bool:
    """Tell whether a path leads to an annotation."""
    return "metadata" in path and any(step in ("annotation", "annotations") for step in path)


def parted(path: Path) -> tuple[Path, Path]:
    """Return the path of an annotation, and the path inside the JSON that it holds."""
    end = path.index("annotation") + 1 if "annotation" in path else path.index("annotations") + 2
    return path[:end], path[end:]


def preferred(text: str, cluster: str, field: str, number: int) -> str:
    """Return KubeAdmiral's placement list with another number of a cluster, whose last entry counts."""
    entries: list[dict[str, Any]] = json.loads(text)
    found = [entry for entry in entries if entry.get("cluster") == cluster]
    if found:
        found[-1]["preferences"] = {**(found[-1].get("preferences") or {}), field: number}
    return json.dumps(entries)


def tolerated(text: str, toleration: Mapping[str, str]) -> str:
    """Return a list of tolerations with one more, unless it is there."""
    known: list[Mapping[str, str]] = json.loads(text) or []  # null is an empty list to KubeAdmiral
    return json.dumps(known if toleration in known else [*known, toleration])


def specified(text: str, entry: Path, number: int) -> str:
    """Return specified totals with another number of replicas in one of their entries, given by its path."""
    data = json.loads(text)
    value_at(data, *entry)["replicas"] = number
    return json.dumps(data)
