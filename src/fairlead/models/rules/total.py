"""Total: the replicas of a divided workload add up to what it asks for."""

from collections.abc import Iterator
from dataclasses import dataclass

from fairlead.models.data import WorkloadData
from fairlead.models.mistaken import Unmistakable
from fairlead.models.requirement import UNPLACED, Everywhere, GivesWay, Kind, Requirement, Side
from fairlead.models.source import Source
from fairlead.models.words import counted

KIND = "total"


@dataclass(frozen=True, slots=True, repr=False)
class Total(Unmistakable):
    """The sum over all clusters equals the workload's replicas."""

    source: Source | None = None
    """Where the rule was declared; None where it was not."""

    def requirements(self, workload: WorkloadData) -> Iterator[Requirement]:
        """Yield how many replicas are wanted."""
        yield requirement(self, workload)


def requirement(rule: Total, workload: WorkloadData) -> Requirement:
    """Return how many replicas are wanted."""
    wanted, ways = workload.replicas, GivesWay.ALWAYS
    return Requirement(_RULE, Side.EXACTLY, wanted, Everywhere(), workload, rule.source, gives_way=ways)


def _asked(one: Requirement) -> str:
    return f"{one.workload.key} needs {counted(one.limit, 'replica')}"


def _broken(one: Requirement, found: int) -> str:
    return f"{one.workload.key}: {found} of {counted(one.limit, 'replica')} placed"


_RULE = Kind(KIND, _asked, _broken, UNPLACED)
