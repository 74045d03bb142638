"""How work is run: until when, on how many processes or machines, by CP-SAT, and what ends it early."""
