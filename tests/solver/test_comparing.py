"""compare(): the best placement beside what dispensers do, in words and numbers."""

import json
import os
import signal
from dataclasses import replace
from typing import Any

import pytest

import fairlead
from builders import Manifest, binding, cluster, clusters, dynamic, static, term
from fairlead.cli.app import main
from fairlead.cli.compare import DISPENSERS as OFFERED
from fairlead.report.renderer import terminal
from fairlead.report.terminal import Look
from fairlead.solver import compare
from fairlead.solver.dispense import DISPENSERS
from kubeadmiral_manifests import members, policy, web


def hundred() -> fairlead.Problem:
    """Return 100 replicas over four equals: 25 each is best."""
    return fairlead.load(clusters(4), binding("web", 100, placement=static()))


def only(comparison: fairlead.Comparison) -> fairlead.Contender:
    """Return the only contender."""
    (contender,) = comparison.contenders
    return contender


def test_replicas_that_the_proposal_leaves() -> None:
    """The proposal places 26, 19, 15, 11 of 100, which leaves 29."""
    comparison = fairlead.compare(hundred(), ["karmada-proposal"])
    contender = only(comparison)
    assert comparison.best.status is fairlead.Status.OPTIMAL
    assert (contender.unplaced, contender.verdict) == (29, "karmada-proposal leaves 29 replicas unplaced.")
    assert contender.differences[1] == fairlead.Difference("default/web", "member2", 19, 25)
    assert len(contender.differences) == 4


def test_the_workloads_own_scheduler_is_the_default() -> None:
    """Karmada for bindings, KubeAdmiral for its policies, neither where they are mixed."""
    karmada = [*clusters(2), binding("web", 2, placement=static())]
    federated: list[Manifest] = [*members(2), policy("web"), web(4)]
    for documents, names in (
        (karmada, ["karmada", "reference"]),
        (federated, ["kubeadmiral", "reference"]),
        ([*clusters(1), *federated[1:], binding("other", 2, placement=static())], ["reference"]),
    ):
        comparison = fairlead.compare(fairlead.load(documents))
        assert [contender.name for contender in comparison.contenders] == names


def test_the_same_placement() -> None:
    """4 over two equals is 2 and 2, whoever divides."""
    comparison = fairlead.compare(fairlead.load(clusters(2), binding("web", 4, placement=static())))
    assert [contender.verdict for contender in comparison.contenders] == [
        "karmada gives the same placement.",
        "reference gives the same placement.",
    ]
    assert all(contender.differences == () for contender in comparison.contenders)


def test_only_the_metric_differs() -> None:
    """Quotas 7.2, 1.4, 1.4 of 10: Webster gives 8, 1, 1; by l1 the other's 7, 2, 1 is no worse."""
    # Webster: 7, 2, 1 is .04/7.2 + .36/1.4 + .16/1.4 = 0.3770; 8, 1, 1 is .64/7.2 + 2 * .16/1.4 = 0.3175.
    # l1: .2 + .6 + .4 = 1.2 against .8 + .4 + .4 = 1.6; minimax: .6/1.4 = 0.43 against .4/1.4 = 0.29.
    ratio = static(("member1", 72), ("member2", 14), ("member3", 14))
    problem = fairlead.load(clusters(3), binding("web", 10, placement=ratio))
    assert only(fairlead.compare(problem, ["largest-remainder"])).verdict == (
        "largest-remainder keeps every rule, but is worse on deviation: 0.3770 instead of 0.3175 by webster; "
        "by l1 it is no worse."
    )
    by_l1 = fairlead.compare(problem, ["largest-remainder"], deviation="l1")
    assert only(by_l1).verdict == "largest-remainder gives the same placement."


def test_other_metrics_are_measured_whatever_the_priority() -> None:
    """Where every workload has priority 5 the words are those of priority 0."""
    ratio = static(("member1", 72), ("member2", 14), ("member3", 14))
    plain = fairlead.load(clusters(3), binding("web", 10, placement=ratio))
    urgent = replace(plain, workloads=tuple(replace(each, priority=5) for each in plain.workloads))
    verdicts = {only(fairlead.compare(each, ["largest-remainder"])).verdict for each in (plain, urgent)}
    assert len(verdicts) == 1


