"""What answers say beside their tables: costs, new clusters that stay empty, what is not proven."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
import yaml

import fairlead
from builders import Manifest, binding, cluster, dynamic
from fairlead.cli.app import main
from fairlead.models.outcome import Attained
from fairlead.report.content.fleet import unproven
from fairlead.report.renderer import terminal
from hand_made import solved
from loaded import mistake
from own_builders import own

FLEET = [cluster("member1", cpu=20), cluster("member2", cpu=20)]


def priced(currency: str | None) -> Manifest:
    """Return prices of 3 on member1 and 2 elsewhere."""
    first = {"targetCluster": {"clusterNames": ["member1"]}, "pricePerReplica": "3"}
    more = {"currency": currency} if currency else {}
    return own("PriceList", prices=[first, {"pricePerReplica": "2"}], **more)


@pytest.mark.parametrize(
    ("running", "told"),
    [
        ({}, "Cost: 8 EUR."),
        # 4 x 3 = 12 now, 4 x 2 = 8 then: a third less.
        ({"member1": 4}, "Cost: 8 EUR, 4 EUR (33%) less than now."),
        ({"member2": 4}, "Cost: 8 EUR, as now."),
        ({"member2": 2}, "Cost: 8 EUR, 4 EUR (100%) more than now."),
    ],
)
def test_costs_beside_what_runs(running: dict[str, int], told: str) -> None:
    """What four replicas cost, and what that saves; nothing is compared where nothing runs."""
    problem = fairlead.load(FLEET, binding("web", 4, running, dynamic(), cpu="1"), priced("EUR"))
    assert told in terminal(fairlead.solve(problem, fresh=True)).splitlines()


def test_costs_without_a_currency() -> None:
    """The number alone."""
    problem = fairlead.load(FLEET, binding("web", 4, {}, dynamic(), cpu="1"), priced(None))
    assert "Cost: 8." in terminal(fairlead.solve(problem)).splitlines()
    assert "Cost" not in terminal(fairlead.solve(replace(problem, workloads=())))


def test_two_currencies_do_not_add_up() -> None:
    """One list in euros and another one in dollars are a mistake; so are grams in either."""
    first = own(
        "PriceList",
        "a",
        prices=[{"pricePerReplica": "1"}],
        currency="EUR",
        workloadSelector={"names": ["web"]},
    )
    second = own(
        "PriceList",
        "b",
        prices=[{"pricePerReplica": "1"}],
        currency="USD",
        workloadSelector={"names": ["api"]},
    )
    assert mistake(first, second).startswith("spec.currency: 'USD' PriceList a at <dict> is in EUR")
    grams = own("PriceList", prices=[{"pricePerReplica": "1"}], level="emissions", currency="EUR")
    assert mistake(grams) == "spec.currency: 'EUR' emissions are grams; leave it out"


@pytest.mark.parametrize(
    ("options", "closed", "told"),
    [
        ([], False, "1 running workload keeps its place (--fresh places everything anew)."),
        (["--fresh"], False, ""),
        ([], True, "it is not eligible for 1 workload (default/web: it did not match"),
    ],
)
def test_new_clusters_that_stay_empty(
    options: list[str], closed: bool, told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What runs stays unless it is placed afresh; a policy that names clusters has to name the new one."""
    names = {"clusterAffinity": {"clusterNames": ["member1", "member2"]}} if closed else {}
    place = dynamic() | names
    fleet, added = tmp_path / "fleet.yaml", tmp_path / "added.yaml"
    running = binding("web", 4, {"member1": 2, "member2": 2}, place, cpu="1")
    fleet.write_text(yaml.safe_dump_all([*FLEET, running]))
    added.write_text(yaml.safe_dump(cluster("member3", cpu=20)))
    assert main(["simulate", "-q", "-f", str(fleet), "--add", str(added), *options]) == 0
    printed = capsys.readouterr().out
    assert f"Nothing moves to member3: {told}" in printed or not told
    assert ("Nothing moves to member3" in printed) == bool(told)


def test_levels_without_proof_are_named() -> None:
    """Those that could be better, and none where all are proven."""
    levels = (
        Attained("moves", Fraction(0), Fraction(0), proven=True),
        Attained("deviation", Fraction(3), Fraction(2)),
        Attained("balance", Fraction(1), None),
    )
    assert unproven(replace(solved(), objectives=levels)) == ["Not proven best: deviation and balance."]
    assert unproven(replace(solved(), objectives=levels[:1])) == []


@pytest.mark.parametrize(("lost", "told"), [("b", True), ("c", False)])
def test_another_affinity_group_is_told(lost: str, told: bool) -> None:
    """What runs in the first group has to leave it once b is lost; c is in the second one alone."""
    groups = [
        {"affinityName": "near", "clusterNames": ["b"]},
        {"affinityName": "far", "clusterNames": ["c", "d"]},
    ]
    fleet = [cluster(name, cpu=8) for name in "bcd"]
    running = binding("w", 4, {"b": 4}, {"clusterAffinities": groups}, cpu=1)
    running["status"] = {"schedulerObservingAffinityName": "near"}
    simulation = fairlead.simulate(fairlead.load([*fleet, running]), fairlead.Lose(lost), workers=1)
    sentence = "default/w changes from affinity group near to far."
    assert (sentence in str(simulation).splitlines()) is told
