"""Changes of what was declared: their kinds, what they cost, and how people say them.

Cost is counted in replicas, so that "cheapest" is well defined over all kinds:

* a minimum, a maximum, a total or the replicas of a workload: 1 for every replica it is changed by;
* a spread constraint: 1 for every group;
* what has to survive, and how far groups may differ: 1 for every replica;
* a number of a rule from outside: 1 for every one by which it changes;
* a taint that is tolerated: 1, whatever number of clusters that opens;
* a workload that leaves a group of companions: 1;
* a workload that is placed afresh, from its first affinity group on: 1;
* a budget of moves: 1 for every move;
* capacity of a cluster: the amount divided by the largest request of any workload that may stand there,
  rounded up, which is the least number of replicas that the amount is worth;
* a quota: likewise, by the largest request of any workload that it counts.

A number of a policy that several workloads share is changed for all of them, and counts once: the first of
them has the cost, the others cost 0.

Of changes that cost the same, those of fewer rules come first, then those of an earlier kind (`ChangeKind` is
in that order: numbers of the user's own policy, then what has to be granted or bought, and last the replicas
that the user asked for), then those of earlier names.
"""

from collections.abc import Sequence
from enum import StrEnum

from fairlead.models.cluster import Taint, groups_of
from fairlead.models.errors import InternalError
from fairlead.models.quantity import format_alike
from fairlead.models.rules.capacity import offer_of
from fairlead.models.rules.custom import CHANGE
from fairlead.models.statement import Change, QuotaEntry
from fairlead.models.words import counted, listed


class ChangeKind(StrEnum):
    """Kinds of changes, by what is changed; the first kinds are preferred where costs are equal."""

    RESCHEDULE = "reschedule"
    MINIMUM = "minimum"
    MAXIMUM = "maximum"
    TOTAL = "total"
    GROUP_MINIMUM = "group-minimum"
    GROUP_MAXIMUM = "group-maximum"
    FEWEST_GROUPS = "fewest-groups"
    MOST_GROUPS = "most-groups"
    SURVIVAL = "survival"
    SKEW = "skew"
    CUSTOM = CHANGE
    MOVE_BUDGET = "move-budget"
    TOLERATION = "toleration"
    COMPANION = "companion"
    QUOTA = "quota"
    CAPACITY = "capacity"
    REPLICAS = "replicas"


ORDER = tuple(ChangeKind)


def order(change: Change) -> tuple[int, str, str, str]:
    """Return the sort key of a change: the kind, then the names."""
    return (ORDER.index(ChangeKind(change.kind)), change.workload or "", change.cluster or "", change.named)


def entry_of(change: Change) -> QuotaEntry:
    """Return the resource of a quota that a change is about."""
    if not isinstance(change.detail, QuotaEntry):
        raise InternalError(f"a change of a quota is about {change.named}, not a resource of it")
    return change.detail


def taint_of(change: Change) -> Taint:
    """Return the taint that a change is about."""
    if not isinstance(change.detail, Taint):
        raise InternalError(f"a toleration is about {change.named}, which is not a taint")
    return change.detail


def describe_all(changes: Sequence[Change], *, named: bool = False) -> str:
    """Say changes as one sentence: alike changes once, and of many the first ones.

    `named`: True names the workloads too, which is needed where there are several.
    """
    together: dict[object, list[list[Change]]] = {}
    for alike in _alike(changes):
        together.setdefault(_told_with(alike), []).append(alike)
    texts = [_named(each, named=named) for each in together.values()]
    lists = any(len(alike) > 1 or len(each) > 1 for each in together.values() for alike in each)
    return listed(texts, "change", parted=lists)


def _told_with(alike: Sequence[Change]) -> object:
    """Return the common part of changes that are said with one verb, such as all taints of one workload."""
    match ChangeKind(alike[0].kind):
        case ChangeKind.TOLERATION:
            return ChangeKind.TOLERATION, tuple(each.workload for each in alike)
        case ChangeKind.CAPACITY:
            return ChangeKind.CAPACITY, tuple(each.cluster for each in alike)
        case _:
            return alike[0]


def sentences(changes: Sequence[Change]) -> int:
    """Return how many changes people are told of: those that are alike count once."""
    return len(_alike(changes))


def effort(changes: Sequence[Change]) -> tuple[int, bool, int, int]:
    """Return the sort key of ways out, the most useful first: people's effort, then the cost.

    Fewest changes come first (a number that several workloads share is one), then those that leave the
    replicas as they were asked for, then those that concern fewest workloads.
    """
    edited = sum(1 for change in changes if change.cost)
    scaled = any(change.kind == ChangeKind.REPLICAS for change in changes)
    concerned = {change.workload for change in changes if change.workload is not None}
    return edited, scaled, max(1, len(concerned)), sum(change.cost for change in changes)


def varied(ways: Sequence[tuple[Change, ...]]) -> list[tuple[Change, ...]]:
    """Return ways of one cost, one of every kind before a second one of any: the same thrice is no choice."""
    before: dict[frozenset[str], int] = {}
    ranked: list[tuple[int, int]] = []
    for at, way in enumerate(ways):
        kinds = frozenset(change.kind for change in way)
        ranked.append((before.get(kinds, 0), at))
        before[kinds] = before.get(kinds, 0) + 1
    return [ways[at] for _, at in sorted(ranked)]


