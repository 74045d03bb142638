"""Workload by workload: how often an answer is as good as the best one, and how often it is not."""

from dataclasses import replace

from fairlead.models.outcome import Outcome
from fairlead.models.score import score
from fairlead.models.workload import Workload


def tally(outcome: Outcome, best: Outcome) -> str:
    """Return one sentence on all workloads together; empty where there is only one or nothing to compare.

    Each workload is looked at by itself, level by level. One can be better off than in the best answer, where
    others pay for it.
    """
    if len(best.problem.workloads) < 2 or outcome.placement is None or best.placement is None:
        return ""
    counts = {"equal": 0, "worse": 0, "better": 0, "unplaced": 0}
    for workload in best.problem.workloads:
        counts[_standing(workload, outcome, best)] += 1
    words = {
        "equal": "equally well placed",
        "worse": "worse",
        "better": "better",
        "unplaced": "not fully placed",
    }
    told = ", ".join(f"{counts[kind]} {text}" for kind, text in words.items() if counts[kind])
    return f" Of {len(best.problem.workloads)} workloads, each on its own: {told}."


def _standing(workload: Workload, outcome: Outcome, best: Outcome) -> str:
    """Tell how one workload fares against the best answer."""
    if outcome.placement is None or best.placement is None:
        return "unplaced"
    here, there = outcome.placement.of(workload.key), best.placement.of(workload.key)
    if here == there:
        return "equal"
    if sum(here.values()) < sum(there.values()):
        return "unplaced"
    alone = replace(best.problem, workloads=(workload,))
    found = tuple(level.value for level in score(alone, {workload.key: here}))
    wanted = tuple(level.value for level in score(alone, {workload.key: there}))
    if found == wanted:
        return "equal"
    return "worse" if found > wanted else "better"
