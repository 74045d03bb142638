"""From a document to its API type: mistakes in plain words, unknown fields and odd names as warnings."""

import copy
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Generic, TypeVar, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from fairlead.manifests.api.karmada import Cluster
from fairlead.manifests.api.meta import INSTEAD, Api, KnownValues, Object
from fairlead.manifests.yaml.documents import Document, Path, field_name, shortened
from fairlead.models.errors import Mistake
from fairlead.models.source import Source
from fairlead.models.statement import Statement
from fairlead.models.words import nearest

_WORDS: Mapping[str, str] = {
    "missing": "is required and missing",
    "tuple_type": "must be a list",
    "mapping_type": "must be a mapping of names to values",
    "model_type": "must be a mapping with fields",
    "model_attributes_type": "must be a mapping with fields",
    "dict_type": "must be a mapping of names to values",
    "string_too_short": "must not be empty",
}

_SCALARS: Mapping[str, str] = {
    "string_type": "must be a string",
    "int_type": "must be a whole number",
    "bool_type": "must be true or false",
}

_FROM_CONTEXT: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
    "literal_error": lambda context: f"is not allowed; {_choices(context['expected'])}",
    "greater_than_equal": lambda context: f"must be at least {context['ge']}",
    "less_than_equal": lambda context: f"must be at most {context['le']}",
    "value_error": lambda context: str(context["error"]),
}


def in_plain_words(details: ErrorDetails) -> str:
    """Return the mistake in a value and what is allowed, to be read after the value."""
    kind = details["type"]
    if kind in _WORDS:
        return _WORDS[kind]
    words = _about(kind, details)
    # An empty text shows nothing before what is said of it.
    return f"an empty text {words}" if details["input"] == "" else words


def _about(kind: str, details: ErrorDetails) -> str:
    if kind in _SCALARS:
        return _SCALARS[kind] + _about_quotes(kind, details["input"])
    if kind in _FROM_CONTEXT:
        return _FROM_CONTEXT[kind](details.get("ctx", {}))
    return details["msg"][:1].lower() + details["msg"][1:]


def _about_quotes(kind: str, value: object) -> str:
    """Say how quotes matter: numbers and booleans have none, text may need them."""
    if kind == "string_type" and isinstance(value, bool):
        words = "y, yes, on" if value else "n, no, off"
        return f"; put quotes around it (unquoted, {words} and {str(value).lower()} are no text)"
    if kind == "string_type":
        return "; put quotes around it" if isinstance(value, int | float) else ""
    if not isinstance(value, str):
        return ""
    # A number that is too long to be read as one has stayed text.
    return (
        "; this one is too large"
        if value.lstrip("+-").isdecimal() and len(value) > 20
        else ", without quotes"
    )


def _choices(expected: str) -> str:
    """Turn ``'', 'A', 'B' or 'C'`` into ``allowed are A, B and C``."""
    names = [name.strip("' ") for name in expected.replace(" or ", ", ").split(",")]
    filled = [name for name in names if name]
    if len(filled) == 1:
        return f"allowed is {filled[0]}"
    return f"allowed are {', '.join(filled[:-1])} and {filled[-1]}"


T = TypeVar("T")
M = TypeVar("M", bound=Api)
M_co = TypeVar("M_co", bound=Api, covariant=True)

UNKNOWN_FIELD = "unknown-field"

MOST_TOLD = 100
"""Mistakes, and unknown fields, of one document that are told one by one."""
_ABSENT = object()


@dataclass(frozen=True, slots=True)
class Located(Generic[M_co]):
    """A manifest as its API type, with the document that knows its lines."""

    model: M_co
    document: Document

    def source(self, *path: str | int) -> Source:
        """Return file and line of a field, such as ``source("spec", "replicas")``."""
        return self.document.source(path)


@dataclass(frozen=True, slots=True)
class Unread:
    """A binding or federated object that cannot be understood, which is left out."""

    document: Document
    located: Located[Any] | None
    """The part of it that can be read; None where that is too little."""
    mistakes: tuple[Mistake, ...]
    """Mistakes in it."""


@dataclass(frozen=True, slots=True)
class Validated(Generic[M]):
    """Result of validating a document."""

    located: Located[M] | None
    """The manifest without what is wrong in it; None where too little remains."""
    mistakes: tuple[Mistake, ...] = ()
    warnings: tuple[Statement, ...] = ()


def validate(document: Document, model: type[M], known: KnownValues | None = None) -> Validated[M]:
    """Read a document as an API type.

    Null is the same as absent, as in Kubernetes. What is wrong is taken out and the rest is read again, so
    that all mistakes are found at once.

    `known`: what was read before, of which what reads the same is taken; None where that is nothing.
    """
    try:
        return Validated(Located(_read(model, document.data, known), document))
    except ValidationError as error:
        return _without_errors(document, model, error)


def _read(model: type[M], data: dict[str, Any], known: KnownValues | None = None) -> M:
    """Read data by the names that Kubernetes uses, not by Python's."""
    return model.model_validate(data, by_alias=True, by_name=False, context=known)


