"""Move budget: how many replicas may be moved, in total or out of and into some clusters."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from fairlead.models.data import ProblemData, WorkloadData
from fairlead.models.mistaken import MOST_REPLICAS, Faults, FleetClusters, PlainRepr, numbers
from fairlead.models.placement import Placement
from fairlead.models.quantity import is_amount, share_of
from fairlead.models.rules import moves
from fairlead.models.source import KarmadaBinding, Source
from fairlead.models.statement import Statement, Violation
from fairlead.models.words import counted, listed

KIND = "move-budget"


@dataclass(frozen=True, slots=True, repr=False)
class MoveBudget(PlainRepr):
    """At most so many replicas of some workloads are moved.

    Without clusters a move is a replica that is stopped in one cluster although it need not be: all that are
    stopped, less those that must be because the workload shrinks. With `leaving` every replica stopped on
    those clusters counts, with `arriving` every replica started there.
    """

    name: str
    """Name of the budget, as people call it, such as ``namespace shop``."""
    most: int
    """Replicas that may move."""
    workloads: frozenset[str] | None = None
    """Keys of the workloads that share the budget; None means all."""
    leaving: frozenset[str] | None = None
    """Clusters that replicas leave, where only these moves count; None for all."""
    arriving: frozenset[str] | None = None
    """Clusters at which replicas arrive, where only these moves count; at most one of both is given."""
    under_way: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Clusters by workload from which replicas are on their way already: they count as gone, not as moved."""
    source: Source | None = None
    """Where the rule was declared; None where it was not."""
    part: str | None = field(default=None, compare=False)
    """The percentage of the replicas that run now that `most` comes to, such as ``30%``; None where a number
    was declared. Left out of comparisons."""

    def mistakes(self, known: FleetClusters, keys: frozenset[str]) -> Faults:
        """Yield a number that is none, and a second set of clusters; what is not there does not move."""
        del known, keys
        yield from numbers({f"MoveBudget {self.name}: most": self.most}, MOST_REPLICAS**2)
        if self.part is not None and not is_amount(self.part):
            yield f"MoveBudget {self.name}: part", self.part, "must be a percentage such as 30%"
        if self.leaving is not None and self.arriving is not None:
            yield (
                f"MoveBudget {self.name}: leaving",
                ", ".join(sorted(self.leaving)),
                "cannot stand beside arriving",
            )

    def concerns(self, keys: Collection[str]) -> bool:
        """Tell whether any of some workloads shares the budget."""
        return bool(keys) and (self.workloads is None or not self.workloads.isdisjoint(keys))

    def tied(self, problem: ProblemData) -> tuple[str, ...]:
        """Return the keys of the workloads that it ties together."""
        return tuple(each.key for each in members(self, problem))

    def violations(self, problem: ProblemData, placement: Placement) -> Iterator[Violation]:
        """Tell whether more replicas move than may."""
        count = moved(self, problem, placement)
        if count > self.most:
            text = f"{count} replicas move, the budget for {self.name} is {self.most}"
            yield Violation(KIND, text, count - self.most, self.source)


def under_way(workloads: Iterable[WorkloadData]) -> dict[str, frozenset[str]]:
    """Return the clusters that replicas are leaving already, by workload: those of its eviction tasks."""
    return {
        workload.key: workload.declared.evicting
        for workload in workloads
        if isinstance(workload.declared, KarmadaBinding) and workload.declared.evicting
    }


def members(rule: MoveBudget, problem: ProblemData) -> tuple[WorkloadData, ...]:
    """Return the workloads that share a budget."""
    if rule.workloads is None:
        return problem.workloads
    known = problem.workload_by_key
    return tuple(known[key] for key in sorted(rule.workloads) if key in known)


def moved(rule: MoveBudget, problem: ProblemData, placement: Placement) -> int:
    """Return how many replicas count against a budget."""
    return sum(moved_by(rule, each, problem, placement) for each in members(rule, problem))


def moved_by(rule: MoveBudget, workload: WorkloadData, problem: ProblemData, placement: Placement) -> int:
    """Return how many replicas of one workload count."""
    placed = placement.of(workload.key)
    held = could_move(rule, workload, problem)
    if rule.arriving is not None:
        return sum(max(0, placed.get(name, 0) - held.get(name, 0)) for name in rule.arriving)
    if rule.leaving is not None:
        counted = moves.movable(workload, held)
        return moves.stopped({name: counted[name] for name in counted.keys() & rule.leaving}, placed)
    return moves.moved(workload, held, placed)


def followed(rule: MoveBudget, problem: ProblemData) -> MoveBudget:
    """Return a budget after something else runs: a percentage comes to another number."""
    return rule if rule.part is None else replace(rule, most=share_of(rule.part, replicas_of(rule, problem)))


def replicas_of(rule: MoveBudget, problem: ProblemData) -> int:
    """Return the replicas that a percentage counts: what its workloads run on its clusters of the problem."""
    names = problem.cluster_by_name.keys()
    inside = names & (rule.leaving or rule.arriving or names)
    held = (each.current.items() for each in members(rule, problem))
    return sum(count for current in held for name, count in current if name in inside)


def could_move(rule: MoveBudget, workload: WorkloadData, problem: ProblemData) -> dict[str, int]:
    """Return the replicas held on clusters of the problem by name, less those on their way already."""
    going = rule.under_way.get(workload.key, frozenset())
    return {
        name: count
        for name, count in workload.current.items()
        if name in problem.cluster_by_name and name not in going
    }


def describe(rule: MoveBudget) -> Statement:
    """Say in the user's words how many replicas may move."""
    most = f"at most {counted(rule.most, 'replica')}" if rule.most else "no replica"
    what = "move"
    for verb, clusters in (("leave", rule.leaving), ("start on", rule.arriving)):
        if clusters is not None:
            what = f"{verb} {listed(sorted(clusters), 'cluster')}"
    return Statement(KIND, f"{most} may {what} ({rule.name})", rule.source)
