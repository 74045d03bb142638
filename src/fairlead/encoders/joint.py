"""Affinity groups as a choice: the rules of every group hold only where that group is taken."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from types import MappingProxyType

from ortools.sat.python import cp_model

from fairlead.encoders.costs import Origin
from fairlead.encoders.encoding import Constraint, Encoding, Terms
from fairlead.encoders.registry import ENCODERS, kind_of, place_of
from fairlead.encoders.variables import Interval, Intervals, Place
from fairlead.models.problem import Problem
from fairlead.models.rules import Duplicated, Rule, Total
from fairlead.models.validity import largest
from fairlead.models.workload import Workload

Options = Mapping[str, Sequence[Workload]]
"""The workload in each group that it may take, in their order, by key of a workload with a choice."""
_Subject = tuple[Rule, Workload | Problem, cp_model.IntVar | None]
"""A rule, whose it is, and the literal without which it need not hold."""


class ConditionalEncoding(Encoding):
    """An encoding in which some constraints hold only where a literal does.

    `options`: the workload in each group that it may take, by key of a workload with a choice; for each of
    them there is a literal in `literals`.
    """

    def __init__(self, problem: Problem, within: Intervals, options: Options = MappingProxyType({})) -> None:
        super().__init__(problem, within)
        self._condition: cp_model.IntVar | None = None
        self._options = options
        self.literals = {
            key: [self.model.new_bool_var("") for _ in choices] for key, choices in options.items()
        }

    @contextmanager
    def under(self, literal: cp_model.IntVar | None) -> Iterator[None]:
        """Let what is required meanwhile hold only where a literal does; None lets it hold always."""
        self._condition = literal
        try:
            yield
        finally:
            self._condition = None

    def limit(
        self, place: Place, *, lower: int | None = None, upper: int | None = None, because: Origin
    ) -> None:
        """Require a number of replicas to lie within bounds."""
        if self._condition is None:
            super().limit(place, lower=lower, upper=upper, because=because)
            return
        known = self.variables.range(place)
        if lower is not None and lower > known.lower:
            self.require(self.replicas(*place) >= lower, because=because)
        if upper is not None and upper < known.upper:
            self.require(self.replicas(*place) <= upper, because=because)

    def require(self, expression: Constraint, *, because: Origin) -> None:
        """Require a linear constraint to hold."""
        if self._condition is None:
            super().require(expression, because=because)
        else:
            self.model.add(expression).only_enforce_if(self._condition)

    def in_its_group(self, workload: Workload, find: Terms) -> Sequence[cp_model.LinearExprT]:
        """Return terms for a number that depends on the affinity group of a workload.

        Where groups differ in how they count replicas, that is a variable: at least the number in each of
        them that is taken.
        """
        choices = self._options.get(workload.key, (workload,))
        counting = [(each.rule(Total), each.rule(Duplicated)) for each in choices]
        if all(each == counting[0] for each in counting):
            return find(choices[0])
        number = self.model.new_int_var(0, sum(workload.current.values()), "")
        for choice, literal in zip(choices, self.literals[workload.key], strict=True):
            asked = cp_model.LinearExpr.sum(list(find(choice)))
            self.model.add(number >= asked).only_enforce_if(literal)
        return [number]

    def imply(self, expression: Constraint) -> None:
        """Add what follows from other constraints; left out where those need not hold."""
        if self._condition is None:
            super().imply(expression)


@dataclass(frozen=True, slots=True)
class GroupChoiceModel:
    """A model in which groups may be chosen."""

    encoding: Encoding
    """The model; nothing is minimised in it."""
    literals: Mapping[str, Sequence[cp_model.IntVar]]
    """Literal for each of its groups, of which exactly one holds, by workload with a choice."""


def encode_choice(
    problem: Problem, options: Options, in_time: Callable[[], bool] = lambda: True
) -> GroupChoiceModel | None:
    """Encode what must hold of a problem in which some workloads may choose among affinity groups.

    With b_g = 1 where group g of a workload is taken::

        sum b_g = 1
        every rule of g holds where b_g = 1

    Rules that are the same in all groups hold whatever is taken.

    The model; None where time ran out.

    `problem`: the question, without preferences; the rules of workloads with a choice are not looked at.
    `options`: the choices, without preferences. `in_time`: asked before every rule; the work ends where it
    returns False.
    """
    workloads = tuple(replace(each, rules=()) if each.key in options else each for each in problem.workloads)
    asked = replace(problem, workloads=workloads)
    encoding = ConditionalEncoding(asked, _ranges(problem, options), options)
    literals = encoding.literals
    for each in literals.values():
        encoding.model.add_exactly_one(each)
    subjects: list[_Subject] = [(rule, each, None) for each in asked.workloads for rule in each.rules]
    for key, choices in options.items():
        subjects += _rules_of_groups(choices, literals[key])
    subjects += [(rule, asked, None) for rule in problem.rules]
    for rule, subject, literal in sorted(subjects, key=lambda each: place_of(each[0])):
        if not in_time():
            return None
        with encoding.under(literal):
            ENCODERS[kind_of(rule)](rule, subject, encoding)
    return GroupChoiceModel(encoding, literals)


def _rules_of_groups(
    choices: Sequence[Workload], literals: Sequence[cp_model.IntVar]
) -> Iterator["_Subject"]:
    """Yield the rules of every group of a workload: those of all once, others where the group is taken."""
    # Of totals alone it is certain that they do not depend on the candidates.
    totals = [rule for rule in choices[0].rules if isinstance(rule, Total)]
    common = [rule for rule in totals if all(rule in workload.rules for workload in choices)]
    yield from ((rule, choices[0], None) for rule in common)
    for workload, literal in zip(choices, literals, strict=True):
        yield from ((rule, workload, literal) for rule in workload.rules if rule not in common)


def _ranges(problem: Problem, options: Options) -> dict[Place, Interval]:
    """Return the most that workloads with a choice may hold, by place; 0 where no group has the candidate."""
    found: dict[Place, Interval] = {}
    for key, choices in options.items():
        most = max(largest(workload) for workload in choices)
        reach = {name for workload in choices for name in problem.candidates(workload)}
        for cluster in problem.clusters:
            found[Place(key, cluster.name)] = Interval(0, most if cluster.name in reach else 0)
    return found
