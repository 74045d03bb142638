"""Between which numbers of replicas autoscalers move the workloads."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from fairlead.manifests import cron
from fairlead.manifests.api.workloads import (
    AnyAutoscaler,
    CronFederatedHPA,
    CronFederatedHPASpec,
    CronRule,
    FederatedHPA,
)
from fairlead.manifests.findings import Finding, below, crossed, each, repeated
from fairlead.manifests.validation import Located
from fairlead.manifests.yaml.documents import Identity, group_of
from fairlead.models.source import KarmadaBinding, Source
from fairlead.models.statement import Statement
from fairlead.models.words import either
from fairlead.models.workload import Autoscaler, Workload

KIND = "autoscaler"

_HPA = "FederatedHPA"
_VERSION = "autoscaling.karmada.io/v1alpha1"


class _Range(NamedTuple):
    """The numbers between which one autoscaler moves what it scales."""

    target: Identity
    """Workload that it scales; an API group that is left out is that of any kind of this name."""
    name: str
    minimum: int
    maximum: int
    source: Source
    in_one_cluster: bool = False


def autoscaler_findings(autoscaler: AnyAutoscaler, _: object) -> Iterator[Finding]:
    """List the fields of an autoscaler that are right alone and wrong together."""
    if isinstance(autoscaler, CronFederatedHPA):
        yield from below("spec", _scheduled(autoscaler.spec))
        return
    spec = autoscaler.spec
    if spec.max_replicas < spec.min_replicas:
        text = f"must be at least minReplicas, which is {spec.min_replicas}"
        yield Finding(("spec", "maxReplicas"), spec.max_replicas, text)


def _scheduled(spec: CronFederatedHPASpec) -> Iterator[Finding]:
    """List what Karmada's webhook refuses of the rules of a scheduled autoscaler."""
    target = spec.scale_target_ref
    if target.api_version == _VERSION and target.kind != _HPA:
        text = f"must be {_HPA} where the apiVersion is {_VERSION}"
        yield Finding(("scaleTargetRef", "kind"), target.kind, text)
    yield from below("rules", repeated([rule.name for rule in spec.rules], ("name",)))
    yield from below("rules", each(spec.rules, _when))
    yield from below("rules", each(spec.rules, partial(_numbers, target.kind)))


def _when(rule: CronRule) -> Iterator[Finding]:
    """List what is wrong with the times at which a rule acts."""
    if not cron.is_schedule(rule.schedule):
        yield Finding(("schedule",), rule.schedule, cron.SHAPE)
    if rule.time_zone is not None and not cron.is_time_zone(rule.time_zone):
        yield Finding(("timeZone",), rule.time_zone, "must be the name of a time zone, such as Europe/Berlin")


def _numbers(kind: str, rule: CronRule) -> Iterator[Finding]:
    """List what is wrong with the numbers of a rule for a target of a kind."""
    limits = {"targetMinReplicas": rule.target_min_replicas, "targetMaxReplicas": rule.target_max_replicas}
    needed = [*limits] if kind == _HPA else ["targetReplicas"]
    if not rule.numbers(kind):
        yield Finding((needed[0],), None, f"is missing; a {kind} needs {either(needed)}", missing=True)
    if kind == _HPA:
        yield from crossed(rule.target_min_replicas, rule.target_max_replicas, *limits)
        for field, limit in limits.items():
            if limit == 0:
                yield Finding((field,), limit, "must be at least 1")


def autoscaled(
    autoscalers: Iterable[Located[AnyAutoscaler]], workloads: Sequence[Workload]
) -> tuple[list[Workload], list[Statement]]:
    """Return the workloads with what scales them, and what there is to say about that.

    `autoscalers`: those of the input. What a ``CronFederatedHPA`` asks for at any time widens the range.
    """
    known = list(autoscalers)
    found = list(_ranges(known))
    asked: dict[tuple[str, str, str], list[_Range]] = {}
    for one in found:
        asked.setdefault(one.target[1:], []).append(one)
    scaled: list[Workload] = []
    warnings = list(_idle(known))
    met: set[_Range] = set()
    for workload in workloads:
        mine = [
            one
            for one in asked.get((workload.kind, workload.namespace, workload.name), ())
            if one.target.group in ("", group_of(workload.api_version))
        ]
        met.update(mine)
        unit = workload.declared
        if mine and isinstance(unit, KarmadaBinding) and unit.in_sets:
            key, limits = workload.key, _together(mine)
            text = f"{limits.name} has no effect here: {key} is placed in whole sets of several components"
            warnings.append(Statement(KIND, text, limits.source, key))
            mine = []
        scaled.append(replace(workload, autoscaler=_together(mine)) if mine else workload)
        warnings.extend(_remarks(scaled[-1], mine))
    for one in found:
        if one not in met:
            text = f"{one.name} scales {one.target.kind} {one.target.namespace}/{one.target.name}"
            warnings.append(Statement(KIND, f"{text}, which is not placed here", one.source))
    return scaled, warnings


