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
    """Return the workload with the rules of one of its groups."""
    return replace(workload, rules=group.rules, group=group.name)


def at_start(workload: Workload) -> Workload:
    """Return the workload with the rules of the first group that may be chosen."""
    groups = from_start(workload)
    return in_group(workload, groups[0]) if groups else workload
