"""How a target is reached: waves of moves that keep every rule on the way."""
