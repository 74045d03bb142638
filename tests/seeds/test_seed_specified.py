"""The proposal "Specify replicas to schedule": examples as printed, stories, and all that can go wrong.

The nine manifests are in ``data/specified-replicas``, named after the solution (one, two, three) and after
what they show: totals of clusters, totals of regions, a list of regions.
"""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

import fairlead
from builders import Manifest, binding, cluster, deployment, duplicated, policy, static, term
from fairlead.cli.app import main
from fairlead.models.problem import Problem
from fairlead.models.rules import Aggregated, Evenness, GroupTotal, Moves, Weights
from fairlead.models.workload import Workload
from loaded import bounds, candidates, closed, mistake, only, texts, weights
from places import DATA
from seeded import conflict_of, solved

EXAMPLES = DATA / "specified-replicas"
SOLUTIONS = ("one", "two", "three")

# The clusters of the stories, and one that no example names.
MEMBERS = [
    cluster("member1", region="RegionA"),
    cluster("member2", region="RegionB"),
    cluster("member3", region="RegionB"),
    cluster("member4", region="RegionC"),
]
RUNNING = {"member1": 2, "member2": 1, "member3": 4}
REGION_B = ["member2", "member3"]


def load(declared: Path | Manifest, replicas: int = 4, current: dict[str, int] | None = None) -> Problem:
    """Return the problem of nginx under a policy; a path is that of an example."""
    running = binding("nginx", replicas, current)
    return fairlead.load(MEMBERS, deployment("nginx", replicas), running, declared)


def totals(workload: Workload) -> dict[str, tuple[list[str], int]]:
    """Return the clusters and the number of every exact total by name."""
    rules = workload.rules_of(GroupTotal)
    assert all(rule.minimum == rule.maximum for rule in rules)
    assert len({rule.name for rule in rules}) == len(rules)
    return {rule.name: (sorted(rule.clusters), rule.minimum) for rule in rules}


def evenness(workload: Workload) -> tuple[str, ...] | None:
    """Return the clusters that share a change evenly; None where nothing asks for that."""
    rule = workload.rule(Evenness)
    return rule.clusters if rule else None


def example(name: str, **numbers: int) -> Manifest:
    """Return an example as a dict, with other numbers of replicas for its targets where they are given."""
    text = (EXAMPLES / f"{name}.yaml").read_text(encoding="utf-8")
    read: Manifest = yaml.safe_load(text)
    if name.startswith("three") and numbers:
        key = "specifiedClusters" if "clusters" in name else "specifiedIdcs"
        said = [{"name": one, "replicas": number} for one, number in numbers.items()]
        read["metadata"]["annotation"] = json.dumps({key: said})
    elif numbers:
        strategy = read["spec"]["placement"]["replicaScheduling"]
        preference = strategy.get("specifyPreference") or strategy["extendClusterPreferences"]
        for target, number in zip(preference["staticSpecifyList"], numbers.values(), strict=True):
            target.get("extendFields", target)["replicas"] = number
    return read


# The examples as printed: what they mean.


@pytest.mark.parametrize("solution", SOLUTIONS)
def test_example_of_clusters(solution: str) -> None:
    """member1: 2, member2: 2, in the three spellings."""
    problem = load(EXAMPLES / f"{solution}-clusters.yaml")
    workload = only(problem)
    assert totals(workload) == {"member1": (["member1"], 2), "member2": (["member2"], 2)}
    assert evenness(workload) == candidates(workload).names == ("member1", "member2")
    assert workload.rule(Weights) is None
    assert problem.warnings == ()
    assert solved(problem) == {"member1": 2, "member2": 2}


@pytest.mark.parametrize("solution", SOLUTIONS)
def test_example_of_regions(solution: str) -> None:
    """RegionA: 2, RegionB: 2, in the three spellings; RegionB shares its two evenly."""
    problem = load(EXAMPLES / f"{solution}-regions.yaml")
    workload = only(problem)
    assert totals(workload) == {"region RegionA": (["member1"], 2), "region RegionB": (REGION_B, 2)}
    assert evenness(workload) == candidates(workload).names == ("member1", "member2", "member3")
    assert workload.rule(Weights) is None
    assert problem.warnings == ()
    assert solved(problem) == {"member1": 2, "member2": 1, "member3": 1}


