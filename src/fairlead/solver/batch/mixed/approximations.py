"""Workloads that are no boxes, and the boxes that stand in for them.

An *outer* stand-in holds every placement of its workload and perhaps more, and costs no more on any level:
what all stand-ins cost at least, the workloads cost at least. An *inner* one holds only placements of its
workload, all about as good as a given one: what suits the stand-ins suits the workloads. A workload whose
overflow tiers hold known numbers of replicas is as many boxes as it has tiers.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TypeVar

from fairlead.models.levels import MOVES_LAST, MOVES_UNCHANGED, Level
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import (
    Aggregated,
    Bounds,
    Candidates,
    Duplicated,
    Moves,
    Price,
    Spread,
    Tiers,
    Total,
    Weights,
    WorkloadRule,
    moves,
)
from fairlead.models.rules.bounds import Bound
from fairlead.models.rules.duplicated import copy_on
from fairlead.models.rules.spread import used_groups
from fairlead.models.score import levels_of, value_of
from fairlead.models.workload import Workload

SEPARABLE = (Candidates, Total, Bounds, Weights, Moves, Price, Tiers)
# What an inner box can be made for; placements of all others stay as they are.
NARROWED = (*SEPARABLE, Spread, Aggregated)


T = TypeVar("T")


Totals = Mapping[str, Sequence[int]]
"""Replicas that overflow tiers hold, tier by tier, by workload key; absent where that is not known."""
Owners = Mapping[str, str]
"""Keys of workloads by the keys of the boxes that stand in for them."""


@dataclass(frozen=True, slots=True)
class BoxApproximation:
    """Boxes that stand in for one workload, and what they cost too little."""

    boxes: tuple[Workload, ...]
    """Workloads that are plain; none where nothing is known of the workload."""
    beyond: Mapping[Level, Fraction | int]
    """Least cost of the workload beyond that of its boxes, by level."""


def joined(placement: Placement, owners: Owners) -> Placement:
    """Return the placement of workloads when their boxes are put together."""
    found: dict[str, dict[str, int]] = {}
    for key, placed in placement.items():
        found.setdefault(owners[key], {}).update(placed)
    return Placement(found)


def divided(placement: Placement, boxes: Iterable[Workload], owners: Owners) -> Placement:
    """Return the placement of boxes that their workloads' placement is divided into."""
    found = {}
    for box in boxes:
        rule = box.rule(Candidates)
        names = frozenset(rule.names if rule else ())
        found[box.key] = _only(placement.of(owners[box.key]), names)
    return Placement(found)


def outer(workload: Workload, part: Problem, totals: Totals) -> BoxApproximation:
    """Return boxes that hold every placement of a workload, as far as it is known what its tiers hold."""
    copies = workload.rule(Duplicated)
    if copies is not None and not copies.choice:
        candidates = workload.rule(Candidates)
        names = candidates.names if candidates else ()
        placed = {name: copy_on(copies, workload, name) for name in names}
        return _frozen(workload, part, placed)
    if workload.rule(Total) is None:
        return BoxApproximation((), {})
    rules = tuple(_widened(rule) for rule in workload.rules if isinstance(rule, SEPARABLE))
    held = totals.get(workload.key)
    if not any(rule.tiers for rule in workload.rules_of(Weights)) or held is None:
        kept = tuple(rule for rule in rules if not (isinstance(rule, Weights) and rule.tiers))
        return BoxApproximation((replace(workload, rules=kept, groups=()),), {})
    return _in_tiers(replace(workload, rules=rules), held)


def inner(workload: Workload, part: Problem, placed: Mapping[str, int]) -> tuple[Workload, ...]:
    """Return boxes that hold a placement of a workload, and others that keep its rules as well.

    What cannot be said place by place (clusters that are used, missing copies) is no worse in any of them.
    """
    bound_freely = not any(rule.preferred for rule in workload.rules_of(Bounds))
    if (
        workload.rule(Total) is None
        or not bound_freely
        or not all(isinstance(rule, NARROWED) for rule in workload.rules)
    ):
        return _frozen(workload, part, placed).boxes
    candidates = workload.rule(Candidates)
    every = candidates.names if candidates else tuple(part.cluster_by_name)
    closed = {name: Bound(0) for name in every if not _stays_open(workload, placed, name)}
    rules: list[WorkloadRule] = [candidates] if candidates else []
    bounds = workload.rule(Bounds) or Bounds()
    least = dict(bounds.always)
    for name, count in _least(workload, placed).items():
        least[name] = Bound(max(count, least[name].replicas if name in least else 0))
    rules.append(Bounds(least, {**bounds.maximum, **closed}))
    rules += [rule for rule in workload.rules if isinstance(rule, Total | Weights | Moves | Price | Tiers)]
    box = replace(workload, rules=tuple(rules), groups=())
    if not any(rule.tiers for rule in workload.rules_of(Weights)):
        return (box,)
    tiers = workload.rule(Tiers)
    sums = [sum(placed.get(name, 0) for name in tier) for tier in (tiers.tiers if tiers else ())]
    return _in_tiers(box, sums).boxes


