"""What people and programs read from an outcome."""

import builtins
import json
import pickle
from dataclasses import replace
from fractions import Fraction
from typing import TypeVar

import pytest

from fairlead.models.check import check
from fairlead.models.cluster import Cluster
from fairlead.models.errors import UsageError
from fairlead.models.outcome import Attained, Outcome, RejectedGroup, Status
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import (
    Aggregated,
    Bounds,
    Candidates,
    Capacity,
    Moves,
    Tiers,
    Total,
    Weights,
)
from fairlead.models.rules.bounds import Bound
from fairlead.models.rules.candidates import Exclusion
from fairlead.models.score import score
from fairlead.models.words import format_number, format_percent
from fairlead.models.workload import Workload
from fairlead.report.content.outcome import proof, verdict
from fairlead.solver.groups.choose import OUT_OF_TIME
from hand_made import GI, clusters, duplicated, feasible, infeasible, many, nginx, problem, solved

T = TypeVar("T")
NAMES = ("member1", "member2", "member3")


def place(workload: Workload, status: Status = Status.OPTIMAL, **replicas: int) -> Outcome:
    """Return an outcome for one workload."""
    return Outcome(status, "exact", problem(workload), Placement({workload.key: replicas}))


def pickled(value: T) -> T:
    """Return a value after a round trip through pickle."""
    copy: T = pickle.loads(pickle.dumps(value))
    return copy


def reasons(outcome: Outcome) -> list[str]:
    """Return the reasons of the first workload in the order of the clusters."""
    return [decision.reason for decision in outcome.decisions[outcome.problem.workloads[0].key]]


def test_fixture_is_valid_and_scored() -> None:
    """The outcome made by hand is one that the checker accepts and the scorer confirms."""
    outcome = solved()
    assert outcome.placement is not None
    assert check(outcome.problem, outcome.placement) == ()
    assert [level.value for level in score(outcome.problem, outcome.placement)] == [Fraction(49, 11), 1]


def test_reasons_name_the_rule_that_binds() -> None:
    """Minimum, room and exclusion are named; who takes over says for whom."""
    assert reasons(solved()) == [
        "at its minimum of 3",
        "its share is 3.67 (weight 2 of 6); member3 holds less than its share",
        "at capacity (0 cpu free, 500m per replica)",
        "had untolerated taint {gpu}",
    ]


def test_reason_of_a_maximum_and_of_giving_way() -> None:
    """A cluster at its maximum says so; one that lost replicas to a minimum names that cluster."""
    # 12 over 1:2:3 wants 2:4:6. A minimum of 6 in member1 leaves 6, of which member3 may hold 4 at most.
    rules = (
        Candidates(NAMES),
        Total(),
        Bounds({"member1": Bound(6)}, {"member3": Bound(4)}),
        Weights({"member1": 1, "member2": 2, "member3": 3}),
    )
    outcome = place(replace(nginx(12), requests={}, rules=rules), member1=6, member2=2, member3=4)
    assert reasons(outcome)[:3] == [
        "at its minimum of 6",
        "its share is 4.00 (weight 2 of 6); member1 holds more than its share",
        "at its maximum of 4",
    ]


def test_reason_of_an_exact_share_and_of_weight_zero() -> None:
    """A share that is met exactly is called so; weight 0 asks for nothing."""
    rules = (Candidates(NAMES), Total(), Weights({"member1": 1, "member2": 2, "member3": 0}))
    outcome = place(replace(nginx(6), rules=rules), member1=2, member2=4)
    assert reasons(outcome)[:3] == [
        "exactly its share (weight 1 of 3)",
        "exactly its share (weight 2 of 3)",
        "weight is 0",
    ]


