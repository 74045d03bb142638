"""From pages to one HTML file that needs no other, and to what notebooks show; every text is escaped."""

import base64
import hashlib
from collections.abc import Iterable, Sequence
from functools import cache
from html import escape
from importlib.resources import files
from typing import assert_never

from fairlead.models.words import escaped
from fairlead.report.blocks import (
    Block,
    Column,
    Facts,
    Folded,
    Heading,
    Items,
    Manifest,
    Panels,
    Picture,
    Row,
    Steps,
    Table,
    Text,
)
from fairlead.report.pages import Page, Section
from fairlead.version import VERSION

FEW = 12
"""Rows up to which a table is not divided by a page that is printed, and needs neither search nor filter."""


def shown(blocks: Iterable[Block]) -> str:
    """Return blocks one after the other."""
    return "\n".join(map(_shown, blocks))


def _shown(block: Block) -> str:
    match block:
        case Text():
            return f"<p{_named(block.tone)}>{safe(block.text)}</p>"
        case Items():
            inside = "\n".join(f"<li>{safe(item)}</li>" for item in block.items)
            return f'<ul class="{f"items {block.tone}".strip()}">\n{inside}\n</ul>'
        case Heading():
            return f"<h3{_named(block.tone)}>{safe(block.text)}</h3>"
        case Manifest():
            return f'<pre tabindex="0">{safe(block.text)}</pre>'
        case Facts():
            pairs = (f"<div><dt>{safe(name)}</dt><dd>{safe(value)}</dd></div>" for name, value in block.facts)
            return f'<dl class="facts">{"".join(pairs)}</dl>'
        case Table():
            return _table(block)
        case Picture() | Panels():
            return _figure(block)
        case Steps():
            steps = (
                f"<li>{safe(text)}{f' <code>{safe(command)}</code>' if command else ''}</li>"
                for text, command in block.steps
            )
            return f'<ol class="steps">{"".join(steps)}</ol>'
        case Folded():
            state = (" open" if block.opened else "") + ("" if block.printed else ' class="quiet"')
            inside = f"<summary>{safe(block.summary)}</summary>\n{shown(block.blocks)}"
            return f"<details{state}>\n{inside}\n</details>"
        case _:
            assert_never(block)


def _figure(block: Picture | Panels) -> str:
    """Return pictures with their caption; each is told to those who cannot see it."""
    match block:
        case Picture():
            forms = f'<div class="wide">{block.wide}</div><div class="narrow">{block.narrow}</div>'
            inside = _pictured(block.told, forms)
        case Panels():
            inside = f'<div class="panels">{"".join(_pictured(*each) for each in block.panels)}</div>'
    return f"<figure>{inside}<figcaption>{safe(block.caption)}</figcaption></figure>"


def _pictured(told: str, picture: str) -> str:
    """Return a picture that is told as well."""
    return f'<div role="img" aria-label="{safe(told)}">{picture}</div>'


def _table(block: Table) -> str:
    """Return a table that can be scrolled, and what it leaves out."""
    names = [name for name, wanted in (("small", len(block.rows) <= FEW), ("heat", block.heat)) if wanted]
    kind = f' class="{" ".join(names)}"' if names else ""
    head = "".join(
        f'<th scope="col"{_named("right" if column.right else "")}>{safe(column.header)}</th>'
        for column in block.columns
    )
    rows = "\n".join(_row(block.columns, row) for row in block.rows)
    # A map is wider than the page and scrolls; its caption does not.
    above = f'<p class="dim">{safe(block.caption)}</p>\n' if block.heat else ""
    caption = f"<caption>{safe(block.caption)}</caption>\n" if block.caption and not block.heat else ""
    note = f'\n<p class="dim">{safe(block.note)}</p>' if block.note else ""
    name = safe(block.caption or "Table")
    return (
        f'{above}<div class="scroll" role="group" tabindex="0" aria-label="{name}">\n'
        f'<table{kind} style="{_headers(block.columns)}">\n{caption}<thead><tr>{head}</tr></thead>\n'
        f"<tbody>\n{rows}\n</tbody>\n</table>\n</div>{note}"
    )


