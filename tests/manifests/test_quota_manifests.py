"""FederatedResourceQuota: from the manifest to the rule, what is wrong in one, and what is said about it."""

import json
from pathlib import Path
from typing import Any

import pytest

import fairlead
from builders import Manifest, binding, cluster, deployment, policy, static
from fairlead.cli.app import main
from fairlead.manifests.loading import load
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import Quota
from fairlead.models.rules.quota import QuotaLimit, QuotaScope, allowed
from fairlead.models.source import Source
from fairlead.solver.conflicts.alone import quota_conflicts
from fairlead.solver.groups import choose
from loaded import STREAM, load_text, mistake, mistakes, texts

GI = 2**30
EVEN = static((["a", "b"], 1))


def quota(
    overall: dict[str, Any] | None = None, status: Manifest | None = None, **hard: dict[str, Any]
) -> Manifest:
    """Return a quota of namespace default; what else is given is assigned to the cluster of that name."""
    assigned = [{"clusterName": name, "hard": amounts} for name, amounts in hard.items()]
    return {
        "apiVersion": "policy.karmada.io/v1alpha1",
        "kind": "FederatedResourceQuota",
        "metadata": {"name": "compute", "namespace": "default"},
        "spec": {"overall": overall or {}, "staticAssignments": assigned},
        "status": status or {},
    }


def loaded(*manifests: Manifest) -> Problem:
    """Load manifests with two clusters of 100 cores."""
    return load(cluster("a", cpu=100, memory="100Gi"), cluster("b", cpu=100, memory="100Gi"), list(manifests))


def rule_of(problem: Problem) -> Quota:
    """Return the only quota of a problem."""
    (found,) = [rule for rule in problem.rules if isinstance(rule, Quota)]
    return found


def limits(problem: Problem) -> dict[QuotaScope, tuple[int, int]]:
    """Return hard limit and use by what is limited."""
    return {scope: (limit.hard, limit.used) for scope, limit in rule_of(problem).limits.items()}


def web(**more: Any) -> list[Manifest]:
    """Return a deployment of four replicas with one core and 1 GiB each, divided evenly."""
    return [deployment("web", 4, cpu=1, memory="1Gi", **more), policy(placement=EVEN)]


def told(problem: Problem) -> list[str]:
    """Return the warnings about quotas, without files."""
    return [text.removesuffix(" (<dict>)") for text in texts(problem, "quota")]


def test_names_of_resources() -> None:
    """With and without ``requests.``; devices by their full name."""
    amounts = {
        "requests.cpu": "1500m",
        "memory": "2Gi",
        "pods": 7,
        "requests.nvidia.com/gpu": 3,
        "example.com/fpga": 1,
    }
    problem = loaded(quota({**amounts, "requests.ephemeral-storage": "1Gi", "hugepages-2Mi": "4Mi"}), *web())
    assert limits(problem) == {
        QuotaScope("cpu"): (1500, 0),
        QuotaScope("memory"): (2 * GI, 0),
        QuotaScope("pods"): (7, 0),
        QuotaScope("nvidia.com/gpu"): (3, 0),
        QuotaScope("example.com/fpga"): (1, 0),
        QuotaScope("ephemeral-storage"): (GI, 0),
        QuotaScope("hugepages-2Mi"): (4 * 2**20, 0),
    }
    assert told(problem) == []


def test_two_names_of_one_resource() -> None:
    """The smaller amount counts; of what is used, the larger one."""
    status = {"overallUsed": {"cpu": 1, "requests.cpu": "500m"}}
    problem = loaded(quota({"cpu": 9, "requests.cpu": 6}, status), *web())
    assert limits(problem) == {QuotaScope("cpu"): (6000, 1000)}


def test_clusters_and_what_is_used() -> None:
    """Single clusters have limits of their own; the status tells what is used where."""
    status = {
        "overall": {"cpu": 9},
        "overallUsed": {"cpu": "2500m", "services": 4},
        "aggregatedStatus": [{"clusterName": "a", "hard": {"cpu": 5}, "used": {"cpu": 2}}],
    }
    problem = loaded(quota({"cpu": 9}, status, a={"cpu": 5}), *web())
    assert limits(problem) == {QuotaScope("cpu"): (9000, 2500), QuotaScope("cpu", "a"): (5000, 2000)}
    outcome = fairlead.solve(problem)
    # a may hold 3 of the 4 replicas, and the division asks for 2 only.
    assert outcome.placement == Placement({"default/web": {"a": 2, "b": 2}})


def test_what_the_input_holds_is_used_at_least() -> None:
    """A status that is missing or lags behind; a binding that is not scheduled keeps what it has."""
    held = binding("web", 4, {"a": 3}, EVEN, cpu=1)
    resting = binding("old", 2, {"b": 2}, EVEN, cpu=1, suspension={"scheduling": True})
    problem = loaded(quota({"cpu": 9}), held, resting)
    assert limits(problem) == {QuotaScope("cpu"): (9000, 5000)}
    assert allowed(rule_of(problem), problem) == {QuotaScope("cpu"): 7000}
    behind = loaded(quota({"cpu": 9}, {"overallUsed": {"cpu": 1}}), held, resting)
    assert limits(behind) == {QuotaScope("cpu"): (9000, 5000)}
    more = loaded(quota({"cpu": 9}, {"overallUsed": {"cpu": 8}}), held, resting)
    assert allowed(rule_of(more), more) == {QuotaScope("cpu"): 4000}


