"""A conflict in words: what each of its rules says, with the sum where numbers are added up.

What is said of many workloads, or of many clusters, is one sentence; what several conflicts say of one
workload each is one conflict.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache

from fairlead.models.problem import Problem
from fairlead.models.quantity import format_alike
from fairlead.models.rules import Bounds, Candidates, GroupTotal, Spread, Total, total
from fairlead.models.statement import Conflict, Proof, Statement
from fairlead.models.words import counted, listed
from fairlead.models.workload import Workload
from fairlead.solver.conflicts.names import ANY, ANYBODY, OWN, Names, Tell, is_namesake, policies_of
from fairlead.solver.conflicts.outline import limits_of
from fairlead.solver.conflicts.scarcity import excess_of
from fairlead.solver.conflicts.subset import most_within
from fairlead.solver.conflicts.units import Room, Unit

LONG = 8
"""Statements up to which every one of them is told."""
SEVERAL = 3
"""Statements that are alike from which on they are one sentence."""
EASILY_ADDED = 2
"""Statements whose numbers people add up by themselves."""


@dataclass(frozen=True, slots=True)
class UnitWording:
    """Sentence of a unit in a conflict, before it is put into words."""

    tell: Tell
    """The sentence by the names in it."""
    about: Names = OWN
    """Names that stay as they are, whatever others are given."""
    before: str = ""
    after: str = ""
    """Words in front of the sentence, and behind it."""
    whose: str = ""
    """Workloads that are named behind it; empty where it names its own."""

    def by(self, names: Names) -> Statement:
        """Return one sentence with some names."""
        said = self.tell(self.about.beside(names))
        whose = f", for {self.whose}" if self.whose else ""
        return replace(said, text=f"{self.before}{said.text}{self.after}{whose}")

    @property
    def statement(self) -> Statement:
        """The sentence in its own names."""
        return self.by(OWN)

    def names_workload(self, *, namesakes: bool = True) -> bool:
        """Tell whether it names the workload that it is about.

        `namesakes`: False where a policy that is called like the workload does not tell, as others have it
        too.
        """
        others = ANYBODY if namesakes else Names(ANY.workload)
        return bool(self.whose) or self.by(others).text != self.statement.text

    @property
    def form(self) -> object:
        """Form of the sentence, equal for sentences that differ only in workload and cluster."""
        own, any_one = self.statement, replace(self, whose="").by(ANY)
        return own.rule, any_one.text, bool(self.whose), bool(own.workload), bool(own.cluster)


@dataclass(frozen=True, slots=True)
class Contradiction:
    """A conflict before it is put into words."""

    said: tuple[UnitWording, ...]
    proof: Proof
    workloads: tuple[Workload, ...]
    """Workloads that it is about. Several that are alike share what is said of the first."""
    alike: bool = False
    """True where each of them has the conflict by itself, False where all have it together."""
    cause: str = ""
    """Shortage that all have together, in words, see `cause_of`; empty where there is none to tell."""

    def told(self, *, named: bool = False) -> Conflict:
        """Return the conflict in words.

        `named`: True names the workload also where no rule of it does, which is needed where there are
        several.
        """
        workloads = sorted(self.workloads, key=lambda each: each.key)
        keys, said = tuple(each.key for each in workloads), self.said
        own = all(map(is_namesake, workloads))
        known = any(each.names_workload(namesakes=own) for each in said)
        if (named or len(keys) > 1) and self.single and not known:
            said = (replace(said[0], whose=listed(keys, "workload")), *said[1:])
        if len(keys) == 1 or not self.alike:
            rules = tuple(each.statement for each in said)
            return Conflict(rules, proof=self.proof, workloads=keys, cause=self.cause)
        names = Names(f"each of {listed(keys, 'workload')}", policies_of(workloads))
        rules = tuple(replace(each.by(names), workload=None) for each in said)
        return Conflict(rules, proof=self.proof, workloads=keys)

    @property
    def single(self) -> bool:
        """Whether it is the conflict of one workload by itself, or of each of several."""
        return self.alike or len(self.workloads) == 1

    @property
    def form(self) -> object:
        """Form of the conflict, equal for conflicts that differ only in the workload."""
        who = Names(ANY.workload, ANY.policy)
        said = tuple((each.by(who).text, each.statement.cluster) for each in self.said)
        return said, self.proof


def told(conflict: Sequence[Unit], problem: Problem) -> tuple[UnitWording, ...]:
    """Return the sentence of every unit of a conflict.

    Where several of them add up against a total, the total says to how much. An exact total of a set is told
    once, though both of its sides may be in the conflict.
    """
    rest = [unit for unit in conflict if not isinstance(unit.part, Candidates)]
    heads = [unit for unit in rest if isinstance(unit.part, Total)] or [
        unit for unit in rest if isinstance(unit.part, GroupTotal)
    ]
    # What is said is asked for again and again, and may be about very many workloads.
    statements = [UnitWording(cache(unit.tell)) for unit in conflict]
    keys = {unit.workload for unit in rest if not isinstance(unit.part, Room)}
    if len(heads) == 1 and len(keys) == 1:
        (head,) = heads
        added = _added([unit for unit in rest if unit is not head], head.workload or "", problem)
        at = next(at for at, unit in enumerate(conflict) if unit is head)
        statements[at] = replace(statements[at], after=added)
        if isinstance(head.part, Total):
            statements = list(_counted_out(conflict, statements, head.workload or "", problem))
    if len({unit.workload for unit in conflict if unit.workload is not None}) > 1:
        # Of several workloads of one policy each statement has to tell which one it is about.
        statements = [_named(each) for each in statements]
    return once(statements)


def once(said: Iterable[UnitWording]) -> tuple[UnitWording, ...]:
    """Return sentences, each once, where it is said first."""
    found: dict[Statement, UnitWording] = {}
    for each in said:
        found.setdefault(each.statement, each)
    return tuple(found.values())


def _named(said: UnitWording) -> UnitWording:
    """Return a sentence that names the workload it is about."""
    key = said.statement.workload
    return said if key is None or said.names_workload() else replace(said, whose=key)


def _counted_out(
    conflict: Sequence[Unit], told: Sequence[UnitWording], key: str, problem: Problem
) -> Sequence[UnitWording]:
    """Say the room of as many groups as a spread allows; many different rooms are one sentence."""
    workload, most = problem.workload(key), dict[str, int]()
    for name, _, high in (limit for unit in conflict for limit in limits_of(unit, workload, problem)):
        if high is not None:
            most[name] = min(high, most.get(name, high))
    said = _held(conflict, told, workload, problem)
    rooms = {at: unit.part.cluster for at, unit in enumerate(conflict) if isinstance(unit.part, Room)}
    if len({told[at].form for at in rooms}) <= LONG:
        return said
    clusters = list(dict.fromkeys(rooms.values()))
    holds = f"{listed(clusters, 'cluster')} have capacity for {sum(most[each] for each in clusters)}"
    first = min(rooms)
    one = told[first].statement

    def together(names: Names) -> Statement:
        who = names.given(workload).key
        about = None if one.workload is None else who
        return replace(one, text=f"{holds} of {who} together", workload=about, cluster=None)

    said[first] = UnitWording(together)
    return [each for at, each in enumerate(said) if at == first or at not in rooms]


def _held(
    conflict: Sequence[Unit], told: Sequence[UnitWording], workload: Workload, problem: Problem
) -> list[UnitWording]:
    """Say how few replicas fit in as many groups as a spread allows, or as all of them allow together."""
    bounds = [unit for unit in conflict if not isinstance(unit.part, Spread)]
    spreads = {
        at: (replace(unit, part=replace(rule, minimum=0)), rule)
        for at, unit in enumerate(conflict)
        if isinstance(rule := unit.part, Spread) and rule.maximum
    }
    said = list(told)
    for at, (unit, rule) in spreads.items():
        held = most_within(problem, workload.key, [*bounds, unit])
        if held is not None and held < workload.replicas:
            hold = f"hold{'s' * (rule.maximum == 1)} at most {held}"
            text = f"; {rule.maximum} of {counted(len(rule.groups), rule.field)} {hold}"
            said[at] = replace(said[at], after=text)
    if len(spreads) > 1 and said == list(told):
        held = most_within(problem, workload.key, [*bounds, *(unit for unit, _ in spreads.values())])
        if held is not None and held < workload.replicas:
            last = max(spreads)
            said[last] = replace(said[last], after=f"; within these limits at most {held} fit")
    return said


def cause_of(conflict: Sequence[Unit], problem: Problem) -> str:
    """Say how much several workloads request of a scarce resource, and how much there is.

    Nothing where that is easily seen, or where no resource is scarce.
    """
    asking = sum(1 for unit in conflict if isinstance(unit.part, Total))
    excess = excess_of(problem, conflict) if asking > 1 else None
    if excess is None or excess.asked <= excess.has or (len(excess.clusters) < 2 and asking <= EASILY_ADDED):
        return ""
    asked, has = format_alike(excess.resource, excess.asked, excess.has)
    limit = f"quota {excess.quota} allows"
    if not excess.quota:
        limit = f"{listed(excess.clusters, 'cluster')} {'has' if len(excess.clusters) == 1 else 'have'}"
    return f"{listed(excess.workloads, 'workload')} request {asked} {excess.resource} together, {limit} {has}"


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
        exact = {rule.name for rule in workload.rules_of(GroupTotal) if rule.minimum == rule.maximum}
        numbers = "minima" if all(each.minimum for each in sets) else "maxima"
        numbers = "totals" if exact.issuperset(each.name for each in sets) else numbers
        return f"; the {numbers} of {len(units)} sets add up to {added}"
    return ""


def shortened(statements: Sequence[UnitWording], problem: Problem) -> tuple[UnitWording, ...]:
    """Return the sentences of a conflict; in a long one those are put together that say the same."""
    if len(statements) <= LONG:
        return tuple(statements)
    alike: dict[object, list[UnitWording]] = {}
    for said in statements:
        alike.setdefault(said.form, []).append(said)
    found = [told for each in alike.values() for told in _in_one(each, problem)]
    totals = [at for at, each in enumerate(found) if each.statement.rule == total.KIND]
    if len(totals) <= LONG:
        return tuple(found)
    asked = [each.statement for each in statements if each.statement.rule == total.KIND]
    rest = (each for at, each in enumerate(found) if at not in totals)
    return _summed(asked, problem), *rest


def _in_one(alike: Sequence[UnitWording], problem: Problem) -> list[UnitWording]:
    """Return sentences as one that differ in the workload, or in the cluster."""
    if len(alike) < SEVERAL:
        return list(alike)
    said = [each.statement for each in alike]
    workloads = list(dict.fromkeys(each.workload for each in said if each.workload))
    clusters = list(dict.fromkeys(each.cluster for each in said if each.cluster))
    about = Names(
        f"each of {listed(workloads, 'workload')}" if len(workloads) > 1 else None,
        policies_of(map(problem.workload, workloads)) if len(workloads) > 1 else None,
        f"each of {listed(clusters, 'cluster')}" if len(clusters) > 1 else None,
    )
    tell = alike[0].tell

    def told(names: Names) -> Statement:
        found = tell(names)
        workload = None if len(workloads) > 1 else found.workload
        return replace(found, workload=workload, cluster=None if len(clusters) > 1 else found.cluster)

    whose = alike[0].whose and (about.workload or alike[0].whose)
    return [replace(alike[0], tell=told, about=about, whose=whose)]


def _summed(asked: Sequence[Statement], problem: Problem) -> UnitWording:
    """Return how many replicas many workloads want together."""
    keys = [each.workload for each in asked if each.workload is not None]
    replicas = sum(problem.workload(key).replicas for key in keys)
    text = f"{listed(keys, 'workload')} need {replicas} replicas together"
    together = replace(asked[0], text=text, workload=None)
    return UnitWording(lambda _: together)


def said_once(conflicts: Sequence[Contradiction], *, named: bool) -> tuple[Conflict, ...]:
    """Return conflicts in words, those of single workloads that differ in nothing but the workload as one.

    `named`: True names the workload of a conflict also where no rule of it does, which is needed where there
    are several workloads.
    """
    alike: dict[object, list[Contradiction]] = {}
    for at, conflict in enumerate(conflicts):
        alike.setdefault(conflict.form if conflict.single else at, []).append(conflict)
    return tuple(_joined(each).told(named=named) for each in alike.values())


def _joined(alike: Sequence[Contradiction]) -> Contradiction:
    """Return several conflicts that say the same as one."""
    if len(alike) == 1:
        return alike[0]
    workloads = tuple(workload for each in alike for workload in each.workloads)
    return replace(alike[0], workloads=workloads, alike=True)
