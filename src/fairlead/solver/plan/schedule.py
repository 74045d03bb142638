"""From what runs now to a target placement in as few waves as possible."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache

from fairlead.models.errors import InternalError, UsageError
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.solver.plan.blocked import blocked_moves
from fairlead.solver.plan.greedy import distance, end_of
from fairlead.solver.plan.migration import Migration, migration_of
from fairlead.solver.plan.replay import replay
from fairlead.solver.plan.search import searched
from fairlead.solver.plan.shortening import shortened
from fairlead.solver.plan.steps import wave_of
from fairlead.solver.plan.waves import WaveOptions, WavePlan
from fairlead.solver.running.deadline import Deadline


def waves_of(
    problem: Problem,
    target: Placement | Mapping[str, Mapping[str, int]],
    options: WaveOptions | None = None,
    deadline: Deadline | None = None,
    seed: int = 0,
) -> WavePlan:
    """Return waves of moves that lead from what runs now to a target and keep every rule on the way.

    Greedy waves first; small plans are then shortened, or proven shortest, with CP-SAT. Replicas go
    straight to their target, and every wave moves what it can. Where nothing gets on, or where a wave is
    saved, replicas of workloads whose order allows either are stopped first; only where nothing gets on even
    so, replicas may wait on a third cluster. What cannot be reached is left where it is and reported.

    Parameters
    ----------
    target
        Where everything goes; a workload that is left out is stopped.
    options
        How moves may be made; the new replica first, none missing, detours allowed, where left out.
    deadline
        When the answer is due; the greedy waves are finished in any case. None: 5 seconds are spent at most
        on looking for fewer waves.

    Raises
    ------
    UsageError
        Where the target names a workload or a cluster that is not in the problem.
    InternalError
        Where the waves break a rule, which is a bug.
    """
    placed = target if isinstance(target, Placement) else Placement(target)
    chosen = options or WaveOptions()
    _known(problem, placed)
    due = deadline or Deadline.after(5.0)
    migration = migration_of(problem, placed, chosen)
    everywhere = (
        cache(lambda: migration_of(problem, placed, chosen, everywhere=True)) if chosen.detours else None
    )
    search = shortened(migration, everywhere, searched(migration, everywhere, due, seed), due, seed)
    end, used = end_of(migration, search.waves)
    plan = WavePlan(
        problem,
        placed,
        tuple(wave_of(wave, migration.regions) for wave in search.waves),
        search.bound,
        (),
        chosen,
        search.detours,
    )
    if distance(migration, end):

        def reaches(changed: Migration) -> bool:
            return not distance(changed, end_of(changed, searched(changed, None, due, seed).waves)[0])

        stuck = migration.starting_at(end)
        plan = replace(plan, blocked=blocked_moves(plan, stuck, used, reaches))
    breaches = replay(plan)
    if breaches:
        raise InternalError("the waves break a rule: " + "; ".join(str(breach) for breach in breaches[:3]))
    return plan


def _known(problem: Problem, placement: Placement) -> None:
    """Refuse workloads and clusters that are not in the problem."""
    for key, placed in placement.items():
        problem.workload(key)
        for cluster in placed:
            if cluster not in problem.cluster_by_name:
                raise UsageError(f"{key}: the placement names {cluster}, which is not in the input")
