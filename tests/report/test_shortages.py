"""Workloads that are short for the same reason share a sentence."""

from dataclasses import replace

import fairlead
from fairlead.report.content.outcome import told_shortages
from places import EXAMPLES


def test_the_same_shortage_is_said_once() -> None:
    """Of twenty workloads of one replica four fit: sixteen are short of one, told at the first."""
    outcome = fairlead.solve(fairlead.load(EXAMPLES / "created-together"), partial=True)
    assert len(outcome.shortfalls) == 16
    (line,) = told_shortages(outcome.shortfalls)
    first = outcome.shortfalls[0]
    names = "default/nginx-05 1, default/nginx-06 1, default/nginx-07 1 and 13 more workloads"
    assert line == f"16 replicas are unplaced ({names}; {first.source}): {first.because}"
    assert first.text.endswith(f": {first.because}")


def test_what_differs_is_said_apart() -> None:
    """Another reason, another rule, even the same one twice: each keeps its own sentence."""
    outcome = fairlead.solve(fairlead.load(EXAMPLES / "created-together"), partial=True)
    one, two, *_ = outcome.shortfalls
    elsewhere = replace(two, because="member3 is drained", text="told apart")
    violated = replace(two, rule="bounds", text="told apart as well")
    every = told_shortages((one, elsewhere, violated, violated))
    assert every == [one.text, "told apart", "told apart as well", "told apart as well"]
