"""Rules as packages outside of fairlead would bring them, and random problems that have some."""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import ClassVar

from fairlead.extending import Workload
from fairlead.models.levels import Level
from fairlead.models.problem import Problem
from fairlead.models.requirement import Binds, Kind, Requirement, Scope, Side
from fairlead.models.rules import Candidates, WorkloadRule
from fairlead.models.rules.custom import CHANGE, CustomClusterCost, CustomCost, CustomRule, Formulas
from fairlead.models.rules.numbered import ClustersByGroup, Number
from fairlead.models.validity import completed


def _asked(one: Requirement) -> str:
    """Say what is asked."""
    return f"{one.who}: {one.kind.name} {one.limit}"


def _broken(one: Requirement, found: int) -> str:
    """Say what there is instead."""
    return f"{one.workload.key}: {found} instead of {one.limit}"


@dataclass(frozen=True, slots=True)
class TornBlocks(Scope):
    """The clusters that hold no whole blocks count."""

    size: int

    @property
    def detail(self) -> str:
        """There is one such number only."""
        return ""

    def count(self, placed: Mapping[str, int]) -> int:
        """Return how many clusters hold a part of a block."""
        return sum(1 for held in placed.values() if held % self.size)

    def held(self, placed: Mapping[str, int]) -> bool:
        """Tell whether anything stands anywhere."""
        return any(placed.values())


@dataclass(frozen=True, slots=True)
class Fullest(Scope):
    """What the fullest group holds counts."""

    groups: ClustersByGroup

    @property
    def detail(self) -> str:
        """There is one such number only."""
        return ""

    def count(self, placed: Mapping[str, int]) -> int:
        """Return the replicas of the fullest group."""
        sums = (sum(placed.get(name, 0) for name in names) for names in self.groups.values())
        return max(sums, default=0)

    def held(self, placed: Mapping[str, int]) -> bool:
        """Tell whether anything stands anywhere."""
        return any(placed.values())


@dataclass(frozen=True, slots=True)
class Pairs(Scope):
    """The clusters that hold replicas count, where all of a pair or none of it is to."""

    groups: ClustersByGroup

    @property
    def detail(self) -> str:
        """There is one such number only."""
        return ""

    def count(self, placed: Mapping[str, int]) -> int:
        """Return how many clusters are used."""
        return sum(1 for count in placed.values() if count)

    def held(self, placed: Mapping[str, int]) -> bool:
        """Tell whether anything stands anywhere."""
        return any(placed.values())


