"""Relaxations: the cheapest changes that make an infeasible problem feasible."""

from fairlead.solver.relaxation.search import relaxations

__all__ = ["relaxations"]
