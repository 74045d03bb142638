"""The choice among changes of one cost: the fewest, of the first kinds, and no more than is needed."""

from collections.abc import Sequence

from fairlead.solver.relaxing.copied import Copy
from fairlead.solver.relaxing.pulled import WIDTH, Pulled, lever_order, support

FEW = 3
"""Numbers of levers that are tried one by one."""


def polished(copy: Copy, pulled: Sequence[Pulled], values: Sequence[int]) -> Sequence[int]:
    """Return the values that are chosen among the solutions of one cost.

    Parameters
    ----------
    copy
        A copy of the model, which is changed.
    pulled
        The levers, whose variables are the first ones.
    values
        A solution of the least cost.
    """
    count = len(pulled)
    copy.add([(each.cost, 1) for each in pulled], sum(values[1 : WIDTH * count : WIDTH]))
    levers = [(each.on, 1) for each in pulled]
    for fewer in range(1, min(FEW + 1, len(support(values, count)))):
        # Whether so few are enough is soon known; to minimise their number may take long.
        few = copy.again()
        few.add(levers, fewer)
        found = few.run([], None)
        if found is not None:
            values = found
            break
    copy.add(levers, len(support(values, count)))
    ordered = sorted(range(count), key=lambda at: lever_order(pulled[at].lever))
    kinds = [(pulled[at].on, place) for place, at in enumerate(ordered) if place]
    values = copy.run(kinds, values) or values
    stocks = [at for at in support(values, count) if pulled[at].stock is not None]
    if stocks:
        copy.add([(each.on, 1) for at, each in enumerate(pulled) if not values[WIDTH * at + 2]], 0)
        values = copy.run([(pulled[at].steps, 1) for at in stocks], values) or values
    return values
