"""simulate(): what becomes of a fleet, as values, as text, as tables and on the command line."""

import io
import json
import pickle
from dataclasses import replace
from operator import attrgetter
from pathlib import Path
from random import Random
from typing import Any

import pytest
import yaml

import fairlead
from brute_force import brute_force
from builders import Manifest, binding, cluster, duplicated, dynamic, policy, selector, static
from fairlead import Drain, Lose, Scale
from fairlead.cli.app import main
from fairlead.cli.exits import code_of_simulation
from fairlead.models.check import check
from fairlead.models.levels import Deviation
from fairlead.models.outcome import Outcome, Status
from fairlead.models.problem import Problem
from fairlead.models.rules import Candidates, Capacity, Total
from fairlead.models.utilisation import Utilisation
from fairlead.models.workload import Workload
from fairlead.report.content.scenarios import scenario_table
from fairlead.report.renderer import terminal
from fairlead.report.terminal import Look, Rows
from fairlead.solver.simulate.changed import changed
from fairlead.solver.simulate.changes import Change, Cordon
from fairlead.solver.simulate.result import Effect
from fairlead.solver.simulate.scenario import Scenario
from own_builders import own
from places import ROOT
from random_problems import random_problem

REGIONS = {"member1": "east", "member2": "east", "member3": "west"}


def fleet(cpu: int = 5) -> list[Manifest]:
    """Return three clusters with room for so many more replicas of 1 core each; two are in the east.

    They tell that two replicas run there, as `running` has it unless said otherwise.
    """
    return [
        cluster(name, cpu=cpu + 2, allocated={"cpu": 2}, region=region, labels={"rack": name[-1]})
        for name, region in REGIONS.items()
    ]


def running(replicas: int = 6, *, called: str = "web", **current: int) -> Manifest:
    """Return a workload that keeps what runs, two in each cluster unless said otherwise."""
    return binding(called, replicas, current or dict.fromkeys(REGIONS, 2), dynamic(), cpu="1")


def web() -> Problem:
    """Return the fleet with one workload of 6 replicas."""
    return fairlead.load(fleet(), running())


def effect(simulation: fairlead.Simulation) -> Effect:
    """Return the effect on the only workload."""
    (found,) = simulation.effects
    return found


def test_drain() -> None:
    """The 2 on member1 move; nothing else does."""
    simulation = fairlead.simulate(web(), Drain("member1"))
    found = effect(simulation)
    assert simulation.fits
    assert (found.moved, found.started, found.stopped, found.lost, found.unplaced) == (2, 2, 2, 0, 0)
    assert found.before == dict.fromkeys(REGIONS, 2)
    assert "member1" not in found.after
    assert sum(found.after.values()) == 6
    assert str(simulation).splitlines()[-1] == "Fits: 2 replicas move."


def test_loss_is_no_move() -> None:
    """The 2 on member1 are gone, and are started elsewhere."""
    found = effect(fairlead.simulate(web(), Lose("member1")))
    assert (found.moved, found.started, found.stopped, found.lost) == (0, 2, 0, 2)


def test_nothing_new_on_a_cordoned_cluster() -> None:
    """Of 9 replicas 3 are new, and none of them comes to member1."""
    found = effect(fairlead.simulate(web(), Cordon("member1"), Scale("default/web", 9)))
    assert (found.moved, found.started) == (0, 3)
    assert found.after["member1"] == 2


def test_a_copy_that_may_choose_its_cluster_moves() -> None:
    """One cluster of two holds the copy: drained, it stops there and starts on the other, like a replica.

    Where every cluster has a copy of its own, one that starts elsewhere takes nobody's place.
    """
    one_of_two = {"spreadConstraints": [{"spreadByField": "cluster", "minGroups": 1, "maxGroups": 1}]}
    members = [cluster("a", cpu=4), cluster("b", cpu=4)]
    for chosen, moved in ((one_of_two, 2), ({}, 0)):
        web = binding("web", 2, {"a": 2}, {**duplicated(), **chosen}, cpu=1)
        found = effect(fairlead.simulate(fairlead.load([*members, web]), Drain("a")))
        assert (found.moved, found.started, found.stopped) == (moved, 2, 2)


