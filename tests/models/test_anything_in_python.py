"""Whatever stands in a field of a problem that was made in Python: it is taken, or told as a mistake."""

import dataclasses
import random
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import fairlead
from fairlead import Cluster, ManifestError, Problem, Source, Taint, UsageError, Workload
from fairlead.models.cluster import FailureRate, Grade
from fairlead.models.levels import Tolerance
from fairlead.models.rules import (
    Aggregated,
    Bounds,
    Candidates,
    Capacity,
    Companionship,
    Copies,
    Duplicated,
    Evenness,
    GroupTotal,
    MoveBudget,
    MovePrice,
    Moves,
    Price,
    Quota,
    Shares,
    Skew,
    Spread,
    Survival,
    Tiers,
    Total,
    Weights,
)
from fairlead.models.rules.bounds import Bound
from fairlead.models.rules.quota import QuotaLimit, QuotaScope
from fairlead.models.rules.shares import ShareGroup
from fairlead.models.rules.survival import Loss
from fairlead.models.workload import AffinityGroup, Autoscaler

NAMES = ("a", "b", "c")
REGIONS = {"north": frozenset(["a", "b"]), "south": frozenset(["c"])}
ZONES = {f"z{name}": frozenset([name]) for name in NAMES}
ODD: tuple[Callable[[], Any], ...] = (
    lambda: None,
    lambda: 3,
    lambda: -1,
    lambda: 0.5,
    lambda: float("nan"),
    lambda: True,
    lambda: "x",
    lambda: "",
    lambda: b"x",
    lambda: "\ud800",  # half a character, which cannot be printed
    lambda: 2**70,
    lambda: Decimal(1),
    lambda: Fraction(1, 2),
    lambda: np.int64(3),
    lambda: np.array([1, 2]),
    object,
    lambda: int,
    lambda: (each for each in "ab"),
    list,
    lambda: ["a"],
    lambda: [["a"]],
    lambda: (None,),
    lambda: (Cluster("a"),),
    lambda: {1, 2},
    lambda: frozenset(["zz"]),
    lambda: {1: 5},
    lambda: {None: 1},
    lambda: {"a": None},
    lambda: {"a": "x"},
    lambda: {"a": -1},
    lambda: {"a": 0.5},
    lambda: {"a": True},
    lambda: {"a": np.int64(2)},
    lambda: {"a": ["a"]},
    lambda: {"a": {"b": 1}},
    lambda: {"zz": 1},
    lambda: {"a": frozenset(["zz"])},
    lambda: {"a": Bound(None)},  # type: ignore[arg-type]
)
Path = tuple[tuple[str, Any], ...]


