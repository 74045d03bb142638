"""Placements: moves, exchanges, repair and large neighbourhood search."""