def test_what_no_longer_fits_is_placed_in_part() -> None:
    """Of 9 replicas member3 takes 2 + 3; without the east 4 have no place, and the reason is told."""
    problem = fairlead.load(fleet(3), running(9, member1=4, member2=3, member3=2))
    simulation = fairlead.simulate(problem, Lose("east", "region"))
    found = effect(simulation)
    assert not simulation.fits
    assert simulation.before.status is Status.OPTIMAL
    assert (found.lost, found.started, found.unplaced, dict(found.after)) == (7, 3, 4, {"member3": 5})
    assert len(simulation.broken) == 1
    assert "member3 has no capacity left" in simulation.broken[0].text
    assert "Does not fit: 4 replicas unplaced; 7 replicas are lost, 3 are started." in str(simulation)


def test_without_time_it_is_not_known_whether_all_fits() -> None:
    """Each alone finds room for its 4 or 5 replicas on member3; together 4 are left when time is over."""
    fewer, more = running(4, called="a", member1=4), running(5, called="b", member2=3, member3=2)
    simulation = fairlead.simulate(fairlead.load(fleet(3), fewer, more), Lose("east", "region"), time_limit=0)
    assert sum(each.unplaced for each in simulation.effects) == 4
    assert (simulation.fits, simulation.known) == (False, False)
    assert "Not known whether it fits: 4 replicas unplaced when time was over" in str(simulation)
    assert code_of_simulation(simulation) == 4


