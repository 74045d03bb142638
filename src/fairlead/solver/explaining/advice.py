"""What helps workloads for which no change of a number, and no toleration, is known."""

from collections.abc import Iterable, Iterator, Sequence

from fairlead.models.cluster import Taint
from fairlead.models.problem import Problem
from fairlead.models.rules import Candidates
from fairlead.models.rules.candidates import Cause
from fairlead.models.statement import Conflict, Proof, Relaxation
from fairlead.models.words import listed
from fairlead.models.workload import Workload
from fairlead.solver.groups.choices import is_shut


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
    """Yield what helps workloads that no cluster would take; what helps several alike is told once."""
    unweighable: dict[str, list[str]] = {}
    untold: dict[tuple[str, str], list[str]] = {}
    bounded: dict[str, list[str]] = {}
    closed: list[str] = []
    for workload in shut:
        rule = workload.rule(Candidates) or Candidates(())
        unknown = [name for name, each in rule.excluded.items() if each.cause is Cause.UNWEIGHABLE]
        empty = [name for name, each in rule.excluded.items() if each.cause is Cause.NO_COPY]
        tainted = {name: each.spoiling for name, each in rule.excluded.items() if each.spoiling}
        if unknown:
            unweighable.setdefault(listed(unknown, "cluster"), []).append(workload.key)
        elif tainted:
            fewest = min(tainted.values(), key=lambda taints: (len(taints), _spelled(taints)))
            opened = [name for name, taints in tainted.items() if set(taints) <= set(fewest)]
            told = f"taint{'s' * (len(fewest) > 1)} {listed(_spelled(fewest))}"
            untold.setdefault((told, listed(opened, "cluster")), []).append(workload.key)
        elif empty:
            bounded.setdefault(listed(empty, "cluster"), []).append(workload.key)
        else:
            closed.append(workload.key)
    for names, keys in unweighable.items():
        yield (
            f"Nothing is known of the capacity of {names}, by which {listed(keys, 'workload')} would be "
            "divided: have it reported, or use static weights."
        )
    for (taints, names), keys in untold.items():
        yield (
            f"To tolerate the {taints} would open {names} to {listed(keys, 'workload')}. How many replicas "
            "would run there is not known here: change the policy and solve again."
        )
    for names, keys in bounded.items():
        yield f"The maximum of {names} is 0 for {listed(keys, 'workload')}: raise it."
    if closed:
        yield (
            f"No change of numbers or tolerations opens a cluster to {listed(closed, 'workload')}: let the "
            "policy select another cluster, or add one that it selects."
        )


def _spelled(taints: Iterable[Taint]) -> list[str]:
    """Return taints as kubectl writes them, in order."""
    return sorted(taint.spelled for taint in taints)