def _headers(columns: Sequence[Column]) -> str:
    """Return headers as properties of a style, from which telephones take them: beside every value.

    Whatever is no letter or digit is written by its number, so that no header ends the text that it is.
    """
    texts = (
        "".join(one if one.isalnum() else f"\\{ord(one):x} " for one in escaped(column.header))
        for column in columns
    )
    return safe("".join(f"--c{at}:'{text}';" for at, text in enumerate(texts, start=1)))


def _row(columns: Sequence[Column], row: Row) -> str:
    (_, first), *others = zip(columns, row, strict=True)
    cells = ""
    for column, cell in others:
        names = ("right" if column.right else "", "elastic" if column.elastic else "", cell.tone)
        cells += f"<td{_named(' '.join(filter(None, names)))}>{safe(cell.text)}</td>"
    return f'<tr><th scope="row"{_named(first.tone)}>{safe(first.text)}</th>{cells}</tr>'


def _named(names: str) -> str:
    """Return the attribute with the names of classes; nothing for none."""
    return f' class="{names}"' if names else ""


def safe(text: str) -> str:
    """Return a text for the inside of an element or of an attribute; its line breaks stay."""
    return escape("\n".join(map(escaped, text.split("\n"))))


@cache
def asset(name: str) -> str:
    """Return a file that pages hold; none holds any input."""
    return (files("fairlead.report.html") / "assets" / name).read_text(encoding="utf-8")


def document(page: Page) -> str:
    """Return a page as HTML.

    Its policy forbids all addresses, and all scripts but the one whose checksum it names.
    """
    script = asset("script.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
    links = "".join(f'<li><a href="#{each.name}">{safe(each.title)}</a></li>' for each in page.told)
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<title>{safe(page.title)}: {safe(page.headline)}</title>
<style>
{asset("colours.css")}{asset("style.css")}</style>
</head>
<body class="fairlead">
<a class="skip" href="#content">Skip to the content</a>
<header>
{_top(page)}
<nav aria-label="Sections"><ul>{links}</ul></nav>
</header>
<main id="content">
{"".join(map(_section, page.told))}</main>
<footer>
<p>Made by fairlead {VERSION}. Nothing was written to a cluster.</p>
</footer>
<script>{script}</script>
</body>
</html>
"""


def fragment(page: Page) -> str:
    """Return the HTML for a notebook: the top and the most important sections, without a script."""
    body = "".join(
        f"<h2>{safe(section.title)}</h2>\n{shown(section.blocks)}\n" for section in page.told if section.brief
    )
    return f'<div class="fairlead notebook"><style>{asset("colours.css")}</style>\n{_top(page)}\n{body}</div>'


def _top(page: Page) -> str:
    """Return the headline of a page, when and by which command it was made, and its numbers."""
    command = f"<code>{safe(page.making.command)}</code>" if page.making.command else ""
    told = " ".join(filter(None, (safe(page.making.when), command)))
    made = f'<p class="made">{told}</p>\n' if told else ""
    figures = "".join(
        f'<div class="{one.tone}"><dt>{safe(one.text)}</dt><dd>{safe(one.number)}</dd></div>'
        for one in page.figures
    )
    return (
        f'<p class="kind">{safe(page.title)}</p>\n<h1 class="{page.tone}">{safe(page.headline)}</h1>\n{made}'
        f"{shown(page.lead)}\n" + (f'<dl class="figures">{figures}</dl>' if figures else "")
    )


def _section(section: Section) -> str:
    return (
        f'<section id="{section.name}" aria-labelledby="{section.name}-title">\n'
        f'<h2 id="{section.name}-title">{safe(section.title)}</h2>\n{shown(section.blocks)}\n</section>\n'
    )
