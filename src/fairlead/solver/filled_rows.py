"""What balance is about, as arrays: rows that are filled, and what every workload can choose to fill."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from fairlead.encoders.variables import Place, Range
from fairlead.models.levels import BALANCE, Level
from fairlead.models.problem import Problem
from fairlead.models.rules import Duplicated, GroupTotal, Total
from fairlead.models.rules.balance import Balance
from fairlead.models.rules.capacity import demands
from fairlead.models.score import in_order, levels_of_workload
from fairlead.models.usage import Row
from fairlead.models.workload import Workload
from fairlead.solver.attainment import Apart
from fairlead.solver.boxes import box_of
from fairlead.solver.costs.straight import Straight
from fairlead.solver.nested.choosing import faces_of
from fairlead.solver.nested.face import Face
from fairlead.solver.nested.narrowing import narrow_all
from fairlead.solver.nested.picking import ApartError, TooLongError
from fairlead.solver.nested.settling import settle

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
    """

    rows: tuple[Row, ...]
    share: tuple[Fraction, ...]
    standing: Numbers
    total: Numbers
    room: Numbers
    units: Mapping[str, int]

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
            return np.array([amounts.get(row, 0) // units[row[1]] for row in rows], dtype=np.int64)

        return cls(
            rows,
            tuple(rule.shares[resource][name] for name, resource in rows),
            of_rows(rule.standing),
            np.array([rule.totals[resource] // units[resource] for _, resource in rows], dtype=np.int64),
            of_rows({row: min(problem.limits.get(row, 0), rule.totals[row[1]]) for row in rows}),
            units,
        )

    def usage(self, workload: Workload, names: Sequence[str], problem: Problem) -> Numbers:
        """Return what a replica uses, by row and cluster."""
        at = {row: number for number, row in enumerate(self.rows)}
        found = np.zeros((len(self.rows), len(names)), dtype=np.int64)
        for column, name in enumerate(names):
            for resource, amount in demands(workload, problem.cluster_by_name[name]).items():
                if (name, resource) in at:
                    found[at[name, resource], column] = amount // self.units[resource]
        return found

    def least(self, prices: Sequence[int], scale: int) -> Fraction:
        """Return the least of ``scale * balance`` less what is used at whole prices of a unit, exactly.

        Of every row ``scale (a + v)^2 / (s D^2) - p v`` over all v from 0 to the room there is.
        """
        found = Fraction(-scale * len({resource for _, resource in self.rows}))
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

    def cheapest(self, cost: Straight) -> Numbers | None:
        """Return a placement that costs least; None where that takes too long to tell, or there is none."""
        try:
            for face in narrow_all(self.faces, cost):
                placed = settle(face)
                if placed is not None:
                    return placed
        except (TooLongError, ApartError):
            pass
        return None


def choices_of(
    rows: FilledRows, rule: Balance, problem: Problem, apart: Apart, ranges: Mapping[Place, Range]
) -> Iterator[Choice | None]:
    """Yield what every member can choose within ranges; None for one of which that cannot be told.

    Levels before balance narrow it as long as a workload is among those that cost there what they would cost
    alone.
    """
    for workload in problem.workloads:
        if workload.key not in rule.members:
            continue
        total = _total(workload)
        before = _levels_before(workload, problem, apart)
        found = None
        if total is not None:
            found = faces_of(workload, problem, box_of(workload, problem), before, total)
        if found is None:
            yield None
        else:
            names, faces = found
            known = [ranges[Place(workload.key, name)] for name in names]
            inside = tuple(each for face in faces if (each := _within(face, known)) is not None)
            yield Choice(workload.key, names, inside, rows.usage(workload, names, problem))


def _within(face: Face, known: Sequence[Range]) -> Face | None:
    """Return the placements of a face within ranges; None where it sees that there are none."""
    least = np.array([each.lower for each in known], dtype=np.int64)
    upper = np.minimum(face.upper, np.array([each.upper for each in known], dtype=np.int64))
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
