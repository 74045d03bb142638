"""Tables as other programs read them: CSV, Markdown, columns of one's own choice, and data frames."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from fairlead.models.errors import UsageError
from fairlead.models.words import escaped, with_nearest
from fairlead.report.blocks import NOTHING, Column, Table

if TYPE_CHECKING:
    import pandas as pd

    from fairlead.models.outcome import Outcome
    from fairlead.models.workload import Workload


class CustomColumns(NamedTuple):
    """Columns to print, in order."""

    spec: str
    """Names of columns separated by commas, as the table has them in any case, blanks written as ``-``;
    ``HEADER:NAME`` prints a column below another header."""


def to_csv(table: Table) -> str:
    """Return a table as CSV with one line of headers; a dash that stands for nothing is left empty."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([_name(column) for column in table.columns])
    writer.writerows(["" if cell == NOTHING else escaped(cell.text) for cell in row] for row in table.rows)
    return text.getvalue().rstrip("\n")


def to_markdown(table: Table) -> str:
    """Return a table as Markdown; numbers are set flush right."""
    head = [column.header for column in table.columns]
    rule = ["---:" if column.right else "---" for column in table.columns]
    # What Markdown would obey is escaped.
    body = [
        [escaped(cell.text).replace("\\", "\\\\").replace("|", "\\|") or " " for cell in row]
        for row in table.rows
    ]
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, rule, *body))


def with_columns(table: Table, chosen: CustomColumns) -> Table:
    """Return a table with the chosen columns only.

    Raises `UsageError` where the table has no such column; the nearest name is proposed.
    """
    asked = [part.strip().rpartition(":") for part in chosen.spec.split(",")]
    places = _places(table, [name for _, _, name in asked])
    columns = tuple(
        table.columns[place]._replace(header=header or table.columns[place].header)
        for place, (header, _, _) in zip(places, asked, strict=True)
    )
    return table._replace(
        columns=columns, rows=tuple(tuple(row[place] for place in places) for row in table.rows)
    )


def sorted_by(table: Table, column: str) -> Table:
    """Return a table sorted by a column: texts from A on, numbers from the largest on.

    Raises `UsageError` where the table has no such column; the nearest name is proposed.
    """
    if not column:
        return table
    (place,) = _places(table, [column])
    if table.columns[place].right:
        rows = sorted(table.rows, key=lambda row: -_number(row[place].text))
    else:
        rows = sorted(table.rows, key=lambda row: row[place].text)
    return table._replace(rows=tuple(rows))


def ask_for_column(column: str, *heads: Sequence[Column]) -> None:
    """Make sure that one of the tables that may be shown has a column to sort by, whichever are shown.

    Raises `UsageError` where none has.
    """
    known = {_name(one): one for head in heads for one in head}
    sorted_by(Table("", tuple(known.values()), ()), column)


def _places(table: Table, names: Sequence[str]) -> list[int]:
    known = [_name(column) for column in table.columns]
    unknown = [name for name in names if name.lower() not in known]
    if unknown:
        raise UsageError(f"no column {with_nearest(unknown, known)}; known: {', '.join(known)}")
    return [known.index(name.lower()) for name in names]


def _name(column: Column) -> str:
    """Return the name by which a column is chosen, such as ``by-weight``."""
    return column.header.lower().replace(" ", "-")


def _number(text: str) -> float:
    """Return the number in a cell; what is none comes last."""
    try:
        return float(text.rstrip("%"))
    except ValueError:
        return float("-inf")


def to_frame(outcome: Outcome) -> pd.DataFrame:
    """Return one row per workload and cluster.

    ``workload``, ``namespace``, ``name``, ``cluster``, ``region``, ``selected``, ``replicas``, ``current``
    (replicas that run there now), ``wanted`` (share of the weights; missing where no weight counts) and
    ``reason``. A text that a spreadsheet would take for a formula has an apostrophe before it.

    Raises `UsageError` where pandas is not installed.
    """
    try:
        import pandas as pd
    except ImportError:
        message = "to_frame() needs pandas: pip install 'fairlead[frames]'"
        raise UsageError(message) from None
    columns: dict[str, list[object]] = {name: [] for name in _FRAME_TYPES}
    for workload in outcome.problem.workloads:
        for row in _rows(outcome, workload):
            for column, value in zip(columns.values(), row, strict=True):
                computed = isinstance(value, str) and value.startswith(_FORMULA)
                column.append(f"'{value}" if computed else value)
    return pd.DataFrame({name: pd.Series(columns[name], dtype=kind) for name, kind in _FRAME_TYPES.items()})


_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""Beginnings of what a spreadsheet computes instead of showing it."""


_FRAME_TYPES = {
    "workload": "object",
    "namespace": "object",
    "name": "object",
    "cluster": "object",
    "region": "object",
    "selected": "bool",
    "replicas": "int64",
    "current": "int64",
    "wanted": "float64",
    "reason": "object",
}


def _rows(outcome: Outcome, workload: Workload) -> list[tuple[object, ...]]:
    from fairlead.models.decision_reasons import wanted

    shares = wanted(workload, outcome.placed(workload))
    return [
        (
            workload.key,
            workload.namespace,
            workload.name,
            decision.cluster,
            outcome.problem.cluster_by_name[decision.cluster].region,
            decision.selected,
            decision.replicas,
            workload.current.get(decision.cluster, 0),
            float(shares[decision.cluster]) if decision.cluster in shares else None,
            decision.reason,
        )
        for decision in outcome.decisions[workload.key]
    ]
