"""Many things of one class are looked at together: the same is found as one by one."""

from dataclasses import dataclass, replace
from typing import Any

import pytest

from fairlead.models.cluster import Cluster
from fairlead.models.shapes import fit, misfits

FITTING = (Cluster("a"), Cluster("b", region="north", free={"cpu": 1}, labels={"tier": "gold"}))
ODD: tuple[dict[str, Any], ...] = ({"region": 1}, {"zones": "north"}, {"labels": {"tier": 1}}, {"free": [1]})


@pytest.mark.parametrize("odd", ODD)
def test_one_of_many_that_does_not_fit_is_seen(odd: dict[str, Any]) -> None:
    """A field, or a value in a mapping, of the last of three clusters is of another type."""
    assert fit(FITTING, Cluster)
    wrong = replace(FITTING[0], **odd)
    assert misfits(wrong)
    assert not fit((*FITTING, wrong), Cluster)


@dataclass(frozen=True)
class Outside:
    """What a package from outside may bring."""

    options: Any = None
    share: float = 0
    told: object = ""


def test_types_that_tell_nothing_are_not_looked_at() -> None:
    """A whole number may stand where a float is declared, and anything where anything is."""
    assert not misfits(Outside(options={"a": 1}, share=1, told=True))


def test_something_else_among_clusters_is_seen() -> None:
    """A text is no cluster."""
    assert not fit((*FITTING, "c"), Cluster)
