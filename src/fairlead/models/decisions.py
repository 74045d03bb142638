"""Why a workload stands where it stands: one decision per cluster, in the user's words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Literal, NamedTuple

from fairlead.models.levels import MOVES_LAST
from fairlead.models.outcome import ClusterDecision, Outcome, Status
from fairlead.models.quantity import format_units
from fairlead.models.remaining import Remaining, more_replicas, remaining, scarcest
from fairlead.models.rules import Aggregated, Bounds, Candidates, Capacity, Duplicated, Moves, Spread, Weights
from fairlead.models.rules.capacity import demands
from fairlead.models.rules.moves import level as level_of_moves
from fairlead.models.rules.spread import used_groups
from fairlead.models.wanted import wanted
from fairlead.models.workload import Workload

NAMED = 3
"""How many other clusters a reason names before it counts them."""


class Decisions(Mapping[str, tuple[ClusterDecision, ...]]):
    """The decisions of an outcome by workload key; each workload is looked at when it is asked for.

    Parameters
    ----------
    outcome
        The outcome to explain.
    """

    def __init__(self, outcome: Outcome) -> None:
        self._outcome = outcome

    def __getitem__(self, workload: str) -> tuple[ClusterDecision, ...]:
        if workload not in self._outcome.problem.workload_by_key:
            raise KeyError(workload)
        return _decide(self._outcome, self._outcome.problem.workload(workload), self._left)

    def __iter__(self) -> Iterator[str]:
        return iter(self._outcome.problem.workload_by_key)

    def __len__(self) -> int:
        return len(self._outcome.problem.workloads)

    def __repr__(self) -> str:
        return f"<decisions of {len(self)} workloads>"

    @cached_property
    def _left(self) -> Remaining:
        return _left_of(self._outcome)


def decisions_of(outcome: Outcome, workload_key: str) -> tuple[ClusterDecision, ...]:
    """Return what was decided for a workload on every cluster of the problem, in name order.

    Parameters
    ----------
    outcome
        The outcome to explain.
    workload_key
        Key of the workload.

    Raises
    ------
    UsageError
        Where the problem has no workload of that key.
    """
    return _decide(outcome, outcome.problem.workload(workload_key), _left_of(outcome))


def _left_of(outcome: Outcome) -> Remaining:
    """Return what is left after the placement; nothing is said where capacity is no rule."""
    limited = any(isinstance(rule, Capacity) for rule in outcome.problem.rules)
    return remaining(outcome.problem, outcome.placement) if limited and outcome.placement is not None else {}


class _Finding(NamedTuple):
    """Why a cluster holds what it holds, and whether it would otherwise hold more or less."""

    text: str
    binds: Literal["", "from above", "from below"] = ""


@dataclass(frozen=True)
class _View:
    """A workload with everything that its reasons need."""

    outcome: Outcome
    workload: Workload
    left: Remaining

    @cached_property
    def placed(self) -> Mapping[str, int]:
        return self.outcome.placement.of(self.workload.key) if self.outcome.placement is not None else {}

    @cached_property
    def candidates(self) -> Candidates:
        every = tuple(self.outcome.problem.cluster_by_name)
        return self.workload.rule(Candidates) or Candidates(every)

    @cached_property
    def open_to(self) -> frozenset[str]:
        return frozenset(self.candidates.names)

    @cached_property
    def bounds(self) -> Bounds:
        return self.workload.rule(Bounds) or Bounds()

    @cached_property
    def weights(self) -> Weights | None:
        return self.workload.rule(Weights)

    @cached_property
    def whole_weight(self) -> int:
        return sum(self.weights.weights.values()) if self.weights else 0

    @cached_property
    def wanted(self) -> Mapping[str, Fraction]:
        return wanted(self.workload, self.placed)

    @cached_property
    def keeps(self) -> bool:
        moves = self.workload.rule(Moves)
        return moves is not None and level_of_moves(moves, self.workload) != MOVES_LAST

    @cached_property
    def broken(self) -> Mapping[str, str]:
        return {
            violation.cluster: violation.text
            for violation in reversed(self.outcome.violations)
            if violation.cluster is not None and violation.workload in (None, self.workload.key)
        }


def _decide(outcome: Outcome, workload: Workload, left: Remaining) -> tuple[ClusterDecision, ...]:
    """Explain every cluster; those far from their share point at the clusters that are to blame."""
    view = _View(outcome, workload, left)
    names = tuple(outcome.problem.cluster_by_name)
    if outcome.placement is None:
        return tuple(ClusterDecision(name, False, 0, _unplaced(view, name)) for name in names)
    findings = {name: _find(view, name) for name in names}
    above = [name for name in names if findings[name].binds == "from above"]
    below = [name for name in names if findings[name].binds == "from below"]
    return tuple(
        ClusterDecision(
            name,
            _selected(view, name),
            view.placed.get(name, 0),
            _told(view, name, findings[name], above, below),
        )
        for name in names
    )


def _selected(view: _View, cluster: str) -> bool:
    """Tell whether the manifest goes to a cluster: where replicas stand; all candidates if there are 0."""
    told = view.outcome.selected.get(view.workload.key)
    if told is not None:
        return cluster in told
    if view.workload.replicas:
        return view.placed.get(cluster, 0) > 0
    return cluster in view.open_to


def _unplaced(view: _View, cluster: str) -> str:
    """Say why there is nothing on a cluster where there is no placement at all."""
    if cluster not in view.open_to:
        return _excluded(view, cluster)
    if view.outcome.status is Status.UNKNOWN:
        return "no placement was found in time"
    for statement in view.outcome.conflict.rules if view.outcome.conflict else ():
        if statement.cluster == cluster and statement.workload in (None, view.workload.key):
            return f"nothing is placed: {statement.text}"
    return "nothing is placed: no placement keeps every rule"


def _excluded(view: _View, cluster: str) -> str:
    """Return the end of Karmada's sentence "1 cluster(s) ..."."""
    exclusion = view.candidates.excluded.get(cluster)
    return exclusion.reason if exclusion else "is not a candidate"


