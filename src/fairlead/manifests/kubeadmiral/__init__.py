"""Meaning of KubeAdmiral's manifests: clusters, policies by label, current placement, feedback."""
