"""A whole that is divided, of which it is open how much it is, where costs of its parts depend on that.

For every total n that is possible there is a literal ``b_n``, exactly one of them true, and a copy ``y_nc``
of every part that is 0 where ``b_n`` is false::

    sum b_n = 1,   sum over c of x_c = sum n b_n,   x_c = sum over n of y_nc,   y_nc <= upper_c b_n
    cost = sum over n of (fixed_n b_n + sum over c of d_nc(y_nc))

with ``d_nc`` what part c costs where the total is n. The copies describe the convex hull of all totals
together (E. Balas, 1979), so that the relaxation is as strong as that of the best total.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ortools.sat.python import cp_model

from fairlead.encoders.convex import ConvexCost, ConvexFunction, Term
from fairlead.encoders.costs import LinearCost
from fairlead.encoders.variables import Interval
from fairlead.models.placement import Placement

Functions = Mapping[str, tuple[ConvexFunction, int]]
"""Cost of each part, and the amount of it at which that is expected to be least."""


@dataclass(frozen=True, slots=True)
class PartOfTotal:
    """A part of a whole."""

    variable: cp_model.LinearExprT
    """Amount of the part."""
    known: Interval
    """Least and most of the amount, as far as known."""
    of: Callable[[Placement], int]
    """Amount in a placement."""


@dataclass(frozen=True, slots=True)
class CopyAtTotal:
    """A part where the whole is so much."""

    total: int
    name: str
    variable: cp_model.IntVar
    cost: ConvexCost


@dataclass(frozen=True, slots=True)
class OpenTotal:
    """A whole with its parts."""

    model: cp_model.CpModel
    parts: Mapping[str, PartOfTotal]
    whole: cp_model.LinearExprT
    """Amount of the whole."""
    of: Callable[[Placement], int]
    """Amount of the whole in a placement."""
    totals: Iterable[int]
    """Amounts that are possible."""
    literals: dict[int, cp_model.IntVar] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        self.literals.update((n, self.model.new_bool_var("")) for n in self.totals)
        self.model.add_exactly_one(self.literals.values())
        chosen = cp_model.LinearExpr.weighted_sum(list(self.literals.values()), list(self.literals))
        self.model.add(self.whole == chosen)

    def copies(self, total: int, functions: Functions) -> list[CopyAtTotal]:
        """Add copies of all parts for one total, which are 0 where it is not chosen."""
        literal, found = self.literals[total], list[CopyAtTotal]()
        for name, (function, centre) in functions.items():
            lower, upper = self.parts[name].known
            upper = max(0, min(upper, total))
            copy = self.model.new_int_var(0, upper, "")
            self.model.add(copy <= upper * literal)
            if 0 < lower <= upper:
                self.model.add(copy >= lower * literal)
            cost = ConvexCost(self.model, copy, function, (0, upper), centre, literal)
            found.append(CopyAtTotal(total, name, copy, cost))
        self.model.add(cp_model.LinearExpr.sum([each.variable for each in found]) <= total * literal)
        return found

    def join(self, copies: Sequence[CopyAtTotal]) -> None:
        """Require the copies of every part to add up to it."""
        for name in sorted({each.name for each in copies}):
            inside = cp_model.LinearExpr.sum([each.variable for each in copies if each.name == name])
            self.model.add(inside == self.parts[name].variable)

    def copied(self, copy: CopyAtTotal, placement: Placement) -> int:
        """Return the value of a copy in a placement."""
        return self.parts[copy.name].of(placement) if self.of(placement) == copy.total else 0

    def chosen(self, placement: Placement) -> Iterable[Term]:
        """Yield the literals with their values in a placement."""
        held = self.of(placement)
        for total, literal in self.literals.items():
            yield literal, int(total == held)

    def sum(
        self,
        functions: Callable[[int], Functions],
        fixed: Callable[[int], int],
        steps: Callable[[Placement], int],
    ) -> LinearCost:
        """Return the cost of all parts together.

        `functions`: what parts cost by total; `fixed`: what comes on top; `steps`: both in a placement.
        """
        terms, offset, copies = list[Term](), 0, list[CopyAtTotal]()
        on_top = {total: fixed(total) for total in self.literals}
        for total, literal in self.literals.items():
            found = functions(total)
            made = self.copies(total, found)
            # A copy that is not in use is 0, and costs nothing.
            empty = [found[each.name][0](0) for each in made]
            terms.append((literal, on_top[total] + sum(empty)))
            for each, nothing in zip(made, empty, strict=True):
                more, beside = each.cost.terms()
                terms.extend(more)
                offset += beside - nothing
            copies.extend(made)
        self.join(copies)

        def values(placement: Placement) -> Iterable[Term]:
            yield from self.chosen(placement)
            for each in copies:
                held = self.copied(each, placement)
                yield each.variable, held
                yield from each.cost.values(held)

        def refine(placement: Placement) -> bool:
            refined = False
            for each in copies:
                refined |= each.cost.refine(self.copied(each, placement))
            return refined

        return LinearCost(terms, offset, steps, values, refine, min(on_top.values(), default=0))
