"""What Prometheus is told of a controller."""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

_SECONDS = (0.05, 0.1, 0.2, 0.3, 0.5, 1, 2, 5, 10, 30, 60)


class Metrics:
    """All numbers of one controller, in a registry of their own."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        here = self.registry
        self.queue = Gauge("fairlead_queue", "Bindings that wait to be looked at.", registry=here)
        self.leading = Gauge("fairlead_leading", "1 where this controller writes.", registry=here)
        self.batches = Counter("fairlead_batches", "Batches that were placed.", registry=here)
        self.batch_seconds = Histogram(
            "fairlead_batch_seconds", "Time for placing a batch.", buckets=_SECONDS, registry=here
        )
        self.binding_seconds = Histogram(
            "fairlead_binding_seconds",
            "Time from the change of a binding until it is written.",
            buckets=_SECONDS,
            registry=here,
        )
        self.decisions = Counter(
            "fairlead_bindings", "Bindings by what was decided.", ["reason"], registry=here
        )
        self.gap = Gauge(
            "fairlead_gap", "Greatest gap of the last batch, 0 where all is proven.", registry=here
        )
        self.missing = Gauge(
            "fairlead_unplaced_replicas", "Replicas of the last batch without a place.", registry=here
        )
        self.moved = Counter(
            "fairlead_moved_replicas", "Replicas that were stopped where they ran.", registry=here
        )
        self.conflicts = Counter("fairlead_conflicts", "Writes whose version was stale.", registry=here)
        self.lost = Counter(
            "fairlead_lost_watches", "Kinds that could not be read.", ["resource"], registry=here
        )