def test_reason_of_a_cluster_that_is_not_needed() -> None:
    """One without capacity says so, and one of a later tier that those before it suffice."""
    tiers = Tiers((frozenset({"member3"}), frozenset({"member2"}), frozenset({"member1"})))
    workload = replace(nginx(2), rules=(Candidates(NAMES), Total(), Aggregated(), tiers))
    # 1000m of member3 are two replicas of 500m.
    assert reasons(place(workload, member3=2))[:2] == [
        "not needed: earlier tiers hold all replicas",
        "not needed: tier 1 holds all replicas",
    ]
    # One of three of 600m would fit there.
    larger = replace(workload, replicas=3, requests={"cpu": 600})
    few = "not needed: Aggregated uses as few clusters as possible"
    assert reasons(place(larger, member2=3))[:3] == [
        "not needed: earlier tiers hold all replicas",
        "3 of 3",
        few,
    ]
    # Where all of them run and moves come first, it is not the number of clusters that counts.
    rules = (*larger.rules, Moves(frozenset(NAMES), keep=True))
    keeping = replace(larger, rules=rules, current={"member2": 3})
    assert reasons(place(keeping, member2=3))[2] == "not needed: what runs stays"
    # One of 1100m does not fit there at all.
    too_large = replace(workload, replicas=1, requests={"cpu": 1100})
    assert reasons(place(too_large, member2=1))[2] == "at capacity (1 cpu free, 1100m per replica)"


def test_reason_of_what_is_kept() -> None:
    """Where moves come first, a cluster that keeps its replicas says so."""
    rules = (
        Candidates(NAMES),
        Total(),
        Moves(frozenset(NAMES), keep=True),
        Weights({"member1": 10, "member2": 10, "member3": 0}, dynamic=True),
    )
    workload = replace(nginx(6, {"member1": 5}), rules=rules)
    # 3:3 is wanted; the five in member1 stay, so member2 gets the one that is new.
    outcome = place(workload, member1=5, member2=1)
    assert reasons(outcome)[:3] == [
        "keeps its replicas",
        "its share is 3.00 (capacity 10 of 20); member1 holds more than its share",
        "no capacity",
    ]
    fresh = place(replace(workload, fresh=True), member1=3, member2=3)
    assert reasons(fresh)[0] == "exactly its share (capacity 10 of 20)"


def test_reason_of_a_cluster_that_takes_nothing_new() -> None:
    """A tainted cluster that keeps its replicas names the taint."""
    held = {"member2": Exclusion("had untolerated taint {old}")}
    rules = (Candidates(NAMES, held_only=held), Total(), Weights(dict.fromkeys(NAMES, 1)))
    outcome = place(replace(nginx(7, {"member2": 1}), rules=rules), member1=3, member2=1, member3=3)
    assert reasons(outcome)[1] == "keeps its replicas, takes no new ones: had untolerated taint {old}"


def test_reasons_of_copies_and_of_zero_replicas() -> None:
    """Copies are full copies; a workload scaled to 0 still goes to every candidate."""
    outcome = place(duplicated(), member1=2, member2=2)
    assert reasons(outcome)[:2] == ["full copy", "full copy"]
    nothing = place(nginx(0)).decisions["default/nginx"]
    assert [decision.selected for decision in nothing] == [True, True, True, False]
    assert nothing[0].reason == "scaled to 0"


def test_reasons_without_any_weights() -> None:
    """Without weights, a full cluster still says that it is full."""
    small = (Cluster("a", free={"cpu": 1000}), Cluster("b", free={"cpu": 9000}))
    workload = Workload("x", "x", 5, requests={"cpu": 500}, rules=(Candidates(("a", "b")), Total()))
    outcome = Outcome(
        Status.OPTIMAL,
        "exact",
        Problem(small, (workload,), (Capacity(),)),
        Placement({"x": {"a": 2, "b": 3}}),
    )
    assert reasons(outcome) == ["at capacity (0 cpu free, 500m per replica)", "3 of 5"]


def test_reasons_of_an_infeasible_problem() -> None:
    """Without a placement, clusters in the conflict repeat what it says of them."""
    decisions = infeasible().decisions["default/nginx"]
    assert not any(decision.selected or decision.replicas for decision in decisions)
    assert [decision.reason for decision in decisions] == [
        "nothing is placed: no placement keeps every rule",
        "nothing is placed: no placement keeps every rule",
        "nothing is placed: policy default/nginx: member3 needs at least 4",
        "had untolerated taint {gpu}",
    ]
    # All levels are proven within the chosen groups; of the group before them nobody knows.
    passed = {nginx().key: (RejectedGroup("first", OUT_OF_TIME),)}
    later = replace(solved(), status=Status.FEASIBLE, rejected=passed)
    assert verdict(later) == (
        "Feasible: best in its affinity groups; whether an earlier one would do was not settled in time."
    )
    unknown = replace(infeasible(), status=Status.UNKNOWN, conflict=None)
    assert reasons(unknown)[0] == "no placement was found in time"


