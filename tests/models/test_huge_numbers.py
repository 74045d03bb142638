"""Numbers of thousands of digits, which Python does not write, are refused in words of our own."""

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import fairlead
from builders import binding, cluster, static
from fairlead.cli.app import main
from fairlead.models.cluster import Cluster
from fairlead.models.errors import FairleadError
from fairlead.models.quantity import is_amount
from fairlead.models.rules import Bounds, MoveBudget, MovePrice, Price, Shares, Total, Weights
from fairlead.models.rules.bounds import Bound
from fairlead.models.rules.shares import ShareGroup
from fairlead.models.words import shown
from fairlead.models.workload import Workload
from fairlead.solver.running.deadline import Deadline

HUGE = 10**5000


def given() -> fairlead.Problem:
    """Return two replicas over two clusters."""
    return fairlead.load([cluster("a"), cluster("b")], binding("web", 2, placement=static()))


def made(**fields: Any) -> fairlead.Problem:
    """Return a problem made in Python, of one workload."""
    return fairlead.Problem(
        (Cluster("a"),), (Workload(**{"key": "w", "name": "w", "replicas": 1, **fields}),)
    )


CALLS: dict[str, Callable[[Any], object]] = {
    "seed": lambda number: fairlead.solve(given(), seed=number),
    "method": lambda number: fairlead.solve(given(), method=number),
    "tolerance": lambda number: fairlead.solve(given(), tolerance={"deviation": number}),
    "tolerances": lambda number: fairlead.solve(given(), tolerance={number: 1}),
    "budget": lambda number: fairlead.plan(given(), budget=number),
    "percentage": lambda _: fairlead.plan(given(), budget=f"{'9' * 5000}%"),
    "surge": lambda number: fairlead.plan(given(), max_surge=number),
    "gain": lambda number: fairlead.plan(given(), gain=number),
    "pinned": lambda number: fairlead.plan(given(), pinned=[number]),
    "scale": lambda number: fairlead.simulate(given(), fairlead.Scale("web", number)),
    "drain": lambda number: fairlead.simulate(given(), fairlead.Drain(number)),
    "sweep": lambda number: fairlead.simulate(given(), sweep=number),
    "placed": lambda number: fairlead.check(given(), {"default/web": {"a": number}}),
    "keys": lambda number: fairlead.check(given(), {number: {"a": 1}}),
    "clusters": lambda number: fairlead.score(given(), {"default/web": {number: 1}}),
    "why": lambda number: fairlead.why(given(), number),
    "like": lambda number: fairlead.compare(given(), [number]),
    "load": fairlead.load,
    "document": lambda number: fairlead.load([{number: number}]),
    "quantity": lambda number: fairlead.load(
        [{**cluster("a"), "status": {"resourceSummary": {"allocatable": {"cpu": number}}}}]
    ),
    "replicas": lambda number: fairlead.solve(made(replicas=number)),
    "current": lambda number: fairlead.solve(made(current={"a": number})),
    "key": lambda number: fairlead.solve(made(key=number)),
    "labels": lambda number: fairlead.solve(made(labels={"a": number})),
    "prices": lambda number: fairlead.solve(made(rules=(Price({"a": Fraction(number)}),))),
    "shares": lambda number: fairlead.solve(
        made(rules=(Shares(((ShareGroup("all", frozenset("a"), Fraction(number)),),)),))
    ),
    "move price": lambda number: fairlead.solve(made(rules=(MovePrice(Fraction(number), frozenset("a")),))),
    "weights": lambda number: fairlead.solve(made(rules=(Weights({"a": number}),))),
    "rule": lambda number: fairlead.solve(
        fairlead.Problem((Cluster("a"),), (), (MoveBudget("moves", number),))
    ),
}


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("name", CALLS)
def test_a_huge_number_is_refused_in_words(name: str, sign: int) -> None:
    """With an exception of our own tree, which says what is wrong and nothing about Python's limits."""
    with pytest.raises(FairleadError) as caught:
        CALLS[name](sign * HUGE)
    assert "int_max_str_digits" not in str(caught.value)


def test_a_time_limit_beyond_all_clocks() -> None:
    """It is none; a negative one is over."""
    assert Deadline.after(HUGE).limit is None
    assert Deadline.after(-HUGE).remaining() == 0


def test_values_that_hold_one_are_written_all_the_same() -> None:
    """What a debugger or a test shows of a workload or cluster made in Python, before anything refuses it."""
    assert repr(Workload("w", "w", HUGE)) == "Workload('w', replicas=a number with thousands of digits)"
    assert "a number with thousands of digits" in repr(Cluster("a", free={"cpu": HUGE}))
    assert repr(Total()) == "Total(source=None)"
    for rule in (Bounds({"a": Bound(HUGE)}), Weights({"a": HUGE}), MoveBudget("own", HUGE)):
        assert repr(rule).startswith(f"{type(rule).__name__}(")
        assert "a number with thousands of digits" in repr(rule)


@pytest.mark.parametrize("odd", [None, 3, 1.5, "text", b"x", [], [1], {"a": None}, frozenset("a")])
def test_values_that_are_none_are_written_all_the_same(odd: Any) -> None:
    """Nothing refuses them before they are used, and whoever looks for the mistake wants to see them."""
    assert repr(Workload("w", "w", 1, requests=odd, current=odd, rules=odd)).startswith("Workload('w', ")
    assert repr(Cluster("a", free=odd, allocatable=odd, taints=odd)).startswith("Cluster('a'")


def test_what_is_shown() -> None:
    """As Python writes it, as long as it does."""
    assert shown({"a": 1}) == "{'a': 1}"
    assert shown({"a": HUGE}) == "a number with thousands of digits"
    assert is_amount(10**18)
    assert not is_amount(HUGE)


@pytest.mark.parametrize(
    "arguments",
    [
        ["simulate", "--scale", f"web={'9' * 5000}"],
        ["simulate", "--weight", f"web:a={'9' * 5000}"],
        ["plan", "--budget", "9" * 5000],
        ["plan", "--budget-of", f"web={'9' * 5000}%"],
        ["plan", "--gain", "1e999999999999"],
        ["plan", "--max-moves-per-wave", "9" * 5000],
        ["solve", "--seed", "9" * 5000],
    ],
    ids=lambda each: each[1],
)
def test_on_the_command_line(
    arguments: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As wrong usage, at once; numbers with exponents are not written out before they are refused."""
    file = tmp_path / "input.json"
    file.write_text(json.dumps([cluster("a"), cluster("b"), binding("web", 2, placement=static())]))
    command, option, value = arguments
    assert main([command, "-f", str(file), option, value]) == 2
    assert "int_max_str_digits" not in capsys.readouterr().err
