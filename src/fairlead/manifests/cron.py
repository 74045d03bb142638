"""When the rules of a CronFederatedHPA act: schedules as Karmada reads them, and names of time zones.

Its webhook (gronx) takes more than its controller (robfig/cron) can run: seconds, years, 7 for Sunday.
"""

import re
from typing import NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

_MONTHS = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
_DAYS = ("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT")


class _Field(NamedTuple):
    """Field of a schedule."""

    name: str
    least: int
    most: int
    words: tuple[str, ...] = ()
    """Words for its numbers, from the least on; empty where it has none."""

    def number(self, written: str) -> int:
        """Return what a number or a word stands for; -1 for a word of another field."""
        if written in self.words:
            return self.least + self.words.index(written)
        return int(written) if written.isdigit() else -1


_FIELDS = (
    _Field("minute", 0, 59),
    _Field("hour", 0, 23),
    _Field("day of the month", 1, 31),
    _Field("month", 1, 12, _MONTHS),
    _Field("day of the week", 0, 6, _DAYS),
)
_SHORT = frozenset({"@yearly", "@annually", "@monthly", "@weekly", "@daily", "@hourly"})
_SHORT_IN_WEBHOOK = frozenset({"@always", "@5minutes", "@10minutes", "@15minutes", "@30minutes"})
_VALUE = rf"(?:[0-9]{{1,9}}|{'|'.join((*_MONTHS, *_DAYS))})"
_RANGE = re.compile(rf"(?:[*?]|({_VALUE})(?:-({_VALUE}))?)(?:/([0-9]{{1,9}}))?")
_NEAREST = re.compile(rf"L|{_VALUE}L|[0-9]{{1,2}}W|{_VALUE}#[0-9]")
SHAPE = (
    "must be a schedule of cron: minute, hour, day of the month, month and day of the week, "
    "such as 0 8 * * MON-FRI, or @daily"
)


def is_schedule(text: str) -> bool:
    """Tell whether Karmada's webhook takes a text as the schedule of a rule."""
    if text.strip().lower() in _SHORT | _SHORT_IN_WEBHOOK:
        return True
    fields = text.upper().split()
    parts = [part for each in fields for part in each.split(",")]
    known = all(_RANGE.fullmatch(each) or _NEAREST.fullmatch(each) for each in parts)
    return known and len(fields) in (5, 6, 7)


def never_runs(schedule: str) -> str | None:
    """Return why Karmada's controller cannot run a schedule that its webhook takes; None where it can."""
    fields = schedule.upper().split()
    if len(fields) == 1:
        return None if schedule.strip() in _SHORT else f"{schedule.strip()} is no schedule there"
    if len(fields) != len(_FIELDS):
        return f"it has {len(fields)} fields instead of {len(_FIELDS)}"
    for field, written in zip(_FIELDS, fields, strict=True):
        for part in written.split(","):
            if not _is_within(part, field):
                return f"{part} is no {field.name}, which is a number from {field.least} to {field.most}"
    return None


def _is_within(part: str, field: _Field) -> bool:
    """Tell whether a number or a range, with steps or without, lies in a field."""
    found = _RANGE.fullmatch(part)
    if found is None or (found[3] is not None and not int(found[3])):
        return False
    ends = [field.number(end) for end in (found[1], found[2]) if end]
    return ends == sorted(ends) and all(field.least <= end <= field.most for end in ends)


def is_time_zone(name: str) -> bool:
    """Tell whether there is a time zone of a name, as Karmada's webhook finds it: ``UTC``, ``Asia/Tokyo``.

    Every name is taken on a machine without a database of time zones.
    """
    return name in ("", "UTC", "Local") or _is_known(name) or not _is_known("Etc/UTC")


def _is_known(name: str) -> bool:
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return False
    return True