def test_broken_rules_are_told_in_words() -> None:
    """Karmada does not know minReplicas: of 10 it puts 9 and 1 where the second cluster needs 3."""
    bounded = static(("member1", 9), ("member2", 1), clusterConstraintTerms=[term("member2", 3)])
    comparison = fairlead.compare(
        fairlead.load(clusters(2), binding("web", 10, placement=bounded)), ["karmada"]
    )
    assert only(comparison).verdict == "karmada violates 1 rule."
    lines = str(comparison).splitlines()
    assert lines[0] == "Optimal: no better placement exists (proven)."
    assert lines[2].startswith("  default/web: member2 holds 1 replica, at least 3 are needed")


def test_nothing_to_compare_with() -> None:
    """12 on 10 pods cannot be: the dispenser's category stands beside the conflict."""
    problem = fairlead.load(cluster("member1", pods=10), binding("web", 12, placement=dynamic(), cpu="0"))
    comparison = fairlead.compare(problem, ["karmada", "webster"])
    assert comparison.best.status is fairlead.Status.INFEASIBLE
    assert [contender.differences for contender in comparison.contenders] == [(), ()]
    assert [contender.verdict for contender in comparison.contenders] == [
        "karmada reports Unschedulable and leaves 12 replicas unplaced.",
        "webster violates 1 rule.",
    ]


def test_failures_name_their_workloads() -> None:
    """12 on 10 pods is refused, 3 beside it are placed: a scheduler fails on workloads, not on an input."""
    parts = {"big": 12, "small": 3, "vast": 99}
    all_of_it = [binding(name, count, placement=dynamic(), cpu="0") for name, count in parts.items()]
    fitting = [binding("big", 3, placement=dynamic(), cpu="0")]
    problem = fairlead.load(cluster("member1", pods=10), all_of_it)
    answer = only(fairlead.compare(problem, ["karmada"]))
    assert answer.verdict.startswith("karmada reports Unschedulable for default/big and default/vast and")
    told = answer.outcome.to_dict()["workloads"]
    assert [one.get("reason") for one in told] == ["Unschedulable", None, "Unschedulable"]
    whole = only(fairlead.compare(fairlead.load(cluster("member1", pods=10), fitting), ["karmada"]))
    assert whole.outcome.reasons == {}


def test_capacity_is_deducted_when_asked_for() -> None:
    """Three of 4 on 10 and 2 pods: Karmada puts 3 and 1 of each there, and member2 has no room for 3."""
    three = [binding(name, 4, placement=dynamic(), cpu="0") for name in ("one", "two", "three")]
    problem = fairlead.load(cluster("member1", pods=10), cluster("member2", pods=2), three)
    assert only(fairlead.compare(problem, ["karmada"])).verdict.startswith("karmada violates 1 rule")
    deducted = only(fairlead.compare(problem, ["karmada"], overcommit="deduct"))
    assert deducted.outcome.violations == ()


def test_settings_count_for_all() -> None:
    """Fresh: Karmada's answer forgets the 4 that run on one side, as the best one does."""
    running = binding("web", 4, {"member1": 4}, dynamic(), cpu="0")
    problem = fairlead.load(clusters(2, pods=100), running)
    steady, fresh = (fairlead.compare(problem, ["karmada"], fresh=asked) for asked in (False, True))
    assert only(steady).verdict == "karmada gives the same placement."
    assert only(fresh).outcome.problem.workloads[0].fresh
    assert only(fresh).outcome.placement != only(steady).outcome.placement


def test_document() -> None:
    """The best outcome and every contender have the keys of `solve -o json`; it is all JSON."""
    document = json.loads(json.dumps(fairlead.compare(hundred(), ["karmada-proposal", "webster"]).to_dict()))
    assert document["best"]["status"] == "Optimal"
    first, second = document["contenders"]
    assert (first["name"], first["status"], first["unplaced"]) == ("karmada-proposal", "Infeasible", 29)
    assert first["differences"][0] == {
        "workload": "default/web",
        "cluster": "member1",
        "replicas": 26,
        "best": 25,
    }
    assert set(document["best"]) <= set(second)
    assert second["verdict"] == "webster gives the same placement."


