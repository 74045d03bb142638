"""Batches of which some workloads are no boxes."""
