"""A minimal conflict by leaving units out, and a smallest one by hitting sets.

Every placement breaks some units, and every conflict holds one of them: otherwise the placement would keep
the whole conflict. So a conflict is a set that meets what each placement breaks, and the fewest units that
do are a bound on the smallest conflict. Placements are added until the fewest units that meet all of them
have no placement themselves (Ignatiev, Previti, Liffiton and Marques-Silva 2015).

Placements come from one model of all units, each behind a guard.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from ortools.sat.python import cp_model

from fairlead.encoders.costs import Origin
from fairlead.encoders.encoding import Encoding, total
from fairlead.encoders.joint import ConditionalEncoding
from fairlead.encoders.registry import ENCODERS, kind_of
from fairlead.encoders.variables import Interval, Place
from fairlead.models.errors import InternalError
from fairlead.models.problem import Problem
from fairlead.models.rules import Candidates, Companionship, MoveBudget, Quota
from fairlead.models.rules.capacity import needs
from fairlead.models.statement import Proof
from fairlead.solver.conflicts.scarcity import FoundConflict
from fairlead.solver.conflicts.subset import UnitJudge, widest
from fairlead.solver.conflicts.units import Room, Unit
from fairlead.solver.running.deadline import Deadline
from fairlead.solver.running.engine import run
from fairlead.solver.running.search import Search, Verdict

# Attempts to keep more units than a placement happens to keep.
TRIES = 12


Broken = frozenset[int]
"""Positions of the units that a placement breaks."""


class OutOfTime(Exception):  # noqa: N818 - no error: what was found until then still counts
    """The deadline came before the answer."""


class Oracle:
    """Answers which units can be kept together.

    Every answer that some can be is a placement, judged by the meaning of the rules; that they cannot is
    what CP-SAT says, and has to be verified by whoever builds on it.
    """

    def __init__(self, problem: Problem, units: Sequence[Unit], search: Search) -> None:
        self.search = search
        self._judge = UnitJudge(problem, units)
        self._encoding, self._guards = _encoded(problem, units, search.deadline)
        self.everything = frozenset(range(len(units)))

    def many(self, kept: Collection[int]) -> Broken | None:
        """Return the units that a placement breaks that keeps some and many others; None where there is none.

        `kept`: positions of the units that have to be kept.

        Raises `OutOfTime` where the deadline comes first.
        """
        seen = self.any(kept)
        if seen is None:
            return None
        waiting, size = sorted(seen), max(1, len(seen) // 2)
        for _ in range(TRIES):
            if not waiting:
                break
            more, waiting = waiting[:size], waiting[size:]
            better = self.any((self.everything - seen).union(more))
            if better is not None:
                seen = better
                waiting = [at for at in waiting if at in seen]
            size = max(1, size // 2)
        return seen

    def any(self, kept: Collection[int]) -> Broken | None:
        """Return the units that any placement breaks that keeps some; otherwise like `many`."""
        if not self.search.deadline.remaining():
            raise OutOfTime
        encoding = self._encoding
        model = encoding.model.clone()
        for at in sorted(kept):
            model.add(self._guards[at] == 1)
        finding = run(model, encoding.replica_variables, [], [], self.search.single())
        if finding.verdict is Verdict.UNKNOWN:
            raise OutOfTime
        return None if finding.values is None else self._judge.broken(encoding.read(finding.values))


def _encoded(
    problem: Problem, units: Sequence[Unit], deadline: Deadline
) -> tuple[Encoding, Sequence[cp_model.IntVar]]:
    """Encode every unit behind its guard; return the guards as well."""
    widths = {workload.key: widest(workload) for workload in problem.workloads}
    within = {
        Place(key, cluster.name): Interval(0, width)
        for key, width in widths.items()
        for cluster in problem.clusters
    }
    everywhere = Candidates(tuple(problem.cluster_by_name))
    bare = replace(problem, workloads=tuple(replace(each, rules=()) for each in problem.workloads))
    encoding = ConditionalEncoding(problem, within)
    guards = [encoding.model.new_bool_var("") for _ in units]
    for unit, guard in zip(units, guards, strict=True):
        if not deadline.remaining():
            raise OutOfTime
        with encoding.under(guard):
            match unit.part:
                case Room() as room:
                    _encode_room(room, problem, encoding)
                case Quota() as rule:
                    # Totals may be left out, so that nothing is asked for anyway.
                    ENCODERS[Quota](rule, bare, encoding)
                case Companionship() | MoveBudget() as shared:
                    ENCODERS[type(shared)](shared, problem, encoding)
                case rule:
                    alone = replace(problem.workload(unit.workload or ""), rules=(everywhere,), groups=())
                    ENCODERS[kind_of(rule)](rule, replace(alone, group=None), encoding)
    return encoding, guards


def _encode_room(room: Room, problem: Problem, encoding: Encoding) -> None:
    """Ask of a cluster no more than it has."""
    because = Origin("capacity", None, room.cluster)
    for resource in sorted(room.resources):
        asked = [
            (Place(each.key, room.cluster), need)
            for each in problem.workloads
            if (need := needs(each).get(resource, 0))
        ]
        encoding.require_room(asked, problem.limits.get((room.cluster, resource), 0), because=because)


ROUNDS = 150
"""Placements that are looked for until a conflict is sought among all units."""
LATER_ROUNDS = 20
"""Placements that are looked for after that, until it counts as minimal, though perhaps not the smallest."""


@dataclass(slots=True)
class ConflictSearch:
    """Search for a conflict: its oracle, and the units that placements found so far break."""

    oracle: Oracle
    broken: list[Broken]

    def find(self, start: Sequence[int] | None = None) -> FoundConflict | None:
        """Return a conflict, the smallest that can be found in time.

        None where time ran out before anything was known.

        `start`: a minimal conflict that is known already; None where none is.
        """
        kept: Sequence[int] | None = start
        proof = Proof.UNVERIFIED if start is None else Proof.MINIMAL
        try:
            bound = self._disjoint(len(start or self.oracle.everything))
            if kept is None:
                kept = self._together()
                kept = self.minimal(kept)
                proof = Proof.MINIMAL
            if bound >= len(kept):
                return FoundConflict(tuple(sorted(kept)), Proof.SMALLEST)
            return self._smallest(kept)
        except OutOfTime:
            return None if kept is None else FoundConflict(tuple(sorted(kept)), proof)

    def minimal(self, units: Collection[int]) -> Sequence[int]:
        """Leave units out, many at a time and then one by one, as long as the others have no placement."""
        kept = sorted(units)
        size = max(1, len(kept) // 2)
        while True:
            at = 0
            while at < len(kept):
                rest = kept[:at] + kept[at + size :]
                if self.possible(rest):
                    at += size
                else:
                    kept = rest
            if size == 1:
                return kept
            size //= 2

    def possible(self, kept: Collection[int]) -> bool:
        """Tell whether some units can be kept together."""
        if any(broken.isdisjoint(kept) for broken in self.broken):
            return True
        seen = self.oracle.any(kept)
        if seen is None:
            return False
        self._see(seen)
        return True

    def _disjoint(self, enough: int) -> int:
        """See placements that break nothing in common; return how many, a bound on every conflict.

        It ends where what they break has no placement together, and so is a conflict itself.
        """
        apart = 0
        kept: Broken = frozenset()
        for _ in range(ROUNDS):
            if apart >= enough:
                break
            seen = self.oracle.many(kept)
            if seen is None:
                break
            self._see(seen)
            apart += 1
            kept |= seen
        return apart

    def _together(self) -> list[int]:
        """Return the units that the placements seen break together if they are a conflict, else all units."""
        seen = frozenset[int]().union(*self.broken)
        return sorted(seen) if not self.possible(seen) else sorted(self.oracle.everything)

    def _smallest(self, kept: Sequence[int]) -> FoundConflict:
        """Look for a conflict of fewer units; return the smallest, and whether it is proven to be that."""
        try:
            for _ in range(LATER_ROUNDS):
                fewest = fewest_that_meet(self.broken, self.oracle.search)
                if fewest is None:
                    break
                if len(fewest) >= len(kept):
                    return FoundConflict(tuple(sorted(kept)), Proof.SMALLEST)
                seen = self.oracle.many(fewest)
                if seen is None:
                    # Whatever is left out, what remains is too small to meet all placements.
                    return FoundConflict(tuple(sorted(fewest)), Proof.SMALLEST)
                self._see(seen)
        except OutOfTime:
            pass
        return FoundConflict(tuple(sorted(kept)), Proof.MINIMAL)

    def _see(self, seen: Broken) -> None:
        """Take in what a placement breaks; InternalError where that is nothing, so that there is one."""
        if not seen:
            raise InternalError("a problem is called infeasible of which a conflict has a placement")
        self.broken.append(seen)


def fewest_that_meet(sets: Sequence[Collection[int]], search: Search) -> frozenset[int] | None:
    """Return the fewest elements of which every set holds one.

    A smallest hitting set; None where time ran out before that was proven.
    """
    model = cp_model.CpModel()
    elements = sorted(frozenset().union(*sets))
    taken = {element: model.new_bool_var("") for element in elements}
    for one in sets:
        model.add(total(taken[element] for element in sorted(one)) >= 1)
    variables = [taken[element] for element in elements]
    finding = run(model, variables, [(each, 1) for each in variables], [], search.single())
    if finding.verdict is not Verdict.OPTIMAL or finding.values is None:
        return None
    return frozenset(element for element, value in zip(elements, finding.values, strict=True) if value)
