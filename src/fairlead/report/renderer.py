"""What shows answers: in words, as tables of a terminal, in a notebook, as documents. One row per answer.

This module is a `fairlead.models.answer.Renderer`; `fairlead` hands it in, so that answers need not know it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar, assert_never

from fairlead.models.answer import Answer, Shown
from fairlead.models.outcome import Outcome
from fairlead.models.words import escaped
from fairlead.report.blocks import Line, Table
from fairlead.report.documents.outcome import outcome_document, to_frame
from fairlead.report.pages import Making
from fairlead.report.tabular import CustomColumns, to_csv, to_markdown, with_columns
from fairlead.report.terminal import Look, printed

if TYPE_CHECKING:
    import pandas as pd

    from fairlead.models.comparison import Comparison
    from fairlead.report.manifests import Subresource
    from fairlead.solver.plan.answer import RebalancePlan
    from fairlead.solver.plan.comparison import PlanComparison
    from fairlead.solver.script.played import Played
    from fairlead.solver.simulate.result import Simulation
    from fairlead.solver.why.answer import Why

A = TypeVar("A", bound=Answer)


@dataclass(frozen=True, slots=True)
class _Forms(Generic[A]):
    """The forms of one kind of answers.

    Parameters
    ----------
    verdict
        What they come to, in a sentence or a few lines.
    summary
        The short rendering as text, a line each.
    terminal
        Everything that a terminal shows, in groups that stand apart.
    document
        JSON-ready values.
    """

    verdict: Callable[[A], str]
    summary: Callable[[A], list[str]]
    terminal: Callable[[A, Look], Iterable[Iterable[Line]]]
    document: Callable[[A], dict[str, Any]]


def _outcome_forms() -> _Forms[Outcome]:
    """Return the forms of an outcome."""
    from fairlead.report.content import outcome

    return _Forms(outcome.verdict, outcome.summary, outcome.terminal, outcome_document)


def _plan_forms() -> _Forms[RebalancePlan]:
    """Return the forms of a plan."""
    from fairlead.report.content import plan
    from fairlead.report.documents.plan import plan_document

    return _Forms(plan.headline, plan.summary, plan.terminal, plan_document)


def _simulation_forms() -> _Forms[Simulation]:
    """Return the forms of a simulation."""
    from fairlead.report.content import simulation
    from fairlead.report.documents.simulation import simulation_document

    return _Forms(
        simulation.verdict,
        simulation.summary,
        simulation.terminal,
        simulation_document,
    )


def _why_forms() -> _Forms[Why]:
    """Return the forms of an explanation."""
    from fairlead.report.content import why
    from fairlead.report.documents.why import why_document

    return _Forms(why.heading, why.summary, why.terminal, why_document)


def _comparison_forms() -> _Forms[Comparison]:
    """Return the forms of a comparison with other schedulers."""
    from fairlead.report.content import comparison
    from fairlead.report.documents.comparison import comparison_document

    return _Forms(comparison.verdicts, comparison.summary, comparison.terminal, comparison_document)


def _plan_comparison_forms() -> _Forms[PlanComparison]:
    """Return the forms of a comparison of plans."""
    from fairlead.report.content import comparison
    from fairlead.report.documents.comparison import plan_comparison_document

    return _Forms(
        comparison.plans_verdict,
        comparison.plans_summary,
        comparison.plans_terminal,
        plan_comparison_document,
    )


def _played_forms() -> _Forms[Played]:
    """Return the forms of a script that was played."""
    from fairlead.report.content import script
    from fairlead.report.documents.script import script_document

    return _Forms(script.verdict, script.summary, script.terminal, script_document)


_FORMS: Mapping[str, Callable[[], _Forms[Any]]] = MappingProxyType(
    {
        "Outcome": _outcome_forms,
        "RebalancePlan": _plan_forms,
        "Simulation": _simulation_forms,
        "Why": _why_forms,
        "Comparison": _comparison_forms,
        "PlanComparison": _plan_comparison_forms,
        "Played": _played_forms,
    }
)
"""The forms by class of answers; those of one are imported where the first of its answers is shown."""


def _forms(answer: Shown) -> _Forms[Any]:
    """Return the forms of an answer."""
    for kind in type(answer).__mro__:
        if kind.__name__ in _FORMS:
            return _FORMS[kind.__name__]()
    raise TypeError(f"{type(answer).__name__} has no form to be shown in")


def verdict(answer: Answer) -> str:
    """Return what an answer comes to, in a sentence; of a comparison a line for each."""
    return _forms(answer).verdict(answer)


def text(answer: Answer) -> str:
    """Return a short, readable rendering."""
    return "\n".join(map(escaped, _forms(answer).summary(answer)))


def terminal(answer: Answer, look: Look | None = None) -> str:
    """Return everything that a terminal shows.

    Parameters
    ----------
    answer
        The answer.
    look
        How to print; None for plain text.
    """
    look = look or Look()
    return printed(_forms(answer).terminal(answer, look), look)


def tabular(answer: Answer, form: Literal["csv", "markdown"] | CustomColumns, look: Look) -> str:
    """Return the most detailed table of an answer for other programs; empty where it has none.

    Parameters
    ----------
    answer
        The answer.
    form
        ``csv``, ``markdown``, or the columns to print.
    look
        Which rows, and whether custom columns have headers.
    """
    flat = Look(wide=True, headers=False, picked=look.picked)
    lines = (line for group in _forms(answer).terminal(answer, flat) for line in group)
    table = next((line for line in lines if isinstance(line, Table)), None)
    if table is None:
        return ""
    match form:
        case "csv":
            return to_csv(table)
        case "markdown":
            return to_markdown(table)
        case CustomColumns():
            return printed([[with_columns(table, form)]], Look(wide=True, headers=look.headers))
        case _:
            assert_never(form)


def moves(answer: RebalancePlan, look: Look) -> str:
    """Return the moves of a plan only, a line each, for scripts."""
    from fairlead.report.content import plan

    return printed(plan.moves(answer, look), look)


def notebook(shown: Shown) -> str:
    """Return the top of its page as HTML; every text of the input is escaped."""
    from fairlead.report.html.document import fragment
    from fairlead.report.html.pages_of import page_of

    return fragment(page_of(shown, Making()))


def plot(answer: Answer) -> str:
    """Return pictures of an answer as an SVG document; empty where it has none."""
    from fairlead.report.html import utilisation

    return utilisation.plot(answer)


def page(answer: Answer, making: Making) -> str:
    """Return the page of an answer as an HTML document."""
    from fairlead.report.html.document import document as html_document
    from fairlead.report.html.pages_of import page_of

    return html_document(page_of(answer, making))


def document(answer: Answer, *, decisions: bool = True) -> dict[str, Any]:
    """Return JSON-ready values, of an outcome with or without its decisions."""
    if isinstance(answer, Outcome):
        return outcome_document(answer, decisions=decisions)
    return _forms(answer).document(answer)


def frame(answer: Answer) -> pd.DataFrame:
    """Return a data frame of an outcome."""
    return to_frame(_outcome(answer))


def manifests(answer: Answer, subresource: Subresource | None = None) -> tuple[dict[str, Any], ...]:
    """Return the patches of an outcome: of the objects, or of one subresource."""
    from fairlead.report.manifests import to_manifests

    return to_manifests(_outcome(answer), subresource)


def _outcome(answer: Answer) -> Outcome:
    """Return an answer that is an outcome; no other one has that form."""
    if not isinstance(answer, Outcome):
        raise TypeError(f"{type(answer).__name__} is no outcome")
    return answer
