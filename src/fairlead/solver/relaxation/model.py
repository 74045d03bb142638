"""The model of a relaxation: all rules with slack, and what the slack costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ortools.sat.python import cp_model

from fairlead.encoders.convex import Term
from fairlead.encoders.encoding import Encoding, total, weighted
from fairlead.encoders.registry import encode
from fairlead.encoders.selection import Group
from fairlead.encoders.variables import Place, Range
from fairlead.models.errors import InternalError
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import Candidates, Duplicated, GroupTotal, MoveBudget, Total
from fairlead.models.statement import Change
from fairlead.models.workload import Workload
from fairlead.solver.changes.kinds import Kind
from fairlead.solver.dispensers import reference
from fairlead.solver.exact.boxes import Available, room_left
from fairlead.solver.relaxation.dependent import (
    BudgetRows,
    bind_opened,
    budget_of,
    copy_somewhere,
    count_opened_groups,
    keep_copies_whole,
    knowing_all,
    missed,
    most_moved,
    open_groups,
    openable,
    without_budgets,
)
from fairlead.solver.relaxation.relaxable import Key, Relaxable, widest
from fairlead.solver.relaxation.relaxed import WIDTH, Copy, Relaxed, changes_of, polished, support
from fairlead.solver.relaxation.stock import KINDS, pairwise, relaxables, stock_of
from fairlead.solver.running.deadline import Deadline
from fairlead.solver.running.effort import Effort, Verdict
from fairlead.solver.running.engine import run

POLISHING = 0.2
"""Most work of each choice among changes of one cost, by CP-SAT's measure: the same on any machine."""


@dataclass(frozen=True, slots=True)
class Solution:
    """Changes that the model finds.

    Parameters
    ----------
    changes
        The changes, in order.
    support
        The relaxables that are relaxed.
    certain
        True where nothing cheaper exists, and nothing of the same cost comes first.
    placement
        What can be placed with the changes made.
    """

    changes: tuple[Change, ...]
    support: tuple[int, ...]
    certain: bool
    placement: Placement


