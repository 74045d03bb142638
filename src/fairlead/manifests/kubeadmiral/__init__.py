"""What KubeAdmiral's manifests say: clusters, policies by label, current placement, feedback."""
