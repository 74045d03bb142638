"""A table as other programs read it: CSV, Markdown, and columns of one's own choice in one's own order."""

import csv
import io
from collections.abc import Sequence
from typing import NamedTuple

from fairlead.models.errors import UsageError
from fairlead.models.words import escaped, with_nearest
from fairlead.report.blocks import NOTHING, Column, Table


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
