"""A conflict in words: what each of its rules says, with the sum where numbers are added up.

What is said of many workloads, or of many clusters, is one sentence; what several conflicts say of one
workload each is one conflict.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from fairlead.models.problem import Problem
from fairlead.models.quantity import format_alike
from fairlead.models.rules import Bounds, Candidates, GroupTotal, Spread, Total, total
from fairlead.models.statement import Conflict, Statement
from fairlead.models.words import counted, listed
from fairlead.models.workload import Workload
from fairlead.solver.conflicts.closed_form import most_in_groups
from fairlead.solver.conflicts.outline import limits_of
from fairlead.solver.conflicts.scarcity import excess_of
from fairlead.solver.conflicts.units import Room, Unit

LONG = 8
"""Statements up to which every one of them is told."""
SEVERAL = 3
"""Statements that are alike from which on they are one sentence."""
EASILY_ADDED = 2
"""Statements whose numbers people add up by themselves."""
ANY = "\0"
"""Stands for what a sentence is about where sentences are compared."""


class Said(NamedTuple):
    """What a unit says, and what several workloads ask for together; empty behind all but the last total."""

    alone: Statement
    together: str = ""

    @property
    def whole(self) -> Statement:
        """Both, as one sentence."""
        return replace(self.alone, text=f"{self.alone.text}{self.together}")


def told(conflict: Sequence[Unit], problem: Problem) -> tuple[Said, ...]:
    """Return what every unit of a conflict says.

    Where several of them add up against a total, the total says to how much. An exact total of a set is told
    once, though both of its sides may be in the conflict.
    """
    rest = [unit for unit in conflict if not isinstance(unit.part, Candidates)]
    heads = [unit for unit in rest if isinstance(unit.part, Total)] or [
        unit for unit in rest if isinstance(unit.part, GroupTotal)
    ]
    statements = [Said(unit.statement) for unit in conflict]
    keys = {unit.workload for unit in rest if not isinstance(unit.part, Room)}
    if len(heads) == 1 and len(keys) == 1:
        (head,) = heads
        added = _added([unit for unit in rest if unit is not head], head.workload or "", problem)
        at = next(at for at, unit in enumerate(conflict) if unit is head)
        statements[at] = Said(replace(head.statement, text=f"{head.statement.text}{added}"))
        if isinstance(head.part, Total):
            statements = list(_counted_out(conflict, statements, head.workload or "", problem))
    if len(heads) > 1:
        last = next(at for at, unit in enumerate(conflict) if unit is heads[-1])
        statements[last] = statements[last]._replace(together=_together(conflict, problem))
    if len({unit.workload for unit in conflict if unit.workload is not None}) > 1:
        # Of several workloads of one policy each statement has to tell which one it is about.
        statements = [each._replace(alone=_with_name(each.alone)) for each in statements]
    return tuple(dict.fromkeys(statements))


def _with_name(statement: Statement) -> Statement:
    """Return a statement that names the workload it is about."""
    key = statement.workload
    if key is None or key in statement.text:
        return statement
    return replace(statement, text=f"{statement.text}, for {key}")


def _counted_out(
    conflict: Sequence[Unit], told: Sequence[Said], key: str, problem: Problem
) -> Sequence[Said]:
    """Say what as many groups as a spread allows hold; many different rooms are one sentence."""
    workload, most = problem.workload(key), dict[str, int]()
    for name, _, high in (limit for unit in conflict for limit in limits_of(unit, workload, problem)):
        if high is not None:
            most[name] = min(high, most.get(name, high))
    said = list(told)
    for at, unit in enumerate(conflict):
        if isinstance(unit.part, Spread) and unit.part.maximum is not None:
            rule, statement, held = unit.part, told[at].alone, most_in_groups(unit.part, most)
            hold = f"hold{'s' * (rule.maximum == 1)} at most {held}"
            text = f"{statement.text}; {rule.maximum} of {counted(len(rule.groups), rule.field)} {hold}"
            said[at] = said[at] if held >= workload.replicas else Said(replace(statement, text=text))
    rooms = {at: unit.part.cluster for at, unit in enumerate(conflict) if isinstance(unit.part, Room)}
    if len({_said_of_any(told[at].alone) for at in rooms}) <= LONG:
        return said
    names = list(dict.fromkeys(rooms.values()))
    text = (
        f"{listed(names, 'cluster')} have capacity for {sum(most[each] for each in names)} of {key} together"
    )
    first = min(rooms)
    said[first] = Said(replace(told[first].alone, text=text, cluster=None))
    return [each for at, each in enumerate(said) if at == first or at not in rooms]


def _together(conflict: Sequence[Unit], problem: Problem) -> str:
    """Say what several workloads ask for of a scarce resource; nothing where that is easily seen."""
    excess = excess_of(problem, conflict)
    asking = sum(1 for unit in conflict if isinstance(unit.part, Total))
    if excess is None or excess.asked <= excess.has or (excess.clusters < 2 and asking <= EASILY_ADDED):
        return ""
    asked, has = format_alike(excess.resource, excess.asked, excess.has)
    wanted = f"all these workloads together request {asked} {excess.resource}"
    # What a single cluster has, or a quota allows, is told by a rule of its own.
    return (
        f"; {wanted}, these {excess.clusters} clusters have {has}" if excess.clusters > 1 else f"; {wanted}"
    )


def _added(units: Sequence[Unit], key: str, problem: Problem) -> str:
    """Say to how much several units add up; nothing where they do not."""
    if len(units) < 2:
        return ""
    workload = problem.workload(key)
    single = [unit for unit in units if isinstance(unit.part, Bounds | Room)]
    limits = [limit for unit in single for limit in limits_of(unit, workload, problem)]
    if len(limits) == len(units) and all(least for _, least, _ in limits):
        return f"; the minima of {len(units)} clusters add up to {sum(least for _, least, _ in limits)}"
    most = [most for _, least, most in limits if not least and most is not None]
    if len(most) == len(units):
        return f"; these {len(units)} clusters can hold {f'{sum(most)} together' if sum(most) else 'none'}"
    sets = [unit.part for unit in units if isinstance(unit.part, GroupTotal)]
    if len(sets) == len(units):
        added = sum(each.minimum or each.maximum or 0 for each in sets)
        return f"; the totals of {len(units)} sets add up to {added}"
    return ""


def shortened(statements: Sequence[Said], problem: Problem) -> tuple[Statement, ...]:
    """Return the statements of a conflict; in a long one those are put together that say the same."""
    if len(statements) <= LONG:
        return tuple(each.whole for each in statements)
    alike: dict[object, list[Said]] = {}
    for said in statements:
        alike.setdefault(_said_of_any(said.alone), []).append(said)
    found = [told for each in alike.values() for told in _in_one(each)]
    totals = [each for each in found if each.rule == total.KIND]
    if len(totals) <= LONG:
        # What all of them ask for together stands behind the last one.
        last = max((at for at, each in enumerate(found) if each.rule == total.KIND), default=0)
        found[last] = replace(found[last], text=f"{found[last].text}{_together_of(statements)}")
        return tuple(found)
    asked = [each for each in statements if each.alone.rule == total.KIND and each.alone.workload is not None]
    return _summed(asked, problem), *(each for each in found if each.rule != total.KIND)


def _said_of_any(statement: Statement) -> object:
    """Return what a statement says, whatever workload and cluster it is about."""
    text = statement.text
    for name in (statement.workload, statement.cluster):
        text = text.replace(name, ANY) if name else text
    return statement.rule, text, bool(statement.workload), bool(statement.cluster)


def _in_one(alike: Sequence[Said]) -> list[Statement]:
    """Return statements that differ in their workload, or in their cluster, as one."""
    if len(alike) < SEVERAL:
        return [each.alone for each in alike]
    first = alike[0].alone
    text = first.text
    workloads = list(dict.fromkeys(each.alone.workload for each in alike))
    clusters = list(dict.fromkeys(each.alone.cluster for each in alike))
    for noun, names in (("workload", workloads), ("cluster", clusters)):
        different = [name for name in names if name]
        if len(different) > 1:
            text = _of_each(text, different[0], listed(different, noun))
    return [
        replace(
            first,
            text=text,
            workload=workloads[0] if len(workloads) == 1 else None,
            cluster=clusters[0] if len(clusters) == 1 else None,
        )
    ]


def _together_of(statements: Sequence[Said]) -> str:
    """Return what is asked for together, behind whichever statement it stands."""
    return next((each.together for each in statements if each.together), "")


def _summed(asked: Sequence[Said], problem: Problem) -> Statement:
    """Return how many replicas many workloads want together."""
    keys = [each.alone.workload or "" for each in asked]
    replicas = sum(problem.workload(key).replicas for key in keys)
    text = f"{listed(keys, 'workload')} need {replicas} replicas together{_together_of(asked)}"
    return replace(asked[0].alone, text=text, workload=None)


def said_once(conflicts: Sequence[Conflict], *, named: bool) -> tuple[Conflict, ...]:
    """Return conflicts, those of single workloads that differ in nothing but the workload as one.

    Parameters
    ----------
    named
        True names the workload of a conflict also where no rule of it does, which is needed where there are
        several workloads.
    """
    alike: dict[object, list[Conflict]] = {}
    for at, conflict in enumerate(conflicts):
        alike.setdefault(_shape(conflict) or at, []).append(conflict)
    return tuple(_for_several(each, named=named) for each in alike.values())


def for_each(conflict: Conflict, members: Sequence[Workload]) -> list[Conflict]:
    """Return the conflict of the first of some workloads that are alike, for each of them."""
    return [
        replace(
            conflict,
            workloads=(each.key,),
            rules=tuple(_of_another(rule, members[0], each) for rule in conflict.rules),
        )
        for each in members
    ]


def _of_another(statement: Statement, workload: Workload, other: Workload) -> Statement:
    """Return what a statement says of another workload; a policy that both share keeps its name."""
    about = other.key if statement.workload == workload.key else statement.workload
    whose, text = "", statement.text
    if workload.policy and workload.policy == other.policy and text.startswith(f"{workload.policy}: "):
        whose, text = f"{workload.policy}: ", text.removeprefix(f"{workload.policy}: ")
    return replace(statement, text=f"{whose}{text.replace(workload.key, other.key)}", workload=about)


def _shape(conflict: Conflict) -> object | None:
    """Return what the conflict of one workload says, whatever the workload; None for several workloads."""
    if len(conflict.workloads) != 1:
        return None
    (key,) = conflict.workloads
    rules = tuple((each.rule, each.text.replace(key, ANY), each.cluster) for each in conflict.rules)
    return rules, conflict.proof


def _for_several(alike: Sequence[Conflict], *, named: bool) -> Conflict:
    """Return one conflict for several that say the same."""
    first = alike[0]
    keys = tuple(sorted({key for each in alike for key in each.workloads}))
    if len(keys) == 1 and not named:
        return first
    if len(alike) == 1 and (len(keys) != 1 or any(keys[0] in each.text for each in first.rules)):
        return first
    key, everybody = first.workloads[0], listed(keys, "workload")
    rules = first.rules
    if len(keys) > 1:
        rules = tuple(
            replace(each, text=_of_each(each.text, key, everybody), workload=None) for each in rules
        )
    if not any(key in each.text for each in first.rules):
        rules = (replace(rules[0], text=f"{rules[0].text}, for {everybody}"), *rules[1:])
    return replace(first, rules=rules, workloads=keys)


def _of_each(text: str, name: str, everybody: str) -> str:
    """Return what is said of one as it is said of several, and of policies that are called like them."""
    for one, several in (("policy", "policies"), ("binding", "bindings")):
        text = text.replace(f"{one} {name}:", f"{several} {ANY}:")
    return text.replace(name, f"each of {everybody}").replace(ANY, everybody)
