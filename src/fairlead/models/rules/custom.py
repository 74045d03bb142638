"""Rules from outside: those that a package that is not fairlead's own states of one workload.

Such a rule is one class: what it means (exact numbers), what it costs, and how CP-SAT is told. Answers are
checked and scored by its meaning, so a rule that is encoded wrongly cannot leave unseen.
"""

from abc import abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, partial
from typing import Any, ClassVar, Protocol, Self

from fairlead.models.cluster import Cluster
from fairlead.models.data import WorkloadData
from fairlead.models.errors import ExtensionError
from fairlead.models.levels import NAMES, Level, Measured
from fairlead.models.mistaken import Unmistakable
from fairlead.models.requirement import GivesWay, Side
from fairlead.models.rules.numbered import Grouped, Number
from fairlead.models.words import listed

CHANGE = "custom"
"""The kind of a change of a number that such a rule states."""

OURS = frozenset({
    "aggregated", "balance", "bounds", "candidates", "capacity", "companionship", "copies",
    "custom", "duplicated", "evenness", "group-total", "move-budget", "move-price", "moves",
    "partial", "price", "quota", "shares", "skew", "spread", "survival", "tiers", "total",
    "weights",
})  # fmt: skip
"""Kinds of rules of fairlead's own."""

Expression = Any
"""A linear expression of CP-SAT, or a whole number."""
Constraint = Any
"""A comparison of two linear expressions, or a truth value."""


class Formulas(Protocol):
    """Variables and constraints by which a rule states to CP-SAT what it asks of its workload.

    Expressions are linear: sums, differences, multiples by whole numbers. Where no variable is left in
    one, a plain number or a truth value is taken as well.
    """

    @property
    def workload(self) -> WorkloadData:
        """The workload."""
        ...

    @property
    def clusters(self) -> tuple[str, ...]:
        """The eligible clusters of the workload, sorted by name."""
        ...

    @property
    def most(self) -> int:
        """The most replicas that a cluster may hold: more than are wanted while the total is left out."""
        ...

    def replicas(self, cluster: str, /) -> Expression:
        """Return the replicas on a cluster."""
        ...

    def used(self, cluster: str, /) -> Expression:
        """Return 1 where a cluster holds replicas, else 0."""
        ...

    def number(self, least: int, most: int, of: Callable[[Mapping[str, int]], int], /) -> Expression:
        """Return a whole number of the rule's own.

        Parameters
        ----------
        of
            Returns its value in a placement (replicas by cluster), where the search may begin.
        """
        ...

    def define(self, constraint: Constraint, /) -> None:
        """Tie numbers of the rule's own to the replicas, so that any replicas leave them a value.

        What is defined also holds while the rule itself is left out to find out whether it causes a conflict.
        """
        ...

    def require(self, constraint: Constraint, /) -> None:
        """Require a linear constraint to hold: what the rule asks for."""
        ...

    def minimise(self, expression: Expression, /) -> None:
        """Minimise a linear expression: the cost of a placement in whole steps of the level."""
        ...

    def minimise_on(self, cluster: str, steps: Callable[[int], int], /) -> None:
        """Minimise what a cluster costs by itself.

        Parameters
        ----------
        steps
            Returns what so many replicas cost there, in whole steps; convex, and 0 for none.
        """
        ...


@dataclass(frozen=True, slots=True, repr=False)
class CustomRule(Grouped):
    """A rule of one workload that must hold, from a package outside of fairlead.

    It is about groups of clusters, as all rules of `Grouped` are; one about clusters themselves groups by
    ``cluster``. What it asks at least never gives way in a partial placement.

    Parameters
    ----------
    field
        Field of the groups: ``cluster``, ``region``, ``zone``, ``provider`` or the key of a label.
    groups
        Candidates by group, as `fairlead.models.cluster.groups` returns them.
    """

    kind: ClassVar[str] = ""
    """Empty where nobody named it, which `vouch` refuses."""

    @abstractmethod
    def encode(self, formulas: Formulas) -> None:
        """Tell CP-SAT exactly what `requirements` asks for."""
        raise NotImplementedError

    @property
    def name(self) -> str:
        """Name of its number, as people call it, to tell it and its changes from others."""
        return self.kind

    def numbers(self) -> Iterator[Number]:
        """Yield the numbers that could be changed to make a problem feasible; one that cannot, by default."""
        yield Number("", 0, Side.MOST, CHANGE, self.kind, 0)

    def loosened(self) -> Self | None:
        """Return all of it: nothing of it gives way."""
        return self


