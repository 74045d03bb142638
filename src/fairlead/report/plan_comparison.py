"""What a terminal shows of two plans: only where they differ."""

from fairlead.report.columns import Cell, Column, printable
from fairlead.report.table import Look, first_rows
from fairlead.solver.plan.comparison import PlanComparison

_COLUMNS = (
    Column("WORKLOAD", elastic=True),
    Column("CLUSTER", elastic=True),
    Column("SAVED", right=True),
    Column("NEW", right=True),
    Column("CHANGE", right=True),
)


def comparison_tables(comparison: PlanComparison, look: Look | None = None) -> str:
    """Return how two plans differ; empty where they do not.

    Parameters
    ----------
    comparison
        The comparison.
    look
        How to print; None for plain text. Without headers the table alone is left, for scripts.
    """
    look = look or Look()
    summary = [printable(line) for line in comparison.summary()] if look.headers else []
    blocks = [summary, _targets(comparison, look)]
    return "\n\n".join("\n".join(block) for block in blocks if block)


def _targets(comparison: PlanComparison, look: Look) -> list[str]:
    """Return a row per workload and cluster with another target."""
    rows = [
        (
            Cell(each.workload),
            Cell(each.cluster),
            Cell(str(each.before)),
            Cell(str(each.after)),
            Cell(f"{each.difference:+d}", "good" if each.difference > 0 else "notice"),
        )
        for each in comparison.targets
    ]
    return first_rows(_COLUMNS, rows, look, "difference")
