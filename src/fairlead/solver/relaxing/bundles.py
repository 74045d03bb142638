"""Parts of a problem that have no placement, together with all that a way out of them could concern."""

from collections.abc import Container, Hashable, Sequence
from dataclasses import replace

from fairlead.models.problem import Problem
from fairlead.models.rules import BindingRule, Bounds, WorkloadRule
from fairlead.models.workload import Workload
from fairlead.solver.components import components
from fairlead.solver.deadline import Deadline
from fairlead.solver.feasibility import has_placement
from fairlead.solver.joint_choices import choices, reaching
from fairlead.solver.relaxing.sharing import EXACT, numbers_of


def bundles(
    problem: Problem, deadline: Deadline, seed: int, failing: Container[str] | None = None
) -> tuple[Problem, ...]:
    """Return the parts of a problem that have no placement, preferences left out.

    Workloads are in one part where they may meet on a cluster, in any of their affinity groups or once taints
    are tolerated; where they share a rule; and where a number of one policy counts for both and one of them
    cannot be placed as it is.

    Parameters
    ----------
    problem
        A problem without placement.
    deadline
        When to stop looking for parts that have none.
    seed
        Random seed of CP-SAT.
    failing
        Workloads of which it is known that they, or others of their part, cannot be placed; None where that
        is to be found out.
    """
    bare = replace(problem, workloads=tuple(map(_binding, problem.workloads)), partial=False)
    wide = replace(bare, workloads=tuple(map(reaching, bare.workloads)))
    parts = [_within(bare, set(part.workload_by_key)) for part in components(wide)]
    if len(parts) == 1:
        return tuple(parts)
    hopeless = [part for part in parts if _fails(part, deadline, seed, failing)]
    return tuple(_within(bare, keys) for keys in _tied(hopeless, parts))


def _fails(part: Problem, deadline: Deadline, seed: int, failing: Container[str] | None) -> bool:
    """Tell whether a part has no placement."""
    if failing is not None:
        return any(each.key in failing for each in part.workloads)
    return all(has_placement(each.problem, deadline, seed) is False for each in choices(part))


def _tied(hopeless: Sequence[Problem], parts: Sequence[Problem]) -> list[set[str]]:
    """Return the workloads of parts without placement: those that share a number together.

    Parts that have a placement belong to them where an exact number counts for both.
    """
    found = [(set(part.workload_by_key), numbers_of(part)) for part in hopeless]
    exact = [numbers_of(part, EXACT) for part in hopeless]
    if any(exact):
        names = {name for part in hopeless for name in part.workload_by_key}
        wanted = frozenset[Hashable]().union(*exact)
        for part in parts:
            if names.isdisjoint(part.workload_by_key):
                shares = numbers_of(part, EXACT)
                if not shares.isdisjoint(wanted):
                    found.append((set(part.workload_by_key), numbers_of(part)))
    joined: list[tuple[set[str], frozenset[Hashable]]] = []
    for keys, numbers in found:
        apart = [each for each in joined if each[1].isdisjoint(numbers)]
        for other_keys, other_numbers in (each for each in joined if not each[1].isdisjoint(numbers)):
            keys, numbers = keys | other_keys, numbers | other_numbers  # noqa: PLW2901 - they become one
        joined = [*apart, (keys, numbers)]
    return sorted((keys for keys, _ in joined), key=min)


def _within(problem: Problem, keys: set[str]) -> Problem:
    """Return some workloads of a problem."""
    return replace(problem, workloads=tuple(each for each in problem.workloads if each.key in keys))


def _binding(workload: Workload) -> Workload:
    """Return a workload with the rules that must hold only, in every affinity group."""

    def bare(rules: Sequence[WorkloadRule]) -> tuple[WorkloadRule, ...]:
        return tuple(
            replace(rule, preferred=False) if isinstance(rule, Bounds) else rule
            for rule in rules
            if isinstance(rule, BindingRule)
        )

    groups = tuple(replace(group, rules=bare(group.rules)) for group in workload.groups)
    return replace(workload, rules=bare(workload.rules), groups=groups)
