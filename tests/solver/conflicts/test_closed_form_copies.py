"""Copies that may choose their clusters: what `validate` sees of them, without a solver."""

from builders import cluster, deployment, duplicated, policy
from fairlead.manifests.loading import load
from fairlead.models.statement import Proof
from fairlead.solver.conflicts.alone import conflicts


def test_copies_that_choose_among_no_clusters() -> None:
    """The policy names a cluster that there is not; one copy is wanted at the least."""
    chooses = {**duplicated(), "spreadConstraints": [{"spreadByField": "cluster", "maxGroups": 1}]}
    chooses["clusterAffinity"] = {"clusterNames": ["elsewhere"]}
    problem = load([cluster("a", "10"), deployment(replicas=2), policy(placement=chooses)])
    (found,) = conflicts(problem)
    assert [each.key for each in found.workloads] == ["default/nginx"]
    assert [said.statement.rule for said in found.said] == ["duplicated", "candidates"]
    assert found.proof is Proof.SMALLEST


def test_copies_in_more_groups_than_there_are() -> None:
    """Two regions are wanted, and there is one."""
    chooses = {**duplicated(), "spreadConstraints": [{"spreadByField": "region", "minGroups": 2}]}
    problem = load([cluster("a", "10", region="eu"), deployment(replicas=2), policy(placement=chooses)])
    (found,) = conflicts(problem)
    assert [said.statement.rule for said in found.said] == ["spread"]


def test_copies_that_have_a_cluster() -> None:
    """Nothing contradicts itself where one cluster is open, and nothing where none is wanted."""
    chooses = {**duplicated(), "spreadConstraints": [{"spreadByField": "cluster", "maxGroups": 1}]}
    for replicas, name in ((2, "a"), (0, "elsewhere")):
        chooses["clusterAffinity"] = {"clusterNames": [name]}
        stream = [cluster("a", "10"), deployment(replicas=replicas), policy(placement=chooses)]
        assert conflicts(load(stream)) == ()
