"""A minimal conflict by leaving units out, and a smallest one by hitting sets.

Every placement breaks some units, and every conflict holds one of them: otherwise the placement would keep
the whole conflict. So a conflict is a set that meets what each placement breaks, and the fewest units that
do are a bound on the smallest conflict. Placements are added until the fewest units that meet all of them
have no placement themselves (Ignatiev, Previti, Liffiton and Marques-Silva 2015).
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from ortools.sat.python import cp_model

from fairlead.encoders.encoding import total
from fairlead.models.errors import InternalError
from fairlead.models.statement import Proof
from fairlead.solver.conflicts.closed_form import Found
from fairlead.solver.conflicts.oracle import Broken, Oracle, OutOfTime
from fairlead.solver.running.deadline import Deadline
from fairlead.solver.running.effort import Effort, Verdict
from fairlead.solver.running.engine import run

ROUNDS = 150
"""Placements that are looked for until a conflict is sought among all units."""
LATER_ROUNDS = 20
"""Placements that are looked for after that, until it counts as minimal, though perhaps not the smallest."""


@dataclass(slots=True)
class Search:
    """What is known while a conflict is looked for."""

    oracle: Oracle
    broken: list[Broken]

    def find(self, start: Sequence[int] | None = None) -> Found | None:
        """Return a conflict, the smallest that can be found in time.

        Parameters
        ----------
        start
            A minimal conflict that is known already; None where none is.

        Returns
        -------
        Found or None
            None where time ran out before anything was known.
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
                return Found(tuple(sorted(kept)), Proof.SMALLEST)
            return self._smallest(kept)
        except OutOfTime:
            return None if kept is None else Found(tuple(sorted(kept)), proof)

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
            seen = self.oracle.all_but_one(kept) or self.oracle.many(kept)
            if seen is None:
                break
            self._see(seen)
            apart += 1
            kept |= seen
        return apart

    def _together(self) -> list[int]:
        """Return what the placements seen break together where that is a conflict, else all units."""
        seen = frozenset[int]().union(*self.broken)
        return sorted(seen) if not self.possible(seen) else sorted(self.oracle.everything)

    def _smallest(self, kept: Sequence[int]) -> Found:
        """Look for a conflict of fewer units; return the smallest, and whether it is proven to be that."""
        try:
            for _ in range(LATER_ROUNDS):
                fewest = fewest_that_meet(self.broken, self.oracle.deadline, self.oracle.seed)
                if fewest is None:
                    break
                if len(fewest) >= len(kept):
                    return Found(tuple(sorted(kept)), Proof.SMALLEST)
                seen = self.oracle.many(fewest)
                if seen is None:
                    # Whatever is left out, what remains is too small to meet all placements.
                    return Found(tuple(sorted(fewest)), Proof.SMALLEST)
                self._see(seen)
        except OutOfTime:
            pass
        return Found(tuple(sorted(kept)), Proof.MINIMAL)

    def _see(self, seen: Broken) -> None:
        """Take in what a placement breaks; InternalError where that is nothing, so that there is one."""
        if not seen:
            raise InternalError("a problem is called infeasible of which a conflict has a placement")
        self.broken.append(seen)


def fewest_that_meet(
    sets: Sequence[Collection[int]], deadline: Deadline, seed: int = 0
) -> frozenset[int] | None:
    """Return the fewest elements of which every set holds one.

    Returns
    -------
    frozenset or None
        A smallest hitting set; None where time ran out before that was proven.
    """
    model = cp_model.CpModel()
    elements = sorted(frozenset().union(*sets))
    taken = {element: model.new_bool_var("") for element in elements}
    for one in sets:
        model.add(total(taken[element] for element in sorted(one)) >= 1)
    variables = [taken[element] for element in elements]
    finding = run(model, variables, [(each, 1) for each in variables], [], Effort(deadline, 1, seed))
    if finding.verdict is not Verdict.OPTIMAL or finding.values is None:
        return None
    return frozenset(element for element, value in zip(elements, finding.values, strict=True) if value)
