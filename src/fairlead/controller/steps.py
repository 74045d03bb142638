"""Steps of carrying out a plan: bindings to write, wave by wave, or why it may not be carried out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from fairlead.live.client import BINDING, CLUSTER_BINDING, ResourceType
from fairlead.models.errors import UsageError
from fairlead.models.rules.moves import stopped
from fairlead.models.source import KarmadaBinding
from fairlead.models.words import counted, listed
from fairlead.models.workload import Workload
from fairlead.report.manifests import Patch, patches_by_wave
from fairlead.solver.plan.answer import RebalancePlan
from fairlead.solver.plan.waves import WaveOptions


@dataclass(frozen=True, slots=True)
class BindingStep:
    """A binding that a wave changes."""

    workload: Workload
    patch: Patch
    before: Mapping[str, int]
    after: Mapping[str, int]
    """Replicas by cluster as the plan supposes them, and as they are to be; clusters with none are absent."""

    @property
    def path(self) -> str:
        """Path of the binding on the server."""
        return path_of(self.workload, self.patch.document["metadata"]["name"])

    @property
    def away(self) -> int:
        """Replicas that are stopped while others start in their place: one patch does both at once."""
        return min(stopped(self.before, self.after), sum(self.after.values()))


def binding_kind(workload: Workload) -> ResourceType:
    """Return the kind of the binding of a workload."""
    return BINDING if workload.namespace else CLUSTER_BINDING


def path_of(workload: Workload, binding: str, subresource: str = "") -> str:
    """Return the path of a binding."""
    return binding_kind(workload).path(workload.namespace, binding, subresource)


def steps_of(plan: RebalancePlan) -> list[list[BindingStep]]:
    """Return the changes of every wave.

    Raises `UsageError` where a workload is not placed by Karmada, has no binding, its policy has changed
    since, or a wave takes more of its replicas away than may be unavailable.
    """
    if plan.waves is None:
        return []
    known = plan.waves.problem.workload_by_key
    waves = [
        [
            BindingStep(known[one.workload], one, before.of(one.workload), after.of(one.workload))
            for one in wave
        ]
        for wave, (before, after) in zip(
            patches_by_wave(plan.waves), pairwise(plan.waves.states), strict=True
        )
    ]
    refused: dict[str, set[str]] = {}
    for step in (step for wave in waves for step in wave):
        if reason := _refusal(step, plan.waves.options):
            refused.setdefault(reason, set()).add(step.workload.key)
    if refused:
        told = (f"{listed(sorted(keys), 'workload')}: {reason}" for reason, keys in refused.items())
        raise UsageError("cannot be carried out: " + "\n".join(told))
    return waves


def absences(waves: Sequence[Sequence[BindingStep]]) -> list[str]:
    """Say how many replicas of a workload are away at once, those first that lose the greatest part."""
    worst: dict[str, BindingStep] = {}
    for step in (step for wave in waves for step in wave if step.away):
        known = worst.get(step.workload.key)
        if known is None or step.away > known.away:
            worst[step.workload.key] = step
    ordered = sorted(worst.values(), key=lambda one: (-one.away / sum(one.after.values()), one.workload.key))
    return [
        f"{one.workload.key}: {one.away} of {counted(sum(one.after.values()), 'replica')}" for one in ordered
    ]


def _refusal(step: BindingStep, options: WaveOptions) -> str:
    """Say why a workload cannot be moved by writing its binding; empty where it can."""
    known = step.workload.declared
    if not isinstance(known, KarmadaBinding):
        return "only what Karmada places is carried out; for KubeAdmiral, -o patch writes what to apply"
    if not known.name:
        return "there is no binding to write"
    if known.ahead:
        return "the policy was changed and its binding does not say so yet; wait a moment, then plan again"
    allowed = options.missing(sum(step.after.values()))
    if options.availability.max_unavailable is not None and step.away > allowed:
        smaller = f"; plan with --max-surge {allowed}" if allowed else ""
        text = f"a wave would stop {counted(step.away, 'replica')} without waiting for the new ones"
        return f"{text}, and {allowed} may be unavailable{smaller}"
    return ""
