"""Independent parts side by side: on several processes or machines where that is worth it."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from fairlead.models.outcome import Status
from fairlead.models.problem import Problem
from fairlead.models.rules import Capacity
from fairlead.solver.answers.answer import PartAnswer, PartQuestion, answered, stand_alone
from fairlead.solver.answers.attainment import LexicographicResult
from fairlead.solver.batch.separable import applies
from fairlead.solver.floor import keep_and_repair, standing_well
from fairlead.solver.parts.methods import solve_part
from fairlead.solver.running.deadline import Deadline, TimeSpan, listening, now
from fairlead.solver.running.search import Machines, Search, Workplace

WORTH_A_PROCESS = 5_000
"""Places (workloads times clusters) that are worth the second which new processes need to start."""
LONG_ENOUGH = 3.0
"""Seconds left, from which on that second is a small part of them."""

FOR_SHARES = 0.8
"""Share of the time for a part in shares; where one of them fails the rest is for the whole."""

Alone = Mapping[str, Mapping[str, int]]


def solve_parts(
    parts: Sequence[Problem], alone: Alone, search: Search, where: Workplace | None = None
) -> list[PartAnswer]:
    """Solve independent parts; what formulas answer is answered here, the rest where the engine says.

    `parts`: the parts; see `fairlead.solver.answers.answer`. `alone`: workloads as they are placed where they
    have all shared capacity for themselves, as far as known. `search`: how to search; its time is shared
    fairly among the parts, and does not run while Ray starts. `where`: where to search, and in how many
    shares.

    In the order of the parts.

    Raises `UsageError` where the engine cannot be used here.
    """
    where = where or Workplace()
    answers = {number: stand_alone(part, alone) for number, part in enumerate(parts)}
    left = [number for number, answer in answers.items() if answer is None]
    if left:
        before = now()
        with _machines(left, parts, search, where) as machines:
            if where.engine == "ray":
                # Some seconds, which depend on the cluster and not on the question.
                search = search.until(search.deadline.later(now() - before))
            shared = [number for number in left if _is_split(parts[number], where)]
            answers |= {number: _in_shares(parts[number], search, where, machines) for number in shared}
            whole = [number for number in left if answers[number] is None]
            answers |= searched(whole, parts, alone, search, machines)
    return [answer for _, answer in sorted(answers.items()) if answer is not None]


def _machines(left: Sequence[int], parts: Sequence[Problem], search: Search, where: Workplace) -> Machines:
    """Return where parts and neighbourhoods are searched: here, unless they are worth a process."""
    places = sum(len(parts[number].workloads) * len(parts[number].clusters) for number in left)
    threads = places < WORTH_A_PROCESS or search.deadline.remaining() < LONG_ENOUGH
    from fairlead.solver.running.processes import machines_of

    return machines_of(
        where.engine, search.threads, where.address, threads=threads, stop=search.deadline.stop
    )


def _is_split(part: Problem, where: Workplace) -> bool:
    """Tell whether a part is solved in shares; of quotas and budgets every share would use all."""
    count = where.partitions or 1
    only_capacity = all(isinstance(rule, Capacity) for rule in part.rules)
    return count > 1 and len(part.workloads) >= 2 * count and only_capacity and applies(part)


def _in_shares(part: Problem, search: Search, where: Workplace, machines: Machines) -> PartAnswer | None:
    """Solve a part in shares; None where a share has no placement of its own."""
    from fairlead.solver.batch.shares import solve_partitioned

    runs = any(each.current for each in part.workloads)
    floor = keep_and_repair(part, standing_well(part), Deadline.after(0)) if runs else None
    result = solve_partitioned(part, where.partitions or 1, search.part(FOR_SHARES), machines, floor)
    if result.placement is None:
        return None
    return answered(part, result, "prices")


def searched(
    left: Sequence[int], parts: Sequence[Problem], alone: Alone, search: Search, machines: Machines
) -> dict[int, PartAnswer]:
    """Search parts in the order of their numbers: side by side elsewhere, or here with the help of all."""
    if len(left) <= 1 or not machines.remote:
        search = replace(search, machines=machines)
        found = {}
        for remaining, number in zip(range(len(left), 0, -1), left, strict=True):
            found[number] = solve_part(
                PartQuestion(parts[number], search.part(1 / remaining, quietly=False), alone)
            )
        return found
    span = search.deadline.each(len(left), machines.slots)
    workers = max(1, search.threads // min(machines.slots, len(left)))
    sent = Search(workers=workers, seed=search.seed, formula=search.formula)
    tasks = [
        (
            PartQuestion(
                parts[number],
                sent,
                {each.key: alone[each.key] for each in parts[number].workloads if each.key in alone},
            ),
            span,
        )
        for number in left
    ]
    results = machines.run(search_elsewhere, tasks)
    found = {}
    for number, (result, origin) in zip(left, results, strict=True):
        found[number] = answered(parts[number], result, origin)
        if result.status is Status.UNKNOWN:
            # Time may have gone into starting workers; what is found at once is still an answer.
            found[number] = solve_part(PartQuestion(parts[number], search, alone))
    return found


def search_elsewhere(task: tuple[PartQuestion, TimeSpan]) -> tuple[LexicographicResult, str]:
    """Search one part in so much time; return what was found and who found it. Runs in another process."""
    question, span = task
    deadline = span.begun()
    with listening(deadline):
        answer = solve_part(replace(question, search=question.search.until(deadline)))
    return LexicographicResult(answer.status, answer.placement, answer.attained), answer.origin
