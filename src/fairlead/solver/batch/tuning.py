"""Constants found by trying: how far, how long and how many, in the order of the search.

The units are said with each; "the level" is one unit of the level that is minimised. What these
values reach on batches of 50x10 to 10000x100, with priorities, tiers and more than there is room for, is in
`docs/benchmarks.md`; none of them decides whether an answer is right.
"""


# --- What it takes to divide rows

# Rows that are looked at together: few enough for the caches, enough to keep the interpreter out of the way.
ROWS = 256
# Chunks from which on starting threads costs less than it saves.
WORTH_THREADS = 16

# --- Relaxation

# Segments that a piece whose cost grows is cut into on its way through a window.
CUTS = 8

# --- Subgradient

KEEP = 0.8
KEEP_SQUARES = 0.95
# The first step, as a part of what filling a cluster costs, and how often it is halved.
SUBGRADIENT_FIRST_STEP = 0.03
SUBGRADIENT_HALVINGS = 10
# How closely prices of totals are searched for on the way, as a part of the dearest unit.
COARSE = 2.0**-16
# Short runs, each with larger steps, are made while they raise the bound by this part of it.
SUBGRADIENT_MOST_PROBES = 8
# Where there are more rows than twice as many, prices are found on about so many of them first.
SAMPLE = 2000
FURTHER = 0.02
SUBGRADIENT_TURNS = 40
# Prices are made so large that rounding them to whole steps loses next to nothing.
LARGE = 2.0**40

# --- Interior

# Programs of at most so many places are solved by an interior point method; where costs do not grow, of more
# than so many. At 400 x 40 with three priorities that takes a third of the time, at 200 x 20 as much.
PLACES_OF_INTERIOR = 200_000
PLACES_OF_SIMPLEX = 5_000
# Turns at most; how near to its optimum a program ends, counts as precise, and has to come to be of use, as
# parts of what it costs and of what there is; and what part of the way to a limit is gone.
INNER_TURNS = 120
INNER_CLOSE = 1e-6
INNER_PRECISE = 1e-4
INNER_NEAR = 1e-2
INNER_STEP = 0.99
# What is left at least at first, as a part of what there is; the least size of costs, in units of the level;
# and the first price of a whole cluster, as a part of what filling one costs.
INNER_LEFT = 0.1
INNER_LEAST = 1e-9
INNER_FIRST_PRICE = 0.1
# How far the prices of the first linear program after that may go, in units of the level.
RADIUS_OF_INNER = 1e-3
# Where pieces are cut around the optimum in fractions, in replicas from it, rounded down.
INNER_UNITS = (-1, 0, 1, 2)

# --- Restricted master

MASTER_TINY = 1e-7
# What part of itself a price changes by at most in one turn, for every unit of the reach, and in all.
PART_OF_PRICE = 1.0
MOST_OF_PRICE = 0.5

# --- Sifting

# Programs of at most so many pieces are solved whole: where a place has several, and where it has one.
WHOLE_PROGRAM = 8000
WHOLE_STRAIGHT = 80_000
# How far prices may go in the first turn, in units of the level; the same where the program is solved whole.
FIRST_RADIUS, FIRST_RADIUS_OF_WHOLE = 0.05, 2.0
# Pieces come into the core whose cost is so near to the price of their row, in units of the level, at most.
REACH = 0.1
# A core has about so many pieces at most, more after a bad turn: of more rows every so manieth is looked at.
MOST_SEGMENTS = 10_000
# The bound counts as reached when so little is promised beyond it.
SIFTING_CLOSE = 1e-7
# A turn was good when it won this part of what was promised, very good when it won that part.
SIFTING_WORTHWHILE = 0.1
KEPT = 0.8
# A bound beyond so many units is that of a level without a placement: it rises without end.
ENDLESS = 2.0**40
# Of the time that is left, what one program may use.
SHARE_OF_A_PROGRAM = 0.5
# How far prices may go in the next turn, as a multiple: after a bad one, after a good one, after one in which
# rows stood for others, after a very good one, and where all was won.
SIFTING_SHORTER, SIFTING_LONGER, SIFTING_NEARER, MUCH_LONGER, ALL_WON = 0.4, 1.5, 0.6, 3.0, 4.0
# Turns that win less than what counts as close, all together, after which nothing more is tried.
SIFTING_PATIENCE = 6
# How closely prices of totals are searched for on the way.
SIFTING_PRECISION = 2.0**-26

# --- Exchanges

# Moves that are kept for every pair of clusters, and for everything that enters or leaves a cluster.
PER_PAIR = 12
PER_CLUSTER = 96
# Pairs of moves of either kind that are looked at in one turn, about.
MOST_PAIRS = 300_000
# Exchanges that are tried one after another in one turn.
MOST_TRIED = 20_000
# What an exchange has to gain, in units of the level.
FEWEST_GAIN = 1e-9
# How often a list of moves is used before it is made anew.
TURNS_OF_A_LIST = 6

# --- Moves

# Moves that are listed at most at once.
MOST_MOVES = 400_000

