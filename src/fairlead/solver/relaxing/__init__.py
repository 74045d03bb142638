"""Relaxations: the cheapest changes that make an infeasible problem feasible."""

from fairlead.solver.relaxing.search import relaxations

__all__ = ["relaxations"]
