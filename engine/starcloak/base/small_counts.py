"""Small counts: texts for other readers contain no count from 1 to k - 1, since k rows hide a person."""

from __future__ import annotations


def mask(count: int, k: int) -> int | None:
    """A count safe to publish; None instead of a count from 1 to k - 1.

    >>> mask(0, 5), mask(4, 5), mask(5, 5)
    (0, None, 5)
    """
    return None if 0 < count < k else count


def mask_part(count: int, whole: int, k: int) -> int | None:
    """A partial count safe to publish; None if ``count`` or ``whole - count`` is from 1 to k - 1.

    >>> mask_part(8, 20, 5), mask_part(4, 20, 5), mask_part(18, 20, 5)
    (8, None, None)
    """
    return None if None in (mask(count, k), mask(whole - count, k)) else count


def words(count: int | None, k: int | None) -> str:
    """The result of :func:`mask` in words.

    >>> words(mask(4, 5), 5), words(mask(1234, 5), 5)
    ('fewer than 5', '1,234')
    """
    return f"fewer than {k}" if count is None else f"{count:,}"
