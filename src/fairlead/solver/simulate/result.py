"""Results of simulations: replicas that move or no longer fit, how full clusters become, and of sweeps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import assert_never

from fairlead.models.answer import Answer
from fairlead.models.check import check
from fairlead.models.outcome import Outcome, Status
from fairlead.models.placement import Placement
from fairlead.models.rules import Duplicated, candidates, duplicated, moves, total
from fairlead.models.score import levels_of
from fairlead.models.shortfall import all_as_scheduled, is_shortfall
from fairlead.models.statement import Violation
from fairlead.models.usage import Utilisation, utilisation
from fairlead.models.workload import Workload, running
from fairlead.solver.simulate.changes import At, Change, Drain, Lose, Trial


@dataclass(frozen=True, slots=True)
class Scenario:
    """One of many losses or drains that were tried."""

    change: Trial
    """Change that was tried."""
    clusters: tuple[str, ...]
    """Clusters that it takes."""
    status: str
    """Status of the answer; of one that was not found in time nothing else is known."""
    unplaced: Mapping[str, int] = field(default_factory=dict)
    """Unplaced replicas by workload; those with none are absent."""
    broken: tuple[str, ...] = ()
    """Rules that give way, in words, without what `unplaced` says already."""
    moved: int = 0
    """Replicas that move, of all workloads to which it makes a difference; see `Effect`."""
    started: int = 0
    """Replicas that are started, likewise."""
    lost: int = 0
    """Replicas that are lost, likewise."""
    fullness: Mapping[str, Fraction] = field(default_factory=dict)
    """The used part of the fullest resource of every cluster, by others too; clusters that are gone, or of
    unknown capacity, are absent."""
    known: bool = True
    """False where not everything was placed in time, but a better placement might."""
    least: bool = True
    """False where less might give way: time was over before that was proven."""

    @property
    def name(self) -> str:
        """Name of what is lost or drained; of the autoscalers' limit."""
        match self.change:
            case Drain(name) | Lose(name):
                return name
            case At(limit):
                return limit
            case _:
                assert_never(self.change)

    @property
    def answered(self) -> bool:
        """Whether the result is known."""
        return self.status != Status.UNKNOWN

    @property
    def certainty(self) -> tuple[bool, bool, bool]:
        """Whether it was answered, whether that is known, and whether nothing less gives way."""
        return self.answered, self.known, self.least

    @property
    def fits(self) -> bool:
        """Whether it is known that every replica is placed and every rule holds."""
        return self.answered and not self.unplaced and not self.broken

    @property
    def rank(self) -> tuple[bool, bool, bool, int, int, int, int, str]:
        """Sort key, the worst first: unplaced replicas, workloads, rules, replicas that start.

        What is not known comes after what does not fit, what was not answered after that.
        """
        missing = sum(self.unplaced.values())
        return (
            self.fits,
            not self.answered,
            not self.known,
            -missing,
            -len(self.unplaced),
            -len(self.broken),
            -(self.lost + self.moved),
            str(self.change),
        )


def gives_way_least(outcome: Outcome) -> bool:
    """Tell whether it is proven that nothing less gives way than in an answer."""
    levels = zip(levels_of(outcome.problem), outcome.objectives, strict=False)
    return all(found.proven for level, found in levels if is_shortfall(level))


def fullness_of(outcome: Outcome) -> dict[str, Fraction]:
    """Return the used part of the fullest resource of every cluster of known capacity."""
    found: dict[str, Fraction] = {}
    for one in utilisation(outcome.problem, outcome.placement or Placement({})):
        if one.fullness is not None:
            found[one.cluster] = max(one.fullness, found.get(one.cluster, Fraction(0)))
    return found


