"""Loading Karmada manifests: what a workload and a cluster are made of."""

import io
from datetime import UTC, datetime
from pathlib import Path

import pytest
import yaml

from builders import binding, claimed, cluster, clusters, deployment, dynamic, policy, selector, static
from fairlead.manifests.loading import load
from fairlead.models.cluster import Grade
from fairlead.models.errors import ManifestError
from fairlead.models.rules import Capacity, Total
from fairlead.models.source import Source
from loaded import candidates, only, texts, weights
from places import DATA

KUBECTL = DATA / "kubectl.yaml"


def test_a_deployment_and_its_policy() -> None:
    """The smallest input: replicas and requests of the template, rules of the policy."""
    problem = load(
        clusters(2),
        deployment("web", 7, "250m", "1Gi", labels={"app": "web"}),
        policy("web", static(("member1", 2))),
    )
    workload = only(problem)
    assert (workload.key, workload.replicas, workload.policy) == ("default/web", 7, "policy default/web")
    assert workload.requests == {"cpu": 250, "memory": 2**30}
    assert workload.labels == {"app": "web"}
    assert weights(workload) == {"member1": 2}
    assert problem.rules == (Capacity(),)
    assert not problem.warnings


def test_documents_lists_and_files_are_the_same(tmp_path: Path) -> None:
    """Dicts, a list of dicts, text, a file, a directory and an open file make the same workloads."""
    documents = [*clusters(3), deployment(), policy(placement=static(("member2", 1)))]
    text = yaml.safe_dump_all(documents)
    file = tmp_path / "all.yaml"
    file.write_text(text, encoding="utf-8")
    expected = weights(only(load(*documents)))
    for sources in ([documents], [io.StringIO(text)], [str(file)], [file], [tmp_path], [[file]]):
        assert weights(only(load(*sources))) == expected
    with file.open(encoding="utf-8") as stream:
        assert weights(only(load(stream))) == expected


def test_the_order_of_documents_does_not_matter() -> None:
    """Shuffled documents make an equal problem."""
    documents = [
        *clusters(3),
        deployment("b"),
        deployment("a"),
        policy("q", dynamic()),
        policy("p", static(("member2", 1))),
    ]
    assert load(documents) == load(documents[::-1])


def test_a_list_as_kubectl_prints_it() -> None:
    """``kind: List`` stands for its items."""
    items = [*clusters(1), deployment(), policy()]
    assert only(load({"apiVersion": "v1", "kind": "List", "items": items})).key == "default/nginx"


def test_no_manifest_at_all(tmp_path: Path) -> None:
    """Nothing to read is a mistake that says where it was looked for."""
    empty = tmp_path / "empty.yaml"
    empty.write_text("---\n# nothing\n", encoding="utf-8")
    with pytest.raises(ManifestError, match=r"no manifest found in .*empty\.yaml"):
        load(empty)
    with pytest.raises(ManifestError, match="no manifest found in the input, which is empty"):
        load([])


def test_clusters_tell_where_they_are_and_what_is_free() -> None:
    """Free is allocatable less allocated less allocating, rounded down once."""
    # 4 - 0.3335 - 0.3335 cores are 3333 millicores exactly; rounding each part first would give 3332.
    document = cluster(
        "a",
        cpu=4,
        memory="8Gi",
        pods=10,
        provider="aws",
        region="us",
        zones=["z1", "z2"],
        labels={"tier": "gold"},
        taints=["gpu=yes:NoSchedule"],
        allocated={"cpu": "333500u", "memory": "9Gi"},
        allocating={"cpu": "333500u", "pods": 3},
    )
    (found,) = load(document).clusters
    assert found.allocatable == {"cpu": 4000, "memory": 8 * 2**30, "pods": 10}
    assert found.free == {"cpu": 3333, "memory": -(2**30), "pods": 7}
    assert (found.provider, found.region, found.zones) == ("aws", "us", ("z1", "z2"))
    assert found.labels == {"tier": "gold"}
    assert [str(taint) for taint in found.taints] == ["{gpu: yes}"]
    assert found.api_kinds == frozenset({("apps/v1", "Deployment"), ("batch/v1", "Job")})


def test_a_silent_cluster_is_unknown() -> None:
    """Without a resource summary capacity is unknown; without kinds every kind is served."""
    bare = {"apiVersion": "cluster.karmada.io/v1alpha1", "kind": "Cluster", "metadata": {"name": "a"}}
    zoned = {**bare, "metadata": {"name": "b"}, "spec": {"zone": "z"}}
    problem = load(bare, zoned)
    first, second = problem.clusters
    assert (first.free, first.allocatable, first.api_kinds, first.provider) == (None, None, None, None)
    # spec.zone is the deprecated spelling of a list with one zone.
    assert second.zones == ("z",)
    assert texts(problem, "cluster") == ["a, b: no status.apiEnablements, taken to serve every kind (<dict>)"]


