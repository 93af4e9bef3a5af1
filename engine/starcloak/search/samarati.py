"""Samarati's binary search on height (LeFevre, DeWitt, Ramakrishnan 2005, section 2.2; Samarati 2001)."""

from __future__ import annotations

from collections.abc import Iterator

from starcloak import frequency
from starcloak.search import lattice
from starcloak.search.lattice import Found, Lattice, Tally
from starcloak.star import Star
from starcloak.statement import Name, Statement

_BATCH = Name("batch")

# Nodes whose numbers are fetched at once.
_PAGE = 10_000


def search(star: Star, *, k: int, allowed: int) -> Found:
    """One k-anonymous full-domain generalization of the lowest height there is.

    Where no node of a height is k-anonymous, no node of a lower height is, so the lowest is found by halving. The nodes
    of a height are checked from the star, some dozens in a statement, until one of them is k-anonymous; where several
    in that statement are, the first in the order of levels is taken. The check is a GROUP BY and not Samarati's matrix
    of distance vectors, as in the paper's second footnote.
    """
    whole = lattice.held(star)
    tally = Tally(star.session)
    low, high = 0, sum(whole.heights)
    best: int | None = None
    while low < high:
        middle = (low + high) // 2
        number = _first(star, whole, middle, k=k, allowed=allowed, tally=tally)
        if number is None:
            low = middle + 1
        else:
            high, best = middle, number
    if best is None:
        best = _first(star, whole, low, k=k, allowed=allowed, tally=tally)
    effort = tally.effort()
    return lattice.found(star, Statement("lattice/single"), {"number": best}, complete=False, effort=effort)


def _first(star: Star, whole: Lattice, height: int, *, k: int, allowed: int, tally: Tally) -> int | None:
    """The first k-anonymous node of a height, if there is one."""
    session = star.session
    counts = (frequency.from_star(star, whole.node(number)) for number in _numbers(star, whole, height))
    for batch in frequency.together(counts):
        session.report(f"search: height {height} of {sum(whole.heights)}, {tally.checked:,} nodes checked")
        session.create(_BATCH, frequency.count_all(batch))
        tally.count(batch)
        best = Statement("lattice/first_anonymous", {"shortfall": frequency.shortfall(_BATCH)})
        (number,) = session.row(best, {"k": k, "allowed": allowed})
        if number is not None:
            return int(number)
    return None


def _numbers(star: Star, whole: Lattice, height: int) -> Iterator[int]:
    """The numbers of the nodes of a height, fetched by pages: a lattice may have millions of them."""
    page = Statement("lattice/at_height", {"nodes": lattice.every(whole)})
    after = -1
    while numbers := star.session.run(page, {"height": height, "after": after, "page": _PAGE}):
        yield from (number for (number,) in numbers)
        ((after,),) = numbers[-1:]
