"""Patches as files for ``kubectl``: one object a document, and the command that applies them above."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from fairlead.models.answer import Answer
from fairlead.models.outcome import Outcome
from fairlead.models.words import counted
from fairlead.models.yaml_text import commented, to_yaml
from fairlead.report.manifests import Patch, Subresource, patches, status_patches, written
from fairlead.solver.plan.answer import RebalancePlan
from fairlead.solver.plan.waves import WavePlan

STATUS = "status.yaml"
"""File with what belongs into the status, beside those of the waves."""

_APPLY = "kubectl apply --server-side --force-conflicts --field-manager=fairlead"


def patch_text(answer: Answer, subresource: Subresource | None = None) -> str:
    """Return the patches of an outcome, or of the target of a plan, as YAML; empty where nothing changes.

    Parameters
    ----------
    answer
        An `Outcome` or a `RebalancePlan`.
    subresource
        ``status`` for what belongs into that subresource; None for the objects themselves.

    Raises
    ------
    UsageError
        Where there is no placement, or KubeAdmiral would not follow it.
    """
    outcome = answer.outcome if isinstance(answer, RebalancePlan) else answer
    if not isinstance(outcome, Outcome):
        raise TypeError(f"{type(answer).__name__} has no patches")
    if subresource is not None:
        command = f"{_APPLY} --subresource={subresource} -f -"
        return _text(status_patches(outcome), command, ["after the objects themselves"])
    later = status_patches(outcome)
    notes = [f"{counted(len(later), 'affinity group')} changes: afterwards, -o status-patch"] if later else []
    return _text(patches(outcome), f"{_APPLY} -f -", notes)


def wave_files(plan: RebalancePlan) -> dict[str, str]:
    """Return one file per wave, by name, and one with what belongs into the status where there is any.

    Raises `UsageError` where KubeAdmiral would not follow.
    """
    if plan.waves is None:
        return {}
    count = len(plan.waves.waves)
    width = len(str(count))
    files: dict[str, str] = {}
    for number, wave in enumerate(patches_by_wave(plan.waves), start=1):
        name = f"wave-{number:0{width}}.yaml"
        notes = [f"wave {number} of {count}"]
        if number < count:
            notes.append("go on when every replica of it is ready, and what it stops is gone")
        files[name] = _text(wave, f"{_APPLY} -f {name}", notes)
    status = status_patches(plan.outcome)
    if status:
        command = f"{_APPLY} --subresource=status -f {STATUS}"
        files[STATUS] = _text(status, command, ["after the last wave"])
    return files


def patches_by_wave(waves: WavePlan) -> Iterator[Sequence[Patch]]:
    """Yield the patches of every wave; the version that was read counts for the first patch of an object.

    Raises `UsageError` where KubeAdmiral would not follow.
    """
    patched: set[str] = set()
    for before, after in pairwise(waves.states):
        changing = [one for one in waves.problem.workloads if before.of(one.key) != after.of(one.key)]
        yield written((one, after.of(one.key), one.key not in patched) for one in changing)
        patched.update(one.key for one in changing)


def _text(found: Sequence[Patch], command: str, notes: Sequence[str] = ()) -> str:
    """Return patches as YAML below the command that applies them; empty where there are none."""
    if not found:
        return ""
    head = [f"{counted(len(found), 'object')}; apply with", f"  {command}", *notes]
    documents = [commented(to_yaml(patch.document), patch.notes) for patch in found]
    return commented("".join(f"---\n{document}" for document in documents), head)
