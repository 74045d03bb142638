"""Affinity groups: exclusive sets of clusters that are tried in order, from the observed one on."""

from dataclasses import replace

from fairlead.models.workload import AffinityGroup, Workload


def from_start(workload: Workload) -> tuple[AffinityGroup, ...]:
    """Return the groups that may be chosen, in the order in which they are tried.

    From the group in which the workload was scheduled last; from the first one where that is unknown or a
    reschedule was asked for. It never wraps round to earlier groups.
    """
    if workload.fresh:
        return workload.groups
    names = [group.name for group in workload.groups]
    start = names.index(workload.observed) if workload.observed in names else 0
    return workload.groups[start:]


def in_group(workload: Workload, group: AffinityGroup) -> Workload:
    """Return the workload with the rules of one of its groups, which is not settled by that."""
    return replace(workload, rules=group.rules, group=group.name, settled=False)


def at_start(workload: Workload) -> Workload:
    """Return the workload with the rules of the first group that may be chosen."""
    groups = from_start(workload)
    return in_group(workload, groups[0]) if groups else workload


def settled_in(workload: Workload, group: AffinityGroup) -> Workload:
    """Return the workload with the rules of the group that was chosen for it."""
    return replace(workload, rules=group.rules, group=group.name, settled=True)


def as_scheduled(workload: Workload) -> Workload:
    """Return the workload as what runs now is to be judged: from the group in which it was scheduled last.

    Where that is unknown it is any of those that may be chosen.
    """
    if not workload.groups:
        return workload
    known = workload.observed in [group.name for group in workload.groups]
    return replace(workload, settled=False, fresh=workload.fresh and not known)


def turn(workload: Workload) -> tuple[int, str]:
    """Return the place in the queue: by priority, then by key."""
    return -workload.priority, workload.key
