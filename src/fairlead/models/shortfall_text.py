"""Rules that gave way in a partial placement, in words: how much, and the obstacles on which cluster."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from fairlead.models.check import shared_violations, violations_of
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.requirement import Among, Outside, Scope
from fairlead.models.rules import (
    Bounds,
    Candidates,
    Capacity,
    Duplicated,
    GroupTotal,
    Spread,
    Survival,
    Total,
    bounds,
    candidates,
    capacity,
    spread,
)
from fairlead.models.rules.duplicated import copy_on
from fairlead.models.rules.spread import used_groups
from fairlead.models.shortfall import Shortfall, amounts, lacking
from fairlead.models.statement import Violation
from fairlead.models.usage import Amounts, more_of, remaining
from fairlead.models.words import be, counted, listed
from fairlead.models.workload import Workload

NAMED = 3
"""Clusters whose obstacle a sentence names before it counts the rest."""


def shortfalls(problem: Problem, placement: Placement) -> tuple[Violation, ...]:
    """Return the rules that gave way in a placement, each with the obstacles.

    Workload by workload; the amounts are those of the checker. The texts name the source of the rule and say
    why it is not less.
    """
    answer = _Answer(problem, placement)
    return tuple(_told(lack, answer) for lack in lacking(problem, placement))


@dataclass(frozen=True)
class _Answer:
    """A problem and its placement with what the obstacles are read from."""

    problem: Problem
    placement: Placement

    @cached_property
    def left(self) -> Amounts:
        return remaining(self.problem, self.placement)

    @cached_property
    def ties(self) -> bool:
        return any(not isinstance(rule, Capacity) for rule in self.problem.rules)


class _Obstacle(NamedTuple):
    """Obstacle that keeps a cluster from holding more."""

    text: str
    """A sentence, or what the cluster has."""
    cluster: str = ""
    """The cluster that has it; empty where the text is a sentence."""


def _told(lack: Shortfall, answer: _Answer) -> Violation:
    """Return a violation in the words of a partial placement."""
    violation, because = lack.violation, _obstacles(lack, answer)
    text = _missing(lack)
    text = f"{text} ({violation.source})" if violation.source else text
    return replace(violation, text=f"{text}: {because}" if because else text, because=because)


def _missing(lack: Shortfall) -> str:
    """Say how much is missing; totals and copies as unplaced replicas."""
    workload, rule, violation = lack
    if isinstance(rule, Total):
        verb, replicas = be(violation.amount), counted(workload.replicas, "replica")
        return f"{violation.amount} of {replicas} of {workload.key} {verb} unplaced"
    if isinstance(rule, Duplicated):
        where = "at all" if violation.cluster is None else f"on {violation.cluster}"
        return f"{workload.key} has no copy {where}, {counted(violation.amount, 'replica')} unplaced"
    return violation.text


def _obstacles(lack: Shortfall, answer: _Answer) -> str:
    """Say the obstacles on the clusters that could help; empty where there is nothing special."""
    workload = lack.workload
    rule = workload.rule(Candidates)
    names = rule.names if rule else tuple(answer.problem.cluster_by_name)
    if not names:
        return candidates.summarise(rule or Candidates(()))
    if isinstance(lack.rule, Spread) and (hopeless := _too_few(lack.rule, workload)):
        return hopeless
    if isinstance(lack.rule, Survival) and (hopeless := _beyond_reach(lack, answer)):
        return hopeless
    found: dict[_Obstacle, None] = {}
    open_to, everybody = frozenset(names), _helpful(lack, answer)
    # Closed clusters are no help, and nothing to tell where open ones could be one.
    helpful = [name for name in everybody if name in open_to] or everybody
    for at, cluster in enumerate(helpful):
        if len(found) == NAMED:
            return f"{_joined(found)}; and {counted(len(helpful) - at, 'more cluster')}"
        obstacle = _obstacle(lack, cluster, answer)
        if obstacle is not None:
            found[obstacle] = None
    return _joined(found) or _beyond_reach(lack, answer)


def _joined(found: Iterable[_Obstacle]) -> str:
    """Return obstacles as one text; what several clusters have is said once."""
    said: dict[str, list[str]] = {}
    for each in found:
        said.setdefault(each.text, []).extend([each.cluster] if each.cluster else ())
    return "; ".join(
        f"{listed(names, 'cluster')} {'has' if len(names) == 1 else 'have'} {text}" if names else text
        for text, names in said.items()
    )


def _helpful(lack: Shortfall, answer: _Answer) -> Sequence[str]:
    """Return the clusters on which more replicas would make less give way."""
    rule, everywhere = lack.rule, tuple(answer.problem.cluster_by_name)
    if lack.violation.cluster is not None:
        return (lack.violation.cluster,)
    if isinstance(rule, GroupTotal):
        inside = rule.clusters | (rule.closed or frozenset())
    elif isinstance(rule, Spread):
        used = used_groups(rule, answer.placement.of(lack.workload.key))
        unused = [members for group, members in rule.groups.items() if group not in used]
        inside = frozenset[str]().union(*unused)
    elif isinstance(rule, Survival):
        inside = frozenset(everywhere) - _lost(rule, lack, answer)
    else:
        return everywhere
    return [name for name in everywhere if name in inside]


def _lost(rule: Survival, lack: Shortfall, answer: _Answer) -> frozenset[str]:
    """Return the clusters whose loss leaves too few replicas."""
    placed = answer.placement.of(lack.workload.key)
    for one in rule.requirements(lack.workload):
        found = one.violation(placed)
        if found is not None and found.about == lack.violation.about and isinstance(one.scope, Scope):
            shown = one.scope.shown(placed)
            return shown.clusters if isinstance(shown, Among | Outside) else frozenset()
    return frozenset()


def _too_few(rule: Spread, workload: Workload) -> str:
    """Say that no placement at all is in so many groups; empty where that is not plain to see."""
    members = [name for inside in rule.groups.values() for name in inside]
    if workload.replicas < rule.minimum and len(set(members)) == len(members):
        return _has_only(workload)
    return spread.eligible(rule.minimum, rule.field, rule.groups)


def _beyond_reach(lack: Shortfall, answer: _Answer) -> str:
    """Say that more is asked for than the workload has, or than it has clusters for; empty where not."""
    workload, rule, violation = lack
    match rule:
        case Bounds() | GroupTotal():
            placed = answer.placement.of(workload.key)
            held = sum(placed.get(name, 0) for name in _helpful(lack, answer))
            return _has_only(workload) if held + violation.amount > workload.replicas else ""
        case Survival(minimum=least) if least > workload.replicas:
            return _has_only(workload)
        case Survival(field, groups, count=count):
            return spread.eligible(count + 1, field, groups)
        case _:
            return ""


def _has_only(workload: Workload) -> str:
    return f"{workload.key} has only {counted(workload.replicas, 'replica')}"


def _obstacle(lack: Shortfall, cluster: str, answer: _Answer) -> _Obstacle | None:
    """Return the obstacle to more of a workload on a cluster; None where there is nothing special."""
    workload = lack.workload
    rule = workload.rule(Candidates)
    if rule and cluster not in rule.names:
        return _Obstacle(str(candidates.closed(rule, workload, cluster).statement()))
    copies = workload.rule(Duplicated)
    placed = dict(answer.placement.of(workload.key))
    full = copy_on(copies, workload, cluster) if copies else placed.get(cluster, 0) + 1
    if copies and placed.get(cluster):
        return None
    limits = workload.rule(Bounds) or Bounds()
    if cluster in limits.maximum and full > limits.maximum[cluster].replicas:
        return _Obstacle(str(bounds.maximum(limits, workload, cluster).statement()))
    if rule and cluster in rule.held_only and full > workload.current.get(cluster, 0):
        return _Obstacle(str(candidates.closed(rule, workload, cluster).statement()))
    if answer.problem.has_capacity:
        crowded = _crowded(workload, cluster, full, answer)
        if crowded is not None:
            return crowded
    refused = _refusal(lack, cluster, full, answer)
    return _Obstacle(refused) if refused else None


def _crowded(workload: Workload, cluster: str, full: int, answer: _Answer) -> _Obstacle | None:
    """Say that what is left of a cluster does not suffice; None where it does."""
    where = answer.problem.cluster_by_name[cluster]
    held = answer.placement.of(workload.key).get(cluster, 0)
    more = more_of(workload, where, answer.left)
    if more is not None and more.replicas < full - held:
        if where.free is not None and more.resource not in where.free:
            return _Obstacle(f"{cluster} offers no {more.resource}")
        fits = f"capacity for only {more.replicas} more" if more.replicas else "no capacity left"
        return _Obstacle(f"{fits} ({more.told})", cluster)
    graded = capacity.graded_room(workload, where)
    if graded is not None and full > graded:
        most = counted(graded, "replica")
        return _Obstacle(f"the nodes of {cluster} fit at most {most} of {workload.key}")
    return None


def _refusal(lack: Shortfall, cluster: str, full: int, answer: _Answer) -> str:
    """Say which rules a replica more there, or a copy, would break that count more than what is missing.

    Where all replicas are placed, one more there is one less elsewhere: nothing is said where that would do.
    """
    workload, _, violation = lack
    held = answer.placement.of(workload.key)
    before = amounts(violations_of(workload, held))
    told: list[str] = []
    for how, placed in _trials(workload, cluster, full, held):
        broken = tuple(violations_of(workload, placed))
        if amounts(broken).get(violation.about, 0) >= violation.amount:
            continue
        found = [each for each in broken if each.amount > before.get(each.about, 0)]
        # One that must never happen is told before any other.
        if answer.ties and all(each.gives_way for each in found):
            more = Placement({**answer.placement, workload.key: placed})
            found += shared_violations(answer.problem, more)
        if not found:
            return ""
        # What must never happen is told before what another minimum would lack.
        worst = min(found, key=lambda each: each.gives_way)
        told.append(f"{how} {cluster} would violate a rule ({worst})")
    return told[0] if told else ""


def _trials(
    workload: Workload, cluster: str, full: int, held: Mapping[str, int]
) -> Iterator[tuple[str, dict[str, int]]]:
    """Yield placements in which a cluster holds more of a workload, and how that comes about."""
    more = {**held, cluster: full}
    if workload.rule(Total) is None or sum(held.values()) < workload.replicas:
        yield "one more on", more
        return
    others = ((name, count) for name, count in held.items() if name != cluster)
    for name, count in sorted(others, key=lambda each: (-each[1], each[0]))[:NAMED]:
        yield f"one moved from {name} to", {**more, name: count - 1}
