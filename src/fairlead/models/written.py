"""How a value is written for those who program with it."""

from dataclasses import fields
from typing import Any

from fairlead.models.words import shown


class Written:
    """A data class (with ``repr=False``) that is written as any other, whatever its numbers.

    Python itself refuses to write a number of more than some thousand digits.
    """

    __slots__ = ()

    def __repr__(self) -> str:
        value: Any = self
        told = (f"{each.name}={shown(getattr(value, each.name))}" for each in fields(value) if each.repr)
        return f"{type(self).__qualname__}({', '.join(told)})"
