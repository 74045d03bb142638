"""Keeping some workloads of a problem."""

import pytest

from builders import clusters, deployment, policy, static
from fairlead.manifests.loading import load, select
from fairlead.models.errors import UsageError


def test_select_keeps_namespaces_and_labels() -> None:
    """As kubectl's -n and -l; what others hold is part of what is allocated."""
    documents = [
        *clusters(1),
        deployment("a", labels={"app": "web", "env": "dev"}),
        deployment("b", labels={"app": "db"}),
        deployment("c", namespace="prod", labels={"app": "web"}),
        policy("p", static(), federal=True),
    ]
    problem = load(documents)

    def keys(*wanted: object) -> list[str]:
        return [one.key for one in select(problem, *wanted).workloads]  # type: ignore[arg-type]

    assert keys() == ["default/a", "default/b", "prod/c"]
    assert keys(["prod"]) == ["prod/c"]
    assert (
        keys((), "app=web") == keys((), "app==web") == keys((), "app in (web, x)") == ["default/a", "prod/c"]
    )
    assert keys((), "app!=web") == keys((), "app notin (web)") == ["default/b"]
    assert keys((), "app=web,!env") == ["prod/c"]
    assert keys(["default"], " env , app in (web,db)") == ["default/a"]
    with pytest.raises(UsageError, match="cannot read the label selector 'app in web'"):
        select(problem, (), "app in web")
