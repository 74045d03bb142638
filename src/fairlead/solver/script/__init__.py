"""A script of dated events on a fleet, handled in turn by fairlead and by greedy schedulers."""
