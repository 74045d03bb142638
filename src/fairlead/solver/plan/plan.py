"""plan(): from what runs now to a proven target, and to the waves that lead there."""

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from enum import StrEnum
from fractions import Fraction
from typing import Any, TypeVar

from fairlead.manifests.yaml.documents import Document
from fairlead.models.check import in_kept_groups
from fairlead.models.errors import SettledError, UsageError
from fairlead.models.outcome import Outcome, Status
from fairlead.models.problem import Problem
from fairlead.models.quantity import Amount
from fairlead.models.result import SAVED, Progress
from fairlead.models.score import score
from fairlead.models.shapes import checked
from fairlead.models.shortfall import refused
from fairlead.models.uncollected import hurried
from fairlead.models.validity import completed
from fairlead.models.words import no_such, shown
from fairlead.solver.plan.answer import Budgets, OtherWorkloads, PlanOptions, RebalancePlan
from fairlead.solver.plan.saved import SavedPlan, saved_plan
from fairlead.solver.plan.schedule import waves_of
from fairlead.solver.plan.target import by_key, planned
from fairlead.solver.plan.waves import Availability, MoveOrder, WaveOptions
from fairlead.solver.running.deadline import Deadline, attentive, listening
from fairlead.solver.solve import solve

Choice = TypeVar("Choice", bound=StrEnum)

FOR_THE_TARGET = 0.6
"""Share of the time limit that the target may take; the rest is for the waves."""


