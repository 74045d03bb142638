"""A plan carried out: wave by wave, each only after the one before is scheduled and healthy."""

import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from fairlead.controller.due import condition_of
from fairlead.controller.steps import BindingStep, binding_kind, path_of, steps_of
from fairlead.controller.world import ObjectVersion, entry_of
from fairlead.controller.writing import LOOKS
from fairlead.live.client import Client, RefusedError, UnreachableError
from fairlead.manifests.api.karmada import ResourceBindingSpec
from fairlead.manifests.karmada.requests import held, in_sets, requested, wanted
from fairlead.models.errors import FairleadError
from fairlead.models.source import KarmadaBinding
from fairlead.models.words import counted
from fairlead.models.workload import Workload
from fairlead.report.manifests import Patch, status_patches
from fairlead.solver.plan.answer import RebalancePlan

MANAGER = "fairlead"
"""Who the API server is told to be the writer."""

PAUSE = 1.0
"""Seconds between two looks at a wave."""

SHOWN = 5
"""Bindings that are told where a wave does not become healthy."""

Tell = Callable[[str], None]


class StoppedError(FairleadError):
    """A plan was not carried out to its end; the message says where it stands."""


@dataclass(frozen=True, slots=True)
class Carrying:
    """Options of carrying out a plan."""

    dry_run: bool = False
    """Whether the server only checks every write, and keeps none."""
    patience: float | None = None
    """Seconds in which a wave is to become healthy; None waits for ever."""


def carry_out(
    client: Client,
    plan: RebalancePlan,
    carrying: Carrying,
    tell: Tell,
    begun: Collection[str] = (),
) -> None:
    """Carry out a plan.

    Every binding is read before it is written, and has to stand as the plan supposes: same clusters,
    replicas, requests and placement. What somebody changed meanwhile is never overwritten.

    `plan`: the plan, made of what this server holds. `tell`: is told how far it is, a line at a time.
    `begun`: keys of workloads that were moved before; they are waited for first.

    Raises `StoppedError` where a wave could not be written, or did not become healthy; says what is done and
    what is not, and `UsageError` as for `steps_of`.
    """
    waves = steps_of(plan)
    if begun and not carrying.dry_run:
        _wait_for_begun(client, plan, begun, carrying)
    for number, steps in enumerate(waves, start=1):
        name = f"wave {number} of {len(waves)}"
        moved = {step.workload.key for wave in waves[: number - 1] for step in wave}
        _write_wave(client, steps, name, carrying, () if not carrying.dry_run else moved)
        if carrying.dry_run:
            tell(f"{name}: the server would take {counted(len(steps), 'object')}")
            continue
        tell(f"{name}: {counted(len(steps), 'object')} written")
        since = time.monotonic()
        _wait(client, {step.path: (step.workload, step.after) for step in steps}, name, carrying)
        tell(f"{name}: healthy after {round(time.monotonic() - since)} s")
    for patch in status_patches(plan.outcome):
        _write_status(client, plan, patch, carrying)


def _write_wave(
    client: Client, steps: Sequence[BindingStep], name: str, carrying: Carrying, moved: Collection[str]
) -> None:
    """Write a wave; of a dry run, what an earlier wave would have moved is not compared."""
    for number, step in enumerate(steps):
        try:
            _write(client, step, carrying, compare=step.workload.key not in moved)
        except (StoppedError, RefusedError, UnreachableError) as error:
            done = f"{number} of {counted(len(steps), 'object')} of it are written"
            done = "a dry run that writes nothing" if carrying.dry_run else done
            raise StoppedError(f"stopped in {name}, {done}: {step.workload.key}: {error}") from error


def _write(client: Client, step: BindingStep, carrying: Carrying, *, compare: bool) -> None:
    """Write a binding that stands as the plan supposes; one that stands where it is to be is left alone."""
    for _ in range(LOOKS):
        entry = _read(client, step.path, step.workload)
        there = _spec_of(entry)
        change = _change(entry, there, step) if compare else ""
        if change:
            raise StoppedError(f"{change} since the plan was made")
        if held(there) == step.after:
            return
        metadata = {**step.patch.document["metadata"], "resourceVersion": entry.version}
        body = {"metadata": metadata, "spec": step.patch.document["spec"]}
        try:
            client.patch(step.path, body, MANAGER, dry_run=carrying.dry_run)
        except RefusedError as error:
            if error.status != HTTPStatus.CONFLICT:
                raise
        else:
            return
    raise StoppedError("another writer keeps changing it")


def _change(entry: ObjectVersion, spec: ResourceBindingSpec, step: BindingStep) -> str:
    """Say how a binding differs from what the plan supposes; empty where it does not."""
    known = step.workload.declared
    if held(spec) not in (step.before, step.after):
        return f"its placement was changed ({_where(held(spec))}, not {_where(step.before)})"
    if wanted(spec) != step.workload.replicas:
        return f"it was scaled from {step.workload.replicas} to {wanted(spec)} replicas"
    if not isinstance(known, KarmadaBinding):
        return ""
    stated = requested(spec)
    if stated is not None and stated != known.requests:
        return "its requests were changed"
    if known.applied is not None and entry.spec.get("placement") != known.applied:
        return "its placement was changed"
    return ""


def _where(placed: Mapping[str, int]) -> str:
    return ", ".join(f"{name}: {count}" for name, count in sorted(placed.items())) or "nowhere"


def _read(client: Client, path: str, workload: Workload) -> ObjectVersion:
    return entry_of(binding_kind(workload), client.get(path))


