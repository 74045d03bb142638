"""What imports what: no circles, counting imports inside of functions and those for types only."""

from graphlib import TopologicalSorter

import grimp


def test_no_module_needs_itself() -> None:
    """Answers know nothing of what shows them, rules nothing of the problems that have them, and so on."""
    graph = grimp.build_graph("fairlead", cache_dir=None)
    needs = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    # What is imported for its types only counts: of every room some module has such imports.
    assert "fairlead.solver.groups.joint" in needs["fairlead.solver.groups.choose"]
    TopologicalSorter(needs).prepare()  # raises CycleError, which names the circle
