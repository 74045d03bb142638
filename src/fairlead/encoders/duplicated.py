"""Duplicated: every selected cluster holds a full copy."""

from fairlead.encoders.costs import Origin
from fairlead.encoders.encoding import Encoding, total
from fairlead.encoders.variables import Place
from fairlead.models.rules import Duplicated
from fairlead.models.rules.candidates import candidates_of
from fairlead.models.rules.duplicated import KIND, copy_on
from fairlead.models.workload import Workload


def encode(rule: Duplicated, workload: Workload, encoding: Encoding) -> None:
    """Every candidate c holds a full copy of n_c replicas, or nothing where there is a choice.

    With u_c = 1 where cluster c holds replicas::

        x_c = n_c          for every candidate
        x_c = n_c u_c      where the solver chooses
        sum u_c >= 1       where it chooses, unless the workload is scaled to 0
    """
    names = candidates_of(workload)
    for name in names:
        because = Origin(KIND, workload.key, name)
        full = copy_on(rule, workload, name)
        if not rule.choice:
            encoding.limit(Place(workload.key, name), lower=full, upper=full, because=because)
        else:
            used = encoding.used(workload.key, name)
            encoding.require_coupled(encoding.replicas(workload.key, name) == full * used, because=because)
    if not names and workload.replicas:
        encoding.require(False, because=Origin(KIND, workload.key))
    elif rule.choice and workload.replicas:
        used_at_all = total(encoding.used(workload.key, name) for name in names)
        encoding.require_coupled(used_at_all >= 1, because=Origin(KIND, workload.key))
