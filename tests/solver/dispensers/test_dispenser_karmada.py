"""The model of Karmada's scheduler against recorded answers of the real one."""

from typing import Any

import pytest

from fairlead.solver.dispensers.karmada import schedule
from fairlead.solver.dispensers.karmada.candidates import estimate
from fairlead.solver.dispensers.rules_of_thumb import NO_CLUSTER_FIT
from karmada_records import Record, binding_of, records, result_of

KINDS = tuple(sorted({record["kind"] for record in records()}))


def test_all_records_are_there() -> None:
    """The file is whole: each of the 4,807 problems has an answer."""
    assert len(records()) == 4807
    assert all(("clusters" in record["result"]) != ("error" in record["result"]) for record in records())


@pytest.mark.parametrize("kind", KINDS)
def test_answers_equal_the_recorded_ones(kind: str) -> None:
    """Every answer is the recorded one: clusters and replicas, affinity group, reason, text, what stays.

    No alternative is needed, neither for ties (``random``) nor where Go's sort decides (``unstableSort``):
    the real scheduler settles both without randomness, and so does the model.
    """
    differing = {
        record["id"]: (answer, record["result"])
        for record in records()
        if record["kind"] == kind
        and _comparable(answer := result_of(schedule(binding_of(record["problem"])))) != _recorded(record)
    }
    assert not differing


def test_estimates_equal_the_recorded_ones() -> None:
    """What the general estimator says of every cluster, by resource summary and by resource models."""
    estimated = [record for record in records() if "estimate" in record]
    assert len(estimated) == 173
    for record in estimated:
        binding = binding_of(record["problem"])
        answers = {cluster.name: estimate(cluster, binding.requests) for cluster in binding.clusters}
        assert answers == record["estimate"], record["id"]


def test_answers_do_not_depend_on_the_order_of_clusters() -> None:
    """The scheduler reads its clusters from a map, so their order must not matter; ties go by name."""
    for record in records()[::37]:
        problem = dict(record["problem"])
        problem["clusters"] = list(reversed(problem["clusters"] or ()))
        assert _comparable(result_of(schedule(binding_of(problem)))) == _recorded(record), record["id"]


def _recorded(record: Record) -> dict[str, Any]:
    return _comparable(record["result"])


def _comparable(result: Record) -> dict[str, Any]:
    """Leave out what is random in the real scheduler: which of several filters the text names first."""
    if result.get("reason") != NO_CLUSTER_FIT:
        return dict(result)
    return {field: value for field, value in result.items() if field != "error"}
