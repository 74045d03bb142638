"""Whether units of one workload can be kept together, by adding up, where they bound single clusters only.

Such units have a placement exactly where no open cluster needs more than it may hold, and the total lies
between what all open clusters need and what they may hold. Nothing here knows how a conflict was found.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from fairlead.models.problem import Problem
from fairlead.models.rules import Bounds, Candidates, Total
from fairlead.models.rules.capacity import needs
from fairlead.solver.explaining.units import Room, Unit, open_to


class Limit(NamedTuple):
    """What one unit says of one cluster: at least, and at most where that is not None."""

    unit: int
    least: int
    most: int | None


class Span(NamedTuple):
    """What a cluster needs, and what it may hold; None means no limit."""

    least: int
    most: int | None

    @property
    def crossed(self) -> bool:
        """Whether it needs more than it may hold."""
        return self.most is not None and self.least > self.most


@dataclass(slots=True)
class Sums:
    """Units of one workload, added up.

    Parameters
    ----------
    wanted
        Replicas of the workload.
    open_now, closed_now
        How many clusters are open while the closed ones are, and how many are closed.
    limits
        What units say of each cluster.
    total, closed
        Positions of the total and of the closed clusters; None where they are not among the units.
    """

    wanted: int
    open_now: int
    closed_now: int
    limits: dict[str, list[Limit]] = field(default_factory=dict)
    total: int | None = None
    closed: int | None = None
    _spans: dict[str, Span] = field(default_factory=dict)
    _least: int = 0
    _most: int = 0
    _unlimited: int = 0
    _crossed: int = 0

    def add_up(self) -> None:
        """Add up all units; what remains without one of them is told from that."""
        self._spans = {name: _span(limits) for name, limits in self.limits.items()}
        spans = self._spans.values()
        self._least = sum(span.least for span in spans)
        self._most = sum(span.most or 0 for span in spans)
        self._unlimited = sum(1 for span in spans if span.most is None) + self.open_now - len(spans)
        self._crossed = sum(1 for span in spans if span.crossed)

    def possible(self, left_out: int | None = None, cluster: str | None = None) -> bool:
        """Tell whether all units, or all but one, have a placement.

        Parameters
        ----------
        left_out
            Position of the unit that is left out; None where none is.
        cluster
            The cluster that it is about; None where it is about none in particular.
        """
        least, most, crossed = self._least, self._most, self._crossed
        unlimited = self._unlimited + (self.closed_now if self.closed in (None, left_out) else 0)
        if cluster is not None:
            before, after = self._spans[cluster], _span(self.limits[cluster], left_out)
            least += after.least - before.least
            most += (after.most or 0) - (before.most or 0)
            unlimited += int(after.most is None) - int(before.most is None)
            crossed += int(after.crossed) - int(before.crossed)
        if crossed:
            return False
        if self.total in (None, left_out):
            return True
        return least <= self.wanted and (unlimited > 0 or self.wanted <= most)

    def minimal(self) -> bool:
        """Tell whether without any one unit all others have a placement."""
        for name, limits in self.limits.items():
            if not all(self.possible(limit.unit, name) for limit in limits):
                return False
        return all(self.possible(at) for at in (self.total, self.closed) if at is not None)


def _span(limits: Sequence[Limit], left_out: int | None = None) -> Span:
    """Return what several units say of one cluster, one of them perhaps left out."""
    counting = [limit for limit in limits if limit.unit != left_out]
    most = [limit.most for limit in counting if limit.most is not None]
    return Span(max((limit.least for limit in counting), default=0), min(most, default=None))


def sums_of(problem: Problem, units: Sequence[Unit]) -> Sums | None:
    """Add up units of a problem; None where that does not tell whether they have a placement.

    Parameters
    ----------
    problem
        The whole question.
    units
        Some of its units.
    """
    if len(problem.workloads) != 1 or not problem.workloads[0].replicas:
        return None
    (workload,) = problem.workloads
    names, asked = frozenset(open_to(workload, problem)), needs(workload)
    sums = Sums(workload.replicas, len(names), len(problem.clusters) - len(names))
    for at, unit in enumerate(units):
        match unit.part:
            case Total():
                sums.total = at
            case Candidates():
                sums.closed = at
            case Bounds() as rule if not rule.where_held:
                for name in rule.minimum.keys() | rule.maximum.keys():
                    least, most = rule.minimum.get(name), rule.maximum.get(name)
                    limit = Limit(at, least.replicas if least else 0, most.replicas if most else None)
                    sums.limits.setdefault(name, []).append(limit)
            case Room() as room:
                fits = min(
                    problem.limits.get((room.cluster, resource), 0) // asked[resource]
                    for resource in room.resources
                )
                sums.limits.setdefault(room.cluster, []).append(Limit(at, 0, fits))
            case _:
                return None
    if not names.issuperset(sums.limits):
        # What is said of a closed cluster is a matter of its own.
        return None
    sums.add_up()
    return sums
