"""Which clusters KubeAdmiral opens and takes: filters, affinity, scores, selection."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, cast

import pytest

from fairlead.manifests.kubeadmiral.stated import Feedback, SelectorTerm
from fairlead.models.cluster import Cluster, Taint, Toleration
from fairlead.models.selectors import Operator, SelectorRequirement
from fairlead.solver.dispensers.kubeadmiral.inputs import GPU
from fairlead.solver.dispensers.kubeadmiral.scores import (
    SelectionError,
    SelectorError,
    balanced,
    least_allocated,
    matches_any,
    refusal,
    scores,
    select,
)
from kubeadmiral_builders import NOW, cluster, unit

# Filters


@pytest.mark.parametrize(
    ("others", "reason"),
    [
        ({"api_kinds": frozenset()}, "didn't support this APIVersion"),
        (
            {"taints": (Taint("k", "v", "NoSchedule"),)},
            "had taint {k: v}, that the schedulingUnit didn't tolerate",
        ),
        (
            {"taints": (Taint("k", "v", "NoExecute"),)},
            "had taint {k: v}, that the schedulingUnit didn't tolerate",
        ),
        ({"taints": (Taint("k", "v", "PreferNoSchedule"),)}, None),
        ({"name": "b"}, "were not in placement list"),
        ({"labels": {}}, "didn't match cluster selector"),
        ({"ready": False}, "were unready"),
        ({"deleting": True}, "were terminating"),
        ({}, None),
    ],
)
def test_filters(others: Mapping[str, Any], reason: str | None) -> None:
    """Each filter refuses a cluster that is otherwise open."""
    asked = unit(cluster_names=frozenset("a"), cluster_selector={"x": "y"})
    assert refusal(asked, replace(cluster("a", labels={"x": "y"}), **others), NOW) == reason


def test_clusters_in_use_are_refused_less() -> None:
    """NoSchedule and an unready cluster keep out new workloads only."""
    running = unit(current={"a": 3})
    assert refusal(running, cluster("a", ready=False, taints=(Taint("k", "", "NoSchedule"),)), NOW) is None
    assert refusal(running, cluster("a", taints=(Taint("k", "", "NoExecute"),)), NOW) is not None


def test_eviction_ends() -> None:
    """An eviction holds until its moment, also for a cluster in use."""
    until = Feedback(unavailable=(("a", datetime(2026, 1, 1, 1, tzinfo=UTC)), ("b", None)))
    asked = replace(unit(current={"a": 3}), feedback=until)
    assert refusal(asked, cluster("a"), NOW) == "were evicted due to custom migration configuration"
    assert refusal(asked, cluster("a"), datetime(2026, 1, 1, 1, tzinfo=UTC)) is None
    assert refusal(asked, cluster("b"), NOW) is None


@pytest.mark.parametrize(
    ("toleration", "expected"),
    [
        (Toleration("k", "Equal", "v", "NoSchedule"), True),
        (
            Toleration("k", "", "v"),
            True,
        ),  # the operator left out is Equal, the effect left out is every effect
        (Toleration("k", "Exists"), True),
        (Toleration("", "Exists"), True),
        (Toleration("", "Equal", "v"), True),  # nothing checks that an empty key goes with Exists
        (Toleration("k", "Equal", "w"), False),
        (Toleration("other", "Exists"), False),
        (Toleration("k", "Exists", "", "NoExecute"), False),
        (Toleration("k", "Like", "v"), False),
    ],
)
def test_tolerations(toleration: Toleration, expected: bool) -> None:
    """Core Kubernetes' rules against the taint k=v:NoSchedule."""
    assert toleration.tolerates(Taint("k", "v", "NoSchedule")) is expected


def term(operator: str, *values: str, key: str = "tier") -> SelectorTerm:
    """Return a term of one expression, as it is written: the operator may be none."""
    return SelectorTerm((SelectorRequirement(key, cast("Operator", operator), values),))


@pytest.mark.parametrize(
    ("terms", "expected"),
    [
        ((term("In", "1", "2"),), True),
        ((term("In", "1"), term("Gt", "1")), True),  # terms are alternatives
        ((term("NotIn", "2"),), False),
        ((term("NotIn", "2", key="absent"),), True),
        ((term("Lt", "1"),), False),
        ((SelectorTerm(),), False),  # an empty term matches nothing
        ((), False),
        ((SelectorTerm(fields=(SelectorRequirement("metadata.name", "In", ("a",)),)),), True),
        ((SelectorTerm(fields=(SelectorRequirement("metadata.name", "NotIn", ("a",)),)),), False),
    ],
)
def test_affinity(terms: tuple[SelectorTerm, ...], expected: bool) -> None:
    """Against cluster a of tier 2."""
    assert matches_any(terms, cluster("a", labels={"tier": "2"})) is expected


