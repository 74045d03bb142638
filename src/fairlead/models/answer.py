"""What all answers have in common: they are pure data, and what shows them is handed in by the face."""

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

    def notebook(self, answer: Answer) -> str:
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
    """A renderer that is imported where the first answer is shown."""

    load: Callable[[], Renderer]


class Answer:
    """What a question is answered with. It knows no renderer: the one that it has is handed in from above.

    Attributes
    ----------
    renderer
        What shows answers; set once, when `fairlead` is imported.
    """

    __slots__ = ()
    renderer: ClassVar[Later]

    @property
    def shown_by(self) -> Renderer:
        """What shows it."""
        return self.renderer.load()

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready values; the keys are described in `fairlead.report.documents`."""
        return self.shown_by.document(self)

    def __str__(self) -> str:
        return self.shown_by.text(self)


class Notebook(Answer):
    """An answer that notebooks show in a form of its own."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        return self.shown_by.notebook(self)