@hurried
@attentive
@checked
def plan(  # noqa: PLR0913 - the public face, all by keyword
    problem: Problem,
    *,
    budget: Amount | Budgets | None = None,
    pinned: Iterable[str] = (),
    pinned_clusters: Iterable[str] = (),
    gain: Fraction | float | None = None,
    moves_first: bool = False,
    others: OtherWorkloads | str = OtherWorkloads.STAY,
    order: MoveOrder | str = MoveOrder.START_FIRST,
    max_unavailable: Amount | None = None,
    max_surge: Amount | None = None,
    detours: bool = True,
    max_moves_per_wave: int | None = None,
    partial: bool = False,
    resume: Mapping[str, Any] | Document | None = None,
    time_limit: float | None = 60.0,
    workers: int | None = None,
    seed: int = 0,
    deviation: str | None = None,
    engine: str = "local",
    address: str | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> RebalancePlan:
    """Say which replicas to move where, and in which order.

    Parameters
    ----------
    problem
        Problem with the replicas that run now (`Workload.current`) and those wanted.
    budget
        How many replicas may move: a number, a share of what runs such as ``"10%"``, or `Budgets` for single
        workloads, namespaces and clusters; None means no limit.
    pinned, pinned_clusters
        Workloads that do not move, by key, name or kind/name, and clusters that nothing leaves and nothing
        arrives at.
    gain
        By how much every move has to lower the deviation; None means by any amount.
    moves_first
        True where as few replicas as possible move, before the weights count.
    others
        Treatment of workloads that the input does not ask to rebalance, if it asks for some (by a
        ``WorkloadRebalancer``): ``stay`` or ``make-room``.
    order
        ``start-first``, ``stop-first`` or ``either``; see `MoveOrder`.
    max_unavailable, max_surge
        Replicas of a workload that may be unavailable, or run in addition, inside a wave; see `Availability`.
    detours
        Whether a replica may wait on a third cluster where full clusters exchange replicas.
    max_moves_per_wave
        Replicas that one wave moves, starts or stops at most; None means no limit.
    partial
        Place what can be placed where not everything can; see `solve`.
    resume
        A saved plan (`RebalancePlan.to_dict`) of which some moves have been made: the target stays, the waves
        are found anew from what runs now, made as the saved ones were. What it cannot keep is refused beside
        it: budgets, pins, gain, another order or availability.
    time_limit
        Seconds for the whole call; None means no limit.
    workers, seed, deviation, engine, address, progress
        See `solve`.

    Returns
    -------
    RebalancePlan
        Being infeasible is a result, not an error: then there are no waves and the outcome says why.

    Raises
    ------
    UsageError
        Where an argument is wrong or names something that is not in the problem, a saved plan does not fit,
        or the moves take more than 10,000 waves.
    """
    started, deadline = time.perf_counter(), Deadline.after(time_limit)
    problem = completed(problem)
    availability = Availability(max_unavailable, max_surge)
    waves = WaveOptions(
        _chosen(MoveOrder, "order", order), availability, detours=detours, most_moves=max_moves_per_wave
    )
    options = PlanOptions(
        budget if isinstance(budget, Budgets) else Budgets(budget),
        frozenset(pinned),
        frozenset(pinned_clusters),
        None if gain is None else _fraction(gain),
        moves_first,
        _chosen(OtherWorkloads, "others", others),
        waves,
    )
    if resume is not None:
        options, outcome = _resumed(problem, saved_plan(resume), options, deviation, partial=partial)
    else:
        options = by_key(problem, options)
        outcome = solve(
            planned(problem, options),
            time_limit=deadline.part(FOR_THE_TARGET).limit,
            workers=workers,
            seed=seed,
            deviation=deviation,
            partial=partial,
            engine=engine,
            address=address,
            progress=progress,
        )
    targeted = time.perf_counter()
    found = None
    if outcome.placement is not None:
        with listening(deadline):
            found = waves_of(problem, outcome.placement, options.waves, deadline, seed)
    seconds = {"target": targeted - started, "waves": time.perf_counter() - targeted}
    return RebalancePlan(problem, outcome, found, options, seconds)


def _fraction(gain: Fraction | float) -> Fraction:
    """Return the least gain of a move, exactly as it was written."""
    try:
        return Fraction(str(gain))
    except ValueError:
        raise UsageError(f"gain {shown(gain)}: allowed is a number") from None


def _chosen(kind: type[Choice], argument: str, given: str) -> Choice:
    """Return the member of a choice that the word of an argument names."""
    try:
        return kind(given)
    except ValueError:
        raise UsageError(no_such(argument, given, kind)) from None


def _resumed(
    problem: Problem, saved: SavedPlan, options: PlanOptions, deviation: str | None, *, partial: bool
) -> tuple[PlanOptions, Outcome]:
    """Return how a saved plan is carried on, and its target."""
    _refuse_settings(options, saved, deviation)
    return replace(options, waves=saved.waves), _saved_target(problem, saved, partial=partial)


def _refuse_settings(options: PlanOptions, saved: SavedPlan, deviation: str | None) -> None:
    """Refuse what a saved plan cannot keep: its target is found, and how moves are made is part of it."""
    usual, waves = PlanOptions(), options.waves
    missing = waves.availability
    apart = missing not in (usual.waves.availability, saved.waves.availability)
    settled = {
        "budget": options.budgets != usual.budgets,
        "pinned": options.pinned != usual.pinned,
        "pinned_clusters": options.pinned_clusters != usual.pinned_clusters,
        "gain": options.gain is not None,
        "moves_first": options.moves_first,
        "others": options.others != usual.others,
        "deviation": deviation is not None,
        "order": waves.order not in (usual.waves.order, saved.waves.order),
        "max_unavailable": apart and missing.max_unavailable is not None,
        "max_surge": apart and missing.max_surge is not None,
        "max_moves_per_wave": waves.most_moves not in (usual.waves.most_moves, saved.waves.most_moves),
        "detours": waves.detours not in (usual.waves.detours, saved.waves.detours),
    }
    given = [name for name, differs in settled.items() if differs]
    if given:
        raise SettledError(given)


def _saved_target(problem: Problem, saved: SavedPlan, *, partial: bool) -> Outcome:
    """Return the target of a saved plan, where it still keeps every rule."""
    strangers = sorted(set(saved.target) - set(problem.workload_by_key))
    if strangers:
        raise UsageError(f"the saved plan moves {strangers[0]}, which is not in the input; make a new plan")
    partly = replace(problem, partial=problem.partial or partial or saved.partial)
    chosen = in_kept_groups(partly, saved.target)
    broken = refused(chosen, saved.target)
    if broken:
        raise UsageError(f"the target of the saved plan breaks a rule now: {broken[0]}; make a new plan")
    return Outcome(Status.FEASIBLE, SAVED, chosen, saved.target, score(chosen, saved.target))
