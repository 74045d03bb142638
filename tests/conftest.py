"""
How Hypothesis draws its cases in this repository.

The draws are the same in every run (a failure on the build server is a failure here), and no case has a
deadline: how fast something is depends on the machine and belongs to ``benchmarks/``. With FAIRLEAD_LONG
set in the environment (``make check-long``) every property is tried on many more cases.
"""

import os

from hypothesis import HealthCheck, settings

# Slow draws are a matter of the machine as well, hence no complaint about them.
settings.register_profile(
    "quick",
    max_examples=40,
    derandomize=True,
    deadline=None,
    database=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("long", settings.get_profile("quick"), max_examples=1000)
settings.load_profile("long" if os.environ.get("FAIRLEAD_LONG") else "quick")
