"""What Karmada's scheduler and the member clusters tell of a binding after it was written."""

from fairlead.live.client import BINDING
from live_objects import Object
from served_api import Request, ServedApi

_NOW = "2026-11-22T10:00:00Z"
SCHEDULED = {
    "type": "Scheduled",
    "status": "True",
    "reason": "Success",
    "message": "",
    "lastTransitionTime": _NOW,
}


def reports(clusters: list[Object], ready: bool = True) -> list[Object]:
    """Return what clusters report of a workload."""
    return [
        {
            "clusterName": one["name"],
            "applied": True,
            "health": "Healthy" if ready else "Unhealthy",
            "status": {"replicas": one["replicas"], "readyReplicas": one["replicas"] if ready else 0},
        }
        for one in clusters
    ]


def followed(api: ServedApi, name: str, namespace: str = "default", ready: bool = True) -> None:
    """Tell in the status of a binding that it was scheduled, and what runs where it was put."""
    item = api.get(BINDING, name, namespace)
    status = {
        "schedulerObservedGeneration": item["metadata"]["generation"],
        "conditions": [SCHEDULED],
        "aggregatedStatus": reports(item["spec"]["clusters"], ready),
    }
    api.patch(BINDING, name, {"status": status}, "status", namespace)


def follow(api: ServedApi, ready: bool = True) -> None:
    """Let Karmada follow every write of a binding."""

    def after(told: Request) -> None:
        if told.method == "PATCH" and "/resourcebindings/" in told.path:
            *_, namespace, _, name = told.path.split("/")
            if name != "status":
                followed(api, name, namespace, ready)

    api.after = after