def test_a_sweep_says_of_how_many_it_is_not_known_whether_fewer_do(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each cluster has room for 3: any loss leaves 1 or more of 7, unproven; the time left is used."""
    asked: list[float] = []

    def unproven(*problems: Any, **settings: Any) -> Outcome:
        asked.append(settings["time_limit"])
        outcome = fairlead.solve(*problems, **settings)
        if outcome.fits:
            return outcome
        return replace(outcome, objectives=tuple(replace(each, proven=False) for each in outcome.objectives))

    monkeypatch.setattr("fairlead.solver.simulate.simulate.solve", unproven)
    problem = fairlead.load(fleet(0), running(7, member1=3, member2=3, member3=1))
    simulation = fairlead.simulate(problem, sweep="cluster", time_limit=40)
    assert [each.least for each in simulation.scenarios] == [False, False, False]
    # The question as it is, each scenario, and each once more: a third of what is left is more than before.
    assert len(asked) == 1 + 3 + 3
    assert min(asked[4:]) > max(asked[1:4])
    assert "3 replicas unplaced so far (default/web 3)" in str(simulation)
    assert [row[2].text for row in scenario_table(simulation).rows] == ["3 so far", "3 so far", "1 so far"]


def test_a_sweep_looks_once_more_at_what_was_not_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first answer to each of three losses comes to nothing, the second one is that of the search."""
    asked: list[float] = []

    def late(*problems: Any, **settings: Any) -> Outcome:
        asked.append(settings["time_limit"])
        outcome = fairlead.solve(*problems, **settings)
        first = 1 < len(asked) <= 1 + 3
        return replace(outcome, status=Status.UNKNOWN, placement=None, objectives=()) if first else outcome

    monkeypatch.setattr("fairlead.solver.simulate.simulate.solve", late)
    problem = fairlead.load(fleet(0), running(7, member1=3, member2=3, member3=1))
    simulation = fairlead.simulate(problem, sweep="cluster", time_limit=40)
    assert len(asked) == 1 + 3 + 3
    assert [sum(each.unplaced.values()) for each in simulation.scenarios] == [3, 3, 1]


def test_what_has_no_cluster_left_does_not_fit_before_that_is_searched(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """All three clusters are drained: however little is proven in time, 9 replicas have no place."""

    def unproven(*asked: Any, **settings: Any) -> Outcome:
        outcome = fairlead.solve(*asked, **settings)
        return replace(outcome, objectives=tuple(replace(each, bound=0) for each in outcome.objectives))

    monkeypatch.setattr("fairlead.solver.simulate.simulate.solve", unproven)
    problem = fairlead.load(fleet(3), running(9, member1=4, member2=3, member3=2))
    simulation = fairlead.simulate(problem, *(Drain(each.name) for each in problem.clusters))
    assert (effect(simulation).unplaced, simulation.known) == (9, True)


def test_one_workload_that_does_not_fit_stops_no_other() -> None:
    """The copy on member3 needs more than there is; web is placed all the same."""
    big = binding(
        "big", 2, {"member1": 2, "member2": 2}, {"clusterAffinity": {"exclude": ["member3"]}, **duplicated()}
    )
    problem = fairlead.load(fleet(), big, running())
    simulation = fairlead.simulate(problem, Scale("default/web", 500))
    by_key = {one.workload: one for one in simulation.effects}
    assert by_key["default/big"].unplaced == 0
    assert not by_key["default/big"].happens
    assert by_key["default/web"].unplaced == 500 - 6 - 15


def test_where_nothing_runs_the_best_placement_is_now() -> None:
    """Without anything running there is nothing but the best placement to compare with."""
    problem = fairlead.load(fleet(), binding("web", 6, {}, static(), cpu="1"))
    found = effect(fairlead.simulate(problem, Lose("member1")))
    assert found.before == dict.fromkeys(REGIONS, 2)
    assert (found.lost, found.started) == (2, 2)


def test_what_would_move_anyway_is_told_apart() -> None:
    """Static weights want 3 and 3 whether member3 is there or not: its loss is not to blame."""
    weights = static((["member1", "member2"], 1))
    problem = fairlead.load(
        fleet(), binding("web", 6, {"member1": 6}, weights, cpu="1"), running(called="other")
    )
    simulation = fairlead.simulate(problem, Drain("member3"))
    by_key = {one.workload: one for one in simulation.effects}
    assert (by_key["default/web"].moved, by_key["default/web"].anyway) == (3, True)
    assert by_key["default/other"].caused
    assert not by_key["default/web"].caused
    assert "Even before the change, 3 replicas move in 1 workload." in str(simulation)
    assert "Fits: 2 replicas move." in str(simulation)
    assert simulation.to_dict()["anyway"] == 1
    idle = fairlead.simulate(problem, Scale("other", 6))
    assert not any(one.caused for one in idle.utilisation)
    assert "CPU" not in terminal(idle)


def test_added_clusters(tmp_path: Path) -> None:
    """A policy that is added wins over the copy in the binding, a cluster that is added takes its part."""
    now, more = tmp_path / "now.yaml", tmp_path / "more.yaml"
    now.write_text(yaml.safe_dump_all([*fleet(), binding("web", 8, {}, static(), cpu="1")]))
    more.write_text(yaml.safe_dump(cluster("member4", cpu=5, region="north")))
    problem = fairlead.load(now)
    found = effect(fairlead.simulate(problem, fairlead.Add(fairlead.load(now, more))))
    assert found.after == {"member1": 2, "member2": 2, "member3": 2, "member4": 2}
    assert sum(found.before.values()) == 8


def test_rules_that_are_broken_at_once() -> None:
    """Until the replica is started again, one region instead of two holds any: that is told apart."""
    spread = {"spreadConstraints": [{"spreadByField": "region", "minGroups": 2}]}
    problem = fairlead.load(
        fleet(), binding("web", 4, {"member1": 3, "member3": 1}, {**dynamic(), **spread}, cpu="1")
    )
    more = fairlead.simulate(problem, Lose("member3"))
    assert [violation.rule for violation in more.broken_at_once] == ["spread"]
    assert [violation.rule for violation in more.broken] == ["spread"]
    kept = fairlead.simulate(problem, Lose("member1"))
    assert [violation.rule for violation in kept.broken_at_once] == ["spread"]
    assert kept.fits


def test_utilisation_before_and_after() -> None:
    """Each cluster has 5 free and 2 running; the 2 of member1 are shared by the others."""
    simulation = fairlead.simulate(web(), Lose("member1"))
    cpu = {one.cluster: (one.before, one.after) for one in simulation.utilisation if one.resource == "cpu"}
    assert cpu["member1"] == (Utilisation("member1", "cpu", 2000, 7000, 7000), None)
    assert cpu["member2"][0] == Utilisation("member2", "cpu", 2000, 7000, 7000)
    used = [after.used for _, after in cpu.values() if after is not None]
    assert sum(used) == 6000


def test_sweep_over_regions() -> None:
    """Losing the east leaves 2 + 3 places for 9; losing the west leaves 7 + 3 + 3. The worst comes first."""
    problem = fairlead.load(fleet(3), running(9, member1=4, member2=3, member3=2))
    simulation = fairlead.simulate(problem, sweep="region")
    assert [str(one.change) for one in simulation.scenarios] == ["lose region east", "lose region west"]
    east, west = simulation.scenarios
    assert (east.fits, dict(east.unplaced), east.clusters) == (
        False,
        {"default/web": 4},
        ("member1", "member2"),
    )
    assert (west.fits, west.unplaced, west.lost, west.started) == (True, {}, 2, 2)
    assert not simulation.fits
    assert simulation.after is simulation.before


def test_a_sweep_counts_what_is_unplaced_in_the_affinity_group_that_is_chosen() -> None:
    """A full copy has no room on a, so b and c are the group; whichever is lost, others hold all copies."""
    groups = [
        {"affinityName": "first", "clusterNames": ["a"]},
        {"affinityName": "second", "clusterNames": ["b", "c"]},
    ]
    placement = {**duplicated(), "clusterAffinities": groups}
    members = [cluster("a", cpu=1), cluster("b", cpu=4), cluster("c", cpu=4)]
    problem = fairlead.load(members, binding("web", 2, {}, placement, cpu=1))
    scenarios = fairlead.simulate(problem, sweep="cluster").scenarios
    assert {each.name: (each.fits, dict(each.unplaced)) for each in scenarios} == dict.fromkeys(
        "abc", (True, {})
    )


def test_what_no_partial_placement_allows_does_not_fit_whatever_the_time() -> None:
    """Both replicas have to leave a, which is tainted or drained, and none may move: never given way to.

    With several affinity groups, too, that is certain, and nothing is to be had from a higher time limit.
    """
    groups = [{"affinityName": name, "clusterNames": ["a", name]} for name in ("b", "c")]
    stream = [
        cluster("a", cpu=4, taints=["down:NoExecute"]),
        cluster("b", cpu=4),
        cluster("c", cpu=4),
        binding("web", 2, {"a": 2}, {**static(), "clusterAffinities": groups}, cpu=1),
        own("MoveBudget", total=0),
    ]
    problem = fairlead.load(stream)
    assert fairlead.solve(problem, partial=True).status is Status.INFEASIBLE
    simulation = fairlead.simulate(problem, sweep="drain")
    assert [(each.fits, each.known) for each in simulation.scenarios] == [(False, True)] * 3
    told = str(fairlead.simulate(problem, Drain("b"))).splitlines()
    assert "Even before the change, no placement keeps every rule." in told
    assert not [line for line in told if line.startswith("Even before the change") and "stopped" in line]


@pytest.mark.parametrize(("sweep", "count"), [("region", 2), ("cluster", 3), ("rack", 3), ("drain", 3)])
def test_sweeps(sweep: str, count: int) -> None:
    """Whatever groups clusters can be lost, group by group."""
    assert len(fairlead.simulate(web(), sweep=sweep).scenarios) == count


@pytest.mark.parametrize(
    ("sweep", "message"), [("zone", "no cluster has a zone"), ("regio", "did you mean region")]
)
def test_sweeps_over_nothing(sweep: str, message: str) -> None:
    """A sweep without scenarios is a mistake, not a success."""
    with pytest.raises(fairlead.UsageError, match=message):
        fairlead.simulate(web(), sweep=sweep)


def test_sweep_on_top_of_changes() -> None:
    """With member3 drained the east is all there is: it cannot be lost."""
    simulation = fairlead.simulate(web(), Drain("member3"), sweep="region")
    worst = simulation.scenarios[0]
    assert (str(worst.change), dict(worst.unplaced)) == ("lose region east", {"default/web": 6})


def test_losing_everything() -> None:
    """Where no cluster is left nothing is placed, and that is an answer."""
    simulation = fairlead.simulate(web(), *map(Lose, REGIONS))
    assert effect(simulation).unplaced == 6
    assert effect(simulation).lost == 6


def test_a_fleet_that_does_not_fit_as_it_is() -> None:
    """What is missing without the change too is said, and is not blamed on it."""
    problem = fairlead.load(fleet(1), running(20))
    simulation = fairlead.simulate(problem, Scale("default/web", 21))
    assert "Even before the change, not everything fits: 1 shortfall." in str(simulation)


def test_the_same_whatever_the_order() -> None:
    """The same fleet gives the same simulation, whatever the order of documents."""
    documents = [*fleet(3), running(9, member1=4, member2=3, member3=2), running(called="api")]

    def told(order: list[Manifest]) -> str:
        simulation = fairlead.simulate(fairlead.load(order), Drain("member2"), sweep="cluster")
        document = simulation.to_dict()
        for side in ("before", "after"):
            del document[side]["seconds"]
        return json.dumps(document)

    shuffled = list(documents)
    Random(3).shuffle(shuffled)
    assert told(documents) == told(shuffled)


def test_settings_reach_both_answers() -> None:
    """The measure of the deviation and the method count for every answer."""
    simulation = fairlead.simulate(web(), Drain("member1"), deviation="l1", method="cp-sat")
    for outcome in (simulation.before, simulation.after):
        assert (outcome.problem.deviation, outcome.origin) == (Deviation.L1, "cp-sat")


def test_simulations_are_values() -> None:
    """They survive the way between processes and have a rendering for notebooks."""
    simulation = fairlead.simulate(web(), Drain("member1"), sweep="region")
    again = pickle.loads(pickle.dumps(simulation))
    assert str(again) == str(simulation)
    assert again.effects == simulation.effects
    html = simulation._repr_html_()
    assert "<td" in html
    assert "drain member1" in html


def named(name: str) -> fairlead.Simulation:
    """Return a simulation of a hand-made workload of some name."""
    workload = Workload(name, name, 1, current={"a": 1}, rules=(Candidates(("a", "b")), Total()))
    problem = Problem((fairlead.Cluster("a"), fairlead.Cluster("b")), (workload,), (Capacity(),))
    return fairlead.simulate(problem, Drain("a"))


def test_texts_of_the_input_are_escaped() -> None:
    """Names come from the input and are shown as they are, not run."""
    assert "<b>x" not in named("<b>x")._repr_html_()
    assert "\x1b" not in terminal(named("x\x1b[31m"))


def test_document() -> None:
    """The document holds what changes, and the outcomes on both sides."""
    document = json.loads(json.dumps(fairlead.simulate(web(), Lose("member1"), sweep="cluster").to_dict()))
    (workload,) = document["workloads"]
    assert (workload["key"], workload["lost"], workload["started"]) == ("default/web", 2, 2)
    assert workload["clusters"][0] == {"name": "member1", "before": 2, "after": 0}
    assert document["changes"] == ["lose cluster member1"]
    assert document["fits"] is True
    assert document["unchanged"] == 0
    assert document["before"]["status"] == document["after"]["status"] == "Optimal"
    gone = next(one for one in document["utilisation"] if one["cluster"] == "member1")
    assert gone["after"] is None
    assert {level["name"] for level in document["objectives"]} == {"moves", "deviation"}
    assert [scenario["fits"] for scenario in document["scenarios"]] == [True, True]


def test_tables() -> None:
    """The verdict, workloads, clusters of workloads, clusters; nothing about what stays."""
    problem = fairlead.load(fleet(), running(), binding("idle", 2, {"member2": 2}, dynamic(), cpu="1"))
    lines = terminal(fairlead.simulate(problem, Drain("member1")), Look(width=80)).splitlines()
    assert lines[0] == "What if: drain member1"
    assert lines[1] == "Fits: 2 replicas move."
    assert lines[3].split() == ["WORKLOAD", "REPLICAS", "MOVED", "LOST", "UNPLACED", "FEWER", "MORE"]
    assert " ".join(lines[4].split()) == "default/web 6 2 - - -2 member1 +2 member3"
    assert lines[5] == "1 other workload does not change."
    assert lines[-1] == "1 workload changes, 2 replicas move, 0 unplaced."
    assert all(len(line) <= 80 for line in lines)


def test_nothing_is_said_of_rows_that_are_not_there() -> None:
    """Where no workload changes, the last line says so alone."""
    problem = fairlead.load(fleet(), binding("idle", 2, {"member2": 2}, dynamic(), cpu="1"))
    shown = terminal(fairlead.simulate(problem, Drain("member1")), Look(width=80))
    assert "not change" not in shown
    assert shown.endswith("0 workloads change, 0 replicas move, 0 unplaced.")


def test_long_tables_are_cut() -> None:
    """Of 30 workloads 20 are shown, unless all are asked for; for scripts there are rows only."""
    many = [binding(f"web{number:02}", 1, {"member1": 1}, dynamic(), cpu="1") for number in range(30)]
    simulation = fairlead.simulate(fairlead.load(fleet(40), many), Lose("member1"))
    text = terminal(simulation)
    assert "... and 10 more workloads (-A shows all)" in text
    assert "default/web29" in terminal(simulation, Look(picked=Rows(every=True)))
    assert "more" not in terminal(simulation, Look(wide=True))
    assert len(terminal(simulation, Look(headers=False)).splitlines()) == 60


def test_tables_of_a_sweep() -> None:
    """A row per scenario, the worst first; for scripts nothing else."""
    problem = fairlead.load(fleet(3), running(9, member1=4, member2=3, member3=2))
    simulation = fairlead.simulate(problem, sweep="region")
    lines = terminal(simulation, Look(width=80)).splitlines()
    assert lines[0] == "What if: lose any one region (2 scenarios)"
    assert lines[1].startswith("Does not fit in 1 of 2 scenarios; worst: lose region east")
    assert " ".join(lines[-2].split()) == "east does not fit 4 - - 7 default/web 4"
    assert " ".join(lines[-1].split()) == "west fits - - - 2 -"
    assert len(terminal(simulation, Look(headers=False)).splitlines()) == 2


def test_a_scenario_without_an_answer_is_not_the_worst() -> None:
    """Of losing east is known that 4 do not fit; of west nothing, and that is said, not counted as a loss."""
    problem = fairlead.load(fleet(3), running(9, member1=4, member2=3, member3=2))
    simulation = fairlead.simulate(problem, sweep="region")
    east, west = simulation.scenarios
    late = Scenario(west.change, west.clusters, "Unknown")
    assert sorted([west, late, east], key=attrgetter("rank")) == [east, late, west]
    both = replace(simulation, scenarios=(east, late))
    assert not both.fits
    lines = terminal(both, Look(width=80)).splitlines()
    assert " ".join(lines[-1].split()) == "west not answered - - - - -"
    assert (
        "lose region east, 4 replicas unplaced (default/web 4). Not known of 1 more: 1 was not answered;"
        in str(both)
    )
    nothing = replace(simulation, scenarios=(late,))
    assert "Not known: no scenario was answered in time; raise the time limit." in str(nothing)
    others = replace(simulation, scenarios=(late, west))
    assert "1 of 2 scenarios was not answered in time; everything fits in the others." in str(others)
    assert code_of_simulation(others) == 4


def test_a_scenario_that_may_fit_is_told_apart() -> None:
    """Of losing west, 1 replica was left when time was over: that comes after what does not fit."""
    problem = fairlead.load(fleet(3), running(9, member1=4, member2=3, member3=2))
    simulation = fairlead.simulate(problem, sweep="region")
    east, west = simulation.scenarios
    perhaps = replace(west, unplaced={"default/web": 1}, known=False)
    assert sorted([perhaps, east], key=attrgetter("rank")) == [east, perhaps]
    both = replace(simulation, scenarios=(east, perhaps))
    assert " ".join(terminal(both, Look(width=80)).splitlines()[-1].split()).startswith(
        "west not known 1 - - 2"
    )
    assert "Not known of 1 more: in 1 not everything was placed in time; raise the time limit." in str(both)
    assert code_of_simulation(both) == 3
    alone = replace(simulation, scenarios=(perhaps,))
    assert "Not known: in 1 of 1 scenario not everything was placed in time; worst: lose region west" in str(
        alone
    )
    assert code_of_simulation(alone) == 4


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """Return the options that name the fleet in a file."""
    file = tmp_path / "fleet.yaml"
    file.write_text(yaml.safe_dump_all([*fleet(3), running(9, member1=4, member2=3, member3=2)]))
    return ["simulate", "-q", "-f", str(file)]


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (["--drain", "member3"], 0),
        (["--lose", "member3"], 0),
        (["--lose", "region=east"], 3),
        (["--lose", "rack=1", "--cordon", "member2"], 3),
        (["--scale", "default/web=10"], 0),
        (["--scale", "web=100"], 3),
        (["--sweep", "region"], 3),
        (["--sweep", "drain", "--scale", "web=2"], 0),
        (["--restore", "member1"], 0),
    ],
)
def test_exit_codes(
    files: list[str], options: list[str], code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    """0 where everything fits, 3 where something does not."""
    assert main([*files, *options]) == code
    assert capsys.readouterr().out.startswith("What if: ")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "nothing to simulate"),
        (["--drain", "membr1"], "error: no cluster 'membr1'; did you mean member"),
        (["--lose", "region=eats"], "error: no region 'eats'; did you mean east"),
        (["--scale", "web"], "'web' is not of the form WORKLOAD=N"),
        (["--scale", "web=-1"], "'-1' in 'web=-1' is not a whole number"),
        (["--scale", "wbe=1"], "error: no workload 'wbe'; did you mean default/web"),
        (["--weight", "web=1"], "'web' is not of the form WORKLOAD:CLUSTER"),
        (["--weight", "web:=1"], "'web:' is not of the form WORKLOAD:CLUSTER"),
        (["--weight", "web:member1=1"], "its weights are the capacity of the clusters"),
        (["--sweep", "regio"], "error: no sweep 'regio'; did you mean region"),
        (["--sweep", "all"], "'all'; known: at, cluster, drain, provider, rack, region and zone (or the key"),
        (["-f", "-", "--add", "-"], "standard input can only be named once"),
    ],
)
def test_wrong_options(
    files: list[str], options: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is wrong is shown, with what was meant."""
    assert main([*files, *options]) == 2
    printed = capsys.readouterr()
    assert message in printed.err
    assert printed.out == ""


def test_command_line_adds_files(
    files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Clusters that are added make room; one that is there already is a mistake of the input."""
    more = tmp_path / "more.yaml"
    more.write_text(yaml.safe_dump(cluster("member4", cpu=30, region="north")))
    assert main([*files, "--add", str(more), "--lose", "region=east", "-o", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["changes"] == ["add manifests", "lose region east"]
    more.write_text(yaml.safe_dump(cluster("member1", cpu=30)))
    assert main([*files, "--add", str(more)]) == 2
    assert "member1" in capsys.readouterr().err


@pytest.mark.parametrize("where", ["input", "added"])
def test_standard_input_is_read_once_and_used_twice(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    """What kubectl prints can be the input, and so can what is added."""
    now = yaml.safe_dump_all([*fleet(3), running(9, member1=4, member2=3, member3=2)])
    more = yaml.safe_dump(cluster("member4", cpu=30, region="north"))
    piped, written = (now, more) if where == "input" else (more, now)
    file = tmp_path / "file.yaml"
    file.write_text(written)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(piped.encode())))
    first, second = ("-", str(file)) if where == "input" else (str(file), "-")
    arguments = [
        "simulate",
        "-n",
        "default",
        "-f",
        first,
        "--add",
        second,
        "--lose",
        "region=east",
        "-o",
        "json",
    ]
    assert main(arguments) == 0
    assert json.loads(capsys.readouterr().out)["workloads"][0]["lost"] == 7


def test_formats(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """JSON and YAML hold the same; wide shows the levels."""
    main([*files, "--drain", "member3", "-o", "json"])
    document = json.loads(capsys.readouterr().out)
    main([*files, "--drain", "member3", "-o", "yaml"])
    same = yaml.safe_load(capsys.readouterr().out)
    for each in (document, same):
        for side in ("before", "after"):
            del each[side]["seconds"]
    assert document == same
    main([*files, "--drain", "member3", "-o", "wide"])
    assert "OBJECTIVE" in capsys.readouterr().out


def test_warnings_that_changes_bring(capsys: pytest.CaptureFixture[str]) -> None:
    """A minimum that has no effect any more is a warning, on standard error."""
    assert main(["simulate", "-f", "examples/three-regions", "--drain", "us-east-1"]) == 0
    assert (
        "the minimum of 2 on us-east-1 has no effect: us-east-1 is being drained" in capsys.readouterr().err
    )


@pytest.mark.parametrize("seed", range(25))
def test_random_changes_are_solved(seed: int) -> None:
    """The answer to a changed problem is that of brute force, and effects add up."""
    problem = random_problem(seed, Deviation.WEBSTER, most_replicas=3)
    rng = Random(seed)
    change: Change = rng.choice([Drain, Lose, Cordon])(rng.choice(problem.clusters).name)
    best = brute_force(changed(problem, [change]))
    simulation = fairlead.simulate(problem, change, time_limit=None)
    if best is None:
        assert simulation.after.problem.partial
    else:
        assert simulation.after.placement == best.placement
    assert_adds_up(simulation, simulation.after)


def assert_adds_up(simulation: fairlead.Simulation, after: Outcome) -> None:
    """Check that what runs, less what is lost and stopped, plus what is started, stands there then."""
    assert after.placement is None or all(one.gives_way for one in check(after.problem, after.placement))
    for one in simulation.effects:
        before, then = sum(one.before.values()), sum(one.after.values())
        assert before - one.lost - one.stopped + one.started == then
        assert 0 <= one.moved <= min(one.started, one.stopped)


def test_the_document_shows_what_is_printed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every block that begins with a command is its real output."""
    monkeypatch.chdir(ROOT)
    blocks = (ROOT / "docs" / "what-if.md").read_text().split("```\n$ fairlead ")[1:]
    assert len(blocks) == 4
    for block in blocks:
        command, _, printed = block.split("\n```")[0].partition("\n")
        main(command.split())
        assert capsys.readouterr().out.rstrip() == printed


def test_the_python_of_the_document_runs() -> None:
    """The block runs, and is right about the loss of home."""
    code = (ROOT / "docs" / "what-if.md").read_text().split("```python\n")[1].split("```")[0]
    found: dict[str, fairlead.Simulation] = {}
    exec(code.replace('"examples/', f'"{ROOT}/examples/'), {}, found)  # noqa: S102 - our own document
    assert not found["simulation"].fits
    worst = found["simulation"].scenarios[0]
    assert (str(worst.change), dict(worst.unplaced)) == ("lose cluster home", {"ml/inference": 6})


def test_what_is_said_twice_is_one_change(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Of clusters, in Python as on the command line; what is scaled twice wants what was said last."""
    twice = (Cordon("member2"), Drain("member1"), Drain("member1"), Lose("member3"), Lose("member3"))
    documents = [*fleet(), binding("web", 4, placement=static())]
    problem = fairlead.load(documents)
    once = fairlead.simulate(problem, Cordon("member2"), Drain("member1"), Lose("member3"))
    both = fairlead.simulate(problem, *twice)
    assert (both.changes, both.effects) == (once.changes, once.effects)
    scales = (Scale("default/web", 1), Scale("default/web", 2), Scale("default/web", 1))
    assert fairlead.simulate(problem, *scales).changes == scales
    file = tmp_path / "fleet.yaml"
    file.write_text(yaml.safe_dump_all(documents))
    main(["simulate", "-f", str(file), "--drain", "member1", "--drain", "member1"])
    assert capsys.readouterr().out.count("drain member1") == 1


def test_no_copy_at_all_is_unplaced() -> None:
    """Without member2 no cluster is open, and a copy of 2 is missing, as where copies may be chosen."""
    closed = cluster("member1", taints=["edge:NoExecute"])
    copies = policy("copies", duplicated(), selects=[selector("web")])
    problem = fairlead.load([closed, cluster("member2"), binding("web", 2, {"member2": 2}), copies])
    by_itself = fairlead.simulate(problem, Lose("member2"))
    assert (by_itself.fits, [each.unplaced for each in by_itself.effects]) == (False, [2])
    scenarios = fairlead.simulate(problem, sweep="cluster").scenarios
    assert [(each.name, each.fits, dict(each.unplaced)) for each in scenarios] == [
        ("member2", False, {"default/web": 2}),
        ("member1", True, {}),
    ]
    assert by_itself.after.to_dict()["workloads"][0]["unplaced"] == 2
