"""Go's 32-bit integers, in which the scheduler counts replicas."""

LARGEST = 2**31 - 1


def wrapped(number: int) -> int:
    """Return what a 32-bit signed integer holds after arithmetic gave a number: it wraps round silently."""
    return (number + 2**31) % 2**32 - 2**31
