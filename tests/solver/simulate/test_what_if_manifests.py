"""A changed problem is the problem of the changed manifests: every example, cluster by cluster."""

import json
from collections.abc import Iterator
from copy import deepcopy
from itertools import chain, combinations, pairwise
from random import Random

import pytest

from builders import Manifest, affinity, binding, cluster, divided, duplicated, static, term
from changed_manifests import edited, essence, is_cluster, manifests, read, tainted
from fairlead.manifests.karmada.scheduled import APPLIED
from fairlead.models.problem import Problem
from fairlead.models.rules import Duplicated, Total, Weights
from fairlead.solver.simulate.changed import changed
from fairlead.solver.simulate.changes import Change, Cordon, Drain, Lose, Restore, Scale, Weight
from kubeadmiral_manifests import entry, federated, member, policy, web
from loaded import only
from places import EXAMPLES

NAMES = sorted(folder.name for folder in EXAMPLES.iterdir() if folder.is_dir())


def clusters_of(name: str) -> list[str]:
    """Return the names of the clusters of an example."""
    return [one["metadata"]["name"] for one in manifests(name) if is_cluster(one)]


@pytest.mark.parametrize("name", NAMES)
def test_lost_clusters_are_as_if_left_out(name: str) -> None:
    """Whichever cluster is lost, the problem is that of the manifests without it."""
    documents = manifests(name)
    problem = read(documents)
    for lost in clusters_of(name):
        kept = [one for one in documents if not (is_cluster(one) and one["metadata"]["name"] == lost)]
        assert essence(changed(problem, [Lose(lost)])) == essence(read(kept)), lost


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("change", "effect"), [(Drain, "NoExecute"), (Cordon, "NoSchedule")])
def test_closed_clusters_are_as_if_tainted(
    name: str, change: type[Drain] | type[Cordon], effect: str
) -> None:
    """Draining is a NoExecute taint that nobody tolerates, cordoning a NoSchedule one."""
    documents = manifests(name)
    problem = read(documents)
    for closed in clusters_of(name):
        tainted_documents = edited(documents, closed, tainted(effect))
        assert essence(changed(problem, [change(closed)])) == essence(read(tainted_documents)), closed


@pytest.mark.parametrize("name", NAMES)
def test_pairs_of_clusters(name: str) -> None:
    """Changes add up: two clusters that are lost, or one drained and one cordoned."""
    documents = manifests(name)
    problem = read(documents)
    names = clusters_of(name)
    for first, second in pairwise(names):
        kept = [
            one for one in documents if not (is_cluster(one) and one["metadata"]["name"] in (first, second))
        ]
        assert essence(changed(problem, [Lose(first), Lose(second)])) == essence(read(kept))
        closed = edited(edited(documents, first, tainted("NoExecute")), second, tainted("NoSchedule"))
        assert essence(changed(problem, [Drain(first), Cordon(second)])) == essence(read(closed))


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_any_clusters(name: str) -> None:
    """Whatever set of clusters is lost, drained or cordoned, also all of them."""
    documents = manifests(name)
    problem = read(documents)
    names = clusters_of(name)
    for lost in chain.from_iterable(combinations(names, size) for size in range(1, len(names) + 1)):
        kept = [one for one in documents if not (is_cluster(one) and one["metadata"]["name"] in lost)]
        if len(kept) > 0:
            assert essence(changed(problem, [Lose(one) for one in lost])) == essence(read(kept)), lost
        for change, effect in ((Drain, "NoExecute"), (Cordon, "NoSchedule")):
            closed = documents
            for one in lost:
                closed = edited(closed, one, tainted(effect))
            assert essence(changed(problem, [change(one) for one in lost])) == essence(read(closed)), lost


def rescaled(documents: list[Manifest], more: int) -> list[Manifest]:
    """Return manifests whose workloads want more replicas; what runs stays."""
    copies = deepcopy(documents)
    for document in copies:
        spec = document.get("spec", {})
        spec = spec.get("template", {}).get("spec", {}) if document["kind"] == "FederatedObject" else spec
        for field in ("replicas", "parallelism"):
            if field in spec and document["kind"] not in ("PropagationPolicy", "ClusterPropagationPolicy"):
                spec[field] += more
    return copies


