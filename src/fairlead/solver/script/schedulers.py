"""Who handles the events of a script: fairlead, and greedy schedulers as they would act."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from itertools import takewhile
from types import MappingProxyType
from typing import Any

from fairlead.models.check import with_due
from fairlead.models.errors import UsageError
from fairlead.models.levels import BALANCE
from fairlead.models.outcome import Attained, Outcome
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.result import NOTHING_FOUND
from fairlead.models.rules import Duplicated
from fairlead.models.score import levels_of
from fairlead.models.source import FederatedUnit, KarmadaBinding
from fairlead.models.triggers import untouched
from fairlead.models.words import no_such
from fairlead.solver.dispensers import karmada, kubeadmiral, reference
from fairlead.solver.dispensers.rules_of_thumb import Dispensed
from fairlead.solver.plan.plan import plan
from fairlead.solver.script.judge import judged
from fairlead.solver.script.moments import ScriptMoment
from fairlead.solver.script.question import (
    Placed,
    SchedulerState,
    as_held,
    as_it_stands,
    differs,
    missing,
    whole_question,
)
from fairlead.solver.solve import solve

_OF_PLANS = ("workers", "seed", "deviation", "engine")
"""Arguments of `solve` that `plan` has as well."""


@dataclass(frozen=True, slots=True)
class SolveSettings:
    """How fairlead is asked."""

    search: Mapping[str, Any] = field(default_factory=dict)
    """Arguments of `solve`; its time limit is for the answer to one event, and that of `solve` where it is
    left out. What does not fit is left out in any case."""
    plan_limit: float | None = 10.0
    """Seconds for a plan; None means no limit."""


@dataclass(frozen=True, slots=True)
class Decision:
    """Decision of a scheduler at one moment."""

    placed: Placed
    """Replicas by cluster of the workloads that it looked at."""
    groups: Mapping[str, str] = field(default_factory=dict)
    """Affinity groups that it chose."""
    failed: Mapping[str, str] = field(default_factory=dict)
    """Workloads that it could not place in full, and why."""
    gap: Fraction | None = None
    """The greatest gap of any level that is not proven, tolerance included; None where the answer comes
    without bounds."""
    gap_above: Fraction | None = None
    """The greatest gap of the levels above balance; None as for `gap`."""


Due = Callable[[ScriptMoment, SchedulerState, frozenset[str]], frozenset[str]]
"""Returns the workloads that are looked at, given those that were evicted."""


@dataclass(frozen=True, slots=True)
class Scheduler:
    """Somebody who handles events.

    Of the workloads as they stand after an event he looks at those that are due, and places them; one that
    plans moves others as well, where a script asks for that.
    """

    name: str
    due: Due
    decide: Callable[[Problem, SolveSettings], Decision]
    plans: bool = False


def due_by_binding(moment: ScriptMoment, standing: SchedulerState, gone: frozenset[str]) -> frozenset[str]:
    """Return the workloads that Karmada's scheduler looks at.

    Those of which something else is wanted, that were evicted from somewhere, of which fewer or more are
    placed than are wanted, or that could not be placed before; those that are duplicated where a cluster
    opens.
    """
    return frozenset(
        workload.key
        for workload in moment.fleet.workloads
        if workload.key in moment.touched
        or workload.key in gone
        or workload.key in standing.failed
        or (moment.opened and workload.rule(Duplicated) is not None)
        or differs(as_it_stands(workload, standing.on(workload.key), moment.fleet), standing.on(workload.key))
    )


def due_by_rules(moment: ScriptMoment, standing: SchedulerState, gone: frozenset[str]) -> frozenset[str]:
    """Return the workloads that are due to fairlead: also those that break a rule of their own."""
    pairs = ((each, standing.on(each.key)) for each in moment.judged.workloads)
    found = ((as_it_stands(each, placed, moment.judged), placed) for each, placed in pairs)
    broken = frozenset(each.key for each, placed in found if judged(each, placed).rules)
    return due_by_binding(moment, standing, gone) | broken


def due_by_triggers(moment: ScriptMoment, standing: SchedulerState, gone: frozenset[str]) -> frozenset[str]:
    """Return the workloads that KubeAdmiral looks at: by its triggers, and those that it could not place."""
    kept = {workload.key for workload in untouched(as_held(moment, standing))}
    looked_at = moment.fleet.workload_by_key.keys() - kept
    return (
        frozenset(looked_at | gone | moment.touched | standing.failed.keys())
        & moment.fleet.workload_by_key.keys()
    )


def solved(problem: Problem, settings: SolveSettings) -> Decision:
    """Place what is due jointly, as much of it as fits."""
    return _decided(solve(problem, **{**settings.search, "partial": True}))


def planned(moment: ScriptMoment, standing: SchedulerState, settings: SolveSettings) -> Decision | None:
    """Return the decision by a plan under a budget of moves; None where it has no waves."""
    problem = whole_question(moment, standing)
    rested = (replace(each, due=bool(missing(each, each.current))) for each in problem.workloads)
    problem = replace(problem, workloads=with_due(rested))
    search = {name: value for name, value in settings.search.items() if name in _OF_PLANS}
    found = plan(
        problem, **{**search, "budget": moment.budget, "partial": True, "time_limit": settings.plan_limit}
    )
    if found.waves is None or not found.waves.complete:
        return None
    return _decided(found.outcome)


def _decided(outcome: Outcome) -> Decision:
    """Return an answer of fairlead as a decision; without one everything stays."""
    known = {workload.key: workload for workload in outcome.problem.workloads}
    if outcome.placement is None:
        failed = dict.fromkeys(known, NOTHING_FOUND)
        return Decision({key: each.current for key, each in known.items()}, {}, failed)
    levels = list(zip(levels_of(outcome.problem), outcome.objectives, strict=True))
    above = takewhile(lambda pair: pair[0] != BALANCE, levels)
    return Decision(
        {key: outcome.placement.of(key) for key in known},
        {key: each.group for key, each in known.items() if each.group is not None},
        _reasons(outcome),
        _widest(attained for _, attained in levels),
        _widest(attained for _, attained in above),
    )


def _reasons(outcome: Outcome) -> dict[str, str]:
    """Return the reasons why rules of single workloads give way, by key."""
    found: dict[str, list[str]] = {}
    for one in outcome.shortfalls:
        if one.workload is not None:
            found.setdefault(one.workload, []).append(one.text)
    return {key: "; ".join(texts) for key, texts in found.items()}


def _widest(levels: Iterable[Attained]) -> Fraction:
    """Return the greatest gap of levels that are not proven; 1 where one has no bound."""
    gaps = (Fraction(0) if level.proven else level.gap for level in levels)
    return max((Fraction(1) if gap is None else gap for gap in gaps), default=Fraction(0))


def dispensed(problem: Problem, settings: SolveSettings, *, like: Callable[[Problem], Dispensed]) -> Decision:
    """Let a dispenser place what is due."""
    del settings
    found = like(problem)
    placed = {each.key: found.placement.of(each.key) for each in problem.workloads}
    return Decision(placed, found.groups, found.reasons)


def _refer(problem: Problem) -> Dispensed:
    """Ask the reference dispenser; what does not fit as a whole stays as it is."""
    found = reference.place(problem)
    left = {each.key: each.current for each in problem.workloads if each.replicas and not found.of(each.key)}
    placed = {each.key: left.get(each.key, found.of(each.key)) for each in problem.workloads}
    return Dispensed(Placement(placed), dict.fromkeys(left, "Unschedulable"))


def _federate(problem: Problem) -> Dispensed:
    """Ask KubeAdmiral, each workload on what is left; where it reports an error nothing is written."""
    found = kubeadmiral.place(problem, deduct=True)
    placed = {
        each.key: each.current if each.key in found.reasons else found.placement.of(each.key)
        for each in problem.workloads
    }
    return replace(found, placement=Placement(placed))


def _greedy(name: str, like: Callable[[Problem], Dispensed], due: Due = due_by_binding) -> Scheduler:
    return Scheduler(name, due, partial(dispensed, like=like))


FAIRLEAD = "fairlead"

_ALL = (
    Scheduler(FAIRLEAD, due_by_rules, solved),
    Scheduler("fairlead-plan", due_by_rules, solved, plans=True),
    _greedy("karmada", karmada.place),
    _greedy("karmada-deduct", partial(karmada.place, deduct=True)),
    _greedy("kubeadmiral", _federate, due_by_triggers),
    _greedy("reference", _refer, due_by_rules),
)

SCHEDULERS: Mapping[str, Scheduler] = MappingProxyType({one.name: one for one in _ALL})
"""All by name.

