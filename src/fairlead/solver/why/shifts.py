"""What stands elsewhere in another placement, as replicas that pass from cluster to cluster."""

from collections.abc import Iterator

from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.solver.why.answer import Shift


def shifts(problem: Problem, before: Placement, after: Placement, first: str) -> tuple[Shift, ...]:
    """Return what differs between two placements, those of one workload before all others.

    Parameters
    ----------
    problem
        The workloads that are compared.
    before, after
        The placements.
    first
        Key of the workload whose shifts come first.
    """
    keys = sorted((each.key for each in problem.workloads), key=lambda key: (key != first, key))
    return tuple(shift for key in keys for shift in _of_workload(key, before, after))


def _of_workload(key: str, before: Placement, after: Placement) -> Iterator[Shift]:
    """Yield the shifts of one workload: what is given up goes to the first cluster that takes something."""
    here, there = before.of(key), after.of(key)
    names = sorted({*here, *there})
    change = {name: there.get(name, 0) - here.get(name, 0) for name in names}
    giving = {name: -count for name, count in change.items() if count < 0}
    taking = {name: count for name, count in change.items() if count > 0}
    while giving or taking:
        start, end = next(iter(giving), None), next(iter(taking), None)
        count = min(rest[name] for name, rest in ((start, giving), (end, taking)) if name is not None)
        yield Shift(key, count, start, end)
        for name, rest in ((start, giving), (end, taking)):
            if name is not None:
                rest[name] -= count
                if not rest[name]:
                    del rest[name]