@pytest.mark.parametrize("solution", SOLUTIONS)
def test_example_of_a_region_list(solution: str) -> None:
    """RegionA and RegionB hold 4 together, in the three spellings; not a full copy everywhere."""
    problem = load(EXAMPLES / f"{solution}-region-list.yaml")
    workload = only(problem)
    assert totals(workload) == {"the listed regions": (["member1", *REGION_B], 4)}
    assert evenness(workload) == candidates(workload).names == ("member1", "member2", "member3")
    assert workload.rule(Weights) is None
    assert problem.warnings == ()
    # 4 over three empty clusters: two of them get 1, one 2, and ties fall to the first name.
    assert solved(problem) == {"member1": 2, "member2": 1, "member3": 1}


@pytest.mark.parametrize("solution", SOLUTIONS)
def test_numbers_stand_where_they_are_written(solution: str) -> None:
    """Conflicts name the line of the number, or of the annotation."""
    path = EXAMPLES / f"{solution}-clusters.yaml"
    lines = path.read_text(encoding="utf-8").splitlines()
    sources = [rule.source for rule in only(load(path)).rules_of(GroupTotal)]
    written = [lines[source.line - 1] for source in sources if source]
    assert len(written) == 2
    assert all("replicas" in line and "2" in line for line in written)


# The stories.


@pytest.mark.parametrize("solution", SOLUTIONS)
def test_story_1_onboarding_keeps_what_runs(solution: str) -> None:
    """Cluster1 holds 2 and cluster2 5 before, and so they do after."""
    declared = example(f"{solution}-clusters", member1=2, member2=5)
    assert solved(load(declared, 7, {"member1": 2, "member2": 5})) == {"member1": 2, "member2": 5}
    assert solved(load(declared, 7)) == {"member1": 2, "member2": 5}


@pytest.mark.parametrize("solution", SOLUTIONS)
def test_story_2_more_replicas(solution: str) -> None:
    """From (2, 1, 4) with RegionA 3 and RegionB 8 to (3, 3, 5).

    RegionB gets three more: (+2, +1) and (+1, +2) are equally even changes (5), and 3^2 + 5^2 = 34 is more
    even than 2^2 + 6^2 = 40.
    """
    problem = load(example(f"{solution}-regions", RegionA=3, RegionB=8), 11, RUNNING)
    assert solved(problem) == {"member1": 3, "member2": 3, "member3": 5}


@pytest.mark.parametrize("solution", SOLUTIONS)
def test_story_2_fewer_replicas(solution: str) -> None:
    """From (2, 1, 4) with RegionA 1 and RegionB 2 to (1, 0, 2).

    RegionB loses three: (-1, -2) changes by 5, (-0, -3) by 9, and member2 has but one to lose.
    """
    problem = load(example(f"{solution}-regions", RegionA=1, RegionB=2), 3, RUNNING)
    assert solved(problem) == {"member1": 1, "member3": 2}


@pytest.mark.parametrize("solution", SOLUTIONS)
@pytest.mark.parametrize(
    ("replicas", "expected"),
    [
        # Four more over three clusters: +1, +1, +2 in any order; (3, 3, 5) is the most even result (43).
        (11, {"member1": 3, "member2": 3, "member3": 5}),
        # Four less: -1, -1, -2; the two come from the largest.
        (3, {"member1": 1, "member3": 2}),
    ],
)
def test_story_3_region_list(solution: str, replicas: int, expected: dict[str, int]) -> None:
    """From (2, 1, 4) with totals 11 and 3 over RegionA and RegionB."""
    declared = example(f"{solution}-region-list")
    declared["spec"]["replicas"] = replicas
    assert solved(load(declared, replicas, RUNNING)) == expected


def test_fresh_evens_out_the_result_first() -> None:
    """A reschedule that was asked for starts anew: 8 in RegionB become 4 and 4."""
    problem = load(example("one-regions", RegionA=3, RegionB=8), 11, RUNNING)
    assert solved(problem, fresh=True) == {"member1": 3, "member2": 4, "member3": 4}


@pytest.mark.parametrize("name", ["one-regions", "two-clusters", "two-region-list", "three-regions"])
def test_a_difference_to_the_workload_is_infeasible(name: str) -> None:
    """The risk that the proposal names: 4 are specified, 5 wanted; nothing is placed, and it is said why."""
    problem = load(EXAMPLES / f"{name}.yaml", 5)
    (warning,) = texts(problem, "group-total")
    assert "4, but default/nginx has 5 replicas: this cannot be placed" in warning
    assert "default/nginx needs 5 replicas" in conflict_of(problem)


