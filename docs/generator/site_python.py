"""The reference of the Python API: a place for the docstring of every public name."""

from collections.abc import Iterable

import fairlead
from fairlead import extending
from fairlead.models import rules

_FUNCTIONS = "What `fairlead` does. Import everything here from `fairlead`."
_CLASSES = "What `fairlead` reads and returns. Import everything here from `fairlead`."
_EXTENDING = """For packages with rules of their own: `from fairlead.extending import ...`.
[Extensions](../extensions.md) explains how to write one."""
_RULES = """The placement rules, for problems built in Python: `from fairlead.models import rules`.
[What every rule means](../rules.md) explains them."""


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
