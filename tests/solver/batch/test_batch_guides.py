"""Levels of one priority, placements from linear programs, and changes to groups of clusters."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from batch_levels import known_of, model_for
from batch_problems import linear_optimum, middling
from fairlead.models.check import check
from fairlead.models.cluster import CPU, Cluster
from fairlead.models.levels import Deviation
from fairlead.models.outcome import Status
from fairlead.models.problem import Problem
from fairlead.models.rules import Candidates, Capacity, Total, Weights
from fairlead.models.workload import Workload
from fairlead.solver.batch.arrays import batch_of
from fairlead.solver.batch.costs import costs_of
from fairlead.solver.batch.dual.bound import lower_bound
from fairlead.solver.batch.dual.relaxation import relax
from fairlead.solver.batch.dual.restricted_master import core_of, region_of, solve_master
from fairlead.solver.batch.dual.sifting import Sifting, sift
from fairlead.solver.batch.dual.subgradient import climb
from fairlead.solver.batch.incumbent import Incumbent
from fairlead.solver.batch.level import minimise, settled
from fairlead.solver.batch.levels import solve_batch
from fairlead.solver.batch.model import Prices, model_of
from fairlead.solver.batch.primal.large_neighbourhood import (
    charged,
    repair_by_neighbourhoods,
    search_neighbourhoods,
)
from fairlead.solver.batch.primal.moves import Charges
from fairlead.solver.batch.primal.neighbourhood import Window, close_all, open_up
from fairlead.solver.batch.primal.repair import exchange_all, rounded
from fairlead.solver.batch.surrogate import (
    Surrogate,
    SurrogateResult,
    after_guide,
    followers,
    frozen_at,
    guide_of,
)
from fairlead.solver.batch.tuning import GRACE, PARTS, SHARE
from fairlead.solver.dispensers import reference
from fairlead.solver.running.deadline import Deadline
from fairlead.solver.running.search import RunLimits, Search, ThisProcess

DIVIDED = (Deviation.L1, Deviation.WEBSTER)
THREE = (100, 10, 0)


@pytest.mark.parametrize("deviation", DIVIDED)
@pytest.mark.parametrize("seed", range(3))
def test_a_level_on_which_most_cost_nothing_has_its_bound(deviation: Deviation, seed: int) -> None:
    """One workload of three counts; the others need room all the same, and prices tell what that costs."""
    problem = middling(seed, deviation, priorities=THREE)
    batch = batch_of(problem)
    first = costs_of(batch)[0]
    model = model_of(batch, first)
    known = known_of(model)
    optimum = linear_optimum(problem, priority=100)
    assert float(first.bound(known.bound)) == pytest.approx(optimum, rel=1e-4)
    assert float(first.bound(known.bound)) <= optimum + 1e-6
    free = Prices.none(model)
    alone = float(first.bound(lower_bound(model, free, relax(model, free).rows)))
    # Prices only raise what the urgent workloads cost where they have all clusters for themselves.
    assert alone <= float(first.bound(known.bound))


def test_a_program_started_from_the_last_one_has_the_same_value() -> None:
    """Where the simplex method starts changes how long it takes, not what it finds."""
    model = model_for(Deviation.L1)
    known = known_of(model)
    values = []
    basis = None
    stands = relax(model, known.prices, known.rows)
    for reach in (0.05, 0.1, 0.2):
        core = core_of(model, known.prices, known.rows, reach * model.unit, np.inf)
        region = region_of(model, model.unit, known.prices)
        cold = solve_master(model, core, known.prices, stands, region, Deadline())
        warm = solve_master(model, core, known.prices, stands, region, Deadline(), basis)
        assert cold is not None
        assert warm is not None
        assert warm.promised == pytest.approx(cold.promised, rel=1e-6, abs=1e-6 * model.unit)
        basis = warm.basis
        values.append(len(core.segments.row))
    # The programs grow, so that the start is one of another program.
    assert values[0] < values[1] < values[2]


@pytest.mark.parametrize("deviation", DIVIDED)
def test_exchanges_keep_limits_that_rounding_breaks(deviation: Deviation) -> None:
    """A rounded linear program asks for too much here and there; exchanges mend that for a few percent."""
    model = model_for(deviation)
    known = known_of(model)
    sifted = sift(model, known.prices, known.rows, Deadline())
    assert sifted.replicas is not None
    start = rounded(model, sifted.replicas)
    assert not model.keeps(start)
    exchange_all(known, start)
    assert known.best is not None
    assert known.cost is not None
    assert model.keeps(known.best)
    assert known.cost - known.bound <= 0.05 * abs(known.bound)


def test_sifting_ends_after_its_turns() -> None:
    """One program says less than many, and no bound is above that of all."""
    model = model_for(Deviation.WEBSTER)
    climbed = climb(model, 2, Deadline())
    one = sift(model, climbed.prices, climbed.rows, Deadline(), Sifting(turns=1))
    many = sift(model, climbed.prices, climbed.rows, Deadline())
    assert one.value < many.value


@pytest.mark.parametrize("deviation", DIVIDED)
def test_charges_lead_back_to_what_is_allowed(deviation: Deviation) -> None:
    """Groups of clusters are divided anew until nothing is charged any more."""
    model = model_for(deviation)
    known = known_of(model)
    start = relax(model, known.prices, known.rows).replicas
    charges = Charges.of(model, known.prices, 12.0)
    assert not model.keeps(start)
    assert charged(model, start, charges) > model.steps(start)
    repair_by_neighbourhoods(known, start, Deadline())
    assert known.best is not None
    assert model.keeps(known.best)
    assert charged(model, known.best, charges) == model.steps(known.best)


def improved(workers: int) -> Incumbent:
    """Return the deviation of a batch after changes in a fixed number of rounds."""
    problem = middling(5, Deviation.L1, workloads=60)
    batch = batch_of(problem)
    model = model_of(batch, costs_of(batch)[0])
    known = known_of(model, workers=workers)
    repair_by_neighbourhoods(known, relax(model, known.prices, known.rows).replicas, Deadline())
    rounds = iter(range(12))
    search_neighbourhoods(known, lambda: next(rounds, None) is None)
    return known


def test_changes_do_not_depend_on_the_number_of_threads() -> None:
    """Groups that are divided side by side are the same, and taken in the same order."""
    one, two = improved(1), improved(2)
    assert one.best is not None
    assert two.best is not None
    assert one.model.keeps(one.best)
    assert np.array_equal(one.best, two.best)


def test_followers_measure_the_same() -> None:
    """Lower priorities of the deviation follow a deviation; nothing follows the last one."""
    costs = costs_of(batch_of(middling(0, Deviation.L1, priorities=THREE)))
    assert [cost.level.priority for cost in costs] == [100, 10, 0]
    assert [cost.level.priority for cost in followers(costs, 0)] == [10, 0]
    assert followers(costs, 2) == ()


@pytest.mark.parametrize("deviation", DIVIDED)
def test_a_guide_counts_what_follows_a_little(deviation: Deviation) -> None:
    """A placement costs what it costs on the level and a 128th of what it costs on those after it."""
    problem = middling(1, deviation, priorities=THREE)
    batch = batch_of(problem)
    costs = costs_of(batch)
    guide = guide_of(batch, costs[0], followers(costs, 0))
    free = Prices.none(model_of(batch, guide))
    replicas = relax(model_of(batch, guide), free).replicas
    own, *others = (cost.steps(replicas) / cost.scale for cost in costs)
    assert guide.steps(replicas) / guide.scale == pytest.approx(own + SHARE * sum(others), rel=1e-6)
    # It is no claim: costs were rounded.
    assert guide.grain == 0


def test_frozen_workloads_stay_and_need_no_pin() -> None:
    """Workloads of higher priority have one division left; what was pinned for them holds by itself."""
    problem = middling(2, Deviation.L1, priorities=THREE)
    batch = batch_of(problem)
    costs = costs_of(batch)
    best = np.clip(1, batch.lower, batch.upper)
    model = model_of(batch, costs[2], [(each, each.steps(best)) for each in costs[:2]])
    urgent = np.array([workload.priority == 100 for workload in problem.workloads])
    prices = Prices(Prices.none(model).capacity, np.array([2.0, 3.0]))
    frozen, left = frozen_at(model, urgent, best, prices)
    assert (frozen.pins, left.pins.tolist()) == (model.pins[1:], [3.0])
    assert np.array_equal(frozen.batch.lower[urgent], best[urgent])
    assert np.array_equal(frozen.batch.upper[urgent], best[urgent])
    assert np.array_equal(frozen.batch.upper[~urgent], batch.upper[~urgent])


@pytest.mark.parametrize("deviation", DIVIDED)
def test_urgent_workloads_are_settled_within_their_pin(deviation: Deviation) -> None:
    """Forty workloads on eight clusters, the first level 2 % above its best: what is left over is used.

    All others then cost less than beside the best placement of the urgent ones, and no less than beside cut
    ones.
    """
    problem = middling(1, deviation, workloads=40, clusters=8, priorities=(100, 0))
    batch = batch_of(problem)
    first, second = costs_of(batch)
    strictly = minimise(model_of(batch, first), None, Search(Deadline.after(20), 1))
    assert strictly.best is not None
    model = model_of(batch, second, [(first, first.steps(strictly.best) + abs(strictly.bound) // 50)])
    near = [Prices(strictly.prices.capacity * part, np.array([part])) for part in PARTS]
    start = max(near, key=lambda each: relax(model, each).value)
    sifted = sift(model, start, relax(model, start).rows, Deadline())
    urgent = np.array([workload.priority == 100 for workload in problem.workloads])
    known = Incumbent.of(model, None, Search(Deadline.after(20), 1))
    known.raise_bound(sifted.prices, sifted.rows)
    assert sifted.replicas is not None
    replicas = settled(known, urgent, rounded(model, sifted.replicas), Deadline.after(20))
    assert replicas is not None
    frozen, prices = frozen_at(model, urgent, replicas, sifted.prices)
    assert frozen.pins == ()  # the pin holds in whole numbers, wherever all others stand
    assert np.array_equal(replicas[urgent].sum(axis=1), batch.totals[urgent])
    beside = sift(frozen, prices, relax(frozen, prices).rows, Deadline()).value
    assert beside >= sifted.value - model.unit * 1e-3
    kept, prices = frozen_at(model, urgent, strictly.best, sifted.prices)
    assert beside < sift(kept, prices, relax(kept, prices).rows, Deadline()).value


def test_a_level_ends_where_it_is_good_enough() -> None:
    """A placement 1 % above the bound closes a level with that tolerance, and no other."""
    model = model_for(Deviation.L1)
    best = relax(model, Prices.none(model)).replicas
    level = replace(Incumbent.of(model, best, Search()), bound=100, cost=101)
    assert not level.closed
    assert replace(level, enough=lambda bound: bound + bound // 100).closed


def test_a_level_after_one_that_was_met_at_once_keeps_its_pin() -> None:
    """Two replicas on three clusters cost the same wherever they stand, so the first level needs no search.

    There are prices from no guide then, and the workload is frozen for the second level, but could stand
    worse: three of three places cost more than the pin, which the frozen model leaves out.
    """
    names = ("a", "b", "c")
    rules = (Candidates(names), Total(), Weights(dict.fromkeys(names, 1)))
    workloads = tuple(
        Workload(f"d/{name}", name, replicas, "d", requests={CPU: 1}, priority=priority, rules=rules)
        for name, replicas, priority in (("high", 2, 3), ("low", 21, 1), ("mid", 20, 2))
    )
    clusters = tuple(Cluster(name, free={CPU: free}) for name, free in zip(names, (1000, 4, 4), strict=True))
    problem = Problem(clusters, workloads, (Capacity(),), deviation=Deviation.L1)
    result = solve_batch(problem, Search(Deadline(), 1))
    assert result.status is Status.OPTIMAL
    # Quotas are 2/3, 20/3 and 7 on every cluster; b and c have room for seven replicas beside the urgent two.
    assert [level.value for level in result.attained] == [Fraction(4, 3), Fraction(38, 3), 28]


def test_prices_after_a_guide_have_a_pin_more() -> None:
    """What was the level is a pin, as many times dearer as what followed it counted less."""
    batch = batch_of(middling(3, Deviation.L1, priorities=THREE))
    costs = costs_of(batch)
    guide = model_of(batch, guide_of(batch, costs[0], followers(costs, 0)))
    known = known_of(guide)
    after = model_of(batch, costs[1], [(costs[0], 0)])
    found = Surrogate(costs[0], (), guide, Deadline(), SHARE * guide.unit, followed=True)
    tried = after_guide(SurrogateResult(found, known.prices), (costs[0],), after)
    assert all(len(prices.pins) == 1 for prices in tried)
    whole = tried[PARTS.index(1.0)]
    assert whole.pins[0] == pytest.approx(after.unit / guide.unit / SHARE)
    assert np.allclose(whole.capacity, known.prices.capacity * after.unit / guide.unit / SHARE)


def test_charges_of_any_size_fit_the_model() -> None:
    """Prices times charges can pass 64 bits; they are cut until the sum fits, and limits are still dear."""
    model = model_for(Deviation.WEBSTER, workloads=20)
    known = known_of(model)
    everywhere = relax(model, Prices.none(model)).replicas
    charges = Charges.of(model, known.prices, 1e12)
    assert float(charges.charge.max()) > 2.0**62
    rows = np.arange(len(model.batch.keys))
    window = Window(rows, model.batch.lower, model.batch.upper)
    effort = RunLimits(Deadline.after(5.0), 1, 0, 1.0)
    opened = open_up(model, everywhere, window, effort, exact=False, charges=charges)
    found = close_all([opened], ThisProcess())[0].replicas
    assert found is not None
    broken, before = (int(model.beyond(each)[0].sum()) for each in (found, everywhere))
    assert broken < before


@pytest.mark.parametrize("deviation", DIVIDED)
def test_priorities_come_close_to_the_linear_programs(deviation: Deviation) -> None:
    """The most urgent level ends within a percent of its linear program, with a valid placement."""
    problem = middling(4, deviation, workloads=36, priorities=THREE)
    result = solve_batch(problem, Search(Deadline.after(20.0), 2))
    assert result.status in (Status.OPTIMAL, Status.FEASIBLE)
    assert result.placement is not None
    assert not check(problem, result.placement)
    first = result.attained[0]
    assert first.bound is not None
    assert float(first.bound) >= linear_optimum(problem, priority=100) * 0.999
    assert float(first.value) <= 1.01 * float(first.bound)


def test_a_first_placement_may_be_a_little_late() -> None:
    """Where nothing is known a search has half as long again as it took; no more once there is something."""
    model = model_for(Deviation.L1, workloads=10)
    known = replace(Incumbent.of(model, None, Search(Deadline(2.0), 1)), started=1.0)
    # The clock of the machine is far beyond both moments.
    assert known.due.at == pytest.approx(2.0 + GRACE)
    placed = batch_of(model.batch.problem).matrix(reference.place(model.batch.problem))
    assert replace(known, best=placed).due.at == 2.0
