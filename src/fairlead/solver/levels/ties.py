"""Ties: of all placements that are best on every level, the lexicographically greatest.

Workloads stand in key order, clusters in name order, and the first takes as many replicas as possible. That
leaves one answer, whatever the number of workers.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fairlead.encoders.convex import Term
from fairlead.encoders.encoding import Encoding
from fairlead.encoders.variables import Place, replicas_at
from fairlead.models.placement import Placement
from fairlead.solver.running.engine import run
from fairlead.solver.running.search import RunLimits, Verdict

# The places that are settled by one run together have at most so many combinations of replicas.
COMBINATIONS = 2**32


@dataclass(frozen=True, slots=True)
class TieBreak:
    """A placement, and whether it is certain to be the lexicographically greatest."""

    placement: Placement
    certain: bool


def settle(encoding: Encoding, best: Placement, effort: RunLimits) -> TieBreak:
    """Return the lexicographically greatest placement of a model whose levels are pinned.

    Where nothing ties workloads together, one run settles it: the sum of replicas is maximised, each counted
    by its position from the end. The placements that remain are the whole points of a product of boxes, most
    of them with a total, and there the greedy choice in order of falling factors is both the greatest sum and
    the lexicographically greatest point (J. Edmonds, 1970). Elsewhere places are settled in order, a few at a
    time: the number that they form with mixed radix is maximised and then kept.

    Parameters
    ----------
    encoding
        The model with every level pinned; the last run adds constraints to it.
    best
        A placement that the model allows.
    effort
        Time and seed; one worker, which is deterministic.
    """
    places = list(encoding.variables.free())
    variables = [encoding.replicas(*place) for place in places]
    if not places:
        return TieBreak(best, certain=True)
    if not encoding.coupled:
        by_position = [(variable, i - len(variables)) for i, variable in enumerate(variables)]
        start = _minimise(encoding, by_position, best, effort)
        return TieBreak(start or best, certain=start is not None)
    found = best
    for group in _groups(encoding, places):
        if any(replicas_at(found, place) < encoding.variables.range(place).upper for place in group):
            better = _minimise(encoding, _radix(encoding, group), found, effort)
            if better is None:
                return TieBreak(found, certain=False)
            found = better
        for place in group:
            count = replicas_at(found, place)
            encoding.model.add_linear_constraint(encoding.replicas(*place), count, count)
    return TieBreak(found, certain=True)


def _minimise(encoding: Encoding, cost: list[Term], start: Placement, effort: RunLimits) -> Placement | None:
    """Return a placement of least cost; None where it could not be proven in time."""
    while True:
        finding = run(encoding.model, encoding.replica_variables, cost, encoding.values(start), effort)
        if finding.verdict is not Verdict.OPTIMAL or finding.values is None:
            return None
        found = encoding.read(finding.values)
        if not encoding.refine(found):
            return found


def _groups(encoding: Encoding, places: Sequence[Place]) -> Iterator[list[Place]]:
    """Cut the places into groups of limited numbers of combinations."""
    group: list[Place] = []
    combinations = 1
    for place in places:
        lower, upper = encoding.variables.range(place)
        if group and combinations * (upper - lower + 1) > COMBINATIONS:
            yield group
            group, combinations = [], 1
        group.append(place)
        combinations *= upper - lower + 1
    if group:
        yield group


def _radix(encoding: Encoding, group: Sequence[Place]) -> list[Term]:
    """Return a cost that is least where the replicas of the group are lexicographically greatest."""
    terms: list[Term] = []
    weight = 1
    for place in reversed(group):
        lower, upper = encoding.variables.range(place)
        terms.append((encoding.replicas(*place), -weight))
        weight *= upper - lower + 1
    return terms
