"""Reads a report as a browser would, for the tests: well-formed, with its sections, tables and texts."""

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser

from fairlead.report.html.document import asset

VOID = {"meta", "br", "hr", "img", "input", "link"}


@dataclass
class TableRead:
    """A table: its caption, its header and its rows."""

    caption: str = ""
    rows: list[list[str]] = field(default_factory=list)


class Reader(HTMLParser):
    """Collects what a page says; refuses one whose tags do not match."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.sections: dict[str, str] = {}
        self.tables: dict[str, list[TableRead]] = {}
        self.identifiers: list[str] = []
        self.labels: list[str] = []
        self.tags: set[str] = set()
        self.tones: list[str] = []
        self.section = "head"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what begins."""
        given = dict(attrs)
        self.tags.add(tag)
        if given.get("id"):
            self.identifiers.append(given["id"] or "")
        if tag == "h1":
            self.tones.append(given.get("class") or "")
        if given.get("role") == "img":
            self.labels.append(given.get("aria-label") or "")
        if tag not in VOID:
            self.open.append(tag)
        if tag == "section":
            self.section = given["id"] or ""
        elif tag == "table":
            self.tables.setdefault(self.section, []).append(TableRead())
        elif tag == "tr":
            self.tables[self.section][-1].rows.append([])
        elif tag in {"td", "th"}:
            self.tables[self.section][-1].rows[-1].append("")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what begins and ends at once."""
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        """Note what ends; it has to be what began last."""
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag
        self.sections[self.section] = self.sections.get(self.section, "") + " "
        if tag == "section":
            self.section = "foot"

    def handle_data(self, data: str) -> None:
        """Note what is said where."""
        if {"style", "script"} & set(self.open):
            return
        self.sections[self.section] = self.sections.get(self.section, "") + data
        if "caption" in self.open:
            self.tables[self.section][-1].caption += data
        elif {"td", "th"} & set(self.open[-1:]):
            self.tables[self.section][-1].rows[-1][-1] += data


def read(page: str) -> Reader:
    """Read a whole page; its tags match and its identifiers are unique."""
    assert page.lstrip().lower().startswith("<!doctype html>")
    reader = Reader()
    reader.feed(page)
    reader.close()
    assert reader.open == []
    assert len(set(reader.identifiers)) == len(reader.identifiers)
    reader.sections = {name: " ".join(text.split()) for name, text in reader.sections.items()}
    return reader


def addresses(page: str) -> list[str]:
    """Return everything that could make a browser ask a network, scripts that are not the page's own too."""
    left = page.replace(f"<script>{asset('script.js')}</script>", "", 1)
    return re.findall(r"https?:|//\w|\bsrc=|@import|<link|<script|url\(|fetch\(|XMLHttp", left)
