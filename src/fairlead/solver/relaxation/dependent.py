"""Rules whose own numbers follow from what is relaxed: full copies, moves, percentages, clusters that open.

Full copies stay whole where their size changes, and a percentage is of the replicas that are left. Rules know
the clusters that tolerations would open while these are still closed.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import permutations
from typing import assert_never

from ortools.sat.python import cp_model

from fairlead.encoders.convex import Term
from fairlead.encoders.costs import Origin
from fairlead.encoders.encoding import Encoding, total, weighted
from fairlead.encoders.move_budget import gives_way
from fairlead.models.in_order import kept
from fairlead.models.problem import Problem
from fairlead.models.rules import (
    Bounds,
    Candidates,
    Duplicated,
    MoveBudget,
    Numbered,
    Preference,
    Skew,
    Survival,
    Total,
    WorkloadRule,
    candidates,
)
from fairlead.models.rules.duplicated import KIND, copy_on, largest_copy
from fairlead.models.rules.move_budget import could_move, members
from fairlead.models.rules.survival import part_of
from fairlead.models.workload import Workload
from fairlead.solver.changes.kinds import ChangeKind
from fairlead.solver.changes.open_clusters import tolerating
from fairlead.solver.relaxation.relaxable import Key, widest
from fairlead.solver.relaxation.relaxed import RelaxableVariables


def openable(workload: Workload) -> tuple[str, ...]:
    """Return the clusters that tolerations would let a workload choose for its copies.

    Empty where there is nothing to choose: then a cluster more is a copy more, and helps nobody.
    """
    rule, candidates = workload.rule(Duplicated), workload.rule(Candidates)
    if rule is None or candidates is None or not rule.choice or not candidates.names:
        return ()
    return candidates.openable


def copy_somewhere(workload: Workload) -> Key:
    """Return the key of the rule that a candidate of now holds a copy: it gives way to those opened."""
    return Origin(KIND, workload.key), "least"


def keep_copies_whole(workload: Workload, change: Sequence[Term], encoding: Encoding) -> None:
    """Require every copy to be full, or missing where there is a choice, also with another size.

    `workload`: the workload; one without full copies is left alone. `change`: by how much its replicas
    change: variables times coefficients.
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


def moves_saved(
    key: Key, problem: Problem, changes: Callable[[str], Sequence[Term]], encoding: Encoding
) -> cp_model.LinearExpr:
    """Return how many replicas of what runs count no more against the budget of a key; 0 for other keys.

    At most a full copy counts on every cluster, so that smaller copies are moved less. `changes`: by how much
    the replicas of a workload change, as for `keep_copies_whole`.
    """
    saved: list[cp_model.IntVar] = []
    for rule in problem.rules:
        if not isinstance(rule, MoveBudget) or gives_way(rule) != key[0] or rule.arriving is not None:
            continue
        for workload in members(rule, problem):
            copies, change = workload.rule(Duplicated), changes(workload.key)
            if copies is None or copies.copies or not change:
                continue
            held = could_move(rule, workload, problem)
            for name in sorted(held.keys() if rule.leaving is None else held.keys() & rule.leaving):
                spare = max(0, workload.replicas - held[name])
                fewer = encoding.own_number(0, workload.replicas - spare, lambda _: 0)
                encoding.model.add_max_equality(fewer, [0, -weighted(change) - spare])
                saved.append(fewer)
    return total(saved)


def survivors_saved(
    key: Key,
    several: Iterable[RelaxableVariables],
    problem: Problem,
    changes: Callable[[str], Sequence[Term]],
    encoding: Encoding,
) -> cp_model.LinearExpr:
    """Return by how many fewer have to survive once there are fewer replicas; 0 where that is no percentage.

    What is left after a loss is a whole number, so rounding the percentage up takes nothing but the number
    itself: left >= percent / 100 x replicas. A percentage that is lowered itself is of the replicas of now.
    `several`: what the constraint of a key gives way with; `changes`: as for `moves_saved`.
    """
    saved: list[cp_model.IntVar] = []
    for relaxed in several:
        relaxable = relaxed.relaxable
        workload = problem.workload_by_key.get(key[0].workload or "")
        if relaxable.kind is not ChangeKind.SURVIVAL or workload is None:
            continue
        known = (each for each in workload.rules_of(Survival) if each.name == relaxable.detail)
        rule = next((each for each in known if each.minimum == relaxable.before), None)
        percent = None if rule is None else rule.percent
        fewer = [each for each in changes(workload.key) if each[1] < 0]
        if rule is None or percent is None or not fewer:
            continue
        if rule.minimum == part_of(percent, workload.replicas):
            number = encoding.own_number(0, rule.minimum, lambda _: 0)
            rounded = 100 * rule.minimum - percent * workload.replicas
            encoding.model.add(100 * number <= rounded - percent * weighted(fewer))
            encoding.model.add(number <= rule.minimum * (1 - relaxed.on))
            saved.append(number)
    return total(saved)


@kept
def knowing_all(problem: Problem) -> Problem:
    """Return a problem whose rules know the clusters that tolerations would open; these stay closed."""
    workloads = tuple(replace(each, rules=_knowing(each, problem)) for each in problem.workloads)
    return replace(problem, workloads=workloads)


