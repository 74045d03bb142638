"""How far the loose levels of a problem got: who stays, what is searched again, and what is proven then."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import takewhile

from fairlead.models.errors import UnsupportedError
from fairlead.models.levels import BALANCE, COPIES, Level
from fairlead.models.outcome import Attained
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules.balance import Balance
from fairlead.models.rules.balance import cost as balance_of
from fairlead.models.score import levels_of, score, value_of
from fairlead.solver.answers.answer import PartAnswer, Placed, added, origin_of
from fairlead.solver.answers.attainment import Apart, attained, status_of
from fairlead.solver.levels.spans import Spans, least_balance, spans_of
from fairlead.solver.levels.targets import (
    MOST_PLACES,
    LevelTarget,
    Targets,
    needed,
    target_of,
    target_of_balance,
    unheard,
    with_strict_bounds,
    within,
)
from fairlead.solver.loosening.movable import (
    apart,
    chooses_copies,
    copies_are_known,
    frozen,
    open_part,
    resting,
    settled,
    tied,
)
from fairlead.solver.running.search import Search

BEFORE, INSTEAD = 0.5, 0.9
"""Parts of the time left for filling clusters more evenly before a search, and instead of one."""
MANY_PLACES = 30_000
"""Workloads times clusters from which on clusters are filled more evenly before a model of them is made."""
SECONDS_A_PLACE = 2e-4
"""Seconds a place (workloads times clusters) to make the models up to that of balance; with less left none is
begun."""


@dataclass(frozen=True, slots=True)
class Loosening:
    """How far the loose levels got.

    Parameters
    ----------
    problem
        The question.
    strict
        The answer where no level is loose.
    placement
        Where everybody stands.
    targets
        Target of every balance, in the order of the problem's.
    loose
        Targets of the other loose levels.
    staying
        Workloads that stay where they are: where `certain`, no best placement has another place for them.
    spans
        Fewest and most replicas of every workload; empty where nobody looked at that.
    apart
        Workloads that cost what they would cost alone.
    parts
        The answers of those that were searched again.
    certain
        False where something was not searched that could be better.
    """

    problem: Problem
    strict: PartAnswer
    placement: Placement
    targets: tuple[LevelTarget, ...]
    loose: Targets
    staying: frozenset[str] = frozenset()
    spans: Spans = field(default_factory=dict)
    apart: Apart = field(default_factory=dict)
    parts: tuple[PartAnswer, ...] = ()
    certain: bool = True

    @classmethod
    def at_once(cls, problem: Problem, found: PartAnswer) -> "Loosening":
        """Return the loose levels as known without a look at what clusters could hold."""
        targets = tuple(target_of_balance(rule, problem, Fraction(0)) for rule in problem.balances or ())
        loose = {level: target_of(level, problem, Fraction(0)) for level in unheard(problem, found.part)}
        return cls(problem, found, found.placement or Placement({}), targets, loose, certain=False)

    @classmethod
    def of(cls, problem: Problem, found: PartAnswer, alone: Placed) -> "Loosening":
        """Return where the search begins."""
        spans = spans_of(problem)
        targets = tuple(
            target_of_balance(rule, problem, least_balance(rule, problem, spans))
            for rule in problem.balances or ()
        )
        loose = {
            level: target_of(level, problem, needed(level, problem)) for level in unheard(problem, found.part)
        }
        known = apart(found, alone)

        def stands_alone(key: str, level: Level) -> bool:
            return key in known.get(level, ())

        loosely = {level.key for level in loose} | ({BALANCE.key} if problem.balances else set[str]())
        first = tuple(takewhile(lambda key: key not in loosely, problem.levels))
        stay = {key: level for key, level in frozen(found.part, alone).items() if level.key in first}
        # Before their own level, copies may become more or fewer: for balance that is not searched.
        copied = COPIES.key in first or not any(map(chooses_copies, problem.workloads))
        counted = not problem.balances or (copied and copies_are_known(found, known))
        certain = known.keys() >= {*stay.values()} and counted
        forced = frozenset(key for key, level in stay.items() if stands_alone(key, level))
        staying = forced if certain else resting(problem, found)
        placement = found.placement or Placement({})
        return cls(problem, found, placement, targets, loose, staying, spans, known, certain=certain)

    def is_even(self) -> bool:
        """Tell whether clusters are filled as evenly as asked for, however even they could be."""
        return not self.loose and all(
            balance_of(rule, self.problem, self.placement) <= target.value
            for rule, target in zip(self._balances, self.targets, strict=True)
        )

    def open_sets(self) -> Iterator[frozenset[str]]:
        """Yield the workloads that are to be searched together; none where what was found will do."""
        everybody = frozenset(each.key for each in self.problem.workloads)
        if self.loose:
            yield everybody
            return
        free = everybody - self.staying - settled(self.problem)
        known = frozenset[str]()
        for rule, target in zip(self._balances, self.targets, strict=True):
            inside = rule.members & free
            uneven = balance_of(rule, self.problem, self.placement) > target.value
            if inside and uneven and rule.members.isdisjoint(known):
                keys = tied(inside, self.problem, self.staying)
                known |= keys
                yield keys

    def searchable(self) -> tuple[Balance, ...]:
        """Return the balances of which it is known how much is used in all, so that they can be searched."""
        keys = frozenset(self.problem.workload_by_key)
        narrowed = open_part(self.problem, keys, self.placement, self.spans).balances or ()
        known = {rule.members for rule in narrowed if rule.totals_known}
        return tuple(rule for rule in self._balances if rule.members in known)

    def with_told(self, answer: PartAnswer) -> PartAnswer:
        """Return the answer to the problem without some balances as one to the whole: those are told."""
        placement = answer.placement or Placement({})
        known = dict(zip(levels_of(answer.part), answer.attained, strict=True))
        told = dict(zip(levels_of(self.problem), attained(self.problem, placement, ()), strict=True))
        balance = within(told[BALANCE], self.targets_of(self.problem)[BALANCE])
        levels = tuple(balance if level == BALANCE else known[level] for level in told)
        return replace(answer, part=self.problem, attained=levels, status=status_of(levels))

    def searched(self, keys: frozenset[str], search: Search) -> "Loosening":
        """Return how far it is with some workloads searched together."""
        part = open_part(self.problem, keys, self.placement, self.spans)
        if not all(rule.totals_known for rule in part.balances or ()):
            return replace(self, certain=False)
        places = len(part.workloads) * len(part.clusters)
        known, most = self, min(MOST_PLACES, search.deadline.remaining() / SECONDS_A_PLACE)
        if places > min(MANY_PLACES, most):
            follows = places <= most
            known = self.evened(part, search, BEFORE if follows else INSTEAD, deviations=not follows)
        if places > min(MOST_PLACES, search.deadline.remaining() / SECONDS_A_PLACE):
            return replace(known, certain=False)
        # Answers for which there is no time to search come from here as well, and need nothing of this.
        from fairlead.solver.levels.lexicographic import minimise_levels

        try:
            result = minimise_levels(
                part,
                # Of some workloads only, values would tell nothing of the whole.
                search if len(keys) == len(self.problem.workloads) else replace(search, progress=None),
                Placement({key: known.placement.of(key) for key in keys}),
                relaxed=self.known(part),
                apart=self.apart,
                targets=known.targets_of(part),
                elsewhere=self.elsewhere(part),
            )
        except UnsupportedError:
            # Amounts that no model can count.
            return replace(known, certain=False)
        if result.placement is None:
            return replace(known, certain=False)
        placement = Placement({**self.placement, **result.placement})
        answer = PartAnswer(part, result.status, result.placement, result.attained, "cp-sat")
        return replace(known, placement=placement, parts=(*self.parts, answer))

    def priced(self, keys: frozenset[str], search: Search) -> "Loosening":
        """Return how far it is with what prices tell of some workloads, which are not searched."""
        part = open_part(self.problem, keys, self.placement, self.spans)
        return replace(self.evened(part, search, 1.0, deviations=False), certain=False)

    def answer(self) -> PartAnswer:
        """Return the answer as it is now."""
        levels = self._levels()
        origin = origin_of([self.strict, *self.parts])
        return PartAnswer(self.problem, status_of(levels), self.placement, levels, origin)

    def evened(self, part: Problem, search: Search, share: float, *, deviations: bool) -> "Loosening":
        """Return with some workloads where they fill clusters more evenly, and what prices tell of the best.

        What bounds some of them bounds all where the others stay in every best placement. For every balance
        there is a share of the time left; with `deviations` they are also placed nearer to their weights.
        """
        from fairlead.solver.loosening.even_filling import evened_out

        targets = dict(zip((rule.members for rule in self._balances), self.targets, strict=True))
        inside = Placement({key: self.placement.of(key) for key in part.workload_by_key})
        for rule in part.balances or ():
            until, target = search.deadline.part(share), targets[rule.members]
            inside, raised = evened_out(rule, part, inside, self.apart, target, until, deviations=deviations)
            targets[rule.members] = raised if self.certain else target
        placement = Placement({**self.placement, **inside})
        return replace(self, placement=placement, targets=tuple(targets.values()))

    @property
    def _strictly(self) -> Mapping[Level, Attained]:
        """The levels of the strict answer; none where nothing was searched."""
        return dict(zip(levels_of(self.strict.part), self.strict.attained, strict=False))

    @property
    def _proven(self) -> frozenset[Level]:
        """The levels that are proven where no level is loose."""
        return frozenset(level for level, each in self._strictly.items() if each.proven)

    @property
    def _balances(self) -> tuple[Balance, ...]:
        """Who is to fill clusters together."""
        return self.problem.balances or ()

    def targets_of(self, part: Problem) -> Targets:
        """Return the targets of the levels of some workloads."""
        members = {rule.members for rule in part.balances or ()}
        rules = zip(self._balances, self.targets, strict=True)
        inside = [target for rule, target in rules if rule.members in members]
        if not inside:
            return self.loose
        least = sum((Fraction(each.bound) for each in inside), Fraction(0))
        tolerance = sum((Fraction(each.tolerance) for each in inside), Fraction(0))
        return {**self.loose, BALANCE: LevelTarget(least, tolerance)}

    def known(self, part: Problem) -> tuple[Attained, ...]:
        """Return the levels of some workloads before the first loose one, as far as they are proven."""
        start = self.strict.placement or Placement({})
        proven = self._proven
        levels = takewhile(lambda each: each in proven and each not in self.loose, levels_of(part))
        told = ((level, Attained(level.name, value_of(part, start, level))) for level in levels)
        return tuple(self._as_proven(level, each) for level, each in told)

    def _as_proven(self, level: Level, told: Attained) -> Attained:
        """Return a level of some workloads as it is proven where no level is loose.

        Where it was compared in steps, they may cost less by no more than all of them.
        """
        least = max(0, told.value - (self._strictly[level].resolution or 0))
        return replace(told, bound=least, proven=True, resolution=Fraction(told.value - least) or None)

    def elsewhere(self, part: Problem) -> Mapping[Level, int | Fraction]:
        """Return the cost of all others on the levels of some workloads, which are searched."""
        levels = levels_of(part)
        inside = zip(levels, score(part, self.placement), strict=True)
        whole = dict(zip(levels_of(self.problem), score(self.problem, self.placement), strict=True))
        return {level: max(0, whole[level].value - each.value) for level, each in inside}

    def _levels(self) -> tuple[Attained, ...]:
        """Return the levels with what is proven of them."""
        if self.certain:
            found = added(self.problem, [*self._rests(), *self.parts])
        else:
            targets, levels = self.targets_of(self.problem), attained(self.problem, self.placement, ())
            found = tuple(
                within(each, targets[level]) if level in targets else each
                for level, each in zip(levels_of(self.problem), levels, strict=True)
            )
        return tuple(with_strict_bounds(self.problem, found, self._strictly, self.loose))

    def _rests(self) -> Iterator[PartAnswer]:
        """Yield the answers of those not searched again, first of those that cannot stand elsewhere."""
        searched = frozenset(key for part in self.parts for key in part.part.workload_by_key)
        left = [each for each in self.problem.workloads if each.key not in searched]
        balances = [rule for rule in self._balances if rule.members.isdisjoint(searched)]
        fixed = self.staying | settled(self.problem)
        fixed -= {key for rule in balances if not rule.members <= fixed for key in rule.members}
        for sure in (True, False):
            some = tuple(each for each in left if (each.key in fixed) is sure)
            rules = tuple(rule for rule in balances if (rule.members <= fixed) is sure)
            part = replace(self.problem, workloads=some, rules=(), balances=rules)
            yield self._standing(part, sure=sure)

    def _standing(self, part: Problem, *, sure: bool) -> PartAnswer:
        """Return the answer of some that were not searched: proven where that is sure, or as it was."""
        targets, proven = self.targets_of(part) if part.balances else {}, self._proven
        levels = []
        for level, each in zip(levels_of(part), score(part, self.placement), strict=True):
            if level in targets:
                target = targets[level]
                levels.append(within(each, replace(target, bound=each.value) if sure else target))
            elif level in proven and not sure:
                levels.append(self._as_proven(level, each))
            else:
                bound = each.value if sure else 0
                levels.append(replace(each, bound=bound, proven=each.value == bound))
        return PartAnswer(part, status_of(levels), self.placement, tuple(levels), "exact")
