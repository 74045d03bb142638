"""Paste the fragment of a relaxation into the manifests it was made for (a merge patch, RFC 7386)."""

from collections.abc import Sequence
from copy import deepcopy
from typing import Any

import yaml

from builders import Manifest
from fairlead.manifests.loading import load
from fairlead.models.statement import Relaxation
from fairlead.solver.feasibility import has_placement
from fairlead.solver.relaxation import relaxations
from fairlead.solver.running.search import Search


def ways_out(*manifests: Manifest | Sequence[Manifest]) -> list[Relaxation]:
    """Return many relaxations; pasting any of them into the manifests makes them feasible."""
    stream: list[Manifest] = []
    for each in manifests:
        stream += [each] if isinstance(each, dict) else list(each)
    problem = load(stream)
    assert has_placement(problem, Search()) is False
    found = list(relaxations(problem, Search(), most=6))
    for relaxation in found:
        assert has_placement(load(pasted(stream, relaxation)), Search()), relaxation.manifest
    return found


def texts(found: Sequence[Relaxation]) -> list[str]:
    """Return what the relaxations say."""
    return [each.text for each in found]


def pasted(manifests: Sequence[Manifest], relaxation: Relaxation) -> list[Manifest]:
    """Return the manifests with every fragment merged into the object of its kind and name.

    A rebalancer is an object of its own, which is created.
    """
    changed = deepcopy(list(manifests))
    fragments = list(yaml.safe_load_all(relaxation.manifest))
    assert fragments, relaxation
    for fragment in fragments:
        found = [each for each in changed if _same(each, fragment)]
        if fragment["kind"] == "WorkloadRebalancer" and not found:
            changed.append(fragment)
            continue
        (target,) = found
        _merge(target, fragment)
    return changed


def _same(manifest: Manifest, fragment: Manifest) -> bool:
    """Tell whether a fragment is about a manifest."""
    return all(manifest[name] == fragment[name] for name in ("apiVersion", "kind")) and all(
        manifest["metadata"].get(name) == fragment["metadata"].get(name) for name in ("name", "namespace")
    )


def _merge(target: dict[str, Any], patch: dict[str, Any]) -> None:
    """Apply a merge patch."""
    for key, value in patch.items():
        if value is None:
            target.pop(key, None)
        elif isinstance(value, dict) and isinstance(target.get(key), dict):
            _merge(target[key], value)
        else:
            target[key] = value