class RelaxationModel:
    """A problem whose rules give way.

    Parameters
    ----------
    problem
        The problem; its preferences should have been left out.
    deadline
        Encoding ends there.
    """

    def __init__(self, problem: Problem, deadline: Deadline) -> None:
        self.problem = problem
        self.relaxed: list[Relaxed] = []
        self._greedy = reference.place(problem, _somehow)
        # What manifests say of clusters that are closed counts, and gives way, once they are open.
        known = knowing_all(problem)
        found = relaxables(known)
        allowed: dict[Key, int] = {}
        for relaxable in found:
            for key in relaxable.keys:
                allowed[key] = allowed.get(key, 0) + min(relaxable.most * relaxable.every, 2**40)
        allowed |= {copy_somewhere(workload): 1 for workload in problem.workloads if openable(workload)}
        self.encoding = encode(
            pairwise(without_budgets(known)),
            _ranges(known),
            giving=lambda because, side: allowed.get((because, side), 0),
            in_time=lambda: deadline.remaining() > 0,
        )
        if self.encoding is not None:
            self._add(found, self.encoding)

    def _add(self, found: Sequence[Relaxable], encoding: Encoding) -> None:
        """Add the relaxables and tie the slack to them."""
        closed = [count_opened_groups(each, self.problem, encoding) for each in self.problem.workloads]
        by_key: dict[Key, list[Relaxed]] = {}
        for relaxable in found:
            known = [key for key in relaxable.keys if key in encoding.given]
            most = self._farthest(relaxable, known, encoding)
            if not most:
                continue
            relaxed = self._relax(relaxable, most, encoding)
            self.relaxed.append(relaxed)
            for key in known:
                by_key.setdefault(key, []).append(relaxed)
        for key, several in by_key.items():
            slack = encoding.given[key]
            if all(each.relaxable.kind is Kind.TOLERATION for each in several):
                # A cluster is open when every one of its taints is tolerated; what runs may stay before that.
                for each in several:
                    staying = each.relaxable.staying.get(key, 0)
                    encoding.model.add(slack <= staying + each.relaxable.every * each.steps)
            else:
                steps = [(each.steps, each.relaxable.every) for each in several]
                encoding.model.add(slack <= weighted(steps))
        for workload, shut in zip(self.problem.workloads, closed, strict=True):
            open_groups(workload, shut, self.relaxed, encoding)
            keep_copies_whole(workload, self._changes_of(Kind.REPLICAS, workload.key), encoding)
            bind_opened(workload, self.problem, self.relaxed, encoding)
        self._keep_shared_totals_equal(encoding)
        self._add_budgets(encoding)

    def _farthest(self, relaxable: Relaxable, known: Sequence[Key], encoding: Encoding) -> int:
        """Return how far a relaxable can be relaxed to any effect."""
        if relaxable.kind is Kind.MOVE_BUDGET:
            rule = budget_of(relaxable.named, self.problem)
            upper = {each.key: max(each.replicas, widest(each)) for each in self.problem.workloads}
            return max(0, most_moved(rule, self.problem, lambda key: upper[key]) - rule.most)
        return min(relaxable.most, max((encoding.given[key].domain.max() for key in known), default=0))

    def _relax(self, relaxable: Relaxable, most: int, encoding: Encoding) -> Relaxed:
        """Add the variables of one relaxable."""
        model = encoding.model
        steps = model.new_int_var(0, most, "")
        on = steps if most == 1 else model.new_bool_var("")
        if most != 1:
            model.add(steps <= most * on)
        if relaxable.kind in KINDS:
            stock = stock_of(relaxable, self.problem)
            return Relaxed(relaxable, steps, stock.worth(encoding, on), on, stock)
        return Relaxed(relaxable, steps, steps, on)

    def _changes_of(self, kind: Kind, workload: str, detail: str = "") -> list[Term]:
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
            if each.relaxable.kind in (Kind.TOTAL, Kind.REPLICAS) and each.relaxable.sharing
            for key in each.relaxable.workloads
        }
        known = knowing_all(self.problem) if sharing else self.problem
        for key, kind, detail in sorted(sharing):
            # A cluster that a toleration opens is in the set as well.
            workload, change = known.workload_by_key[key], weighted(self._changes_of(kind, key, detail))
            if kind is Kind.TOTAL:
                rule = next(each for each in workload.rules_of(GroupTotal) if each.name == detail)
                clusters, before = rule.clusters, rule.minimum
            elif workload.rule(Duplicated) is None:
                clusters, before = frozenset(self.problem.cluster_by_name), workload.replicas
            else:
                continue
            encoding.model.add(encoding.selection.total(Group(key, clusters)) == before + change)

    def _add_budgets(self, encoding: Encoding) -> None:
        """Add the budgets of moves."""
        sizes = {each.key: self._changes_of(Kind.REPLICAS, each.key) for each in self.problem.workloads}
        rows = BudgetRows(self.problem, encoding, sizes)
        steps = {
            each.relaxable.named: each.steps
            for each in self.relaxed
            if each.relaxable.kind is Kind.MOVE_BUDGET
        }
        for rule in self.problem.rules:
            if isinstance(rule, MoveBudget):
                rows.add(rule, steps.get(rule.name))

    def run(self, deadline: Deadline, seed: int) -> Solution | None:
        """Find the cheapest changes; None where none was found.

        First the least cost, then at that cost the fewest relaxables, the first kinds and the first names,
        and then no more of a resource than is needed. Where time runs out, the best that was found is kept,
        and is not certain: who had more time may be told something else.
        """
        if self.encoding is None:
            return None
        effort = Effort(deadline, 1, seed)
        variables = self.variables()
        cost = [(each.cost, 1) for each in self.relaxed]
        found = run(self.encoding.model, variables, cost, self._start(), effort)
        if found.values is None:
            return None
        values: Sequence[int] = found.values
        if found.verdict is Verdict.OPTIMAL:
            short = Effort(deadline, 1, seed, POLISHING)
            values = polished(Copy(self._model().clone(), variables, short), self.relaxed, values)
        certain = found.verdict is Verdict.OPTIMAL and deadline.remaining() > 0
        changes = changes_of(self.relaxed, values, self._placed(values))
        return Solution(changes, support(values, len(self.relaxed)), certain, self._placement(values))

    def _start(self) -> list[Term]:
        """Return values to start from: what a greedy placement lacks is what the relaxables give."""
        if self.encoding is None:
            return []
        known = {variable.index: (variable, value) for variable, value in self.encoding.values(self._greedy)}
        placed = {
            Place(key, name): count
            for key, replicas in self._greedy.items()
            for name, count in replicas.items()
        }
        for relaxed in self.relaxed:
            steps = min(self._lacking(relaxed.relaxable, known), relaxed.steps.domain.max())
            known[relaxed.steps.index] = relaxed.steps, steps
            known[relaxed.on.index] = relaxed.on, int(steps > 0)
            if relaxed.stock is not None:
                known[relaxed.cost.index] = relaxed.cost, relaxed.stock.lacking(placed)[1]
        return list(known.values())

    def _lacking(self, relaxable: Relaxable, known: Mapping[int, Term]) -> int:
        """Return how far a relaxable has to be relaxed for what the greedy placement lacks."""
        if relaxable.kind is Kind.MOVE_BUDGET:
            return missed(budget_of(relaxable.named, self.problem), self.problem, self._greedy)
        given = {} if self.encoding is None else self.encoding.given
        return -(
            -max(known[given[key].index][1] for key in relaxable.keys if key in given) // relaxable.every
        )

    def _model(self) -> cp_model.CpModel:
        """Return the model."""
        if self.encoding is None:
            raise InternalError("a model that was not made in time was asked for")
        return self.encoding.model

    def exclude(self, relaxed: Sequence[int], *, with_more: bool = True) -> None:
        """Leave out all solutions that relax some relaxables; those that relax more as well, if asked to."""
        if self.encoding is not None:
            these = set(relaxed)
            others = (each.on for at, each in enumerate(self.relaxed) if at not in these and not with_more)
            self.encoding.model.add_bool_or([*(self.relaxed[at].on.negated() for at in relaxed), *others])

    def relax_at_most(self, relaxables: int) -> None:
        """Leave out all solutions that relax more than so many relaxables."""
        if self.encoding is not None:
            self.encoding.model.add(total(each.on for each in self.relaxed) <= relaxables)

    def variables(self) -> list[cp_model.IntVar]:
        """Return all variables that changes are read from: those of the relaxables, then the replicas."""
        of_relaxables = [variable for each in self.relaxed for variable in (each.steps, each.cost, each.on)]
        return [*of_relaxables, *(variable for _, variable in self._made())]

    def _placed(self, values: Sequence[int]) -> dict[Place, int]:
        """Return the replicas of a solution."""
        replicas = zip(self._made(), values[WIDTH * len(self.relaxed) :], strict=True)
        return {place: value for (place, _), value in replicas}

    def _placement(self, values: Sequence[int]) -> Placement:
        """Return the placement of a solution."""
        found: dict[str, dict[str, int]] = {workload.key: {} for workload in self.problem.workloads}
        if self.encoding is not None:
            placed = self._placed(values)
            for place in self.encoding.variables.places():
                least = self.encoding.variables.range(place).lower
                found[place.workload][place.cluster] = placed.get(place, least)
        return Placement(found)

    def _made(self) -> list[tuple[Place, cp_model.IntVar]]:
        return [] if self.encoding is None else self.encoding.variables.made()


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


def _ranges(problem: Problem) -> dict[Place, Range]:
    """Return how many replicas a place may hold where more may be asked for."""
    return {
        Place(workload.key, cluster.name): Range(0, widest(workload))
        for workload in problem.workloads
        if widest(workload) > workload.replicas and _adds_up(workload)
        for cluster in problem.clusters
    }


def _adds_up(workload: Workload) -> bool:
    """Tell whether a workload may be asked for more: it has a total, or copies of its own size."""
    rule = workload.rule(Duplicated)
    return workload.rule(Total) is not None if rule is None else not rule.copies
