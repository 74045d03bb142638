"""Grades of nodes (Karmada's resource models): how many replicas whole nodes can take."""

from collections.abc import Iterable, Mapping

from fairlead.models.cluster import PODS, Grade

PODS_OF_A_NODE = 110
"""Pods that Karmada takes every node to run at most."""


def fits(grades: Iterable[Grade], needs: Mapping[str, int]) -> int:
    """Return how many equal replicas fit onto the free nodes of some grades.

    Every node of a grade counts with the least that the grade promises, and with 110 pods. Karmada places the
    replicas first-fit, one after another; as they are equal, they fill every node, so that counting node by
    node gives the same.

    Parameters
    ----------
    grades
        Grades of the nodes.
    needs
        What one replica takes by resource, itself as a pod among them; positive. A resource that a grade does
        not name is not there.
    """
    return sum(grade.nodes * _on_node(grade, needs) for grade in grades if grade.nodes)


def _on_node(grade: Grade, needs: Mapping[str, int]) -> int:
    """Return how many replicas fit onto one node of a grade."""
    counts = [
        PODS_OF_A_NODE // need if resource == PODS else grade.offers.get(resource, 0) // need
        for resource, need in needs.items()
    ]
    return min(counts, default=PODS_OF_A_NODE)
