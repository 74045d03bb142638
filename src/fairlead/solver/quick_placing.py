"""One workload placed at once, where there is no time for its best place: as it runs, by weight, by room."""

from collections.abc import Mapping, Sequence

from fairlead.models.check import violations_of
from fairlead.models.problem import Problem
from fairlead.models.rules import Aggregated, Duplicated, Spread, Total, Weights
from fairlead.models.rules.quota import Allowance
from fairlead.models.usage import usage_of
from fairlead.models.workload import Workload
from fairlead.solver.boxes import Available, WorkloadBox, box_of
from fairlead.solver.greedy_choice import choose_greedily


def place_quickly(
    workload: Workload, problem: Problem, available: Available, quotas: Sequence[Allowance]
) -> Mapping[str, int] | None:
    """Place a workload on any clusters that will do, in a fraction of a millisecond.

    Parameters
    ----------
    workload
        The workload.
    problem
        Where it belongs.
    available, quotas
        What it may use, including what it holds now.

    Returns
    -------
    mapping or None
        A placement that keeps the workload's own rules; None where none was found.
    """
    copies = workload.rule(Duplicated)
    if copies is None and workload.rule(Total) is None:
        return None
    if _may_stay(workload, problem, available, quotas):
        return workload.current
    if not workload.replicas:
        answer: Mapping[str, int] | None = {}
    elif workload.rules_of(Spread) or workload.rule(Aggregated) is not None or (copies and copies.choice):
        answer = choose_greedily(workload, problem, available, quotas)
    else:
        boxed = box_of(workload, problem, available, quotas)
        answer = fill(workload, boxed) if boxed.box.feasible else None
    return None if answer is None or any(violations_of(workload, answer)) else answer


def _may_stay(
    workload: Workload, problem: Problem, available: Available, quotas: Sequence[Allowance]
) -> bool:
    """Tell whether what runs keeps the workload's own rules, and there is room for it."""
    used = usage_of(workload, workload.current, problem) if workload.current else {}
    return (
        bool(workload.current)
        and all(amount <= available.get(row, 0) for row, amount in used.items())
        and all(each.fits(workload, workload.current) for each in quotas)
        and not any(violations_of(workload, workload.current))
    )


def fill(workload: Workload, boxed: WorkloadBox) -> dict[str, int]:
    """Return a division between the fewest and the most of every candidate, or as much as fits.

    Where not all minima fit, or more is asked for than fits, the most of every candidate goes before its
    fewest, and what cannot be placed is left out.

    Parameters
    ----------
    workload
        The workload.
    boxed
        Its box.
    """
    upper, total = boxed.box.upper.tolist(), boxed.box.total
    lower = [min(low, high) for low, high in zip(boxed.box.lower.tolist(), upper, strict=True)]
    if sum(lower) > total:
        lower = _given([0] * len(lower), lower, total)
    total = min(total, sum(upper))
    wished = _wished(workload, boxed.names)
    found = [max(low, min(high, wish)) for low, high, wish in zip(lower, upper, wished, strict=True)]
    missing = total - sum(found)
    if missing > 0:
        found = _given(found, [high - each for high, each in zip(upper, found, strict=True)], missing)
    elif missing < 0:
        taken = _given(
            [0] * len(found), [each - low for low, each in zip(lower, found, strict=True)], -missing
        )
        found = [each - less for each, less in zip(found, taken, strict=True)]
    return {name: count for name, count in zip(boxed.names, found, strict=True) if count}


def _wished(workload: Workload, names: Sequence[str]) -> list[int]:
    """Return what runs now or, where nothing does, the whole part of every share."""
    if workload.current:
        return [workload.current.get(name, 0) for name in names]
    rule = workload.rule(Weights)
    weights = rule.weights if rule else {}
    first = rule.tiers[0] if rule and rule.tiers else weights.keys()
    weighed = [weights.get(name, 0) if name in first else 0 for name in names]
    whole = sum(weighed)
    return [workload.replicas * weight // whole if whole else 0 for weight in weighed]


def _given(found: Sequence[int], room: Sequence[int], count: int) -> list[int]:
    """Give out what is missing in the ratio of the room, the rest where most room is left."""
    whole = sum(room)
    shares = [count * each // whole for each in room]
    rest = count - sum(shares)
    order = sorted(range(len(room)), key=lambda place: (shares[place] - room[place], place))
    for place in order[:rest]:
        shares[place] += 1
    return [each + more for each, more in zip(found, shares, strict=True)]
