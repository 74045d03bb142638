"""Relaxable numbers of a problem: each may be changed in one direction, up to a most."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import assert_never

from fairlead.encoders.costs import Origin
from fairlead.encoders.slack import Side
from fairlead.models import rules
from fairlead.models.cluster import Taint
from fairlead.models.requirement import Side as RuleSide
from fairlead.models.rules import candidates, duplicated, total
from fairlead.models.source import FederatedUnit, Source
from fairlead.models.statement import Change, Detail, detail_text
from fairlead.models.triggers import is_held_back
from fairlead.models.validity import largest, together
from fairlead.models.workload import Workload
from fairlead.solver.changes.kinds import ChangeKind

PLENTY = 2**40
"""Allowed slack where only the model itself bounds it."""

Key = tuple[Origin, Side]


@dataclass(frozen=True, slots=True)
class Relaxable:
    """A number that may be changed; kind, workload, cluster, detail, before and source as for `Change`."""

    kind: ChangeKind
    workload: str | None
    cluster: str | None
    detail: Detail
    before: int
    direction: int
    """1 where the number is raised, -1 where it is lowered."""
    most: int
    """Most by which the number may be changed."""
    keys: tuple[Key, ...]
    """The constraints that give way with it."""
    source: Source | None = None
    every: int = 1
    """Slack that one step gives each of its constraints, in their own unit."""
    sharing: tuple[str, ...] = ()
    """Other workloads for which the same number of the same policy counts."""
    staying: Mapping[Key, int] = field(default_factory=dict)
    """Slack that a constraint gets without this one, once all others that it needs are relaxed: a taint that
    only keeps away what is new lets stay what runs there."""

    def change(self, by: int, cost: int, workload: str | None) -> Change:
        """Return a change of the number, by so much in its own unit, as one of its workloads has it."""
        after = self.before + self.direction * by
        return Change(self.kind, workload, self.cluster, self.detail, self.before, after, cost, self.source)

    @property
    def named(self) -> str:
        """Name of the number beside workload and cluster, in words; may be empty."""
        return detail_text(self.detail)

    @property
    def workloads(self) -> tuple[str, ...]:
        """All workloads for which the number counts; empty where it is about none in particular."""
        return () if self.workload is None else (self.workload, *self.sharing)


def widest(workload: Workload) -> int:
    """Return the most replicas that a workload could sensibly be asked for: what its minima add up to."""
    if workload.rule(rules.Total) is None:
        least = (
            bound.replicas for rule in workload.rules_of(rules.Bounds) for bound in rule.minimum.values()
        )
        return max(largest(workload), *least, 0)
    numbered = (rule for rule in workload.rules if isinstance(rule, rules.Numbered))
    return max(workload.replicas, sum(rule.wanted for rule in numbered))


def relaxables_of(workload: Workload) -> Iterator[Relaxable]:
    """Yield the relaxable numbers of one workload; none where it is scaled to 0."""
    if workload.replicas:
        most = widest(workload)
        for rule in workload.rules:
            if isinstance(rule, rules.BindingRule):
                yield from _of_rule(rule, workload, most)


def _of_rule(rule: rules.BindingRule, workload: Workload, most: int) -> Iterator[Relaxable]:
    key = workload.key
    match rule:
        case rules.Candidates():
            yield from _tolerations(rule, workload, most)
        case rules.Total():
            yield from _replicas(workload, rule, most, (Origin(total.KIND, key),))
        case rules.Duplicated():
            names = (workload.rule(rules.Candidates) or rules.Candidates(())).names if not rule.copies else ()
            because = tuple(Origin(duplicated.KIND, key, name) for name in names)
            if not rule.copies:
                yield from _replicas(workload, rule, most, because, smallest_copy(workload))
            for name, (least, source, _) in sorted(rule.least.items() if not rule.choice else ()):
                tight: Key = (Origin(duplicated.KIND, key, name), "least")
                yield Relaxable(ChangeKind.MINIMUM, key, name, "", least, -1, least - 1, (tight,), source)
        case rules.Bounds() if is_held_back(workload):
            return  # they only say that nothing may move
        case rules.GroupTotal():
            yield from _numbers(rule, workload, together(workload, most, rule.clusters))
        case rules.Grouped():
            largest_group = max((inside for _, inside in rule.members), key=len, default=())
            yield from _numbers(rule, workload, together(workload, most, largest_group))
        case rules.Numbered():
            yield from _numbers(rule, workload, most)
        case _:
            assert_never(rule)


def _keys(because: Iterable[Origin], side: Side) -> tuple[Key, ...]:
    """Return the keys that give way where a number is lowered, so that less is asked for, or raised."""
    return tuple((each, side) for each in because)


def smallest_copy(workload: Workload) -> int:
    """Return the fewest replicas that a copy may have."""
    return workload.declared.least_copy if isinstance(workload.declared, FederatedUnit) else 1


def _replicas(
    workload: Workload,
    rule: rules.Total | rules.Duplicated,
    most: int,
    because: tuple[Origin, ...],
    least: int = 1,
) -> Iterator[Relaxable]:
    """Yield fewer and more replicas; at least one is left."""
    now, source = workload.replicas, workload.replicas_source or rule.source
    fewer, more = _keys(because, "least"), _keys(because, "most")
    yield Relaxable(ChangeKind.REPLICAS, workload.key, None, "", now, -1, now - least, fewer, source)
    yield Relaxable(ChangeKind.REPLICAS, workload.key, None, "", now, 1, most - now, more, source)


def _numbers(rule: rules.Numbered, workload: Workload, most: int) -> Iterator[Relaxable]:
    """Yield lower numbers of what is asked for at least, and higher ones of what is allowed."""
    for number in sorted(rule.numbers(), key=lambda each: (each.side is RuleSide.MOST, each.cluster or "")):
        less, name, end = number.side is RuleSide.LEAST, number.cluster, number.farthest
        rows = rule.rows if name is None else (number.name,)
        because = (Origin(rule.kind, workload.key, name, row) for row in rows)
        by = number.value - (end or 0) if less else (most if end is None else end) - number.value
        yield Relaxable(
            ChangeKind(number.change),
            workload.key,
            name,
            rule.detail,
            number.value,
            -1 if less else 1,
            by,
            _keys(because, "least" if less else "most"),
            number.source,
        )


def _tolerations(rule: rules.Candidates, workload: Workload, most: int) -> Iterator[Relaxable]:
    """Yield every taint that keeps the workload off some cluster, and nothing else does."""
    copies = workload.rule(rules.Duplicated)
    if copies is not None and not copies.choice and rule.names:
        # Another cluster would have to hold a full copy as well, which helps nobody.
        opening = dict(rule.held_only)
    else:
        opening = {**rule.excluded, **rule.held_only}
    keys: dict[Taint, dict[Key, int]] = {}
    sources: dict[Taint, Source | None] = {}
    for name, exclusion in sorted(opening.items()):
        evicting = any(taint.effect != "NoSchedule" for taint in exclusion.taints)
        for taint in exclusion.taints:
            stays = evicting and taint.effect == "NoSchedule" and name in rule.excluded
            key: Key = (Origin(candidates.KIND, workload.key, name), "most")
            keys.setdefault(taint, {})[key] = workload.current.get(name, 0) if stays else 0
            sources.setdefault(taint, exclusion.source)
    for taint, found in keys.items():
        yield Relaxable(
            ChangeKind.TOLERATION,
            workload.key,
            None,
            taint,
            0,
            1,
            1,
            tuple(found),
            sources[taint],
            every=most,
            staying={key: held for key, held in found.items() if held},
        )
