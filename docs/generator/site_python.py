"""The reference of the Python API: a place for the docstring of every public name."""

from collections.abc import Iterable

import fairlead
from fairlead import extending
from fairlead.models import rules

_FUNCTIONS = "What `fairlead` does. Everything here is imported from `fairlead` itself."
_CLASSES = "What `fairlead` reads and returns. Everything here is imported from `fairlead` itself."
_EXTENDING = """For packages that bring rules of their own: `from fairlead.extending import ...`.
How to write one is told in [Extensions](../extensions.md)."""
_RULES = """The placement rules, for problems that are built in Python: `from fairlead.models import rules`.
What they mean is told in [What every rule means](../rules.md)."""


def python_pages() -> dict[str, str]:
    """Return the pages by their place on the site; mkdocstrings fills in the docstrings."""
    public = [name for name in fairlead.__all__ if not name.startswith("_")]
    return {
        "reference/functions.md": _page("Functions", _FUNCTIONS, "fairlead", filter(str.islower, public)),
        "reference/classes.md": _page(
            "Classes", _CLASSES, "fairlead", (name for name in public if not name.islower())
        ),
        "reference/extending.md": _page(
            "Extensions in Python", _EXTENDING, "fairlead.extending", extending.__all__
        ),
        "reference/rules.md": _page("Rules in Python", _RULES, "fairlead.models.rules", rules.__all__),
    }


def _page(title: str, beginning: str, module: str, names: Iterable[str]) -> str:
    """Return a page with a place for every name."""
    return "\n".join([f"# {title}\n\n{beginning}\n", *(f"::: {module}.{name}\n" for name in names)])
