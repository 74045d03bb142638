"""Unquoted YAML scalars as Kubernetes reads them, and documents written as YAML.

Kubernetes turns YAML into JSON before it looks at it (the Go package ``sigs.k8s.io/yaml``), with the words of
YAML 1.1 and Go's numbers. The same is done here, so that a manifest means the same to both. Others read YAML
1.1 as it was written down, or YAML 1.2: what is written has quotes where any of them would take a text for
something else.
"""

import re
from collections.abc import Callable, Iterable
from functools import cache
from typing import TYPE_CHECKING

from fairlead.models.words import escaped

if TYPE_CHECKING:
    import yaml

Scalar = str | int | float | bool | None

_WORDS: dict[str, Scalar] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON", "y", "Y"), True),
    **dict.fromkeys(("false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF", "n", "N"), False),
}
_UNLIMITED = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
_DECIMAL = re.compile(r"[-+]?(0|[1-9][0-9]*)")
_PREFIXED = re.compile(r"([-+]?)0(?:[xX]([0-9a-fA-F]+)|[oO]?([0-7]+)|[bB]([01]+))")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")

# The largest float has 309 digits; longer numbers are text, so that nobody converts digits without end.
_LONGEST_NUMBER = 320

# Up to here every whole number is exactly one float.
EXACT_FLOATS = 2**53

_TAG = "tag:yaml.org,2002:"


def resolve(text: str) -> Scalar:
    """Turn the text of an unquoted scalar into the value it stands for.

    Timestamps and sexagesimal numbers stay text. A number with a fraction or an exponent is a float, and an
    int where it is whole (``1e3`` is 1000), as after Kubernetes' detour through JSON. A decimal of up to 15
    digits comes back exactly from ``repr`` of the float.

    Raises `ValueError` where the text is an infinity or not a number, which JSON does not have.
    """
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in "+-.0123456789":
        return text
    if _UNLIMITED.fullmatch(text):
        raise ValueError("is not a number that a manifest can hold; write a finite number, or quote it")
    # Go drops underscores behind a digit or a sign, and nowhere else.
    plain = text if text[0] == "." else text.replace("_", "")
    number = _number(plain) if len(plain) <= _LONGEST_NUMBER else None
    return text if number is None else number


def _number(plain: str) -> int | float | None:
    """Return the number that a text without underscores stands for; None where it is none."""
    if _DECIMAL.fullmatch(plain):
        return int(plain)
    prefixed = _PREFIXED.fullmatch(plain)
    if prefixed:
        sign, hexadecimal, octal, binary = prefixed.groups()
        size = int(hexadecimal, 16) if hexadecimal else int(octal, 8) if octal else int(binary, 2)
        return -size if sign == "-" else size
    if not _FLOAT.fullmatch(plain):
        return None
    number = float(plain)
    if number in (float("inf"), float("-inf")):
        return None
    return whole(number)


def whole(number: float) -> int | float:
    """Return a float without a fraction as an int, as JSON writes it."""
    return int(number) if number.is_integer() and abs(number) < EXACT_FLOATS else number


def key_text(value: Scalar) -> str:
    """Return a scalar as the key of a JSON object, as Kubernetes converts it: ``true``, ``1``, ``1.5``.

    Raises `ValueError` where the value is null, which no key can be.
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        raise ValueError("is null, which cannot be a key; write a name")
    try:
        return str(value)
    except ValueError:
        raise ValueError("is a number with thousands of digits; write a name") from None


def resolve_tagged(tag: str, text: str) -> Scalar:
    """Return the value of a scalar with an explicit tag, such as ``!!str 1``.

    Raises `ValueError` where the tag is not of the core schema, or the text is not of that type.
    """
    name = tag.removeprefix(_TAG)
    if name in ("!", "str"):
        return text
    fits = _TYPES.get(name) if tag.startswith(_TAG) else None
    if fits is None:
        allowed = "!!str, !!int, !!float, !!bool, !!null, !!map and !!seq"
        raise ValueError(f"has the tag {short_tag(tag)}; allowed are {allowed}")
    value = resolve(text)
    if not fits(value):
        raise ValueError(f"is not what its tag {short_tag(tag)} says")
    return value


_TYPES: dict[str, Callable[[Scalar], bool]] = {
    "int": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "float": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "bool": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
}


def short_tag(tag: str) -> str:
    """Return a tag as people write it: ``!!str`` for ``tag:yaml.org,2002:str``."""
    return "!!" + tag.removeprefix(_TAG) if tag.startswith(_TAG) else tag


def collection_tag_fits(tag: str | None, name: str) -> bool:
    """Tell whether a mapping (``map``) or a list (``seq``) may carry this tag; None is no tag."""
    return tag is None or tag in ("!", _TAG + name)


_MISREAD = frozenset({"", "~", "null", "true", "false", "yes", "no", "on", "off", "y", "n", "=", "<<"})
"""Texts that some reader takes for a boolean, for nothing or for a merge; in any case of letters."""

# Numbers of every base, with underscores, exponents and colons (60 is the base of YAML 1.1), infinities, and
# dates. Quotes around a name that only looks like one harm nobody.
_NUMBER_LIKE = re.compile(r"[-+.]?\.?[0-9][-+.:_ 0-9a-fA-FoOxXtTzZ]*|[-+]?\.(?:inf|nan)", re.IGNORECASE)


def reads_as_text(text: str) -> bool:
    """Tell whether every reader takes a text for text where it stands without quotes.

    >>> [reads_as_text(one) for one in ("member1", "y", "1e3", "0o17", "500m", "2026-11-22")]
    [True, False, False, False, True, False]
    """
    return text.casefold() not in _MISREAD and not _NUMBER_LIKE.fullmatch(text)


def to_yaml(document: object) -> str:
    """Return a document as YAML; keys keep their order."""
    return to_yaml_stream([document])


def to_yaml_stream(documents: Iterable[object]) -> str:
    """Return documents as YAML, with ``---`` between them.

    Only characters of ASCII stand there as they are: control characters, and those that turn the direction of
    a line, are escaped. What occurs twice is written twice, as ``kubectl`` does.
    """
    import yaml

    text: str = yaml.dump_all(list(documents), Dumper=_dumper(), sort_keys=False, default_flow_style=False)
    return text


def commented(text: str, lines: Iterable[str]) -> str:
    """Return YAML below lines of comment; what a terminal or a reader would obey in them is escaped."""
    return "".join(f"# {escaped(line)}\n" for line in lines) + text


@cache
def _dumper() -> "type[yaml.SafeDumper]":
    """Return a writer of YAML that puts quotes around what could be misread."""
    import yaml

    base: type[yaml.SafeDumper] = getattr(yaml, "CSafeDumper", yaml.SafeDumper)

    class Quoting(base):  # type: ignore[valid-type, misc]
        """Writes texts in quotes where a reader would not read a text, and no aliases."""

        def ignore_aliases(self, data: object) -> bool:
            del data
            return True

    def text_node(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
        style = None if reads_as_text(text) else "'"
        return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)

    Quoting.add_representer(str, text_node)
    return Quoting