def _spec_of(entry: ObjectVersion) -> ResourceBindingSpec:
    binding = entry.subject.binding if entry.subject else None
    if binding is None:
        raise StoppedError("the binding can no longer be understood")
    return binding.model.spec


def _wait_for_begun(client: Client, plan: RebalancePlan, begun: Collection[str], carrying: Carrying) -> None:
    """Wait for what was moved before; where it stands now is where it was put, or the plan moves it."""
    standing = {}
    for workload in plan.outcome.problem.workloads:
        known = workload.declared
        if workload.key in begun and isinstance(known, KarmadaBinding) and known.name:
            path = path_of(workload, known.name)
            standing[path] = (workload, held(_spec_of(_read(client, path, workload))))
    _wait(client, standing, "what was written before", carrying)


def _wait(
    client: Client,
    standing: Mapping[str, tuple[Workload, Mapping[str, int]]],
    name: str,
    carrying: Carrying,
) -> None:
    """Wait until bindings are scheduled and healthy where they were put."""
    until = None if carrying.patience is None else time.monotonic() + carrying.patience
    waiting = dict.fromkeys(standing, "")
    while True:
        for path in waiting:
            workload, after = standing[path]
            try:
                waiting[path] = _missing(client, path, workload, after)
            except (StoppedError, RefusedError) as error:
                raise StoppedError(f"stopped after {name} was written: {workload.key}: {error}") from error
        waiting = {path: why for path, why in waiting.items() if why}
        if not waiting:
            return
        if until is not None and time.monotonic() >= until:
            told = [f"{standing[path][0].key}: {why}" for path, why in waiting.items()]
            more = f"; and {len(told) - SHOWN} more" if len(told) > SHOWN else ""
            raise StoppedError(
                f"stopped: {name} is written, and not healthy in time: {'; '.join(told[:SHOWN])}{more}"
            )
        time.sleep(PAUSE)


def _missing(client: Client, path: str, workload: Workload, after: Mapping[str, int]) -> str:
    """Say how much is missing until a binding has arrived; empty where nothing is."""
    try:
        entry = _read(client, path, workload)
    except UnreachableError as error:
        return str(error)
    except RefusedError as error:
        if error.passes:
            return str(error)
        raise
    there = held(_spec_of(entry))
    if there != after:
        raise StoppedError(f"its placement was changed ({_where(there)}, not {_where(after)})")
    return arrival(entry, after)


def _write_status(client: Client, plan: RebalancePlan, patch: Patch, carrying: Carrying) -> None:
    """Write the affinity group of a binding into its status."""
    workload = plan.outcome.problem.workload(patch.workload)
    path = path_of(workload, patch.document["metadata"]["name"], "status")
    try:
        client.patch(path, {"status": patch.document["status"]}, MANAGER, dry_run=carrying.dry_run)
    except (RefusedError, UnreachableError) as error:
        text = "its affinity group could not be noted"
        text = text if carrying.dry_run else f"all waves are carried out, but {text}"
        raise StoppedError(f"{workload.key}: {text}: {error}") from error


_NUMBERS = ("replicas", "readyReplicas")


def arrival(entry: ObjectVersion, placed: Mapping[str, int]) -> str:
    """Say how much is still missing until a binding has arrived; empty where nothing is.

    Its scheduler has seen it, and every cluster reports in ``status.aggregatedStatus`` that the workload was
    applied, is healthy and, where it reports numbers, that all replicas are ready and none is left over. A
    cluster that it left reports no more.

    `placed`: replicas by cluster where it was put.
    """
    if entry.status.get("schedulerObservedGeneration") != entry.generation:
        return "its scheduler has not seen it yet"
    scheduled = condition_of(entry.status) or {}
    if scheduled.get("status") != "True":
        return f"is not scheduled: {scheduled.get('message') or 'no reason is given'}"
    spec = entry.subject.binding.model.spec if entry.subject and entry.subject.binding else None
    # What a set of several components reports as replicas is its own business.
    numbered = spec is not None and not in_sets(spec)
    reports = {str(one["clusterName"]): one for one in entry.status.get("aggregatedStatus") or ()}
    return next(_not_arrived(reports, placed, numbered=numbered), "")


def _not_arrived(
    reports: Mapping[str, Mapping[str, Any]], placed: Mapping[str, int], *, numbered: bool
) -> Iterator[str]:
    for cluster, count in sorted(placed.items()):
        report = reports.get(cluster)
        if report is None:
            yield f"{cluster} has not reported yet"
            continue
        if not report.get("applied"):
            yield f"is not applied in {cluster}: {report.get('appliedMessage') or 'no reason is given'}"
        # A workload that is scaled to 0 leaves the numbers out; other kinds may put text there.
        told = {name: value for name, value in (report.get("status") or {}).items() if type(value) is int}
        has_numbers = any(name in told for name in (*_NUMBERS, "availableReplicas", "updatedReplicas"))
        numbers = {name: told.get(name, 0) for name in _NUMBERS if numbered and has_numbers}
        wrong = [f"{name} is {number}" for name, number in numbers.items() if number != count]
        if wrong:
            yield f"{wrong[0]} in {cluster}, not {count}"
        # Of some kinds Karmada cannot tell the health; then their numbers, or that they are applied, count.
        if report.get("health") == "Unhealthy":
            yield f"is not healthy in {cluster}"
    for cluster in sorted(set(reports) - set(placed)):
        yield f"is still in {cluster}"