def test_scaled_to_zero_is_always_allowed() -> None:
    """No total binds a workload without replicas, and nobody is warned."""
    problem = load(EXAMPLES / "one-regions.yaml", 0)
    assert problem.warnings == ()
    assert solved(problem) == {}


# Every other spelling.


def target(clusters: Any, replicas: int, *, empty: bool = False, extended: bool = False) -> Manifest:
    """Return a target; where `empty`, the set stands beside ``targetCluster``."""
    affinity = {"clusterNames": clusters} if isinstance(clusters, list) else dict(clusters)
    number = {"extendFields": {"replicas": replicas}} if extended else {"replicas": replicas}
    return {"targetCluster": None, **affinity, **number} if empty else {"targetCluster": affinity, **number}


def specified(
    *targets: Manifest,
    preference: str | None = "Specified",
    extended: bool = False,
    where: str = "specifyPreference",
    list_name: str = "staticSpecifyList",
    **strategy: Any,
) -> Manifest:
    """Return a placement with specified replicas, in any of the spellings."""
    field = "extendReplicaDivisionPreference" if extended else "replicaDivisionPreference"
    named = {field: preference} if preference else {}
    lists = {where: {list_name: list(targets)}} if targets else {}
    return {"replicaScheduling": {"replicaSchedulingType": "Divided", **named, **lists, **strategy}}


def rules_of(placement: Manifest, **spec: Any) -> Workload:
    """Return nginx of 4 replicas under a placement."""
    return only(load(policy("nginx", placement, **spec)))


EXPECTED = {"member1": (["member1"], 1), "target 2": (REGION_B, 3)}


@pytest.mark.parametrize("preference", ["Specified", "SpecifiedClusters", "SpecifiedRegions"])
@pytest.mark.parametrize("list_name", ["staticSpecifyList", "extendStaticList"])
@pytest.mark.parametrize("where", ["specifyPreference", "extendClusterPreferences", "weightPreference"])
@pytest.mark.parametrize("extended", [False, True])
def test_spellings_of_targets(preference: str, list_name: str, where: str, *, extended: bool) -> None:
    """Every name of the preference, of the list and of where it stands, with both ways to write a number."""
    targets = (target(["member1"], 1, extended=extended), target(REGION_B, 3, empty=True, extended=extended))
    placement = specified(
        *targets, preference=preference, extended=extended, where=where, list_name=list_name
    )
    workload = rules_of(placement)
    assert totals(workload) == EXPECTED
    assert evenness(workload) == ("member1", "member2", "member3")
    assert closed(workload) == {"member4": "is in no target of the specified replicas"}


def test_extension_overrides_what_a_webhook_filled_in() -> None:
    """Karmada writes Weighted where no preference is named; the extension says what is meant."""
    strategy = specified(target(["member1"], 1), target(REGION_B, 3), extended=True)
    strategy["replicaScheduling"]["replicaDivisionPreference"] = "Weighted"
    assert totals(rules_of(strategy)) == EXPECTED


def test_targets_alone_are_enough() -> None:
    """Targets without any preference mean Specified; there is nothing else that they could mean."""
    assert (
        totals(rules_of(specified(target(["member1"], 1), target(REGION_B, 3), preference=None))) == EXPECTED
    )


def test_copy_in_a_binding() -> None:
    """The same placement inside a binding, without any policy."""
    placement = specified(target(["member1"], 1), target(REGION_B, 3))
    workload = only(fairlead.load(MEMBERS, binding("nginx", 4, RUNNING, placement)))
    assert totals(workload) == EXPECTED
    moves = workload.rule(Moves)
    assert moves is not None
    assert moves.keep


@pytest.mark.parametrize(
    ("affinity", "matched"),
    [
        ({"labelSelector": {"matchLabels": {"tier": "gold"}}}, ["member1", "member3"]),
        ({"fieldSelector": {"matchExpressions": [{"key": "zone", "operator": "Exists"}]}}, ["member2"]),
        ({"clusterNames": ["member1", "member2"], "exclude": ["member2"]}, ["member1"]),
        ({"exclude": ["member1"]}, ["member2", "member3"]),
    ],
)
def test_every_kind_of_set_may_stand_beside_target_cluster(affinity: Manifest, matched: list[str]) -> None:
    """Names, exclusions, labels and fields."""
    members = [
        cluster("member1", labels={"tier": "gold"}),
        cluster("member2", zones=["z1"]),
        cluster("member3", labels={"tier": "gold"}),
    ]
    for empty in (False, True):
        placement = specified(target(affinity, 2, empty=empty))
        workload = only(fairlead.load(members, binding("nginx", 2, {}, placement)))
        assert list(candidates(workload).names) == matched


