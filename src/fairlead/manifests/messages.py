"""What is wrong with a value, in plain words that say what is allowed."""

from collections.abc import Callable, Mapping
from typing import Any

from pydantic_core import ErrorDetails

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
    "string_type": "must be text",
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
    """Return what is wrong with a value and what is allowed, to be read after the value.

    Parameters
    ----------
    details
        One error as pydantic reports it.
    """
    kind = details["type"]
    if kind in _WORDS:
        return _WORDS[kind]
    if kind in _SCALARS:
        return _SCALARS[kind] + _about_quotes(kind, details["input"])
    if kind in _FROM_CONTEXT:
        return _FROM_CONTEXT[kind](details.get("ctx", {}))
    return details["msg"][:1].lower() + details["msg"][1:]


def _about_quotes(kind: str, value: object) -> str:
    """Say what quotes have to do with it: numbers and booleans have none, text may need them."""
    if kind == "string_type":
        return "; put quotes around it" if isinstance(value, int | float) else ""
    return ", without quotes" if isinstance(value, str) else ""


def _choices(expected: str) -> str:
    """Turn ``'', 'A', 'B' or 'C'`` into ``allowed are A, B and C``."""
    names = [name.strip("' ") for name in expected.replace(" or ", ", ").split(",")]
    filled = [name for name in names if name]
    if len(filled) == 1:
        return f"allowed is {filled[0]}"
    return f"allowed are {', '.join(filled[:-1])} and {filled[-1]}"
