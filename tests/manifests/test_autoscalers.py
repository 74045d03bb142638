"""Autoscalers and priority classes: what they mean, and what is told where the input does not agree."""

from typing import Any

import pytest

import fairlead
from builders import Manifest, binding, cluster, deployment, policy, static
from fairlead.models.workload import Autoscaler

KARMADA = "autoscaling.karmada.io/v1alpha1"


def scaler(
    kind: str = "FederatedHPA", name: str = "web", low: int | None = 2, high: int = 8, **spec: Any
) -> Manifest:
    """Return an autoscaler of the Deployment default/web."""
    version = "autoscaling/v2" if kind == "HorizontalPodAutoscaler" else KARMADA
    target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}
    limits = {"maxReplicas": high} | ({} if low is None else {"minReplicas": low})
    return {
        "apiVersion": version,
        "kind": kind,
        "metadata": {"name": name},
        "spec": {"scaleTargetRef": target, **limits, **spec},
    }


def cron(*rules: Manifest, target: str = "FederatedHPA") -> Manifest:
    """Return a scheduled autoscaler of what is called web."""
    version = KARMADA if target == "FederatedHPA" else "apps/v1"
    numbered = [{"name": f"r{at}", "schedule": "0 1 * * *", **rule} for at, rule in enumerate(rules)]
    spec = {"scaleTargetRef": {"apiVersion": version, "kind": target, "name": "web"}, "rules": numbered}
    return {"apiVersion": KARMADA, "kind": "CronFederatedHPA", "metadata": {"name": "night"}, "spec": spec}


def loaded(*others: Manifest, replicas: int = 4) -> fairlead.Problem:
    """Return a problem with the running Deployment default/web."""
    held = {"member1": replicas}
    return fairlead.load([cluster("member1", 9), binding("web", replicas, held, static(), cpu="1"), *others])


def limits(problem: fairlead.Problem) -> tuple[int, int] | None:
    """Return the fewest and the most replicas of the only workload."""
    (workload,) = problem.workloads
    found = workload.autoscaler
    return None if found is None else (found.minimum, found.maximum)


def test_a_federated_autoscaler_names_its_limits() -> None:
    """With the file and line where they stand; nothing is odd about it."""
    problem = loaded(scaler(metrics=[{"type": "Resource"}], behavior={}))
    (workload,) = problem.workloads
    assert isinstance(workload.autoscaler, Autoscaler)
    assert (workload.autoscaler.name, workload.replicas) == ("FederatedHPA default/web", 4)
    assert limits(problem) == (2, 8)
    assert problem.warnings == ()
    assert limits(loaded()) is None


def test_a_minimum_that_is_left_out_is_one() -> None:
    """As in Kubernetes."""
    assert limits(loaded(scaler(low=None))) == (1, 8)


@pytest.mark.parametrize("version", ["autoscaling/v1", "autoscaling/v2"])
def test_an_autoscaler_of_kubernetes_counts_and_is_told(version: str) -> None:
    """It acts in one cluster where Karmada propagates it, so what is assumed is said."""
    pods = scaler("HorizontalPodAutoscaler") | {"apiVersion": version}
    problem = loaded(pods)
    assert limits(problem) == (2, 8)
    (warning,) = problem.warnings
    assert "taken for default/web as a whole" in warning.text


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        ([{"targetMaxReplicas": 12}], (2, 12)),
        ([{"targetMinReplicas": 1, "targetMaxReplicas": 6}], (1, 8)),
        ([{"targetMaxReplicas": 30, "suspend": True}], (2, 8)),
        ([{"targetMinReplicas": 3}, {"targetMaxReplicas": 20}], (2, 20)),
    ],
)
def test_scheduled_limits_widen_those_of_the_autoscaler(
    rules: list[Manifest], expected: tuple[int, int]
) -> None:
    """What is asked for at any time is possible; a suspended rule asks for nothing."""
    problem = loaded(scaler(), cron(*rules))
    assert limits(problem) == expected
    assert problem.warnings == ()


def test_a_schedule_may_scale_the_workload_itself() -> None:
    """Without an autoscaler: between the least and the greatest number that it names."""
    problem = loaded(cron({"targetReplicas": 3}, {"targetReplicas": 7}, target="Deployment"))
    assert limits(problem) == (3, 7)


