"""Why moves are blocked and what would let them go on, in the user's words.

What is said to help has been tried.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from fairlead.models.placement import Placement
from fairlead.models.quantity import format_units
from fairlead.models.rules import Companionship
from fairlead.models.words import either
from fairlead.solver.plan.migration import Migration, Place, WorkloadPath, left_over
from fairlead.solver.plan.replay import replay
from fairlead.solver.plan.steps import total, undone
from fairlead.solver.plan.waves import Availability, BlockedMove, Move, MoveOrder, Wave, WavePlan

LARGE_RING = 6
"""Clusters in a ring up to which it is tried what would let it turn."""

Reaches = Callable[[Migration], bool]
"""Tells whether a changed migration reaches its target without detours."""


def blocked_moves(
    plan: WavePlan, stuck: Migration, used: Mapping[Place, int], reaches: Reaches
) -> tuple[BlockedMove, ...]:
    """Return the moves that the plan leaves undone, and why; stuck are those that remain when it ends."""
    room = stuck.room(used)
    moves = [
        move
        for path in stuck.paths.values()
        for move in undone(path.key, *left_over(path, path.start), stuck.regions)
    ]
    lacks = {move: _lacking(stuck.paths[move.workload], move, room) for move in moves}
    full = [move for move in moves if move.target in {owner for owner, _ in lacks[move]}]
    exchanges = _exchanges(full, stuck, room, reaches)
    return tuple(
        BlockedMove(
            move, "; ".join(filter(None, (f"{_head(move)}: {_because(plan, stuck, move, room)}", ring)))
        )
        for move, ring in ((move, exchanges.get(move, "")) for move in moves)
    )


def _lacking(path: WorkloadPath, move: Move, room: Mapping[Place, int], count: int = 1) -> dict[Place, int]:
    """Return the requests of so many replicas, by resource, that are more than is left where they go."""
    needs = path.needs.get(move.target or "", {})
    return {place: need * count for place, need in sorted(needs.items()) if need * count > room[place]}


def _lack_text(lack: Mapping[Place, int], room: Mapping[Place, int], replicas: str) -> str:
    """Say how much is left of the first resource that is too scarce for some replicas."""
    (owner, resource), need = next(iter(lack.items()))
    has = format_units(resource, max(0, room[owner, resource]))
    return f"{owner} has {has} {resource} left, {replicas} {format_units(resource, need)}"


def _because(plan: WavePlan, stuck: Migration, move: Move, room: Mapping[Place, int]) -> str:
    """Say the obstacle to a move: too little room, or a rule of the workload."""
    path = stuck.paths[move.workload]
    single = _lacking(path, move, room)
    if single:
        return _lack_text(single, room, "one replica takes")
    rule = _broken_rule(plan, stuck, move)
    together = _lacking(path, move, room, move.replicas)
    if together:
        all_of_them = _lack_text(together, room, f"{move.replicas} at once take")
        return f"{rule}, and {all_of_them}" if rule else all_of_them
    most = plan.options.most_moves
    if most is None:
        return rule or "it waits for another move that is blocked"
    if not rule:
        return f"it waits for another move that is blocked, or for more than {most} in one wave"
    out, into = left_over(path, path.start)
    at_once = into[move.target] if move.target is not None else out[move.source or ""]
    return f"{rule}, and a wave moves at most {most}" if at_once > most else rule


def _head(move: Move) -> str:
    """Say which replicas are blocked."""
    noun = "replica" if move.replicas == 1 else "replicas"
    if move.source is None:
        return f"{move.workload}: {move.replicas} {noun} cannot start on {move.target}"
    if move.target is None:
        return f"{move.workload}: {move.replicas} {noun} cannot be stopped on {move.source}"
    return f"{move.workload}: {move.replicas} {noun} cannot move from {move.source} to {move.target}"


def _broken_rule(plan: WavePlan, stuck: Migration, move: Move) -> str:
    """Say which rule the move of one replica, or of all, would break; empty where none."""
    tied = [rule for rule in plan.problem.rules if isinstance(rule, Companionship)]
    keys = {move.workload, *(key for rule in tied if move.workload in rule.members for key in rule.members)}
    standing = {**stuck.still, **stuck.start()}
    workloads = tuple(
        replace(plan.problem.workload(key), current=dict(standing.get(key, {}))) for key in sorted(keys)
    )
    rules = tuple(rule for rule in tied if move.workload in rule.members)
    part = replace(plan.problem, workloads=workloads, rules=rules)
    order = plan.options.order is MoveOrder.STOP_FIRST and None not in (move.source, move.target)
    for count in sorted({1, move.replicas}):
        wave = Wave((replace(move, replicas=count, stop_first=order),))
        target = Placement({key: plan.target.of(key) for key in keys})
        free = replace(plan.options, most_moves=None)
        found = [each for each in replay(WavePlan(part, target, (wave,), options=free)) if each.wave]
        if found:
            return found[0].violation.text
    return ""


def _exchanges(
    full: Sequence[Move], stuck: Migration, room: Mapping[Place, int], reaches: Reaches
) -> dict[Move, str]:
    """Say for every move in a ring of clusters without room what would let the ring turn."""
    import networkx as nx

    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_edges_from((move.source, move.target) for move in full if move.source and move.target)
    found: dict[Move, str] = {}
    for ring in sorted(sorted(each) for each in nx.strongly_connected_components(graph) if len(each) > 1):
        moves = [move for move in full if move.source in ring and move.target in ring]
        text = _ring_text(ring, moves, stuck, room, reaches)
        found.update(dict.fromkeys(moves, text))
    return found


def _ring_text(
    ring: Sequence[str], moves: Sequence[Move], stuck: Migration, room: Mapping[Place, int], reaches: Reaches
) -> str:
    """Say that clusters exchange replicas, and what would do."""
    count = sum(move.replicas for move in moves)
    if len(ring) > LARGE_RING:
        return f"it is one of {count} replicas that {len(ring)} clusters at capacity exchange"
    names = f"{', '.join(ring[:-1])} and {ring[-1]}"
    text = f"{names} are at capacity and exchange {count} replicas"
    part = stuck.only({move.workload for move in moves})
    ways = list(_ways_out(ring, moves, part, room, reaches))
    return f"{text}: {', or '.join(ways)} would unblock it" if ways else text


def _ways_out(
    ring: Sequence[str], moves: Sequence[Move], part: Migration, room: Mapping[Place, int], reaches: Reaches
) -> Iterator[str]:
    """Yield ways out that were tried and help: a little more room on one cluster, or stopping first."""
    tried: dict[str, list[str]] = {}
    for cluster in ring:
        for more in _shortages(cluster, moves, part, room):
            limits = {place: limit + more.get(place, 0) for place, limit in part.limits.items()}
            if reaches(replace(part, limits=limits)):
                amounts = " and ".join(
                    f"{format_units(resource, amount)} {resource}" for (_, resource), amount in more.items()
                )
                tried.setdefault(amounts, []).append(cluster)
                break
    for amounts, clusters in tried.items():
        yield f"{amounts} more on {either(clusters)}"
    paths = {key: _stopping_first(path) for key, path in part.paths.items()}
    asks = any(path.order is MoveOrder.START_FIRST for path in part.paths.values())
    if asks and reaches(replace(part, paths=paths)):
        yield "stopping first (--order either)"


def _shortages(
    cluster: str, moves: Sequence[Move], part: Migration, room: Mapping[Place, int]
) -> list[dict[Place, int]]:
    """Return the lack of one arriving replica on a cluster, the least first; at last that of all of them."""
    single: list[dict[Place, int]] = []
    asked: dict[Place, int] = {}
    for move in moves:
        if move.target != cluster:
            continue
        path = part.paths[move.workload]
        single.append({place: need - room[place] for place, need in _lacking(path, move, room).items()})
        for place, need in path.needs[cluster].items():
            asked[place] = asked.get(place, 0) + need * move.replicas
    every = {place: amount - room[place] for place, amount in sorted(asked.items()) if amount > room[place]}
    options = sorted(single, key=lambda more: (sum(more.values()), sorted(more)))
    return [*options[:1], every] if options else []


def _stopping_first(path: WorkloadPath) -> WorkloadPath:
    """Return a workload's way with its replicas stopped first where nothing else gets on."""
    if path.order is not MoveOrder.START_FIRST:
        return path
    wanted = total(path.target)
    least = min(path.least, wanted - Availability().missing(wanted, MoveOrder.EITHER))
    return replace(path, order=MoveOrder.EITHER, least=least)
