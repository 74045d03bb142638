"""Totals that rules ask of sets of candidates: of regions, of all that is left when one is lost."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product

import numpy as np

from fairlead.models.check import required_by
from fairlead.models.requirement import Among, Binds, Outside, Requirement, Side
from fairlead.models.rules import Bounds, Candidates, Duplicated, Spread, Total
from fairlead.models.rules.skew import Apart
from fairlead.models.workload import Workload
from fairlead.solver.exact.boxes import WorkloadBox
from fairlead.solver.exact.marginal import exact_sum

Clusters = frozenset[str]
Range = tuple[int, int]
"""Fewest and most replicas."""


MOST_TRIED = 32
"""Up to so many numbers of replicas of the emptiest group are tried."""

_ASKING_OTHERWISE = (Bounds, Candidates, Duplicated, Spread, Total)
"""Rules about single clusters, about all of them, or about how many groups are used."""


@dataclass(frozen=True, slots=True)
class SetRanges:
    """Ranges of replicas that the rules of a workload ask of sets of candidates."""

    ranges: dict[Clusters, Range] = field(default_factory=dict)
    """Fewest and most replicas by set of candidates."""
    apart: list[tuple[tuple[Clusters, ...], int]] = field(default_factory=list)
    """Groups of which the fullest may hold only so many more than the emptiest."""

    def tries(self, boxed: WorkloadBox) -> Iterator[Mapping[Clusters, Range]]:
        """Yield the ranges of sets, for all numbers that the emptiest groups may hold at least."""
        for lowest in product(*(_lowest(groups, most, boxed) for groups, most in self.apart)):
            found = dict(self.ranges)
            for (groups, most), least in zip(self.apart, lowest, strict=True):
                for group in groups:
                    found[group] = both(found.get(group), (least, least + most))
            yield found


def asked_of(workload: Workload, boxed: WorkloadBox) -> SetRanges:
    """Return the totals that rules ask of sets; those that the box holds, or others tell, are left out."""
    found, names, total = SetRanges(), frozenset(boxed.names), boxed.box.total
    rules = (rule for rule in workload.rules if not isinstance(rule, _ASKING_OTHERWISE))
    for one in (one for rule in rules for one in required_by(rule, workload, ())):
        if one.binds is not Binds.ALWAYS:
            continue
        match one.scope:
            case Among(clusters=clusters):
                inside, asks = clusters & names, _range(one, total)
            case Outside(clusters=clusters):
                least, most = _range(one, total)
                inside, asks = clusters & names, (total - most, total - least)
            case Apart(groups=groups, where_held=held) if len(groups) > 1 and not held:
                found.apart.append((tuple(each & names for each in groups.values()), one.limit))
                continue
            case _:
                continue
        if inside:
            found.ranges[inside] = both(found.ranges.get(inside), asks)
    return found


def _range(one: Requirement, total: int) -> Range:
    """Return how many replicas a requirement lets count."""
    return (
        0 if one.side is Side.MOST else one.limit,
        total if one.side is Side.LEAST else min(one.limit, total),
    )


def both(known: Range | None, other: Range) -> Range:
    """Return the range that lies in two ranges."""
    return other if known is None else (max(known[0], other[0]), min(known[1], other[1]))


def _lowest(groups: Sequence[Clusters], most: int, boxed: WorkloadBox) -> Sequence[int]:
    """Return the least of the emptiest of groups that differ by so many at most; none where it is too much.

    The groups hold all replicas but for those that candidates in none of them can take.
    """
    total, where = boxed.box.total, {name: at for at, name in enumerate(boxed.names)}
    upper = np.minimum(boxed.box.upper, total)
    rows = [np.array([where[name] for name in group], dtype=np.int64) for group in groups]
    rest = exact_sum(np.delete(upper, np.concatenate(rows)))
    least = max(exact_sum(boxed.box.lower[row]) for row in rows)
    # Clusters in several groups count in each of them.
    overlapping = len(frozenset[str]().union(*groups)) < sum(map(len, groups))
    highest = min(total if overlapping else total // len(groups), *(exact_sum(upper[row]) for row in rows))
    lowest = max(0, least - most, -((rest - total) // len(groups)) - most)
    return range(lowest, highest + 1) if highest - lowest < MOST_TRIED else ()
