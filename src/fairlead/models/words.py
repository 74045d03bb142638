"""Numbers with their nouns, lists and data, as people write and read them."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import overload

from fairlead.models.quantity import format_units

SHOWN = 3
"""Names that a sentence tells before it counts the rest."""


def counted(count: int, noun: str) -> str:
    """Return a number with its noun.

    >>> counted(1, "replica"), counted(2, "replica"), counted(2, "policy")
    ('1 replica', '2 replicas', '2 policies')
    """
    return f"{count} {plural(noun, count)}"


def plural(noun: str, count: int) -> str:
    """Return a noun as it stands beside a number."""
    if count == 1:
        return noun
    return f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"


def be(count: int) -> str:
    """Return the verb that stands behind a number: ``1 is``, ``2 are``."""
    return "is" if count == 1 else "are"


def happening(numbers: Iterable[tuple[int, str, str]], noun: str = "") -> str:
    """Return numbers with their verbs: ``3 replicas move, 1 starts``; empty where all are 0.

    `numbers`: how many, and the verb for one and for several. `noun`: what stands behind the first number;
    empty where nothing does.

    Examples
    --------
    >>> happening([(3, "moves", "move"), (1, "starts", "start"), (0, "stops", "stop")], "replica")
    '3 replicas move, 1 starts'
    """
    parts = [(count, one if count == 1 else many) for count, one, many in numbers if count > 0]
    heads = [counted(count, noun) if noun and not at else str(count) for at, (count, _) in enumerate(parts)]
    return ", ".join(f"{head} {verb}" for head, (_, verb) in zip(heads, parts, strict=True))


def format_number(value: int | Fraction) -> str:
    """Return a number with at most four decimals; decimals that end in zeros were cut off, not exact."""
    if value.denominator == 1:
        return str(int(value))
    shown = f"{float(value):.4f}"
    if not float(shown):
        return f"{float(value):.1e}"
    return shown.rstrip("0") if Fraction(shown) == value else shown


def format_percent(share: Fraction) -> str:
    """Return a share between 0 and 1 as a percentage that is short, but not 0 where the share is not."""
    percent = float(100 * share)
    if percent >= 10 or not percent:
        return f"{percent:.0f}%"
    return f"{percent:.2g}%" if percent >= 0.01 else "<0.01%"


def listed(
    items: Sequence[str], noun: str = "", shown: int = SHOWN, fewest: int = 2, *, parted: bool = False
) -> str:
    """Return items as a list in a sentence; where there are too many, the first ones and how many more.

    `noun`: what the rest is called; empty where it is only counted. `shown`: items that are told before the
    rest is counted. `fewest`: a rest of fewer items is told as well. `parted`: True parts items that have
    commas of their own by semicolons.
    """
    told = list(items)
    if len(told) >= shown + fewest:
        rest = len(told) - shown
        told = [*told[:shown], counted(rest, f"more {noun}") if noun else f"{rest} more"]
    if parted and len(told) > 1:
        return f"{'; '.join(told[:-1])}; and {told[-1]}"
    return f"{', '.join(told[:-1])} and {told[-1]}" if len(told) > 1 else "".join(told)


def either(items: Iterable[str]) -> str:
    """Return alternatives as a list in a sentence.

    >>> either(["a"]), either(["a", "b", "c"])
    ('a', 'a, b or c')
    """
    *others, last = items
    return f"{', '.join(others)} or {last}" if others else last


def nearest(name: str, known: Iterable[str], most: int = 1, alike: float = 0.6) -> list[str]:
    """Return the known names that come near to one, the nearest first.

    `most`: how many are told; `alike`: how near they have to come, from 0 to 1.
    """
    from difflib import get_close_matches  # few names are misspelt

    return get_close_matches(name, list(known), most, alike)


def with_nearest(unknown: Sequence[str], known: Collection[str]) -> str:
    """Return unknown names, the first ones only, each with the known name that comes nearest.

    >>> with_nearest(["m22", "x"], ["m1", "m2"])
    'm22 (did you mean m2?), x'
    """
    told = []
    for name in unknown[:SHOWN]:
        near = nearest(name, sorted(known))
        told.append(f"{name} (did you mean {near[0]}?)" if near else name or "''")
    rest = f" and {len(unknown) - SHOWN} more" if len(unknown) > SHOWN else ""
    return ", ".join(told) + rest


def no_such(what: str, name: str, known: Iterable[str], shown: int = 5) -> str:
    """Say that there is nothing of a name, and what is called alike, the likest first, or what there is.

    `shown`: how many names of those that there are are told.
    """
    names = sorted(known)
    alike = nearest(str(name), names, SHOWN)
    told = f"did you mean {either(alike)}?" if alike else f"known: {listed(names, shown=shown) or 'none'}"
    return f"no {what} {name!r}; {told}"


def first_of(names: Sequence[str], shown: int = SHOWN) -> str:
    """Return the first names, and how many more there are."""
    rest = len(names) - shown
    return f"{', '.join(names[:shown])} and {rest} more" if rest > 0 else ", ".join(names)


def shown(value: object) -> str:
    """Return a value as Python writes it, for what is said of one that is wrong.

    Python writes no whole number of more than some thousand digits, however deep it stands in a value.
    """
    try:
        return repr(value)
    except ValueError:
        return "a number with thousands of digits"


def escaped(text: str) -> str:
    r"""Return a text in which every character can be seen; the others are written as in Python.

    Control characters, line breaks and those that turn the direction of a line may stand in names and values
    of the input, and a terminal would obey them.

    >>> print(escaped("w\x1b[2J"), escaped("a\u202eb"))
    w\x1b[2J a\u202eb
    """
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else _escape(ord(char)) for char in text)


def _escape(code: int) -> str:
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


_MOST = 6
"""Entries of a mapping that are shown; more are counted."""


def called(name: str, first: str, **others: object) -> str:
    """Return a value as a call with keywords; what is empty or None is left out.

    An empty mapping is told: nothing free is not the same as not known.

    >>> called("Cluster", "m1", region="eu", labels=None)
    "Cluster('m1', region='eu')"
    """
    told = [shown(first), *(f"{key}={_short(value)}" for key, value in others.items() if _says(value))]
    return f"{name}({', '.join(told)})"


def _says(value: object) -> bool:
    """Tell whether a value is worth a word: a number and a mapping always are."""
    return bool(value) or isinstance(value, Mapping) or (isinstance(value, int) and value is not False)


def _short(value: object) -> str:
    if isinstance(value, Mapping) and len(value) > _MOST:
        return f"<{len(value)} entries>"
    return shown(value)


@overload
def amounts(units: Mapping[str, int]) -> Mapping[str, str]: ...
@overload
def amounts(units: None) -> None: ...
@overload
def amounts(units: object) -> object: ...
def amounts(units: object) -> object:
    """Return amounts by resource as people write them; as it is what is none, as in a problem not valid."""
    if not isinstance(units, Mapping):
        return units
    return {resource: _amount(resource, amount) for resource, amount in units.items()}


def each_of(values: object, tell: Callable[[object], str]) -> object:
    """Return the words on each of some values; as it is what is no tuple, as in a problem not valid."""
    return tuple(map(tell, values)) if isinstance(values, tuple) else values


def _amount(resource: str, amount: object) -> str:
    """Return an amount as people write it; as it is where it is none, as in a problem that is not valid."""
    try:
        return format_units(resource, amount) if isinstance(amount, int) else str(amount)
    except ValueError:
        return shown(amount)


def number(value: int | Fraction | None) -> str:
    """Return a number as one: whole, or with decimals.

    >>> number(Fraction(2, 25)), number(3), number(None)
    ('0.08', '3', 'None')
    """
    return repr(float(value)) if isinstance(value, Fraction) and value.denominator != 1 else str(value)
