"""What imports what: no circles, counting imports inside of functions and those for types only."""

from graphlib import TopologicalSorter

import grimp

KNOWN = (
    (
        "fairlead.models.rules",
        "fairlead.models.problem",
        "fairlead.models.usage",
        "fairlead.models.workload",
        "fairlead.models.requirement",
    ),
)
"""Modules that need one another: a rule speaks of workloads, which have rules."""


def group_of(module: str) -> int | None:
    """Return which of the known groups a module belongs to; None for none of them."""
    return next((at for at, names in enumerate(KNOWN) if module.startswith(names)), None)


def test_no_module_needs_itself() -> None:
    """Answers know nothing of what shows them, and no layer has a circle that is not known."""
    graph = grimp.build_graph("fairlead", cache_dir=None)
    needs = {
        module: {
            other
            for other in graph.find_modules_directly_imported_by(module)
            if group_of(module) is None or group_of(module) != group_of(other)
        }
        for module in graph.modules
    }
    TopologicalSorter(needs).prepare()  # raises CycleError, which names the circle
