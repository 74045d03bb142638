"""A report as one HTML file that needs no network: of a rebalance plan, or of a placement."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from importlib.util import find_spec

from fairlead.models.errors import UsageError
from fairlead.models.outcome import Outcome
from fairlead.solver.plan.answer import RebalancePlan

__all__ = ["needs_extra", "render_outcome", "render_plan", "report_html"]


def report_html(
    answer: RebalancePlan | Outcome, *, made: datetime | None = None, details: Mapping[str, str] | None = None
) -> str:
    """Return a report as one HTML document: no script, no font and no picture is loaded from elsewhere.

    Parameters
    ----------
    answer
        A rebalance plan, or the outcome of a solve or of a dispenser.
    made
        When the answer was made; None leaves the date out, so that the same answer gives the same text.
    details
        What else the report is to tell of how it was made, such as ``{"Time limit": "60 s"}``.

    Raises
    ------
    UsageError
        Where jinja2 or matplotlib is missing (``pip install 'fairlead[report]'``).
    """
    if isinstance(answer, RebalancePlan):
        return render_plan(answer, made=made, details=details)
    return render_outcome(answer, made=made, details=details)


def render_plan(
    plan: RebalancePlan, *, made: datetime | None = None, details: Mapping[str, str] | None = None
) -> str:
    """Return the report of a rebalance plan; see `report_html`."""
    needs_extra()
    from fairlead.report.html.page import plan_page
    from fairlead.report.html.rendering import rendered

    return rendered(plan_page(plan, made, details or {}))


def render_outcome(
    outcome: Outcome, *, made: datetime | None = None, details: Mapping[str, str] | None = None
) -> str:
    """Return the report of a placement; see `report_html`."""
    needs_extra()
    from fairlead.report.html.page import outcome_page
    from fairlead.report.html.rendering import rendered

    return rendered(outcome_page(outcome, made, details or {}))


def needs_extra() -> None:
    """Refuse to go on where what reports need is not installed.

    Raises
    ------
    UsageError
        It says what to install.
    """
    missing = [name for name in ("jinja2", "matplotlib") if find_spec(name) is None]
    if missing:
        raise UsageError(f"a report needs {' and '.join(missing)}: pip install 'fairlead[report]'")