@pytest.mark.parametrize("name", [name for name in NAMES if name != "survival"])
@pytest.mark.parametrize("more", [1, 5])
def test_scaled_workloads_are_as_if_edited(name: str, more: int) -> None:
    """Scaling is the manifest with another number of replicas."""
    documents = manifests(name)
    problem = read(documents)
    scales = [Scale(workload.key, workload.replicas + more) for workload in problem.workloads]
    assert essence(changed(problem, scales)) == essence(read(rescaled(documents, more)))


def random_manifests(seed: int) -> list[Manifest]:
    """Return four or five clusters, a workload with any way of dividing, and rules of our own."""
    rng = Random(seed)
    names = [f"m{number}" for number in range(rng.randint(4, 5))]
    fleet = [
        cluster(
            name,
            cpu=rng.choice([0, 5, 9]) if rng.random() < 0.9 else None,
            region=rng.choice(["east", "west"]),
            zones=rng.sample("abc", rng.randint(1, 2)),
            taints=["gpu:NoSchedule"] if rng.random() < 0.15 else (),
        )
        for name in names
    ]
    placement = {**_affinity(rng, names), **_division(rng, names)}
    if rng.random() < 0.3:
        field = rng.choice(["cluster", "region", "zone"])
        placement["spreadConstraints"] = [{"spreadByField": field, "minGroups": 1, "maxGroups": 2}]
    current = {name: rng.randint(1, 3) for name in names if rng.random() < 0.5}
    return [*fleet, binding("web", 6, current, placement, cpu="1"), *_own_kinds(rng)]


def _some(rng: Random, names: list[str]) -> Manifest:
    """Return an affinity of some clusters."""
    return affinity(rng.sample(names, rng.randint(1, len(names))))


def _affinity(rng: Random, names: list[str]) -> Manifest:
    """Return no affinity, one, one with overflow tiers, or two exclusive groups."""
    kind = rng.random()
    if kind < 0.3:
        return {}
    if kind < 0.45:
        return {"clusterAffinity": _some(rng, names)}
    if kind < 0.75:
        tiers = [_some(rng, names), _some(rng, names)]
        return {"clusterAffinity": {**_some(rng, names), "supplements": tiers}}
    return {"clusterAffinities": [{"affinityName": one, **_some(rng, names)} for one in ("first", "second")]}


def _division(rng: Random, names: list[str]) -> Manifest:
    """Return a way of dividing, at times with bounds."""
    kind = rng.random()
    if kind < 0.2:
        return duplicated()
    if kind < 0.3:
        strategy = {"replicaSchedulingType": "Divided", "replicaDivisionPreference": "Aggregated"}
        return {"replicaScheduling": strategy}
    weights = [
        {"targetCluster": _some(rng, names), "weight": rng.randint(1, 3)} for _ in range(rng.randint(0, 2))
    ]
    preference = {"dynamicWeight": "AvailableReplicas"} if kind < 0.5 else {"staticWeightList": weights}
    terms = [term(_some(rng, names), rng.choice([None, 1, 2]), rng.choice([4, 5]))]
    bounds = {"clusterConstraint": {"clusterConstraintTerms": terms}} if rng.random() < 0.5 else {}
    return divided({**preference, **bounds})


def _own_kinds(rng: Random) -> Iterator[Manifest]:
    """Yield manifests of our own kinds, at times."""
    every: Manifest = {"workloadSelector": {"names": ["web"]}}
    groups = [{"groupBy": "region", "minReplicas": 1}, {"groupBy": "zone", "maxReplicas": 5}]
    kinds: dict[str, Manifest] = {
        "GroupBounds": {"groups": groups},
        "Survival": {"field": "region", "minReplicas": 2},
        "HierarchicalWeights": {"by": ["region"], "weights": {"east": {"weight": 2}, "west": {"weight": 1}}},
    }
    for kind, spec in kinds.items():
        if rng.random() < 0.15:
            meta = {"apiVersion": "fairlead.io/v1alpha1", "kind": kind, "metadata": {"name": kind.lower()}}
            yield {**meta, "spec": {**every, **spec}}


def assert_matches(problem: Problem, changes: list[Change], documents: list[Manifest]) -> None:
    """Check changes against edited manifests."""
    assert essence(changed(problem, changes)) == essence(read(documents))


