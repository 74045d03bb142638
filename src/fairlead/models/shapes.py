"""Whether what somebody made in Python holds what it is declared to hold, as far as types tell.

Annotations are read as they stand: numbers, texts, mappings, sequences, sets and classes that the module of a
class knows. What is declared otherwise is not looked at.
"""

import sys
from collections import ChainMap
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, fields
from functools import cache
from itertools import chain
from operator import attrgetter
from types import MappingProxyType, NoneType, UnionType
from typing import Any, NamedTuple, get_args, get_origin

_PLAIN: Mapping[str, tuple[type, ...]] = MappingProxyType(
    {
        "None": (NoneType,),
        "bool": (bool,),
        "frozenset": (AbstractSet,),
        "int": (int,),
        "Mapping": (Mapping,),
        "str": (str,),
        "tuple": (tuple, list),
    }
)
# Types of values that do not tell whether they may stand there.
_UNTOLD = frozenset((Any, complex, float, object))
_CALLED: Mapping[type, str] = MappingProxyType(
    {
        AbstractSet: "a set",
        bool: "True or False",
        int: "a whole number",
        list: "",
        Mapping: "a mapping",
        NoneType: "None",
        str: "text",
        tuple: "a tuple",
    }
)


class _Kinds(NamedTuple):
    """What a value may be, and what the values of a mapping may be; empty where that is not looked at."""

    own: tuple[type, ...]
    inside: tuple[type, ...] = ()


@dataclass(frozen=True, slots=True)
class Misfit:
    """A field that holds something else than declared: its name, what it holds, and what is allowed."""

    field: str
    value: object
    allowed: str


def misfits(thing: object) -> Sequence[Misfit]:
    """Return the fields of a data class that hold something else than declared."""
    owner: Any = type(thing)
    shape = _shape(owner)
    values = shape.read(thing)
    # Most things of a class hold values of the same types.
    as_declared = _fits(owner, tuple(map(type, values)))
    if as_declared and not shape.mappings:
        return ()
    found: list[Misfit] = []
    if not as_declared:
        declared = zip(shape.fields.items(), values, strict=True)
        for (name, kinds), value in declared:
            if kinds.own and not _is_one_of(type(value), kinds.own):
                found.append(Misfit(name, value, f"must be {_called(kinds.own)}"))
    for name, inside in shape.mappings.items():
        value = getattr(thing, name)
        if type(value) is dict and not _are_of(value.values(), inside):
            for key, each in value.items():
                if not _is_one_of(type(each), inside):
                    found.append(Misfit(f"{name}[{key}]", each, f"must be {_called(inside)}"))
    return found


def fit(things: Collection[object], owner: type) -> bool:
    """Tell whether many instances of a class are seen to hold what is declared, field by field."""
    shape = _shape(owner)
    if not _are_of(things, (owner,)):
        return False
    for name, inside in shape.mappings.items():
        held = [each for each in map(attrgetter(name), things) if type(each) is dict]
        if not _are_of(chain.from_iterable(map(dict.values, held)), inside):
            return False
    return all(
        _are_of(map(attrgetter(name), things), kinds.own) for name, kinds in shape.fields.items() if kinds.own
    )


def _are_of(values: Iterable[object], allowed: tuple[type, ...]) -> bool:
    """Tell whether all of some values may stand there."""
    return all(_is_one_of(each, allowed) for each in set(map(type, values)))


@cache
def _fits(owner: type, types: tuple[type, ...]) -> bool:
    """Tell whether values of some types are what the fields of a class are declared to hold."""
    declared = _shape(owner).fields.values()
    return all(_is_one_of(one, kinds.own) for one, kinds in zip(types, declared, strict=True) if kinds.own)


def _is_one_of(found: type, allowed: tuple[type, ...]) -> bool:
    """Tell whether a value of a type may stand there: True is no number, though Python says so."""
    return issubclass(found, allowed) and (found is not bool or bool in allowed)


def _called(allowed: tuple[type, ...]) -> str:
    """Return what is allowed, in words."""
    names = (_CALLED.get(each, f"a {each.__name__}") for each in allowed)
    return " or ".join(name for name in names if name)


class _Shape(NamedTuple):
    """What a class is declared to hold."""

    fields: Mapping[str, _Kinds]
    mappings: Mapping[str, tuple[type, ...]]
    """Fields that are mappings of which the values are looked at."""
    read: Callable[[object], tuple[object, ...]]
    """Returns the values of all fields."""


@cache
def _shape(owner: type) -> _Shape:
    """Return what every field of a class is declared to hold."""
    known = ChainMap(*(vars(sys.modules[each.__module__]) for each in owner.__mro__))
    # Of a single name a getter returns no tuple.
    always = dict.fromkeys(("__class__", "__module__"), _Kinds(()))
    declared = {one.name: _kinds(one.type, known) for one in fields(owner)} | always
    mappings = {name: kinds.inside for name, kinds in declared.items() if kinds.inside}
    return _Shape(declared, mappings, attrgetter(*declared))


def _kinds(annotation: object, known: Mapping[str, Any]) -> _Kinds:
    """Return what an annotation allows."""
    parts = list(_parts(annotation, known))
    own = [_types(head, known) for head, _ in parts]
    values = (arguments[1] for head, arguments in parts if _name(head) == "Mapping" and arguments)
    within = [_types(head, known) for each in values for head, _ in _parts(each, known)]
    # Sets of clusters by group are looked up as a whole.
    within = [(frozenset,) if each == (AbstractSet,) else each for each in within]
    # Numbers inside mappings are looked at by their amounts.
    plain = not within or not all(within) or (int,) in within
    return _Kinds(_joined(own) if all(own) else (), () if plain else _joined(within))


def _joined(found: list[tuple[type, ...]]) -> tuple[type, ...]:
    """Return all of some types."""
    return tuple(one for each in found for one in each)


def _parts(annotation: object, known: Mapping[str, Any]) -> Iterator[tuple[object, tuple[object, ...]]]:
    """Yield the alternatives of an annotation, written or evaluated: each with its arguments."""
    if isinstance(annotation, str):
        for part in _split(annotation, "|"):
            head, _, rest = part.partition("[")
            if get_origin(known.get(head)) is not None:  # the name of another annotation
                yield from _parts(known[head], known)
            else:
                yield head, tuple(_split(rest.removesuffix("]"), ",")) if rest else ()
    elif isinstance(annotation, UnionType):
        for each in get_args(annotation):
            yield from _parts(each, known)
    else:
        yield get_origin(annotation) or annotation, get_args(annotation)


def _split(text: str, mark: str) -> list[str]:
    """Return the parts of a text between marks that stand in no brackets."""
    found, depth = [""], 0
    for character in text:
        depth += (character == "[") - (character == "]")
        if character == mark and not depth:
            found.append("")
        else:
            found[-1] += character
    return [part.strip() for part in found]


def _name(head: object) -> str:
    """Return what a type is called."""
    return head if isinstance(head, str) else getattr(head, "__name__", "")


def _types(head: object, known: Mapping[str, Any]) -> tuple[type, ...]:
    """Return the types that a name stands for; none where that is not known."""
    name = _name(head)
    if name in _PLAIN:
        return _PLAIN[name]
    found = known.get(name) if isinstance(head, str) else head
    # Of protocols nobody can tell by the type.
    if not isinstance(found, type) or found in _UNTOLD or getattr(found, "_is_protocol", False):
        return ()
    return (found,)
