"""What stands on the page of a comparison: the answers side by side, and what each of them breaks."""

from __future__ import annotations

from collections.abc import Iterator

from fairlead.models.comparison import Comparison
from fairlead.models.words import counted
from fairlead.report.blocks import Items, Text, long_table
from fairlead.report.content.comparison import answers, replicas
from fairlead.report.content.outcome import TONES, verdict
from fairlead.report.html.attention import Concern, attention_section, concerns_of
from fairlead.report.html.run import making_section
from fairlead.report.html.target import conflict_section, proof_section, warnings_section
from fairlead.report.html.utilisation import utilisation_section
from fairlead.report.pages import Making, Page, Section

ROWS_SHOWN = 1000
"""Differences that the table shows."""


def comparison_page(comparison: Comparison, making: Making) -> Page:
    """Return the report of a comparison."""
    best = comparison.best
    told = Items(tuple(each.verdict for each in comparison.contenders))
    differing = replicas(comparison)
    listed = differing.first(ROWS_SHOWN, "difference", "and {}: -o json has them all")
    rows = (long_table(listed, counted(len(differing.rows), "difference")),)
    same = (Text("All place the same replicas on the same clusters.", "good"),)
    sections = (
        conflict_section(best),
        attention_section(_concerns(comparison)),
        Section("answers", "The answers", (told, answers(comparison)), brief=True),
        utilisation_section(comparison),
        Section("differences", "Where they differ", rows if differing.rows else same, brief=True),
        proof_section(best, "Levels of the best placement and their proof"),
        warnings_section(best),
        making_section(best, best.seconds, None, making),
    )
    headline = verdict(best).removesuffix(":").removesuffix(".")
    return Page("Comparison", f"{headline}.", TONES[best.status], (), (), sections, making)


def _concerns(comparison: Comparison) -> Iterator[Concern]:
    """Yield what is short with the best placement, and what the contenders break."""
    yield from concerns_of(comparison.best)
    for each in comparison.contenders:
        yield Concern(f"{each.name} violates", [str(one) for one in each.outcome.violations], "rule")
