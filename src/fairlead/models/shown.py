"""Base class of all that notebooks show, and the renderer that it is shown by.

Nothing is imported here: `fairlead` itself needs this, and only then the command line listens to Ctrl-C.
"""

from __future__ import annotations

TYPE_CHECKING = False  # type checkers know better
if TYPE_CHECKING:
    from typing import Any, ClassVar


class Shown:
    """Value that notebooks show as HTML; the renderer that it is shown by is handed in from above."""

    __slots__ = ()
    renderer: ClassVar[staticmethod[[], Any]]
    """Function that returns the renderer (`fairlead.models.answer.Renderer`), imported at the first time; set
    once, when `fairlead` is imported."""

    def _repr_html_(self) -> str:
        return str(Shown.renderer().notebook(self))
