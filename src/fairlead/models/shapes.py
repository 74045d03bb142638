"""Whether what somebody made in Python holds what it is declared to hold, as far as types tell.

Annotations are read as they stand: numbers, texts, classes, and mappings, sequences and sets of these. What
is declared otherwise is not looked at, nor are whole numbers in mappings: others tell what may stand there.
"""

import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, fields, is_dataclass
from functools import cache, wraps
from inspect import signature
from itertools import chain
from operator import attrgetter
from types import MappingProxyType, NoneType, SimpleNamespace, UnionType
from typing import Any, Literal, NamedTuple, ParamSpec, TypeVar, Union, get_args, get_origin, get_type_hints

from fairlead.models.errors import UsageError
from fairlead.models.words import either, shown

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

# What may stand for a type, where that is not the type alone.
_STANDS: Mapping[object, tuple[type, ...]] = MappingProxyType(
    {frozenset: (AbstractSet,), tuple: (tuple, list)}
)
# Types of values that do not tell whether they may stand there.
_UNTOLD = frozenset((Any, complex, float, object))
# What has nothing inside.
_CLOSED = frozenset((NoneType, bool, int, str))
_CALLED: Mapping[type, str] = MappingProxyType(
    {
        AbstractSet: "a set",
        bool: "True or False",
        Callable: "a function",  # type: ignore[dict-item]
        Collection: "a list",
        int: "a whole number",
        Iterable: "a list",
        list: "",
        Mapping: "a mapping",
        NoneType: "None",
        Sequence: "a list",
        str: "a string",
        tuple: "a tuple",
    }
)
_TEXTS = (str,)
# A text is no list of its letters.
_LISTS = frozenset((Collection, Iterable, Sequence))
# Nothing but rules may be of so many classes.
_RULES = 4


class _Kind(NamedTuple):
    """Allowed types of a value (empty: any), of its keys and items; None where nobody looks."""

    own: tuple[type, ...] = ()
    keys: "_Kind | None" = None
    items: "_Kind | None" = None

    @property
    def is_rule(self) -> bool:
        """Whether it is one of many classes, as rules are."""
        return len(self.own) >= _RULES

    @property
    def allowed(self) -> str:
        """Sentence on what is allowed: ``must be a number``."""
        return "is not a rule that belongs there" if self.is_rule else f"must be {self.words}"

    @property
    def words(self) -> str:
        """Names of the allowed types, joined by "or"."""
        articles = ("an" if each.__name__[0] in "AEIO" else "a" for each in self.own)
        called = (f"{article} {each.__name__}" for article, each in zip(articles, self.own, strict=True))
        names = map(_CALLED.get, self.own, called)
        return either(dict.fromkeys(name for name in names if name))

    def takes(self, found: type) -> bool:
        """Tell whether a value of a type may stand there: True is no number, though Python says so."""
        if issubclass(found, str | bytes) and not _LISTS.isdisjoint(self.own):
            return issubclass(found, tuple(each for each in self.own if each not in _LISTS))
        return not self.own or (issubclass(found, self.own) and (found is not bool or bool in self.own))


@dataclass(frozen=True, slots=True)
class Misfit:
    """A field that holds something else than declared: its name, what it holds, and what is allowed."""

    field: str
    value: object
    allowed: str


def fit(things: Collection[object], owner: type) -> bool:
    """Tell whether many instances of a class hold what is declared, inside of these as well."""
    return _fit(things, _Kind((owner,)))


def _fit(values: Collection[object], kind: _Kind) -> bool:
    """Tell whether values fit: types are looked at a field at a time, and mostly there are few of them.

    What knows by itself whether it holds what is declared says so.
    """
    if kind.own == _TEXTS and _are_texts(values):
        return True
    found = set(map(type, values))
    for each in found:
        if each not in kind.own and not kind.takes(each):
            return False
        if each in _CLOSED:
            continue
        same: Collection[Any] = values if len(found) == 1 else [it for it in values if type(it) is each]
        if hasattr(each, "as_declared"):
            if not all(it.as_declared for it in same):
                return False
        elif not all(_fit(column, inner) for column, inner in _columns(each, same, kind)):
            return False
    return True


def _are_texts(values: Collection[Any]) -> bool:
    """Tell whether all values are texts, faster than by their types: nothing else can be joined."""
    try:
        "".join(values)
    except TypeError:
        return False
    return True


def _columns(found: type, same: Collection[Any], kind: _Kind) -> Iterator[tuple[Collection[object], _Kind]]:
    """Yield the values in fields of one type, with their allowed types."""
    if is_dataclass(found):
        for name, inner, default in _declared(found):
            column = [*map(attrgetter(name), same)]
            # What holds its default fits: that is most of what a single one holds.
            if len(column) > 1 or column[0] is not default:
                yield column, inner
    if kind.keys is not None and issubclass(found, Mapping):
        yield _joined(same), kind.keys
    if kind.items is not None and issubclass(found, Collection):
        yield _joined([each.values() for each in same] if issubclass(found, Mapping) else same), kind.items


def _joined(values: Collection[Collection[object]]) -> Collection[object]:
    """Return the items of some values together; of a single one that itself."""
    return next(iter(values)) if len(values) == 1 else [*chain.from_iterable(values)]


