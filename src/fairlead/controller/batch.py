"""A batch: the bindings that are due, placed together, with all others as occupied room."""

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from fairlead.controller.due import ControllerSettings, Decision, Placed, Reason, Unplaced
from fairlead.controller.world import ObjectKey, ObjectVersion, World
from fairlead.manifests.collect import Manifests
from fairlead.manifests.join import Subject, keys
from fairlead.manifests.karmada import scheduled
from fairlead.manifests.loading import problem_of
from fairlead.manifests.yaml.documents import Identity
from fairlead.models.problem import Problem
from fairlead.models.result import NOTHING_FOUND
from fairlead.models.rules import Candidates, Duplicated, Spread
from fairlead.models.source import KarmadaBinding
from fairlead.models.workload import Workload
from fairlead.solver.running.deadline import Deadline

if TYPE_CHECKING:
    from fairlead.models.outcome import Outcome


LOG = logging.getLogger(__name__)

ROUNDS = 16
"""How often those that find no place are left out of a batch, and the rest is placed again."""

SHARE_OF_TIME = 0.3
"""Part of the time left for looking at those that find no place, in a round."""

_UNFINISHED = "what has no replicas can only be spread where it is Duplicated; this is not finished"


@dataclass(frozen=True, slots=True)
class BatchDecisions:
    """Decisions about the bindings of a batch."""

    decisions: Mapping[ObjectKey, Decision] = field(default_factory=dict)
    """Decision by binding; a binding that is absent is to be placed in the next batch."""
    gap: Fraction | None = Fraction(0)
    """The greatest gap that is left on a level; None where one is not known."""
    missing: int = 0
    """Replicas of the batch that found no place."""