def test_what_does_not_agree_is_told() -> None:
    """A target that is not placed, and a number outside of the limits."""
    other = scaler()
    other["spec"]["scaleTargetRef"]["name"] = "wbe"
    (warning,) = loaded(other).warnings
    assert warning.text == "FederatedHPA default/web scales Deployment default/wbe, which is not placed here"
    (warning,) = loaded(scaler(high=3)).warnings
    assert "default/web wants 4, but FederatedHPA default/web keeps it between 2 and 3" in warning.text


def test_mistakes_name_the_field() -> None:
    """Limits that cross, a rule that asks for nothing, a field that no autoscaler has."""
    with pytest.raises(fairlead.ManifestError, match=r"maxReplicas: '1' must be at least minReplicas"):
        loaded(scaler(high=1))
    with pytest.raises(fairlead.ManifestError, match=r"spec\.rules\[0\].*needs targetMinReplicas or"):
        loaded(scaler(), cron({"targetReplicas": 3}))
    with pytest.raises(fairlead.ManifestError, match=r"is missing; a Deployment needs targetReplicas$"):
        loaded(cron({"targetMaxReplicas": 3}, target="Deployment"))
    with pytest.raises(fairlead.ManifestError) as caught:
        loaded(cron({"targetReplicas": -1}, target="Deployment"))
    assert len(caught.value.mistakes) == 1  # the number is wrong, and not missing as well
    assert any("maxReplica" in one.text for one in loaded(scaler(maxReplica=3)).warnings)


def test_rules_of_a_scheduled_autoscaler_are_checked_as_karmada_does() -> None:
    """Limits that cross, and two rules of one name; limits have no meaning for a workload."""
    crossing = {"targetMinReplicas": 4, "targetMaxReplicas": 3}
    with pytest.raises(fairlead.ManifestError) as caught:
        loaded(scaler(), cron({**crossing, "name": "r1"}, {"targetMinReplicas": 1}))
    assert [str(one) for one in caught.value.mistakes] == [
        "<dict>: spec.rules[0].targetMinReplicas: '4' must be at most targetMaxReplicas, which is 3",
        "<dict>: spec.rules[1].name: 'r1' is listed twice",
    ]
    assert limits(loaded(cron({**crossing, "targetReplicas": 5}, target="Deployment"))) == (5, 5)


def priority(name: str, value: int, **more: Any) -> Manifest:
    """Return a priority class."""
    return {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": {"name": name},
        "value": value,
        **more,
    }


def ranked(source: Manifest | None, *others: Manifest, pods: str = "", **bound: Any) -> fairlead.Problem:
    """Return a problem with a policy that says how urgent the workload is."""
    declared = policy("web", static())
    if source is not None:
        declared["spec"]["schedulePriority"] = source
    template = deployment("web", 2)
    template["spec"]["template"]["spec"]["priorityClassName"] = pods
    held = [binding("web", 2, {"member1": 2}, **bound)] if bound else []
    return fairlead.load([cluster("member1", 9), declared, template, *held, *others])


KUBE = {"priorityClassSource": "KubePriorityClass", "priorityClassName": "urgent"}
POD = {"priorityClassSource": "PodPriorityClass"}


@pytest.mark.parametrize(
    ("source", "others", "pods", "bound", "expected"),
    [
        (KUBE, [priority("urgent", 70)], "", {}, 70),
        (KUBE, [priority("urgent", 70)], "", {"schedulePriority": {"priority": 5}}, 70),
        (None, [priority("urgent", 70)], "urgent", {"schedulePriority": {"priority": 5}}, 5),
        (KUBE, [], "", {"schedulePriority": {"priority": 5}}, 5),
        (POD, [priority("urgent", 70), priority("slow", -3)], "slow", {}, -3),
        (POD, [priority("usual", 9, globalDefault=True)], "", {}, 9),
        (POD, [], "", {}, 0),
        (POD, [], "system-node-critical", {}, 2_000_001_000),
        (None, [priority("usual", 9, globalDefault=True)], "", {}, 0),
    ],
)
def test_a_priority_class_of_the_input_counts(
    source: Manifest | None, others: list[Manifest], pods: str, bound: Any, expected: int
) -> None:
    """The class that the policy names, or the pods where it says so; else the number in the binding."""
    problem = ranked(source, *others, pods=pods, **bound)
    assert [workload.priority for workload in problem.workloads] == [expected]
    assert problem.warnings == ()


