"""Recodings that take cells of one attribute to several levels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from starcloak.star.recoding.recoding import RECODING, Recoding
from starcloak.star.star import Dimension, Star
from starcloak.statements.statement import As, Hole, Joined, Name, Number, Statement, columns, lines, union_all


@dataclass(frozen=True)
class Mixed(Recoding):
    """A recoding that takes cells of one attribute to several levels.

    ``in_use`` has the levels of each attribute's released cells.
    """

    in_use: tuple[tuple[int, ...], ...]
    with_ranges: tuple[int, ...] = ()

    @property
    def ranged(self) -> tuple[int, ...]:
        return self.with_ranges

    @property
    def levels(self) -> dict[str, int]:
        return {name: levels[0] for name, levels in self.levels_in_use.items()}

    @property
    def levels_in_use(self) -> dict[str, tuple[int, ...]]:
        return {
            dimension.attribute: levels for dimension, levels in zip(self.star.dimensions, self.in_use, strict=True)
        }

    @property
    def described(self) -> str:
        return f"a {self.model} recoding of " + ", ".join(
            f"{name} at level{'s' * (len(levels) > 1)} {' '.join(map(str, levels))}"
            for name, levels in self.levels_in_use.items()
        )

    @property
    def expected(self) -> Statement:
        joins = (
            Statement(
                "star/recoding/single_dimension#member", table=d.table, code=Name("recoding", f"code_{d.position}")
            )
            for d in self.star.dimensions
        )
        cells = (As(self._cell(d, "recoding"), Name(f"cell_{d.position}")) for d in self.star.dimensions)
        return Statement(
            "star/recoding/generalized",
            cells=columns(cells),
            checksum=Name("recoding", "checksum") if self.has_checksums else Number(0),
            recoding=RECODING,
            members=lines(joins),
        )

    def _cell(self, dimension: Dimension, relation: str) -> Statement:
        return cell(dimension, relation, self.ranged)


def goals(star: Star, ranged: tuple[int, ...]) -> list[Name]:
    """What a tuple goes to: a level per attribute, and the texts of its ranges."""
    levels = [Name(f"level_{dimension.position}") for dimension in star.dimensions]
    return [*levels, *(Name(f"text_{position}") for position in ranged)]


def summary(star: Star) -> tuple[int, tuple[tuple[int, ...], ...]]:
    """How many rows the relation ``recoding`` suppresses, and the levels of each attribute's released cells."""
    session = star.session
    spread = union_all(
        Statement(
            "star/recoding/levels_in_use",
            dimension=Number(d.position),
            level=Name(f"level_{d.position}"),
            recoding=RECODING,
        )
        for d in star.dimensions
    )
    in_use: dict[int, set[int]] = {d.position: set() for d in star.dimensions}
    for position, level in session.run(spread):
        in_use[position].add(level)
    (suppressed,) = session.row(Statement("measures/recoding#suppressed", recoding=RECODING))
    return suppressed, tuple(tuple(sorted(in_use[d.position])) or (0,) for d in star.dimensions)


def cell(dimension: Dimension, relation: str, ranged: Sequence[int]) -> Statement:
    """What a tuple of a relation with levels reads in an attribute, which may be one of those with ranges."""
    own = Name(relation, f"text_{dimension.position}") if dimension.position in ranged else None
    return cell_at(dimension, Name(relation, f"level_{dimension.position}"), own=own)


def cell_at(dimension: Dimension, level: Hole, *, own: Hole | None = None) -> Statement:
    """What a member of a dimension reads at a level that depends on the row; ``own`` is the range that stands for 1."""
    values: list[Hole] = [Name(*dimension.table.parts, f"level_{at}") for at in range(dimension.height + 1)]
    if own is not None:
        values[1] = own
    texts = (Statement("star/recoding/recoded#at_level", at=Number(at), value=value) for at, value in enumerate(values))
    return Statement("star/recoding/recoded#cell", level=level, values=Joined(tuple(texts), " "))
