"""Simulation: changes of a fleet, the problem with them made, and their effects."""
