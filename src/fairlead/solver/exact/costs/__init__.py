"""What a level costs by cluster: convex costs of single clusters, and the boxes that they narrow."""