def _knowing(workload: Workload, problem: Problem) -> tuple[WorkloadRule, ...]:
    """Return the rules of a workload that know the clusters that tolerations would open."""
    known, copies = workload.rule(Candidates), workload.rule(Duplicated)
    if known is None or (copies is not None and not copies.choice):
        return workload.rules
    open_now = frozenset(known.names)
    return tuple(_only_where_open(rule, known, open_now) for rule in _wide(problem)[workload.key])


@kept
def _wide(problem: Problem) -> Mapping[str, tuple[WorkloadRule, ...]]:
    """Return the rules of workloads, by key, once they tolerate every taint that keeps them off clusters.

    Where a cluster more would be a copy more, they have the rules of now.
    """
    found: dict[str, tuple[WorkloadRule, ...]] = {}
    for workload in problem.workloads:
        known, copies = workload.rule(Candidates), workload.rule(Duplicated)
        shut = {} if known is None or (copies is not None and not copies.choice) else known.excluded
        taints = sorted({taint for each in shut.values() for taint in each.taints})
        found[workload.key] = tolerating(workload, taints, problem).rules if taints else workload.rules
    return found


def bind_opened(
    workload: Workload, problem: Problem, relaxed: Sequence[RelaxableVariables], encoding: Encoding
) -> None:
    """Let the minimum of a cluster bind as soon as tolerations open it, also where it would hold nothing.

    `workload`, `problem`: the workload and its problem, without what tolerations would open. `relaxed`: what
    gives way in the model. `encoding`: the model of the problem that knows all clusters; there such minima
    bind only where replicas stand.
    """
    known, copies = workload.rule(Candidates), workload.rule(Duplicated)
    if known is None or copies is not None or not workload.replicas:
        return
    mine = [each for each in relaxed if workload.key in each.relaxable.workloads]
    for rule in (each for each in _wide(problem)[workload.key] if isinstance(each, Bounds)):
        for name in sorted(rule.minimum.keys() - known.names):
            least = rule.minimum[name].replicas
            opening = _opening(mine, workload.key, name)
            if not opening or not least or name in rule.where_held:
                continue
            lowered = [
                (each.steps, 1)
                for each in mine
                if each.relaxable.kind is ChangeKind.MINIMUM and each.relaxable.cluster == name
            ]
            is_open = total(opening) - (len(opening) - 1)
            used = encoding.used(workload.key, name)
            encoding.model.add(least * used + weighted(lowered) >= least * is_open)


def count_opened_groups(
    workload: Workload, problem: Problem, encoding: Encoding
) -> Mapping[str, cp_model.IntVar]:
    """Let groups that tolerations would open be close to all others; return 1 for clusters while closed.

    `workload` and `problem`: the workload and its problem, without what tolerations would open; `encoding`:
    the model of the problem that knows all clusters, and only groups that have candidates now.
    """
    known, copies = workload.rule(Candidates), workload.rule(Duplicated)
    closed: dict[str, cp_model.IntVar] = {}
    if known is None or (copies is not None and not copies.choice) or not workload.replicas:
        return closed
    for rule in (each for each in _wide(problem)[workload.key] if isinstance(each, Skew)):
        because = Origin(rule.kind, workload.key, None, rule.field)
        held = {
            group: total(encoding.replicas(workload.key, name) for name in sorted(clusters))
            for group, clusters in rule.groups.items()
            if clusters
        }
        opening = {group for group in held if rule.groups[group].isdisjoint(known.names)}
        for fuller, emptier in permutations(held, 2):
            more = held[fuller] - held[emptier]
            if emptier in opening:
                most = len(rule.groups[fuller]) * max(widest(workload), 1)
                for name in sorted(rule.groups[emptier]):
                    if name not in closed:
                        closed[name] = encoding.own_number(0, 1, lambda _: 1)
                    apart = most * closed[name]
                    encoding.require_coupled(more - apart <= rule.maximum, because=because)
            elif fuller in opening:
                encoding.require_coupled(more <= rule.maximum, because=because)
    return closed


def open_groups(
    workload: Workload,
    closed: Mapping[str, cp_model.IntVar],
    relaxed: Sequence[RelaxableVariables],
    encoding: Encoding,
) -> None:
    """Let no cluster be closed of which all taints are tolerated that keep away what it holds."""
    for name, variable in closed.items():
        opening = _opening(relaxed, workload.key, name)
        if opening:
            encoding.model.add(variable + total(opening) <= len(opening))


def _opening(relaxed: Sequence[RelaxableVariables], workload: str, cluster: str) -> list[cp_model.IntVar]:
    """Return whether each of the taints of a cluster is tolerated that keep away what is there as well."""
    key: Key = (Origin(candidates.KIND, workload, cluster), "most")
    tolerations = [each for each in relaxed if each.relaxable.kind is ChangeKind.TOLERATION]
    found = [each for each in tolerations if key in each.relaxable.keys]
    return [each.on for each in found if key not in each.relaxable.staying]


def _only_where_open(rule: WorkloadRule, known: Candidates, open_now: frozenset[str]) -> WorkloadRule:
    """Keep clusters closed, and minima there without effect."""
    if isinstance(rule, Preference):
        return rule
    match rule:
        case Candidates():
            return known
        case Numbered():
            return rule.while_closed(open_now)
        case Total() | Duplicated():
            return rule
        case _:
            assert_never(rule)