def test_empty_sets_beside_weights_and_bounds() -> None:
    """The same slip is understood wherever a target stands."""
    placement = static()
    preference = placement["replicaScheduling"]["weightPreference"]
    preference["staticWeightList"] = [{"targetCluster": None, "clusterNames": ["member1"], "weight": 3}]
    preference["clusterConstraint"] = {
        "clusterConstraintTerms": [{"targetCluster": None, "clusterNames": ["member1"], "minReplicas": 2}]
    }
    workload = rules_of(placement)
    assert candidates(workload).names == ("member1",)
    assert bounds(workload) == ({"member1": 2}, {})


@pytest.mark.parametrize("preference", ["Specified", "SpecifiedClusters", "SpecifiedRegions"])
def test_specified_without_targets_weighs_all_the_same(preference: str) -> None:
    """As the comment of the proposal's Go type says."""
    problem = load(policy("nginx", specified(preference=preference)), 8)
    workload = only(problem)
    weights = workload.rule(Weights)
    assert weights is not None
    assert dict(weights.weights) == {f"member{number}": 1 for number in range(1, 5)}
    assert not weights.dynamic
    assert evenness(workload) is None
    assert solved(problem) == {f"member{number}": 2 for number in range(1, 5)}


REGION_LIST = {
    "clusterAffinity": {
        "fieldSelector": {
            "matchExpressions": [{"key": "region", "operator": "In", "values": ["RegionA", "RegionB"]}]
        }
    }
}
REGIONS = {"replicaScheduling": {"replicaSchedulingType": "Divided", "replicaDivisionPreference": "Regions"}}


@pytest.mark.parametrize(
    ("placement", "spec", "number"),
    [
        ({**REGION_LIST, **REGIONS}, {"replicas": 4}, 4),
        ({**REGION_LIST, **REGIONS, "replicas": 4}, {}, 4),
        ({**REGION_LIST, "replicas": 4}, {}, 4),
        ({**REGION_LIST, **specified(preference="Regions", extended=True)}, {"replicas": 4}, 4),
        ({**REGION_LIST, "replicas": 4}, {"replicas": 4}, 4),
        ({**REGION_LIST, **REGIONS}, {}, None),
    ],
)
def test_spellings_of_a_region_list(placement: Manifest, spec: dict[str, int], number: int | None) -> None:
    """The number beside the placement or in it; without any, the workload's own."""
    workload = rules_of(placement, **spec)
    whole = {"the listed regions": (["member1", *REGION_B], number)}
    assert totals(workload) == (whole if number is not None else {})
    assert evenness(workload) == ("member1", "member2", "member3")


def test_two_different_numbers_of_a_region_list_both_hold() -> None:
    """One beside the placement, another one in it: no placement keeps both, and the conflict names them."""
    problem = load(policy("nginx", {**REGION_LIST, "replicas": 5}, replicas=4))
    assert "hold exactly 5" in conflict_of(problem)
    assert len(texts(problem, "group-total")) == 1


def test_a_number_beside_weights_holds_as_well() -> None:
    """What is declared is honoured: weights divide, and the candidates hold 4 together."""
    workload = rules_of({**REGION_LIST, **static()}, replicas=4)
    assert workload.rule(Weights) is not None
    assert evenness(workload) is None
    assert totals(workload) == {"all eligible clusters": (["member1", *REGION_B], 4)}


# Annotations.


def annotated(annotations: dict[str, str], placement: Manifest | None = None, **spec: Any) -> Manifest:
    """Return a policy with annotations."""
    declared = policy("nginx", placement, **spec)
    declared["metadata"]["annotations"] = annotations
    return declared


CLUSTERS = [{"name": "member1", "replicas": 1}, {"name": "member2", "replicas": 3}]
IDCS = [{"name": "RegionA", "replicas": 1}, {"name": "RegionB", "replicas": 3}]
NAMED = [{"name": "RegionA"}, {"name": "RegionB"}]


