"""The order in which the scheduler looks at clusters."""

from collections.abc import Iterable
from dataclasses import dataclass

from fairlead.solver.dispensers.karmada import affinity
from fairlead.solver.dispensers.karmada.estimator import allocation, estimate
from fairlead.solver.dispensers.karmada.inputs import BindingInput, MemberCluster
from fairlead.solver.dispensers.karmada.placement import AffinityTerm

LOCALITY_SCORE = 100


@dataclass(frozen=True, slots=True)
class Candidate:
    """A cluster that passed the filters.

    Parameters
    ----------
    cluster
        The cluster.
    tier
        0 for the affinity group itself, k for its k-th overflow affinity.
    score
        100 where the workload is there already, else 0.
    estimated
        What the estimator says.
    available
        Capacity for the workload: what can be added plus what is there.
    """

    cluster: MemberCluster
    tier: int
    score: int
    estimated: int
    available: int

    @property
    def name(self) -> str:
        """Name of the cluster."""
        return self.cluster.name

    @property
    def rank(self) -> tuple[int, int, int, str]:
        """Sorting key: tier, then score and capacity descending, then name."""
        return self.tier, -self.score, -self.available, self.cluster.name


def ordered(
    binding: BindingInput, term: AffinityTerm | None, clusters: Iterable[MemberCluster]
) -> tuple[Candidate, ...]:
    """Return feasible clusters as candidates, best first.

    Parameters
    ----------
    binding
        The binding.
    term
        The affinity group under trial; None where the placement has no groups.
    clusters
        Clusters that passed the filters.
    """
    previous = dict(binding.previous)
    candidates = (_candidate(binding, term, cluster, previous.get(cluster.name)) for cluster in clusters)
    return tuple(sorted(candidates, key=lambda candidate: candidate.rank))


def _candidate(
    binding: BindingInput, term: AffinityTerm | None, cluster: MemberCluster, running: int | None
) -> Candidate:
    estimated = estimate(cluster, binding.requests)
    return Candidate(
        cluster=cluster,
        tier=affinity.tier(term, cluster, overflow=True) or 0,
        score=0 if running is None else LOCALITY_SCORE,
        estimated=estimated,
        available=allocation(estimated, binding.replicas) + (running or 0),
    )