def _without_errors(document: Document, model: type[M], error: ValidationError) -> Validated[M]:
    """Take out what is wrong, step by step, until the rest can be read or nothing more can be taken out."""
    data = copy.deepcopy(document.data)
    mistakes: dict[Path, Mistake] = {}
    warnings: list[Statement] = []
    unknown = 0
    wrong = _Wrong()
    while True:
        removed = False
        # What stood instead of a missing field was wrong and taken out in an earlier round.
        earlier = frozenset(wrong.above)
        for details in error.errors(include_url=False):
            path = tuple(details["loc"])
            if details["type"] == "extra_forbidden":
                unknown += 1
                if unknown <= MOST_TOLD:
                    warnings.append(_unknown_field(document, model, path))
            elif not (
                _is_null(details)
                or wrong.follows(path)
                or (path[:-1] in earlier and INSTEAD in details.get("ctx", {}))
            ):
                if len(mistakes) >= MOST_TOLD:
                    message = f"more mistakes are not shown, after {MOST_TOLD} in this document"
                    return Validated(
                        None, (*mistakes.values(), document.mistake((), message)), tuple(warnings)
                    )
                shown = "" if details["type"] == "missing" else shortened(details["input"])
                mistakes[path] = document.mistake(path, in_plain_words(details), shown)
                wrong.add(path)
            removed = _remove(data, path[:-1] if details["type"] == "missing" else path) or removed
        if unknown > MOST_TOLD:
            text = f"{document.kind}: {unknown - MOST_TOLD} more unknown fields have no effect"
            warnings.append(Statement(UNKNOWN_FIELD, text, document.source()))
        try:
            located = Located(_read(model, data), document)
            return Validated(located, tuple(mistakes.values()), tuple(warnings))
        except ValidationError as next_error:
            if not removed:
                return Validated(None, tuple(mistakes.values()), tuple(warnings))
            error = next_error


def _is_null(details: ErrorDetails) -> bool:
    """Tell whether an error only says that a field is null, which is as good as absent."""
    return details["input"] is None and details["type"] != "missing" and isinstance(details["loc"][-1], str)


@dataclass(frozen=True, slots=True)
class _Wrong:
    """Paths of what was wrong and taken out, with all that leads to them."""

    paths: set[Path] = field(default_factory=set)
    above: set[Path] = field(default_factory=set)

    def add(self, path: Path) -> None:
        """Add a path."""
        self.paths.add(path)
        self.above.update(path[:length] for length in range(len(path) + 1))

    def follows(self, path: Path) -> bool:
        """Tell whether a field is only missing because it, or what it was in, was wrong and taken out."""
        return path in self.above or any(path[:length] in self.paths for length in range(len(path)))


def _remove(data: Any, path: Path) -> bool:
    """Take a value out of its mapping (a list with a wrong item as a whole); tell whether there was one."""
    value: Any = data
    holder: dict[Any, Any] = {}
    key: str | int = ""
    for step in path:
        if isinstance(value, dict) and step in value:
            holder, key = value, step
            value = value[step]
        elif isinstance(value, list) and isinstance(step, int) and step < len(value):
            value = value[step]
        else:
            return False
    return holder.pop(key, _ABSENT) is not _ABSENT


def _unknown_field(document: Document, model: type[BaseModel], path: Path) -> Statement:
    """Say that a field is not known, and which known one comes closest."""
    known = _known_names(model, path[:-1])
    close = nearest(str(path[-1]), known)
    hint = f"; did you mean {close[0]}?" if close else ""
    text = f"{document.kind}: {field_name(path)} is an unknown field and has no effect{hint}"
    return Statement(UNKNOWN_FIELD, text, document.source(path))


def _known_names(model: type[BaseModel], path: Path) -> list[str]:
    found: type[BaseModel] | None = model
    for step in path:
        if isinstance(step, str) and found is not None:
            annotation = next((f.annotation for f in found.model_fields.values() if f.alias == step), None)
            found = next(_models_in(annotation), None)
    return [field.alias for field in found.model_fields.values() if field.alias] if found else []


def _models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and get_origin(annotation) is None:
        if issubclass(annotation, BaseModel):
            yield annotation
        return
    parts = get_args(annotation)[:1] if get_origin(annotation) is Annotated else get_args(annotation)
    for part in parts:
        yield from _models_in(part)


_DNS_NAME = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
# Characters that Karmada takes for a cluster, and Kubernetes for a namespace.
_LONGEST_CLUSTER, _LONGEST_NAMESPACE = 48, 63


def odd_metadata(located: Located[Object], *, specifies: bool) -> Iterator[Statement]:
    """Say that an annotation has no effect, or that an API server refuses a name that is taken here.

    `specifies`: whether its annotations may specify replicas; a proposal spells them in the singular.
    """
    if located.model.metadata.annotation and not specifies:
        text = f"{located.document.kind}: metadata.annotation is an unknown field and has no effect"
        yield Statement(UNKNOWN_FIELD, text, located.source("metadata", "annotation"))
    meta, kind = located.model.metadata, located.document.kind
    if meta.name == meta.generate_name:
        text = (
            f"{kind}: metadata.generateName {meta.name!r} stands for the name that Kubernetes will make of it"
        )
        yield Statement("name", text, located.source("metadata", "generateName"))
    else:
        longest = _LONGEST_CLUSTER if isinstance(located.model, Cluster) else None
        yield from _odd(located, "name", meta.name, longest)
    if meta.namespace:
        yield from _odd(located, "namespace", meta.namespace, _LONGEST_NAMESPACE)


def _odd(located: Located[Object], field: str, name: str, longest: int | None) -> Iterator[Statement]:
    """Say which names an API server would refuse; a length means that it has no dots either."""
    fits = _DNS_NAME.fullmatch(name) is not None and (longest is None or len(name) <= longest)
    if fits and not (longest and "." in name):
        return
    text = f"{located.document.kind}: metadata.{field} {name!r} is not a name that Kubernetes accepts: "
    allowed = "lower case letters, digits, '-' and '.'"
    if longest:
        allowed = f"at most {longest} lower case letters, digits and '-'"
    yield Statement(
        "name", f"{text}{allowed}, with a letter or digit at both ends", located.source("metadata", field)
    )
