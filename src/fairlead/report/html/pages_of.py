"""Which page an answer has."""

from __future__ import annotations

from collections.abc import Iterable

from fairlead.models.answer import Shown
from fairlead.models.comparison import Comparison
from fairlead.models.outcome import Outcome
from fairlead.models.problem import Problem
from fairlead.report.blocks import Line, Text
from fairlead.report.content import problem as problems
from fairlead.report.content import script
from fairlead.report.content import why as reasons
from fairlead.report.content.comparison import plans_terminal
from fairlead.report.html.comparison_page import comparison_page
from fairlead.report.html.page import outcome_page, plan_page
from fairlead.report.html.simulation_page import simulation_page
from fairlead.report.pages import Making, Page, Section
from fairlead.report.terminal import Look
from fairlead.solver.plan.answer import RebalancePlan
from fairlead.solver.plan.comparison import PlanComparison
from fairlead.solver.script.played import Played
from fairlead.solver.simulate.result import Simulation
from fairlead.solver.why.answer import Why


def page_of(shown: Shown, making: Making) -> Page:
    """Return the page of an answer, or of a problem.

    Parameters
    ----------
    shown
        What is to be shown.
    making
        When and by which command it was made.
    """
    match shown:
        case RebalancePlan():
            return plan_page(shown, making)
        case Outcome():
            return outcome_page(shown, making)
        case Simulation():
            return simulation_page(shown, making)
        case Comparison():
            return comparison_page(shown, making)
        case Why():
            return _told("Why", reasons.told_clusters(shown), making)
        case Played():
            return _told("Script", script.terminal(shown, Look(wide=True)), making)
        case PlanComparison():
            return _told("Two plans", plans_terminal(shown, Look(wide=True)), making)
        case Problem():
            return _told("Problem", problems.lines(shown), making)
        case _:
            raise TypeError(f"{type(shown).__name__} has no page")


def _told(title: str, groups: Iterable[Iterable[Line]], making: Making) -> Page:
    """Return what a terminal shows as a page; a sentence that begins it is the headline."""
    blocks = [line for group in groups for line in group]
    first = blocks[0] if blocks else Text(title)
    headline = first.text if isinstance(first, Text) else title
    rest = tuple(blocks[1:] if isinstance(first, Text) else blocks)
    return Page(title, headline, "", (), (), (Section("answer", "Details", rest, brief=True),), making)
