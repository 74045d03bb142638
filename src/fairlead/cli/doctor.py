"""``fairlead doctor``: what an input holds, and what is missing for an answer."""

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from fairlead.cli import console, exits
from fairlead.cli.inputs import Inputs, reads_input
from fairlead.models.cluster import noun_of, values_of
from fairlead.models.extensions import found
from fairlead.models.rules import Spread
from fairlead.models.words import counted, listed

if TYPE_CHECKING:
    from fairlead.models.problem import Problem

_NOTHING_THERE = "wrong input or usage; no cluster or no workload in the input"
_EXIT_CODES = exits.codes({0: "nothing is missing for an answer", 2: _NOTHING_THERE, 3: "", 4: ""})


@click.command("doctor", epilog=_EXIT_CODES)
@reads_input
def doctor_command(inputs: Inputs) -> int:
    """Show what is in the input, and what is missing for an answer or for a better one.

    Nothing is placed. `fairlead validate` checks single fields.
    """
    problem = inputs.read()
    missing = list(_missing(problem))
    lines = ["Found:", *(f"  {line}" for line in _found(problem))]
    lines += ["Missing for an answer:", *(f"  {line}" for line in missing)] if missing else []
    thin = list(_thin(problem))
    lines += ["Would make the answer better:", *(f"  {line}" for line in thin)] if thin else []
    lines += [] if missing else ["Ready: fairlead solve can answer."]
    if missing and not inputs.quiet:
        # They say what was not taken for a workload.
        console.warn(problem.warnings)
    elif problem.warnings and not inputs.quiet:
        lines.append(f"{counted(len(problem.warnings), 'warning')}: fairlead validate shows them.")
    from fairlead.report.blocks import texts
    from fairlead.report.terminal import printed

    console.result(printed([texts(lines)], console.look()))
    return exits.WRONG_INPUT if missing else exits.SOLVED


def _found(problem: "Problem") -> Iterator[str]:
    regions = {cluster.region for cluster in problem.clusters if cluster.region}
    inside = f" in {counted(len(regions), 'region')}" if regions else ""
    yield f"{counted(len(problem.clusters), 'cluster')}{inside}"
    for kind, count in sorted(Counter(workload.kind for workload in problem.workloads).items()):
        yield counted(count, kind)
    replicas = sum(workload.replicas for workload in problem.workloads)
    running = sum(1 for workload in problem.workloads if any(workload.current.values()))
    yield f"{counted(replicas, 'replica')} requested, {counted(running, 'workload')} running"
    for each in found():
        yield str(each)
    policies = {workload.policy for workload in problem.workloads if workload.policy}
    yield f"{counted(len(policies), 'policy')} in use"


def _missing(problem: "Problem") -> Iterator[str]:
    """Yield without what nothing can be placed."""
    if not problem.clusters:
        yield "clusters: kubectl get clusters -o yaml (KubeAdmiral: federatedclusters)"
    if not problem.workloads:
        yield "workloads: kubectl get rb,pp -A -o yaml (KubeAdmiral: federatedobjects), or templates"


def _thin(problem: "Problem") -> Iterator[str]:
    """Yield the facts that are missing in the input, with the consequences for an answer."""
    unknown = [cluster.name for cluster in problem.clusters if cluster.free is None]
    if unknown:
        yield f"capacity of {listed(unknown, 'cluster')} (status.resourceSummary): taken as unlimited"
    for field in _told_apart(problem):
        nameless = [cluster.name for cluster in problem.clusters if not values_of(cluster, field)]
        if nameless:
            noun = noun_of(field)
            yield f"{noun} of {listed(nameless, 'cluster')}: never chosen where a policy spreads by {noun}"
    silent = [workload.key for workload in problem.workloads if not workload.requests and workload.replicas]
    if silent:
        yield f"requests of {listed(silent, 'workload')}: only pods count against capacity"


def _told_apart(problem: "Problem") -> list[str]:
    """Return the fields by which policies spread, and regions where some clusters tell theirs."""
    sets = [rules for one in problem.workloads for rules in (one.rules, *(each.rules for each in one.groups))]
    fields = {rule.field for rules in sets for rule in rules if isinstance(rule, Spread)}
    some = {"region"} if any(cluster.region for cluster in problem.clusters) else set[str]()
    return sorted(fields | some)