def test_unknown_dispenser() -> None:
    """A name that nobody has is named, with those that there are."""
    with pytest.raises(fairlead.UsageError, match="no dispenser 'greedy'; known: karmada, "):
        fairlead.compare(hundred(), ["greedy"])


def test_tables() -> None:
    """What is to be said, answers, and replicas that differ."""
    told, answers, differing = terminal(fairlead.compare(hundred(), ["karmada-proposal"])).split("\n\n")
    assert told.startswith("Optimal: no better placement exists (proven).\n")
    assert "karmada-proposal leaves 29 replicas unplaced." in told.splitlines()
    lines = [*answers.splitlines(), "", *differing.splitlines()]
    assert lines[0].split() == ["SCHEDULER", "STATUS", "UNPLACED", "VIOLATIONS", "DEVIATION"]
    assert lines[1].split() == ["best", "Optimal", "0", "0", "0"]
    assert lines[2].split()[:4] == ["karmada-proposal", "Infeasible", "29", "1"]
    assert lines[4].split() == ["WORKLOAD", "CLUSTER", "BEST", "KARMADA-PROPOSAL"]
    assert lines[5].split() == ["default/web", "member1", "25", "26"]


def test_a_table_that_is_too_wide_is_turned() -> None:
    """A level a row and an answer a column where a line of every answer does not fit, and only there."""
    comparison = fairlead.compare(hundred(), ["karmada-proposal"])
    answers = terminal(comparison, Look(width=45)).split("\n\n")[1].splitlines()
    assert answers[0].split() == ["SCHEDULER", "BEST", "KARMADA-PROPOSAL"]
    assert answers[1].split() == ["Status", "Optimal", "Infeasible"]
    assert answers[2].split() == ["Unplaced", "0", "29"]
    assert max(map(len, answers)) <= 45
    assert terminal(comparison, Look(width=80)).split("\n\n")[1].startswith("SCHEDULER  ")


def test_long_tables_are_cut() -> None:
    """25 clusters differ, 20 are shown unless all are asked for; for scripts there is a row per answer."""
    problem = fairlead.load(clusters(25), binding("web", 1000, placement=static()))
    comparison = fairlead.compare(problem, ["karmada-proposal"])
    assert len(only(comparison).differences) == 25
    assert "... and 5 more; -o wide shows them all" in terminal(comparison)
    assert "more;" not in terminal(comparison, Look(wide=True))
    assert len(terminal(comparison, Look(headers=False)).splitlines()) == 2


def test_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    """The command prints the comparison; its exit code is that of the best placement."""
    arguments = ["compare", "-q", "-f", "examples/too-tight", "-o", "json", "--like", "webster"]
    assert main(arguments) == 3
    document = json.loads(capsys.readouterr().out)
    assert [contender["name"] for contender in document["contenders"]] == ["webster"]
    assert main(["compare", "-q", "-f", "examples/three-regions"]) == 0
    assert capsys.readouterr().out.startswith("Optimal: no better placement exists (proven).\n")


@pytest.mark.parametrize("command", ["compare", "bench"])
def test_only_real_schedulers_give_out_what_there_is_not(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Rules of thumb place all workloads by what is left; one real scheduler is enough for the option."""
    arguments = [command, "-q", "-f", "examples/three-regions", "--overcommit", "deduct", "--like", "webster"]
    assert main(arguments) == 2
    assert "--overcommit needs --like karmada or kubeadmiral" in capsys.readouterr().err
    assert main([*arguments, "--like", "karmada", "-o", "json"]) == 0


def test_the_command_line_knows_all_dispensers() -> None:
    """The names are repeated there, so that help stays fast."""
    assert OFFERED == DISPENSERS


def test_after_a_signal_no_dispenser_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who asks for the answer at once waits for nobody else; what was found until then is told."""

    def interrupted(*arguments: Any, **settings: Any) -> fairlead.Outcome:
        os.kill(os.getpid(), signal.SIGINT)
        return fairlead.solve(*arguments, **settings)

    monkeypatch.setattr(compare, "solve", interrupted)
    comparison = fairlead.compare(hundred(), ["karmada", "reference"], time_limit=60)
    assert comparison.best.placement is not None
    assert [each.outcome.status for each in comparison.contenders] == [fairlead.Status.UNKNOWN] * 2
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
