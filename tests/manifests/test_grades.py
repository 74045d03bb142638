"""Resource models: how many replicas whole nodes take, and what the capacity rule makes of it."""

import pytest

import fairlead
from builders import Manifest, binding, cluster, divided, dynamic, static
from fairlead.models.cluster import Cluster, Grade
from fairlead.models.problem import Problem
from fairlead.models.rules.capacity import describe_grades, describe_sums, fits, graded_room, room
from fairlead.models.workload import Workload
from loaded import only, weights

GIB = 2**30


@pytest.mark.parametrize(
    ("grades", "needs", "expected"),
    [
        # Two nodes of 4 cores take one replica of 3 cores each: 2, although 8 cores would take 2.67.
        ([Grade(2, {"cpu": 4000})], {"cpu": 3000, "pods": 1}, 2),
        # The scarcest resource of a node decides: memory 4, cpu 8.
        ([Grade(1, {"cpu": 4000, "memory": 4 * GIB})], {"cpu": 500, "memory": GIB, "pods": 1}, 4),
        # Grades add up; the lowest one promises nothing.
        (
            [Grade(5, {"cpu": 0}), Grade(3, {"cpu": 1000}), Grade(1, {"cpu": 2000})],
            {"cpu": 1000, "pods": 1},
            5,
        ),
        # 110 pods a node, whatever else is there.
        ([Grade(2, {"cpu": 400_000})], {"cpu": 1, "pods": 1}, 220),
        ([Grade(2, {"cpu": 400_000})], {"pods": 1}, 220),
        # A resource that the grade does not name is not there; a grade without nodes takes nothing.
        ([Grade(2, {"cpu": 4000})], {"nvidia.com/gpu": 1, "pods": 1}, 0),
        ([Grade(0, {"cpu": 4000})], {"cpu": 1, "pods": 1}, 0),
        ([], {"cpu": 1, "pods": 1}, 0),
    ],
)
def test_fits(grades: list[Grade], needs: dict[str, int], expected: int) -> None:
    """First-fit of equal replicas over equal nodes, grade by grade."""
    assert fits(grades, needs) == expected


def test_room_is_the_smaller_of_sums_and_nodes() -> None:
    """What is held stays on its nodes, so it comes on top of both."""
    grades = (Grade(2, {"cpu": 4000}),)
    web = Workload("default/web", "web", 9, requests={"cpu": 3000}, current={"a": 1})
    assert room(web, Cluster("a", free={"cpu": 9000})) == 4
    assert (graded_room(web, Cluster("a", free={"cpu": 9000})),) == (None,)
    assert room(web, Cluster("a", free={"cpu": 9000}, grades=grades)) == 3
    assert graded_room(web, Cluster("a", free={"cpu": 9000}, grades=grades)) == 3
    # The sums are smaller: 3 cores free take one more.
    assert room(web, Cluster("a", free={"cpu": 3000}, grades=grades)) == 2


def test_the_sentence_names_the_nodes() -> None:
    """The reader must not look for a resource that runs out."""
    web = Workload("default/web", "web", 9, requests={"cpu": 3000}, current={"a": 1})
    graded = Cluster("a", free={"cpu": 9000}, grades=(Grade(2, {"cpu": 4000}),))
    told = "a has capacity for 3 of default/web (nodes of its grades fit 2, 1 held now)"
    assert describe_grades(web, graded).text == told
    scarce = Cluster("a", free={"cpu": 3000}, grades=graded.grades)
    assert "3 cpu free, 3 per replica" in describe_sums(web, scarce, Problem((scarce,), (web,))).text


def graded(name: str, cpu: int, nodes: int, least: int) -> Manifest:
    """Return a cluster with so many free cores, on nodes of one grade with so many cores at least."""
    manifest = cluster(name, cpu=cpu)
    manifest["spec"]["resourceModels"] = [
        {"grade": 0, "ranges": [{"name": "cpu", "min": "0", "max": str(least)}]},
        {"grade": 1, "ranges": [{"name": "cpu", "min": str(least), "max": "9223372036854775807"}]},
    ]
    manifest["status"]["resourceSummary"]["allocatableModelings"] = [
        {"grade": 0, "count": 0},
        {"grade": 1, "count": nodes},
    ]
    return manifest


def test_dynamic_weights_count_nodes() -> None:
    """12 cores on 3 nodes of 4 take 3 replicas of 3 cores, not 4."""
    members = [graded("a", 12, 3, 4), cluster("b", cpu=12)]
    assert weights(only(fairlead.load(members, binding("web", 4, {}, dynamic(), cpu=3)))) == {"a": 3, "b": 4}


def test_the_placement_keeps_to_the_nodes() -> None:
    """8 replicas of 3 cores over two clusters of 12 cores: 4 and 4 by the sums, 3 on a by its nodes."""
    members = [graded("a", 12, 3, 4), cluster("b", cpu=15)]
    problem = fairlead.load(members, binding("web", 8, {}, static(), cpu=3))
    assert [violation.text for violation in fairlead.check(problem, {"default/web": {"a": 4, "b": 4}})] == [
        "default/web: 4 on a, where the nodes of its grades fit 3"
    ]
    for method in ("auto", "cp-sat"):
        outcome = fairlead.solve(problem, method=method)
        assert outcome.placement is not None
        assert dict(outcome.placement["default/web"]) == {"a": 3, "b": 5}


def test_nodes_that_fit_nothing_are_a_conflict() -> None:
    """Replicas of 5 cores fit on no node of 4, although 12 cores are free."""
    outcome = fairlead.solve(fairlead.load(graded("a", 12, 3, 4), binding("web", 1, {}, divided({}), cpu=5)))
    assert outcome.status is fairlead.Status.INFEASIBLE
    assert outcome.conflict is not None
    assert any("nodes of its grades fit 0" in statement.text for statement in outcome.conflict.rules)