def random_federation(seed: int) -> list[Manifest]:
    """Return three or four clusters of KubeAdmiral and a workload under any policy."""
    rng = Random(seed)
    names = [f"m{number}" for number in range(rng.randint(3, 4))]
    fleet = [member(name, rng.choice(["3", "10", "10", None])) for name in names]
    spec: Manifest = {"schedulingMode": rng.choice(["Divide", "Divide", "Duplicate"])}
    if spec["schedulingMode"] == "Divide" and rng.random() < 0.3:
        spec["replicasStrategy"] = "Binpack"
    chances = {"minReplicas": (0, 3), "maxReplicas": (3, 6), "weight": (0, 3), "priority": (0, 2)}
    entries = [
        entry(name, **{one: rng.randint(*ends) for one, ends in chances.items() if rng.random() < 0.4})
        for name in names
        if rng.random() < 0.7
    ]
    if entries:
        spec["placement"] = entries
    if rng.random() < 0.3:
        spec["maxClusters"] = rng.randint(1, 3)
    if rng.random() < 0.4:
        sticky = rng.random() < 0.5
        spec["reschedulePolicy"] = {"disableRescheduling": sticky}
    current = {name: rng.randint(1, 3) for name in names if rng.random() < 0.5}
    template = web(rng.randint(1, 8), rng.choice(["1", None]))
    return [*fleet, policy(**spec), federated(template, current) if current else template]


EVENLY = static(("a", 1), ("b", 1))


@pytest.mark.parametrize(
    ("taint", "changes", "due"),
    [
        ("gone:NoExecute", [], True),
        ("gone:NoExecute", [Restore("a")], False),
        (None, [Drain("a"), Restore("a")], False),
        (None, [Scale("w", 5), Scale("w", 4)], False),
        (None, [Weight("w", "a", 1)], False),
        (None, [Weight("w", "a", 3), Weight("default/w", "a", 1)], False),
        (None, [Weight("w", "a", 0), Weight("w", "a", 3)], True),
    ],
)
def test_what_is_undone_makes_nobody_due(taint: str | None, changes: list[Change], due: bool) -> None:
    """3 and 1 run as placed by the policy that counts; 2 and 2 they become only where a scheduler looks."""
    marks = {APPLIED: json.dumps(EVENLY)}
    taints = [taint] if taint else []
    running = binding("w", 4, {"a": 3, "b": 1}, EVENLY, marks=marks)
    documents = [cluster("a", taints=taints), cluster("b"), running]
    assert only(changed(read(documents), changes)).due is due


def test_of_weights_of_one_cluster_the_last_one_counts() -> None:
    """A weight of 0 would have taken the workload off the cluster."""
    problem = read([cluster("a"), cluster("b"), binding("w", 4, placement=EVENLY)])
    weighed = changed(problem, [Weight("w", "a", 0), Weight("w", "a", 3)])
    assert essence(weighed) == essence(changed(problem, [Weight("w", "a", 3)]))


def test_a_weight_is_not_forgotten_where_rules_are_read_again() -> None:
    """Restored, b becomes a candidate with the weight of its policy beside the one that was tried for a."""
    problem = read([cluster("a"), cluster("b", taints=["gone:NoExecute"]), binding("w", 4, placement=EVENLY)])
    weighed = only(changed(problem, [Weight("w", "a", 3), Restore("b")]))
    assert weighed.rules_of(Weights)[0].weights == {"a": 3, "b": 1}


def test_a_weight_of_zero_may_be_the_only_one_left() -> None:
    """Once a is drained b has weight 0 and nobody has more: then all weigh the same, and b takes all four."""
    edited_weights = static(("a", 3), ("b", 0))
    before = read([cluster("a"), cluster("b"), binding("w", 4, placement=static(("a", 3), ("b", 1)))])
    after = read(
        [cluster("a", taints=["x:NoExecute"]), cluster("b"), binding("w", 4, placement=edited_weights)]
    )
    assert essence(changed(before, [Weight("w", "b", 0), Drain("a")])) == essence(after)


def test_a_weight_counts_in_every_group_that_has_the_cluster() -> None:
    """In the second group b weighs 1 for lack of any weight; then it has it in the first as well."""
    groups = [
        {"affinityName": "both", "clusterNames": ["a", "b"]},
        {"affinityName": "second", "clusterNames": ["b"]},
    ]
    before = {"clusterAffinities": groups, **static(("a", 3))}
    after = {"clusterAffinities": groups, **static(("a", 3), ("b", 5))}
    fleet = [cluster("a"), cluster("b")]
    weighed = changed(read([*fleet, binding("w", 4, placement=before)]), [Weight("w", "b", 5)])
    assert essence(weighed) == essence(read([*fleet, binding("w", 4, placement=after)]))


