"""Which policy and which binding belong to which workload."""

import itertools
from typing import Any

import pytest

from builders import Manifest, binding, claimed, clusters, deployment, dynamic, policy, selector, static
from fairlead.manifests.loading import load
from fairlead.models.errors import ManifestError
from loaded import only, texts

WEB = {"app": "web"}


def chosen(*documents: Manifest, labels: dict[str, str] | None = None, namespace: str = "default") -> str:
    """Return which policy a deployment ``web`` gets; empty where it gets none."""
    workloads = load(clusters(1), deployment("web", labels=labels, namespace=namespace), documents).workloads
    return workloads[0].policy if workloads else ""


@pytest.mark.parametrize(
    ("selects", "matches"),
    [
        (selector("web"), True),
        (selector("api"), False),
        (selector(), True),
        (selector(kind="StatefulSet"), False),
        (selector(api_version="apps/v1beta1"), False),
        (selector(namespace="default"), True),
        (selector(namespace="other"), False),
        (selector(labelSelector={"matchLabels": WEB}), True),
        (selector(labelSelector={"matchLabels": {"app": "db"}}), False),
        (
            selector(
                labelSelector={"matchExpressions": [{"key": "app", "operator": "NotIn", "values": ["db"]}]}
            ),
            True,
        ),
        (selector(labelSelector={}), True),
        # Beside a name the labels do not count.
        (selector("web", labelSelector={"matchLabels": {"app": "db"}}), True),
    ],
)
def test_what_a_selector_selects(selects: Manifest, *, matches: bool) -> None:
    """Kind, namespace, then the name or the labels."""
    assert bool(chosen(policy("p", selects=[selects]), labels=WEB)) is matches


def test_a_policy_selects_in_its_own_namespace_only() -> None:
    """A cluster policy selects in all namespaces, or in the one it names."""
    assert chosen(policy("p", namespace="other")) == ""
    assert chosen(policy("p", namespace="other"), namespace="other") == "policy other/p"
    assert chosen(policy("p", federal=True), namespace="other") == "cluster policy p"
    assert chosen(policy("p", federal=True, selects=[selector(namespace="default")]), namespace="other") == ""


def test_no_namespace_is_the_default_one() -> None:
    """As after ``kubectl apply``."""
    assert chosen(policy("p", namespace=""), namespace="") == "policy default/p"


PRECEDENCE: list[tuple[str, dict[str, Any]]] = [
    ("policy default/urgent", {"priority": 2}),
    ("policy default/b", {"priority": 1, "selects": [selector("web")]}),
    ("policy default/c", {"priority": 1, "selects": [selector(labelSelector={})]}),
    ("policy default/a", {"priority": 1}),
    ("policy default/z", {"priority": 1}),
    ("policy default/low", {"selects": [selector("web")]}),
    ("cluster policy a", {"federal": True, "priority": 9, "selects": [selector("web")]}),
    ("cluster policy b", {"federal": True, "priority": 9}),
]


@pytest.mark.parametrize(("first", "second"), list(itertools.pairwise(PRECEDENCE)))
def test_precedence(first: tuple[str, dict[str, Any]], second: tuple[str, dict[str, Any]]) -> None:
    """The namespace, then priority, then name over labels over all, then the alphabet."""
    documents = [policy(name.split("/")[-1].split()[-1], **spec) for name, spec in (first, second)]
    assert chosen(*documents) == chosen(*documents[::-1]) == first[0]


def test_one_policy_selects_by_its_best_selector() -> None:
    """A name among several selectors counts as a name."""
    both = policy("z", selects=[selector(), selector("web")])
    assert chosen(both, policy("a", selects=[selector(labelSelector={})])) == "policy default/z"


def test_a_claimed_workload_stays_with_its_policy() -> None:
    """A better policy takes over only with ``preemption: Always`` and a higher priority; that is said."""
    web = deployment("web", marks=claimed("old"))
    old = policy("old")

    def owner(*others: Manifest) -> str:
        return only(load(clusters(1), web, old, others)).policy

    assert owner(policy("new", priority=5)) == "policy default/old"
    assert owner(policy("new", priority=5, preemption="Always")) == "policy default/new"
    assert owner(policy("new", preemption="Always", selects=[selector("web")])) == "policy default/old"
    problem = load(clusters(1), web, old, policy("new", priority=5))
    (warning,) = texts(problem, "policy")
    assert warning.startswith(
        "policy default/new precedes policy default/old, but does not take over default/web"
    )