def _ranges(autoscalers: Sequence[Located[AnyAutoscaler]]) -> Iterator[_Range]:
    """Yield the range of every autoscaler; of a scheduled one for a FederatedHPA, around what that scales."""
    federated: dict[tuple[str, str], _Range] = {}
    for one in autoscalers:
        if not isinstance(one.model, CronFederatedHPA):
            spec = one.model.spec
            where = one.source("spec", "maxReplicas")
            whole = isinstance(one.model, FederatedHPA)
            known = _Range(_target(one), _name(one), spec.min_replicas, spec.max_replicas, where, not whole)
            if whole:
                federated[one.model.place] = known
            yield known
    for one in autoscalers:
        if isinstance(one.model, CronFederatedHPA):
            target = _target(one)
            acting = (each for each in one.model.spec.rules if _is_acting(each))
            numbers = [number for rule in acting for number in rule.numbers(target.kind)]
            inner = federated.get((target.namespace, target.name)) if target.kind == _HPA else None
            if numbers:
                scaled = inner.target if inner else target
                yield _Range(scaled, _name(one), min(numbers), max(numbers), one.source("spec", "rules"))


def _is_acting(rule: CronRule) -> bool:
    """Tell whether a rule ever scales anything."""
    return not rule.suspend and cron.never_runs(rule.schedule) is None


def _idle(autoscalers: Sequence[Located[AnyAutoscaler]]) -> Iterator[Statement]:
    """Say which rules of scheduled autoscalers never act although nobody suspended them."""
    for one in autoscalers:
        for at, rule in enumerate(one.model.spec.rules if isinstance(one.model, CronFederatedHPA) else ()):
            reason = None if rule.suspend else cron.never_runs(rule.schedule)
            if reason is not None:
                text = (
                    f"{_name(one)}: rule {rule.name} has no effect, as Karmada cannot run {rule.schedule!r}"
                )
                yield Statement(KIND, f"{text}: {reason}", one.source("spec", "rules", at, "schedule"))


def _target(one: Located[AnyAutoscaler]) -> Identity:
    reference = one.model.spec.scale_target_ref
    return Identity.of(reference.api_version, reference.kind, one.model.in_namespace, reference.name)


def _name(one: Located[AnyAutoscaler]) -> str:
    return f"{one.document.kind} {'/'.join(one.model.place)}"


def _together(ranges: Sequence[_Range]) -> Autoscaler:
    low, high = min(one.minimum for one in ranges), max(one.maximum for one in ranges)
    return Autoscaler(" and ".join(one.name for one in ranges), low, high, ranges[0].source)


def _remarks(workload: Workload, ranges: Sequence[_Range]) -> Iterator[Statement]:
    """Say where the autoscalers of a workload do not agree with the rest of the input."""
    unit, limits = workload.declared, workload.autoscaler
    if limits is None:
        return
    key = workload.key
    if not limits.minimum <= workload.replicas <= limits.maximum:
        wanted = f"{key} wants {workload.replicas}"
        text = f"{wanted}, but {limits.name} keeps it between {limits.minimum} and {limits.maximum}"
        yield Statement(KIND, text, limits.source, key)
    if isinstance(unit, KarmadaBinding):
        for one in ranges:
            if one.in_one_cluster:
                text = (
                    f"{one.name} scales what runs in its own cluster; "
                    f"its limits are taken for {key} as a whole, as those of a FederatedHPA"
                )
                yield Statement(KIND, text, one.source, key)