def test_reasons_of_broken_rules() -> None:
    """Where a dispenser breaks a rule, the decision says which."""
    outcome = place(nginx(5), Status.INFEASIBLE, member1=4, member4=1)
    assert outcome.placement is not None
    broken = replace(outcome, violations=check(outcome.problem, outcome.placement))
    told = next(violation.text for violation in broken.violations if violation.cluster == "member4")
    assert reasons(broken)[3] == f"breaks a rule: {told}"
    assert "had untolerated taint {gpu}" in told


def test_room_counts_what_other_workloads_take() -> None:
    """What a second workload takes is not left for the first."""
    # member3 has 1000m: one replica each of two workloads of 500m fills it.
    rules = (Candidates(("member2", "member3")), Total(), Weights({"member2": 1, "member3": 1}))
    both = tuple(Workload(key, key, 4, requests={"cpu": 500}, rules=rules) for key in ("a", "b"))
    split = {"member2": 3, "member3": 1}
    outcome = Outcome(Status.OPTIMAL, "cp-sat", problem(*both), Placement({"a": split, "b": split}))
    assert reasons(outcome)[2] == "at capacity (0 cpu free, 500m per replica)"


def test_decisions_are_a_mapping_computed_on_demand() -> None:
    """The mapping knows its keys and refuses others."""
    outcome = solved()
    assert list(outcome.decisions) == ["default/nginx"]
    assert [decision.cluster for decision in outcome.decisions["default/nginx"]] == [*NAMES, "member4"]
    assert "default/other" not in outcome.decisions
    with pytest.raises(KeyError):
        _ = outcome.decisions["default/other"]


@pytest.mark.parametrize("outcome", [solved(), feasible(), infeasible(), many()])
def test_outcomes_are_picklable(outcome: Outcome) -> None:
    """An outcome survives pickling, also after its decisions were read."""
    key = outcome.problem.workloads[0].key
    decided = outcome.decisions[key]
    again = pickled(outcome)
    assert again == outcome
    assert again.decisions[key] == decided
    assert pickled(outcome.decisions)[key] == decided


def test_document_holds_the_promised_keys() -> None:
    """The JSON document has the keys that the documentation promises, and numbers are JSON numbers."""
    document = json.loads(json.dumps(solved().to_dict()))
    assert document["status"] == "Optimal"
    assert document["origin"] == "exact"
    assert document["conflict"] is None
    workload = document["workloads"][0]
    assert {key: workload[key] for key in ("namespace", "name", "replicas", "unplaced", "affinityGroup")} == {
        "namespace": "default",
        "name": "nginx",
        "replicas": 11,
        "unplaced": 0,
        "affinityGroup": None,
    }
    assert workload["clusters"] == [
        {"name": "member1", "replicas": 3},
        {"name": "member2", "replicas": 6},
        {"name": "member3", "replicas": 2},
    ]
    assert workload["decisions"][0] == {
        "clusterName": "member1",
        "selected": True,
        "replicas": 3,
        "reason": "at its minimum of 3",
    }
    assert document["objectives"][1] == {"name": "moves", "value": 1, "bound": 1, "proven": True}
    assert document["seconds"] == {"solve": 0.5}
    assert "decisions" not in solved().to_dict(decisions=False)["workloads"][0]


@pytest.mark.parametrize(
    ("value", "shown", "exact"),
    [
        (Fraction(3, 2), 1.5, None),  # a float holds one and a half
        (Fraction(4, 2), 2, None),
        (Fraction(1, 3), 1 / 3, "1/3"),
        (2**60 + 1, 2**60 + 1, None),  # an int is never made a float
        (Fraction(2**60 + 1, 2), float(2**59), f"{2**60 + 1}/2"),
    ],
)
def test_numbers_are_exact_or_say_so(value: int | Fraction, shown: float, exact: str | None) -> None:
    """Whole numbers are ints; what a float cannot hold is written beside it."""
    level = replace(solved(), objectives=(Attained("deviation", value, value, True),)).to_dict()[
        "objectives"
    ][0]
    assert level["value"] == level["bound"] == shown
    assert type(level["value"]) is type(shown)
    assert level.get("exact") == level.get("exactBound") == exact


