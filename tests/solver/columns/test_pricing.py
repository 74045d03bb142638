"""What is cheapest of many choices at once: as when they are asked one by one."""

import random

import numpy as np

from fairlead.solver.columns.choice import ChoiceSet
from fairlead.solver.columns.pricing import Pricing
from fairlead.solver.exact.costs.pieces import bent
from fairlead.solver.exact.nested.face import Face
from fairlead.solver.exact.nested.limits import GroupLimits, Partition

NAMES = tuple("abcdef")


def choice_of(seed: int) -> ChoiceSet:
    """Return a choice on six clusters in up to three groups, some of them closed, full or required."""
    drawn = random.Random(seed)
    groups = drawn.randint(1, 3)
    group = np.array([*range(groups), *(drawn.randrange(groups) for _ in range(6 - groups))])
    wider = (Partition(group, groups, drawn.randint(1, groups), drawn.choice([None, groups])),)
    limits = GroupLimits(wider if groups > 1 else (), drawn.randint(1, 3), drawn.choice([None, 3, 5]))
    lower = np.array([drawn.choice([1, 1, 2]) for _ in NAMES])
    open_to = np.array([drawn.random() < 0.8 for _ in NAMES])
    face = Face(
        limits,
        lower,
        lower + np.array([drawn.randint(0, 4) for _ in NAMES]),
        drawn.randint(1, 9),
        open_to,
        open_to & [drawn.random() < 0.2 for _ in NAMES],
        [np.zeros(groups, dtype=bool)] if groups > 1 else [],
        np.array([drawn.choice([0, 0, 3]) for _ in NAMES]) * drawn.randint(0, 1),
    )
    return ChoiceSet.of(str(seed), NAMES, NAMES, [face], np.zeros(0, dtype=np.int64))


def test_many_at_once_cost_what_each_costs_alone() -> None:
    """600 choices: some hold nothing, and where no price fits the bound may lie below, never above."""
    drawn = np.random.default_rng(1)
    choices = [choice_of(seed) for seed in range(600)]
    shape = len(choices), len(NAMES)
    saved = np.repeat(drawn.integers(0, 20, (shape[0], 1)), shape[1], axis=1)
    held = drawn.integers(0, 3, shape)
    cost = bent(drawn.integers(0, 9, shape), drawn.integers(-30, 30, shape), saved, held)
    nowhere = np.zeros(shape, dtype=np.int64)
    found = Pricing.of(choices, np.zeros(shape[0], dtype=np.int64)).cheapest(
        cost, nowhere, np.zeros(shape[0], dtype=np.int64)
    )
    placed = exact = 0
    for row, (choice, least) in enumerate(zip(choices, found.least, strict=True)):
        alone = cost.of(row)
        known = choice.cheapest(alone)
        assert (least is None) == (known is None), row
        if least is None or known is None:
            continue
        placed += 1
        counts, face = found.counts[row], choice.faces[0]
        assert least <= known[1] <= alone.value(counts)
        assert counts.sum() == face.total
        assert face.holds(counts > 0)
        assert not (counts > 0)[~face.open_to].any()
        exact += least == known[1] == alone.value(counts)
    assert placed > 200
    assert exact > 0.9 * placed


def test_a_workload_without_replicas_costs_nothing() -> None:
    """One cluster in its only group: between none and none there is no price, and none is divided by."""
    one = np.ones(1, dtype=np.int64)
    used = one > 0
    face = Face(GroupLimits((), 0, None), 0 * one, one, 0, used, ~used, [], 0 * one)
    cost = bent(one[None, :], one[None, :], 0 * one[None, :], 0 * one[None, :])
    choice = ChoiceSet.of("none", ("a",), ("a",), [face], np.zeros(0, dtype=np.int64))
    found = Pricing.of([choice], 0 * one).cheapest(cost, 0 * one[None, :], 0 * one)
    assert found.least == [0]
    assert found.counts.tolist() == [[0]]
