"""Conflicts as people read them: manifests by hand, and the exact words with file and line."""

from dataclasses import dataclass
from pathlib import Path

import pytest

import fairlead
from fairlead.models.statement import Proof

KINDS = "apiEnablements: [{groupVersion: apps/v1, resources: [{kind: Deployment}]}]"


def member(name: str, allocatable: str = "", spec: str = "") -> str:
    """Return a Karmada cluster in four lines: kind, metadata, spec and status."""
    summary = f", resourceSummary: {{allocatable: {{{allocatable}}}}}" if allocatable else ""
    return (
        "{apiVersion: cluster.karmada.io/v1alpha1, kind: Cluster,\n"
        f"metadata: {{name: {name}}},\nspec: {{{spec}}},\nstatus: {{{KINDS}{summary}}}}}\n---\n"
    )


def web(replicas: int, requests: str = "cpu: 500m", name: str = "web") -> str:
    """Return a deployment in three lines."""
    return (
        "{apiVersion: apps/v1, kind: Deployment,\n"
        f"metadata: {{name: {name}, namespace: shop}},\nspec: {{replicas: {replicas}, template: "
        f"{{spec: {{containers: [{{name: c, resources: {{requests: {{{requests}}}}}}}]}}}}}}}}\n---\n"
    )


def policy(placement: str, name: str = "web", more: str = "") -> str:
    """Return a policy; its placement starts in the sixth line, indented by four."""
    return (
        "apiVersion: policy.karmada.io/v1alpha1\nkind: PropagationPolicy\n"
        f"metadata: {{name: {name}, namespace: shop}}\nspec:\n  placement:\n{placement.strip(chr(10))}\n"
        f"  resourceSelectors: [{{apiVersion: apps/v1, kind: Deployment, name: {name}}}]\n{more}---\n"
    )


DIVIDED = """
    replicaScheduling:
      replicaSchedulingType: Divided
      replicaDivisionPreference: Weighted
"""
TERMS = (
    DIVIDED
    + """\
      weightPreference:
        clusterConstraint:
          clusterConstraintTerms:
"""
)


def term(name: str, bounds: str) -> str:
    """Return a term of a cluster constraint in two lines."""
    return f"            - targetCluster: {{clusterNames: [{name}]}}\n              {bounds}\n"


@dataclass(frozen=True)
class Case:
    """Manifests without any placement, and what is said of them.

    Parameters
    ----------
    name
        What contradicts what.
    clusters, rules
        The files ``clusters.yaml`` and ``pp.yaml``.
    told
        The lines of the conflict.
    """

    name: str
    clusters: str
    rules: str
    told: tuple[str, ...]