def test_a_namespace_preempts_the_federation_whatever_the_priority() -> None:
    """PropagationPolicy over ClusterPropagationPolicy."""
    web = deployment("web", marks=claimed("old", ""))
    old = policy("old", federal=True, priority=9)
    assert only(load(clusters(1), web, old, policy("new"))).policy == "cluster policy old"
    assert (
        only(load(clusters(1), web, old, policy("new", preemption="Always"))).policy == "policy default/new"
    )


def test_a_claim_of_a_policy_that_is_not_there_or_selects_no_more_is_void() -> None:
    """Then the workload is free for others."""
    web = deployment("web", marks=claimed("old"))
    assert only(load(clusters(1), web, policy("new"))).policy == "policy default/new"
    lost = policy("old", selects=[selector("api")])
    assert only(load(clusters(1), web, lost, policy("new"))).policy == "policy default/new"


def test_annotations_of_a_binding_name_its_policy() -> None:
    """Without the template its labels are unknown, so selectors cannot tell."""
    edited = policy("p", static(), selects=[selector(labelSelector={"matchLabels": WEB})])
    alone = binding("web", 3, {}, dynamic(), marks=claimed("p"))
    assert only(load(clusters(1), edited, alone)).policy == "policy default/p"
    # Older versions of Karmada write labels instead.
    alone = binding("web", 3, {}, dynamic(), labels=claimed("p"))
    assert only(load(clusters(1), edited, alone)).policy == "policy default/p"
    federal = policy("p", static(), federal=True, selects=[selector(labelSelector={"matchLabels": WEB})])
    alone = binding("web", 3, {}, dynamic(), marks=claimed("p", ""))
    assert only(load(clusters(1), federal, alone)).policy == "cluster policy p"


def test_a_binding_without_marks_is_selected_like_a_template() -> None:
    """By kind, namespace and name, and by its own labels."""
    by_label = policy("p", static(), selects=[selector(labelSelector={"matchLabels": WEB})])
    assert only(load(clusters(1), by_label, binding("web", 3, labels=WEB))).policy == "policy default/p"
    assert not load(clusters(1), by_label, binding("web", 3)).workloads


def test_a_binding_joins_its_template_whatever_the_api_version() -> None:
    """Group, kind, namespace and name make the resource."""
    problem = load(clusters(1), deployment("web"), binding("web", 3, api_version="apps/v1beta2"), policy())
    assert only(problem).replicas == 3


def test_a_binding_in_the_namespace_of_its_resource() -> None:
    """A resource reference without namespace lies where its binding lies."""
    document = binding("web", 3, {}, static(), namespace="prod")
    del document["spec"]["resource"]["namespace"]
    assert only(load(clusters(1), document)).key == "prod/web"


def test_keys_tell_kinds_apart_where_they_have_to() -> None:
    """``namespace/name``, with the kind where two kinds share it, with the group where two kinds do."""
    documents = [
        binding("web", 1, {}, static()),
        binding("web", 1, {}, static(), kind="StatefulSet"),
        binding("api", 1, {}, static()),
        binding("role", 1, {}, static(), namespace="", kind="ClusterRole"),
        binding("batch", 1, {}, static(), kind="Job", api_version="batch/v1"),
        {
            **binding("batch", 1, {}, static(), kind="Job", api_version="volcano.sh/v1"),
            "metadata": {"name": "other"},
        },
    ]
    assert [one.key for one in load(clusters(1), documents).workloads] == [
        "Deployment/default/web",
        "Job.batch/default/batch",
        "Job.volcano.sh/default/batch",
        "StatefulSet/default/web",
        "default/api",
        "role",
    ]


def test_two_bindings_for_one_resource_are_refused() -> None:
    """Neither of them is right."""
    second = {**binding("web"), "metadata": {"name": "other"}}
    with pytest.raises(
        ManifestError, match=r"spec.resource: 'Deployment web' has two bindings; the first one is at <dict>"
    ):
        load(clusters(1), binding("web"), second)


@pytest.mark.parametrize(
    "documents",
    [
        clusters(1) * 2,
        [deployment("web"), deployment("web", namespace="")],
        [policy("p")] * 2,
        [binding("b")] * 2,
    ],
    ids=["Cluster", "Deployment", "PropagationPolicy", "ResourceBinding"],
)
def test_nothing_has_one_name_twice(documents: list[Manifest], request: pytest.FixtureRequest) -> None:
    """Two objects of one kind, namespace and name; also where one leaves the default namespace out."""
    kind = request.node.callspec.id
    with pytest.raises(ManifestError, match=rf"metadata.name: .* is the name of two {kind} objects"):
        load(documents)


def test_names_may_repeat_across_namespaces_and_kinds() -> None:
    """They are different objects."""
    load(
        clusters(1),
        deployment("a"),
        deployment("a", namespace="b"),
        deployment("a", kind="ReplicaSet"),
        policy("a"),
    )
