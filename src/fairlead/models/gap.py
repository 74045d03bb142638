"""The gap between a value and its bound: one definition for all that is shown."""

from fractions import Fraction


def gap_of(value: int | Fraction, bound: int | Fraction | None) -> Fraction | None:
    """Return how much lower a value could be at most, as a share of it.

    Parameters
    ----------
    value
        What the best placement costs.
    bound
        What every placement costs at least; None where that is not known.

    Returns
    -------
    Fraction or None
        ``(value - bound) / value``, from 0 to 1, where the bound says nothing. None where there is none.
    """
    if bound is None:
        return None
    if value <= bound:
        return Fraction(0)
    return min(Fraction(1), Fraction(value - bound) / value) if value > 0 else Fraction(1)
