"""Batches in shares: a valid placement, and a bound that tells what splitting loses."""

import random
import time
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from typing import cast

import pytest

from batch_problems import random_batch
from brute_force import brute_force
from fairlead.models.check import check
from fairlead.models.cluster import CPU, Cluster
from fairlead.models.errors import UsageError
from fairlead.models.levels import Deviation
from fairlead.models.placement import Placement
from fairlead.models.problem import Problem
from fairlead.models.rules import Candidates, Capacity, Quota, Total, Weights
from fairlead.models.rules.quota import QuotaLimit, QuotaScope
from fairlead.models.score import levels_of
from fairlead.models.workload import Workload
from fairlead.solver.batch import tuning
from fairlead.solver.batch.common_prices import CommonPrices, common_prices
from fairlead.solver.batch.levels import solve_batch
from fairlead.solver.batch.separable import applies
from fairlead.solver.batch.shares import ShareTask, groups_of, solve_partitioned
from fairlead.solver.parts.dispatch import solve_parts
from fairlead.solver.running.deadline import Deadline
from fairlead.solver.running.search import Machines, Result, Search, Task, ThisProcess, Workplace
from fairlead.solver.solve import solve
from seeds import runs


def drawn(seed: int, deviation: Deviation) -> Problem:
    """Return a random batch with room enough that its halves have placements as well, most of the time."""
    return random_batch(seed, deviation, workloads=4, clusters=3, most_replicas=3, load=0.6)


@pytest.mark.parametrize("deviation", [Deviation.L1, Deviation.WEBSTER])
@pytest.mark.parametrize("seeds", runs(range(24), range(24, 240)))
def test_bounds_hold_and_placements_are_valid(seeds: range, deviation: Deviation) -> None:
    """The bound of the first level is never above the brute-force optimum, the value never below it."""
    found = 0
    for seed in seeds:
        problem = drawn(seed, deviation)
        best = brute_force(problem)
        if best is None or not applies(problem) or not best.values:
            continue
        with ThisProcess() as here:
            result = solve_partitioned(problem, 2, Search(Deadline.after(20.0), 1), here)
        if result.placement is None:
            continue  # a half has no placement of its own
        found += 1
        assert check(problem, result.placement) == (), seed
        first = result.attained[0]
        assert first.bound is not None
        assert first.bound <= best.values[0] <= first.value, seed
    assert found > 10


def test_solve_falls_back_on_the_whole() -> None:
    """Partitions are a way to search: the answer is valid, whether or not the shares have placements."""
    for seed in range(6):
        problem = drawn(seed, Deviation.L1)
        whole, parted = solve(problem, workers=1), solve(problem, workers=1, partitions=2)
        assert (whole.placement is None) == (parted.placement is None)
        if whole.objectives:
            assert parted.objectives[0].value >= whole.objectives[0].value


def test_a_quota_is_not_split() -> None:
    """Four workloads want 9 replicas each on a, their namespace may have 20; each half would take 18."""
    rules = (Candidates(("a", "b")), Total(), Weights({"a": 9, "b": 1}))
    workloads = tuple(Workload(f"d/w{n}", f"w{n}", 10, "d", requests={CPU: 1}, rules=rules) for n in range(4))
    clusters = tuple(Cluster(name, free={CPU: 1000}) for name in ("a", "b"))
    quota = Quota("quota", "d", {QuotaScope(CPU, "a"): QuotaLimit(20)})
    problem = Problem(clusters, workloads, (Capacity(), quota), deviation=Deviation.L1)
    (answer,) = solve_parts([problem], {}, Search(Deadline.after(20.0), 1), Workplace(partitions=2))
    assert answer.placement is not None
    assert check(problem, answer.placement) == ()


def test_partitions_are_counted_from_one() -> None:
    """Nothing can be split into no shares."""
    with pytest.raises(UsageError, match="0 partitions; allowed is a whole number of at least 1"):
        solve(drawn(0, Deviation.L1), partitions=0)


