"""Full copies whose size changes, or which get clusters to choose from: they stay whole."""

from collections.abc import Sequence

from fairlead.encoders.convex import Term
from fairlead.encoders.costs import Because
from fairlead.encoders.encoding import Encoding, total, weighted
from fairlead.models.rules import Candidates, Duplicated
from fairlead.models.rules.duplicated import KIND, copy_on, largest_copy
from fairlead.models.workload import Workload
from fairlead.solver.relaxing.lever import Key
from fairlead.solver.relaxing.workload_levers import widest


def openable(workload: Workload) -> tuple[str, ...]:
    """Return the clusters that tolerations would let a workload choose for its copies.

    Empty where there is nothing to choose: then a cluster more is a copy more, and helps nobody.
    """
    rule, candidates = workload.rule(Duplicated), workload.rule(Candidates)
    if rule is None or candidates is None or not rule.choice or not candidates.names:
        return ()
    return tuple(sorted(name for name, each in candidates.excluded.items() if each.taints))


def copy_somewhere(workload: Workload) -> Key:
    """Return what names that one of the candidates of now holds a copy: it gives way to those opened."""
    return Because(KIND, workload.key), "least"


def keep_copies_whole(workload: Workload, change: Sequence[Term], encoding: Encoding) -> None:
    """Require every copy to be full, or missing where there is a choice, also with another size.

    Parameters
    ----------
    workload
        The workload; one without full copies is left alone.
    change
        By how much its replicas change: variables times coefficients.
    encoding
        The model.
    """
    rule = workload.rule(Duplicated)
    if rule is None or not workload.replicas or (rule.copies and not rule.choice):
        return
    names = (workload.rule(Candidates) or Candidates(())).names
    most = max(widest(workload), largest_copy(rule, workload))
    for name in (*names, *openable(workload)):
        # Copies of sizes of their own (KubeAdmiral) do not change.
        full = weighted(() if rule.copies else change) + copy_on(rule, workload, name)
        held = encoding.replicas(workload.key, name)
        if not rule.choice:
            encoding.model.add(held == full)
            continue
        used = encoding.used(workload.key, name)
        encoding.model.add(held <= full)
        encoding.model.add(held >= full - most * (1 - used))
    if openable(workload):
        everywhere = (encoding.used(workload.key, name) for name in (*names, *openable(workload)))
        encoding.model.add(total(everywhere) >= 1)