def test_grades_of_nodes() -> None:
    """Models without counts say nothing; the lowest grade comes first, with the least its nodes have."""
    graded = cluster("a", cpu=4)
    graded["spec"]["resourceModels"] = [
        {"grade": 1, "ranges": [{"name": "cpu", "min": "1500m", "max": "9223372036854775807"}]},
        {"grade": 0, "ranges": [{"name": "cpu", "min": "0", "max": "1500m"}]},
    ]
    assert load(graded).clusters[0].grades == ()
    graded["status"]["resourceSummary"]["allocatableModelings"] = [
        {"grade": 1, "count": 2},
        {"grade": 0, "count": 3},
    ]
    problem = load(graded)
    assert problem.clusters[0].grades == (Grade(3, {"cpu": 0}), Grade(2, {"cpu": 1500}))
    assert not problem.warnings


def test_nodes_of_an_unknown_grade() -> None:
    """What a node of that grade has cannot be known, so the sums of the cluster count, as in Karmada."""
    graded = cluster("a", cpu=4)
    graded["status"]["resourceSummary"]["allocatableModelings"] = [{"grade": 7, "count": 2}]
    problem = load(graded)
    assert problem.clusters[0].grades == ()
    (warning,) = texts(problem, "cluster")
    assert warning.startswith("a: counts nodes of a grade that spec.resourceModels does not describe")


def test_the_binding_beats_the_template() -> None:
    """Replicas, requests and what runs come from the binding; a difference in replicas is said."""
    problem = load(
        clusters(2),
        deployment("web", 7, "250m"),
        binding("web", 5, {"member1": 3, "member2": 0}, cpu="100m", schedulePriority={"priority": 8}),
        policy("web", static()),
    )
    workload = only(problem)
    assert (workload.replicas, workload.requests, workload.current) == (5, {"cpu": 100}, {"member1": 3})
    assert workload.priority == 8
    (warning,) = texts(problem, "replicas")
    assert warning.startswith("default/web: the template asks for 7 replicas, but the 5 of its binding count")


def test_a_binding_without_numbers_leaves_them_to_the_template() -> None:
    """What the binding does not state, the template does."""
    problem = load(clusters(1), deployment("web", 7, "250m"), binding("web", None), policy("web", static()))
    assert (only(problem).replicas, only(problem).requests) == (7, {"cpu": 250})


def test_a_binding_alone_is_enough() -> None:
    """Placement, replicas and requests of a binding whose template is not in the input."""
    problem = load(
        clusters(2),
        binding(
            "web",
            4,
            {"member2": 4},
            static(("member1", 1)),
            cpu="1",
            marks=claimed("base"),
            labels={"a": "b"},
        ),
    )
    workload = only(problem)
    assert (workload.key, workload.policy, workload.labels) == (
        "default/web",
        "policy default/base",
        {"a": "b"},
    )
    assert weights(workload) == {"member1": 1}


def test_a_binding_that_no_policy_claims_names_itself() -> None:
    """Without annotations the binding is what declared the placement."""
    assert only(load(clusters(1), binding("web", 4, {}, static()))).policy == "binding default/web-deployment"


def test_a_policy_in_the_input_beats_the_copy_in_the_binding() -> None:
    """That is how an edited policy is tried out."""
    copy, edited = static(("member1", 1)), static(("member2", 1))
    problem = load(clusters(2), binding("web", 4, {}, copy, marks=claimed("p")), policy("p", edited))
    assert weights(only(problem)) == {"member2": 1}


def test_resources_without_replicas_are_placed_with_none() -> None:
    """A binding for a ConfigMap is a workload of 0 replicas."""
    config = binding("settings", None, {"member1": 0}, {}, kind="ConfigMap", api_version="v1")
    role = binding("reader", None, {}, {}, kind="ClusterRole", api_version="rbac/v1", namespace="")
    problem = load(cluster("member1", kinds=["v1 ConfigMap", "rbac/v1 ClusterRole"]), config, role)
    assert [(one.key, one.replicas) for one in problem.workloads] == [("default/settings", 0), ("reader", 0)]


def test_jobs_ask_for_what_runs_at_once() -> None:
    """Parallelism counts; without it one pod at a time."""
    jobs = [
        deployment(name, asked, kind="Job", api_version="batch/v1") for name, asked in (("a", 3), ("b", None))
    ]
    selects = [selector(kind="Job", api_version="batch/v1")]
    problem = load(clusters(1), jobs, policy(selects=selects))
    assert [one.replicas for one in problem.workloads] == [3, 1]