def whole() -> Problem:
    """Return a problem in which every rule stands once."""
    source = Source("x.py", 3)
    clusters = tuple(
        Cluster(
            name,
            "cloud",
            "south" if name == "c" else "north",
            (f"z{name}",),
            {"tier": "gold"},
            (Taint("key", "value", "PreferNoSchedule"),),
            allocatable={"cpu": 9000},
            free={"cpu": 8000},
            grades=(Grade(3, {"cpu": 2000}),),
            api_kinds=frozenset([("apps/v1", "Deployment")]),
            source=source,
        )
        for name in NAMES
    )
    everywhere = Candidates(NAMES)
    grouped = (Candidates(("a", "b")), Tiers((frozenset("a"), frozenset("b")), (source, None)), Aggregated())
    bounds = Bounds({"a": Bound(1, source)}, {"a": Bound(5)})
    loss = Loss("zone", ZONES)
    prices = Price({name: Fraction(1, 2) for name in NAMES})
    groups = (AffinityGroup("one", grouped, source), AffinityGroup("two", (Candidates(("c",)),)))
    shares = Shares(
        ((ShareGroup("x", frozenset("ab"), Fraction(1, 2)), ShareGroup("y", frozenset("c"), Fraction(1, 2))),)
    )
    rules: tuple[tuple[Any, ...], ...] = (
        (everywhere, bounds, GroupTotal("g", frozenset("ab"), 1, 6), Spread("region", REGIONS, 1, 2)),
        (everywhere, Total(source), Survival("region", REGIONS, 0, source, REGIONS, 1, (loss,)), prices),
        (everywhere, Skew("region", REGIONS, 2), MovePrice(Fraction(1), frozenset("b")), Weights({"a": 1})),
        (everywhere, Duplicated(source, choice=True), Copies((NAMES,))),
        (everywhere, Evenness(NAMES), shares, Moves(frozenset("a"))),
    )
    needs = {"requests": {"cpu": 500}, "current": {"a": 2}, "labels": {"x": "y"}, "source": source}
    workloads = [
        Workload(f"d/w{place}", f"w{place}", 4, "d", **needs, rules=inside, autoscaler=Autoscaler("h", 1, 9))  # type: ignore[arg-type]
        for place, inside in enumerate(rules)
    ]
    workloads.append(Workload("d/w9", "w9", 2, "d", rules=grouped, group="one", groups=groups))
    shared = (
        Capacity(),
        Companionship("pair", ("d/w0", "d/w1"), together=False),
        MoveBudget("most", 5, None, None, frozenset("a"), {"d/w0": frozenset("a")}),
        Quota(
            "quota", "d", {QuotaScope("cpu"): QuotaLimit(100_000), QuotaScope("cpu", "a"): QuotaLimit(90_000)}
        ),
    )
    tolerances = {"deviation": Tolerance(Fraction(1, 10))}
    failing = (FailureRate("region", "north", Fraction(1, 10)),)
    return Problem(clusters, tuple(workloads), shared, tolerances=tolerances, failure_rates=failing)


def places(thing: Any, path: Path = ()) -> Iterator[Path]:
    """Yield the way to every field of a thing, and to every item of what stands in one."""
    inside: list[tuple[str, Any, Any]] = []
    if dataclasses.is_dataclass(thing):
        inside = [("field", one.name, getattr(thing, one.name)) for one in dataclasses.fields(thing)]
    elif isinstance(thing, tuple) and not hasattr(thing, "_fields"):
        inside = [("item", place, item) for place, item in enumerate(thing)]
    elif isinstance(thing, dict):
        inside = [("item", key, item) for key, item in thing.items()]
    for how, key, item in inside:
        yield (*path, (how, key))
        yield from places(item, (*path, (how, key)))


def put(thing: Any, path: Path, value: Any) -> Any:
    """Return a thing with something else in one place."""
    if not path:
        return value
    (how, key), rest = path[0], path[1:]
    if how == "field":
        return dataclasses.replace(thing, **{key: put(getattr(thing, key), rest, value)})
    if isinstance(thing, dict):
        return {**thing, key: put(thing[key], rest, value)}
    return (*thing[:key], put(thing[key], rest, value), *thing[key + 1 :])


def test_the_problem_itself_is_taken() -> None:
    """So that whatever is told of one with something odd in it is about that."""
    assert {violation.rule for violation in fairlead.check(whole(), {})} >= {"total", "duplicated"}


@pytest.mark.parametrize("part", range(4))
def test_odd_values_are_taken_or_told(part: int) -> None:
    """Two odd values in each of 600 places: everything that may be asked answers or tells mistakes."""
    chance, problem = random.Random(part), whole()
    for path in list(places(problem))[part::4]:
        for _ in range(2):
            value = chance.choice(ODD)()
            try:
                made = put(problem, path, value)
                assert repr(made)
                fairlead.check(made, {})
                fairlead.score(made, {})
                fairlead.dispense(made)
            except (ManifestError, UsageError) as error:
                told = str(error)
            except Exception as error:
                raise AssertionError(f"{value!r} at {path}") from error
            else:
                told = "taken"
            assert told


