"""From any number of inputs to what they hold: documents, manifests, and what belongs to each workload."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, cast

from fairlead.manifests.collect import Manifests, collect
from fairlead.manifests.extensions import Extensions
from fairlead.manifests.join import Subject, join
from fairlead.manifests.yaml.builder import DEEPEST
from fairlead.manifests.yaml.documents import Document, shortened
from fairlead.manifests.yaml.reader import Input, beside, read_documents
from fairlead.models.errors import ManifestError, Mistake
from fairlead.models.source import Source
from fairlead.models.statement import Statement


class Gathered(NamedTuple):
    """Manifests of all inputs, with nothing wrong in them."""

    documents: Sequence[Document]
    manifests: Manifests
    subjects: Sequence[Subject]


def gather(
    sources: Iterable[Input | Iterable[Input]], extensions: Extensions, *, recursive: bool
) -> Gathered:
    """Read inputs, and put together what they say of each workload.

    Raises `ManifestError` where anything but a binding or federated object is wrong, or nothing is there.
    """
    inputs = list(_flat(sources))
    documents, unread = read_documents(inputs, recursive=recursive)
    manifests = collect(documents, extensions)
    subjects, doubled = join(manifests)
    mistakes = [*manifests.mistakes, *doubled]
    if manifests.own:  # most inputs have Karmada's kinds alone
        from fairlead.manifests.own.extend import contradictions

        mistakes.extend(contradictions(manifests.own, subjects))
    if unread or mistakes:
        later = beside(unread, [*mistakes, *not_understood(manifests)])
        raise ManifestError([*unread, *later], in_order(manifests.warnings))
    if not documents:
        names = [_shown(one) for one in inputs]
        where = ", ".join(names) or "the input, which is empty"
        source = Source(names[0] if names else "<input>", 0)
        raise ManifestError([Mistake(source, "", "", f"no manifest found in {where}")])
    return Gathered(documents, manifests, subjects)


def not_understood(manifests: Manifests) -> list[Mistake]:
    """List the mistakes in bindings and federated objects, which stop nobody where there is more."""
    return [mistake for one in manifests.unread for mistake in one.mistakes]


def _flat(sources: Iterable[Input | Iterable[Input]], depth: int = 0) -> Iterator[Input]:
    """Take lists of inputs apart; a text, a mapping and an open file are one input each."""
    if depth > DEEPEST:
        message = f"lists of inputs nest deeper than {DEEPEST} levels"
        raise ManifestError([Mistake(Source("<argument>", 0), "", "", message)])
    for source in cast("Iterable[object]", sources):
        if isinstance(source, str | os.PathLike | Mapping) or hasattr(source, "read"):
            yield cast("Input", source)
        elif isinstance(source, Iterable) and not isinstance(source, bytes | bytearray):
            yield from _flat(source, depth + 1)
        else:
            message = (
                "is not an input; give a path, -, an open file (io.BytesIO for bytes), a parsed document, "
                "or a list of these"
            )
            raise ManifestError([Mistake(Source("<argument>", 0), "", shortened(source), message)])


def _shown(source: Input) -> str:
    if isinstance(source, str | os.PathLike):
        return os.fspath(source)
    return "<dict>" if isinstance(source, Mapping) else str(getattr(source, "name", "<stream>"))


def in_order(warnings: Iterable[Statement]) -> tuple[Statement, ...]:
    """Sort warnings by file and line, without repetitions."""
    told = tuple(warnings)
    if len(told) < 2:
        # Nobody has to look for the line of one.
        return told
    nowhere = Source("", 0)
    return tuple(sorted(dict.fromkeys(told), key=lambda one: (one.source or nowhere, one.rule, one.text)))
