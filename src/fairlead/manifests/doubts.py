"""Totals that nothing can meet, that overlap or that have no effect: warned about, as validate shows."""

from collections.abc import Collection, Iterator, Sequence

from fairlead.manifests.totals import Group
from fairlead.models.rules import GroupTotal
from fairlead.models.rules.group_total import KIND
from fairlead.models.statement import Statement
from fairlead.models.words import with_nearest
from fairlead.models.workload import Workload


def doubtful(
    groups: Sequence[Group], rules: Sequence[GroupTotal], workload: Workload, present: Collection[str]
) -> Iterator[Statement]:
    """Say which totals can never hold, which overlap, and which clusters are not there.

    Parameters
    ----------
    groups
        The totals of a workload.
    rules
        The same as rules, in the same order.
    workload
        The workload.
    present
        Names of all clusters.
    """
    for group, rule in zip(groups, rules, strict=True):
        if group.absent:
            names = with_nearest(group.absent, present)
            yield _warning(rule, workload, f"{rule.name}: {names} not in the input")
        if not rule.clusters and rule.minimum:
            yield _warning(rule, workload, f"{rule.name} holds {rule.minimum}, but no candidate is in it")
    parts = [rule for group, rule in zip(groups, rules, strict=True) if not group.whole]
    whole = [rule for group, rule in zip(groups, rules, strict=True) if group.whole]
    shared = list(_overlaps(parts, workload))
    yield from shared
    if parts and not shared:
        told = sum(rule.minimum for rule in parts)
        yield from _differs(parts[0], workload, told, "the specified replicas add up to")
    for rule in whole:
        yield from _differs(rule, workload, rule.minimum, f"{rule.name} hold")


def _overlaps(parts: Sequence[GroupTotal], workload: Workload) -> Iterator[Statement]:
    """Say which targets share a cluster with an earlier one."""
    first: dict[str, GroupTotal] = {}
    for rule in parts:
        known = next((name for name in sorted(rule.clusters) if name in first), None)
        if known is not None:
            text = f"{first[known].name} and {rule.name} share {known}, so both totals count it"
            yield _warning(rule, workload, text)
        for name in rule.clusters:
            first.setdefault(name, rule)


def _differs(rule: GroupTotal, workload: Workload, told: int, words: str) -> Iterator[Statement]:
    """Say that a total is not what the workload wants; one that is scaled to 0 has none."""
    if workload.replicas not in (0, told):
        text = f"{words} {told}, but {workload.key} wants {workload.replicas}: this cannot be placed"
        yield Statement(KIND, f"{workload.policy}: {text}", rule.source, workload.key)


def _warning(rule: GroupTotal, workload: Workload, text: str) -> Statement:
    """Return a warning about a total, the same for all workloads of a policy."""
    return Statement(KIND, f"{workload.policy}: {text}", rule.source)
