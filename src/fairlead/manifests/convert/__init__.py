"""Manifests of one system as those of the other: policies, clusters and workloads."""
