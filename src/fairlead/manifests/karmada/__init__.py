"""Meaning of Karmada's manifests: policies, placements, totals, quotas, current placement."""
