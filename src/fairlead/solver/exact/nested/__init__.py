"""One workload over nested groups of clusters: which clusters it uses, and how many replicas each holds."""
