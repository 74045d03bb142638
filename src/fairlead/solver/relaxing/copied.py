"""A copy of a model to which more is added: the original stays as it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ortools.sat.python import cp_model

from fairlead.encoders.convex import Term
from fairlead.encoders.encoding import weighted
from fairlead.solver.engine import Effort, run


@dataclass(frozen=True, slots=True)
class Copy:
    """A copy of the model, to which more may be added; variables are those of the original."""

    model: cp_model.CpModel
    variables: Sequence[cp_model.IntVar]
    effort: Effort

    def again(self) -> Copy:
        """Return a copy of the copy."""
        return Copy(self.model.clone(), self.variables, self.effort)

    def add(self, terms: Sequence[Term], most: int) -> None:
        """Bound a sum from above."""
        if terms:
            self.model.add(weighted([(self._same(each), factor) for each, factor in terms]) <= most)

    def run(self, terms: Sequence[Term], start: Sequence[int] | None) -> Sequence[int] | None:
        """Minimise a sum; return the values of the variables, None where none were found."""
        variables = [self._same(each) for each in self.variables]
        # A variable that stands twice among them has one value.
        pairs = zip(variables, start or (), strict=False)
        hint = {variable.index: (variable, value) for variable, value in pairs}
        cost = [(self._same(each), factor) for each, factor in terms]
        return run(self.model, variables, cost, list(hint.values()), self.effort).values

    def _same(self, variable: cp_model.IntVar) -> cp_model.IntVar:
        """Return the variable of the copy that stands for one of the original."""
        return self.model.get_int_var_from_proto_index(variable.index)
