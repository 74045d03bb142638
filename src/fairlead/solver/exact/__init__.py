"""One workload placed exactly, without a solver: boxes, marginal costs, prices, nested groups."""
