"""What balance is about, as arrays: rows that are filled, and what every workload can choose to fill."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from fairlead.models.levels import BALANCE, Level
from fairlead.models.problem import Problem
from fairlead.models.rules import Duplicated, GroupTotal, Total
from fairlead.models.rules.balance import Balance
from fairlead.models.rules.capacity import demands
from fairlead.models.score import in_order, levels_of_workload
from fairlead.models.usage import Row
from fairlead.models.workload import Workload
from fairlead.solver.answers.attainment import Apart
from fairlead.solver.exact.boxes import box_of
from fairlead.solver.exact.costs.bowls import Bowls
from fairlead.solver.exact.marginal import Box, settle_ties
from fairlead.solver.exact.nested.choosing import faces_of, without_choice
from fairlead.solver.exact.nested.face import Face
from fairlead.solver.exact.nested.narrowing import narrow_all
from fairlead.solver.exact.nested.picking import ApartError, TooLongError
from fairlead.solver.exact.nested.pricing import cheapest
from fairlead.solver.exact.nested.settling import settle

Numbers = NDArray[np.int64]
Floats = NDArray[np.float64]

MOST_UNITS = 2**40
"""Units of a resource up to which everything is counted in arrays."""


@dataclass(frozen=True, slots=True, eq=False)
class FilledRows:
    """Rows of a balance; numbers are in units of which all amounts of a resource are multiples.

    Parameters
    ----------
    rows
        Clusters and resources, in this order everywhere.
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
        """Return the rows of a balance of which all totals are known; None where amounts are too large."""
        units = {resource: _unit(rule, problem, resource) for resource in rule.shares}
        if any(rule.totals[resource] // unit > MOST_UNITS for resource, unit in units.items()):
            return None
        rows = tuple(
            (name, resource)
            for resource, shares in rule.shares.items()
            if rule.totals[resource]
            for name in shares
        )

        def of_rows(amounts: Mapping[Row, int]) -> Numbers:
            return _by_row(rows, units, amounts)

        return cls(
            rows,
            tuple(rule.shares[resource][name] for name, resource in rows),
            of_rows(rule.standing),
            np.array([rule.totals[resource] // units[resource] for _, resource in rows], dtype=np.int64),
            of_rows({row: min(problem.limits.get(row, 0), rule.totals[row[1]]) for row in rows}),
            units,
        )

    def amounts(self, used: Mapping[Row, int]) -> Numbers:
        """Return what is used by row, in units."""
        return _by_row(self.rows, self.units, used)

    def unevenness(self, used: Numbers | Floats) -> float:
        """Return how uneven it is, about, where so much is used by row, what stands included."""
        return float((self.bend * used.astype(float) ** 2).sum()) - self.resources

    @property
    def resources(self) -> int:
        """How many resources there are."""
        return len({resource for _, resource in self.rows})

    def usage(self, workload: Workload, names: Sequence[str], problem: Problem) -> Numbers:
        """Return what a replica uses, by row and cluster."""
        at = {row: number for number, row in enumerate(self.rows)}
        found = np.zeros((len(self.rows), len(names)), dtype=np.int64)
        for column, name in enumerate(names):
            for resource, amount in demands(workload, problem.cluster_by_name[name]).items():
                if (name, resource) in at:
                    found[at[name, resource], column] = amount // self.units[resource]
        return found

    def least(self, prices: Sequence[int], scale: Fraction) -> Fraction:
        """Return the least of ``scale * balance`` less what is used at whole prices of a unit, exactly.

        Of every row ``scale (a + v)^2 / (s D^2) - p v`` over all v from 0 to the room there is.
        """
        found = -scale * self.resources
        numbers = zip(self.standing.tolist(), self.total.tolist(), self.room.tolist(), strict=True)
        for price, share, (standing, total, room) in zip(prices, self.share, numbers, strict=True):
            bend = scale / (share * total * total)
            best = min(max(Fraction(price) / (2 * bend) - standing, Fraction(0)), Fraction(room))
            found += bend * (standing + best) ** 2 - price * best
        return found


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """All that a workload can choose, and perhaps more.

    Parameters
    ----------
    key
        Of the workload.
    names
        Clusters, in the order of arrays.
    faces
        Placements on these.
    usage
        What a replica uses, by row and cluster.
    """

    key: str
    names: tuple[str, ...]
    faces: tuple[Face, ...]
    usage: Numbers

    @property
    def total(self) -> int:
        """How many replicas are placed."""
        return max((face.total for face in self.faces), default=0)

    def counts(self, placed: Mapping[str, int]) -> Numbers:
        """Return a placement as an array."""
        return np.array([placed.get(name, 0) for name in self.names], dtype=np.int64)

    def within(self, lower: Numbers, upper: Numbers) -> "Choice":
        """Return what can be chosen within bounds."""
        inside = (_within(face, lower, upper) for face in self.faces)
        return replace(self, faces=tuple(each for each in inside if each is not None))

    @property
    def most(self) -> Numbers:
        """How many replicas can be chosen at most, by cluster."""
        ends = [np.where(face.open_to, face.upper, 0) for face in self.faces]
        found: Numbers = np.max(ends, axis=0) if ends else np.zeros(len(self.names), dtype=np.int64)
        return found

    def cheapest(self, cost: Bowls, near: Numbers | None = None) -> "Cheapest | None":
        """Return a placement that costs least; None where there is none.

        Parameters
        ----------
        near
            A placement that may be close to it: then one that is as good as cheapest will do.

        Raises
        ------
        TooLongError
            It takes too long to tell.
        """
        single = self.faces[0] if len(self.faces) == 1 else None
        freely = None if single is None else _freely(single, cost)
        if freely is not None:
            return Cheapest(freely, cost.value(freely))
        if single is not None and near is not None:
            inside = (near > 0) & single.open_to | single.required
            priced = cheapest(single, cost, inside if single.holds(inside) else None)
            if priced is not None:
                return Cheapest(*priced)
        relaxed = None if single is None else without_choice(single, cost)
        try:
            best = narrow_all(self.faces, cost) if relaxed is None else [relaxed]
            counts = next((each for each in map(settle, best) if each is not None), None)
        except ApartError as apart:
            raise TooLongError from apart
        if counts is None and best:
            raise TooLongError
        return None if counts is None else Cheapest(counts, cost.value(counts))


@dataclass(frozen=True, slots=True, eq=False)
class Cheapest:
    """A placement of a workload, and what no placement costs less than, in steps."""

    counts: Numbers
    least: Fraction


Choices = tuple[tuple[Workload, Choice | None], ...]
"""What every workload can choose; None for one of which that cannot be told."""


def rows_and_choices(rule: Balance, problem: Problem, apart: Apart) -> tuple[FilledRows, Choices] | None:
    """Return the rows of a balance, and what workloads can choose; None where amounts are too large.

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
) -> Iterator[tuple[Workload, Choice | None]]:
    """Yield what every workload can choose."""
    for workload in problem.workloads:
        total = _total(workload)
        before = _levels_before(workload, problem, apart)
        found = None
        if total is not None:
            found = faces_of(workload, problem, box_of(workload, problem), before, total)
        if found is None:
            yield workload, None
        else:
            names, faces = found
            usage = rows.usage(workload, names, problem) * (workload.key in rule.members)
            yield workload, Choice(workload.key, names, tuple(faces), usage)


def _freely(face: Face, cost: Bowls) -> Numbers | None:
    """Return the cheapest placement of a face that may use any clusters; None where that is not so."""
    if not face.settled or face.limits.bind or bool(np.any(~face.required & (face.lower > 1))):
        return None
    box = Box(np.where(face.required, face.lower, 0), np.where(face.open_to, face.upper, 0), face.total)
    return settle_ties(cost.narrow(box)) if box.feasible else None


def _by_row(rows: Sequence[Row], units: Mapping[str, int], amounts: Mapping[Row, int]) -> Numbers:
    """Return amounts as an array, in units."""
    return np.array([amounts.get(row, 0) // units[row[1]] for row in rows], dtype=np.int64)


def _within(face: Face, least: Numbers, most: Numbers) -> Face | None:
    """Return the placements of a face within bounds; None where it sees that there are none."""
    upper = np.minimum(face.upper, most)
    lower, required = np.maximum(face.lower, least), face.required | (least > 0)
    open_to = face.open_to & (upper >= lower)
    if bool(np.any(required & ~open_to)):
        return None
    return replace(face, lower=lower, upper=upper, open_to=open_to, required=required, first=None)


def _levels_before(workload: Workload, problem: Problem, apart: Apart) -> list[Level]:
    """Return the levels of a workload before balance, up to the first on which others may matter."""
    found = []
    ordered = in_order({*levels_of_workload(workload), BALANCE}, problem)
    for level in ordered[: ordered.index(BALANCE)]:
        if workload.key not in apart.get(replace(level, priority=workload.priority), ()):
            break
        found.append(level)
    return found


def _total(workload: Workload) -> int | None:
    """Return how many replicas are placed; None where that is open."""
    copies = workload.rule(Duplicated)
    if copies is not None:
        known = (rule for rule in workload.rules_of(GroupTotal) if rule.name == BALANCE.name)
        return next((rule.minimum for rule in known if rule.minimum == rule.maximum), None)
    return workload.replicas if workload.rule(Total) is not None and workload.replicas else None


def _unit(rule: Balance, problem: Problem, resource: str) -> int:
    """Return what all amounts of a resource are multiples of."""
    amounts = {rule.totals[resource]}
    for name in rule.shares[resource]:
        amounts.add(rule.standing.get((name, resource), 0))
        cluster = problem.cluster_by_name[name]
        amounts |= {
            demands(each, cluster).get(resource, 0) for each in problem.workloads if each.key in rule.members
        }
    return math.gcd(*amounts) or 1
