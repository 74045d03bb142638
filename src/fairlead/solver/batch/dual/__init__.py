"""Duals and bounds: what every placement costs at least."""
