"""The first joint choice of affinity groups that has a placement, by CP-SAT.

One model holds all groups of all workloads. A solution of it is a witness: every workload that takes its
first group there has it for certain, as long as those before it keep theirs. So only workloads that stand in
a later group in the last witness have to be asked about, one after the other; of those there are few.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from fairlead.encoders.convex import Term
from fairlead.encoders.joint import GroupChoiceModel, Options, encode_choice
from fairlead.models.check import violations_of
from fairlead.models.problem import Problem
from fairlead.models.workload import Workload, as_it_runs, running, turn
from fairlead.solver.running.engine import run
from fairlead.solver.running.search import RunResult, Search, Verdict

WEIGHTS = 1000000
"""Joint choices that are told apart by the sums of one objective."""
LARGE = 200_000
"""Workloads times clusters up to which one model holds them all."""
TRIES = 1.0
"""Work that is spent on a first witness with few later groups, in CP-SAT's measure (roughly seconds)."""


@dataclass(frozen=True, slots=True)
class JointChoice:
    """A joint choice."""

    positions: Mapping[str, int] | None
    """Position of its group among those that it may take, by workload; None where there is no choice that has
    a placement, or none was found in time."""
    proven: bool
    """True where it is certain that no earlier choice has a placement; with None, that no choice has one."""


def first_choice(problem: Problem, options: Options, search: Search) -> JointChoice:
    """Return the first joint choice that has a placement, in the order of priority and key.

    `problem`: the question, without preferences. `options`: by key of every workload with a choice: the
    workload in each group that it may take, without preferences, in their order. `search`: what was
    found when its answer is due is returned.

    Where there are too many workloads for one model, those that have no choice and break nothing stay where
    they are; then only a choice of first groups is proven.
    """
    if len(problem.workloads) * len(problem.clusters) > LARGE:
        staying = tuple(
            each if each.key in options else _where_it_is(each, problem) for each in problem.workloads
        )
        found = _search(replace(problem, workloads=staying), options, search)
        return JointChoice(found.positions, found.positions is not None and not any(found.positions.values()))
    return _search(problem, options, search)


def _where_it_is(workload: Workload, problem: Problem) -> Workload:
    """Return a workload that stays where it runs, if that breaks nothing."""
    held = running(workload, problem.cluster_by_name)
    return workload if any(violations_of(workload, held)) else as_it_runs(workload, problem.cluster_by_name)


def _search(problem: Problem, options: Options, search: Search) -> JointChoice:
    """Look for the first joint choice with one model."""
    choice = encode_choice(problem, options, in_time=lambda: search.deadline.remaining() > 0)
    if choice is None:
        return JointChoice(None, False)
    model = _GroupSearch(choice, search)
    found = model.ask([])
    if found.values is None:
        return JointChoice(None, found.verdict is Verdict.INFEASIBLE)
    every = [term for key in options for term in model.ranks(key)]
    model.ask(every, TRIES)
    proven = True
    waiting = sorted(options, key=lambda each: turn(problem.workload(each)))
    while waiting:
        keys = _some(waiting, options)
        if any(model.position(key) for key in keys):
            asked = model.ask(model.in_order(keys))
            proven = proven and (
                asked.verdict is Verdict.OPTIMAL or not any(model.position(key) for key in keys)
            )
        for key in keys:
            model.settle(key)
        waiting = waiting[len(keys) :]
    return JointChoice({key: model.position(key) for key in options}, proven)


def _some(waiting: Sequence[str], options: Options) -> Sequence[str]:
    """Return the first of the workloads that wait, as many as can be put in order by one sum of weights."""
    count, choices = 0, 1
    while count < len(waiting) and choices * len(options[waiting[count]]) <= WEIGHTS:
        choices *= len(options[waiting[count]])
        count += 1
    return waiting[: max(1, count)]


class _GroupSearch:
    """A model and the last solution of it; made and thrown away by `first_choice`."""

    def __init__(self, choice: GroupChoiceModel, search: Search) -> None:
        self._choice = choice
        self._model = choice.encoding.model
        self._search = search
        self._variables = [
            *(literal for literals in choice.literals.values() for literal in literals),
            *choice.encoding.replica_variables,
        ]
        self._hint: list[Term] = []
        self._taken: dict[int, int] = {}

    def ask(self, cost: Sequence[Term], work: float = math.inf) -> RunResult:
        """Look for a solution of least cost; it becomes the last one, unless that is better."""
        found = run(self._model, self._variables, cost, self._hint, self._search.single(work))
        if found.values is not None:
            taken = {
                variable.index: value for variable, value in zip(self._variables, found.values, strict=True)
            }
            if not self._taken or _costs(cost, taken) < _costs(cost, self._taken):
                self._taken = taken
                self._hint = list(zip(self._variables, found.values, strict=True))
        return found

    def ranks(self, key: str) -> list[Term]:
        """Return the place of a workload's group as a cost."""
        return [(literal, rank) for rank, literal in enumerate(self._choice.literals[key]) if rank]

    def in_order(self, keys: Sequence[str]) -> list[Term]:
        """Return the places of the groups of several workloads as one cost, that of the first before all."""
        terms: list[Term] = []
        weight = 1
        for key in reversed(keys):
            terms += [(literal, weight * rank) for literal, rank in self.ranks(key)]
            weight *= len(self._choice.literals[key])
        return terms

    def position(self, key: str) -> int:
        """Return the place of a workload's group in the last solution."""
        literals = self._choice.literals[key]
        return next(rank for rank, literal in enumerate(literals) if self._taken[literal.index])

    def settle(self, key: str) -> None:
        """Keep the group that a workload has in the last solution from now on."""
        self._model.add(self._choice.literals[key][self.position(key)] == 1)


def _costs(cost: Sequence[Term], taken: Mapping[int, int]) -> int:
    return sum(coefficient * taken[variable.index] for variable, coefficient in cost)