@pytest.mark.parametrize(
    ("key", "said", "expected"),
    [
        ("specifiedClusters", CLUSTERS, {"member1": (["member1"], 1), "member2": (["member2"], 3)}),
        ("specifiedIdcs", IDCS, {"region RegionA": (["member1"], 1), "region RegionB": (REGION_B, 3)}),
        ("idcs", NAMED, {}),
    ],
)
@pytest.mark.parametrize("whole", [False, True])
def test_keys_of_annotations(
    key: str, said: list[Manifest], expected: dict[str, tuple[list[str], int]], *, whole: bool
) -> None:
    """Each key alone with its list, or one key with the whole JSON."""
    text = {"fairlead.io/replicas": json.dumps({key: said})} if whole else {key: json.dumps(said)}
    workload = only(load(annotated(text)))
    assert totals(workload) == expected
    assert evenness(workload) == candidates(workload).names
    assert "member4" in closed(workload)


def test_idcs_limit_the_candidates() -> None:
    """The regions of an annotation count without any affinity, and the workload's number is the total."""
    problem = load(annotated({"idcs": json.dumps(NAMED)}), 11, RUNNING)
    assert closed(only(problem)) == {"member4": "is in none of the listed regions"}
    assert solved(problem) == {"member1": 3, "member2": 3, "member3": 5}


@pytest.mark.parametrize("key", ["annotation", "annotations"])
def test_annotations_of_a_binding_count(key: str) -> None:
    """Where no policy is in the input, the binding says it, beside the copy of its placement."""
    copied = binding("nginx", 4, {}, {})
    text = json.dumps({"specifiedClusters": CLUSTERS})
    copied["metadata"][key] = text if key == "annotation" else {"fairlead.io/replicas": text}
    problem = fairlead.load(MEMBERS, copied)
    assert solved(problem) == {"member1": 1, "member2": 3}
    assert problem.warnings == ()


def test_a_policy_wins_over_the_annotation_of_a_binding() -> None:
    """As its placement does; the annotation is not dropped silently."""
    copied = binding("nginx", 4, {}, {})
    copied["metadata"]["annotation"] = json.dumps({"specifiedClusters": CLUSTERS})
    problem = fairlead.load(MEMBERS, copied, policy("nginx", static()))
    assert totals(only(problem)) == {}
    assert texts(problem, "specified") == [
        "metadata.annotation of the binding has no effect: policy default/nginx counts (<dict>)"
    ]


@pytest.mark.parametrize(
    ("text", "field", "told"),
    [
        (
            "{",
            "",
            "'{' cannot be read as JSON: Expecting property name enclosed in double quotes; allowed is",
        ),
        (" ", "", "' ' holds no JSON; allowed is"),
        ('{"idcs": []} 1', "", "'{\"idcs\": []} 1' holds more than one JSON value; allowed is"),
        ('{"idcs": [], "idcs": []}', "", "'idcs' is a duplicate key"),
        ("[]", "", "'[]' must be a mapping with fields; allowed is"),
        ('{"specifiedCluster": []}', ".specifiedCluster", "'[]' is an unknown field; allowed is"),
        ('{"idcs": {}}', ".idcs", '\'{}\' must be a list; allowed is a list such as [{"name": "RegionA"}]'),
        ('{"idcs": [{}]}', ".idcs[0].name", "is required and missing"),
        ('{"idcs": [{"name": ""}]}', ".idcs[0].name", "must not be empty"),
        ('{"idcs": [{"name": 1}]}', ".idcs[0].name", "'1' must be a string; put quotes around it"),
        ('{"idcs": [{"name": "a", "replicas": 1}]}', ".idcs[0].replicas", "'1' is an unknown field"),
        ('{"specifiedIdcs": [{"name": "a"}]}', ".specifiedIdcs[0].replicas", "is required and missing"),
        (
            '{"specifiedClusters": [{"name": "a", "replicas": -1}]}',
            ".specifiedClusters[0].replicas",
            "'-1' must be at least 0",
        ),
        (
            '{"specifiedClusters": [{"name": "a", "replicas": "2"}]}',
            ".specifiedClusters[0].replicas",
            "'2' must be a whole number, without quotes",
        ),
    ],
)
def test_broken_annotations(text: str, field: str, told: str) -> None:
    """Field, value and what is allowed; on a policy and on a binding, as one text and under a key."""
    for document in (policy("p"), binding("b", 1, {}, {})):
        document["metadata"]["annotation"] = text
        assert mistake(document).startswith(f"metadata.annotation{field}: {told}")
        document["metadata"].pop("annotation")
        document["metadata"]["annotations"] = {"fairlead.io/replicas": text}
        assert mistake(document).startswith(f"metadata.annotations[fairlead.io/replicas]{field}: {told}")


