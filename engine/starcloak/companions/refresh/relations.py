"""Relations of a refresh in the working store, and the names of their columns."""

from __future__ import annotations

from collections.abc import Iterable

from starcloak.star.star import Star
from starcloak.statements.statement import As, Hole, Joined, Name, Number, Statement, columns, conditions, lines

STORY, STORY_NOW, ROWS, TEXTS = (Name(f"refresh_{what}") for what in ("story", "story_now", "rows", "texts"))
PARTS, IDENTITIES, DEPARTURES, FATES, HELD = (
    Name(f"refresh_{what}") for what in ("parts", "identities", "departures", "fates", "held")
)
STAY, POOL, FACTS, NEW = (Name(f"refresh_{what}") for what in ("stay", "pool", "facts", "new"))
ROW, WHOSE = Name("row"), Name("whose")


def names(kind: str, count: int, *relation: str) -> list[Name]:
    """The columns of one kind, one per attribute, such as ``value_1``, ``value_2``, ….

    >>> [name.sql() for name in names("value", 2, "story")]
    ['"story"."value_1"', '"story"."value_2"']
    """
    return [Name(*relation, f"{kind}_{number}") for number in range(1, count + 1)]


def under(names: Iterable[Name], relation: str) -> list[Name]:
    """The given column names, qualified by the name of a relation."""
    return [Name(relation, *name.parts) for name in names]


def equal(first: Iterable[Hole], second: Iterable[Hole], condition: str = "star/recoding/recode#match") -> Joined:
    """Condition for pairwise equal columns. Missing values are equal only with the ``condition`` ``store/same``."""
    return conditions(Statement(condition, one=one, other=other) for one, other in zip(first, second, strict=True))


def leaves(star: Star) -> Joined:
    """Select list of a tuple's leaf codes, from the joined dimension tables, as code_1, code_2, …."""
    return columns(As(Name(*d.table.parts, "code"), Name(f"code_{d.position}")) for d in star.dimensions)


def codes_of_star(star: Star, relation: str = "star") -> list[Name]:
    """Columns with the leaf codes of a tuple's values, in the source's frequency set (star) or another
    ``relation``.
    """
    return [Name(relation, *d.column(0).parts) for d in star.dimensions]


def loss(star: Star) -> dict[str, Hole]:
    """Holes ``losses`` and ``shares`` for statements: the summed loss of a recoding's cells, and the joins for it."""
    shares = names("share", len(star.dimensions))
    losses = (Statement("companions/refresh/loss#loss_of", share=share) for share in shares)
    return {
        "losses": Joined(tuple(losses), " + "),
        "shares": lines(
            Statement(
                "companions/refresh/loss#share", share=share, generalization=star.generalization,
                dimension=Number(d.position), code=Name(f"code_{d.position}"), level=Name(f"level_{d.position}"),
            )
            for d, share in zip(star.dimensions, shares, strict=True)
        ),
    }  # fmt: skip
