"""Whole blocks of replicas, and the risk of spot clusters: a rule and a level that fairlead does not have."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Annotated, ClassVar

from pydantic import Field

from fairlead.extending import (
    Cluster,
    Count,
    CustomClusterCost,
    CustomRule,
    Extension,
    Formulas,
    Kind,
    Level,
    Percent,
    Requirement,
    RuleManifest,
    Scope,
    SelectingSpec,
    Side,
    Source,
    Workload,
    groups,
)


# The rule: what is counted of a placement, what is asked of it, and how CP-SAT is told.
@dataclass(frozen=True, slots=True)
class TornBlocks(Scope):
    """The clusters that hold a part of a block count."""

    size: int

    @property
    def detail(self) -> str:
        """What tells this number from others of the rule."""
        return f"blocks of {self.size}"

    def count(self, placed: Mapping[str, int]) -> int:
        """Return how many clusters hold a part of a block."""
        return sum(1 for replicas in placed.values() if replicas % self.size)

    def held(self, placed: Mapping[str, int]) -> bool:
        """Tell whether there is anything to look at."""
        return any(placed.values())


def _asked(one: Requirement) -> str:
    return f"{one.who}: every cluster holds whole {one.detail}"


def _broken(one: Requirement, found: int) -> str:
    clusters = "cluster" if found == 1 else "clusters"
    return f"{one.workload.key}: no whole {one.detail} on {found} {clusters}"


@dataclass(frozen=True, slots=True)
class WholeBlocks(CustomRule):
    """Every cluster holds a multiple of so many replicas."""

    size: int
    source: Source | None = None

    kind: ClassVar[str] = "whole-blocks"

    def requirements(self, workload: Workload) -> Iterator[Requirement]:
        """Yield that no cluster holds a part of a block."""
        words = Kind(self.kind, _asked, _broken)
        yield Requirement(words, Side.MOST, 0, TornBlocks(self.size), workload, self.source)

    def encode(self, formulas: Formulas) -> None:
        """Say that replicas are the size times a whole number: ``x_c = size k_c``."""
        for name in formulas.clusters:
            most = formulas.most // self.size
            blocks = formulas.number(0, most, partial(self._blocks, name))
            formulas.require(formulas.replicas(name) == self.size * blocks)

    def _blocks(self, cluster: str, placed: Mapping[str, int]) -> int:
        return placed.get(cluster, 0) // self.size


# The level: what replicas cost on a cluster. It is convex, so nothing has to be encoded.
SPOT_RISK = Level("spot-risk", title="spot risk", before="deviation", steps=100)


@dataclass(frozen=True, slots=True)
class SpotRisk(CustomClusterCost):
    """Twice as many replicas on a spot cluster are four times as bad: its risk times their square."""

    percent: Mapping[str, int]

    level: ClassVar[Level] = SPOT_RISK

    def on(self, cluster: str, replicas: int) -> Fraction:
        """Return what so many replicas cost on a cluster."""
        return Fraction(self.percent.get(cluster, 0) * replicas**2, 100)


# The kinds: how manifests say it.
class WholeBlocksSpec(SelectingSpec):
    """Which workloads come in blocks."""

    size: Annotated[Count, Field(ge=1, description="Replicas of one block.")]


class BlockSize(RuleManifest):
    """Every cluster holds whole blocks of replicas, such as those of one machine."""

    group_version: ClassVar[str] = "example.com/v1"
    spec: Annotated[WholeBlocksSpec, Field(description="Whose replicas, and how many make a block.")]

    def rule(
        self, workload: Workload, candidates: Sequence[Cluster], source: Callable[..., Source]
    ) -> WholeBlocks:
        """Return the rule over the clusters on which the workload may stand."""
        del workload
        return WholeBlocks("cluster", groups(candidates, "cluster"), self.spec.size, source("spec", "size"))


class SpotRiskSpec(SelectingSpec):
    """How likely spot clusters are lost."""

    percent: Annotated[Mapping[str, Percent], Field(description="Risk by cluster; others have none.")]


class SpotClusters(RuleManifest):
    """Replicas on clusters that may be lost at any time count on the level "spot risk"."""

    group_version: ClassVar[str] = "example.com/v1"
    spec: Annotated[SpotRiskSpec, Field(description="Whose replicas, and where they are at risk.")]

    def rule(
        self, workload: Workload, candidates: Collection[Cluster], source: Callable[..., Source]
    ) -> SpotRisk:
        """Return the cost on the clusters on which the workload may stand."""
        del workload, source
        open_to = {cluster.name for cluster in candidates}
        return SpotRisk({name: risk for name, risk in self.spec.percent.items() if name in open_to})


EXTENSION = Extension(kinds=(BlockSize, SpotClusters), levels=(SPOT_RISK,))
