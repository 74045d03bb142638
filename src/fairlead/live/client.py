"""Requests to a Kubernetes API server, with objects as JSON holds them.

The official client knows kubeconfigs, credentials and certificates; its typed models are left out.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from fairlead.models.errors import FairleadError, UsageError

if TYPE_CHECKING:
    from kubernetes.client import ApiClient
    from kubernetes.client.rest import RESTResponse


Object = dict[str, Any]

EventType = Literal["ADDED", "MODIFIED", "DELETED", "BOOKMARK"]

PAGE = 500
"""Objects that one request lists."""

_CONNECT = 10.0
_READ = 30.0
_POOL = 32


class UnreachableError(FairleadError):
    """An API server did not answer."""


class RefusedError(FairleadError):
    """An API server refused a request: the code of HTTP, such as 403, 404, 409 or 410, and what it says."""

    def __init__(self, status: int, message: str) -> None:
        self.status = status
        super().__init__(message)

    def __reduce__(self) -> tuple[type[RefusedError], tuple[int, str]]:
        return RefusedError, (self.status, str(self))

    @property
    def passes(self) -> bool:
        """Whether the server is only busy or restarting, and may answer the same request later."""
        return self.status == HTTPStatus.TOO_MANY_REQUESTS or self.status >= HTTPStatus.INTERNAL_SERVER_ERROR


class WatchEvent(NamedTuple):
    """Event of a watch."""

    type: EventType
    """Kind of change of the object; a bookmark only tells a newer version of the whole."""
    object: Object
    version: str
    """Version of the object, from which to go on."""


@dataclass(frozen=True, slots=True)
class Client:
    """A connection to an API server; threads may share it."""

    api: ApiClient
    context: str

    def close(self) -> None:
        """Close idle connections."""
        self.api.rest_client.close()

    def get(self, path: str, query: Mapping[str, str] | None = None) -> Object:
        """Return the object at a path.

        Raises `RefusedError` where the server refused, and `UnreachableError` where it did not answer.
        """
        return self._sent("GET", path, query)

    def list(self, resource: ResourceType) -> tuple[list[Object], str]:
        """Return all objects of a kind, and the version of the whole from which to watch.

        Raises `RefusedError` where the server refused, and `UnreachableError` where it did not answer.
        """
        found: list[Object] = []
        query = {"limit": str(PAGE)}
        while True:
            page = self.get(resource.path(), query)
            if "items" not in page:
                # What stands between may answer in the place of the server; that is no empty list.
                raise UnreachableError(f"{self.context}: the answer is no list of {resource.plural}")
            meta = page.get("metadata") or {}
            typed = {"apiVersion": resource.api_version, "kind": resource.kind}
            found.extend({**typed, **item} for item in page["items"] or ())
            if not meta.get("continue"):
                return found, str(meta.get("resourceVersion", ""))
            query["continue"] = str(meta["continue"])

    def watch(self, resource: ResourceType, version: str, seconds: float) -> Iterator[WatchEvent]:
        """Yield the changes of objects of a kind after a version, until the server ends the watch.

        Raises `RefusedError` where the server refused, 410 where it no longer knows the version, and
        `UnreachableError` where the connection is lost.
        """
        from urllib3.exceptions import HTTPError

        query = {
            "watch": "true",
            "allowWatchBookmarks": "true",
            "resourceVersion": version,
            "timeoutSeconds": str(max(1, round(seconds))),
        }
        response = self._response("GET", resource.path(), query, read=seconds + _CONNECT)
        rest = b""
        try:
            for chunk in response.response.stream():
                *lines, rest = (rest + chunk).split(b"\n")
                yield from map(_event, filter(None, lines))
        except (HTTPError, OSError) as error:
            raise UnreachableError(f"{self.context}: {error}") from error
        except (ValueError, KeyError, TypeError):
            # What stands between, such as a proxy, may answer in the place of the server.
            raise UnreachableError(f"{self.context}: the watch tells what is no event") from None
        finally:
            response.response.close()

    def create(self, path: str, body: Object) -> Object:
        """Create an object below a path and return it; errors as in `get`."""
        return self._sent("POST", path, body=body)

    def replace(self, path: str, body: Object) -> Object:
        """Replace an object and return it; errors as in `get`, 409 where its version is stale."""
        return self._sent("PUT", path, body=body)

    def patch(self, path: str, body: Object, manager: str, *, dry_run: bool = False) -> Object:
        """Merge a patch into an object and return it; errors as in `get`, 409 where its version is stale.

        In a dry run the server checks it, and keeps nothing.
        """
        query = {"fieldManager": manager, **({"dryRun": "All"} if dry_run else {})}
        return self._sent("PATCH", path, query, body)

    def _sent(
        self, method: str, path: str, query: Mapping[str, str] | None = None, body: Object | None = None
    ) -> Object:
        from urllib3.exceptions import HTTPError

        response = self._response(method, path, query, body)
        try:
            answer = json.loads(response.read() or b"{}")
        except (HTTPError, OSError) as error:
            raise UnreachableError(f"{self.context}: {error}") from error
        except ValueError as error:
            raise UnreachableError(f"{self.context}: the answer is not JSON") from error
        if not isinstance(answer, dict):
            raise UnreachableError(f"{self.context}: the answer is no object")
        return answer

    def _response(
        self,
        method: str,
        path: str,
        query: Mapping[str, str] | None = None,
        body: Object | None = None,
        read: float = _READ,
    ) -> RESTResponse:
        """Send a request and return the response, whose body is still to be read."""
        from kubernetes.client.exceptions import ApiException
        from urllib3.exceptions import HTTPError

        kind = "application/merge-patch+json" if method == "PATCH" else "application/json"
        headers = {"Accept": "application/json", "Content-Type": kind}
        request = self.api.param_serialize(
            method,
            path,
            query_params=list((query or {}).items()),
            header_params=headers,
            body=body,
            auth_settings=["BearerToken"],
        )
        try:
            response = self.api.call_api(*request, _request_timeout=(_CONNECT, read))
            if response.status < 300:
                return response
            text = response.read() or b""
        except (HTTPError, OSError, ApiException) as error:
            raise UnreachableError(f"{self.context}: {error}") from error
        raise RefusedError(response.status, _refusal(text) or f"{response.status} {response.reason}")


def _refusal(text: bytes) -> str:
    """Return the text of a refused request; empty where there is none."""
    try:
        status = json.loads(text)
    except ValueError:
        return " ".join(text.decode(errors="replace").split())[:200]
    return str(status.get("message", "")) if isinstance(status, dict) else ""


def _event(line: bytes) -> WatchEvent:
    """Return one event of a watch; an error is raised, and so is a Python error where it is no event."""
    told = json.loads(line)
    kind, item = told["type"], told["object"]
    if kind == "ERROR":
        raise RefusedError(int(item.get("code", 500)), str(item.get("message", "the watch failed")))
    return WatchEvent(kind, item, str(item["metadata"]["resourceVersion"]))


def connect(context: str | None = None, kubeconfig: str | None = None) -> Client:
    """Return a client.

    `context`: context of the kubeconfig; None takes its current one. `kubeconfig`: file, or several with the
    separator of paths between them; None takes ``KUBECONFIG``, else ``~/.kube/config``. Where none of these
    is there, inside a pod, its service account.

    Raises `UsageError` where there is no such file or context, or the library is not installed.
    """
    try:
        from kubernetes import config
        from kubernetes.client import ApiClient, Configuration
    except ImportError:
        raise UsageError("talking to a cluster needs the extra live: pip install 'fairlead[live]'") from None
    # What a connection goes through is told by the errors that are raised here.
    logging.getLogger("urllib3.connectionpool").setLevel(logging.ERROR)
    known = Configuration()
    known.connection_pool_maxsize = _POOL
    try:
        if context is None and kubeconfig is None and _is_in_cluster(config.KUBE_CONFIG_DEFAULT_LOCATION):
            config.load_incluster_config(known)
            return Client(ApiClient(known), "this cluster")
        config.load_kube_config(kubeconfig, context, client_configuration=known, persist_config=False)
    except config.ConfigException as error:
        raise UsageError(f"kubeconfig: {error}") from error
    name = context or config.list_kube_config_contexts(kubeconfig)[1]["name"]
    return Client(ApiClient(known), str(name))


def _is_in_cluster(location: str) -> bool:
    """Tell whether this is a pod and there is no kubeconfig."""
    files = (os.path.expanduser(one) for one in location.split(os.pathsep))  # noqa: PTH111
    return "KUBERNETES_SERVICE_HOST" in os.environ and not any(map(os.path.exists, files))


@dataclass(frozen=True, slots=True)
class ResourceType:
    """A kind and the path under which it is served."""

    api_version: str
    """Group and version, such as ``apps/v1``; ``v1`` in the core group."""
    kind: str
    """Kind of the objects, such as ``Deployment``."""
    plural: str
    """Name in paths, such as ``deployments``."""
    namespaced: bool
    """Whether its objects belong to namespaces."""

    def path(self, namespace: str = "", name: str = "", subresource: str = "") -> str:
        """Return the path of an object, of its subresource, or of all objects of a namespace or of all."""
        root = "apis" if "/" in self.api_version else "api"
        inside = ("namespaces", namespace) if namespace else ()
        parts = ("", root, self.api_version, *inside, self.plural, name, subresource)
        return "/" + "/".join(filter(None, parts))


BINDING = ResourceType("work.karmada.io/v1alpha2", "ResourceBinding", "resourcebindings", namespaced=True)
CLUSTER_BINDING = ResourceType(
    "work.karmada.io/v1alpha2", "ClusterResourceBinding", "clusterresourcebindings", namespaced=False
)
CLUSTER = ResourceType("cluster.karmada.io/v1alpha1", "Cluster", "clusters", namespaced=False)
QUOTA = ResourceType(
    "policy.karmada.io/v1alpha1", "FederatedResourceQuota", "federatedresourcequotas", namespaced=True
)
REBALANCER = ResourceType(
    "apps.karmada.io/v1alpha1", "WorkloadRebalancer", "workloadrebalancers", namespaced=False
)
LEASE = ResourceType("coordination.k8s.io/v1", "Lease", "leases", namespaced=True)
EVENT = ResourceType("v1", "Event", "events", namespaced=True)
