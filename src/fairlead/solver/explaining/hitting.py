"""The fewest elements that meet every set."""

from collections.abc import Collection, Sequence

from ortools.sat.python import cp_model

from fairlead.encoders.encoding import total
from fairlead.solver.deadline import Deadline
from fairlead.solver.engine import Effort, Verdict, run


def fewest_that_meet(
    sets: Sequence[Collection[int]], deadline: Deadline, seed: int = 0
) -> frozenset[int] | None:
    """Return the fewest elements of which every set holds one.

    Parameters
    ----------
    sets
        Sets of numbers, none of them empty.
    deadline
        When the answer is due.
    seed
        Random seed of CP-SAT.

    Returns
    -------
    frozenset or None
        A smallest hitting set; None where time ran out before that was proven.
    """
    model = cp_model.CpModel()
    elements = sorted(frozenset().union(*sets))
    taken = {element: model.new_bool_var("") for element in elements}
    for one in sets:
        model.add(total(taken[element] for element in sorted(one)) >= 1)
    variables = [taken[element] for element in elements]
    finding = run(model, variables, [(each, 1) for each in variables], [], Effort(deadline, 1, seed))
    if finding.verdict is not Verdict.OPTIMAL or finding.values is None:
        return None
    return frozenset(element for element, value in zip(elements, finding.values, strict=True) if value)
