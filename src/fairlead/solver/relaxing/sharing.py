"""Numbers of a policy that several workloads share: one lever, as whoever edits it changes it for all."""

from collections.abc import Hashable, Iterable
from dataclasses import replace

from fairlead.models.changes.kinds import Kind
from fairlead.models.declared import KarmadaBinding
from fairlead.models.problem import Problem
from fairlead.models.source import Source
from fairlead.models.statement import Change
from fairlead.models.workload import Workload
from fairlead.solver.relaxing.lever import Lever
from fairlead.solver.relaxing.workload_levers import levers_of


def shared(found: Iterable[Lever], problem: Problem) -> tuple[Lever, ...]:
    """Return levers, those of one number in one policy as one, at the place of the first of them."""
    together: dict[Hashable, Lever] = {}
    for at, lever in enumerate(found):
        number = _number(lever, problem)
        key = at if number is None else number
        first = together.get(key)
        together[key] = lever if first is None else _joined(first, lever)
    return tuple(together.values())


def exact_numbers(problem: Problem) -> frozenset[Hashable]:
    """Return the exact numbers of policies that count for any workload: changing one may break another's."""
    found = (
        _number(lever, problem)
        for workload in problem.workloads
        for lever in levers_of(workload)
        if lever.kind in (Kind.TOTAL, Kind.REPLICAS)
    )
    return frozenset(each for each in found if each is not None)


def counted_once(changes: Iterable[Change], problem: Problem) -> tuple[Change, ...]:
    """Return tolerations of which those of one policy cost once."""
    seen: set[Hashable] = set()
    found: list[Change] = []
    for change in changes:
        policy = tolerations_of(problem.workload_by_key[change.workload or ""])
        known = policy is not None and (policy, change.detail) in seen
        seen.add((policy, change.detail))
        found.append(replace(change, cost=0) if known else change)
    return tuple(found)


def tolerations_of(workload: Workload) -> Hashable:
    """Return whose tolerations a workload has; None where it has its own."""
    declared = workload.declared
    copied = isinstance(declared, KarmadaBinding) and not declared.defaulting
    return None if copied or not workload.policy else workload.policy


def _joined(first: Lever, other: Lever) -> Lever:
    """Return one lever for two workloads."""
    return replace(
        first,
        most=max(first.most, other.most),
        every=max(first.every, other.every),
        keys=(*first.keys, *other.keys),
        sharing=(*first.sharing, *other.workloads),
    )


def _number(lever: Lever, problem: Problem) -> Hashable:
    """Return what tells the number of a policy from all others; None where it is the workload's own."""
    if lever.workload is None or lever.kind is Kind.COMPANION:
        return None
    workload = problem.workload_by_key[lever.workload]
    place = tolerations_of(workload) if lever.kind is Kind.TOLERATION else _declared(lever.source, workload)
    if place is None:
        return None
    return place, lever.kind, lever.cluster, lever.detail, lever.before, lever.direction


def _declared(source: Source | None, workload: Workload) -> Hashable:
    """Return where a number was declared; None where that is not known, or is not a policy."""
    if source is None or not source.path:
        return None
    place = (source, source.kind, source.path)
    if source.manifest is not None:
        meta = source.manifest.get("metadata") or {}
        return (*place, meta.get("namespace"), meta.get("name"))
    return (*place, workload.policy) if source.kind.endswith("Policy") and workload.policy else None
