"""Names in sentences, so that a sentence about one can be said of others, and who is alike."""

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, replace

from fairlead.models.requirement import Requirement
from fairlead.models.rules import Bounds, Candidates, Grouped, GroupTotal
from fairlead.models.statement import Statement
from fairlead.models.words import listed, plural
from fairlead.models.workload import Workload


@dataclass(frozen=True, slots=True)
class Names:
    """Names of the workload, the policy and the cluster of a sentence."""

    workload: str | None = None
    policy: str | None = None
    cluster: str | None = None
    """In words; None for their own. A workload that no policy selects has none here either."""
    namesakes: bool = False
    """True leaves a policy its own name unless it is called like the workload."""

    def given(self, workload: Workload) -> Workload:
        """Return a workload with these names."""
        key, policy = self.workload, workload.policy
        if policy and self.policy is not None and not (self.namesakes and not is_namesake(workload)):
            policy = self.policy
        return replace(workload, key=workload.key if key is None else key, policy=policy)

    def of(self, cluster: str) -> str:
        """Return the name of a cluster."""
        return cluster if self.cluster is None else self.cluster

    def beside(self, other: "Names") -> "Names":
        """Return these names, and others where there are none."""
        return Names(
            other.workload if self.workload is None else self.workload,
            other.policy if self.policy is None else self.policy,
            other.cluster if self.cluster is None else self.cluster,
            self.namesakes or other.namesakes,
        )


def is_namesake(workload: Workload) -> bool:
    """Tell whether the policy of a workload is called like it."""
    return workload.policy.rpartition(" ")[2] == workload.key


def policies_of(workloads: Iterable[Workload]) -> str:
    """Return the policies of workloads in words, such as ``policies shop/web and shop/api``."""
    names: dict[str, list[str]] = {}
    for policy in dict.fromkeys(workload.policy for workload in workloads):
        noun, _, name = policy.rpartition(" ")
        names.setdefault(noun, []).append(name)
    return listed([f"{plural(noun, len(each))} {listed(each)}" for noun, each in names.items()])


OWN = Names()
ANY = Names("\0workload", "\0policy", "\0cluster")
"""Names with which sentences are equal whatever workload and cluster they are about."""
ANYBODY = Names(ANY.workload, ANY.policy, namesakes=True)
"""Names with which sentences stay as they are that do not say whose they are."""

Tell = Callable[[Names], Statement]
"""Sentence of a unit by the names in it; made once it is part of a conflict, as most never are."""


def asked(find: Callable[..., Requirement], rule: object, workload: Workload, *about: object) -> Tell:
    """Return the sentence of a requirement of a workload."""

    def tell(names: Names) -> Statement:
        one = find(rule, names.given(workload), *about)
        return (one if one.cluster is None else one._replace(scope=names.of(one.cluster))).statement()

    return tell


def telling(describe: Callable[..., Statement], *about: object, cluster: str | None = None) -> Tell:
    """Return the sentence of a function of workloads and others, and last of a cluster by its name."""

    def tell(names: Names) -> Statement:
        given = [names.given(each) if isinstance(each, Workload) else each for each in about]
        return describe(*given) if cluster is None else describe(*given, names.of(cluster))

    return tell


_SHARED = (Bounds, Candidates, GroupTotal, Grouped)
"""Rules of which workloads that were read from the same manifests have the very same object."""


def alike(workloads: Iterable[Workload]) -> tuple[tuple[Workload, ...], ...]:
    """Return workloads in classes of those that are alike, in the order of their first members."""
    classes: dict[Hashable, list[Workload]] = {}
    for workload in workloads:
        classes.setdefault(_shape(workload), []).append(workload)
    return tuple(tuple(each) for each in classes.values())


def _shape(workload: Workload) -> Hashable:
    """Return a key that alike workloads share; rules of any other kind follow from it, or prefer only."""
    every = (workload.rules, *(group.rules for group in workload.groups))
    return (
        workload.policy or workload.key,
        workload.namespace,
        workload.kind,
        workload.replicas,
        tuple(sorted(workload.requests.items())),
        tuple(sorted(workload.current.items())),
        workload.priority,
        workload.fresh,
        workload.observed,
        tuple(tuple(id(rule) for rule in rules if isinstance(rule, _SHARED)) for rules in every),
    )
