"""Column generation: bounds of levels, and placements, from mixes of what single workloads can choose.

What ties workloads together (clusters that are filled, levels that are pinned) has prices, and at these every
workload chooses by itself (`choice`, `pricing`). What it chose is a column; columns of a workload in parts
that add up to 1 are its mix (`mix`). The mixes of all are the restricted master (`master`), which gives the
next prices, round by round (`rounds`). Where the bound is not enough, what can be chosen is cut in two
(`branching`); placements come from mixes by `diving` and `rounding`.
"""
