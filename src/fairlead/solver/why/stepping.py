"""One replica more, or one less, on a cluster: the best such placement and what it costs."""

from fairlead.models.errors import InternalError
from fairlead.models.outcome import Outcome, Status
from fairlead.models.rules import Duplicated, total
from fairlead.models.statement import Conflict
from fairlead.solver.deadline import Deadline
from fairlead.solver.why.answer import Possible, Shift, Step
from fairlead.solver.why.answered import Answered, Difference
from fairlead.solver.why.exchange import Exchanged, exact_totals
from fairlead.solver.why.limits import Block, no_less, no_more
from fairlead.solver.why.pins import PIN, at_least, at_most
from fairlead.solver.why.shifts import shifts

LATE = "not looked at in time"


def one_more(about: Answered, cluster: str) -> Step | None:
    """Return what one replica more on a candidate costs, where a rule or a formula tells; None elsewhere."""
    exchanges, replicas = about.exchanges, about.replicas(cluster)
    if exchanges is None or replicas >= exchanges.upper[cluster]:
        block = no_more(about.part, about.workload, cluster, replicas)
        return None if block is None else _blocked(block)
    found = exchanges.to(cluster)
    if found is None:
        return _blocked(_alone(about, cluster, "no other cluster can give one up"))
    return _stepped(about, found, cluster) if about.stands(found) else None


def one_less(about: Answered, cluster: str) -> Step | None:
    """Return what one replica less on a candidate costs, where a rule or a formula tells; None elsewhere."""
    exchanges, replicas = about.exchanges, about.replicas(cluster)
    if exchanges is None or replicas <= exchanges.lower[cluster]:
        block = no_less(about.workload, cluster, replicas)
        return None if block is None else _blocked(block)
    found = exchanges.away(cluster)
    if found is None:
        return _blocked(_alone(about, cluster, "no other cluster can take one more"))
    return _stepped(about, found, cluster) if about.stands(found) else None


def solve_more(about: Answered, cluster: str, deadline: Deadline) -> Step:
    """Return what one replica more on a candidate costs, by solving again."""
    if not deadline.remaining():
        return Step(Possible.UNKNOWN, reason=LATE)
    changed = at_least(about.part, about.key, cluster, about.replicas(cluster) + 1)
    return _solved(about, about.resolve(changed, deadline), cluster)


def solve_less(about: Answered, cluster: str, deadline: Deadline) -> Step:
    """Return what one replica less on a candidate costs, by solving again."""
    if not deadline.remaining():
        return Step(Possible.UNKNOWN, reason=LATE)
    changed = at_most(about.part, about.key, cluster, about.replicas(cluster) - 1)
    return _solved(about, about.resolve(changed, deadline), cluster)


def _blocked(block: Block) -> Step:
    """Return that a step is not possible."""
    return Step(Possible.NO, proven=True, reason=block.reason, source=block.source)


def _alone(about: Answered, cluster: str, otherwise: str) -> Block:
    """Return why no replica passes between a cluster and another one."""
    for rule in exact_totals(about.workload, tuple(about.exchanges.names) if about.exchanges else ()):
        if cluster in rule.clusters:
            return Block(f"{rule.name} holds exactly {rule.minimum}", rule.source)
    return Block(otherwise)


def _stepped(about: Answered, found: Exchanged, cluster: str) -> Step:
    """Return the step that a single exchange makes."""
    replicas = about.replicas(cluster) + (1 if found.end == cluster else -1)
    shift = Shift(about.key, 1, found.start, found.end)
    return _step(about.change(found), replicas, (shift,))


def _step(difference: Difference, replicas: int, moved: tuple[Shift, ...]) -> Step:
    """Return a step; a proven answer cannot be beaten by a placement that was open to it."""
    level, before, change, proven = difference
    if level is None:
        return Step(Possible.YES, replicas, change=0, proven=proven, shifts=moved)
    if proven and change < 0:
        raise InternalError(f"{level.name} {before} is called proven, and {-change} less was found")
    return Step(Possible.YES, replicas, level.name, before, change, proven, moved)


def _solved(about: Answered, outcome: Outcome, cluster: str) -> Step:
    """Return the step that a placement of the changed problem makes."""
    if outcome.status is Status.INFEASIBLE:
        return _blocked(_because(about, outcome.conflict))
    if outcome.placement is None:
        return Step(Possible.UNKNOWN, reason="not settled in time")
    moved = shifts(about.part, about.placement, outcome.placement, about.key)
    replicas = outcome.placement.of(about.key).get(cluster, 0)
    return _step(about.compare(outcome.objectives), replicas, moved)


def _because(about: Answered, conflict: Conflict | None) -> Block:
    """Return what stands against a step; the step itself and the number of replicas go without saying."""
    said = [each for each in conflict.rules if each.source != PIN] if conflict else []
    telling = [each for each in said if each.rule != total.KIND] or said
    if not telling:
        copies = about.workload.rule(Duplicated)
        return Block("no placement keeps every rule", copies.source if copies else None)
    others = len(telling) - 1
    rest = f", together with {others} other rule{'s' * (others > 1)}" if others else ""
    return Block(f"{telling[0].text}{rest}", telling[0].source)