class Slow(Machines):
    """A machine on whose clock every task takes twice its time; one task runs at once."""

    remote, slots = False, 1

    def __init__(self, clock: list[float]) -> None:
        self.clock, self.given = clock, list[float]()

    def run(self, function: Callable[[Task], Result], tasks: Sequence[Task]) -> list[Result]:
        """Return the results in order; notes what every task was given."""
        found = [function(task) for task in tasks]
        for task in tasks:
            assert isinstance(task, ShareTask)
            assert task.span.seconds is not None
            self.given.append(task.span.seconds)
            self.clock[0] += 2 * task.span.seconds
        return found


def test_shares_together_keep_the_limit_of_the_call(monkeypatch: pytest.MonkeyPatch) -> None:
    """What one share overran the others do not have; whoever has no time is placed all the same.

    The clock is moved by tasks only. Of 80 s the first of two shares is given 40 and takes 80, so the second
    gets nothing; of three the first is given 80 / 3 and takes 160 / 3, the second half of the 80 / 3 that are
    left, which it uses up.
    """
    # Later than whatever looked at the true clock.
    start = time.monotonic() + 1000.0
    problem = random_batch(7, Deviation.L1, workloads=8, clusters=3, most_replicas=3, load=0.5)
    for count, given in ((2, [40, 0]), (3, [80 / 3, 40 / 3, 0])):
        machines = Slow([start])
        monkeypatch.setattr(
            "fairlead.solver.running.deadline.time.monotonic", partial(machines.clock.__getitem__, 0)
        )
        result = solve_partitioned(problem, count, Search(Deadline(start + 80.0), 1), machines)
        assert machines.given == pytest.approx(given)
        assert machines.clock[0] == pytest.approx(start + 80.0)
        assert result.placement is not None
        assert check(problem, result.placement) == ()


def test_every_share_is_sent_once() -> None:
    """Sending very many workloads takes longer than to divide them at prices, which is done here."""
    problem = random_batch(7, Deviation.L1, workloads=8, clusters=3, most_replicas=3, load=0.5)
    machines = Slow([0.0])
    solve_partitioned(problem, 2, Search(Deadline.after(20.0), 1), machines)
    assert len(machines.given) == 2


class Losing(ThisProcess):
    """Finds nothing for the first share."""

    found = 0

    def run(self, function: Callable[[Task], Result], tasks: Sequence[Task]) -> list[Result]:
        """Return the results, None for the first one."""
        self.found += 1
        return [cast("Result", None)] if self.found == 1 else super().run(function, tasks)


def test_a_share_without_a_placement_gets_what_the_others_leave() -> None:
    """Whatever the reason: it is placed beside the others, in all that these do not use."""
    problem = random_batch(7, Deviation.L1, workloads=8, clusters=3, most_replicas=3, load=0.5)
    result = solve_partitioned(problem, 2, Search(Deadline.after(20.0), 1), Losing())
    assert result.placement is not None
    assert check(problem, result.placement) == ()


