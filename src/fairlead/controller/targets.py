"""Where a workload is to stand, as ``spec.clusters`` of its binding tells it."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from fairlead.manifests.karmada.scheduled import target
from fairlead.models.declared import KarmadaBinding
from fairlead.models.problem import Problem
from fairlead.models.rules import Spread
from fairlead.models.workload import Workload

if TYPE_CHECKING:
    from fairlead.models.outcome import Outcome


def targets(outcome: "Outcome", workload: Workload) -> tuple[Mapping[str, Any], ...]:
    """Return ``spec.clusters`` of a workload, as Karmada's scheduler writes it."""
    known = workload.declared
    components: Sequence[tuple[str, int]] = known.components if isinstance(known, KarmadaBinding) else ()
    found = chosen(outcome, workload)
    if workload.without_replicas:
        return tuple({"name": name} for name in found)
    return tuple(target(name, count, components) for name, count in found.items())


def chosen(outcome: "Outcome", workload: Workload) -> dict[str, int]:
    """Return the clusters where a workload is to stand, with its replicas on each, in the order of names."""
    if workload.without_replicas and not workload.replicas:
        return dict.fromkeys(sorted(outcome.problem.candidates(workload)), 0)
    return {name: count for name, count in sorted(outcome.placed(workload).items()) if count}


def with_copies(problem: Problem) -> Problem:
    """Return a problem in which what has no replicas, and must not stand everywhere, is a copy of one.

    So it is chosen where it stands. Without a spread it stands on all its candidates, which needs no choice.
    """
    found = tuple(_as_copy(one, problem) if chooses(one) else one for one in problem.workloads)
    return replace(problem, workloads=found)


def chooses(workload: Workload) -> bool:
    """Tell whether a workload without replicas is to stand on some of its candidates only."""
    return workload.without_replicas and workload.rule(Spread) is not None


def _as_copy(workload: Workload, problem: Problem) -> Workload:
    """Return a workload without replicas as a copy of one, which stands where it stood."""
    known = workload.declared
    stood = known.previous if isinstance(known, KarmadaBinding) else ()
    copy = replace(workload, replicas=1, current={name: 1 for name, _ in stood}, rules=(), groups=())
    return copy if workload.reading is None else workload.reading.again(copy, problem.clusters)
