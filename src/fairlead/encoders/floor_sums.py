"""Sums of rounded steps of an arithmetic progression, at a cost that does not grow with their number."""


def floor_sum(count: int, slope: int, offset: int, divisor: int) -> int:
    """Return ``sum((slope * k + offset) // divisor for k in range(count))``.

    Whole parts of slope and offset add up by formula. What is left counts the points of a grid below a line;
    turned on its side it is a smaller sum of the same kind, as in Euclid's algorithm.

    Parameters
    ----------
    count
        Number of terms.
    slope, offset
        Not negative.
    divisor
        Positive.
    """
    found, sign = 0, 1
    while count > 0:
        found += sign * (count * (count - 1) // 2 * (slope // divisor) + count * (offset // divisor))
        slope, offset = slope % divisor, offset % divisor
        # The line reaches this height, rounded down, right after the last term.
        height = (slope * count + offset) // divisor
        if not height:
            break
        # Points below the line: all of the rectangle, less those on its other side.
        found += sign * count * height
        sign = -sign
        count, slope, offset, divisor = height, divisor, divisor - offset + slope - 1, slope
    return found


def sum_of_steps(first: int, last: int, slope: int, offset: int, divisor: int) -> int:
    """Return the sum of ``(slope * k + offset) / divisor``, rounded towards 0 each, from first to last - 1.

    Parameters
    ----------
    first, last
        Where the sum begins and ends; nothing where they are equal, and less than nothing where it would have
        to go back: ``-sum_of_steps(last, first, ...)``.
    slope, divisor
        Positive.
    offset
        Any number.
    """
    if last < first:
        return -sum_of_steps(last, first, slope, offset, divisor)
    # From here on steps are positive.
    turn = min(max(-(offset // slope), first), last)
    upward = floor_sum(last - turn, slope, slope * turn + offset, divisor)
    downward = floor_sum(turn - first, slope, -(slope * (turn - 1) + offset), divisor)
    return upward - downward