@pytest.mark.parametrize(
    ("key", "text", "told"),
    [
        ("idcs", "[1]", "metadata.annotations.idcs[0]: '1' must be a mapping with fields"),
        ("idcs", "RegionA", "metadata.annotations.idcs: 'RegionA' cannot be read as JSON: Expecting value;"),
        (
            "specifiedClusters",
            '{"name": "member1", "replicas": 2}',
            "metadata.annotations.specifiedClusters: '{name: ..., replicas: ...}' must be a list; allowed is",
        ),
    ],
)
def test_broken_annotations_under_their_own_keys(key: str, text: str, told: str) -> None:
    """The list alone stands under its key."""
    assert mistake(annotated({key: text})).startswith(told)


def test_lines_of_broken_annotations(tmp_path: Path) -> None:
    """The line is that of the annotation."""
    text = (EXAMPLES / "three-clusters.yaml").read_text(encoding="utf-8")
    (tmp_path / "pp.yaml").write_text(text.replace('"replicas": 2', '"replicas": -2'), encoding="utf-8")
    with pytest.raises(fairlead.ManifestError) as caught:
        fairlead.load(tmp_path / "pp.yaml")
    assert [(found.source.line, found.field) for found in caught.value.mistakes] == [
        (5, "metadata.annotation.specifiedClusters[0].replicas"),
        (5, "metadata.annotation.specifiedClusters[1].replicas"),
    ]


def test_annotation_of_other_kinds_is_an_unknown_field() -> None:
    """Only policies and bindings specify replicas."""
    document = deployment("nginx", 4)
    document["metadata"]["annotation"] = "x"
    assert texts(fairlead.load(document), "unknown-field") == [
        "Deployment: metadata.annotation is an unknown field and has no effect (<dict>)"
    ]


# What can go wrong with targets.

LIST = "spec.placement.replicaScheduling.specifyPreference.staticSpecifyList[0]"


@pytest.mark.parametrize(
    ("broken", "told"),
    [
        (target(["member1"], -1), f"{LIST}.replicas: '-1' must be at least 0"),
        (target(["member1"], -1, extended=True), f"{LIST}.extendFields.replicas: '-1' must be at least 0"),
        ({"targetCluster": {"clusterNames": ["member1"]}}, f"{LIST}.replicas: is required and missing"),
        (
            {"targetCluster": {"clusterNames": ["member1"]}, "extendFields": {}},
            f"{LIST}.extendFields.replicas: is required and missing",
        ),
        (
            {**target(["member1"], 1), "extendFields": {"replicas": 1}},
            f"{LIST}.replicas: '1' cannot be combined with extendFields.replicas; write the number once",
        ),
        ({"replicas": 1}, f"{LIST}.targetCluster: is required and missing"),
        ({"targetCluster": None, "replicas": 1}, f"{LIST}.targetCluster: is required and missing"),
        (
            {**target(["member1"], 1), "clusterNames": ["member2"]},
            (
                f"{LIST}.targetCluster: '{{clusterNames: ...}}' cannot be combined with clusterNames;"
                " write the set of clusters once"
            ),
        ),
        (
            target([1], 1, empty=True),
            f"{LIST}.clusterNames[0]: '1' must be a string; put quotes around it",
        ),
        (
            target(
                {"fieldSelector": {"matchExpressions": [{"key": "region", "operator": "In"}]}}, 1, empty=True
            ),
            (
                f"{LIST}.fieldSelector.matchExpressions[0].values: '[]' is empty, but In needs at least one "
                "value"
            ),
        ),
    ],
)
def test_broken_targets(broken: Manifest, told: str) -> None:
    """Field, value and what is allowed, in a policy and in a binding."""
    assert mistake(policy("p", specified(broken))) == told
    assert mistake(binding("b", 1, {}, specified(broken))) == told


@pytest.mark.parametrize(
    ("document", "told"),
    [
        (policy("p", replicas=-1), "spec.replicas: '-1' must be at least 0"),
        (policy("p", {"replicas": -1}), "spec.placement.replicas: '-1' must be at least 0"),
        (
            policy("p", {"replicas": "4"}),
            "spec.placement.replicas: '4' must be a whole number, without quotes",
        ),
    ],
)
def test_broken_numbers(document: Manifest, told: str) -> None:
    """Negative numbers and quoted ones."""
    assert mistake(document) == told