``fairlead`` places what is due jointly; ``fairlead-plan`` moves others as well, under the budget of a script.
``karmada`` and ``karmada-deduct`` place what is due one by one, each on what clusters report, or on what
those before it leave. ``kubeadmiral`` looks at what its triggers name; every workload sees what is left.
``reference`` is fairlead's own greedy dispenser.
"""


def able(problem: Problem) -> Iterator[str]:
    """Yield the names of the schedulers that can place the workloads of a problem."""
    kinds = {type(workload.declared) for workload in problem.workloads}
    for name in SCHEDULERS:
        needed = {"karmada": KarmadaBinding, "kubeadmiral": FederatedUnit}.get(name.partition("-")[0])
        if needed is None or kinds <= {needed}:
            yield name


def named(names: tuple[str, ...], problem: Problem) -> tuple[Scheduler, ...]:
    """Return schedulers by name, every one that is able where none is named.

    UsageError where there is none of that name, or it cannot place a workload of the problem.
    """
    for name in names:
        if name not in SCHEDULERS:
            raise UsageError(no_such("scheduler", name, SCHEDULERS, shown=len(SCHEDULERS)))
    possible = list(able(problem))
    for name in names:
        if name not in possible:
            raise UsageError(
                f"{name} cannot place every workload of the input; possible: {', '.join(possible)}"
            )
    return tuple(SCHEDULERS[name] for name in names or possible)
