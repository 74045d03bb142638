"""Every exception that fairlead raises on purpose.

The tree::

    FairleadError
    |-- ManifestError       the input is wrong: every mistake of every file, with file, line, field and value
    |-- UsageError          a call or a command line is wrong: an unknown workload, an unknown method
    |   `-- SettledError    settings are given that a saved plan has settled already
    |-- UnsupportedError    declared correctly, but not finished in this version; never silently ignored
    |-- ExtensionError      a package outside of fairlead cannot be loaded, or does not do what it promises
    `-- InternalError       a bug in fairlead, never the user's fault

An infeasible problem is a result (`Status.INFEASIBLE`), not an exception.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from dataclasses import field as declared

from fairlead.models.source import Source
from fairlead.models.statement import Statement
from fairlead.models.words import escaped, shown


class FairleadError(Exception):
    """Base class of every exception that fairlead raises on purpose."""


@dataclass(frozen=True, slots=True, order=True)
class Mistake:
    """Mistake in the input, with its place."""

    source: Source
    """File and line of the offending value."""
    field: str
    """Path of the field inside its object, such as ``spec.placement.clusterAffinity.clusterNames[0]``; empty
    where the mistake is about the file or the whole object."""
    value: str
    """The offending value as written, shortened; empty where there is none."""
    message: str
    """Sentence: the mistake and what is allowed."""
    missing: bool = declared(default=False, compare=False, repr=False)
    """True where one of several fields is missing, this one for example; left out of comparisons."""

    @classmethod
    def told(cls, subject: str, source: object, field: str, value: object, message: str) -> "Mistake":
        """Return a mistake in a thing that was made in Python, wherever that says it was declared."""
        where = source if isinstance(source, Source) and source.as_declared else Source("<dict>", 0)
        text = value if isinstance(value, str) else shown(value)
        return cls(where, f"{subject}: {field}", text[:80], message)

    @property
    def sentence(self) -> str:
        """Field, value and what is wrong, without the place."""
        shown = f"{self.value!r} {self.message}" if self.value else self.message
        return f"{self.field}: {shown}" if self.field else shown

    def __str__(self) -> str:
        return escaped(f"{self.source}: {self.sentence}")


class ManifestError(FairleadError):
    """The input is wrong.

    Parameters
    ----------
    mistakes
        All mistakes of all files; kept sorted by file and line.
    warnings
        Further remarks on the input, as far as it was read.
    """

    def __init__(self, mistakes: Iterable[Mistake], warnings: Iterable[Statement] = ()) -> None:
        self.mistakes: tuple[Mistake, ...] = tuple(sorted(set(mistakes)))
        self.warnings: tuple[Statement, ...] = tuple(warnings)
        super().__init__("\n".join(str(mistake) for mistake in self.mistakes))

    def __reduce__(self) -> tuple[type["ManifestError"], tuple[tuple[Mistake, ...], tuple[Statement, ...]]]:
        return ManifestError, (self.mistakes, self.warnings)


class UsageError(FairleadError):
    """A call or a command line is wrong."""


class SettledError(UsageError):
    """Settings are given that a saved plan has settled already.

    `names`: what they are called.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self.names: tuple[str, ...] = tuple(names)
        super().__init__(
            "a saved plan keeps its target and the way its moves are made; leave out"
            f" {', '.join(self.names)}, or make a new plan"
        )

    def __reduce__(self) -> tuple[type["SettledError"], tuple[tuple[str, ...]]]:
        return SettledError, (self.names,)


class UnsupportedError(FairleadError):
    """The input is right, but this version cannot do it yet."""


class ExtensionError(FairleadError):
    """A package that brings rules of its own cannot be loaded, or does not do what it promises."""


class InternalError(FairleadError):
    """A bug in fairlead: an answer that breaks its own rules, or a claim that was refuted."""
