"""What is left out or skipped says what was nearly right: a policy, a version, a kind."""

import io

import pytest

from fairlead.manifests.loading import load

WORKLOAD = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: shop, namespace: retail}
spec: {replicas: 2, template: {spec: {containers: []}}}
"""
POLICY = """
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {name: shop, namespace: retail}
spec: {resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, name: shop}], placement: {}}
"""


@pytest.mark.parametrize(
    ("right", "written", "told"),
    [
        ("name: shop}]", "name: shopp}]", "policy retail/shop selects Deployment shopp"),
        ("{name: shop, namespace: retail}", "{name: shop}", "selects Deployment shop of namespace default"),
        ("apps/v1", "apps/v1beta1", "policy retail/shop selects Deployment shop of apps/v1beta1"),
        # Nothing alike: the policy is about something else.
        ("name: shop}]", "name: ledger}]", ""),
        ("kind: Deployment, name: shop", "kind: StatefulSet, name: shop", ""),
    ],
)
def test_a_workload_that_is_left_out_names_the_policy_that_nearly_selects_it(
    right: str, written: str, told: str
) -> None:
    """One letter, a namespace or a version is what people get wrong at night."""
    warnings = warnings_of(WORKLOAD, POLICY.replace(right, written))
    (warning,) = [one for one in warnings if one.startswith("retail/shop is left out")]
    end = "no policy in the input selects it, and no binding brings a placement"
    assert warning.partition(end)[2].startswith("; ") is bool(told)
    assert told in warning


def test_the_order_of_policies_does_not_matter() -> None:
    """Of two policies that nearly select it, the first by name is told, wherever it stands."""
    near = POLICY.replace("name: shop}]", "name: shopp}]")
    first = near.replace("{name: shop, namespace", "{name: another, namespace")
    told, back = warnings_of(WORKLOAD, near, first), warnings_of(WORKLOAD, first, near)
    assert "policy retail/another selects Deployment shopp" in told[0]
    assert [one.partition(" (")[0] for one in told] == [one.partition(" (")[0] for one in back]


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        (("policy.karmada.io/v1alpha1", "PropagationPolcy"), "did you mean PropagationPolicy?"),
        (("policy.karmada.io/v1beta1", "PropagationPolicy"), "allowed is policy.karmada.io/v1alpha1"),
        (("autoscaling/v3", "HorizontalPodAutoscaler"), "allowed are autoscaling/v1 and autoscaling/v2"),
        (("example.com/v1", "Fleet"), "skipped"),
        # Kinds that there are, although their names are much like those of others.
        (("batch/v1", "CronJob"), "skipped"),
        (("policy.karmada.io/v1alpha1", "ClusterTaintPolicy"), "skipped"),
    ],
)
def test_a_kind_that_is_skipped_says_what_may_be_meant(kind: tuple[str, str], told: str) -> None:
    """Another version of the same kind before a kind of a name like it."""
    version, name = kind
    strange = f"apiVersion: {version}\nkind: {name}\nmetadata: {{name: a}}\n"
    (warning,) = [
        one for one in warnings_of(WORKLOAD, POLICY, strange) if "is not a kind that is read" in one
    ]
    assert warning.endswith(told)


def warnings_of(*documents: str) -> list[str]:
    """Return the warnings of an input."""
    return [warning.text for warning in load(io.StringIO("\n---\n".join(documents))).warnings]
