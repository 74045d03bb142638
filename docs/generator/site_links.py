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
}
"""Files of the repository outside of ``docs/`` that are pages, and where."""

REPOSITORY = "https://github.com/fairlead/fairlead"
"""Where the repository is to be published: the README names its files by address, for package pages."""

_ADDRESS = re.compile(rf"\]\((?:{re.escape(REPOSITORY)}/(?:blob|tree|raw)/main)/")
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

    return _LINK.sub(moved, in_repository(markdown) if page == "index.md" else markdown)


def in_repository(markdown: str) -> str:
    """Return a text whose links to published files are relative, as they hold beside the README."""
    return _ADDRESS.sub("](", markdown)


def site_place(path: str) -> str:
    """Return the place on the site of a file or a folder of the repository."""
    if path in MOVED:
        return MOVED[path]
    if path.startswith("examples/"):
        return f"examples/{path.split('/')[1]}.md"
    return path.removeprefix("docs/")
