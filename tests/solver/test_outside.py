"""Rules from outside: solved, checked and explained like ours, and named where they break their promises."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar, cast

import pytest

import fairlead
from agreeing import assert_best
from fairlead.models import rules as all_rules
from fairlead.models.cluster import Cluster
from fairlead.models.data import WorkloadData
from fairlead.models.levels import DEFAULT_ORDER, Deviation, Level, order_with
from fairlead.models.requirement import GivesWay, Kind, Requirement, Side
from fairlead.models.rules import Candidates, Total, Weights, WorkloadRule
from fairlead.models.rules.custom import OURS, CustomClusterCost, CustomCost, CustomRule, Formulas
from outside_rules import CROWDING, Blocks, Crowding, LargestGroup, Reach, TornBlocks, with_outside
from random_problems import random_problem
from walk_problems import walk_problem
from walking import walk

NAMES = ("member1", "member2", "member3")
EACH = {name: frozenset({name}) for name in NAMES}


def problem_of(*rules: WorkloadRule, replicas: int = 6, **more: object) -> fairlead.Problem:
    """Return a problem of one workload on three clusters without limits."""
    own = (Candidates(NAMES), Total(), *rules)
    workload = replace(fairlead.Workload("a", "a", replicas, rules=own), **more)  # type: ignore[arg-type]
    return fairlead.Problem(tuple(fairlead.Cluster(name) for name in NAMES), (workload,))


def placed(problem: fairlead.Problem) -> Mapping[str, int]:
    """Return the best placement, which has to be proven."""
    outcome = fairlead.solve(problem, workers=1)
    assert outcome.status is fairlead.Status.OPTIMAL
    assert outcome.placement is not None
    return outcome.placement["a"]


@pytest.mark.parametrize("seed", range(100))
def test_agrees_with_brute_force(seed: int) -> None:
    """Mixed with all rules of ours."""
    deviation = Deviation.WEBSTER if seed % 2 else Deviation.L1
    assert_best(with_outside(random_problem(seed, deviation), seed))


@pytest.mark.parametrize("seed", range(100, 150))
def test_partial_problems_agree_with_brute_force(seed: int) -> None:
    """Replicas stay unplaced where that keeps what rules from outside ask for."""
    problem = with_outside(random_problem(seed, Deviation.WEBSTER), seed)
    assert_best(replace(problem, partial=True))


def test_a_walk_finds_nothing_wrong() -> None:
    """With affinity groups, priorities, strange orders of levels, and little time at times."""
    assert [
        fault for seed in range(40) for fault in walk(seed, lambda at: with_outside(walk_problem(at), at))
    ] == []


def test_a_rule_changes_the_best() -> None:
    """Six replicas over 1:1:1 are two each; in blocks of three they stand on two clusters."""
    even = Weights(dict.fromkeys(NAMES, 1))
    assert placed(problem_of(even)) == {"member1": 2, "member2": 2, "member3": 2}
    assert placed(problem_of(even, Blocks("cluster", EACH, 3))) == {"member1": 3, "member2": 3}


def test_a_level_comes_where_it_says() -> None:
    """Crowding comes before the weights, which alone would put all six on member1; reach comes last."""
    heavy = Weights({"member1": 10, "member2": 0, "member3": 0})
    assert placed(problem_of(heavy)) == {"member1": 6}
    # Pairs on member1 count half: 3 + 2 + 1 costs 3/2 + 1, and 2 + 2 + 2 costs 1/2 + 1 + 1, which is as much.
    # The weights decide, which want all on member1.
    outcome = fairlead.solve(problem_of(heavy, Crowding(), Reach()), workers=1)
    assert [level.name for level in outcome.objectives] == ["crowding", "deviation", "reach"]
    assert outcome.objectives[0].value == Fraction(5, 2)
    assert outcome.placement is not None
    assert outcome.placement["a"] == {"member1": 3, "member2": 2, "member3": 1}


def test_a_problem_may_order_levels_otherwise() -> None:
    """A level that a problem names stays where it is."""
    assert order_with(("cost", "deviation"), [CROWDING]) == ("cost", "crowding", "deviation")
    assert order_with(("crowding", "cost"), [CROWDING]) == ("crowding", "cost")
    twice = [Level("b", title="b", before="cost"), Level("a", title="a", before="cost")]
    assert order_with(("cost",), twice) == order_with(("cost",), twice[::-1]) == ("a", "b", "cost")
    first = replace(problem_of(Crowding(), Weights({"member1": 1})), levels=("crowding", *DEFAULT_ORDER))
    assert [level.name for level in fairlead.score(first, {})] == ["crowding", "deviation"]


def test_a_conflict_names_the_rule_and_its_way_out() -> None:
    """At most one replica on each of three clusters leaves no room for six: two on each are needed."""
    outcome = fairlead.solve(problem_of(LargestGroup("cluster", EACH, 1)), workers=1)
    assert outcome.conflict is not None
    assert [one.rule for one in outcome.conflict.rules] == ["total", "largest-group"]
    texts = [one.text for one in outcome.conflict.relaxations]
    assert "raise the largest cluster from 1 to 2" in texts


def test_a_rule_without_numbers_is_part_of_a_conflict() -> None:
    """Five replicas are no whole blocks of two; only the number of replicas can change."""
    outcome = fairlead.solve(problem_of(Blocks("cluster", EACH, 2), replicas=5), workers=1)
    assert outcome.conflict is not None
    assert {one.rule for one in outcome.conflict.rules} == {"total", "blocks"}
    assert [one.text for one in outcome.conflict.relaxations] == ["scale from 5 to 4 replicas"]


def test_waves_keep_a_rule() -> None:
    """What stands in whole blocks on member1 goes to member2, and stands in whole blocks after every wave."""
    rules = (Blocks("cluster", EACH, 2), LargestGroup("cluster", {"first": frozenset({"member1"})}, 0))
    problem = problem_of(*rules, replicas=4, current={"member1": 4})
    plan = fairlead.plan(problem)
    assert plan.waves is not None
    assert plan.waves.complete
    standing = {"member1": 4}
    for wave in plan.waves.waves:
        for move in wave.moves:
            for name, change in ((move.source, -move.replicas), (move.target, move.replicas)):
                if name is not None:
                    standing[name] = standing.get(name, 0) + change
        assert all(count % 2 == 0 for count in standing.values()), standing


@dataclass(frozen=True, slots=True)
class Forgetful(Blocks):
    """Tells CP-SAT nothing of what it requires."""

    def encode(self, formulas: Formulas) -> None:
        """Tell nothing."""


@dataclass(frozen=True, slots=True)
class TooStrict(Blocks):
    """Tells CP-SAT more than it requires: that nothing stands anywhere."""

    def encode(self, formulas: Formulas) -> None:
        """Forbid everything."""
        formulas.require(sum(formulas.replicas(name) for name in formulas.clusters) <= 0)


@dataclass(frozen=True, slots=True)
class TooCheap(Reach):
    """Tells CP-SAT a lower cost than it has."""

    def encode(self, formulas: Formulas) -> None:
        """Count only one for a cluster that is used."""
        formulas.minimise(sum(formulas.used(name) for name in formulas.clusters))


@dataclass(frozen=True, slots=True)
class TooDear(Reach):
    """Tells CP-SAT a higher cost than it has."""

    def encode(self, formulas: Formulas) -> None:
        """Count nine for a cluster that is used."""
        formulas.minimise(9 * sum(formulas.used(name) for name in formulas.clusters))


# Seven over 3:2:2 would be three on member1, which is no whole block: the exact allocation gives up.
UNEVEN = Weights({"member1": 3, "member2": 2, "member3": 2})


@pytest.mark.parametrize(
    ("rule", "told"),
    [
        (
            Forgetful("cluster", EACH, 7),
            "Forgetful tells CP-SAT something else than it means: CP-SAT's placem",
        ),
        (TooCheap(), "TooCheap tells CP-SAT something else than it means: the least reach is"),
        (TooDear(), "TooDear tells CP-SAT something else than it means: the least reach is"),
    ],
)
def test_a_wrong_encoder_is_named(rule: WorkloadRule, told: str) -> None:
    """An answer is checked and scored by what a rule means, and the rule is blamed, not fairlead."""
    with pytest.raises(fairlead.ExtensionError, match=told):
        fairlead.solve(problem_of(UNEVEN, rule, replicas=7), workers=1)


def test_an_encoder_that_forbids_too_much_is_named() -> None:
    """What runs is a placement, and CP-SAT says that there is none."""
    whole = {"member1": 7}
    problem = problem_of(UNEVEN, TooStrict("cluster", EACH, 7), replicas=7, current=whole)
    with pytest.raises(fairlead.ExtensionError, match="TooStrict"):
        fairlead.solve(problem, workers=1, method="cp-sat")


class _Broken(Blocks):
    """A rule of which single promises are broken."""

    def requirements(self, workload: WorkloadData) -> Iterator[Requirement]:
        """Fail."""
        raise ZeroDivisionError(workload.key)


class _Ours(Blocks):
    kind: ClassVar[str] = "bounds"


class _Yielding(Blocks):
    def requirements(self, workload: WorkloadData) -> Iterator[Requirement]:
        """Ask for something that gives way."""
        kind = Kind("blocks", str, lambda one, found: f"{one}{found}")
        scope = TornBlocks(self.size)
        yield Requirement(kind, Side.LEAST, 1, scope, workload, gives_way=GivesWay.ALWAYS)


class _OtherKind(Blocks):
    kind: ClassVar[str] = "lumps"


class _NoFormula(Blocks):
    def encode(self, formulas: Formulas) -> None:
        """Require something that is no formula."""
        formulas.require("x <= 3")


class _Elsewhere(Blocks):
    def encode(self, formulas: Formulas) -> None:
        """Ask for a cluster that there is none of."""
        formulas.require(formulas.replicas("nowhere") <= 3)


class _Minimising(Blocks):
    def encode(self, formulas: Formulas) -> None:
        """Minimise something, as only costs do."""
        formulas.minimise(1)


class _Failing(Blocks):
    def encode(self, formulas: Formulas) -> None:
        """Fail."""
        raise KeyError(formulas.workload.key)


class _OurLevel(Crowding):
    level: ClassVar[Level] = Level("cost", title="cost")


class _Nameless(Crowding):
    level: ClassVar[Level] = Level("crowding")


class _Coarse(Crowding):
    level: ClassVar[Level] = Level("crowding", title="crowding")


class _Negative(Crowding):
    def on(self, cluster: str, replicas: int) -> int:
        """Return less than nothing."""
        return -replicas * len(cluster)


class _Concave(CustomClusterCost):
    level: ClassVar[Level] = CROWDING

    def on(self, cluster: str, replicas: int) -> int:
        """Return what gets cheaper: only the first replica counts."""
        return min(replicas, 1) * len(cluster)


class _Unfinished(CustomCost):
    level: ClassVar[Level] = CROWDING

    def encode(self, formulas: Formulas) -> None:
        """Minimise nothing; `cost` is left out."""
        formulas.minimise(0)


class _Requiring(CustomCost):
    level: ClassVar[Level] = CROWDING

    def cost(self, workload: WorkloadData, placed: Mapping[str, int]) -> int:
        """Return how many replicas there are, of all workloads."""
        return sum(placed.values()) + len(workload.key)

    def encode(self, formulas: Formulas) -> None:
        """Require something, as only rules that must hold do."""
        formulas.require(formulas.replicas("member1") <= 1)


@pytest.mark.parametrize(
    ("rule", "told"),
    [
        (_Broken("cluster", EACH, 2), "fails for a: ZeroDivisionError"),
        (_Ours("cluster", EACH, 2), "is of the kind 'bounds'"),
        (_Yielding("cluster", EACH, 2), "gives way"),
        (_OtherKind("cluster", EACH, 2), "requires something of the kind 'blocks'"),
        (_NoFormula("cluster", EACH, 2), "'x <= 3' is not a linear constraint"),
        (_Elsewhere("cluster", EACH, 2), "names 'nowhere', no cluster of the problem"),
        (_Minimising("cluster", EACH, 2), "is no cost and minimises something"),
        (_Failing("cluster", EACH, 2), "fails to encode a: KeyError"),
        (_OurLevel(), "counts on the level 'cost'"),
        (_Nameless(), "needs a title"),
        (_Coarse(), "costs 1/2; allowed are whole numbers of at least 0"),
        (_Negative(), "costs -7; allowed are multiples of 1/2 of at least 0"),
        (_Concave(), "not 0 for none, or not convex"),
        (_Requiring(), "is a cost and requires something"),
        (cast("type[CustomCost]", _Unfinished)(), "lacks cost, which it has to define"),
    ],
    ids=lambda each: type(each).__name__ if not isinstance(each, str) else "",
)
def test_a_broken_promise_is_named(rule: WorkloadRule, told: str) -> None:
    """Each mistake of a rule is said with the class that makes it."""
    with pytest.raises(fairlead.ExtensionError) as found:
        fairlead.solve(problem_of(UNEVEN, rule, replicas=7), workers=1, method="cp-sat")
    assert f"test_outside.{type(rule).__name__}" in str(found.value)
    assert told in str(found.value)


def test_kinds_of_ours_are_taken() -> None:
    """No rule from outside may have the kind of one of ours."""
    modules = [getattr(all_rules, name) for name in dir(all_rules)]
    kinds = {module.KIND for module in modules if hasattr(module, "KIND")}
    assert {"bounds", "skew", "weights", "capacity"} <= kinds <= OURS


def test_a_rule_without_a_kind_is_refused() -> None:
    """The class itself is no rule: it lacks what rules from outside have to define."""
    rule = CustomRule("cluster", {"a": frozenset("a")})  # type: ignore[abstract]
    workload = fairlead.Workload("w", "w", 1, rules=(rule,))
    with pytest.raises(fairlead.ExtensionError, match="has to define"):
        fairlead.solve(fairlead.Problem((Cluster("a"),), (workload,)))
