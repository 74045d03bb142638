"""Problems made in Python: clusters, workloads and policies with units, read as manifests are."""
