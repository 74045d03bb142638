"""Compares answers with all placements of small problems, as every extension should."""

import random
from fractions import Fraction
from itertools import product

import fairlead
from fairlead.models.rules import Bounds, Candidates, Total, Weights
from fairlead.models.rules.bounds import Bound
from fairlead_blocks import SpotRisk, WholeBlocks

NAMES = ("a", "b", "c")


def small(seed: int) -> fairlead.Problem:
    """Return a problem of up to eight replicas on three clusters; some of them have no placement."""
    rng = random.Random(seed)  # noqa: S311 - small problems, the same every time
    each = {name: frozenset({name}) for name in NAMES}
    rules = (
        Candidates(NAMES),
        Total(),
        Bounds(maximum={"a": Bound(rng.randint(1, 6))}),
        Weights({name: rng.randint(1, 4) for name in NAMES}),
        WholeBlocks("cluster", each, rng.choice((2, 3))),
        SpotRisk({name: rng.randint(0, 40) for name in NAMES}),
    )
    workload = fairlead.Workload("w", "w", rng.randint(0, 8), rules=rules)
    return fairlead.Problem(tuple(fairlead.Cluster(name) for name in NAMES), (workload,))


def best(problem: fairlead.Problem) -> tuple[int | Fraction, ...] | None:
    """Return the levels of the best of all placements, found by looking; None where all break a rule."""
    (workload,) = problem.workloads
    found = []
    for counts in product(range(workload.replicas + 1), repeat=len(NAMES)):
        placed: dict[str, int] = dict(zip(NAMES, counts, strict=True))
        placement = {workload.key: placed}
        if not fairlead.check(problem, placement):
            found.append(tuple(level.value for level in fairlead.score(problem, placement)))
    return min(found, default=None)


def main() -> None:
    """Compare sixty problems."""
    infeasible = 0
    for seed in range(60):
        problem = small(seed)
        outcome, known = fairlead.solve(problem, workers=1), best(problem)
        values = tuple(level.value for level in outcome.objectives) if outcome.placement is not None else None
        assert values == known, f"seed {seed}: {values} instead of {known}"
        infeasible += known is None
    print(f"60 problems, {infeasible} of them infeasible: every answer is the best there is")


if __name__ == "__main__":
    main()
