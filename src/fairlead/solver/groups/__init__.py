"""Affinity groups: which exclusive set of clusters every workload gets."""
