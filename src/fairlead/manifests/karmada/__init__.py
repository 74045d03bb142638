"""What Karmada's manifests say: policies, placements, totals, quotas, and what runs where."""
