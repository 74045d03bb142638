"""What must not change an answer, or only its names: no expected value is needed to find a wrong one."""

import json
import random
import re
from collections.abc import Callable, Mapping
from copy import deepcopy
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from builders import Manifest, binding, cluster, deployment, divided, policy, selector, static
from fairlead.manifests.loading import load
from fairlead.models.errors import ManifestError
from fairlead.models.outcome import Outcome, Status
from fairlead.solver.solve import solve
from own_builders import own
from random_manifests import karmada, kubeadmiral

Make = Callable[[int], list[Manifest]]
both = pytest.mark.parametrize("make", [karmada, kubeadmiral])
seeds = st.integers(0, 100_000)
some = settings(max_examples=settings().max_examples // 8)  # every case is solved twice


def made(make: Make, seed: int) -> list[Manifest]:
    """Return random manifests; another seed is drawn where they contradict themselves."""
    manifests = make(seed)
    try:
        load(deepcopy(manifests))
    except ManifestError:
        reject()
    return manifests


def solved(manifests: list[Manifest]) -> Outcome:
    """Solve manifests, and do not stop before all is proven."""
    return solve(load(deepcopy(manifests)), workers=1, time_limit=60)


def told(outcome: Outcome) -> Manifest:
    """Return all that programs and people read of an answer, but for how long it took."""
    document = json.loads(json.dumps(outcome.to_dict(), default=str))
    del document["seconds"]
    return {**document, "text": [re.sub(" +", " ", line) for line in str(outcome).splitlines()]}


def placed(outcome: Outcome) -> dict[str, dict[str, int]] | None:
    """Return the replicas of every workload that has any."""
    if outcome.placement is None:
        return None
    return {key: dict(held) for key, held in outcome.placement.items() if held}


def values(outcome: Outcome) -> list[tuple[str, int | Fraction]]:
    """Return the levels that are not at 0."""
    return [(level.name, level.value) for level in outcome.objectives if level.value]


def named(manifests: Any, names: Mapping[str, str]) -> Any:
    """Return plain data with other names for its clusters."""
    text = re.sub(r"\bmember\d\b", lambda found: names.get(found[0], found[0]), json.dumps(manifests))
    return json.loads(text)


@both
@some
@given(seeds)
def test_order_of_documents(make: Make, seed: int) -> None:
    """Whatever comes first in the input: not a word of the answer changes."""
    manifests = made(make, seed)
    mixed = random.Random(seed).sample(manifests, len(manifests))
    assert told(solved(mixed)) == told(solved(manifests))


@both
@some
@given(seeds)
def test_other_names_in_the_same_order(make: Make, seed: int) -> None:
    """Names count by their order only: the answer is the same in the new ones."""
    manifests = made(make, seed)
    names = {f"member{number}": f"harbor{number}" for number in range(1, 5)}  # as long, for lines of YAML
    assert told(solved(named(manifests, names))) == named(told(solved(manifests)), names)


@both
@some
@given(seeds)
def test_other_names_in_another_order(make: Make, seed: int) -> None:
    """Names settle ties and nothing else: every level has the value that it had."""
    manifests = made(make, seed)
    first = [each["metadata"]["name"] for each in manifests if "Cluster" in each["kind"][-7:]]
    names = dict(zip(first, random.Random(seed).sample(first, len(first)), strict=True))
    before, after = solved(manifests), solved(named(manifests, names))
    assert (after.status, values(after)) == (before.status, values(before))


@some
@given(seeds)
def test_what_nobody_may_use_and_what_needs_nothing(seed: int) -> None:
    """A cluster that is closed to all, and a workload of no replicas: everybody else stands as before."""
    manifests = made(karmada, seed)
    closed = cluster("aside", cpu=100, region="moon", labels={"tier": "none"}, taints=["closed:NoExecute"])
    nothing = deployment("idle", 0, 1)
    chosen = policy("idle", static(("aside", 1)), selects=[selector("idle")])
    before, after = solved(manifests), solved([*manifests, closed, nothing, chosen])
    assert (after.status, placed(after), values(after)) == (before.status, placed(before), values(before))


def test_what_has_no_replicas_loosens_no_balance() -> None:
    """Two workloads fill a and b; a third, of no replicas, may stand on c too, which is ten times as large.

    If that counted, c would be most of what can be filled: replicas on a and b were far from even, and half a
    replica of a small share made the tolerance of balance six times as large.
    """
    clusters = [cluster("a", cpu=4), cluster("b", cpu=4), cluster("c", cpu=40)]
    small = static(("a", 1), ("b", 1))
    pair = [deployment("web", 3, 1), deployment("api", 3, 1), policy("small", small)]
    idle = [deployment("idle", 0, 1), policy("idle", divided({}), selects=[selector("idle")])]
    before, after = solved([*clusters, *pair]), solved([*clusters, *pair, *idle])
    assert [level.name for level in before.objectives] == ["deviation", "balance"]
    assert (after.objectives, placed(after)) == (before.objectives, placed(before))


@some
@given(seeds)
def test_units(seed: int) -> None:
    """Seven times the CPU in every cluster, request and quota, five times every weight: all the same."""
    manifests = made(karmada, seed)
    before, after = solved(manifests), solved(scaled(manifests))
    assert (after.status, placed(after), values(after)) == (before.status, placed(before), values(before))


def scaled(manifest: Any) -> Any:
    """Return plain data with seven times every amount of CPU and five times every weight."""
    if isinstance(manifest, list):
        return [scaled(each) for each in manifest]
    if not isinstance(manifest, dict):
        return manifest
    return {key: _scaled(key, value) for key, value in manifest.items()}


def _scaled(key: str, value: Any) -> Any:
    if key == "weight":
        return value * 5
    if key not in ("cpu", "requests.cpu"):
        return scaled(value)
    text = str(value)
    return f"{int(text[:-1]) * 7}m" if text.endswith("m") else str(int(text) * 7)


@some
@given(seeds)
def test_an_answer_that_runs_is_kept(seed: int) -> None:
    """Given back as what runs, in the groups it was found in, an answer is the answer, and nothing moves."""
    manifests = [_unused(each) for each in made(karmada, seed)]
    manifests.append(own("Profile", "steady", leaveOut=["balance"]))
    before = solved(manifests)
    if before.placement is None:
        return
    after = solved(_running(manifests, before))
    assert (after.status, placed(after)) == (Status.OPTIMAL, placed(before))
    assert not any(value for name, value in values(after) if "moves" in name)


def _unused(manifest: Manifest) -> Manifest:
    """Return a cluster of which others use nothing: what its status tells is what the input holds there."""
    changed = deepcopy(manifest)
    changed.get("status", {}).get("resourceSummary", {}).pop("allocated", None)
    return changed


def _running(manifests: list[Manifest], outcome: Outcome) -> list[Manifest]:
    """Return manifests in which the placement of an answer runs."""
    assert outcome.placement is not None
    kept = [each for each in manifests if each["kind"] != "ResourceBinding"]
    bindings = {
        each["spec"]["resource"]["name"]: each for each in manifests if each["kind"] == "ResourceBinding"
    }
    for workload in outcome.problem.workloads:
        one = deepcopy(bindings.get(workload.name)) or binding(workload.name, workload.replicas)
        cpu = workload.requests.get("cpu")
        if cpu:
            one["spec"]["replicaRequirements"] = {"resourceRequest": {"cpu": f"{cpu}m"}}
        held = outcome.placement[workload.key]
        one["spec"]["clusters"] = [{"name": name, "replicas": count} for name, count in held.items()]
        if workload.group:
            one["status"] = {"schedulerObservingAffinityName": workload.group}
        kept.append(one)
    return kept
