"""Orders of levels for problems that test something else than balance."""

from fairlead.models.levels import BALANCE, DEFAULT_ORDER, DYNAMIC_DEVIATION

WITHOUT_BALANCE = tuple(key for key in DEFAULT_ORDER if key not in (BALANCE.key, DYNAMIC_DEVIATION.key))
"""The usual order, balance left out: every workload is placed as well as it can be, whatever that fills."""
