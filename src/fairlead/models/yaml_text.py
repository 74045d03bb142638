"""Documents as YAML that every reader understands alike.

Kubernetes reads YAML 1.1 with Go's numbers, others read YAML 1.1 as it was written down or YAML 1.2. A text
that any of them would take for something else stands in quotes.
"""

import re
from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING

from fairlead.models.words import escaped

if TYPE_CHECKING:
    import yaml

_WORDS = frozenset({"", "~", "null", "true", "false", "yes", "no", "on", "off", "y", "n", "=", "<<"})
"""Texts that some reader takes for a boolean, for nothing or for a merge; in any case of letters."""

# Numbers of every base, with underscores, exponents and colons (60 is the base of YAML 1.1), infinities, and
# dates. Quotes around a name that only looks like one harm nobody.
_NUMBER_LIKE = re.compile(r"[-+.]?\.?[0-9][-+.:_ 0-9a-fA-FoOxXtTzZ]*|[-+]?\.(?:inf|nan)", re.IGNORECASE)


def reads_as_text(text: str) -> bool:
    """Tell whether every reader takes a text for text where it stands without quotes.

    >>> [reads_as_text(one) for one in ("member1", "y", "1e3", "0o17", "500m", "2026-11-22")]
    [True, False, False, False, True, False]
    """
    return text.casefold() not in _WORDS and not _NUMBER_LIKE.fullmatch(text)


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
