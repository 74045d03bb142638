"""Short renderings as HTML, for notebooks; every text of the input is escaped."""

from collections.abc import Sequence
from html import escape

from fairlead.models.words import escaped
from fairlead.report.blocks import Brief, Table


def html(brief: Brief) -> str:
    """Return an answer in short as HTML without styles of its own."""
    lines = "".join(f"<br>{_safe(line.strip())}" for line in brief.lines)
    tables = "".join(map(_table, brief.tables))
    below = "".join(f"<p>{'<br>'.join(_safe(line.strip()) for line in one)}</p>" for one in brief.below)
    return f"<div><p><b>{_safe(brief.title)}</b>{lines}</p>{tables}{below}</div>"


def _table(table: Table) -> str:
    """Return a table, and what it leaves out."""
    head = _row("th", [column.header for column in table.columns])
    body = "".join(_row("td", [cell.text for cell in row]) for row in table.rows)
    note = f"<p>{_safe(table.note)}</p>" if table.note else ""
    return f"<table><thead>{head}</thead><tbody>{body}</tbody></table>{note}"


def _row(tag: str, texts: Sequence[str]) -> str:
    """Return a row of cells of one kind."""
    cells = "".join(f'<{tag} style="text-align:left">{_safe(text)}</{tag}>' for text in texts)
    return f"<tr>{cells}</tr>"


def _safe(text: str) -> str:
    """Return a text for the inside of an element, in which every character can be seen."""
    return escape(escaped(text))