# --- Repair

# How far from the price of a row exchanges look, in units of the level, in turn.
REPAIR_REACHES = (0.02, 0.05, 0.1, 0.2, 0.4)
# How far they look in the end where limits are still broken.
FAR_REACHES = (1.0, 2.5, 8.0)
# What a round of exchanges has to win, in units of the level, for another one.
REPAIR_WORTHWHILE = 0.05
# What breaking a limit is charged, as a multiple of its price, in turn until a placement is found.
REPAIR_CHARGES = (3.0, 12.0, 48.0, 192.0)
# A placement is far from the bound by more than this part of what it costs.
FAR = 0.05
# What breaking a limit is charged, as a multiple of its price, and how far is looked, to relieve clusters.
RELIEVING_CHARGE = 200.0
RELIEVING_REACHES = (8.0, 128.0, 1024.0)
# How far is looked to use what that leaves.
FILLING_REACHES = (0.005, 0.02, 0.05)
# Of the time that is left, what may be used to lead a rounded program back to what is allowed.
SHARE_OF_LEADING = 0.5

# --- Neighbourhoods

# Costs of a part are given to the solver with so many bits less where it need not be exact, and where so much
# is open that a proof hardly comes to its end.
COARSE_BITS, BITS_OF_MANY = 14, 20
# More pieces than this make no model.
MOST_PIECES = 60_000

# --- Kicks

# Batches of at most so many places, and more than are divided whole, are kicked: at first for at most so much
# of the time that is left, or until so many rounds in vain.
PLACES_OF_KICKS = 6000
SHARE_OF_KICKS = 0.15
PATIENCE_OF_KICKS = 3
# Kicks in a round, replicas that one moves at most, how far from the price of their row, in units of the
# level, and how far exchanges look after that, in turn.
KICKS = 12
MOST_KICKED = 8
REACH_OF_KICK = 0.1
REACHES_AFTER_KICK = (0.1, 0.3)
ROUNDS_AFTER_KICK, WORTH_AFTER_KICK = 6, 1e-3
# By how much the placement that is kicked may be worse than the best, in units of the level, at most.
SLACK_OF_KICKS = 0.05
# Counted work that merging the placements of some rounds is worth.
WORK_OF_MERGING = 0.5

# --- Large neighbourhood search

# Clusters that are divided anew together, in turn.
GROUPS = (12, 16, 20, 25)
# Groups that have no cluster in common are divided side by side, as many whatever the number of threads is.
SEARCH_SIDE_BY_SIDE = 4
# How far from the price of a row they look, in units of the level: as far as the pieces are few enough.
SEARCH_REACHES = (1.28, 0.64, 0.32, 0.16, 0.08, 0.04, 0.02, 0.014, 0.01, 0.007, 0.005, 0.002, 0.0005)
# Places that a group opens at most and counted work that it is worth, while much is won and after that.
FAST = (600, 0.03)
THOROUGH = (320, 1.0)
# Much is won where so many rounds win this part of what the placement costs.
ROUNDS_OF_MUCH = 8
MUCH = 2e-4
# By how many of these steps they look farther, in turn.
FARTHER = (0, 0, 2, 0, 4)
# Of what a cluster leaves unused, this share of the mean is added, so that every cluster is drawn at times.
LEAST_WEIGHT = 0.5
# Rounds in vain after which nothing more is tried.
SEARCH_PATIENCE = 300
# What breaking a limit is charged, as a multiple of its price, and after how many rounds it gets dearer.
LEADING_CHARGES = (12.0, 48.0, 200.0)
DEARER_AFTER = 4
# How far from the price of a row exchanges look before that, in turn.
LEADING_REACHES = (0.01, 0.1, 0.4)
# Batches of at most so many places are divided anew as a whole, with so much counted work, as far from the
# prices of rows as that, in units of the level, and by at most so many replicas a place.
PLACES_OF_WHOLE = 1000
WORK_OF_WHOLE = 0.5
REACH_OF_WHOLE = 0.3
UNITS_OF_WHOLE = 6

# --- Proofs

# What is left open is given to CP-SAT where it has at most so many pieces, or so many where the bound is
# raised step by step.
MOST_OPEN = 2500
MOST_OPEN_UPWARDS = 10_000
# Where fewer pieces are open, the usual search is often done first; so much counted work is tried at once.
FEW_OPEN = 1000
WORK_OF_FIRST_PROOF = 2.0
# Where more are, the placement may get better by changes before they are looked at again: for so much of the
# time, or until so many rounds in vain.
SHARE_BEFORE_PROOF = 0.12
PATIENCE_BEFORE_PROOF = 12
# One thread proves for so much of the time, then changes go on.
SHARE_OF_PROOF = 0.5
# Counted work of a proof where there is no time limit.
WORK_OF_PROOF = 120.0

# --- The incumbent

# For a first placement a search may take so much longer, as a part of what it took; nobody is late by that.
GRACE = 0.1

# --- Surrogates

