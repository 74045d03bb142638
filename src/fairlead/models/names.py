"""Which workload and which cluster are meant: names as people type them at kubectl."""

from collections.abc import Sequence

from fairlead.models.errors import UsageError
from fairlead.models.problem import Problem
from fairlead.models.words import SHOWN, either, first_of, nearest, no_such
from fairlead.models.workload import Workload

SHORT = {"deploy": "deployment", "sts": "statefulset", "rs": "replicaset", "ds": "daemonset", "cj": "cronjob"}
"""Kinds as kubectl abbreviates them."""

NEAR = 5
"""Names that an error proposes."""


def find_workload(problem: Problem, name: str, namespaces: Sequence[str] = ()) -> Workload:
    """Return the workload that is meant.

    Parameters
    ----------
    name
        Its key, ``namespace/name``, ``name`` or ``kind/name``; kinds in any case, in the plural or as kubectl
        abbreviates them, also with their API group (``deployment.apps/web``).
    namespaces
        Namespaces to look in; empty for all.

    Raises
    ------
    UsageError
        Where there is none, naming similar ones, or where there are several.
    """
    inside = [each for each in problem.workloads if not namespaces or each.namespace in namespaces]
    exact = [each for each in inside if each.key == name]
    found = exact or [each for each in inside if _is_called(each, name)]
    if len(found) == 1:
        return found[0]
    if found:
        keys = first_of([each.key for each in found], NEAR)
        raise UsageError(f"{name!r} matches several workloads: {keys}; name one of them")
    where = f" in namespace {either(namespaces)}" if namespaces else ""
    raise UsageError(f"no workload {name!r}{where}{_proposal(name, inside, problem.workloads)}")


def key_meant(problem: Problem, name: str) -> str:
    """Return the key of the workload that is meant; the name itself where that is none, or several."""
    try:
        return find_workload(problem, name).key
    except UsageError:
        return name


def find_cluster(problem: Problem, name: str) -> str:
    """Return the name of a cluster.

    Raises `UsageError` where there is none of that name, naming similar ones.
    """
    if name in problem.cluster_by_name:
        return name
    raise UsageError(no_such("cluster", name, problem.cluster_by_name))


def _is_called(workload: Workload, name: str) -> bool:
    *front, last = name.split("/")
    if last != workload.name:
        return False
    if not front:
        return True
    if len(front) == 1:
        return front[0] == workload.namespace or _is_kind(workload, front[0])
    return len(front) == 2 and _is_kind(workload, front[0]) and front[1] == workload.namespace


def _is_kind(workload: Workload, name: str) -> bool:
    """Tell whether a kind is meant by a name such as ``Deployment``, ``deploy`` or ``deployments.apps``."""
    kind, _, group = name.lower().partition(".")
    own = workload.kind.lower()
    declared = workload.api_version.partition("/")[0] if "/" in workload.api_version else ""
    return SHORT.get(kind, kind) in (own, f"{own}s") and group in ("", declared)


def _proposal(name: str, inside: Sequence[Workload], every: Sequence[Workload]) -> str:
    """Return the names that are most like a name that does not exist."""
    elsewhere = [each.key for each in every if _is_called(each, name)]
    if elsewhere:
        return f"; there is {first_of(elsewhere, NEAR)}"
    last = name.rpartition("/")[2]
    keys = [each.key for each in inside]
    near = nearest(name, keys, NEAR)
    names = nearest(last, {each.name for each in inside}, NEAR)
    near += [each.key for each in inside if each.name in names and each.key not in near]
    if near:
        return f"; did you mean {either(near[:SHOWN])}?"
    return f"; known: {first_of(keys, NEAR)}" if keys else "; the input has none"
