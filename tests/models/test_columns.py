"""Numbers of many clusters: whether as a list, an array or a dictionary, they are the same."""

from operator import gt, lt

import numpy as np
import pytest

from fairlead.models.errors import UsageError
from fairlead.models.in_order import WORTH_ARRAYS, Column, anywhere, by_resource, extremes
from fairlead.models.placement import Placement
from fairlead.models.rules import Bounds, bounds
from fairlead.models.rules.bounds import Bound

# As many names as are looked at as arrays, and one fewer, which are looked at one by one.
SIZES = (WORTH_ARRAYS - 1, WORTH_ARRAYS)


def names(size: int) -> tuple[str, ...]:
    """Return names in order."""
    return tuple(f"m{number:05d}" for number in range(size))


@pytest.mark.parametrize("amounts", [[2, 0, 7], np.array([2, 0, 7])])
def test_a_column_is_a_mapping_however_it_was_made(amounts: list[int]) -> None:
    """Of a list and of an array."""
    column = Column(("a", "b", "c"), amounts)
    assert column == {"a": 2, "b": 0, "c": 7}
    assert dict(column.items()) == dict(column)
    assert (column.get("b"), column.get("d"), column.get("d", 4)) == (0, None, 4)
    assert column.amounts == column.array.tolist() == list(column.values()) == [2, 0, 7]
    assert "d" not in column
    with pytest.raises(KeyError):
        column["d"]


@pytest.mark.parametrize("size", SIZES)
# 2^63 is the first number beyond 64 bits: it is compared as a whole number all the same.
@pytest.mark.parametrize("largest", [5, 2**63])
def test_numbers_are_compared_wherever_they_are_kept(size: int, largest: int) -> None:
    """One number of many is larger than that of the same name; so are two of other names."""
    one, other = Column(names(size), [3] * (size - 1) + [largest]), Column(names(size), [3] * size)
    assert anywhere(gt, one, other)
    assert not anywhere(lt, one, other)
    assert extremes(one) == (3, largest)
    # Absent means 0.
    assert anywhere(gt, other, Column(names(size)[1:], [3] * (size - 1)))
    assert not anywhere(lt, other, {})


@pytest.mark.parametrize("size", SIZES)
def test_a_placement_of_a_column_is_that_of_its_dictionary(size: int) -> None:
    """Zeros are dropped, names put in order, and what is no number of replicas is refused."""
    counts = np.arange(size) % 3
    shuffled = Column(names(size)[::-1], counts[::-1].copy())
    for column in (Column(names(size), counts), shuffled):
        placement = Placement({"w": column})
        assert placement == Placement({"w": dict(column)})
        assert list(placement.of("w")) == [
            name for name, count in zip(names(size), counts, strict=True) if count
        ]
    with pytest.raises(UsageError, match="w on m00000: -1 is not a number of replicas"):
        Placement({"w": Column(names(size), counts - (np.arange(size) == 0))})


@pytest.mark.parametrize("size", SIZES)
def test_bounds_in_question_are_those_that_are_broken(size: int) -> None:
    """Of many clusters one holds too few and another one too many."""
    rule = Bounds(dict.fromkeys(names(size), Bound(1)), dict.fromkeys(names(size), Bound(2)))
    column = Column(names(size), [1] * (size - 2) + [0, 3])
    workload = None
    asked = [each.scope for each in bounds.in_question(rule, workload, column)]  # type: ignore[arg-type]
    assert asked == list(names(size)[-2:])


def test_clusters_that_tell_other_resources_have_columns_of_their_own() -> None:
    """As many resources each, but not the same ones; and one that tells more than the first."""
    found = by_resource(("a", "b"), [{"cpu": 1, "gpu": 2}, {"cpu": 3, "pods": 4}])
    assert found == {"cpu": {"a": 1, "b": 3}, "gpu": {"a": 2}, "pods": {"b": 4}}
    assert by_resource(("a", "b"), [{}, {"cpu": 3}]) == {"cpu": {"b": 3}}
    assert by_resource((), []) == {}
