"""What questions and answers have in common: pure data, and what shows them is handed in by the face."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol

if TYPE_CHECKING:
    import pandas as pd


class Renderer(Protocol):
    """What shows answers; `fairlead.report.renderer` is one, and `fairlead` hands it in."""

    def text(self, answer: Answer) -> str:
        """Return a short, readable rendering."""
        ...

    def verdict(self, answer: Answer) -> str:
        """Return what the answer comes to, in a sentence; of a comparison a line for each."""
        ...

    def notebook(self, shown: Shown) -> str:
        """Return a short rendering as HTML; every text of the input is escaped."""
        ...

    def document(self, answer: Answer, *, decisions: bool = True) -> dict[str, Any]:
        """Return JSON-ready values, of an outcome with or without its decisions."""
        ...

    def frame(self, answer: Answer) -> pd.DataFrame:
        """Return a data frame of an outcome."""
        ...

    def manifests(
        self, answer: Answer, subresource: Literal["status"] | None = None
    ) -> tuple[dict[str, Any], ...]:
        """Return the patches of an outcome: of the objects, or of one subresource."""
        ...


@dataclass(frozen=True, slots=True)
class Later:
    """A renderer that is imported where the first question or answer is shown."""

    load: Callable[[], Renderer]


class Shown:
    """What notebooks show. It knows no renderer: the one that it has is handed in from above.

    Attributes
    ----------
    renderer
        What shows it; set once, when `fairlead` is imported.
    """

    __slots__ = ()
    renderer: ClassVar[Later]

    @property
    def shown_by(self) -> Renderer:
        """What shows it."""
        return self.renderer.load()

    def _repr_html_(self) -> str:
        return self.shown_by.notebook(self)


class Answer(Shown):
    """What a question is answered with. Its ``repr`` is short, as answers hold whole problems."""

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready values; the keys are described in `fairlead.report.documents`."""
        return self.shown_by.document(self)

    def __str__(self) -> str:
        return self.shown_by.text(self)

    def __repr__(self) -> str:
        first, *others = self.shown_by.verdict(self).splitlines()
        return f"<{type(self).__name__}: {first}{' ...' if others else ''}>"
