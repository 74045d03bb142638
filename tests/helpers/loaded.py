"""Short spellings for what became of manifests: load them, and look at the rules."""

import io
from collections.abc import Mapping
from typing import Any, TypeVar

import pytest

from builders import Manifest, binding
from fairlead.manifests.api.meta import Api
from fairlead.manifests.loading import load
from fairlead.manifests.validation import Located, validate
from fairlead.manifests.yaml.documents import Document, Lines
from fairlead.models.errors import ManifestError
from fairlead.models.problem import Problem
from fairlead.models.rules import Bounds, Candidates, Duplicated, Moves, Total, Weights
from fairlead.models.workload import Workload

M = TypeVar("M", bound=Api)

STREAM = "<stream>"


def load_text(text: str) -> Problem:
    """Load manifests from text; their file is `STREAM`."""
    return load(io.StringIO(text))


def read_alone(document: Mapping[str, Any], model: type[M]) -> Located[M]:
    """Return a document that stands in no file as its API type; nothing in it is wrong."""
    located = validate(Document(dict(document), Lines("")), model).located
    assert located is not None
    return located


def only(problem: Problem) -> Workload:
    """Return the only workload of a problem."""
    (workload,) = problem.workloads
    return workload


def candidates(workload: Workload) -> Candidates:
    """Return the candidates of a workload."""
    found = workload.rule(Candidates)
    assert found is not None
    return found


def weights(workload: Workload) -> dict[str, int]:
    """Return the weights of a workload; empty where it has none."""
    found = workload.rule(Weights)
    return dict(found.weights) if found else {}


def bounds(workload: Workload) -> tuple[dict[str, int], dict[str, int]]:
    """Return minima and maxima of a workload by cluster."""
    found = workload.rule(Bounds) or Bounds()
    low = {name: bound.replicas for name, bound in found.minimum.items()}
    high = {name: bound.replicas for name, bound in found.maximum.items()}
    return low, high


def kinds_of(workload: Workload) -> list[type]:
    """Return the kinds of the rules of a workload, in order."""
    known: list[type] = [Candidates, Total, Duplicated, Bounds, Weights, Moves]
    return [kind for rule in workload.rules for kind in known if isinstance(rule, kind)]


def texts(problem: Problem, kind: str) -> list[str]:
    """Return the warnings of a kind as people see them."""
    return [str(warning) for warning in problem.warnings if warning.rule == kind]


def mistakes(*documents: Manifest) -> list[str]:
    """Return all mistakes without the name of the file, in alphabetical order."""
    with pytest.raises(ManifestError) as caught:
        load(*documents)
    return sorted(str(mistake).removeprefix("<dict>: ") for mistake in caught.value.mistakes)


def mistake(*documents: Manifest) -> str:
    """Return the only mistake."""
    (found,) = mistakes(*documents)
    return found


def placed(
    members: list[Manifest], placement: Manifest, current: dict[str, int] | None = None, **spec: Any
) -> Workload:
    """Return a workload of 10 replicas of 1 core whose binding holds a placement."""
    return only(load(members, binding("web", 10, current, placement, cpu="1", **spec)))


def closed(workload: Workload) -> dict[str, str]:
    """Return why clusters are no candidates."""
    return {name: exclusion.reason for name, exclusion in candidates(workload).excluded.items()}


def held(workload: Workload) -> dict[str, str]:
    """Return why candidates take nothing new."""
    return {name: exclusion.reason for name, exclusion in candidates(workload).held_only.items()}
