"""What if every autoscaler is at its minimum, or at its maximum: does it fit, and what fills first."""

import json
from fractions import Fraction

import pytest

import fairlead
from builders import cluster
from fairlead.cli.app import main
from fairlead.report.content.scenarios import fills_first
from places import EXAMPLES

FILE = str(EXAMPLES / "autoscaled")


def test_the_maximum_of_the_example_does_not_fit() -> None:
    """A schedule asks for 11, there is room for 10; today 4 run, and 2 at the least."""
    problem = fairlead.load(FILE)
    greatest = fairlead.simulate(problem, fairlead.At("max"))
    assert greatest.after.problem.workloads[0].replicas == 11
    assert [effect.unplaced for effect in greatest.effects] == [1]
    assert not greatest.fits
    least = fairlead.simulate(problem, fairlead.At("min"))
    assert least.fits
    assert least.after.placement is not None
    assert sum(least.after.placement["retail/shop"].values()) == 2


def test_the_cluster_that_fills_first_is_the_fuller_one_now() -> None:
    """At the maximum all are full; paris has the most room left today."""
    found = fairlead.simulate(fairlead.load(FILE), fairlead.At("max")).fullest
    assert [(one.cluster, one.resource) for one in found] == [
        ("lyon", "cpu"),
        ("nantes", "cpu"),
        ("paris", "cpu"),
    ]
    assert {one.share for one in found} == {Fraction(1)}


def test_both_limits_are_tried_by_a_sweep() -> None:
    """The worst first, each by its name; the exit code tells that one does not fit."""
    found = fairlead.simulate(fairlead.load(FILE), sweep="at").scenarios
    assert [(one.name, one.fits, dict(one.unplaced)) for one in found] == [
        ("max", False, {"retail/shop": 1}),
        ("min", True, {}),
    ]
    assert main(["simulate", "-q", "-f", FILE, "--sweep", "at"]) == 3


def test_a_number_that_is_asked_for_counts_after_the_limits(capsys: pytest.CaptureFixture[str]) -> None:
    """--at comes before --scale, whatever stands first on the command line."""
    arguments = ["simulate", "-q", "-f", FILE, "--scale", "shop=9", "--at", "max", "-o", "json"]
    assert main(arguments) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["changes"] == ["scale to the maximum of every autoscaler", "scale shop to 9"]
    assert [one["cluster"] for one in document["fullest"]][:1] == ["lyon"]


def test_the_terminal_names_what_fills_first(capsys: pytest.CaptureFixture[str]) -> None:
    """Only at the maximum: at the minimum nothing fills."""
    assert main(["simulate", "-q", "-f", FILE, "--at", "max"]) == 3
    assert "Fills first: lyon (cpu 100%), nantes" in capsys.readouterr().out
    assert main(["simulate", "-q", "-f", FILE, "--at", "min"]) == 0
    assert "Fills first" not in capsys.readouterr().out
    assert main(["solve", "-q", "-f", FILE]) == 0
    assert "FederatedHPA retail/shop and CronFederatedHPA retail/friday (2 to 11)" in capsys.readouterr().out


def test_an_empty_cluster_does_not_fill() -> None:
    """Aachen has no weight beside the others, so the shop may not run there: it stays at 0%."""
    problem = fairlead.load([FILE, cluster("aachen", cpu=8)])
    simulation = fairlead.simulate(problem, fairlead.At("max"))
    assert {one.cluster: one.share for one in simulation.fullest}["aachen"] == 0
    assert fills_first(simulation) == [
        "Fills first: lyon (cpu 100%), nantes (cpu 100%) and paris (cpu 100%)."
    ]


def test_a_limit_that_is_asked_for_twice_is_told_once() -> None:
    """The last limit counts: at the minimum nothing fills."""
    problem = fairlead.load(FILE)
    least, most = fairlead.At("min"), fairlead.At("max")
    assert fairlead.simulate(problem, least, least).changes == (least,)
    back = fairlead.simulate(problem, most, least)
    assert back.changes == (most, least)
    assert not fills_first(back)
    assert fills_first(fairlead.simulate(problem, least, most))


def test_without_autoscalers_there_is_nothing_to_try() -> None:
    """The kinds that would be read are named."""
    problem = fairlead.load(EXAMPLES / "overflow")
    for asked in ([fairlead.At("max")], []):
        with pytest.raises(fairlead.UsageError, match=r"no workload has an autoscaler: .*FederatedHPA"):
            fairlead.simulate(problem, *asked, sweep=None if asked else "at")
