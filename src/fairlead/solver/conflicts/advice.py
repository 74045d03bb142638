"""What helps workloads for which no change of a number, and no toleration, is known."""

from collections.abc import Iterator, Sequence

from fairlead.models.problem import Problem
from fairlead.models.rules import Candidates
from fairlead.models.rules.candidates import Cause
from fairlead.models.statement import Conflict, Proof, Relaxation
from fairlead.models.words import listed
from fairlead.models.workload import Workload
from fairlead.solver.joint_choices import is_shut


def advice(
    problem: Problem, conflicts: Sequence[Conflict], ways: Sequence[Relaxation], *, in_time: bool
) -> Iterator[str]:
    """Yield sentences on what helps the workloads that none of the ways out is for.

    Parameters
    ----------
    problem
        The problem, which has no placement.
    conflicts
        Its conflicts.
    ways
        The ways out that are known.
    in_time
        False where time ran out before all ways were looked for.
    """
    about = {key for each in conflicts for key in each.workloads}
    left = ways[0].without if ways else sorted(about)
    stuck = [problem.workload_by_key[key] for key in left if key in about]
    shut = [each for each in stuck if is_shut(each)]
    yield from _of_shut(shut)
    others = [each.key for each in stuck if each not in shut]
    if others and not in_time:
        yield f"No way out for {listed(others, 'workload')} was found in time: raise the time limit."
    elif others:
        needed = all(each.proof is not Proof.UNVERIFIED for each in conflicts)
        these = "one of these rules" if needed else "some of these rules"
        yield f"No change of numbers is known that helps {listed(others, 'workload')}: remove {these}."


def _of_shut(shut: Sequence[Workload]) -> Iterator[str]:
    """Yield what helps workloads that no cluster would take."""
    unweighable: dict[str, list[str]] = {}
    closed: list[str] = []
    for workload in shut:
        rule = workload.rule(Candidates) or Candidates(())
        names = [name for name, each in rule.excluded.items() if each.cause is Cause.UNWEIGHABLE]
        if names:
            unweighable.setdefault(listed(names, "cluster"), []).append(workload.key)
        else:
            closed.append(workload.key)
    for names_told, keys in unweighable.items():
        yield (
            f"Nothing is known of the capacity of {names_told}, by which {listed(keys, 'workload')} would be "
            "divided: have it reported, or use static weights."
        )
    if closed:
        yield (
            f"No change of numbers or tolerations opens a cluster to {listed(closed, 'workload')}: let the "
            "policy select another cluster, or add one that it selects."
        )
