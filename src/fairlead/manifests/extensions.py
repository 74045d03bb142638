"""Extensions by packages outside of fairlead: kinds of manifests that make rules, and levels.

They are looked for (entry points of the group ``fairlead.extensions``) only where an input names a kind or a
level that is not fairlead's own.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import ClassVar

from fairlead.manifests.api import KINDS
from fairlead.manifests.api.meta import Object
from fairlead.manifests.yaml.documents import OWN_GROUP, group_of
from fairlead.models.cluster import Cluster
from fairlead.models.errors import ExtensionError, FairleadError
from fairlead.models.extensions import points
from fairlead.models.levels import ALL, NAMES, Level
from fairlead.models.rules import CustomCost, CustomRule
from fairlead.models.source import Source
from fairlead.models.workload import Workload

Outside = CustomRule | CustomCost
"""A rule that a manifest may make."""


class RuleManifest(Object):
    """Parent of kinds from outside: what a manifest of the kind says of every workload that it selects.

    A kind is a subclass with a ``spec`` that is a `SelectingSpec`; its name is the kind. Fields are declared
    as pydantic declares them: mistakes are told with file, line, field and value, and the JSON Schema has
    them. It belongs to no namespace.
    """

    group_version: ClassVar[str]
    """The ``apiVersion`` of the kind, such as ``example.com/v1``."""

    def rule(
        self, workload: Workload, candidates: Sequence[Cluster], source: Callable[..., Source]
    ) -> Outside | None:
        """Return the rule that the manifest makes for a workload; None where it makes none.

        Parameters
        ----------
        candidates
            The clusters on which the workload may stand, in the order of their names.
        source
            Returns file and line of a field, such as ``source("spec", "size")``.
        """
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Extension:
    """Kinds and levels that a package adds.

    Raises
    ------
    ExtensionError
        Where a kind or a level is none.
    """

    kinds: tuple[type[RuleManifest], ...] = ()
    """Kinds of manifests."""
    levels: tuple[Level, ...] = ()
    """Levels on which its rules count, so that a `Profile` may name them."""

    def __post_init__(self) -> None:
        for kind in self.kinds:
            if wrong := _fault_of_kind(kind):
                raise ExtensionError(f"{_named(kind)} {wrong}")
        for level in self.levels:
            if level.key in NAMES or level.key in ALL or not level.title:
                raise ExtensionError(
                    f"the level {level.key!r} of an extension needs a key and a title of its own"
                )


@dataclass(frozen=True, slots=True)
class Extensions:
    """The extensions that count: those that are given, and those that are installed once one is missing."""

    given: tuple[Extension, ...] = ()
    """Extensions that need not be installed."""

    def kind(self, api_version: str, kind: str) -> type[RuleManifest] | None:
        """Return the type of a kind; None where no extension has it."""
        found = self.named(kind)
        return found if found is not None and found.group_version == api_version else None

    def named(self, kind: str) -> type[RuleManifest] | None:
        """Return the type of a kind by its name alone; None where no extension has it."""
        every = (kind for each in self._all() for kind in each.kinds)
        return next((each for each in every if each.__name__ == kind), None)

    def level(self, name: str) -> Level | None:
        """Return the level of a key or a title; None where no extension has it."""
        return next((level for level in self.levels() if name in (level.key, level.title)), None)

    def levels(self) -> Iterator[Level]:
        """Yield the levels of all extensions."""
        return (level for each in self._all() for level in each.levels)

    def _all(self) -> Iterator[Extension]:
        """Yield the extensions that are given, then those that are installed, which are loaded only then."""
        yield from self.given
        yield from installed()


@cache
def installed() -> tuple[Extension, ...]:
    """Return the extensions that are installed, in the order of their names; they are loaded once.

    Raises `ExtensionError` where one cannot be loaded, is no `Extension`, or brings a kind that another one
    brings.
    """
    loaded: list[Extension] = []
    brought: dict[str, str] = {}
    for point in points():
        title = f"extension {point.name} ({point.value})"
        try:
            extension = point.load()
        except FairleadError as error:
            raise ExtensionError(f"{title} cannot be loaded: {error}") from error
        except Exception as error:
            raise ExtensionError(f"{title} cannot be loaded: {error!r}") from error
        if not isinstance(extension, Extension):
            raise ExtensionError(f"{title} is {type(extension).__name__}; it has to be a fairlead Extension")
        for kind in extension.kinds:
            first = brought.setdefault(kind.__name__, title)
            if first != title:
                raise ExtensionError(f"{title} brings the kind {kind.__name__}, as does {first}")
        loaded.append(extension)
    return tuple(loaded)


def kinds() -> Mapping[str, type[RuleManifest]]:
    """Return the kinds of all extensions that are installed, by name."""
    return {kind.__name__: kind for extension in installed() for kind in extension.kinds}


def _fault_of_kind(kind: type[RuleManifest]) -> str:
    """Return the fault of a kind in words; empty where it has none."""
    from fairlead.manifests.api.own_values import SelectingSpec

    version = getattr(kind, "group_version", "")
    group = group_of(version)
    field = kind.model_fields.get("spec")
    spec = None if field is None else field.annotation
    if not group or group == OWN_GROUP:
        return f"has the group_version {version!r}; needed is a group of its own, such as 'example.com/v1'"
    if kind.__name__ in {name for _, name in KINDS}:
        return "has the name of a kind that fairlead reads; choose another"
    if not (isinstance(spec, type) and issubclass(spec, SelectingSpec)):
        return "needs a field spec of a type that is a SelectingSpec"
    return ""


def _named(kind: type[RuleManifest]) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"


def rule_of(
    model: RuleManifest, workload: Workload, candidates: Sequence[Cluster], source: Callable[..., Source]
) -> Outside | None:
    """Return the rule that a manifest makes for a workload; see `RuleManifest.rule`.

    Raises `ExtensionError` where the kind fails, or returns what is no rule from outside.
    """
    try:
        rule = model.rule(workload, candidates, source)
    except FairleadError:
        raise
    except Exception as error:
        raise ExtensionError(f"{_named(type(model))} fails for {workload.key}: {error!r}") from error
    if rule is not None and not isinstance(rule, Outside):
        raise ExtensionError(
            f"{_named(type(model))} makes {type(rule).__name__}, which is not a rule from outside"
        )
    return rule