def test_a_class_that_is_not_there_is_told() -> None:
    """With the name that comes nearest; without a binding the priority is 0."""
    problem = ranked(KUBE, priority("urgentt", 7))
    (warning,) = problem.warnings
    assert "counts as of priority 0" in warning.text
    assert "did you mean urgentt?" in warning.text
    assert problem.workloads[0].priority == 0


@pytest.mark.parametrize(
    "schedule", ["0 1 * * *", "*/5 0-6,22 1,15 JAN-mar mon-FRI", "@daily", "5/20 ? * * *"]
)
def test_schedules_that_karmada_runs(schedule: str) -> None:
    """Five fields of numbers, ranges, steps and words, or what stands for them."""
    rule = {"schedule": schedule, "timeZone": "Asia/Tokyo", "targetMaxReplicas": 12}
    problem = loaded(scaler(), cron(rule))
    assert (limits(problem), problem.warnings) == ((2, 12), ())


@pytest.mark.parametrize(
    ("schedule", "reason"),
    [
        ("0 0 * * 7", "7 is no day of the week, which is a number from 0 to 6"),
        ("0 0 * MON *", "MON is no month, which is a number from 1 to 12"),
        ("*/0 0 * * *", "*/0 is no minute, which is a number from 0 to 59"),
        ("0 22-6 * * *", "22-6 is no hour, which is a number from 0 to 23"),
        ("0 0 L * *", "L is no day of the month, which is a number from 1 to 31"),
        ("0 0 0 * * *", "it has 6 fields instead of 5"),
        ("@5minutes", "@5minutes is no schedule there"),
    ],
)
def test_a_schedule_that_only_the_webhook_takes_never_acts(schedule: str, reason: str) -> None:
    """Karmada's controller reads it with another library: the 12 are never asked for, and that is told."""
    problem = loaded(scaler(), cron({"schedule": schedule, "targetMaxReplicas": 12}))
    assert limits(problem) == (2, 8)
    [warning] = problem.warnings
    name = "CronFederatedHPA default/night: rule r0"
    assert warning.text == f"{name} has no effect, as Karmada cannot run {schedule!r}: {reason}"


@pytest.mark.parametrize(
    ("rule", "told"),
    [
        ({"schedule": "every night"}, "schedule: 'every night' must be a schedule of cron: minute, hour,"),
        ({"schedule": "0 1 * *"}, "schedule: '0 1 * *' must be a schedule of cron"),
        ({"schedule": "0 1,, * * *"}, "schedule: '0 1,, * * *' must be a schedule of cron"),
        ({"schedule": ""}, "schedule: must be a schedule of cron"),
        ({"timeZone": "Europe/Berln"}, "timeZone: 'Europe/Berln' must be the name of a time zone"),
        ({"timeZone": "../etc/passwd"}, "timeZone: '../etc/passwd' must be the name of a time zone"),
        ({"targetMinReplicas": 0}, "targetMinReplicas: '0' must be at least 1"),
    ],
)
def test_what_the_webhook_refuses_of_a_rule(rule: Manifest, told: str) -> None:
    """As Karmada does, with the field and its value."""
    with pytest.raises(fairlead.ManifestError) as caught:
        loaded(scaler(), cron({"targetMaxReplicas": 12, **rule}))
    [mistake] = caught.value.mistakes
    assert f"spec.rules[0].{told}" in str(mistake)


def test_a_schedule_scales_no_other_kind_of_karmada() -> None:
    """Of its own kinds only a FederatedHPA has limits."""
    scheduled = cron({"targetReplicas": 3})
    scheduled["spec"]["scaleTargetRef"]["kind"] = "FederatedHorizontal"
    with pytest.raises(fairlead.ManifestError, match=r"scaleTargetRef\.kind: .* must be FederatedHPA where"):
        loaded(scheduled)