def test_strategies_and_fields_of_ones_own() -> None:
    """The proposal leaves their names to the user: they are named as without effect and refuse nothing."""
    mine = {"targetCluster": {"clusterNames": ["member1"]}, "extendFields": {"minReplicas": 6, "weight": 3}}
    where = {"where": "extendClusterPreferences", "list_name": "extendStaticList"}
    problem = load(policy("p", specified(mine, preference="Mine", extended=True, **where)))
    assert set(weights(only(problem)).values()) == {1}
    said = [one.split(": ", 1)[1].split(" has no effect")[0] for one in texts(problem, "specified")]
    base = "spec.placement.replicaScheduling"
    assert sorted(said) == [
        f"{base}.extendClusterPreferences.extendStaticList",
        f"{base}.extendReplicaDivisionPreference",
    ]
    fields = [one.split(".")[-1].split(" ")[0] for one in texts(problem, "unknown-field")]
    assert fields == ["minReplicas", "weight"]


def test_a_strategy_of_ones_own_with_numbers_specifies_them() -> None:
    """Where every target states its replicas, there is nothing else that they could mean."""
    targets = [target(["member1"], 3, extended=True), target(["member2"], 1, extended=True)]
    outcome = fairlead.solve(load(policy("p", specified(*targets, preference="Mine", extended=True))))
    assert outcome.placement is not None
    assert dict(outcome.placement["default/nginx"]) == {"member1": 3, "member2": 1}


def test_a_target_without_candidates() -> None:
    """It cannot be met: a warning, and a conflict that names it; with 0 replicas it is met by nobody."""
    declared = policy("p", specified(target(["member1"], 4), target(["member9"], 1)))
    problem = load(declared)
    assert totals(only(problem)) == {"member1": (["member1"], 4), "member9": ([], 1)}
    assert texts(problem, "group-total") == [
        "policy default/p: member9 holds 1, but no eligible cluster is in it (<dict>)",
        "policy default/p: member9: member9 (did you mean member4?) not in the input (<dict>)",
        (
            "policy default/p: the specified replicas add up to 5, but default/nginx has 4 replicas:"
            " this cannot be placed (<dict>)"
        ),
    ]
    conflict = conflict_of(problem)
    assert (
        "policy default/p: member9 must hold exactly 1 replica, but no eligible cluster is in it" in conflict
    )
    harmless = load(policy("p", specified(target(["member1"], 4), target(["member9"], 0))))
    assert solved(harmless) == {"member1": 4}


def test_overlapping_targets_hold_at_once() -> None:
    """member1 and member2 hold 3, member2 and member3 hold 2; of 4, member2 must hold 1 of both."""
    targets = (target(["member1", "member2"], 3), target(["member2", "member3"], 2))
    problem = load(policy("p", specified(*targets)))
    assert texts(problem, "group-total") == [
        "policy default/p: target 1 and target 2 share member2, so both totals count it (<dict>)"
    ]
    assert solved(problem) == {"member1": 2, "member2": 1, "member3": 1}


def test_targets_of_one_name_are_told_apart() -> None:
    """The same cluster twice, with numbers that cannot both be."""
    problem = load(policy("p", specified(target(["member1"], 1), target(["member1"], 3))))
    assert list(totals(only(problem))) == ["member1", "member1 (target 2)"]
    assert "member1 must hold exactly" in conflict_of(problem)


def test_full_copies_know_no_totals() -> None:
    """What stands beside Duplicated has no effect, and is named."""
    placement = {**duplicated(), "replicas": 4}
    placement["replicaScheduling"]["specifyPreference"] = {"staticSpecifyList": [target(["member1"], 1)]}
    declared = annotated({"specifiedClusters": json.dumps(CLUSTERS)}, placement, replicas=4)
    problem = load(declared)
    assert totals(only(problem)) == {}
    fields = [
        text.removeprefix("policy default/nginx: ").split(" ")[0] for text in texts(problem, "specified")
    ]
    assert fields == [
        "metadata.annotations.specifiedClusters",
        "spec.placement.replicaScheduling.specifyPreference.staticSpecifyList",
        "spec.placement.replicas",
        "spec.replicas",
    ]


