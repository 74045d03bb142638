"""Clusters that are new and stay empty: why nothing moves there, and what would make it."""

from collections.abc import Iterator

from fairlead.models.rules import Candidates
from fairlead.models.rules.candidates import Exclusion
from fairlead.models.words import counted, listed
from fairlead.models.workload import Workload
from fairlead.solver.simulate.result import Simulation


def empty_additions(simulation: Simulation) -> Iterator[str]:
    """Yield a line for every new cluster on which nothing is placed, and why."""
    after = simulation.after
    if after.placement is None:
        return
    used = {cluster for key in after.placement for cluster in after.placement[key]}
    known = simulation.before.problem.cluster_by_name
    for cluster in after.problem.clusters:
        if cluster.name not in known and cluster.name not in used:
            parts = list(_because(after.problem.with_replicas, cluster.name))
            yield f"Nothing moves to {cluster.name}: {'; '.join(parts)}."


def _because(workloads: tuple[Workload, ...], cluster: str) -> Iterator[str]:
    closed = {one.key: found for one in workloads if (found := _exclusion(one, cluster)) is not None}
    if closed:
        (key, first), *_ = closed.items()
        where = f" ({first.source})" if first.source else ""
        yield f"it is not eligible for {counted(len(closed), 'workload')}; for {key} it {first.reason}{where}"
    open_to = [one for one in workloads if one.key not in closed]
    stay = [one for one in open_to if any(one.current.values()) and not one.fresh]
    if stay:
        verb = "keeps its place" if len(stay) == 1 else "keep their places"
        yield f"{counted(len(stay), 'running workload')} {verb} (--fresh places everything anew)"
    elif open_to:
        keys = listed([one.key for one in open_to], "workload")
        yield f"it is no better place for {keys}"


def _exclusion(workload: Workload, cluster: str) -> Exclusion | None:
    """Return why a cluster takes nothing new of a workload; None where it does."""
    rule = workload.rule(Candidates)
    if rule is None:
        return None
    return rule.excluded.get(cluster) or rule.held_only.get(cluster)
