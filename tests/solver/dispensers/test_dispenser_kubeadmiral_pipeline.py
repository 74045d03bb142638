"""KubeAdmiral's pipeline as a whole, and its dynamic weights: the smallest instances, faults included."""

from dataclasses import replace
from typing import cast

import pytest

from fairlead.manifests.kubeadmiral.stated import Feedback, SelectorTerm
from fairlead.models.cluster import Taint, Toleration
from fairlead.models.selectors import Operator, SelectorRequirement
from fairlead.solver.dispensers.kubeadmiral import ScheduledUnit, schedule_unit
from fairlead.solver.dispensers.kubeadmiral.inputs import GPU
from fairlead.solver.dispensers.kubeadmiral.scores import dynamic_weights
from kubeadmiral_builders import NOW, cluster, equals, place, unit

# Dynamic weights


def test_tie_of_three_equals() -> None:
    """1000 over three equals: the 334th goes to whom the real program draws, here to the first by name."""
    answer = schedule_unit(unit(1000), equals(3), NOW)
    assert answer.ties == ("member0000", "member0001", "member0002")
    assert answer.placement == {"member0000": 334, "member0001": 333, "member0002": 333}
    other = schedule_unit(unit(1000), equals(3), NOW, "member0002")
    assert other.placement == {"member0000": 333, "member0001": 333, "member0002": 334}


@pytest.mark.parametrize(("count", "total", "least", "most"), [(54, 1000, -6, 20), (54, 10000, -69, 192)])
def test_negative_replicas(count: int, total: int, least: int, most: int) -> None:
    """54 equals weigh 19 each, 1026 in all: the correction of -26 makes one weigh -7."""
    # Of 1000, 53 clusters get 19 until nothing is left; the last takes -6, which give six of them one more.
    placed = schedule_unit(unit(total), equals(count), NOW).placement.values()
    assert sum(number or 0 for number in placed) == total
    assert (min(number or 0 for number in placed), max(number or 0 for number in placed)) == (least, most)


def test_fifty_three_equals_are_still_positive() -> None:
    """53 equals weigh 19 each, 1007 in all: one weighs 12."""
    assert min(dynamic_weights(unit(), equals(53)).corrected().values()) == 12


def test_positive_correction() -> None:
    """401 equals weigh round(2.49) = 2 each; one takes the missing 198 and gets 2000 of 10000 replicas."""
    placed = place(unit(10000), *equals(401))
    assert placed["member0000"] == 2000
    assert {number for name, number in placed.items() if name != "member0000"} == {20}


def test_too_many_equals_place_nothing() -> None:
    """Each share of 2001 rounds to 0, 0 of 0 is NaN, and nothing is placed; with 2000 something is."""
    assert place(unit(1000), *equals(2001)) == {}
    assert dynamic_weights(unit(), equals(2001)).heaviest == ()
    assert sum(dynamic_weights(unit(), equals(2000)).corrected().values()) == 1000


def test_supply_limit_turns_the_ratio() -> None:
    """Cluster b has nine times as much free, but by its size may weigh 14 of 1000; a weighs 100."""
    a, b = cluster("a", "1", "1000"), cluster("b", "9", "10")
    assert dynamic_weights(unit(), [a, b]).corrected() == {"a": 877, "b": 123}
    assert place(unit(100), a, b) == {"a": 88, "b": 12}


def test_parts_of_a_core_count_as_one() -> None:
    """100m free weigh as much as a whole core."""
    weights = dynamic_weights(unit(), [cluster("a", "0.1"), cluster("b", "1")])
    assert weights.corrected() == {"a": 500, "b": 500}
    assert weights.correction == 0


def test_nothing_free_is_equal_weights() -> None:
    """Overcommitted clusters count as empty, and where all are, everybody weighs the same, uncorrected."""
    weights = dynamic_weights(unit(), [cluster("a", "-3"), cluster("b", "0"), cluster("c", "0")])
    assert weights.corrected() == {"a": 333, "b": 333, "c": 333}


def test_gpus_replace_cpu() -> None:
    """A pod that requests GPUs is weighed by them, however much cpu is free."""
    few = replace(cluster("a"), allocatable={GPU: 4}, free={GPU: 1})
    many = replace(cluster("b"), allocatable={GPU: 4}, free={GPU: 3})
    asked = replace(unit(), gpus=1)
    # b's share of 750 is cut to 700, 1.4 times its half of the allocatable GPUs; 250 and 700 are 263 and 737.
    assert dynamic_weights(asked, [few, many]).corrected() == {"a": 263, "b": 737}


# The whole pipeline


