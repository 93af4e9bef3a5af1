"""Merging: a small class is generalized with its nearest class, or with a stub of its nearest class (Definition
14).
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
    """The offer of each seeker, in random order."""
    stub = Statement("search/kaca/offers#whole", k=clustering.k)
    whole = stub if clustering.splits else Statement("search/kaca/offers#always")
    return Statement("search/kaca/offers", whole=whole, k=clustering.k, nearest=nearest, classes=CLASSES)


def offers_untouched(accepted: Name, *, of: Name = OFFERS) -> Statement:
    """The offers between classes untouched by accepted offers."""
    touched = Statement("search/kaca/offers#touched", offers=accepted)
    return Statement("search/kaca/offers#open", offers=of, touched=touched)


def independent(clustering: ClassTables) -> int:
    """Choose mergers that do not depend on each other, in the offers' random order; returns their number.

    An offer is accepted if no earlier offer touches its classes. Offers touching accepted ones are dropped, and so on
    until none remains. Reads ``kaca_offers``, creates ``kaca_mergers``.
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
    """Create ``kaca_formed``: the closest common generalizations formed by mergers."""
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
    """The sensitive values of a merger's partner."""
    return Name(f"{column.parts[0]}_partner")


def merge(clustering: ClassTables) -> int:
    """Generalize the classes of ``kaca_mergers`` with each other (Algorithm 1, line 6); returns how many were split."""
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