@dataclass(frozen=True, slots=True, repr=False)
class CustomCost(Unmistakable):
    """Cost of one workload on a level of its own, from a package outside of fairlead.

    Abstract as `Grouped` is.
    """

    level: ClassVar[Level]
    """Where the cost counts, with the key, the title, the place and the steps of that level."""

    @abstractmethod
    def cost(self, workload: WorkloadData, placed: Mapping[str, int]) -> int | Fraction:
        """Return the cost of a placement (replicas by cluster): at least 0, and whole steps of the level."""
        raise NotImplementedError

    @abstractmethod
    def encode(self, formulas: Formulas) -> None:
        """Tell CP-SAT exactly what `cost` returns, in steps."""
        raise NotImplementedError

    def levels(self, workload: WorkloadData) -> tuple[Level, ...]:
        """Return the level where it counts."""
        del workload
        return (self.level,)

    def cost_of(self, measured: Measured) -> Fraction:
        """Return the cost of a placement, once it is sure that it is a cost at all; see `in_steps`."""
        cost = self.cost(measured.workload, measured.placed)
        return Fraction(in_steps(self, cost), self.level.steps)

    def opened(self, more: Collection[Cluster]) -> Self:
        """Return the cost once more clusters are candidates."""
        del more
        return self

    def over(self, candidates: Collection[Cluster]) -> Self:
        """Return the cost over other candidates."""
        return self.opened(candidates)

    def without(self, names: AbstractSet[str], *, gone: bool = False) -> Self:
        """Return the cost once clusters are closed, or gone from the problem."""
        del names, gone
        return self


@dataclass(frozen=True, slots=True, repr=False)
class CustomClusterCost(CustomCost):
    """A cost that is a sum over clusters, convex on each; it needs no encoder."""

    @abstractmethod
    def on(self, cluster: str, replicas: int) -> int | Fraction:
        """Return the cost of so many replicas on a cluster: 0 for none, each no less than the one before."""
        raise NotImplementedError

    def cost(self, workload: WorkloadData, placed: Mapping[str, int]) -> int | Fraction:
        """Return the cost of all clusters together."""
        del workload
        return sum((Fraction(self.on(cluster, count)) for cluster, count in placed.items()), Fraction(0))

    def encode(self, formulas: Formulas) -> None:
        """Minimise the sum of what the clusters cost."""
        for name in formulas.clusters:
            formulas.minimise_on(name, partial(self._steps, name))

    def _steps(self, cluster: str, replicas: int) -> int:
        return in_steps(self, self.on(cluster, replicas))


def in_steps(rule: CustomCost, cost: int | Fraction) -> int:
    """Return a cost in whole steps of its level.

    Raises `ExtensionError` where it is less than 0, or not a whole number of steps.
    """
    steps = Fraction(cost) * rule.level.steps
    if steps < 0 or steps.denominator != 1:
        allowed = f"multiples of 1/{rule.level.steps}" if rule.level.steps > 1 else "whole numbers"
        raise ExtensionError(f"{called(rule)} costs {cost}; allowed are {allowed} of at least 0")
    return int(steps)


def vouch(rule: CustomRule | CustomCost, workload: WorkloadData) -> None:
    """Make sure that a rule keeps to what is asked of rules from outside.

    Raises `ExtensionError` where it does not; names the rule.
    """
    kind: type = type(rule)
    if left_out := _left_out(kind):
        raise ExtensionError(f"{called(rule)} lacks {listed(left_out)}, which it has to define")
    try:
        wrong = _fault_of_cost(rule) if isinstance(rule, CustomCost) else _fault_of_rule(rule, workload)
    except Exception as error:
        raise ExtensionError(f"{called(rule)} fails for {workload.key}: {error!r}") from error
    if wrong:
        raise ExtensionError(f"{called(rule)} {wrong}")


@cache
def _left_out(kind: type) -> tuple[str, ...]:
    """Return the names of methods that a class leaves out though it has to define them."""
    found = ((name, getattr(kind, name, None)) for name in dir(kind))
    return tuple(name for name, each in found if getattr(each, "__isabstractmethod__", False))


def _fault_of_cost(rule: CustomCost) -> str:
    level = rule.level
    if level.key in NAMES or not level.key:
        return f"counts on the level {level.key!r}; the key of a level from outside is one of its own"
    if not level.title or level.steps < 1 or level.number or level.priority:
        return f"counts on the level {level.key!r}, which needs a title, and at least 1 step"
    return ""


def _fault_of_rule(rule: CustomRule, workload: WorkloadData) -> str:
    if rule.kind in OURS or not rule.kind:
        return f"is of the kind {rule.kind!r}; the kind of a rule from outside is a name of its own"
    for one in rule.requirements(workload):
        if one.kind.name != rule.kind:
            return f"is of the kind {rule.kind!r} and requires something of the kind {one.kind.name!r}"
        if one.gives_way is not GivesWay.NEVER:
            return "requires something that gives way; no rule from outside does"
        if isinstance(one.scope, str):
            return f"requires something of {one.scope} as a name; Among says the same of a set of clusters"
    for number in rule.numbers():
        if number.change != CHANGE:
            return f"has a number of the kind {number.change!r}; allowed is {CHANGE!r}"
    return ""


def called(rule: CustomRule | CustomCost) -> str:
    """Return the class of a rule with its package, to say whose it is."""
    return f"{type(rule).__module__}.{type(rule).__qualname__}"
