"""What notebooks show, and who shows it.

Nothing is imported here: `fairlead` itself needs this, and only then the command line listens to Ctrl-C.
"""

from __future__ import annotations

TYPE_CHECKING = False  # type checkers know better
if TYPE_CHECKING:
    from typing import Any, ClassVar


class Shown:
    """What notebooks show. It knows no renderer: the one that it has is handed in from above."""

    __slots__ = ()
    renderer: ClassVar[staticmethod[[], Any]]
    """Returns what shows it (`fairlead.models.answer.Renderer`), imported at the first time; set once, when
    `fairlead` is imported."""

    def _repr_html_(self) -> str:
        return str(Shown.renderer().notebook(self))