def test_a_quota_knows_its_lines() -> None:
    """Of the object and of every amount."""
    problem = load_text("""\
apiVersion: policy.karmada.io/v1alpha1
kind: FederatedResourceQuota
metadata: {name: compute, namespace: team}
spec:
  overall:
    cpu: 4
  staticAssignments:
  - clusterName: a
    hard:
      cpu: 1
---
{apiVersion: cluster.karmada.io/v1alpha1, kind: Cluster, metadata: {name: a}}
""")
    found = rule_of(problem)
    assert (found.name, found.namespace, found.source) == ("compute", "team", Source(STREAM, 1))
    assert found.limits == {
        QuotaScope("cpu"): QuotaLimit(4000, 0, Source(STREAM, 6)),
        QuotaScope("cpu", "a"): QuotaLimit(1000, 0, Source(STREAM, 10)),
    }


def test_the_order_of_documents_does_not_matter() -> None:
    """Quotas are kept by namespace and name."""
    first, second = quota({"cpu": 4}), quota({"cpu": 5})
    second["metadata"] = {"name": "zeta", "namespace": "default"}
    orders = [[first, second], [second, first]]
    assert (
        len(
            {
                tuple(str(rule) for rule in loaded(*order, *web()).rules if isinstance(rule, Quota))
                for order in orders
            }
        )
        == 1
    )


def test_what_cannot_be_looked_at_is_named() -> None:
    """Limits of pods, objects and volume claims have no effect; what is left counts."""
    claims = "gold.storageclass.storage.k8s.io/requests.storage"
    names = ["cpu", "limits.cpu", "count/deployments.apps", "services", "requests.storage", claims]
    problem = loaded(quota(dict.fromkeys(names, 9)), *web())
    assert list(limits(problem)) == [QuotaScope("cpu")]
    objects = "it counts objects, and replicas are not objects of their own"
    volumes = "it is about volume claims, which are not read"
    why = {
        "count/deployments.apps": objects,
        claims: volumes,
        "limits.cpu": "the limits of pods are not known here, only what they request",
        "requests.storage": volumes,
        "services": objects,
    }
    expected = [f"quota default/compute: {name} has no effect: {reason}" for name, reason in why.items()]
    assert told(problem) == expected
    nothing = loaded(quota({"limits.cpu": 9}), *web())
    assert not any(isinstance(rule, Quota) for rule in nothing.rules)


def test_warnings() -> None:
    """A cluster or a namespace that is not there, and workloads that do not say what they need."""
    silent = [deployment(name, 4) for name in ("web", "api")]
    problem = loaded(
        quota({"cpu": 9, "memory": "9Gi"}, a={"cpu": 1}, b={"memory": "1Gi"}, c={"memory": "1Gi"}),
        *silent,
        policy(placement=EVEN),
    )
    refused = "a ResourceQuota in a member cluster refuses such pods"
    silently = "quota default/compute does not count default/api and default/web, which request no"
    assert told(problem) == [
        f"{silently} cpu; {refused}",
        f"{silently} memory; {refused}",
        "quota default/compute limits c, which is not in the input",
    ]
    elsewhere = quota({"cpu": 9})
    elsewhere["metadata"]["namespace"] = "nobody"
    assert told(loaded(elsewhere, *web())) == [
        "quota nobody/compute has no effect: no workload of namespace nobody is placed"
    ]


def test_a_plain_resource_quota_is_skipped_with_the_reason() -> None:
    """It could be that of the control plane or of any member cluster."""
    plain = {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": "q"},
        "spec": {"hard": {"cpu": 1}},
    }
    (text,) = texts(loaded(plain, *web()), "unknown-kind")
    assert text.startswith("ResourceQuota of v1 is not a kind that is read: 1 document skipped; ")
    assert "it does not tell in which cluster it counts; a FederatedResourceQuota does" in text


@pytest.mark.parametrize(
    ("amounts", "message"),
    [
        ({"cpu": "-1"}, "spec.overall.cpu: '-1' must not be negative"),
        (
            {"cpu": "many"},
            "spec.overall.cpu: 'many' is not a quantity; allowed are a number such as 2, 0.5 or 1e3",
        ),
        ({"cpu": True}, "spec.overall.cpu: 'true' must be a quantity such as 500m, 2 or 4Gi"),
        ({"pods": "1500m"}, "spec.overall.pods: '1500m' must be a whole number"),
        ({"example.com/fpga": "0.5"}, "spec.overall[example.com/fpga]: '500m' must be a whole number"),
        (
            {"cpus": 3},
            "spec.overall.cpus: '3' is not a resource that a quota can limit; allowed are cpu, memory",
        ),
        ({"requests.pods": 3}, "spec.overall[requests.pods]: '3' is not a resource that a quota can limit"),
    ],
)
def test_wrong_amounts(amounts: dict[str, Any], message: str) -> None:
    """Field, value and what is allowed."""
    assert mistake(quota(amounts)).startswith(message)


