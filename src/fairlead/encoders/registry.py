"""Every rule with its encoder. Read from top to bottom, the list is the specification of a placement."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from fairlead.encoders import (
    aggregated,
    balance,
    bounds,
    candidates,
    capacity,
    companionship,
    copies,
    custom,
    duplicated,
    evenness,
    group_total,
    move_budget,
    move_price,
    moves,
    price,
    quota,
    shares,
    shortfall,
    skew,
    spread,
    survival,
    tiers,
    total,
    weights,
)
from fairlead.encoders.encoding import Encoding, Filled
from fairlead.encoders.scale import Held
from fairlead.encoders.slack import Giving
from fairlead.encoders.variables import Intervals
from fairlead.models import rules
from fairlead.models.errors import InternalError
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.shortfall import loosened

rules.Rule = rules.WorkloadRule | rules.SharedRule
Encoder = Callable[[Any, Any, Encoding], None]

ENCODERS: Mapping[type, Encoder] = {
    # What a single number of replicas may be. These come first: they narrow the range of a variable,
    # and all that follows is the smaller for it.
    rules.Candidates: candidates.encode,  # on which clusters a workload may stand at all
    rules.Capacity: capacity.encode,  # what the workloads ask of a cluster together; narrows ranges as well
    rules.Bounds: bounds.encode,  # the fewest and the most replicas on a cluster
    rules.Duplicated: duplicated.encode,  # a full copy on every selected cluster
    rules.Quota: quota.encode,  # what the workloads of a namespace request together; narrows ranges as well
    # What several numbers are together.
    rules.Total: total.encode,  # all replicas are placed, and no more
    rules.GroupTotal: group_total.encode,  # what a named set of clusters holds
    rules.Spread: spread.encode,  # over how many regions, zones, ... replicas are spread
    rules.Survival: survival.encode,  # what is left when one of them is lost
    rules.Skew: skew.encode,  # how far the fullest and the emptiest of them differ
    rules.Companionship: companionship.encode,  # workloads that stand together or apart
    rules.MoveBudget: move_budget.encode,  # how many replicas may be moved
    rules.CustomRule: custom.encode,  # what a rule from outside asks for
    # What is minimised; the order of the levels is the problem's.
    rules.Tiers: tiers.encode,  # replicas beyond the first tier, the second, ...
    rules.Moves: moves.encode,  # replicas that are stopped although they need not be
    rules.Copies: copies.encode,  # candidates without a copy, where copies may be chosen
    rules.Aggregated: aggregated.encode,  # clusters that are used
    rules.Price: price.encode,  # what replicas cost
    rules.Shares: shares.encode,  # the distance from hierarchical shares
    rules.MovePrice: move_price.encode,  # the distance from the wanted ratio and the price of moves, in one
    rules.Weights: weights.encode,  # the distance from the wanted ratio
    rules.Evenness: evenness.encode,  # how evenly a change is shared
    rules.CustomCost: custom.encode,  # what a rule from outside minimises
}

PLACES: Mapping[type, int] = {kind: place for place, kind in enumerate(ENCODERS)}
"""The place of every rule in that order."""


def encode(
    problem: Problem,
    within: Intervals | None = None,
    centres: Placement | None = None,
    *,
    held: Held | None = None,
    giving: Giving | None = None,
    filled: Filled = MappingProxyType({}),
    in_time: Callable[[], bool] = lambda: True,
) -> Encoding | None:
    """Encode all rules of a problem; in a partial one, what they ask at least gives way (`shortfall`).

    The model; None where time ran out.

    `within`, `centres`, `held`, `giving`, `filled`: see `Encoding`. `in_time`: asked before every rule; the
    work ends where it returns False.
    """
    encoding = Encoding(problem, within, centres, held=held, giving=giving, filled=filled)
    workloads = problem.workloads
    if problem.partial:
        workloads = tuple(loosened(each, problem.cluster_by_name) for each in workloads)
    subjects: list[tuple[rules.Rule, Any]] = [(rule, each) for each in workloads for rule in each.rules]
    subjects += [(rule, problem) for rule in problem.rules]
    for rule, subject in sorted(subjects, key=lambda each: place_of(each[0])):
        if not in_time():
            return None
        ENCODERS[kind_of(rule)](rule, subject, encoding)
    for balanced in problem.balances or ():  # how evenly workloads fill clusters together
        if balanced.totals or balanced.between:
            balance.encode(balanced, problem, encoding)
    if problem.partial:
        shortfall.encode(problem, encoding)
    return encoding


def place_of(rule: rules.Rule) -> int:
    """Return the place of a rule in the order of encoding; there is no rule without one."""
    kind = kind_of(rule)
    if kind not in PLACES:
        raise InternalError(f"{kind.__name__} has no encoder")
    return PLACES[kind]


def kind_of(rule: rules.Rule) -> type:
    """Return by what the encoder of a rule is known: its class, or what rules from outside are made of."""
    return next((kind for kind in (rules.CustomRule, rules.CustomCost) if isinstance(rule, kind)), type(rule))