@dataclass(frozen=True, slots=True)
class Effect:
    """Effect of changes on one workload."""

    workload: str
    """Key of the workload."""
    before: Mapping[str, int]
    """Replicas by cluster before: those that run, or where none runs, those of the best placement."""
    after: Mapping[str, int]
    """Replicas by cluster after."""
    moved: int
    """Replicas that are stopped in one cluster and started in another; 0 where every cluster holds a copy."""
    started: int
    """Replicas that are started in all, those that move among them."""
    stopped: int
    """Replicas that are stopped in all, those that move among them."""
    lost: int
    """Replicas on clusters that are gone; they are neither stopped nor moved."""
    unplaced: int
    """Replicas that no cluster has capacity for afterwards."""
    anyway: bool = False
    """True where the best placement without the changes is the same: what happens then is not their doing."""

    @property
    def happens(self) -> bool:
        """Whether anything becomes different, or is missing."""
        return bool(self.started or self.stopped or self.lost or self.unplaced)

    @property
    def caused(self) -> bool:
        """Whether anything becomes different, or is missing, that would not be so without the changes."""
        return self.happens and not self.anyway

    @property
    def shifts(self) -> tuple[tuple[str, int, int], ...]:
        """Clusters whose number of replicas changes, with the numbers before and after, in name order."""
        names = sorted({*self.before, *self.after})
        numbers = ((name, self.before.get(name, 0), self.after.get(name, 0)) for name in names)
        return tuple(shift for shift in numbers if shift[1] != shift[2])


@dataclass(frozen=True, slots=True)
class UtilisationShift:
    """Use of one resource of one cluster, before and after."""

    cluster: str
    resource: str
    """Cluster and resource."""
    before: Utilisation | None
    after: Utilisation | None
    """Use with what runs now, and after the changes; None where the cluster is not there."""
    caused: bool = True
    """True where it would be otherwise without the changes."""


@dataclass(frozen=True, repr=False)
class Simulation(Answer):
    """Effects on a fleet of changes, of many losses or drains, or of both."""

    changes: tuple[Change, ...]
    """Changes in order; may be empty where only scenarios were tried."""
    before: Outcome
    """The best placement without the changes."""
    after: Outcome
    """The best placement with them; a partial one where not everything fits."""
    effects: tuple[Effect, ...]
    """Effect on every workload, in key order."""
    sweep: str | None = None
    """Subject of the scenarios: ``cluster``, ``region``, ``zone``, ``provider``, the key of a label,
    ``drain`` or ``at``; None where there are none."""
    scenarios: tuple[Scenario, ...] = ()
    """Scenarios that were tried on top of the changes, one by one; the worst first."""
    known: bool = True
    """False where not everything was placed in time after the changes, but a better placement might."""

    @property
    def fits(self) -> bool:
        """Whether every replica is placed and every rule holds, in every scenario as well."""
        return self.after.fits and all(scenario.fits for scenario in self.scenarios)

    @property
    def changed(self) -> bool:
        """Whether the changes themselves are asked about, and not only scenarios."""
        return bool(self.changes) or not self.scenarios

    @cached_property
    def caused(self) -> tuple[Effect, ...]:
        """Effects on the workloads to which the changes make a difference, in key order."""
        return tuple(effect for effect in self.effects if effect.caused)

    @cached_property
    def now(self) -> Placement:
        """Placement before the changes, see `Effect.before`."""
        return Placement({effect.workload: effect.before for effect in self.effects})

    @cached_property
    def broken(self) -> tuple[Violation, ...]:
        """The rules that give way after the changes, unplaced replicas among them."""
        return (*self.after.shortfalls, *self.after.violations)

    @cached_property
    def broken_at_once(self) -> tuple[Violation, ...]:
        """The rules that are broken as soon as the changes are made, before anything is repaired.

        Those that are broken without the changes too are left out, and so are missing replicas and replicas
        on clusters that are being drained, which `effects` tell.
        """
        silent = (total.KIND, duplicated.KIND, candidates.KIND)
        found = [each for each in _broken_now(self.now, self.after) if each.rule not in silent]
        # Lines take long to find in large files, and are compared only where all else is the same.
        places = {each.about[:-1] for each in found}
        before = _broken_now(self.now, self.before) if found else ()
        already = {each.about for each in before if each.about[:-1] in places}
        return tuple(each for each in found if not already or each.about not in already)

    @cached_property
    def fullest(self) -> tuple[Utilisation, ...]:
        """The resource of every cluster that is used most after the changes, the fullest cluster first.

        Of clusters that are equally full then, the one that is fuller now comes first: where everybody grows,
        it runs out first. Clusters of unknown capacity are left out.
        """
        now = _by_place(utilisation(self.before.problem, self.now))
        found: dict[str, tuple[Fraction, Utilisation]] = {}
        for one in utilisation(self.after.problem, self.after.placement or Placement({})):
            share = one.share
            if share is not None and (one.cluster not in found or share > found[one.cluster][0]):
                found[one.cluster] = share, one

        def rank(one: Utilisation) -> tuple[Fraction, Fraction, str]:
            before = now.get((one.cluster, one.resource))
            return -(one.share or Fraction(0)), -((before and before.share) or Fraction(0)), one.cluster

        return tuple(sorted((one for _, one in found.values()), key=rank))

    @cached_property
    def utilisation(self) -> tuple[UtilisationShift, ...]:
        """How full every cluster is by resource, before and after, in name order."""
        now = _by_place(utilisation(self.before.problem, self.now))
        best = _by_place(utilisation(self.before.problem, self.before.placement or Placement({})))
        then = _by_place(utilisation(self.after.problem, self.after.placement or Placement({})))
        return tuple(
            UtilisationShift(*place, now.get(place), then.get(place), best.get(place) != then.get(place))
            for place in sorted({*now, *then})
        )


