"""What is proven where no level may be worse than best holds for the looser question as well."""

from fractions import Fraction

import fairlead
from builders import binding, clusters, static
from fairlead.models.outcome import Attained
from fairlead.models.score import levels_of, score
from fairlead.solver.levels.targets import with_strict_bounds


def test_a_level_that_is_proven_in_steps_says_so() -> None:
    """Proven up to a step there, it is proven up to that step here: 3 over a bound of 1 is not exact."""
    problem = fairlead.load(clusters(2), binding("web", 3, placement=static()))
    ((level, scored),) = zip(levels_of(problem), score(problem, {"default/web": {"member1": 3}}), strict=True)
    strictly = Attained(scored.name, scored.value, 1, proven=True, resolution=Fraction(scored.value - 1))
    (found,) = with_strict_bounds(problem, [scored], {level: strictly}, ())
    assert (found.value, found.bound, found.proven) == (3, 1, True)
    assert found.resolution == 2


def test_a_bound_that_is_met_is_exact() -> None:
    """Three over a bound of three."""
    problem = fairlead.load(clusters(2), binding("web", 3, placement=static()))
    ((level, scored),) = zip(levels_of(problem), score(problem, {"default/web": {"member1": 3}}), strict=True)
    strictly = Attained(scored.name, scored.value, scored.value, proven=True)
    (found,) = with_strict_bounds(problem, [scored], {level: strictly}, ())
    assert (found.proven, found.resolution, found.bound) == (True, None, 3)
