"""From a page to one HTML file that needs no other, and to what a notebook shows of it."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib.resources import files

from fairlead.report.html.markup import safe, shown
from fairlead.report.pages import Page, Section
from fairlead.version import VERSION


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
    """Return what a notebook shows: the top and the most important sections, without a script."""
    body = "".join(
        f"<h2>{safe(section.title)}</h2>\n{shown(section.blocks)}\n" for section in page.told if section.brief
    )
    return f'<div class="fairlead notebook"><style>{asset("colours.css")}</style>\n{_top(page)}\n{body}</div>'


def _top(page: Page) -> str:
    """Return what a page comes to, when and by which command it was made, and its numbers."""
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