CASES = (
    Case(
        "a minimum over the room",
        member("member1", "cpu: 8") + member("member2", "cpu: 1500m"),
        web(8) + policy(TERMS + term("member2", "minReplicas: 4")),
        (
            "policy shop/web: member2 needs at least 4 (pp.yaml:17)",
            "member2 has capacity for 3 of shop/web (1500m cpu free, 500m per replica) (clusters.yaml:6)",
        ),
    ),
    Case(
        "a minimum over the total",
        member("member1", "cpu: 8"),
        web(2) + policy(TERMS + term("member1", "minReplicas: 3")),
        (
            "shop/web needs 2 replicas (pp.yaml:3)",
            "policy shop/web: member1 needs at least 3 (pp.yaml:17)",
        ),
    ),
    Case(
        "minima over the total",
        member("member1") + member("member2") + member("member3"),
        web(8)
        + policy(
            TERMS
            + term("member1", "minReplicas: 5")
            + term("member2", "minReplicas: 1")
            + term("member3", "minReplicas: 4")
        ),
        (
            "shop/web needs 8 replicas; the minima of 2 clusters add up to 9 (pp.yaml:3)",
            "policy shop/web: member1 needs at least 5 (pp.yaml:17)",
            "policy shop/web: member3 needs at least 4 (pp.yaml:21)",
        ),
    ),
    Case(
        "maxima below the total",
        member("member1") + member("member2"),
        web(8) + policy(TERMS + term("member1", "maxReplicas: 5") + term("member2", "maxReplicas: 2")),
        (
            "shop/web needs 8 replicas; these 2 clusters can hold 7 together (pp.yaml:3)",
            "policy shop/web: member1 may hold at most 5 (pp.yaml:17)",
            "policy shop/web: member2 may hold at most 2 (pp.yaml:19)",
        ),
    ),
    Case(
        "room below the total, and a taint on the largest cluster",
        member("member1", "cpu: 2")
        + member("member2", "cpu: 1")
        + member("member3", "cpu: 64", "taints: [{key: dedicated, value: gpu, effect: NoSchedule}]"),
        web(7) + policy(DIVIDED),
        (
            "shop/web needs 7 replicas; these 2 clusters can hold 6 together (pp.yaml:3)",
            "member1 has capacity for 4 of shop/web (2 cpu free, 500m per replica) (clusters.yaml:1)",
            "member2 has capacity for 2 of shop/web (1 cpu free, 500m per replica) (clusters.yaml:6)",
            (
                "shop/web: 2/3 clusters are available: 1 cluster(s) had untolerated taint {dedicated: "
                "gpu} (clusters.yaml:11)"
            ),
        ),
    ),
    Case(
        "more clusters than are eligible",
        member("member1") + member("member2", spec="taints: [{key: gpu, effect: NoExecute}]"),
        web(4) + policy(DIVIDED + "    spreadConstraints: [{spreadByField: cluster, minGroups: 2}]"),
        (
            "policy shop/web: replicas in at least 2 clusters; only member1 is eligible (pp.yaml:13)",
            (
                "shop/web: 1/2 clusters are available: 1 cluster(s) had untolerated taint {gpu} "
                "(clusters.yaml:6)"
            ),
        ),
    ),
    Case(
        "more regions than have clusters",
        member("member1", spec="region: eu") + member("member2", spec="region: eu"),
        web(4) + policy(DIVIDED + "    spreadConstraints: [{spreadByField: region, minGroups: 2}]"),
        ("policy shop/web: replicas in at least 2 regions; only eu has eligible clusters (pp.yaml:13)",),
    ),
    Case(
        "the other region is tainted",
        member("member1", spec="region: eu")
        + member("member2", spec="region: us, taints: [{key: maintenance, effect: NoExecute}]"),
        web(4) + policy(DIVIDED + "    spreadConstraints: [{spreadByField: region, minGroups: 2}]"),
        (
            "policy shop/web: replicas in at least 2 regions; only eu has eligible clusters (pp.yaml:13)",
            (
                "shop/web: 1/2 clusters are available: 1 cluster(s) had untolerated taint {maintenance} "
                "(clusters.yaml:6)"
            ),
        ),
    ),
    Case(
        "more regions than replicas",
        "".join(member(f"member{n}", spec=f"region: r{n}") for n in (1, 2, 3)),
        web(2) + policy(DIVIDED + "    spreadConstraints: [{spreadByField: region, minGroups: 3}]"),
        (
            "shop/web needs 2 replicas (pp.yaml:3)",
            "policy shop/web: replicas in at least 3 regions (pp.yaml:13)",
        ),
    ),
    Case(
        "taints close every cluster",
        member("member1", spec="taints: [{key: dedicated, value: gpu, effect: NoSchedule}]")
        + member("member2", spec="taints: [{key: maintenance, effect: NoExecute}]"),
        web(1) + policy(DIVIDED),
        (
            "shop/web needs 1 replica (pp.yaml:3)",
            (
                "shop/web: 0/2 clusters are available: 1 cluster(s) had untolerated taint {dedicated: "
                "gpu}, 1 cluster(s) had untolerated taint {maintenance} (pp.yaml:1)"
            ),
        ),
    ),
    Case(
        "no cluster matches",
        member("member1"),
        web(3) + policy("    clusterAffinity: {clusterNames: [member9]}" + DIVIDED),
        (
            "shop/web needs 3 replicas (pp.yaml:3)",
            (
                "shop/web: 0/1 clusters are available: 1 cluster(s) did not match the placement cluster "
                "affinity constraint (pp.yaml:10)"
            ),
        ),
    ),
    Case(
        "specified totals differ from the replicas",
        member("member1") + member("member2"),
        web(9)
        + policy(
            """
    replicaScheduling:
      replicaSchedulingType: Divided
      replicaDivisionPreference: Specified
      specifyPreference:
        staticSpecifyList:
          - {targetCluster: {clusterNames: [member1]}, replicas: 3}
          - {targetCluster: {clusterNames: [member2]}, replicas: 5}
"""
        ),
        (
            "shop/web needs 9 replicas; the totals of 2 sets add up to 8 (pp.yaml:3)",
            "policy shop/web: member1 must hold exactly 3 replicas (pp.yaml:15)",
            "policy shop/web: member2 must hold exactly 5 replicas (pp.yaml:16)",
        ),
    ),
    Case(
        "a region list differs from the replicas",
        member("lyon", spec="region: france") + member("oslo", spec="region: nordics"),
        web(3)
        + policy(
            "    clusterAffinity: {fieldSelector: {matchExpressions: "
            "[{key: region, operator: In, values: [france, nordics]}]}}",
            more="  replicas: 4\n",
        ),
        (
            "shop/web needs 3 replicas (pp.yaml:3)",
            "policy shop/web: the listed regions must hold exactly 4 replicas (pp.yaml:12)",
        ),
    ),
    Case(
        "half has to survive, and there is one region",
        member("member1", spec="region: eu") + member("member2", spec="region: eu"),
        web(4)
        + policy(DIVIDED)
        + "apiVersion: fairlead.io/v1alpha1\nkind: Survival\nmetadata: {name: lose}\n"
        + "spec: {field: region, minReplicas: 2}\n",
        (
            (
                "policy shop/web: 2 replicas must survive the loss of any one region, and eu is the "
                "only eligible region (pp.yaml:18)"
            ),
        ),
    ),
    Case(
        "too much has to survive",
        member("member1", spec="region: eu") + member("member2", spec="region: us"),
        web(4)
        + policy(DIVIDED)
        + "apiVersion: fairlead.io/v1alpha1\nkind: Survival\nmetadata: {name: lose}\n"
        + "spec: {field: region, minReplicas: 3}\n",
        (
            "shop/web needs 4 replicas (pp.yaml:3)",
            "policy shop/web: 3 replicas must survive the loss of any one region (pp.yaml:18)",
        ),
    ),
    Case(
        "apart, and only one cluster",
        member("member1"),
        web(1)
        + web(1, name="api")
        + policy(DIVIDED)
        + policy(DIVIDED, "api")
        + "apiVersion: fairlead.io/v1alpha1\nkind: WorkloadAffinity\nmetadata: {name: databases-apart}\n"
        + "spec: {type: AntiAffinity}\n",
        (
            "shop/api needs 1 replica (pp.yaml:7)",
            "shop/web needs 1 replica (pp.yaml:3)",
            "WorkloadAffinity databases-apart: shop/api and shop/web share no cluster (pp.yaml:32)",
        ),
    ),
    Case(
        "a full copy without room",
        member("member1", "cpu: 8") + member("member2", "cpu: 1"),
        web(3) + policy("    replicaScheduling: {replicaSchedulingType: Duplicated}"),
        (
            "policy shop/web: member2 needs a full copy of 3 replicas (pp.yaml:10)",
            "member2 has capacity for 2 of shop/web (1 cpu free, 500m per replica) (clusters.yaml:6)",
        ),
    ),
    Case(
        "two workloads compete for GPUs",
        member("member1", "cpu: 64, nvidia.com/gpu: 4") + member("member2", "cpu: 64"),
        web(3, "cpu: 1, nvidia.com/gpu: 1")
        + web(1, "cpu: 1, nvidia.com/gpu: 2", name="train")
        + policy(DIVIDED)
        + policy(DIVIDED, "train"),
        (
            "shop/train needs 1 replica (pp.yaml:7)",
            "shop/web needs 3 replicas (pp.yaml:3)",
            (
                "member1 has 4 nvidia.com/gpu; shop/train needs 2 per replica and shop/web needs 1 per "
                "replica (clusters.yaml:1)"
            ),
            (
                "member2 offers no nvidia.com/gpu; shop/train needs 2 per replica and shop/web needs 1 per "
                "replica (clusters.yaml:6)"
            ),
        ),
    ),
    Case(
        "bounds of a region",
        member("member1", spec="region: eu") + member("member2", spec="region: us"),
        web(9)
        + policy(TERMS + term("member1", "minReplicas: 4"))
        + "apiVersion: fairlead.io/v1alpha1\nkind: GroupBounds\nmetadata: {name: regions}\n"
        + "spec:\n  groups:\n  - {name: Europe, targetCluster: {clusterNames: [member1]}, maxReplicas: 3}\n",
        (
            "policy shop/web: member1 needs at least 4 (pp.yaml:17)",
            "policy shop/web: Europe may hold at most 3 (pp.yaml:25)",
        ),
    ),
    Case(
        "scaled up where nothing new is allowed",
        member("member1", spec="taints: [{key: maintenance, effect: NoSchedule}]"),
        "apiVersion: work.karmada.io/v1alpha2\nkind: ResourceBinding\n"
        "metadata: {name: web-deployment, namespace: shop}\n"
        "spec:\n  resource: {apiVersion: apps/v1, kind: Deployment, namespace: shop, name: web}\n"
        "  replicas: 5\n  clusters: [{name: member1, replicas: 2}]\n---\n" + policy(DIVIDED),
        (
            "shop/web needs 5 replicas (pp.yaml:6)",
            (
                "member1 had untolerated taint {maintenance}; shop/web may keep the 2 replicas it holds "
                "there, no more (clusters.yaml:1)"
            ),
        ),
    ),
    Case(
        "at most one cluster, and no cluster takes all",
        member("member1", "cpu: 2") + member("member2", "cpu: 3"),
        web(7) + policy(DIVIDED + "    spreadConstraints: [{spreadByField: cluster, maxGroups: 1}]"),
        (
            "shop/web needs 7 replicas (pp.yaml:3)",
            "policy shop/web: replicas in at most 1 cluster; 1 of 2 clusters holds at most 6 (pp.yaml:13)",
            "member1 has capacity for 4 of shop/web (2 cpu free, 500m per replica) (clusters.yaml:1)",
            "member2 has capacity for 6 of shop/web (3 cpu free, 500m per replica) (clusters.yaml:6)",
        ),
    ),
    Case(
        "aggregated: minima that fit no division",
        member("member1", "cpu: 8") + member("member2", "cpu: 8"),
        web(3)
        + policy(
            TERMS.replace("Weighted", "Aggregated")
            + term("member1", "minReplicas: 4")
            + term("member2", "minReplicas: 4")
        ),
        (
            "shop/web needs 3 replicas (pp.yaml:3)",
            "policy shop/web: member1 needs at least 4 where it is used at all (pp.yaml:17)",
            "policy shop/web: member2 needs at least 4 where it is used at all (pp.yaml:19)",
        ),
    ),
    Case(
        "the first overflow tier cannot hold a static division",
        member("home", "cpu: 2") + member("cloud", "cpu: 64"),
        web(6)
        + policy(
            "    clusterAffinity: {clusterNames: [home], supplements: [{clusterNames: [cloud]}]}"
            + DIVIDED
            + "      weightPreference: {staticWeightList: "
            + "[{targetCluster: {clusterNames: [home, cloud]}, weight: 1}]}"
        ),
        (
            "shop/web needs 6 replicas (pp.yaml:3)",
            "home has capacity for 4 of shop/web (2 cpu free, 500m per replica) (clusters.yaml:1)",
            (
                "shop/web: 1/2 clusters are available: 1 cluster(s) is in a later overflow tier, which "
                "static weights do not use (pp.yaml:10)"
            ),
        ),
    ),
    Case(
        "whole nodes are too small",
        "{apiVersion: cluster.karmada.io/v1alpha1, kind: Cluster, metadata: {name: member1},\n"
        "spec: {resourceModels: [{grade: 0, ranges: [{name: cpu, min: '0', max: '4'}]},\n"
        "  {grade: 1, ranges: [{name: cpu, min: '4', max: '9223372036854775807'}]}]},\n"
        f"status: {{{KINDS},\n"
        "  resourceSummary: {allocatable: {cpu: 12},\n"
        "    allocatableModelings: [{grade: 0, count: 0}, {grade: 1, count: 3}]}}}\n",
        web(4, "cpu: 3") + policy(DIVIDED),
        (
            "shop/web needs 4 replicas (pp.yaml:3)",
            "member1 has capacity for 3 of shop/web (nodes of its grades fit 3) (clusters.yaml:1)",
        ),
    ),
    Case(
        "KubeAdmiral: more clusters have to be used than may be",
        "".join(
            "{apiVersion: core.kubeadmiral.io/v1alpha1, kind: FederatedCluster, "
            f"metadata: {{name: {name}}},\n"
            'status: {conditions: [{type: Joined, status: "True"}, {type: Ready, status: "True"}],\n'
            "  apiResourceTypes: [{group: apps, version: v1, kind: Deployment}],\n"
            "  resources: {schedulableNodes: 1, allocatable: {cpu: 8}, available: {cpu: 2}}}}\n---\n"
            for name in ("beijing", "shanghai")
        ),
        "apiVersion: core.kubeadmiral.io/v1alpha1\nkind: PropagationPolicy\n"
        "metadata: {name: web, namespace: shop}\n"
        "spec: {schedulingMode: Divide, clusterSelector: {},\n  maxClusters: 1}\n---\n"
        "apiVersion: core.kubeadmiral.io/v1alpha1\nkind: FederatedObject\n"
        "metadata: {name: web-deployments.apps, namespace: shop, "
        "labels: {kubeadmiral.io/propagation-policy-name: web}}\n"
        "spec: {template: {apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: shop},\n"
        "  spec: {replicas: 3, template: {spec: {containers: "
        "[{name: c, resources: {requests: {cpu: 1}}}]}}}}}\n",
        (
            "shop/web needs 3 replicas (pp.yaml:11)",
            "policy shop/web: replicas in at most 1 cluster; 1 of 2 clusters holds at most 2 (pp.yaml:5)",
            "beijing has capacity for 2 of shop/web (2 cpu free, 1 per replica) (clusters.yaml:1)",
            "shanghai has capacity for 2 of shop/web (2 cpu free, 1 per replica) (clusters.yaml:6)",
        ),
    ),
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_in_words(case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The conflict is the smallest, and says this and nothing else."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "clusters.yaml").write_text(case.clusters)
    (tmp_path / "pp.yaml").write_text(case.rules)
    outcome = fairlead.solve(fairlead.load(["clusters.yaml", "pp.yaml"]))
    assert outcome.status is fairlead.Status.INFEASIBLE
    assert [tuple(str(statement) for statement in each.rules) for each in outcome.conflicts] == [case.told]
    assert {each.proof for each in outcome.conflicts} == {Proof.SMALLEST}
