"""What CP-SAT is asked about waves; OR-Tools is imported with the first question, as few plans have one."""

from fairlead.solver.plan.greedy import Steps
from fairlead.solver.plan.migration import Migration, changing
from fairlead.solver.plan.steps import total
from fairlead.solver.running.effort import Effort, Verdict


def size(migration: Migration, waves: int, *, everywhere: bool = False) -> int:
    """Return how many numbers of replicas a model has."""
    return waves * sum(len(changing(path, everywhere=everywhere)) for path in migration.paths.values())


def reach(
    migration: Migration, waves: int, effort: Effort, *, everywhere: bool = False
) -> tuple[Verdict, tuple[Steps, ...]]:
    """Look for a plan of a number of waves that reaches the target.

    Parameters
    ----------
    everywhere
        True where replicas may wait on any cluster that is open to them.

    Returns
    -------
    verdict, waves
        ``INFEASIBLE`` is proven; the waves are empty where none were found.
    """
    from fairlead.solver.plan.wave_model import WaveModel

    model = WaveModel(migration, waves, everywhere=everywhere)
    model.reach()
    cost = [(each, 1) for each in model.numbers("early")]
    if everywhere:
        cost += [(each, 1) for each in model.numbers("starts")]
    return model.solve(cost, effort)


def one_wave(migration: Migration, effort: Effort) -> Steps:
    """Return the wave that moves the most replicas straight to the target, stopping as few first as possible.

    Empty where none moves, or none was found in time.
    """
    from fairlead.solver.plan.wave_model import WaveModel

    model = WaveModel(migration, 1, everywhere=False)
    early, starts, gone = model.numbers("early"), model.numbers("starts"), model.numbers("gone")
    weight = 1 + sum(total(path.start) for path in migration.paths.values())
    cost = [(each, 1) for each in early] + [(each, -weight) for each in (*starts, *gone)]
    _, waves = model.solve(cost, effort)
    return waves[0] if waves else {}