def test_document_of_a_conflict() -> None:
    """Rules and relaxations carry file and line; everything is unplaced."""
    document = infeasible().to_dict()
    assert document["workloads"][0]["unplaced"] == 11
    assert document["conflict"]["rules"][0] == {
        "rule": "bounds",
        "source": "pp.yaml:31",
        "text": "policy default/nginx: member3 needs at least 4",
    }
    assert document["conflict"]["relaxations"][0]["change"] == 2


def test_frame_has_a_row_per_workload_and_cluster() -> None:
    """The frame has typed columns also where nothing is in it."""
    pytest.importorskip("pandas")
    frame = solved().to_frame()
    assert frame["replicas"].tolist() == [3, 6, 2, 0]
    assert frame["current"].tolist() == [4, 4, 0, 0]
    assert frame["wanted"].tolist()[2] == 5.5
    assert frame["wanted"].isna().tolist() == [False, False, False, True]
    empty = replace(solved(), problem=Problem(clusters(), ())).to_frame()
    assert empty.empty
    assert empty["replicas"].dtype == "int64"


def test_frame_without_pandas_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without pandas the error names the extra."""
    real = builtins.__import__

    def without_pandas(name: str, *rest: object, **more: object) -> object:
        if name == "pandas":
            raise ImportError(name)
        return real(name, *rest, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(builtins, "__import__", without_pandas)
    with pytest.raises(UsageError, match=r"fairlead\[frames\]"):
        solved().to_frame()


def test_manifests_are_bindings() -> None:
    """Bindings are named as Karmada names them and list the clusters that hold replicas."""
    (binding,) = solved().to_manifests()
    assert binding == {
        "apiVersion": "work.karmada.io/v1alpha2",
        "kind": "ResourceBinding",
        "metadata": {"name": "nginx-deployment", "namespace": "default"},
        "spec": {
            "clusters": [
                {"name": "member1", "replicas": 3},
                {"name": "member2", "replicas": 6},
                {"name": "member3", "replicas": 2},
            ],
        },
    }


def test_manifests_of_special_workloads() -> None:
    """Cluster-scoped workloads get their own kind; one that stands as it runs has no patch."""
    scaled = nginx(0, {"member1": 2})
    cluster_scoped = replace(scaled, key="sys:dns", name="sys:dns", namespace="", kind="Thing")
    (binding,) = place(cluster_scoped).to_manifests()
    assert binding["kind"] == "ClusterResourceBinding"
    assert binding["metadata"] == {"name": "sys.dns-thing"}
    assert binding["spec"] == {"clusters": []}
    assert place(nginx(2, {"member1": 2}), member1=2).to_manifests() == ()
    with pytest.raises(UsageError, match="Infeasible"):
        infeasible().to_manifests()


def test_text_of_a_solved_problem() -> None:
    """The text has the verdict, the placement and the levels."""
    assert str(solved()) == (
        "Optimal: no better placement exists (proven).\n"
        "default/nginx  11 replicas: member1 3, member2 6, member3 2\n"
        "deviation 4.4545, moves 1"
    )


def test_text_of_an_infeasible_problem() -> None:
    """The text names every rule of the conflict with file and line, and the way out."""
    assert str(infeasible()) == (
        "Infeasible: no placement keeps all of these rules:\n"
        "  policy default/nginx: member3 needs at least 4 (pp.yaml:31)\n"
        "  member3 has capacity for 2 of default/nginx (1000m cpu free, 500m per replica) "
        "(clusters.yaml:12)\n"
        "This change fixes it:\n"
        "  lower the minimum of member3 to 2 (pp.yaml:31)"
    )


def test_text_of_many_workloads_is_short() -> None:
    """Beyond twenty workloads the rest is counted."""
    lines = str(many(25)).splitlines()
    assert len(lines) == 22
    assert lines[-1] == "... and 5 more workloads"


def test_verdicts() -> None:
    """Every status has a sentence."""
    assert verdict(feasible()) == "Feasible: not proven best; deviation could be up to 10% lower."
    greedy = replace(feasible(), origin="reference", objectives=(Attained("moves", 1),))
    assert "reference proves nothing about its answer" in verdict(greedy)
    unknown = replace(infeasible(), status=Status.UNKNOWN, conflict=None)
    assert verdict(unknown).startswith("Unknown: no placement found in time")
    coarse = replace(solved(), objectives=(Attained("deviation", 2, 2, True, Fraction(1, 1000)),))
    assert verdict(coarse) == "Optimal: no better placement exists (proven, deviation within 0.001)."


def test_verdict_of_a_dispenser_that_breaks_rules() -> None:
    """Broken rules are counted and listed."""
    outcome = place(nginx(5), Status.INFEASIBLE, member1=2, member4=1)
    assert outcome.placement is not None
    broken = replace(outcome, origin="karmada", violations=check(outcome.problem, outcome.placement))
    lines = str(broken).splitlines()
    # one replica on an excluded cluster, three instead of five replicas, two where three are the minimum
    assert lines[0] == "Infeasible: the placement of karmada violates 3 rules:"
    assert lines[1:4] == [f"  {violation}" for violation in broken.violations]
    nowhere = replace(infeasible(), origin="karmada", conflict=None, reason="NoClusterFit")
    assert verdict(nowhere) == "Infeasible: karmada found no placement (NoClusterFit)."


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (7, "7"),
        (Fraction(3, 2), "1.5"),
        (Fraction(1, 3), "0.3333"),
        (Fraction(200001, 100000), "2.0000"),  # four decimals, for it is not 2
        (Fraction(1, 10**7), "1.0e-07"),
    ],
)
def test_numbers_in_words(value: int | Fraction, shown: str) -> None:
    """Numbers are short, but never look more exact than they are."""
    assert format_number(value) == shown


@pytest.mark.parametrize(
    ("share", "shown"),
    [
        (Fraction(0), "0%"),
        (Fraction(1, 8), "12%"),
        (Fraction(3, 100), "3%"),
        (Fraction(151, 10000), "1.5%"),
        (Fraction(1, 2000), "0.05%"),
        (Fraction(1, 10**6), "<0.01%"),
    ],
)
def test_percentages(share: Fraction, shown: str) -> None:
    """A gap that is not zero never reads as zero."""
    assert format_percent(share) == shown


def test_proof_column() -> None:
    """Proven, a gap, or nothing known; a bound of 0 leaves the whole value open."""
    assert proof(Attained("moves", 3, 3, proven=True)) == "proven"
    assert proof(Attained("moves", 4, 3)) == "gap 25%"
    assert proof(Attained("moves", 4, 0)) == "gap 100%"
    assert proof(Attained("moves", 4)) == "-"


def test_html_is_escaped_and_closed() -> None:
    """Names of the input cannot bring markup into a notebook."""
    evil = Workload("x/<script>", "<script>", 1, "x", rules=(Candidates(("member1",)), Total()))
    html = place(evil, member1=1)._repr_html_()
    assert "<script>" not in html
    assert "x/&lt;script&gt;" in html
    assert html.startswith("<div ")
    assert html.endswith("</div>")
    assert "pp.yaml:31" in infeasible()._repr_html_()


def test_memory_is_told_in_units() -> None:
    """The scarcest resource is told as people write it."""
    small = (
        Cluster("a", free={"cpu": 9000, "memory": 3 * GI}),
        Cluster("b", free={"cpu": 9000, "memory": 90 * GI}),
    )
    rules = (Candidates(("a", "b")), Total(), Weights({"a": 1, "b": 1}))
    workload = Workload("x", "x", 6, requests={"cpu": 100, "memory": 2 * GI}, rules=rules)
    outcome = Outcome(
        Status.OPTIMAL,
        "exact",
        Problem(small, (workload,), (Capacity(),)),
        Placement({"x": {"a": 1, "b": 5}}),
    )
    assert reasons(outcome)[0] == "at capacity (1Gi memory free, 2Gi per replica)"


def test_a_placement_that_is_required() -> None:
    """Where there is none the error says why, as printing the outcome does."""
    found = place(nginx(), member1=10)
    assert found.require_placement() is found.placement
    none = replace(found, status=Status.UNKNOWN, placement=None)
    with pytest.raises(UsageError) as caught:
        none.require_placement()
    assert str(caught.value) == f"there is no placement. {none}"
    assert "no placement found in time" in str(caught.value)


def test_a_workload_that_a_placement_does_not_have() -> None:
    """The name alone is no key; the error says what is one."""
    placed = Placement({"default/nginx": {"member1": 1}})
    with pytest.raises(
        KeyError, match="no workload 'nginx'; keys are namespace/name, such as 'default/nginx'"
    ):
        placed["nginx"]
    assert "nginx" not in placed
    assert placed.get("nginx") is None
