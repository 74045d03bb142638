"""Answers as HTML: a report in one file that needs no network, and what a notebook shows."""

from collections.abc import Mapping
from datetime import datetime

from fairlead.models.answer import Answer
from fairlead.report.html.document import document
from fairlead.report.html.pages_of import page_of
from fairlead.report.pages import Making, when

__all__ = ["report_html"]


def report_html(
    answer: Answer,
    *,
    made: datetime | None = None,
    command: str = "",
    details: Mapping[str, str] | None = None,
) -> str:
    """Return a report as one HTML document: no script, no font and no picture is loaded from elsewhere.

    Parameters
    ----------
    answer
        Answer of `solve`, `plan`, `simulate`, `compare` or `why`, or the outcome of a dispenser.
    made
        When the answer was made; None leaves the date out, so that the same answer gives the same text.
    command
        The command line to show at the head; empty for none.
    details
        Further facts on how the report was made, such as ``{"Time limit": "60 s"}``.
    """
    told = tuple((details or {}).items())
    return document(page_of(answer, Making("" if made is None else when(made), command, details=told)))