def test_max_clusters_drops_a_minimum() -> None:
    """The one cluster that is kept is chosen by score; the minimum of the other is lost."""
    asked = unit(max_clusters=1, minimum={"b": 4}, weights={"a": 1, "b": 1})
    assert place(asked, cluster("a"), cluster("b")) == {"a": 10}


def test_duplicate_ignores_bounds() -> None:
    """Every cluster gets the template as it is, contrary to what the documentation says."""
    asked = unit(divide=False, minimum={"a": 3}, maximum={"a": 3})
    assert place(asked, cluster("a"), cluster("b")) == {"a": None, "b": None}


def test_kind_without_replicas_is_duplicated() -> None:
    """Divide needs something to divide; a missing field of a kind that has one is an error."""
    assert place(replace(unit(None), replicas_path=""), cluster("a")) == {"a": None}
    assert schedule_unit(unit(None), [cluster("a")], NOW).error is not None


def test_sticky_keeps_everything() -> None:
    """20 replicas are wanted, 5 and 5 stay; without any current cluster it is an ordinary run."""
    assert place(unit(20, {"a": 5, "gone": 5}, sticky=True), cluster("a")) == {"a": 5, "gone": 5}
    assert place(unit(20, sticky=True), cluster("a")) == {"a": 20}


def test_no_cluster_is_an_error_and_counts_the_reasons() -> None:
    """The reasons are counted and sorted as texts; a cluster that has not joined is not even counted."""
    asked = unit(current={"a": 10}, cluster_selector={"x": "y"})
    clusters = [
        cluster("a"),
        cluster("b"),
        cluster("c", joined=False),
        replace(cluster("d"), api_kinds=frozenset()),
    ]
    answer = schedule_unit(asked, clusters, NOW)
    assert answer == ScheduledUnit(
        error="0/3 clusters are available: 1 cluster(s) didn't support this APIVersion, "
        "2 cluster(s) didn't match cluster selector",
        nowhere=True,
    )


def test_no_schedule_holds_what_runs() -> None:
    """A cluster in use with an untolerated NoSchedule keeps its 3 and takes no more, whatever its maximum."""
    tainted = cluster("a", taints=(Taint("k", "", "NoSchedule"),))
    asked = unit(20, {"a": 3}, weights={"a": 1, "b": 1}, maximum={"a": 8})
    assert place(asked, tainted, cluster("b")) == {"a": 3, "b": 17}
    tolerant = replace(asked, policy=replace(asked.policy, tolerations=(Toleration("k", "Exists"),)))
    assert place(tolerant, tainted, cluster("b")) == {"a": 8, "b": 12}


def test_duplicated_current_counts_as_all() -> None:
    """Cluster a held a duplicate, so it counts as holding 10 of 10: nothing moves."""
    asked = unit(10, {"a": None}, weights={"a": 1, "b": 1}, avoid_disruption=True)
    assert place(asked, cluster("a"), cluster("b")) == {"a": 10}


def test_plan_and_overflow_are_added_up() -> None:
    """2 that can run and 7 that cannot are written together, beyond the maximum of 6."""
    asked = unit(12, weights={"a": 1}, minimum={"a": 5}, maximum={"a": 6}, auto_migration=True)
    report = Feedback(estimated={"a": 2, "b": -1})
    assert place(replace(asked, feedback=report), cluster("a")) == {"a": 9}
    silent = replace(asked, feedback=report, policy=replace(asked.policy, auto_migration=False))
    assert place(silent, cluster("a")) == {"a": 6}  # without autoMigration the feedback is not read


def test_binpack_in_the_pipeline() -> None:
    """By priority: b takes its 4, then a; the order of names only breaks ties."""
    asked = unit(10, binpack=True, priorities={"b": 9}, maximum={"b": 4})
    assert place(asked, cluster("a"), cluster("b"), cluster("c")) == {"b": 4, "a": 6}


def test_errors_after_the_filters() -> None:
    """A negative limit and a wrong preferred term stop the run; the reason stands at the end."""
    limited = schedule_unit(unit(max_clusters=-1), [cluster("a")], NOW).error or ""
    assert limited.endswith("default/web: max cluster is less than 0")
    unknown = SelectorRequirement("tier", cast("Operator", "Like"), ("2",))
    preferred = ((1, SelectorTerm((unknown,))),)
    wrong = schedule_unit(unit(preferred=preferred), [cluster("a")], NOW).error or ""
    assert "tier is an unknown operator" in wrong


def test_zero_replicas() -> None:
    """Nothing to divide, no cluster."""
    assert place(unit(0), cluster("a")) == {}