def decide(world: World, due: Iterable[ObjectVersion], settings: ControllerSettings) -> BatchDecisions:
    """Place bindings together.

    Those that find no place keep what they have, which counts as taken, and all others are placed again
    without them: nobody gets room that is not there. Where something goes wrong that should not, half of the
    batch is placed, and so on, so that one odd binding keeps no other one from its place.
    """
    manifests, subjects = world.joined()
    _leave_out_contradictions(manifests, subjects)
    decisions, asked = _sorted(world, due, subjects)
    deadline, missing = Deadline.after(settings.time_limit), 0
    for _ in range(ROUNDS):
        if not asked:
            return BatchDecisions(decisions, Fraction(0), missing)
        try:
            problem = with_copies(problem_of(manifests, subjects, asked.keys()))
            outcome = _solved(problem, deadline, settings)
        except Exception as error:
            LOG.exception("not placed", extra={"bindings": len(asked)})
            if len(asked) == 1:
                wrong = " ".join(f"{type(error).__name__}: {error}".split())
                failed = dict.fromkeys(asked.values(), Unplaced(Reason.SCHEDULER_ERROR, wrong))
                return BatchDecisions({**decisions, **failed}, None, missing)
            asked = dict(list(asked.items())[: len(asked) // 2])
            continue
        failing = _failing(outcome, _told_of(problem, subjects), asked)
        if not failing:
            return BatchDecisions({**decisions, **_placed(outcome, asked)}, _gap(outcome), missing)
        for identity in _left_out(outcome, failing, deadline):
            decisions[asked.pop(identity)] = failing[identity][0]
            missing += failing[identity][1]
    return BatchDecisions(decisions, None, missing)


def _leave_out_contradictions(manifests: Manifests, subjects: Sequence[Subject]) -> None:
    """Leave out what of fairlead's own kinds may be there once only, such as a second Profile.

    Those that come first by name count: nobody else's mistake keeps all bindings from their places.
    """
    if not manifests.own:
        return
    from fairlead.manifests.own.extend import contradictions

    manifests.own.sort(key=lambda one: (one.model.kind, one.model.metadata.name))
    found = {one.source.file: one for one in contradictions(manifests.own, subjects)}
    manifests.own[:] = [one for one in manifests.own if one.source().file not in found]
    for name, mistake in found.items():
        LOG.warning("left out", extra={"object": name, "reason": mistake.sentence})


def _sorted(
    world: World, due: Iterable[ObjectVersion], subjects: Iterable[Subject]
) -> tuple[dict[ObjectKey, Decision], dict[Identity, ObjectKey]]:
    """Return decisions on bindings that cannot be placed at all, and the bindings that are to be placed."""
    decisions: dict[ObjectKey, Decision] = {}
    asked: dict[Identity, ObjectKey] = {}
    bound = {one.identity: one.binding.model.metadata.name for one in subjects if one.binding}
    for entry in due:
        subject, hindrance = entry.subject, _hindrance(entry, world)
        if subject is not None and not hindrance and bound.get(subject.identity) != entry.place.name:
            hindrance = "another binding is for the same resource"
        if subject is None or hindrance:
            decisions[entry.place] = Unplaced(Reason.SCHEDULER_ERROR, hindrance)
        else:
            asked[subject.identity] = entry.place
    return decisions, asked


def _hindrance(entry: ObjectVersion, world: World) -> str:
    """Say why a binding cannot be placed at all; empty where it can."""
    if not entry.is_understood:
        return f"cannot be understood: {entry.hindrance}"
    for name in entry.targets:
        cluster = world.cluster(name)
        if cluster is not None and not cluster.is_understood:
            return f"cluster {name} cannot be understood: {cluster.hindrance}"
    return ""


def _solved(problem: Problem, deadline: Deadline, settings: ControllerSettings) -> "Outcome":
    from fairlead.solver.solve import solve

    left = deadline.remaining()
    limit = None if settings.time_limit is None else max(left, 0.1)
    return solve(problem, time_limit=limit, workers=settings.workers, partial=True)


def _identity(workload: Workload) -> Identity:
    return Identity.of(workload.api_version, workload.kind, workload.namespace, workload.name)


def _told_of(problem: Problem, subjects: Sequence[Subject]) -> dict[Identity, str]:
    """Return remarks of the reader of a problem on single workloads, those that it left out included."""
    said: dict[str, list[str]] = {}
    for one in problem.warnings:
        if one.workload is not None:
            said.setdefault(one.workload, []).append(one.text)
    identities = (subject.identity for subject in subjects)
    return {who: "; ".join(said.get(key, ())) for who, key in zip(identities, keys(subjects), strict=True)}


def _failing(
    outcome: "Outcome", warned: Mapping[Identity, str], asked: Mapping[Identity, ObjectKey]
) -> dict[Identity, tuple[Unplaced, int]]:
    """Return the bindings that find no place, and how many replicas of each; all where there is no answer."""
    known = {_identity(workload): workload for workload in outcome.problem.workloads}
    told = {one.workload: one.text for one in reversed(outcome.shortfalls) if one.workload}
    found: dict[Identity, tuple[Unplaced, int]] = {}
    for identity in asked:
        workload = known.get(identity)
        if workload is None:
            text = warned.get(identity) or "cannot be placed"
            found[identity] = (Unplaced(Reason.SCHEDULER_ERROR, text), 0)
        elif chooses(workload) and workload.rule(Duplicated) is None:
            found[identity] = (Unplaced(Reason.SCHEDULER_ERROR, _UNFINISHED), 0)
        elif outcome.placement is None:
            found[identity] = (_without_answer(outcome, workload), workload.replicas)
        elif workload.key in told or not _stands(outcome, workload):
            found[identity] = (_unfit(workload, told.get(workload.key, "")), outcome.unplaced(workload))
    return found


def _left_out(
    outcome: "Outcome", failing: Mapping[Identity, tuple[Unplaced, int]], deadline: Deadline
) -> list[Identity]:
    """Return which of those that find no place are left out.

    Those that would find none if all others went: they must not keep anybody from his place. Where there is
    none of these, the less urgent and the larger half.
    """
    known = {_identity(workload): workload for workload in outcome.problem.workloads}
    if outcome.placement is None:
        return list(failing)
    time = deadline.part(SHARE_OF_TIME)
    hopeless = [
        identity
        for identity in failing
        if identity not in known or _is_hopeless(known[identity], outcome.problem, time)
    ]
    if hopeless:
        return hopeless
    ordered = sorted(failing, key=lambda each: (known[each].priority, -failing[each][1], each))
    return ordered[: (len(ordered) + 1) // 2]


def _is_hopeless(workload: Workload, problem: Problem, deadline: Deadline) -> bool:
    """Tell whether a workload is seen to find no place even without all others of the batch."""
    from fairlead.solver.conflicts.alone import alone
    from fairlead.solver.feasibility import has_placement
    from fairlead.solver.running.search import Search

    by_itself = replace(alone(workload, problem), balances=())
    return bool(deadline.remaining()) and has_placement(by_itself, Search(deadline)) is False


def _stands(outcome: "Outcome", workload: Workload) -> bool:
    """Tell whether a workload stands somewhere, or wants nothing; the last guard before it is emptied."""
    return not (workload.replicas or workload.without_replicas) or bool(chosen(outcome, workload))


def _unfit(workload: Workload, told: str) -> Unplaced:
    candidates = workload.rule(Candidates)
    if candidates is not None and not candidates.names:
        return Unplaced(Reason.NO_CLUSTER_FIT, told or f"no cluster fits {workload.key}")
    return Unplaced(Reason.UNSCHEDULABLE, told or f"{workload.key} cannot be placed")


def _without_answer(outcome: "Outcome", workload: Workload) -> Unplaced:
    """Say that there is no answer: a contradiction, or too little time."""
    about = [
        text
        for conflict in outcome.conflicts
        for text in (
            *([conflict.cause] if conflict.cause and workload.key in conflict.workloads else []),
            *(rule.text for rule in conflict.rules if rule.workload in (workload.key, None)),
        )
    ]
    if about:
        return _unfit(workload, f"no placement keeps these rules: {'; '.join(about)}")
    return Unplaced(Reason.SCHEDULER_ERROR, NOTHING_FOUND)


def _placed(outcome: "Outcome", asked: Mapping[Identity, ObjectKey]) -> dict[ObjectKey, Placed]:
    return {
        asked[identity]: Placed(targets(outcome, workload), workload.group, workload.fresh)
        for workload in outcome.problem.workloads
        if (identity := _identity(workload)) in asked
    }


def _gap(outcome: "Outcome") -> Fraction | None:
    """Return the greatest gap on a level; None where one is not known."""
    gaps = [level.gap for level in outcome.objectives]
    known = [gap for gap in gaps if gap is not None]
    return max(known, default=Fraction(0)) if len(known) == len(gaps) else None


def targets(outcome: "Outcome", workload: Workload) -> tuple[Mapping[str, Any], ...]:
    """Return ``spec.clusters`` of a workload, as Karmada's scheduler writes it."""
    known = workload.declared
    components: Sequence[tuple[str, int]] = known.components if isinstance(known, KarmadaBinding) else ()
    found = chosen(outcome, workload)
    if workload.without_replicas:
        return tuple({"name": name} for name in found)
    return tuple(scheduled.targets(found, components))


def chosen(outcome: "Outcome", workload: Workload) -> dict[str, int]:
    """Return the clusters where a workload is to stand, with its replicas on each, in the order of names."""
    if workload.without_replicas and not workload.replicas:
        return dict.fromkeys(sorted(outcome.problem.candidates(workload)), 0)
    return {name: count for name, count in sorted(outcome.placed(workload).items()) if count}


def with_copies(problem: Problem) -> Problem:
    """Return a problem in which what has no replicas, and must not stand everywhere, is a copy of one.

    So it is chosen where it stands. Without a spread it stands on all its candidates, which needs no choice.
    """
    found = tuple(_as_copy(one, problem) if chooses(one) else one for one in problem.workloads)
    return replace(problem, workloads=found)


def chooses(workload: Workload) -> bool:
    """Tell whether a workload without replicas is to stand on some of its candidates only."""
    return workload.without_replicas and workload.rule(Spread) is not None


def _as_copy(workload: Workload, problem: Problem) -> Workload:
    """Return a workload without replicas as a copy of one, which stands where it stood."""
    known = workload.declared
    stood = known.previous if isinstance(known, KarmadaBinding) else ()
    copy = replace(workload, replicas=1, current={name: 1 for name, _ in stood}, rules=(), groups=())
    return copy if workload.reading is None else workload.reading.again(copy, problem.clusters)