def _only(values: Mapping[str, T], names: Collection[str]) -> dict[str, T]:
    """Return the values of some names."""
    return {name: value for name, value in values.items() if name in names}


def _stays_open(workload: Workload, placed: Mapping[str, int], name: str) -> bool:
    """Tell whether a cluster may be used without another group, cluster or minimum that would be new."""
    if placed.get(name):
        return True
    if workload.rule(Aggregated) is not None:
        return False
    if any(name in rule.where_held for rule in workload.rules_of(Bounds)):
        return False
    for rule in workload.rules_of(Spread):
        used = frozenset(used_groups(rule, placed))
        inside = {group for group, members in rule.groups.items() if name in members}
        if rule.maximum is not None and not inside <= used:
            return False
    return True


def _least(workload: Workload, placed: Mapping[str, int]) -> dict[str, int]:
    """Return the fewest replicas that keep minima which bind where replicas are held, and fewest groups."""
    least: dict[str, int] = {}
    for bounds in workload.rules_of(Bounds):
        least |= {
            name: bounds.minimum[name].replicas
            for name in bounds.where_held
            if placed.get(name) and name in bounds.minimum
        }
    for rule in workload.rules_of(Spread):
        for group in used_groups(rule, placed)[: rule.minimum]:
            first = max(sorted(rule.groups[group]), key=lambda name: placed.get(name, 0))
            least[first] = max(1, least.get(first, 0))
    return least


def _widened(rule: WorkloadRule) -> WorkloadRule:
    """Return a rule without what ties places together."""
    return Bounds(rule.always, rule.maximum) if isinstance(rule, Bounds) else rule


def _frozen(workload: Workload, part: Problem, placed: Mapping[str, int]) -> BoxApproximation:
    """Return a box that leaves no choice, and what the placement costs."""
    counts = {name: count for name, count in placed.items() if count}
    each = {name: Bound(count) for name, count in counts.items()}
    rules = (Candidates(tuple(sorted(counts))), Total(), Bounds(each, each))
    box = replace(workload, replicas=sum(counts.values()), rules=rules, groups=())
    alone = replace(part, workloads=(workload,))
    held = Placement({workload.key: counts})
    return BoxApproximation((box,), {level: value_of(alone, held, level) for level in levels_of(alone)})


def _in_tiers(workload: Workload, held: Sequence[int]) -> BoxApproximation:
    """Return a box for every overflow tier, each with its own total."""
    tiers, weights = workload.rule(Tiers), workload.rule(Weights)
    sets = tiers.tiers if tiers else ()
    beyond: dict[Level, Fraction | int] = {}
    found, counted = [], [rule for rule in workload.rules if isinstance(rule, Moves)]
    for number, (tier, count) in enumerate(zip(sets, held, strict=True)):
        inside = {
            name: running
            for name, running in workload.current.items()
            # What runs on clusters that are no candidates has to be in some box.
            if name in tier or (not number and not any(name in each for each in sets))
        }
        rules: list[WorkloadRule] = [Total()]
        for rule in workload.rules:
            if isinstance(rule, Candidates):
                names = tuple(name for name in rule.names if name in tier)
                rules.append(replace(rule, names=names, held_only=_only(rule.held_only, names)))
            elif isinstance(rule, Bounds):
                rules.append(Bounds(_only(rule.minimum, tier), _only(rule.maximum, tier)))
            elif isinstance(rule, Price):
                rules.append(rule)
            elif isinstance(rule, Moves):
                rules += _moves_in_tier(rule, workload)
        rules.append(Weights(_only(weights.weights, tier) if weights else {}))
        # Keys have no spaces, so that boxes stand in the order of their workloads.
        key = f"{workload.key} tier {number}"
        found.append(
            replace(workload, key=key, replicas=count, current=inside, rules=tuple(rules), groups=())
        )
    for rule in counted:
        saved = sum(_saved(box, rule) for box in found) - _saved(workload, rule)
        beyond[replace(moves.level(rule, workload), priority=workload.priority)] = saved
    for number in range(1, len(sets)):
        beyond[Level("tiers", number, workload.priority)] = sum(held[number:])
    return BoxApproximation(tuple(found), beyond)


def _moves_in_tier(rule: Moves, workload: Workload) -> list[WorkloadRule]:
    """Return the rules by which moves in a tier count on the level of the whole workload."""
    level = moves.level(rule, workload)
    if level == MOVES_LAST:
        return [Moves(rule.present)]
    kept = Moves(rule.present, keep=True, over_tiers=True)
    return [kept, Tiers((frozenset(),))] if level == MOVES_UNCHANGED else [kept]


def _saved(workload: Workload, rule: Moves) -> int:
    """Return how many replicas have to be stopped in any case."""
    held = sum(count for name, count in workload.current.items() if name in rule.present)
    return max(0, held - workload.replicas)
