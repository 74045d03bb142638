"""What becomes of every field of a manifest that is converted: nothing is left out in silence."""

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic.alias_generators import to_camel

from fairlead.manifests.api.meta import Api, Inert
from fairlead.manifests.yaml.documents import Document, Path, field_name, shortened
from fairlead.models.errors import Mistake
from fairlead.models.source import Source
from fairlead.models.statement import Statement
from fairlead.models.words import counted

KIND = "convert"

JsonObject = dict[str, Any]


class Account:
    """What is lost, and what is written in other words, of the manifests of one conversion."""

    def __init__(self, target: str) -> None:
        self.target = target
        """The system that is written for."""
        self.losses: list[Mistake] = []
        """What the other system cannot say."""
        self._noted: dict[tuple[str, str], list[Source]] = {}

    def lost(self, document: Document, path: Path, message: str) -> None:
        """Say that something that counts is not written; the message follows the value."""
        found = document.value(path)
        value = "" if found is None else shortened(found)
        self.losses.append(Mistake(document.source(path), field_name(path), value, message))

    def note(self, document: Document, path: Path, message: str) -> None:
        """Say something about a field that is no loss; the message follows the field."""
        told = f"{field_name(path)}: {message}" if path else message
        self._noted.setdefault((document.kind, told), []).append(document.source(path))

    @property
    def notes(self) -> tuple[Statement, ...]:
        """What is said in another way, or has no influence on a placement; of all manifests at once."""
        return tuple(
            Statement(
                KIND, f"{kind if len(sources) == 1 else counted(len(sources), kind)}: {told}", sources[0]
            )
            for (kind, told), sources in self._noted.items()
        )

    def inert(self, document: Document, model: Api, path: Path) -> None:
        """Note the fields of a part that are not written, and have no influence on placements."""
        written = document.value(path)
        for alias, why in _inert(model):
            if isinstance(written, Mapping) and written.get(alias) is not None:
                self.note(document, (*path, alias), f"not written: {why}")


def _inert(model: Api) -> Iterator[tuple[str, str]]:
    """Yield the fields that cannot influence a placement, with the reason."""
    for name, field in type(model).model_fields.items():
        for mark in field.metadata:
            if isinstance(mark, Inert):
                yield field.alias or to_camel(name), mark.why