def _find(view: _View, cluster: str) -> _Finding:
    """Return the first rule that settles a cluster; the share of the weights where none does."""
    replicas = view.placed.get(cluster, 0)
    if cluster in view.broken and (replicas or cluster in view.open_to):
        return _Finding(f"breaks a rule: {view.broken[cluster]}")
    if cluster not in view.open_to:
        return _Finding(_excluded(view, cluster))
    if not view.workload.replicas:
        return _Finding("scaled to 0")
    if not replicas and (limit := _not_chosen(view)):
        return _Finding(limit)
    if view.workload.rule(Duplicated) is not None:
        return _Finding("full copy")
    bound = _at_bound(view, cluster, replicas) or _kept(view, cluster, replicas)
    return bound or _full(view, cluster, replicas) or _share(view, cluster, replicas)


def _not_chosen(view: _View) -> str:
    """Say what limits the number of clusters or groups that may be used; empty where nothing does."""
    if view.workload.rule(Aggregated) is not None:
        return "not needed: as few clusters as possible are used"
    limits = [rule for rule in view.workload.rules_of(Spread) if rule.maximum is not None]
    full = [rule for rule in limits if len(used_groups(rule, view.placed)) == rule.maximum]
    return f"not chosen: at most {full[0].maximum} {full[0].field} group(s) are used" if full else ""


def _at_bound(view: _View, cluster: str, replicas: int) -> _Finding | None:
    """Say that a cluster would hold more without its maximum, or less without its minimum."""
    most, least = view.bounds.maximum.get(cluster), view.bounds.minimum.get(cluster)
    wanted = view.wanted.get(cluster)
    if most and replicas >= most.replicas and (wanted is None or wanted > most.replicas):
        return _Finding(f"at its maximum of {most.replicas}", "from above")
    if least and 0 < least.replicas >= replicas and (wanted is None or wanted < least.replicas):
        return _Finding(f"at its minimum of {least.replicas}", "from below")
    return None


def _kept(view: _View, cluster: str, replicas: int) -> _Finding | None:
    """Say that a cluster keeps what runs there, because it must not grow or because moves come first."""
    held = view.workload.current.get(cluster, 0)
    wanted = view.wanted.get(cluster)
    if cluster in view.candidates.held_only and replicas == held:
        reason = view.candidates.held_only[cluster].reason
        return _Finding(f"keeps what it holds and takes nothing new: {reason}", "from above")
    if view.keeps and replicas == held > 0:
        return _Finding(
            "keeps what it holds", "from below" if wanted is not None and wanted < replicas else ""
        )
    return None


def _full(view: _View, cluster: str, replicas: int) -> _Finding | None:
    """Say that no further replica fits, where the share would ask for one."""
    wanted = view.wanted.get(cluster)
    if wanted is not None and wanted < replicas + Fraction(1, 2):
        return None
    where = view.outcome.problem.cluster_by_name[cluster]
    scarce = scarcest(view.workload, where, view.left) if view.left else None
    if scarce is None or more_replicas(view.workload, where, view.left):
        return None
    rest = format_units(scarce, max(0, view.left.get((cluster, scarce), 0)))
    need = format_units(scarce, demands(view.workload, where)[scarce])
    return _Finding(f"no more room ({scarce} {rest} left, {need} each)", "from above")


def _share(view: _View, cluster: str, replicas: int) -> _Finding:
    """Say what the weights ask for."""
    if view.weights is None:
        return _Finding(f"{replicas} of {view.workload.replicas}")
    weight = view.weights.weights.get(cluster, 0)
    if not weight:
        return _Finding("has no room" if view.weights.dynamic else "its weight is 0")
    kind = "room" if view.weights.dynamic else "weight"
    ratio = f"({kind} {weight} of {view.whole_weight})"
    wanted = view.wanted[cluster]
    if wanted == replicas:
        return _Finding(f"its share of {replicas} {ratio}")
    return _Finding(f"{replicas} of a wanted {float(wanted):.2f} {ratio}")


def _told(view: _View, cluster: str, finding: _Finding, above: list[str], below: list[str]) -> str:
    """Add which clusters push this one a whole replica or more away from its share."""
    wanted = view.wanted.get(cluster)
    if finding.binds or wanted is None or cluster not in view.open_to or view.workload.rule(Duplicated):
        return finding.text
    away = view.placed.get(cluster, 0) - wanted
    if away >= 1 and above:
        return f"{finding.text}; takes what {_list(above)} cannot"
    if away <= -1 and below:
        return f"{finding.text}; gives way to {_list(below)}"
    return finding.text


def _list(names: list[str]) -> str:
    """Return a few names in words."""
    if len(names) > NAMED:
        return f"{', '.join(names[:NAMED])} and {len(names) - NAMED} more"
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
