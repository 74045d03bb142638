"""Saved plans, validated like manifests: every mistake with file, line, field, value and what is allowed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import starmap
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, PlainValidator, Strict

from fairlead.manifests.api.meta import Boolean, Count, Filled, Open, Text
from fairlead.manifests.validation import validate
from fairlead.manifests.yaml.documents import Document, Places
from fairlead.manifests.yaml.files import read_path
from fairlead.manifests.yaml.json_text import looks_like_json, read_json
from fairlead.manifests.yaml.reader import read_object
from fairlead.models.answer import Answer
from fairlead.models.errors import ManifestError, Mistake, UsageError
from fairlead.models.mistaken import MOST_REPLICAS
from fairlead.models.placement import Placement, differences
from fairlead.models.problem import Problem
from fairlead.models.quantity import is_amount
from fairlead.models.source import Source
from fairlead.solver.plan.answer import PlannedChange, RebalancePlan
from fairlead.solver.plan.waves import Availability, BlockedMove, Move, MoveOrder, Wave, WaveOptions, WavePlan

VERSION = "fairlead.io/plan/v1"
"""Names the form of the document; a saved plan of another form is refused."""


def _to_amount(value: object) -> object:
    """Read a number of replicas or a share."""
    known = isinstance(value, int | str) and is_amount(value)
    if value is not None and not (known and len(str(value)) < 20):
        raise ValueError("must be a number of replicas, or a share such as 25%")
    return value


AmountOrNone = Annotated[int | str | None, PlainValidator(_to_amount)]
Several = Annotated[int, Strict(), Field(ge=1, le=MOST_REPLICAS)]


class SavedMove(Open):
    """A move, or what is blocked, with the reason."""

    workload: Filled
    source: Text | None = None
    target: Text | None = None
    replicas: Several
    order: Literal["start-first", "stop-first"] = "start-first"
    reason: Text = ""

    @property
    def move(self) -> Move:
        """The move."""
        stop_first = MoveOrder(self.order) is MoveOrder.STOP_FIRST
        return Move(self.workload, self.source, self.target, self.replicas, stop_first)


class SavedWave(Open):
    """Moves that are made at once."""

    moves: tuple[SavedMove, ...]


class SavedWaves(Open):
    """The waves, and what they leave undone."""

    waves: tuple[SavedWave, ...]
    blocked: tuple[SavedMove, ...] = ()
    lower_bound: Count = 0
    detours: Boolean = False


class SavedOptions(Open):
    """How moves may be made."""

    order: Literal["start-first", "stop-first", "either"]
    max_unavailable: AmountOrNone = None
    max_surge: AmountOrNone = None
    detours: Boolean
    max_moves_per_wave: Annotated[int, Strict(), Field(ge=1)] | None = None


class SavedDocument(Open):
    """Fields that are read of a saved plan; the rest is for people and scripts."""

    form: Literal["fairlead.io/plan/v1"]
    moves: Annotated[int, Strict(), Field(ge=0)]
    target: Mapping[Filled, Mapping[Filled, Count]] | None = None
    waves: SavedWaves | None = None
    wave_options: SavedOptions
    partial: Boolean = False


def read_file(file: str) -> Document:
    """Read the file of a saved plan.

    Raises `UsageError` where it cannot be read, or is not a saved plan.
    """
    (text,) = read_path(str(Path(file)), recursive=False)
    if isinstance(text, Mistake):
        raise UsageError(f"{file} is not a saved plan: {text}")
    if not looks_like_json(text.text):
        raise UsageError(f"{file} is not a saved plan: it is not JSON")
    found = read_json(file, text.text)
    if found.mistakes:
        raise UsageError(f"{file} is not a saved plan: {found.mistakes[0]}")
    if len(found.values) != 1:
        raise UsageError(f"{file} is not a saved plan: it holds {len(found.values)} documents")
    return _document(*found.values[0], file)


def validated(saved: Mapping[str, Any] | Document) -> SavedDocument:
    """Return the fields that are read of a saved plan."""
    document = saved if isinstance(saved, Document) else _copied(saved)
    found = validate(document, SavedDocument)
    if found.mistakes or found.located is None:
        raise ManifestError(found.mistakes or [Mistake(document.source(), "", "", "is not a saved plan")])
    return found.located.model


def _copied(saved: object) -> Document:
    """Return a plan that somebody else has read as a document."""
    if not isinstance(saved, Mapping):
        raise UsageError(f"this is not a saved plan: its form is not {VERSION}")
    found, mistakes = read_object(saved)
    if found is None or mistakes:
        raise ManifestError(mistakes or [Mistake(Source("<dict>", 0), "", "", "cannot be read")])
    return _document(*found, "")


def _document(value: Any, lines: Places, file: str) -> Document:
    """Return a document of the form of plans."""
    if not isinstance(value, dict) or value.get("form") != VERSION:
        what = f"{file} is not a saved plan" if file else "this is not a saved plan"
        raise UsageError(f"{what}: its form is not {VERSION}")
    return Document(value, lines)


@dataclass(frozen=True, slots=True)
class SavedPlan:
    """Target, options and waves of a saved plan: enough to go on with it."""

    target: Placement
    waves: WaveOptions
    planned: SavedWaves
    partial: bool = False

    def waves_for(self, problem: Problem) -> WavePlan:
        """Return the planned waves for the problem that they were made for."""
        waves = tuple(Wave(tuple(each.move for each in wave.moves)) for wave in self.planned.waves)
        blocked = tuple(BlockedMove(each.move, each.reason) for each in self.planned.blocked)
        bound, detours = self.planned.lower_bound, self.planned.detours
        return WavePlan(problem, self.target, waves, bound, blocked, self.waves, detours)


def saved_plan(document: Mapping[str, Any] | Document) -> SavedPlan:
    """Read a plan that `to_dict` wrote.

    Raises `UsageError` where the document is no plan, is one of another form, or has no target. Raises
    `ManifestError` where something in it is wrong; names every mistake.
    """
    read = validated(document)
    if read.target is None or read.waves is None:
        raise UsageError("the saved plan has no target to go on to")
    options = read.wave_options
    availability = Availability(options.max_unavailable, options.max_surge)
    waves = WaveOptions(
        MoveOrder(options.order), availability, detours=options.detours, most_moves=options.max_moves_per_wave
    )
    return SavedPlan(Placement(read.target), waves, read.waves, read.partial)


@dataclass(frozen=True, slots=True)
class TargetDifference(PlannedChange):
    """A workload and a cluster for which a saved plan and a new one, before and after, differ."""


@dataclass(frozen=True, slots=True)
class PlanSummary:
    """Figures by which plans are compared: target and number of waves, None without a target, and moves."""

    target: Placement | None
    moves: int
    waves: int | None


@dataclass(frozen=True, repr=False, slots=True)
class PlanComparison(Answer):
    """How two plans differ; where they do not, there is nothing to tell."""

    before: PlanSummary
    """The saved plan."""
    after: PlanSummary
    """The new plan."""
    targets: tuple[TargetDifference, ...] = ()
    """Differences of the targets, in the order of the names; empty where one of the plans has none."""
    added: tuple[str, ...] = ()
    """Keys of workloads that only the new plan has."""
    removed: tuple[str, ...] = ()
    """Keys of workloads that only the saved plan has."""

    @property
    def same(self) -> bool:
        """Whether both have the same target, as many moves and as many waves."""
        return self.before == self.after


def compare_plans(before: Mapping[str, Any] | Document, after: RebalancePlan) -> PlanComparison:
    """Tell how a plan differs from a saved one.

    Parameters
    ----------
    before
        The saved plan, as `RebalancePlan.to_dict` wrote it; one without a target will do.
    after
        The new plan.

    Raises
    ------
    UsageError
        Where the document is no plan, or one of another form.
    ManifestError
        Where something in it is wrong; names every mistake.
    """
    waves = None if after.waves is None else len(after.waves.waves)
    saved, new = _saved(before), PlanSummary(after.outcome.placement, after.moves, waves)
    if saved.target is None or new.target is None:
        return PlanComparison(saved, new)
    workloads = sorted(saved.target.keys() | new.target.keys())
    return PlanComparison(
        saved,
        new,
        tuple(starmap(TargetDifference, differences(saved.target, new.target, workloads))),
        tuple(sorted(new.target.keys() - saved.target.keys())),
        tuple(sorted(saved.target.keys() - new.target.keys())),
    )


def _saved(document: Mapping[str, Any] | Document) -> PlanSummary:
    """Read what is compared from a saved plan."""
    read = validated(document)
    return PlanSummary(
        None if read.target is None else Placement(read.target),
        read.moves,
        None if read.waves is None else len(read.waves.waves),
    )
