"""Where a file of the repository is on the site, and links that hold there."""

import posixpath
import re
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).parents[2]

MOVED: Mapping[str, str] = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "examples/README.md": "examples/index.md",
}
"""Files of the repository outside of ``docs/`` that are pages, and where."""

_SOURCES = {place: source for source, place in MOVED.items()}
_LINK = re.compile(r"\]\((?![a-z]+:|#)([^)#\s]+)")


def for_site(markdown: str, page: str) -> str:
    """Return the text of a page with the links that hold on the site.

    Parameters
    ----------
    markdown
        Text whose relative links hold in the repository.
    page
        Place of the page on the site, such as ``index.md`` for the README.
    """
    here = posixpath.dirname(_SOURCES.get(page, f"docs/{page}"))
    there = posixpath.dirname(page)

    def moved(link: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(here, link[1]))
        return f"]({posixpath.relpath(site_place(target), there or '.')}"

    return _LINK.sub(moved, markdown)


def site_place(path: str) -> str:
    """Return the place on the site of a file or a folder of the repository."""
    if path in MOVED:
        return MOVED[path]
    if path.startswith("examples/"):
        name = path.split("/")[1]
        # A file beside the folders (a notebook, a script) has no page of its own.
        return "examples/index.md" if posixpath.splitext(name)[1] else f"examples/{name}.md"
    return path.removeprefix("docs/")
