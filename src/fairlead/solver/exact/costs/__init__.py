"""Costs of a level by cluster: convex, each of a single cluster, and the boxes that they narrow."""