CALLS: Mapping[str, Callable[[Any], object]] = {
    "drain": lambda odd: fairlead.simulate(few(), fairlead.Drain(odd)),
    "lose": lambda odd: fairlead.simulate(few(), fairlead.Lose("a", odd)),
    "scale": lambda odd: fairlead.simulate(few(), fairlead.Scale("web", odd)),
    "weight": lambda odd: fairlead.simulate(few(), fairlead.Weight("web", odd, 3)),
    "change": lambda odd: fairlead.simulate(few(), odd),
    "sweep": lambda odd: fairlead.simulate(few(), sweep=odd),
    "budget": lambda odd: fairlead.plan(few(), budget=odd),
    "budgets": lambda odd: fairlead.plan(few(), budget=fairlead.Budgets(leaving=odd)),
    "gain": lambda odd: fairlead.plan(few(), gain=odd),
    "pinned": lambda odd: fairlead.plan(few(), pinned=odd),
    "surge": lambda odd: fairlead.plan(few(), max_surge=odd),
    "per wave": lambda odd: fairlead.plan(few(), max_moves_per_wave=odd),
    "workers": lambda odd: fairlead.solve(few(), workers=odd),
    "partitions": lambda odd: fairlead.solve(few(), partitions=odd),
    "deviation": lambda odd: fairlead.solve(few(), deviation=odd),
    "likes": lambda odd: fairlead.compare(few(), odd),
    "like": lambda odd: fairlead.dispense(few(), like=odd),
    "why": lambda odd: fairlead.why(few(), odd),
    "why not": lambda odd: fairlead.why(few(), "web", odd),
    "outcome": lambda odd: fairlead.why(few(), "web", outcome=odd),
    "select": lambda odd: fairlead.select(few(), odd),
    "load": fairlead.load,
}


def few() -> Problem:
    """Return a problem that is answered at once."""
    rules = (Candidates(("a", "b")), Total(), Weights({"a": 1, "b": 1}))
    return Problem((Cluster("a"), Cluster("b")), (Workload("web", "web", 2, current={"a": 2}, rules=rules),))


@pytest.mark.parametrize("call", CALLS)
def test_odd_arguments_are_taken_or_refused(call: str) -> None:
    """A list where a name belongs, a number where a mapping does: what is refused is a wrong call."""
    refused = 0
    for make in ODD:
        odd = make()
        try:
            CALLS[call](odd)
        except (ManifestError, UsageError):
            refused += 1
        except Exception as error:
            raise AssertionError(repr(odd)) from error
    assert refused > len(ODD) / 4


def test_all_arguments_are_refused_at_once() -> None:
    """With the name of each, what it was, and what is allowed."""
    with pytest.raises(UsageError) as caught:
        fairlead.solve(few(), workers="3", partial=None)  # type: ignore[arg-type]
    assert str(caught.value).splitlines() == [
        "workers '3': allowed is a whole number or None",
        "partial None: allowed is True or False",
    ]


def test_what_are_no_clusters_is_told_with_all_else() -> None:
    """Where a problem is made, as it could not even be put in order: two mistakes at once."""
    with pytest.raises(ManifestError) as caught:
        Problem(clusters=None, workloads=(Workload("web", "web", 3, requests={1: 5}),))  # type: ignore[arg-type, dict-item]
    assert [mistake.sentence for mistake in caught.value.mistakes] == [
        "problem: clusters: 'None' must be a tuple",
        "workload web: requests: '1' is a key and must be a string",
    ]


def test_a_level_without_a_place_is_told() -> None:
    """Weights count on the deviation, which the order leaves out."""
    weighed = Workload("web", "web", 3, rules=(Weights({"a": 1}),))
    with pytest.raises(ManifestError, match="levels: 'deviation' is a level on which something counts"):
        fairlead.solve(Problem((Cluster("a"),), (weighed,), levels=("cost",)))


def test_weights_are_those_that_kubernetes_knows() -> None:
    """2^63 is one too many."""
    weighed = Workload("web", "web", 3, rules=(Weights({"a": 2**63}),))
    with pytest.raises(ManifestError, match=r"Weights.weights\[a\]: '9223372036854775808' must be"):
        fairlead.solve(Problem((Cluster("a"),), (weighed,)))
