"""Numbers of a policy that several workloads share: one relaxable, as whoever edits it changes it for all."""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import assert_never

from fairlead.models.cluster import Taint
from fairlead.models.problem import Problem
from fairlead.models.rules import Candidates, Survival
from fairlead.models.rules.candidates import Cause
from fairlead.models.rules.survival import part_of
from fairlead.models.source import FederatedUnit, KarmadaBinding, Source
from fairlead.models.statement import Change, Detail
from fairlead.models.workload import Workload
from fairlead.solver.changes.edits import inside
from fairlead.solver.changes.kinds import ChangeKind, taint_of
from fairlead.solver.changes.open_clusters import is_untold
from fairlead.solver.relaxation.relaxable import Relaxable, relaxables_of


def shared(found: Iterable[Relaxable], problem: Problem) -> tuple[Relaxable, ...]:
    """Return relaxables, those of one number in one policy as one, at the place of the first of them."""
    together: dict[Hashable, Relaxable] = {}
    for at, relaxable in enumerate(found):
        number = number_of(relaxable, problem)
        key = at if number is None else number
        first = together.get(key)
        together[key] = relaxable if first is None else _joined(first, relaxable)
    return tuple(together.values())


def numbers_of(problem: Problem, kinds: Iterable[ChangeKind] = tuple(ChangeKind)) -> frozenset[Hashable]:
    """Return the numbers of policies that count for any workload, of some kinds."""
    wanted = frozenset(kinds)
    found = (
        number_of(relaxable, problem)
        for workload in problem.workloads
        for relaxable in relaxables_of(workload)
        if relaxable.kind in wanted
    )
    return frozenset(each for each in found if each is not None)


EXACT = (ChangeKind.TOTAL, ChangeKind.REPLICAS)
"""Kinds of exact numbers: changing one for a workload may break what another one has."""


def for_all(changes: Sequence[Change], workloads: Iterable[Workload], problem: Problem) -> tuple[Change, ...]:
    """Return changes with what they change for other workloads that share the number; that costs nothing.

    A percentage is one number as well, which comes to another one for each.

    `workloads`: the workloads that may share a number; `problem`: where all of them belong.
    """
    wanted: dict[Hashable, Change] = {}
    for change in changes:
        if change.workload is not None:
            for relaxable in relaxables_of(problem.workload_by_key[change.workload]):
                number = number_of(relaxable, problem)
                if number is not None and _is_about(change, relaxable):
                    wanted[number] = change
    tolerated = {
        (tolerations_of(problem.workload_by_key[each.workload]), each.detail): each
        for each in changes
        if each.kind == ChangeKind.TOLERATION and each.workload is not None
    }
    known = {each.about for each in changes}
    more = (
        replace(change, workload=workload.key, cost=0)
        for workload in (workloads if wanted or tolerated else ())
        for change in _of_others(workload, wanted, tolerated, problem)
    )
    raised = (each for each in changes if each.kind == ChangeKind.MAXIMUM and not each.before)
    copied = {(each.cluster, each.source): each for each in raised}
    every = (
        *more,
        *_without_copy(copied, workloads if copied else ()),
        *_of_percentages(changes, workloads, problem),
    )
    return (*changes, *dict.fromkeys(each for each in every if each.about not in known))


def _of_percentages(
    changes: Sequence[Change], workloads: Iterable[Workload], problem: Problem
) -> Iterator[Change]:
    """Yield the changes by a smaller percentage that has to survive for the others that have it."""
    smaller = {
        (rule.source.holder, rule.name): 100 * change.after // workload.replicas
        for change in changes
        if change.kind == ChangeKind.SURVIVAL and change.workload is not None
        for workload in (problem.workload_by_key[change.workload],)
        for rule in workload.rules_of(Survival)
        if (rule.name, rule.minimum) == (change.detail, change.before)
        if rule.source is not None and rule.percent is not None
    }
    for workload in workloads if smaller else ():
        for rule in workload.rules_of(Survival):
            percent = smaller.get((rule.source.holder, rule.name)) if rule.source else None
            left = rule.minimum if percent is None else part_of(percent, workload.replicas)
            if left < rule.minimum:
                about = (ChangeKind.SURVIVAL, workload.key, None, rule.name)
                yield Change(*about, rule.minimum, left, 0, rule.source)


def _without_copy(
    raised: Mapping[tuple[str | None, Source | None], Change], workloads: Iterable[Workload]
) -> Iterator[Change]:
    """Yield maxima of 0 that are raised for other workloads too: their copies have none on a cluster."""
    for workload in workloads:
        rule = workload.rule(Candidates) or Candidates(())
        for name, each in rule.excluded.items():
            if each.cause is Cause.NO_COPY and (name, each.source) in raised:
                yield replace(raised[name, each.source], workload=workload.key, cost=0)