# What one unit of a level of lower priority counts, in units of the level.
SHARE = 2.0**-7
# The same for levels that start from what another guide has learned: there little is left to chance.
LATER_SHARE = 2.0**-9
# What one unit of the deviation counts, in units of a level before it, and less for each lower priority.
SHARE_OF_DEVIATION = 2.0**-6
LESS_URGENT = 0.5
# Which multiples of a guide's prices are tried for the level after it.
PARTS = (8.0, 4.0, 2.0, 1.0, 0.5, 0.25, 0.125, 0.0625, 0.03125, 0.015625)

# Batches of more rows are searched without a guide.
MANY_ROWS = 20_000

# --- One level

# Of the time that is left, what exchanges may use where a placement was known.
SHARE_OF_EXCHANGES = 0.4
# With workloads of lower priority that count little, an ascent takes so many times as many turns as usual.
LEVEL_LONGER = 2
# Of the time that is left, what the linear programs for that bound may use.
SHARE_OF_BOUND = 0.8
# Of the time that is left, what settling urgent workloads may use, and what then places all others.
SHARE_OF_SETTLING = 0.6
SHARE_OF_FROZEN = 0.7
# Of the time that is left, what changes by a guide may use before the level itself is looked at again.
SHARE_OF_GUIDE = 0.4
# The same of the way to a first placement, where none is known.
SHARE_OF_ANY = 0.5
# How far from a guide's prices a straight level divides all rows anew, in turn, in units of the guide; and
# the part of the time that is left that every turn may use.
GUIDED_REACHES = (0.05, 0.1, 0.3)
SHARE_OF_GUIDED = 0.4
# Turns of the ascent, by places: more where they are cheap.
LEVEL_TURNS = ((400, 40), (20_000, 100), (200_000, 80))
TURNS_OF_LARGE = 60
# The same where costs do not grow within a piece: linear programs are quicker then, wherever they start.
TURNS_OF_STRAIGHT = 30
# Linear programs are solved for so many rows at most.
ROWS_OF_PROGRAM = 200_000
# Of the time that is left, what the ascent to the first prices may use, and what linear programs may use.
SHARE_OF_CLIMBING = 0.4
SHARE_OF_PROGRAMS = 0.5

# --- All levels

# Of the time that is left, what a level may use while others wait.
LEVELS_SHARE_OF_TIME = 0.6
# The same of a level after one that was guided: what it settles is where the last one starts.
SHARE_OF_LATER = 0.75
# The time left, as a multiple of what levels before took, that is worth a search with frozen workloads.
WORTH_FREEZING = 0.2
# The same for a proof that there is no placement.
REFUTING_SHARE = 0.1
# The time left, as a part of what all levels took, that is worth another look at those that are not proven.
WORTH_ANOTHER_LOOK = 0.1

# --- The conclusion

# Ties are settled in batches of at most so many places.
MOST_SETTLED = 2000

# --- Mixed batches

# Of the time that is left: for workloads one by one, for all together, and over their tiers, for prices.
FIRST_SHARE = 0.2
DIVIDE_SHARE = 0.85
OVER_TIERS_SHARE = 0.4
BOUND_SHARE = 0.3
# Problems of so few places are searched whole by CP-SAT at the end.
WHOLE = 600
# Seconds that CP-SAT gets for one workload, and the part of the time that is left.
LONGEST_RUN = 2.0
ONE_BY_ONE_SHARE = 0.1

# --- Cardinality

CARDINALITY_FIRST_STEP = 0.1
CARDINALITY_TURNS = 150
# How often the interval of a replica's price is halved: from nothing, and from one that was close.
HALVES = 40
HALVES_NEARBY = 14

# --- Columns

# Of the time for first prices, what finding them may use; the rest is for placements at them.
SHARE_OF_GUESS = 0.8

# Placements of a workload with limited groups, the first at the best prices; how far the prices of the others
# are off, as the spread of their logarithm.
MOST_COLUMNS = 24
COLUMN_NOISE = 0.3
# What more than the others leave is charged, as a multiple of its price; how many times as much it is where
# that is more than there is at all; and how often all choose in turn.
COLUMN_CHARGE = 3.0
COLUMN_FORBIDDEN = 1000.0
# What part of a limit they may use more than the others leave before that is charged.
COLUMN_SLACK = 0.05
COLUMN_ROUNDS = 20

# --- Shares

# Of the time that is left, what common prices may take; and of that, what the first ones of a sample may.
FOR_PRICES = 0.3
FOR_FIRST_PRICES = 0.5
# A sample has about so many workloads, and its prices are found by so many linear programs at most.
ROWS_FOR_PRICES = 5_000
TURNS_FOR_PRICES = 20
# So many workloads are divided at prices together, so often all of them, if time is left for so many times.
ROWS_AT_ONCE = 10_000
ROUNDS_OF_PRICES = 3
WORTH_ANOTHER_ROUND = 1.5
# Of the time of a share, what its search may use; the rest is for what it has begun, and to tell.
SHARE_OF_SOLVING = 0.85
