"""Merging: a small class (a seeker) is generalized with its nearest class (its partner), or with a stub of it.

A stub is the rows of the partner that the seeker lacks to k. The other rows stay in the partner (Definition 14).
"""

from __future__ import annotations

from starcloak.search.kaca.classes import CLASSES, ClassTables
from starcloak.statements.statement import As, Hole, Joined, Name, Statement, columns

OFFERS = Name("kaca_offers")
FORMED = Name("kaca_formed")
MERGERS = Name("kaca_mergers")

_PIECES = Name("kaca_pieces")
_OPEN = Name("kaca_open_offers")


def offers(clustering: ClassTables, nearest: Hole) -> Statement:
    """The statement of all offers: each seeker (small class), its nearest class, and the number of rows to take.

    ``nearest`` is the relation of nearest classes. Offers have a random rank.
    """
    stub = Statement("search/kaca/offers#whole", k=clustering.k)
    whole = stub if clustering.splits else Statement("search/kaca/offers#always")
    return Statement("search/kaca/offers", whole=whole, k=clustering.k, nearest=nearest, classes=CLASSES)


def offers_untouched(accepted: Name, *, of: Name = OFFERS) -> Statement:
    """The statement of those offers in ``of`` without a class in any accepted offer."""
    touched = Statement("search/kaca/offers#touched", offers=accepted)
    return Statement("search/kaca/offers#open", offers=of, touched=touched)


def independent(clustering: ClassTables) -> int:
    """Choose mergers independent of each other among the offers; returns the number of mergers.

    In the offers' random order, an offer is accepted if no earlier offer has one of its classes. A large partner may
    give stubs to several seekers. Then offers with a class of an accepted offer are dropped. Both steps are repeated
    until no offer remains. Reads ``kaca_offers``, creates ``kaca_mergers``.
    """
    session, before, left = clustering.session, OFFERS, _OPEN
    mergers = session.create(MERGERS, _accepted(clustering, before))
    while session.create(left, offers_untouched(MERGERS, of=before)):
        before, left = left, before
        mergers += session.insert(MERGERS, _accepted(clustering, before))
    return mergers


def _accepted(clustering: ClassTables, offers: Name) -> Statement:
    return Statement("search/kaca/accepted", k=clustering.k, offers=offers)


def form(clustering: ClassTables, mergers: Name) -> None:
    """Create ``kaca_formed``: for each merger, the closest common generalization of its two classes."""
    common = clustering.trees.common_columns()
    own = (Name("seeker", *column.parts) for column in clustering.held)
    partners = (As(Name("other", *column.parts), _partners(column)) for column in clustering.held)
    holes: dict[str, Hole] = {
        **common,
        "values": columns([common["values"], *own, *partners]),
        "mergers": mergers,
        "classes": CLASSES,
        "joins": clustering.trees.joins,
    }
    clustering.session.create(FORMED, Statement("search/kaca/formed", **holes))


def _partners(column: Name) -> Name:
    """Name of the partner's column in ``kaca_formed``, for an aggregate of a sensitive attribute."""
    return Name(f"{column.parts[0]}_partner")


def merge(clustering: ClassTables) -> int:
    """Perform all mergers of ``kaca_mergers`` (Algorithm 1, line 6); returns the number of mergers with a stub."""
    session, trees = clustering.session, clustering.trees
    form(clustering, MERGERS)
    shape: dict[str, Hole] = {
        "columns": columns(clustering.columns),
        # The partner's values go with its own piece: both together are the values of the new class.
        "partners": columns(
            As(_partners(name), name) if name in clustering.held else name for name in clustering.columns
        ),
        "values": Joined(tuple(trees.values), ", "),
        "formed": FORMED,
        "classes": CLASSES,
    }
    session.create(_PIECES, Statement("search/kaca/pieces", **shape))
    clustering.replace(_PIECES)
    (splits,) = session.row(Statement("search/kaca/pieces#splits", mergers=MERGERS))
    return int(splits)