def test_what_has_no_effect_is_named() -> None:
    """Targets under Weighted, and weights under Specified."""
    under_weights = load(policy("p", specified(target(["member1"], 1), preference="Weighted")))
    assert totals(only(under_weights)) == {}
    assert texts(under_weights, "specified") == [
        (
            "policy default/p: spec.placement.replicaScheduling.specifyPreference.staticSpecifyList has no"
            " effect: only Specified, SpecifiedClusters and SpecifiedRegions divide by it (<dict>)"
        )
    ]
    weights = {"staticWeightList": [{"targetCluster": {}, "weight": 1}], "dynamicWeight": "AvailableReplicas"}
    under_totals = load(policy("p", specified(target(["member1"], 4), weightPreference=weights)))
    assert only(under_totals).rule(Weights) is None
    assert [text.split(" has no")[0].rpartition(".")[2] for text in texts(under_totals, "specified")] == [
        "dynamicWeight",
        "staticWeightList",
    ]


def test_aggregated_beside_totals_has_no_effect() -> None:
    """An annotation and the extension say how to divide; what they override is named."""
    aggregated = {"replicaSchedulingType": "Divided", "replicaDivisionPreference": "Aggregated"}
    field = "policy default/nginx: spec.placement.replicaScheduling.replicaDivisionPreference has no effect"
    declared = annotated({"specifiedClusters": json.dumps(CLUSTERS)}, {"replicaScheduling": aggregated})
    problem = load(declared)
    assert texts(problem, "specified") == [f"{field}: an annotation says how to divide (<dict>)"]
    assert only(problem).rule(Aggregated) is None
    assert solved(problem) == {"member1": 1, "member2": 3}
    extended = {"replicaScheduling": {**aggregated, "extendReplicaDivisionPreference": "Regions"}}
    problem = load(policy("nginx", extended))
    assert texts(problem, "specified") == [f"{field}: its extension says how to divide (<dict>)"]
    assert evenness(only(problem)) == ("member1", "member2", "member3", "member4")


# Beside other rules.


def test_bounds_hold_inside_totals() -> None:
    """RegionB holds 8 of which member2 takes at least 5: less even, but what the bound asks for."""
    constraint = {"clusterConstraint": {"clusterConstraintTerms": [term("member2", 5)]}}
    placement = example("one-regions", RegionA=3, RegionB=8)["spec"]["placement"]
    placement["replicaScheduling"]["specifyPreference"].update(constraint)
    # From (1, 4): one has to leave member3, and (+4, -1) is the most even way to hold 8 with 5 in member2.
    problem = load(policy("nginx", placement), 11, RUNNING)
    assert solved(problem) == {"member1": 3, "member2": 5, "member3": 3}


def test_affinity_groups_have_totals_of_their_own() -> None:
    """The second group holds what the first one has no candidate for; nobody is warned of the first alone."""
    groups = [
        {"affinityName": "a", "clusterNames": ["member1"]},
        {"affinityName": "b", "clusterNames": ["member2", "member3"]},
    ]
    placement = {"clusterAffinities": groups, **specified(target(["member2"], 1), target(["member3"], 3))}
    problem = load(policy("p", placement))
    assert texts(problem, "group-total") == []
    assert solved(problem) == {"member2": 1, "member3": 3}


def test_workloads_of_one_policy_share_its_totals() -> None:
    """Two workloads under one annotation, and one under another policy with another annotation."""
    first = annotated({"specifiedClusters": json.dumps(CLUSTERS)})
    first["spec"]["resourceSelectors"] = [
        {"apiVersion": "apps/v1", "kind": "Deployment", "name": name} for name in ("a", "b")
    ]
    second = annotated({"specifiedClusters": json.dumps([{"name": "member3", "replicas": 4}])})
    second["metadata"]["name"] = "other"
    second["spec"]["resourceSelectors"] = [{"apiVersion": "apps/v1", "kind": "Deployment", "name": "c"}]
    problem = fairlead.load(MEMBERS, [deployment(name, 4) for name in "abc"], first, second)
    assert [list(totals(workload)) for workload in problem.workloads] == [
        ["member1", "member2"],
        ["member1", "member2"],
        ["member3"],
    ]


def test_validate_shows_what_cannot_be_placed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The command line names the number, its line and what the workload wants."""
    problem = tmp_path / "problem.yaml"
    problem.write_text(yaml.safe_dump_all([*MEMBERS, deployment("nginx", 5)]), encoding="utf-8")
    main(["validate", "-f", str(problem), "-f", str(EXAMPLES / "one-regions.yaml")])
    told = capsys.readouterr().err
    assert (
        "the specified replicas add up to 4, but default/nginx has 5 replicas: this cannot be placed" in told
    )
    assert "one-regions.yaml:31" in told
