"""Who else could fall short: placements that are as good and place less of some workload."""

from collections.abc import Iterable

from fairlead.encoders.registry import encode
from fairlead.encoders.variables import PlaceSet, replicas_at
from fairlead.models.levels import Level
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.score import value_of
from fairlead.models.shortfall import refused
from fairlead.solver.running.engine import run
from fairlead.solver.running.search import Search, Verdict


def ways_short(
    part: Problem, placement: Placement, levels: Iterable[Level], search: Search, most: int
) -> tuple[list[Placement], bool]:
    """Return who may fall short in placements that cost no more on some levels, and of how much.

    Some runs of CP-SAT, each for numbers of replicas that are not known yet: of some workload less has to be
    placed, as nothing is missing that could be placed. Costs of a model may lie below the true ones, so that
    it holds more placements than there are: where there is none in it, there is none.

    Parameters
    ----------
    part
        The question.
    placement
        Where everybody stands.
    levels
        First levels of the part, all of them proven.
    most
        How many ways are told apart, at most.

    Returns
    -------
    tuple
        A placement for every way to divide what is missing, first the given one, and whether these are all.
    """
    pinned = tuple(levels)
    encoding = encode(part, in_time=lambda: search.deadline.remaining() > 0)
    if encoding is None:
        return [placement], False
    for level in pinned:
        encoding.pin(level, encoding.levels[level].steps(placement))
    everywhere = [PlaceSet(each.key, frozenset(part.cluster_by_name)) for each in part.workloads]
    found = [placement]
    while True:
        fewer = []
        for group in everywhere:
            less = encoding.model.new_bool_var("")
            held = replicas_at(found[-1], group)
            encoding.model.add(encoding.selection.total(group) <= held - 1).only_enforce_if(less)
            fewer.append(less)
        encoding.model.add_bool_or(fewer)
        finding = run(encoding.model, encoding.replica_variables, [], [], search.single())
        if finding.values is None or len(found) == most:
            return found, finding.verdict is Verdict.INFEASIBLE
        other = encoding.read(finding.values)
        if refused(part, other) or any(
            value_of(part, other, level) > value_of(part, placement, level) for level in pinned
        ):
            return found, False
        found.append(other)