def _of_others(
    workload: Workload,
    wanted: Mapping[Hashable, Change],
    tolerated: Mapping[tuple[Hashable, Detail], Change],
    problem: Problem,
) -> Iterator[Change]:
    """Yield the changes that are made for a workload too, also where it has no use for them."""
    for relaxable in relaxables_of(workload) if wanted else ():
        number = number_of(relaxable, problem)
        if number in wanted:
            yield wanted[number]
    place, rule = tolerations_of(workload), workload.rule(Candidates)
    closed = {} if rule is None else {**rule.excluded, **rule.held_only}
    taints = {taint for each in closed.values() for taint in (*each.taints, *each.spoiling)}
    for (policy, taint), change in tolerated.items():
        if policy == place and taint in taints:
            yield change


def spoils(changes: Sequence[Change], workloads: Iterable[Workload], problem: Problem) -> bool:
    """Tell whether a policy that tolerates a taint opens clusters to some workload that had better not open.

    `workloads`: the workloads that may have the same policy; `problem`: where those belong that the changes
    are about.
    """
    return any(True for _ in spoilt(changes, workloads, problem))


def spoilt(changes: Sequence[Change], workloads: Iterable[Workload], problem: Problem) -> Iterator[Workload]:
    """Yield the workloads to which tolerations open clusters of which their rules do not tell what holds."""
    tolerated: dict[Hashable, set[Taint]] = {}
    for each in changes:
        if each.kind == ChangeKind.TOLERATION and each.workload is not None:
            whose = tolerations_of(problem.workload_by_key[each.workload])
            tolerated.setdefault(whose, set()).add(taint_of(each))
    for workload in workloads if tolerated else ():
        taints = tolerated.get(tolerations_of(workload))
        if taints and is_untold(workload, taints):
            yield workload


def _is_about(change: Change, relaxable: Relaxable) -> bool:
    """Tell whether a change several a relaxable."""
    same = (change.kind, change.cluster, change.detail, change.before) == (
        relaxable.kind,
        relaxable.cluster,
        relaxable.detail,
        relaxable.before,
    )
    return same and (change.after - change.before) * relaxable.direction > 0


def counted_once(changes: Iterable[Change], problem: Problem) -> tuple[Change, ...]:
    """Return tolerations of which those of one policy cost once."""
    seen: set[Hashable] = set()
    found: list[Change] = []
    for change in changes:
        policy = tolerations_of(problem.workload_by_key[change.workload or ""])
        known = (policy, change.detail) in seen
        seen.add((policy, change.detail))
        found.append(replace(change, cost=0) if known else change)
    return tuple(found)


def tolerations_of(workload: Workload) -> Hashable:
    """Return whose tolerations a workload has: those of a policy, or its own."""
    own = (workload.key,)
    match workload.declared:
        case KarmadaBinding(defaulting=False):
            return own
        case FederatedUnit(sources=sources) if "tolerations" in sources:
            source = sources["tolerations"]
            return own if inside(source.path) else source.holder or workload.policy or own
        case KarmadaBinding() | FederatedUnit() | None:
            return workload.policy or own
        case _:
            assert_never(workload.declared)


def _joined(first: Relaxable, other: Relaxable) -> Relaxable:
    """Return one relaxable for two workloads."""
    return replace(
        first,
        most=max(first.most, other.most),
        every=max(first.every, other.every),
        keys=(*first.keys, *other.keys),
        sharing=(*first.sharing, *other.workloads),
        staying={**first.staying, **other.staying},
    )


def number_of(relaxable: Relaxable, problem: Problem) -> Hashable:
    """Return a key of the number of a policy, to tell it from others; None where it is the workload's own."""
    if relaxable.workload is None or relaxable.kind is ChangeKind.COMPANION:
        return None
    workload = problem.workload_by_key[relaxable.workload]
    place = (
        tolerations_of(workload)
        if relaxable.kind is ChangeKind.TOLERATION
        else _declared(relaxable.source, workload)
    )
    if place is None:
        return None
    return place, relaxable.kind, relaxable.cluster, relaxable.detail, relaxable.before, relaxable.direction


def _declared(source: Source | None, workload: Workload) -> Hashable:
    """Return where a number was declared; None where that is not known, or is not a policy."""
    if source is None or not source.path:
        return None
    if source.manifest is not None and source.holder is not None:
        return source.holder, source.path
    if not source.kind.endswith("Policy"):
        return None
    return source.holder or (source, source.kind, workload.policy), source.path


def sharing_workloads(changes: Sequence[Change], problem: Problem) -> Iterator[Workload]:
    """Yield workloads that could share a number with some changes: of one policy, or one of our own kinds."""
    policies = {problem.workload_by_key[each.workload].policy for each in changes if each.workload}
    ours = {each.source.holder for each in changes if each.source is not None and each.source.manifest}
    changed = {each.workload for each in changes}
    for workload in problem.workloads:
        if workload.key in changed:
            continue
        sources = (getattr(rule, "source", None) for rule in workload.rules) if ours else ()
        if workload.policy in policies or any(each is not None and each.holder in ours for each in sources):
            yield workload
