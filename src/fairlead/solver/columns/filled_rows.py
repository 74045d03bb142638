"""Balance as arrays: rows that are filled, and the choices by which every workload fills them."""

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairlead.models.levels import BALANCE, Level
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import Bounds, Candidates, Duplicated, Preference, Spread, Total
from fairlead.models.rules.balance import Balance
from fairlead.models.rules.capacity import demands
from fairlead.models.score import in_order, levels_of_workload, value_of
from fairlead.models.usage import Row
from fairlead.models.workload import Workload
from fairlead.solver.answers.attainment import Apart
from fairlead.solver.columns.choice import ChoiceSet, Floats, Numbers
from fairlead.solver.exact.alone import place_alone
from fairlead.solver.exact.boxes import box_of, replicas_placed
from fairlead.solver.exact.nested.choose import faces_of

MOST_UNITS = 2**40
"""Units of a resource up to which everything is counted in arrays."""


@dataclass(frozen=True, slots=True, eq=False)
class FilledRows:
    """Rows of a balance; numbers are in units of which all amounts of a resource are multiples.

    Parameters
    ----------
    rows
        Clusters and resources, in this order everywhere.
    names, column
        All clusters, and by row the number of its own.
    share
        By row, the cluster's part of what there is.
    standing
        By row, what is used whatever is chosen.
    total
        By row, what is used of the resource on all clusters together.
    room
        By row, what those that choose may use.
    units
        A unit of every resource.
    bend
        By row, what the square of what is used costs, about.
    """

    rows: tuple[Row, ...]
    names: tuple[str, ...]
    column: Numbers
    share: tuple[Fraction, ...]
    standing: Numbers
    total: Numbers
    room: Numbers
    units: Mapping[str, int]
    bend: Floats = field(init=False)

    def __post_init__(self) -> None:
        shares = np.array([float(share) for share in self.share])
        object.__setattr__(self, "bend", 1 / (shares * self.total.astype(float) ** 2))

    @classmethod
    def of(cls, rule: Balance, problem: Problem) -> "FilledRows | None":
        """Return the rows of a balance; None where a total is not known, or amounts are too large."""
        if not rule.totals_known:
            return None
        units = {resource: _unit(rule, problem, resource) for resource in rule.shares}
        if any(rule.totals[resource] // unit > MOST_UNITS for resource, unit in units.items()):
            return None
        rows = tuple(
            (name, resource)
            for resource, shares in rule.shares.items()
            if rule.totals[resource]
            for name in shares
        )

        room = {row: rule.totals[row[1]] for row in rows}
        if problem.has_capacity:
            room = {row: min(most, problem.limits.get(row, 0)) for row, most in room.items()}
        names = tuple(sorted(problem.cluster_by_name))
        where = {name: at for at, name in enumerate(names)}

        def of_rows(amounts: Mapping[Row, int]) -> Numbers:
            return _by_row(rows, units, amounts)

        return cls(
            rows,
            names,
            np.array([where[name] for name, _ in rows], dtype=np.int64),
            tuple(rule.shares[resource][name] for name, resource in rows),
            of_rows(rule.standing),
            np.array([rule.totals[resource] // units[resource] for _, resource in rows], dtype=np.int64),
            of_rows(room),
            units,
        )

    def amounts(self, used: Mapping[Row, int]) -> Numbers:
        """Return the amounts used by row, in units."""
        return _by_row(self.rows, self.units, used)

    def unevenness(self, used: Numbers | Floats) -> float:
        """Return how uneven it is, about, where so much is used by row, what stands included."""
        return float((self.bend * used.astype(float) ** 2).sum()) - self.resources

    @property
    def resources(self) -> int:
        """How many resources there are."""
        return len({resource for _, resource in self.rows})

    def need(self, workload: Workload, names: Collection[str], problem: Problem) -> Numbers:
        """Return the units that a replica uses on some clusters, by row."""
        used = {
            (name, resource): amount
            for name in names
            for resource, amount in demands(workload, problem.cluster_by_name[name]).items()
        }
        return self.amounts(used)

    def by_cluster(self, amounts: NDArray[Any]) -> NDArray[Any]:
        """Return the sums of amounts by row, the last axis, by cluster."""
        found: NDArray[Any] = amounts @ (self.column[:, None] == np.arange(len(self.names)))
        return found

    def least(self, prices: Sequence[int], scale: int) -> int:
        """Return the least of ``scale * balance`` less what is used at whole prices of a unit, rounded down.

        Of every row ``scale (a + v)^2 / (s D^2) - p v`` over all v from 0 to the room there is.
        """
        found = -scale * self.resources
        numbers = zip(self.standing.tolist(), self.total.tolist(), self.room.tolist(), strict=True)
        for price, share, (standing, total, room) in zip(prices, self.share, numbers, strict=True):
            top, bottom = scale * share.denominator, share.numerator * total * total
            # At the bottom of the bowl a + v is half of this, over the top.
            twice = price * bottom
            if twice <= 2 * top * standing:
                found += top * standing * standing // bottom
            elif twice >= 2 * top * (standing + room):
                found += top * (standing + room) ** 2 // bottom - price * room
            else:
                found += price * standing - -(-twice * price // (4 * top))
        return found


Choices = tuple[tuple[Workload, ChoiceSet | None], ...]
"""Every workload with replicas, and its choices; None for one of which they cannot be told."""


def rows_and_choices(rule: Balance, problem: Problem, apart: Apart) -> tuple[FilledRows, Choices] | None:
    """Return the rows of a balance, and what workloads can choose; None where that is not known.

    Levels before balance narrow it as long as a workload is among those that cost there what they would cost
    alone. Who is no member of the balance uses nothing. What was found is kept with the problem.
    """
    return problem.once(_rows_and_choices, rule, apart)


def _rows_and_choices(problem: Problem, rule: Balance, apart: Apart) -> tuple[FilledRows, Choices] | None:
    """Find the rows of a balance, and what workloads can choose."""
    rows = FilledRows.of(rule, problem)
    return None if rows is None else (rows, tuple(_choices(rows, rule, problem, apart)))


def _choices(
    rows: FilledRows, rule: Balance, problem: Problem, apart: Apart
) -> Iterator[tuple[Workload, ChoiceSet | None]]:
    """Yield the choices of every workload that has replicas."""
    for workload in problem.workloads:
        total = replicas_placed(workload, problem)
        if total == 0:
            continue
        before = _levels_before(workload, problem, apart)
        found = None
        if total is not None:
            found = faces_of(workload, problem, box_of(workload, problem), before, total)
        if found is None:
            yield workload, None
        else:
            names, faces = found
            need = rows.need(workload, names if workload.key in rule.members else (), problem)
            yield workload, ChoiceSet.of(workload.key, rows.names, names, faces, need)


def _by_row(rows: Sequence[Row], units: Mapping[str, int], amounts: Mapping[Row, int]) -> Numbers:
    """Return amounts as an array, in units."""
    return np.array([amounts.get(row, 0) // units[row[1]] for row in rows], dtype=np.int64)


def _levels_before(workload: Workload, problem: Problem, apart: Apart) -> list[Level]:
    """Return the levels of a workload before balance, up to the first on which others may matter."""
    found = []
    ordered = in_order({*levels_of_workload(workload), BALANCE}, problem)
    for level in ordered[: ordered.index(BALANCE)]:
        if workload.key not in apart.get(replace(level, priority=workload.priority), ()):
            break
        found.append(level)
    return found[: _told_by_faces(found, workload, problem)]


def _told_by_faces(levels: Sequence[Level], workload: Workload, problem: Problem) -> int:
    """Return on how many levels, the first ones, a workload alone costs what the rules of faces leave it.

    What is left out of faces are most rules about sets of clusters: where these cost something, the best of a
    face is none of the workload's placements.
    """
    told = Preference | Bounds | Candidates | Duplicated | Spread | Total
    kept = tuple(rule for rule in workload.rules if isinstance(rule, told))
    if not levels or len(kept) == len(workload.rules):
        return len(levels)
    free = replace(workload, rules=kept)
    placed = [place_alone(each, problem) for each in (workload, free)]
    known = [Placement({workload.key: each}) for each in placed if each is not None]
    if len(known) < len(placed):
        return 0
    alone = replace(problem, workloads=(free,))
    pairs = [
        [value_of(alone, each, replace(level, priority=workload.priority)) for each in known]
        for level in levels
    ]
    return next((number for number, (own, least) in enumerate(pairs) if own != least), len(levels))


def _unit(rule: Balance, problem: Problem, resource: str) -> int:
    """Return the unit of a resource: all amounts are multiples of it."""
    amounts = {rule.totals[resource]}
    for name in rule.shares[resource]:
        amounts.add(rule.standing.get((name, resource), 0))
        cluster = problem.cluster_by_name[name]
        amounts |= {
            demands(each, cluster).get(resource, 0) for each in problem.workloads if each.key in rule.members
        }
    return math.gcd(*amounts) or 1