def misfits(thing: object, field: str = "", apart: tuple[type, ...] = ()) -> tuple[Misfit, ...]:
    """Return the misfits in a data class, and inside of its fields.

    `field`: what the names of the fields begin with. `apart`: classes inside of which nobody looks.
    """
    owner: Any = type(thing)
    return tuple(
        each
        for name, kind, _ in _declared(owner)
        for each in _misfits(getattr(thing, name), f"{field}{name}", kind, apart)
    )


def _misfits(value: Any, field: str, kind: _Kind, apart: tuple[type, ...]) -> Iterator[Misfit]:
    """Yield the misfits inside a value, or the value itself."""
    if _fit((value,), kind):
        return
    if not kind.takes(type(value)):
        yield Misfit(field, value, kind.allowed)
    elif is_dataclass(value):
        if not isinstance(value, apart):
            yield from misfits(value, f"{type(value).__name__ if kind.is_rule else field}.", apart)
    else:
        for name, item, inner in _items(value, field, kind):
            yield from _misfits(item, name, inner, apart)
        keys = kind.keys or _Kind()
        odd = [key for key in value if not keys.takes(type(key))] if isinstance(value, Mapping) else ()
        yield from (Misfit(field, key, f"is a key and {keys.allowed}") for key in odd)


def _items(value: Any, field: str, kind: _Kind) -> Iterator[tuple[str, object, _Kind]]:
    """Yield the items of a mapping, a sequence or a set, with their names and allowed types."""
    if kind.items is None or not isinstance(value, Collection):
        return
    named = value.items() if isinstance(value, Mapping) else enumerate(value)
    for name, item in named:
        # Rules are told by their class, not by their place.
        place = name if isinstance(name, str) else shown(name)
        yield field if kind.items.is_rule else f"{field}[{place}]", item, kind.items


def refuse_misfits(*things: object) -> None:
    """Refuse data classes that are arguments of a call, and hold something else than declared.

    Raises `UsageError`, which names all that does.
    """
    _refuse(each for thing in things for each in misfits(thing, f"{type(thing).__name__}."))


def checked(function: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """Refuse calls whose arguments are of other types than declared; problems are looked at by themselves."""

    @wraps(function)
    def called(*arguments: Arguments.args, **settings: Arguments.kwargs) -> Result:
        names, kinds = _parameters(function)
        places = [*names[: len(arguments)], *[names[-1]] * (len(arguments) - len(names))]
        given = [*zip(places, arguments, strict=True), *settings.items()]
        _refuse(
            each
            for name, value in given
            if name in kinds
            for each in _misfits_of_argument(name, value, kinds[name])
        )
        return function(*arguments, **settings)

    return called


def _misfits_of_argument(name: str, value: object, kind: _Kind) -> Iterable[Misfit]:
    """Return the misfits of an argument: of lists each item, of data classes nothing inside."""
    if kind.items is not None and isinstance(value, Collection):
        return _misfits(value, name, kind, ())
    return () if kind.takes(type(value)) else (Misfit(name, value, f"must be {kind.words}"),)


def _refuse(wrong: Iterable[Misfit]) -> None:
    """Refuse arguments, all at once."""
    told = [
        f"{each.field} {shown(each.value)}: {each.allowed.replace('must be', 'allowed is')}" for each in wrong
    ]
    if told:
        raise UsageError("\n".join(told))


@cache
def _parameters(function: Callable[..., object]) -> tuple[Sequence[str], Mapping[str, _Kind]]:
    """Return the names of arguments that are given by place, and the allowed types of each argument."""
    known = signature(function).parameters.values()
    hints = {each.name: _evaluated(each.annotation, vars(sys.modules[function.__module__])) for each in known}
    by_place = [each.name for each in known if each.kind not in (each.KEYWORD_ONLY, each.VAR_KEYWORD)]
    return by_place, {name: _kind(hint) for name, hint in hints.items() if name != "problem"}


@cache
def _declared(owner: type) -> Sequence[tuple[str, _Kind, object]]:
    """Return the fields of a data class, what each is declared to hold, and its default."""
    known: dict[str, Any] = {}
    for each in reversed(owner.__mro__):
        known.update(vars(sys.modules[each.__module__]))
    return [(one.name, _kind(_evaluated(one.type, known)), one.default) for one in fields(owner)]


def _evaluated(annotation: object, known: dict[str, Any]) -> object:
    """Return the type that an annotation stands for; any where its module does not tell."""
    try:
        return get_type_hints(SimpleNamespace(__annotations__={"it": annotation}), known)["it"]
    except (AttributeError, NameError, SyntaxError, TypeError):
        return Any


def _kind(annotation: object, *, inside: bool = False) -> _Kind:
    """Return the types that an annotation allows; sets inside of others are looked up as a whole."""
    parts = get_args(annotation) if get_origin(annotation) in (Union, UnionType) else (annotation,)
    own: list[type] = []
    keys = items = None
    for part in parts:
        head = get_origin(part) or part
        if head is Literal:
            own += map(type, get_args(part))
            continue
        # Of protocols nobody can tell by the type.
        if not isinstance(head, type) or head in _UNTOLD or getattr(head, "_is_protocol", False):
            return _Kind()
        own += (head,) if inside else _STANDS.get(head, (head,))
        within = [_kind(each, inside=True) for each in get_args(part) if each is not Ellipsis]
        if within and issubclass(head, Mapping):
            keys, items = within
            items = None if int in items.own else items
        elif len(set(within)) == 1 and issubclass(head, Iterable):
            items = within[0]
    return _Kind(tuple(own), keys, items)
