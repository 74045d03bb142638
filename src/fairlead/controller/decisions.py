"""Decisions about a binding: where it is to stand, or why it stays as it is."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Reason(StrEnum):
    """Reason why a binding is not placed, in Karmada's words."""

    UNSCHEDULABLE = "Unschedulable"
    NO_CLUSTER_FIT = "NoClusterFit"
    SCHEDULER_ERROR = "SchedulerError"
    QUOTA_EXCEEDED = "QuotaExceeded"


@dataclass(frozen=True, slots=True)
class Placed:
    """Placement that a binding is to have."""

    targets: tuple[Mapping[str, Any], ...]
    """``spec.clusters``: names, with replicas where the binding has any; clusters without replicas are left
    out."""
    group: str | None = None
    """The affinity group that was chosen; None where there is none to choose."""
    fresh: bool = False
    """Whether somebody asked to place it anew."""


@dataclass(frozen=True, slots=True)
class Unplaced:
    """Reason why a binding stays as it is."""

    reason: Reason
    """Reason in Karmada's words."""
    message: str
    """Reason in our words, with details."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A binding that stands where it is to stand; only its status does not say so."""

    group: str | None = None
    """The affinity group of its clusters; None where there is none."""


Decision = Placed | Unplaced | Kept