@pytest.mark.parametrize(
    "wrong",
    [
        term("Like", "2"),
        term("In"),
        term("Gt", "many"),
        term("NotIn", "2", key="-tier"),
        term("NotIn", "2", key="Example.com/tier"),
        term("NotIn", "not a label"),
        SelectorTerm(fields=(SelectorRequirement("metadata.name", "In", ("a", "b")),)),
    ],
)
def test_wrong_requirements_refuse(wrong: SelectorTerm) -> None:
    """What Kubernetes refuses closes the cluster without a word, unless an earlier term matched."""
    here = cluster("a", labels={"tier": "2"})
    with pytest.raises(SelectorError):
        matches_any((wrong,), here)
    assert refusal(unit(required=(wrong,)), here, NOW) == "didn't match cluster selector"
    assert refusal(unit(required=(term("Exists"), wrong)), here, NOW) is None


# Scores and selection


def used(name: str, cpu: int, memory: int, **others: Any) -> Cluster:
    """Return a cluster of which some percent are used."""
    whole = 100
    left = {"cpu": whole - cpu, "memory": whole - memory}
    return Cluster(name, allocatable={"cpu": whole, "memory": whole}, free=left, **others)


def test_least_allocated() -> None:
    """The mean of 60 and 31 percent free, cut to an integer; a missing resource counts as used up."""
    assert least_allocated(unit(), used("a", 40, 69)) == 45
    assert least_allocated(unit(), cluster("a", "50", "100")) == 25


def test_balanced() -> None:
    """Half the difference of 40 and 69 percent is 14.5, which leaves 85.5; a full resource leaves nothing."""
    assert balanced(unit(), used("a", 40, 69)) == 85
    assert balanced(unit(), used("a", 40, 100)) == 0


def test_gpus_weigh_four() -> None:
    """6 of 8 GPUs free give (50 + 50 + 4 * 75) / 6 = 66; the pod's two take them to 4 of 8."""
    whole = used("a", 50, 50)
    here = replace(
        whole, allocatable={**(whole.allocatable or {}), GPU: 8}, free={**(whole.free or {}), GPU: 6}
    )
    assert least_allocated(replace(unit(), gpus=0), here) == 66
    assert least_allocated(replace(unit(), gpus=2), here) == 50
    assert balanced(replace(unit(), gpus=2), here) == 100
    assert least_allocated(unit(), here) == 50  # not requested, not looked at


def test_scores_are_normalised() -> None:
    """100 for no untolerated taint, 0 for the most; 100 for the most preferred, by share for the others."""
    tainted = used("a", 100, 100, taints=(Taint("k", "", "PreferNoSchedule"),))
    plain = used("b", 100, 100, labels={"zone": "1", "fast": "yes"})
    other = used("c", 100, 100, labels={"zone": "1"})
    preferred = ((30, term("In", "1", key="zone")), (20, term("Exists", key="fast")), (50, SelectorTerm()))
    assert scores(unit(preferred=preferred), [tainted, plain, other]) == {"a": 0, "b": 200, "c": 160}
    assert scores(unit(), [plain, other]) == {"b": 100, "c": 100}


def test_selection_by_score_then_name() -> None:
    """The best score first; equal scores by name."""
    clusters = [cluster("c"), cluster("a"), cluster("b")]
    ranks = {"a": 1, "b": 2, "c": 1}
    assert [each.name for each in select(unit(), clusters, ranks)] == ["b", "a", "c"]
    assert [each.name for each in select(unit(max_clusters=2), clusters, ranks)] == ["b", "a"]
    assert select(unit(max_clusters=0), clusters, ranks) == []
    with pytest.raises(SelectionError, match="max cluster is less than 0"):
        select(unit(max_clusters=-1), clusters, ranks)


def test_priorities_replace_scores() -> None:
    """One priority is enough, and Binpack never looks at scores."""
    clusters = [cluster("a"), cluster("b")]
    ranks = {"a": 1, "b": 100}
    assert [each.name for each in select(unit(priorities={"a": 1}), clusters, ranks)] == ["a", "b"]
    assert [each.name for each in select(unit(binpack=True), clusters, ranks)] == ["a", "b"]
    duplicate = unit(binpack=True, divide=False)
    assert [each.name for each in select(duplicate, clusters, ranks)] == ["b", "a"]
