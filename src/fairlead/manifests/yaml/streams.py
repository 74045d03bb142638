"""Documents from the text of a file: YAML, or JSON where YAML refuses it."""

import re

from fairlead.manifests.yaml.block import parse_block
from fairlead.manifests.yaml.builder import Values
from fairlead.manifests.yaml.json_text import looks_like_json, read_json
from fairlead.manifests.yaml.late import BlockText, JsonText, LateLines
from fairlead.manifests.yaml.quick import parse_json
from fairlead.models.errors import Mistake

# These end a line in YAML, and mean nothing in JSON.
_YAML_BREAK = re.compile("[\x85\u2028\u2029]")


def read_text(file: str, text: str) -> tuple[Values, list[Mistake]]:
    """Read every document of a text.

    Parameters
    ----------
    text
        YAML documents separated by ``---``, or JSON documents one after the other.

    Returns
    -------
    tuple
        The documents with their lines, and what is wrong. A broken document costs only itself.
    """
    like_json = looks_like_json(text)
    quick = _read_quick(file, text, like_json=like_json)
    if quick is not None:
        return quick, []
    if like_json and _YAML_BREAK.search(text):
        from_json = read_json(file, text)
        if from_json.is_json:
            return from_json.values, from_json.mistakes
    # Most texts are plain, and need no parser of all that YAML can be.
    from fairlead.manifests.yaml.events import read_yaml

    values, mistakes, broken = read_yaml(file, text)
    if broken and like_json:
        from_json = read_json(file, text)
        if from_json.is_json or file.endswith(".json"):
            return from_json.values, from_json.mistakes
    return values, mistakes + broken


def _read_quick(file: str, text: str, *, like_json: bool) -> Values | None:
    """Read a text in which everything is plain, without lines; None where something is not."""
    if like_json:
        value = parse_json(text)
        return None if value is None else [(value, LateLines(JsonText(file, text)))]
    found = parse_block(text)
    if found is None:
        return None
    lines = text.split("\n")
    parts = ((value, "\n".join(lines[begin:end]), begin + 1) for value, begin, end in found)
    return [(value, LateLines(BlockText(file, part, first))) for value, part, first in parts]