OWN = {"apiVersion": "fairlead.io/v1alpha1", "metadata": {"name": "ours"}}


@pytest.mark.parametrize(
    "ours",
    [
        {"kind": "GroupBounds", "spec": {"groups": [{"targetCluster": {}, "maxReplicas": 3}]}},
        {"kind": "GroupBounds", "spec": {"groups": [{"groupBy": "region", "maxReplicas": 2}]}},
        {
            "kind": "HierarchicalWeights",
            "spec": {"by": ["region"], "weights": {"eu": {"weight": 2}, "us": {}}},
        },
    ],
)
def test_what_our_kinds_say_holds_for_the_next_tier_too(ours: Manifest) -> None:
    """The first tier is gone and the second takes over: what holds of its clusters only manifests tell."""
    tiers = {"clusterAffinity": {"clusterNames": ["a"], "supplements": [affinity(["b", "c"])]}}
    fleet = [cluster("a", region="eu"), cluster("b", region="eu"), cluster("c", region="us")]
    placed = binding("w", 4, placement={**tiers, **static(("a", 1), ("b", 1), ("c", 1))})
    problem = read([*fleet, placed, {**OWN, **ours}])
    assert_matches(problem, [Lose("a")], [*fleet[1:], placed, {**OWN, **ours}])
    drained = edited([*fleet, placed, {**OWN, **ours}], "a", tainted("NoExecute"))
    assert_matches(problem, [Drain("a")], drained)


def test_a_part_that_survives_is_a_part_of_the_replicas_that_are_wanted_now() -> None:
    """Half of 4 is 2; half of 10 is 5."""
    survival = {**OWN, "kind": "Survival", "spec": {"field": "cluster", "minPercent": "50%"}}
    fleet = [cluster("a"), cluster("b")]
    problem = read([*fleet, binding("w", 4, placement=EVENLY), survival])
    assert_matches(problem, [Scale("w", 10)], [*fleet, binding("w", 10, placement=EVENLY), survival])


def test_a_weight_of_zero_leaves_the_minimum_of_kubeadmiral() -> None:
    """KubeAdmiral gives a cluster of weight 0 its minimum: 2 and 8, as if the policy were edited, not 10."""
    entries = [entry("a", weight=1, minReplicas=2), entry("b", weight=1)]
    documents = [member("a"), member("b"), policy(placement=entries), web(10)]
    weighed = changed(read(documents), [Weight("web", "a", 0)])
    entries[0]["preferences"]["weight"] = 0
    assert essence(weighed) == essence(read(documents))


def test_random_federations() -> None:
    """KubeAdmiral's policies too: clusters lost, drained or cordoned, workloads scaled.

    A drain evicts what a taint leaves alone where the policy disables rescheduling, so that is left out.
    """
    for seed in range(60):
        documents = random_federation(seed)
        problem = read(documents)
        if not problem.workloads:
            continue
        rng = Random(-seed)
        name = rng.choice([one.name for one in problem.clusters])
        kept = [one for one in documents if not (is_cluster(one) and one["metadata"]["name"] == name)]
        assert_matches(problem, [Lose(name)], kept)
        scale = Scale("web", only(problem).replicas + 2)
        assert_matches(problem, [scale], rescaled(documents, 2))
        if any(isinstance(rule, Total | Duplicated) for rule in only(problem).rules):
            assert_matches(problem, [Drain(name)], edited(documents, name, tainted("NoExecute")))
            assert_matches(problem, [Cordon(name)], edited(documents, name, tainted("NoSchedule")))


def test_random_manifests() -> None:
    """Any rules together, up to three clusters lost, drained or cordoned: as if the manifests were edited."""
    for seed in range(80):
        documents = random_manifests(seed)
        problem = read(documents)
        rng = Random(-seed)
        names = rng.sample([one.name for one in problem.clusters], rng.randint(1, 3))
        kept = [one for one in documents if not (is_cluster(one) and one["metadata"]["name"] in names)]
        assert_matches(problem, [Lose(name) for name in names], kept)
        effects = {name: rng.choice(["NoExecute", "NoSchedule"]) for name in names}
        closed = documents
        for name, effect in effects.items():
            closed = edited(closed, name, tainted(effect))
        kinds: dict[str, type[Drain | Cordon]] = {"NoExecute": Drain, "NoSchedule": Cordon}
        assert_matches(problem, [kinds[effect](name) for name, effect in effects.items()], closed)
