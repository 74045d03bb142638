"""Short spellings for manifests of our own kinds, and for what became of them."""

from typing import Any

from builders import Manifest, cluster, deployment, divided, policy
from fairlead.manifests.loading import load
from fairlead.models.problem import Problem
from loaded import texts

EVEN = divided({})


def own(kind: str, name: str = "own", **spec: Any) -> Manifest:
    """Return a manifest of our own."""
    return {"apiVersion": "fairlead.io/v1alpha1", "kind": kind, "metadata": {"name": name}, "spec": spec}


def regions() -> list[Manifest]:
    """Return two clusters in Europe, one in America and one that does not tell."""
    return [
        cluster("berlin", region="eu", labels={"tier": "gold"}),
        cluster("boston", region="us"),
        cluster("nowhere"),
        cluster("paris", region="eu", labels={"tier": "tin"}),
    ]


def placed(*manifests: Manifest, placement: Manifest = EVEN, **workload: Any) -> Problem:
    """Load a deployment on `regions`, with a policy and manifests of our own."""
    return load(regions(), deployment(**workload), policy(placement=placement), list(manifests))


def told(problem: Problem) -> list[str]:
    """Return the warnings about our own kinds, without files."""
    return [text.removesuffix(" (<dict>)") for text in texts(problem, "own-kind")]