def test_mistakes_of_assignments() -> None:
    """More than overall and resources that overall lacks, as Karmada's webhook; and a cluster named twice."""
    wrong = quota({"cpu": 3, "memory": "9Gi"}, a={"cpu": 2, "memory": "8Gi"}, b={"cpu": 2, "pods": 5})
    wrong["spec"]["staticAssignments"].append({"clusterName": "a", "hard": {}})
    assert mistakes(wrong) == [
        "spec.overall.cpu: '3' must be at least what staticAssignments add up to, which is 4",
        "spec.staticAssignments[1].hard.pods: '5' is not limited in spec.overall",
        "spec.staticAssignments[2].clusterName: 'a' is listed twice",
    ]


def test_other_mistakes() -> None:
    """A quota without amounts, one that stands twice, a negative status."""
    empty = quota()
    del empty["spec"]["overall"]
    assert mistake(empty) == "spec.overall: is required and missing"
    assert "is the name of two FederatedResourceQuota objects" in mistake(
        quota({"cpu": 1}), quota({"cpu": 1})
    )
    assert mistake(quota({"cpu": 1}, {"overallUsed": {"cpu": -1}})).startswith("status.overallUsed.cpu: '-1'")


def test_unknown_fields_are_warned_about() -> None:
    """As everywhere; null is as good as absent."""
    odd = quota({"cpu": 9, "memory": None})
    odd["spec"]["scopes"] = ["BestEffort"]
    problem = loaded(odd, *web())
    (text,) = texts(problem, "unknown-field")
    assert text.startswith("FederatedResourceQuota: spec.scopes is an unknown field and has no effect")
    assert list(limits(problem)) == [QuotaScope("cpu")]


def test_the_real_scheduler_does_not_look_at_quotas() -> None:
    """Karmada's webhook would refuse its answer where the gate is on; the comparison shows the violation."""
    problem = loaded(quota({"cpu": 4}, a={"cpu": 1}), *web())
    comparison = fairlead.compare(problem, ["karmada", "reference"])
    assert comparison.best.placement == Placement({"default/web": {"a": 1, "b": 3}})
    karmada, reference = comparison.contenders
    assert [each.rule for each in karmada.outcome.violations] == ["quota"]
    assert reference.outcome.violations == ()


def test_validate_tells_of_quotas(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Workloads that fit by themselves, and not together; a workload that fails alone is told once."""
    path = tmp_path / "quota.json"
    two = [deployment("api", 4, cpu=1, memory="1Gi"), *web()]
    members = [cluster("a", cpu=100, memory="100Gi"), cluster("b", cpu=100, memory="100Gi")]
    path.write_text(
        json.dumps({"apiVersion": "v1", "kind": "List", "items": [*members, quota({"cpu": 7}), *two]})
    )
    assert main(["validate", "-f", str(path)]) == 3
    lines = capsys.readouterr().out.splitlines()
    needs = "default/api and default/web need 1 per replica"
    assert [line.partition(" (")[0].strip() for line in lines[3:6]] == [
        "default/api needs 4 replicas",
        "default/web needs 4 replicas",
        f"quota default/compute allows 7 cpu in all clusters together; {needs}",
    ]
    assert lines[-1] == "Infeasible: 1 quota can never be kept."
    tight = static((["a"], 1), minReplicas=4)
    alone = [
        deployment("web", 4, cpu=1, memory="1Gi"),
        policy(placement=tight),
        quota({"cpu": 9}, a={"cpu": 3}),
    ]
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": [*members, *alone]}))
    assert main(["validate", "-f", str(path)]) == 3
    assert capsys.readouterr().out.splitlines()[-1] == "Infeasible: 1 workload can never be placed."


def test_another_affinity_group_may_ask_for_less() -> None:
    """Two full copies of four ask for eight cores in the first group; one for four in the second."""
    terms = [{"affinityName": f"on-{''.join(names)}", "clusterNames": names} for names in (["a", "b"], ["b"])]
    copied = [deployment("web", 4, cpu=1, memory="1Gi"), policy(placement={"clusterAffinities": terms})]
    problem = loaded(*copied, quota({"cpu": 4}))
    assert quota_conflicts(problem) == ()
    (passed,) = fairlead.solve(problem).rejected["default/web"]
    assert (passed.name, passed.reason) == ("on-ab", choose.NONE_LEFT)
    # Divided workloads ask for the same in every group.
    divided = [copied[0], policy(placement={**EVEN, "clusterAffinities": terms})]
    assert len(quota_conflicts(loaded(*divided, quota({"cpu": 3})))) == 1


def test_a_limit_on_a_cluster_that_is_not_there_binds_nothing() -> None:
    """It is warned about, and the rest is solved."""
    problem = loaded(*web(), quota({"cpu": "8"}, a={"cpu": "4"}, c={"cpu": "4"}))
    assert set(limits(problem)) == {QuotaScope("cpu", None), QuotaScope("cpu", "a")}
    assert fairlead.solve(problem).status is fairlead.Status.OPTIMAL
