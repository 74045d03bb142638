"""How a controller is to work."""

from dataclasses import dataclass

DEFAULT_SCHEDULER = "default-scheduler"
"""The scheduler of bindings that name none."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How a controller is to work.

    Parameters
    ----------
    scheduler_name
        Bindings of this ``spec.schedulerName`` are served; all others are occupied room.
    namespaces
        Namespaces that are served; empty serves all, and what is cluster-scoped.
    dry_run
        Whether nothing is written, but only told.
    window
        Seconds for which changes are gathered before they are placed together.
    time_limit
        Seconds for placing one batch; None means no limit.
    workers
        Threads of the solver; None means one for every core.
    """

    scheduler_name: str = "fairlead"
    namespaces: frozenset[str] = frozenset()
    dry_run: bool = False
    window: float = 0.05
    time_limit: float | None = 10.0
    workers: int | None = None
