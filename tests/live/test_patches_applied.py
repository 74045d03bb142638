"""Patches on an API server: taken as they are, refused where they are stale or wrong, and done once."""

from pathlib import Path

import pytest

import fairlead
from applied import recorded
from fairlead.live.client import BINDING, Client, RefusedError, connect
from fairlead.live.reading import snapshot
from fake_store import RefusedError as Refused
from live_objects import APPLIED, binding, cluster, placement, static
from served_api import ServedApi


def read(client: Client) -> fairlead.Problem:
    """Return what a server holds."""
    return fairlead.load(snapshot(client).documents)


def test_after_its_patches_there_is_nothing_to_do(api: ServedApi, tmp_path: Path) -> None:
    """The objects of a real control plane, placed afresh: read back, everything stands as it was solved."""
    for item in recorded("karmada"):
        if "Duplicated" not in str(item):
            api.add(item)
    client = connect(None, api.kubeconfig(tmp_path))
    outcome = fairlead.solve(read(client), fresh=True, time_limit=1.0)
    patches = outcome.to_manifests()
    assert patches
    for patch in patches:
        kept = api.get(BINDING, patch["metadata"]["name"], patch["metadata"]["namespace"])
        after = api.apply(patch)
        assert APPLIED in after["metadata"]["annotations"]
        assert after["spec"] == {**kept["spec"], "clusters": after["spec"]["clusters"]}
    for patch in outcome.to_manifests("status"):
        api.apply(patch, "status")
    again = fairlead.solve(read(client))
    assert (again.to_manifests(), again.to_manifests("status")) == ((), ())
    client.close()


def test_a_patch_made_before_a_scale_is_refused(api: ServedApi, tmp_path: Path) -> None:
    """The version that was read is stale, so nothing of the scale is undone."""
    for name in ("member1", "member2"):
        api.add(cluster(name))
    api.add(binding("web", 4, placed=placement(static({"member1": 1, "member2": 1}))))
    client = connect(None, api.kubeconfig(tmp_path))
    (patch,) = fairlead.solve(read(client)).to_manifests()
    api.patch(BINDING, "web-deployment", {"spec": {"replicas": 10}})
    with pytest.raises(Refused) as refused:
        api.apply(patch)
    assert refused.value.code == 409
    assert "clusters" not in api.get(BINDING, "web-deployment")["spec"]
    (patch,) = fairlead.solve(read(client)).to_manifests()
    assert [one["replicas"] for one in api.apply(patch)["spec"]["clusters"]] == [5, 5]
    client.close()


@pytest.mark.parametrize(
    "wrong",
    [
        {"clusters": [{"name": "member1", "replicas": "two"}]},
        {"clusters": [{"replicas": 2}]},
        {"clusters": {"member1": 2}},
    ],
    ids=["type", "required", "list"],
)
def test_what_no_schema_allows_is_refused(api: ServedApi, wrong: dict[str, object], tmp_path: Path) -> None:
    """With the code and the words of the server; nothing changes."""
    before = api.add(binding("web", 4))
    client = connect(None, api.kubeconfig(tmp_path))
    with pytest.raises(RefusedError, match="clusters") as refused:
        client.patch(BINDING.path("default", "web-deployment"), {"spec": wrong}, "fairlead")
    assert refused.value.status == 422
    assert api.get(BINDING, "web-deployment") == before
    client.close()


def test_what_no_schema_knows_is_dropped(api: ServedApi) -> None:
    """Such as the Go field's name of the affinity group, which no server knows."""
    api.add(binding("web", 4))
    unknown = {"schedulerObservedAffinityName": "home", "schedulerObservingAffinityName": "away"}
    after = api.patch(BINDING, "web-deployment", {"status": unknown}, "status")
    assert after["status"] == {"schedulerObservingAffinityName": "away"}