@dataclass(frozen=True, slots=True)
class Blocks(CustomRule):
    """Every cluster holds whole blocks of replicas."""

    size: int

    kind: ClassVar[str] = "blocks"

    def requirements(self, workload: Workload) -> Iterator[Requirement]:
        """Yield that no cluster holds a part of a block."""
        yield Requirement(Kind("blocks", _asked, _broken), Side.MOST, 0, TornBlocks(self.size), workload)

    def encode(self, formulas: Formulas) -> None:
        """Say x_c = size * k_c."""
        for name in formulas.clusters:
            blocks = formulas.number(0, formulas.most // self.size, partial(self._blocks, name))
            formulas.require(formulas.replicas(name) == self.size * blocks)

    def _blocks(self, name: str, placed: Mapping[str, int]) -> int:
        return placed.get(name, 0) // self.size


@dataclass(frozen=True, slots=True)
class LargestGroup(CustomRule):
    """No group holds more replicas than a limit, which could be raised."""

    limit: int

    kind: ClassVar[str] = "largest-group"

    @property
    def name(self) -> str:
        """What a change of the limit is said of."""
        return f"the largest {self.field}"

    def requirements(self, workload: Workload) -> Iterator[Requirement]:
        """Yield what the fullest group holds at most."""
        kind, scope = Kind("largest-group", _asked, _broken), Fullest(self.groups)
        yield Requirement(kind, Side.MOST, self.limit, scope, workload)

    def numbers(self) -> Iterator[Number]:
        """Yield the limit."""
        yield Number("limit", self.limit, Side.MOST, CHANGE, f"the largest {self.field}")

    def encode(self, formulas: Formulas) -> None:
        """Say sum x_c <= limit for every group."""
        for names in self.groups.values():
            formulas.require(sum(formulas.replicas(name) for name in sorted(names)) <= self.limit)


@dataclass(frozen=True, slots=True)
class Redundant(CustomRule):
    """Where anything stands, at least so many clusters are used."""

    fewest: int

    kind: ClassVar[str] = "redundant"

    def requirements(self, workload: Workload) -> Iterator[Requirement]:
        """Yield how many clusters are used."""
        kind = Kind("redundant", _asked, _broken)
        scope = Pairs(self.groups)
        yield Requirement(kind, Side.LEAST, self.fewest, scope, workload, binds=Binds.WHERE_HELD)

    def encode(self, formulas: Formulas) -> None:
        """Say sum u_c >= fewest * u_d for every cluster d."""
        if formulas.workload.replicas:
            used = [formulas.used(name) for name in formulas.clusters]
            for one in used:
                formulas.require(sum(used) >= self.fewest * one)


def _is_most(name: str, replicas: int, placed: Mapping[str, int]) -> int:
    return int(2 * placed.get(name, 0) > replicas)


CROWDING = Level("crowding", title="crowding", before="deviation", steps=2)
REACH = Level("reach", title="reach", before="nothing")


@dataclass(frozen=True, slots=True)
class Crowding(CustomClusterCost):
    """Half of the pairs of replicas that share a cluster."""

    level: ClassVar[Level] = CROWDING

    def on(self, cluster: str, replicas: int) -> int | Fraction:
        """Return k (k - 1) / 2, half of it on the first cluster."""
        pairs = replicas * (replicas - 1) // 2
        return Fraction(pairs, 2) if cluster == "member1" else pairs


@dataclass(frozen=True, slots=True)
class Reach(CustomCost):
    """How many clusters are used by more than half of the replicas, and by any."""

    level: ClassVar[Level] = REACH

    def cost(self, workload: Workload, placed: Mapping[str, int]) -> int:
        """Return 2 for a cluster that is used, 1 more where it holds more than half."""
        return sum(2 + (2 * count > workload.replicas) for count in placed.values() if count)

    def encode(self, formulas: Formulas) -> None:
        """Say h_c = 1 where 2 x_c > N: ``2 x_c <= N + 2 most h_c``; nothing else makes it 1."""
        half = formulas.workload.replicas
        for name in formulas.clusters:
            most = formulas.number(0, 1, partial(_is_most, name, half))
            formulas.define(2 * formulas.replicas(name) <= half + 2 * formulas.most * most)
            formulas.minimise(2 * formulas.used(name) + most)


Maker = Callable[[random.Random, ClustersByGroup], WorkloadRule]

MAKERS: tuple[Maker, ...] = (
    lambda rng, groups: Blocks("cluster", groups, rng.choice((2, 3))),
    lambda rng, groups: LargestGroup("cluster", groups, rng.randint(0, 4)),
    lambda rng, groups: Redundant("cluster", groups, rng.choice((2, 3))),
    lambda _rng, _groups: Crowding(),
    lambda _rng, _groups: Reach(),
)


def with_outside(problem: Problem, seed: int) -> Problem:
    """Return a problem of which some workloads have rules from outside, in all of their affinity groups."""
    rng = random.Random(f"outside {seed}")
    workloads = []
    for workload in problem.workloads:
        makers = [(make, rng.random()) for make in MAKERS if rng.random() < 0.25]
        groups = tuple(replace(each, rules=_with(each.rules, makers, problem)) for each in workload.groups)
        rules = _with(workload.rules, makers, problem)
        rules = next((each.rules for each in groups if each.name == workload.group), rules)
        workloads.append(replace(workload, rules=rules, groups=groups))
    return completed(replace(problem, workloads=tuple(workloads)))


def _with(
    rules: tuple[WorkloadRule, ...], makers: Sequence[tuple[Maker, float]], problem: Problem
) -> tuple[WorkloadRule, ...]:
    """Return rules with others over the same candidates."""
    open_to = next((rule.names for rule in rules if isinstance(rule, Candidates)), None)
    names = tuple(problem.cluster_by_name) if open_to is None else open_to
    each = {name: frozenset({name}) for name in names}
    return (*rules, *(make(random.Random(seed), each) for make, seed in makers))
