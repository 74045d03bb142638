"""The model of a relaxation: all rules with slack, and the cost of the slack in replicas."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from fairlead.encoders.convex import Term
from fairlead.encoders.encoding import Encoding, total, weighted
from fairlead.encoders.registry import encode
from fairlead.encoders.variables import Interval, Place, PlaceSet
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import Candidates, Duplicated, GroupTotal, Total
from fairlead.models.statement import Change
from fairlead.models.workload import Workload
from fairlead.solver.changes.kinds import ChangeKind
from fairlead.solver.dispensers import reference
from fairlead.solver.exact.boxes import Available, room_left
from fairlead.solver.relaxation.dependent import (
    bind_opened,
    copy_somewhere,
    count_opened_groups,
    keep_copies_whole,
    knowing_all,
    moves_saved,
    open_groups,
    openable,
    survivors_saved,
)
from fairlead.solver.relaxation.relaxable import Key, Relaxable, widest
from fairlead.solver.relaxation.relaxed import RelaxableVariables, by_index, changes_of, polished, support
from fairlead.solver.relaxation.stock import KINDS, pairwise, relaxables, stock_of
from fairlead.solver.running.deadline import Deadline
from fairlead.solver.running.engine import run
from fairlead.solver.running.search import Search, Verdict

POLISHING = 0.2
"""Most work of each choice among changes of one cost, by CP-SAT's measure: the same on any machine."""


@dataclass(frozen=True, slots=True)
class RelaxationSolution:
    """Changes that the model finds."""

    changes: tuple[Change, ...]
    """The changes, in order."""
    support: tuple[int, ...]
    """Positions of the relaxables that are relaxed."""
    certain: bool
    """True where nothing cheaper exists, and nothing of the same cost comes first."""
    placement: Placement
    """Placement that keeps all rules once the changes are made."""


def relaxation_model(problem: Problem, deadline: Deadline) -> RelaxationModel | None:
    """Return the model of a problem whose preferences were left out; None where time ran out."""
    # What manifests say of clusters that are closed counts, and gives way, once they are open.
    known = knowing_all(problem)
    found = relaxables(known)
    allowed: dict[Key, int] = {}
    for relaxable in found:
        for key in relaxable.keys:
            allowed[key] = allowed.get(key, 0) + min(relaxable.most * relaxable.every, 2**40)
    allowed |= {copy_somewhere(workload): 1 for workload in problem.workloads if openable(workload)}
    encoding = encode(
        pairwise(known),
        _ranges(known),
        giving=lambda because, side: allowed.get((because, side), 0),
        in_time=lambda: deadline.remaining() > 0,
    )
    return None if encoding is None else RelaxationModel(problem, found, encoding)