def many(count: int, *room: int) -> Problem:
    """Return workloads of 1 to 20 replicas with random weights, and four clusters with room for parts of all.

    `room`: in hundredths.
    """
    chance = random.Random(1)
    names = ("a", "b", "c", "d")
    workloads = tuple(
        Workload(
            f"d/w{number:03d}",
            f"w{number:03d}",
            chance.randint(1, 20),
            "d",
            requests={CPU: chance.randint(5, 40)},
            rules=(Candidates(names), Total(), Weights({name: chance.randint(1, 9) for name in names})),
        )
        for number in range(count)
    )
    asked = sum(each.replicas * each.requests[CPU] for each in workloads)
    rooms = zip(names, room or (6, 12, 40, 48), strict=True)
    clusters = tuple(Cluster(name, free={CPU: asked * part // 100}) for name, part in rooms)
    return Problem(clusters, workloads, (Capacity(),), deviation=Deviation.L1)


def prices_for(problem: Problem) -> CommonPrices:
    """Return prices of the first level for a problem in two groups, with all the time they need."""
    level = levels_of(problem)[0]
    return common_prices(problem, groups_of(problem, 2), level, Deadline.after(60.0), 1)


def test_pieces_pay_for_what_they_alone_could_not_use_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """The bound does not depend on how many workloads are looked at at once: each pays for what it uses.

    One workload alone breaks no limit. Prices are rounded a little differently, by less than a millionth.
    """
    problem = many(40)
    together = prices_for(problem)
    monkeypatch.setattr(tuning, "ROWS_AT_ONCE", 1)
    one_by_one = prices_for(problem)
    assert together.bound is not None
    assert one_by_one.bound is not None
    assert together.bound > 0
    assert float(one_by_one.bound) == pytest.approx(float(together.bound), rel=1e-6)


def test_what_all_use_corrects_the_prices_of_a_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    """Prices of a tenth of the workloads bound the whole worse than those it finds when told what all use."""
    problem = many(50)
    monkeypatch.setattr(tuning, "ROWS_FOR_PRICES", 5)
    monkeypatch.setattr(tuning, "ROUNDS_OF_PRICES", 1)
    first = prices_for(problem)
    monkeypatch.setattr(tuning, "ROUNDS_OF_PRICES", 3)
    corrected = prices_for(problem)
    whole = solve_batch(problem, Search(Deadline.after(20.0), 1)).attained[0]
    assert first.bound is not None
    assert corrected.bound is not None
    assert first.bound < corrected.bound <= whole.value
    assert whole.value - corrected.bound < Fraction(3, 4) * (whole.value - first.bound)


def test_prices_make_up_for_time() -> None:
    """Without time for a search, workloads are placed near what is cheapest at prices that are known."""
    problem = many(200, 10, 20, 60, 60)
    known, unknown = (
        solve_batch(problem, Search(Deadline.after(0), 1), worth=worth)
        for worth in (prices_for(problem).worth, None)
    )
    assert known.placement is not None
    assert check(problem, known.placement) == ()
    assert known.attained[0].value < unknown.attained[0].value


def test_without_time_shares_are_placed_at_once() -> None:
    """Prices that nobody had the time to find are not waited for: then nothing bounds the first level."""
    problem = random_batch(7, Deviation.L1, workloads=8, clusters=3, most_replicas=3, load=0.5)
    with ThisProcess() as here:
        result = solve_partitioned(problem, 2, Search(Deadline.after(0), 1), here)
    assert result.placement is not None
    assert check(problem, result.placement) == ()
    assert result.attained[0].bound in (None, 0)


def test_no_answer_is_worse_than_the_floor() -> None:
    """Halves of two workloads have room for one replica on every cluster: only together both get two on one.

    Both have two replicas, and want all of them on c and on d, which have room for two each. So without time
    for prices each half places one of them elsewhere.
    """
    clusters = tuple(Cluster(name, free={CPU: 2}) for name in ("c", "d", "e"))
    rules = (Candidates(("c", "d", "e")), Total())
    wanted = (("c", Weights({"c": 1})), ("d", Weights({"d": 1})))
    workloads = tuple(
        Workload(f"d/w{name}", f"w{name}", 2, "d", requests={CPU: 1}, rules=(*rules, weights))
        for name, weights in wanted
    )
    problem = Problem(clusters, workloads, (Capacity(),), deviation=Deviation.L1)
    floor = Placement({"d/wc": {"c": 2}, "d/wd": {"d": 2}})
    with ThisProcess() as here:
        result = solve_partitioned(problem, 2, Search(Deadline.after(0), 1), here, floor)
        alone = solve_partitioned(problem, 2, Search(Deadline.after(0), 1), here)
    assert result.placement == floor
    assert alone.placement != floor


def test_time_does_not_run_while_ray_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ray that takes 0.05 s to start leaves the search all of its time: it ends that much later."""
    ends: list[float] = []

    def started(*_: object) -> Machines:
        time.sleep(0.05)
        return ThisProcess()

    def searched(_left: object, _parts: object, _alone: object, search: Search, _machines: object) -> object:
        ends.append(search.deadline.at)
        return {}

    monkeypatch.setattr("fairlead.solver.parts.dispatch._machines", started)
    monkeypatch.setattr("fairlead.solver.parts.dispatch.searched", searched)
    due = Deadline.after(20.0)
    for engine in ("ray", "local"):
        solve_parts([drawn(3, Deviation.L1)], {}, Search(due, 1), Workplace(engine))
    assert ends[0] >= due.at + 0.05
    assert ends[1] == due.at