@pytest.mark.parametrize(("completions", "wanted", "field"), [(3, 3, "completions"), (9, 5, "parallelism")])
def test_a_job_never_runs_more_than_are_to_complete(completions: int, wanted: int, field: str) -> None:
    """Karmada takes the smaller number, as Kubernetes does; whoever wants another one changes that field."""
    job = deployment("a", 5, kind="Job", api_version="batch/v1")
    job["spec"]["completions"] = completions
    selects = [selector(kind="Job", api_version="batch/v1")]
    (workload,) = load(clusters(1), job, policy(selects=selects)).workloads
    assert workload.replicas == wanted
    assert workload.replicas_source is not None
    assert workload.replicas_source.path == ("spec", field)


@pytest.mark.parametrize(
    ("asked", "last", "fresh"),
    [
        ("2026-01-02T00:00:00Z", "2026-01-01T00:00:00Z", True),
        ("2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z", False),
        # The same moment is not later, whatever the zone it is written in.
        ("2026-01-01T01:00:00+01:00", "2026-01-01T00:00:00Z", False),
        ("2026-01-01T00:30:00Z", "2026-01-01T01:00:00+01:00", True),
        ("2026-01-01T00:00:00.5Z", "2026-01-01T00:00:00Z", True),
        ("2026-01-01T00:00:00Z", None, False),
        (None, "2026-01-01T00:00:00Z", False),
        (datetime(2026, 1, 2, tzinfo=UTC), "2026-01-01T00:00:00Z", True),
    ],
)
def test_fresh_is_a_reschedule_after_the_last_schedule(asked: object, last: object, fresh: bool) -> None:
    """A reschedule counts only where it is later than lastScheduledTime."""
    document = binding(
        "web", 4, {}, static(), status={"lastScheduledTime": last}, rescheduleTriggeredAt=asked
    )
    assert only(load(clusters(1), document)).fresh is fresh


def test_replicas_elsewhere_are_kept_and_named() -> None:
    """Clusters that are not in the input stay in `current`; one warning for each of them."""
    gone = [binding(name, 4, {"member1": 1, "gone": 3}, static()) for name in ("a", "b", "c")]
    problem = load(clusters(1), gone)
    assert problem.workloads[0].current == {"member1": 1, "gone": 3}
    (warning,) = problem.warnings
    assert (warning.cluster, warning.text) == (
        "gone",
        "gone is not in the input; the replicas that default/a and 2 more holds there count as stopped",
    )


@pytest.mark.parametrize("leaving", ["binding", "template"])
def test_what_is_being_deleted_is_left_out(leaving: str) -> None:
    """Nothing new starts for what is about to go; whoever wonders is told."""
    web = deployment("web", 4) if leaving == "template" else binding("web", 4, {"member1": 4}, static())
    web["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    problem = load(clusters(1), web, policy("p", static()), binding("api", 1, {}, static()))
    assert only(problem).key == "default/api"
    what = "it" if leaving == "template" else "its binding"
    assert texts(problem, "suspended") == [
        f"default/web is left out: {what} is being deleted, so nothing new is placed for it (<dict>)"
    ]


def test_what_is_suspended_is_left_out() -> None:
    """A suspended workload keeps its placement: it is no part of the problem, and that is said."""
    suspended = binding("web", 4, {}, static(), suspension={"scheduling": True})
    problem = load(clusters(1), suspended, binding("api", 1, {}, static(), suspension={"dispatching": True}))
    assert only(problem).key == "default/api"
    assert texts(problem, "suspended") == [
        "default/web is left out: its binding suspends scheduling, so it keeps the placement it has (<dict>)"
    ]


def test_what_nobody_places_is_left_out() -> None:
    """Neither policy nor placement in a binding."""
    problem = load(
        clusters(1), deployment("web"), binding("dependency", None, {}, kind="Secret", api_version="v1")
    )
    assert not problem.workloads
    assert [text.split(":")[0] for text in texts(problem, "left-out")] == [
        "default/dependency is left out",
        "default/web is left out",
    ]


def test_what_kubectl_prints_brings_no_warning() -> None:
    """Every field that a real control plane writes is known; its claim on nodes is a note."""
    problem = load(KUBECTL)
    (note,) = problem.warnings
    assert note.is_note
    assert "nodes with disk=ssd" in note.text
    assert only(problem).current == {"member1": 2}
    assert candidates(only(problem)).names == ("member1",)


def test_sources_are_the_lines_of_the_files() -> None:
    """Cluster, workload and number of replicas know where they stand."""
    problem = load(KUBECTL)
    assert problem.clusters[0].source == Source(str(KUBECTL), 5)
    total = only(problem).rule(Total)
    assert total is not None
    lines = KUBECTL.read_text(encoding="utf-8").splitlines()
    # The binding states the replicas, not the template.
    assert total.source == Source(str(KUBECTL), lines.index("    replicas: 2") + 1)
    assert only(problem).source == Source(str(KUBECTL), lines.index("- apiVersion: apps/v1") + 1)
