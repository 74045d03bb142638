"""The renderer of answers: words, tables of a terminal, notebooks, documents. One row per answer.

This module is a `fairlead.models.answer.Renderer`; `fairlead` hands it in, so that answers need not know it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, assert_never

from fairlead.models.answer import Answer
from fairlead.models.outcome import Outcome
from fairlead.models.shown import Shown
from fairlead.models.words import escaped
from fairlead.report.blocks import Line, Table
from fairlead.report.content.next_steps import Step, next_steps
from fairlead.report.documents.outcome import outcome_document
from fairlead.report.pages import Making
from fairlead.report.tabular import CustomColumns, to_csv, to_frame, to_markdown, with_columns
from fairlead.report.terminal import Look, printed

if TYPE_CHECKING:
    import pandas as pd

    from fairlead.report.manifests import Subresource
    from fairlead.solver.plan.answer import RebalancePlan


class _Forms(NamedTuple):
    """The forms of an answer; of one kind they are imported where the first of its answers is shown."""

    verdict: Callable[[Any], str]
    """Verdict on the answer, in a sentence or a few lines."""
    summary: Callable[[Any], list[str]]
    """The short rendering as text, a line each."""
    terminal: Callable[[Any, Look], Iterable[Iterable[Line]]]
    """Lines and tables of a terminal, in groups that stand apart."""
    steps: Callable[[Any, Making], Sequence[Step]] = lambda _answer, _making: ()
    """Next steps, each with a command; empty where there are none."""


def _forms(answer: Shown) -> _Forms:
    """Return the forms of an answer, by the name of its class."""
    for kind in type(answer).__mro__:
        match kind.__name__:
            case "Outcome":
                from fairlead.report.content import outcome

                return _Forms(outcome.verdict, outcome.summary, outcome.terminal, next_steps)
            case "RebalancePlan":
                from fairlead.report.content import plan

                return _Forms(plan.headline, plan.summary, plan.terminal, plan.next_steps)
            case "Simulation":
                from fairlead.report.content import scenarios
                from fairlead.report.content import simulation as content

                return _Forms(scenarios.verdict, content.summary, content.terminal, content.next_steps)
            case "Why":
                from fairlead.report.content import why

                return _Forms(why.heading, why.summary, why.terminal)
            case "Comparison":
                from fairlead.report.content import comparison

                return _Forms(comparison.verdicts, comparison.summary, comparison.terminal)
            case "Benchmark":
                from fairlead.report.content import comparison

                return _Forms(comparison.bench_verdict, comparison.bench_summary, comparison.bench_terminal)
            case "PlanComparison":
                from fairlead.report.content import plan

                return _Forms(plan.plans_verdict, plan.plans_summary, plan.plans_terminal)
            case "Played":
                from fairlead.report.content import script

                return _Forms(script.verdict, script.summary, script.terminal)
    raise TypeError(f"{type(answer).__name__} has no form to be shown in")


def verdict(answer: Answer) -> str:
    """Return the verdict on an answer, in a sentence; of a comparison a line for each."""
    return _forms(answer).verdict(answer)


def text(answer: Answer) -> str:
    """Return a short, readable rendering."""
    return "\n".join(map(escaped, _forms(answer).summary(answer)))


def terminal(answer: Answer, look: Look | None = None) -> str:
    """Return everything that a terminal shows.

    `look`: how to print; None for plain text.
    """
    look = look or Look()
    return printed(_forms(answer).terminal(answer, look), look)


def next_steps_after(answer: Answer, making: Making) -> Sequence[Step]:
    """Return the next steps, by the command that made an answer: sentences with commands to copy."""
    return _forms(answer).steps(answer, making)


def tabular(answer: Answer, form: Literal["csv", "markdown"] | CustomColumns, look: Look) -> str:
    """Return the most detailed table of an answer for other programs; empty where it has none.

    `form`: ``csv``, ``markdown``, or the columns to print. `look`: which rows, and whether custom columns
    have headers.
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
    from fairlead.report.documents.answers import document_of

    return document_of(answer)


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
        raise TypeError(f"{type(answer).__name__} is not an outcome")
    return answer