def _alike(changes: Sequence[Change]) -> list[list[Change]]:
    """Return changes, those together that differ in their workload only, or in their cluster."""
    found: dict[object, list[Change]] = {}
    for change in changes:
        key: object = (change.kind, change.cluster, change.detail, change.before, change.after)
        if change.kind == ChangeKind.CAPACITY:
            key = (change.kind, change.detail, change.amount)
        elif change.kind == ChangeKind.SURVIVAL and not change.after:
            key = (change.kind, change.detail)
        elif change.kind in (ChangeKind.COMPANION, ChangeKind.RESCHEDULE):
            key = change
        found.setdefault(key, []).append(change)
    return list(found.values())


def _named(together: Sequence[Sequence[Change]], *, named: bool) -> str:
    """Say changes and their workloads: alike changes, or several of these with one verb."""
    changes = together[0]
    first = changes[0]
    if first.kind == ChangeKind.CAPACITY:
        amounts = listed([offer_of(each[0].named, each[0].amount) for each in together])
        clusters = listed([change.cluster or "" for change in changes], "cluster")
        return f"add {amounts} to {'each of ' * (len(changes) > 1)}{clusters}"
    workloads = [change.workload for change in changes if change.workload] if named else []
    if first.kind == ChangeKind.REPLICAS:
        return _scaled(first, workloads)
    text = _described(first)
    if first.kind == ChangeKind.TOLERATION and len(together) > 1:
        text = f"tolerate the taints {listed([each[0].named for each in together])}"
    told = workloads and first.kind not in (ChangeKind.COMPANION, ChangeKind.RESCHEDULE)
    return f"{text} for {listed(workloads, 'workload')}" if told else text


def _described(change: Change) -> str:  # noqa: C901, PLR0912 - one case a kind
    """Say a change without its workload."""
    match ChangeKind(change.kind):
        case (
            ChangeKind.MINIMUM
            | ChangeKind.MAXIMUM
            | ChangeKind.TOTAL
            | ChangeKind.GROUP_MINIMUM
            | ChangeKind.GROUP_MAXIMUM
        ):
            return _turned(
                change, f"the {_BOUNDS[ChangeKind(change.kind)]} of {change.cluster or change.named}"
            )
        case ChangeKind.CUSTOM:
            return _turned(change, change.named)
        case ChangeKind.FEWEST_GROUPS:
            return f"require {groups_of(change.after, change.named)} instead of {change.before}"
        case ChangeKind.MOST_GROUPS:
            return f"allow {groups_of(change.after, change.named)} instead of {change.before}"
        case ChangeKind.SURVIVAL:
            loss = f"to survive the loss of any one {change.named}"
            if not change.after:
                return f"no longer require replicas {loss}"
            return f"require {counted(change.after, 'replica')} instead of {change.before} {loss}"
        case ChangeKind.SKEW:
            apart = counted(change.after, "replica")
            return f"let any {groups_of(2, change.named)} differ by {apart} instead of {change.before}"
        case ChangeKind.TOLERATION:
            return f"tolerate the taint {change.named}"
        case ChangeKind.COMPANION:
            return f"leave {change.workload} out of {change.named}"
        case ChangeKind.RESCHEDULE:
            return f"reschedule {change.workload} (--fresh): affinity group {change.named} fits"
        case ChangeKind.REPLICAS:
            return _scaled(change, ())
        case ChangeKind.CAPACITY:
            return f"add {offer_of(change.named, change.amount)} to {change.cluster}"
        case ChangeKind.QUOTA:
            return _raised_quota(change)
        case ChangeKind.MOVE_BUDGET:
            return f"allow {counted(change.after, 'move')} instead of {change.before} ({change.named})"


def _scaled(change: Change, workloads: Sequence[str]) -> str:
    """Say that workloads are scaled, all of them alike; without their names where there are none."""
    whom = f"{listed(workloads, 'workload')} " if workloads else ""
    return f"scale {whom}from {change.before} to {counted(change.after, 'replica')}"


def _raised_quota(change: Change) -> str:
    """Say which number of a quota is raised."""
    entry = entry_of(change)
    before, after = format_alike(entry.resource, change.before, change.after)
    where = f"{entry.resource} on {change.cluster}" if change.cluster else entry.resource
    return f"raise the quota of namespace {entry.namespace} ({where}) from {before} to {after}"


_BOUNDS = {
    ChangeKind.MINIMUM: "minimum",
    ChangeKind.MAXIMUM: "maximum",
    ChangeKind.TOTAL: "total",
    ChangeKind.GROUP_MINIMUM: "minimum",
    ChangeKind.GROUP_MAXIMUM: "maximum",
}


def _turned(change: Change, what: str) -> str:
    """Say that a bound is lowered or raised."""
    turn = "lower" if change.after < change.before else "raise"
    return f"{turn} {what} from {change.before} to {change.after}"