class RelaxationModel:
    """A problem whose rules give way.

    `found`: what may be relaxed. `encoding`: the model of all rules with slack, which is tied to what may be
    relaxed here.
    """

    def __init__(self, problem: Problem, found: Sequence[Relaxable], encoding: Encoding) -> None:
        self.problem = problem
        self.encoding = encoding
        self.relaxed: list[RelaxableVariables] = []
        closed = [count_opened_groups(each, self.problem, encoding) for each in self.problem.workloads]
        by_key: dict[Key, list[RelaxableVariables]] = {}
        for relaxable in found:
            known = [key for key in relaxable.keys if key in encoding.given]
            most = min(relaxable.most, max((encoding.given[key].domain.max() for key in known), default=0))
            if not most:
                continue
            relaxed = self._relax(relaxable, most, encoding)
            self.relaxed.append(relaxed)
            for key in known:
                by_key.setdefault(key, []).append(relaxed)
        for key, several in by_key.items():
            slack = encoding.given[key]
            if all(each.relaxable.kind is ChangeKind.TOLERATION for each in several):
                # A cluster is open when every one of its taints is tolerated; what runs may stay before that.
                for each in several:
                    staying = each.relaxable.staying.get(key, 0)
                    encoding.model.add(slack <= staying + each.relaxable.every * each.steps)
            else:
                steps = [(each.steps, each.relaxable.every) for each in several]
                of_replicas = partial(self._changes_of, ChangeKind.REPLICAS)
                saved = moves_saved(key, problem, of_replicas, encoding)
                saved += survivors_saved(key, several, problem, of_replicas, encoding)
                encoding.model.add(slack <= weighted(steps) + saved)
        for workload, shut in zip(self.problem.workloads, closed, strict=True):
            open_groups(workload, shut, self.relaxed, encoding)
            keep_copies_whole(workload, self._changes_of(ChangeKind.REPLICAS, workload.key), encoding)
            bind_opened(workload, self.problem, self.relaxed, encoding)
        self._keep_shared_totals_equal(encoding)

    def _relax(self, relaxable: Relaxable, most: int, encoding: Encoding) -> RelaxableVariables:
        """Add the variables of one relaxable."""
        model = encoding.model
        steps = model.new_int_var(0, most, "")
        on = steps if most == 1 else model.new_bool_var("")
        if most != 1:
            model.add(steps <= most * on)
        if relaxable.kind in KINDS:
            stock = stock_of(relaxable, self.problem)
            return RelaxableVariables(relaxable, steps, stock.worth(encoding, on), on, stock)
        return RelaxableVariables(relaxable, steps, steps, on)

    def _changes_of(self, kind: ChangeKind, workload: str, detail: str = "") -> list[Term]:
        """Return by how much a number of a workload is changed."""
        return [
            (each.steps, each.relaxable.direction)
            for each in self.relaxed
            if each.relaxable.kind is kind
            and workload in each.relaxable.workloads
            and each.relaxable.named == detail
        ]

    def _keep_shared_totals_equal(self, encoding: Encoding) -> None:
        """Keep an exact number that several workloads share exact for all of them, also where it changes.

        Of a single workload that follows, as nobody changes more than is needed.
        """
        sharing = {
            (key, each.relaxable.kind, each.relaxable.named)
            for each in self.relaxed
            if each.relaxable.kind in (ChangeKind.TOTAL, ChangeKind.REPLICAS) and each.relaxable.sharing
            for key in each.relaxable.workloads
        }
        known = knowing_all(self.problem) if sharing else self.problem
        for key, kind, detail in sorted(sharing):
            # A cluster that a toleration opens is in the set as well.
            workload, change = known.workload_by_key[key], weighted(self._changes_of(kind, key, detail))
            if kind is ChangeKind.TOTAL:
                rule = next(each for each in workload.rules_of(GroupTotal) if each.name == detail)
                clusters, before = rule.clusters, rule.minimum
            elif workload.rule(Duplicated) is None:
                clusters, before = frozenset(self.problem.cluster_by_name), workload.replicas
            else:
                continue
            encoding.model.add(encoding.selection.total(PlaceSet(key, clusters)) == before + change)

    def run(self, search: Search) -> RelaxationSolution | None:
        """Find the cheapest changes; None where none was found.

        First the least cost, then at that cost the fewest relaxables, the first kinds and the first names,
        and then no more of a resource than is needed. Where time runs out, the best that was found is kept,
        and is not certain: who had more time may be told something else.
        """
        model, effort = self.encoding.model, search.single()
        of_relaxables = (variable for each in self.relaxed for variable in (each.steps, each.cost, each.on))
        # A variable may stand for several of these.
        every = (*of_relaxables, *self.encoding.replica_variables)
        variables = list({each.index: each for each in every}.values())
        found = run(model, variables, [(each.cost, 1) for each in self.relaxed], self._start(), effort)
        values = by_index(variables, found)
        if values is None:
            return None
        if found.verdict is Verdict.OPTIMAL:
            values = polished(model.clone(), variables, self.relaxed, values, search.single(POLISHING))
        certain = found.verdict is Verdict.OPTIMAL and search.deadline.remaining() > 0
        placement = self.encoding.placement(lambda variable: values[variable.index])
        changes = changes_of(self.relaxed, values, placement)
        return RelaxationSolution(changes, support(self.relaxed, values), certain, placement)

    def _start(self) -> list[Term]:
        """Return values to start from: what a greedy placement lacks is what the relaxables give."""
        greedy = reference.place(self.problem, _somehow)
        known = {variable.index: (variable, value) for variable, value in self.encoding.values(greedy)}
        for relaxed in self.relaxed:
            steps = min(self._lacking(relaxed.relaxable, known), relaxed.steps.domain.max())
            known[relaxed.steps.index] = relaxed.steps, steps
            known[relaxed.on.index] = relaxed.on, int(steps > 0)
            if relaxed.stock is not None:
                known[relaxed.cost.index] = relaxed.cost, relaxed.stock.lacking(greedy)[1]
        return list(known.values())

    def _lacking(self, relaxable: Relaxable, known: Mapping[int, Term]) -> int:
        """Return how far a relaxable has to be relaxed for what the greedy placement lacks."""
        given = self.encoding.given
        missed = max(known[given[key].index][1] for key in relaxable.keys if key in given)
        return -(-missed // relaxable.every)

    def exclude(self, relaxed: Sequence[int], *, with_more: bool = True) -> None:
        """Leave out all solutions that relax some relaxables; those that relax more as well, if asked to."""
        these = set(relaxed)
        others = (each.on for at, each in enumerate(self.relaxed) if at not in these and not with_more)
        self.encoding.model.add_bool_or([*(self.relaxed[at].on.negated() for at in relaxed), *others])

    def exclude_kind(self, kind: str) -> None:
        """Leave out all solutions that relax a relaxable of a kind of changes."""
        for at, each in enumerate(self.relaxed):
            if each.relaxable.kind == kind:
                self.exclude((at,))

    def relax_at_most(self, relaxables: int) -> None:
        """Leave out all solutions that relax more than so many relaxables."""
        self.encoding.model.add(total(each.on for each in self.relaxed) <= relaxables)


def _somehow(workload: Workload, problem: Problem, available: Available, *_: object) -> Mapping[str, int]:
    """Fill what is left of the candidates, and put the rest on the first one; only a start for the search."""
    names = (workload.rule(Candidates) or Candidates(())).names
    left, placed = workload.replicas, dict[str, int]()
    for name in names:
        placed[name] = min(left, room_left(workload, problem.cluster_by_name[name], available))
        left -= placed[name]
    if names:
        placed[names[0]] += left
    return placed


def _ranges(problem: Problem) -> dict[Place, Interval]:
    """Return how many replicas a place may hold where more may be asked for."""
    return {
        Place(workload.key, cluster.name): Interval(0, widest(workload))
        for workload in problem.workloads
        if widest(workload) > workload.replicas and _adds_up(workload)
        for cluster in problem.clusters
    }


def _adds_up(workload: Workload) -> bool:
    """Tell whether a workload may be asked for more: it has a total, or copies of its own size."""
    rule = workload.rule(Duplicated)
    return workload.rule(Total) is not None if rule is None else not rule.copies