def effects(before: Outcome, after: Outcome) -> tuple[Effect, ...]:
    """Return the effect on every workload of the changed problem."""
    return tuple(_effect(workload, before, after) for workload in after.problem.workloads)


def _effect(workload: Workload, before: Outcome, after: Outcome) -> Effect:
    now = _standing(workload.key, before)
    then = dict(after.placement.of(workload.key)) if after.placement is not None else {}
    here = after.problem.cluster_by_name
    lost = stopped = started = 0
    if now != then or not now.keys() <= here.keys():
        lost = sum(replicas for name, replicas in now.items() if name not in here)
        stopped = moves.stopped({name: count for name, count in now.items() if name in here}, then)
        started = moves.stopped(then, now)
    copies = workload.rule(Duplicated)
    everywhere = copies is not None and not copies.choice
    moved = 0 if everywhere else min(started, stopped)
    missing = after.unplaced(workload)
    anyway = not lost and workload.key in before.problem.workload_by_key and _same(workload, before, after)
    return Effect(workload.key, now, then, moved, started, stopped, lost, missing, anyway)


def _same(workload: Workload, before: Outcome, after: Outcome) -> bool:
    """Tell whether a workload that wants as many replicas as before is placed the same."""
    if before.placement is None or after.placement is None:
        return False
    same = before.placement.of(workload.key) == after.placement.of(workload.key)
    return same and before.problem.workload(workload.key).replicas == workload.replicas


def _standing(key: str, before: Outcome) -> dict[str, int]:
    """Return where the replicas of a workload run before; where none runs, where they are best placed."""
    if key not in before.problem.workload_by_key:
        return {}
    current = running(before.problem.workload(key), before.problem.cluster_by_name)
    if current or before.placement is None:
        return current
    return dict(before.placement.of(key))


def _broken_now(now: Placement, outcome: Outcome) -> tuple[Violation, ...]:
    """Return the violations of what runs now in a problem, in the affinity groups in which it runs."""
    there, known = outcome.problem.cluster_by_name, outcome.problem.workload_by_key
    inside = {key: {name: held for name, held in now.of(key).items() if name in there} for key in known}
    return check(all_as_scheduled(outcome.problem), Placement(inside))


def _by_place(found: Iterable[Utilisation]) -> dict[tuple[str, str], Utilisation]:
    """Return utilisations by cluster and resource."""
    return {(one.cluster, one.resource): one for one in found}
