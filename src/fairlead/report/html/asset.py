"""The files that pages hold: their colours, their style, their script."""

from functools import cache
from importlib.resources import files


@cache
def asset(name: str) -> str:
    """Return a file that pages hold; none holds any input."""
    return (files("fairlead.report.html") / "assets" / name).read_text(encoding="utf-8")
