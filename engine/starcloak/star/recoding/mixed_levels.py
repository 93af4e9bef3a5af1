"""Recodings with cells of one attribute at several levels, and the steps that such recodings have in common."""

from __future__ import annotations

from dataclasses import dataclass

from starcloak.star import working_tables
from starcloak.star.recoding.recoding import RECODING, Recoding, cell
from starcloak.star.star import Dimension, Star
from starcloak.star.working_tables import BEYOND
from starcloak.statements.statement import As, Hole, Name, Number, Statement, columns, conditions, union_all

_WHOLE = Name("recoding_of_all")


@dataclass(frozen=True)
class Mixed(Recoding):
    """A recoding with cells of one attribute at several levels.

    ``in_use`` has, per attribute, the levels of the released cells. ``with_ranges`` has the positions (from 1) of
    attributes with ranges absent from the dimension table.
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
            f"{d.attribute} at level{'s' * (len(levels) > 1)} {' '.join(str(d.hierarchy_level(at)) for at in levels)}"
            for d, levels in zip(self.star.dimensions, self.in_use, strict=True)
        )

    @property
    def expected(self) -> Statement:
        joins = (
            (
                Statement(
                    "star/recoding/single_dimension#member", table=d.table, code=Name("recoding", f"code_{d.position}")
                ),
                d.table,
            )
            for d in self.star.dimensions
        )
        cells = (As(self._cell(d, "recoding"), Name(f"cell_{d.position}")) for d in self.star.dimensions)
        return Statement(
            "star/recoding/generalized",
            cells=columns(cells),
            checksum=Name("recoding", "checksum") if self.has_checksums else Number(0),
            recoding=RECODING,
            members=working_tables.join_whole(joins, rows=RECODING, alias="recoding"),
        )

    def _cell(self, dimension: Dimension, relation: str) -> Statement:
        return cell(dimension, relation, self.ranged)


def summary(star: Star) -> tuple[int, tuple[tuple[int, ...], ...]]:
    """The number of rows suppressed in the relation ``recoding``, and per attribute the levels of released cells.

    An attribute without released cells has the level 0 alone.
    """
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


def add_left_out(star: Star) -> None:
    """Add the tuples suppressed before the search to the relation ``recoding``, marked as suppressed."""
    if not star.left_out:
        return
    codes = [(Name("star", *d.column(0).parts), Name(f"code_{d.position}")) for d in star.dimensions]
    level = Statement("star/recoding/full_domain#level", level=Number(0))
    match = (
        Statement("star/recoding/recode#match", one=leaf, other=Name("recoding", *code.parts)) for leaf, code in codes
    )
    holes: dict[str, Hole] = {
        "recoding": RECODING,
        "codes": columns(As(leaf, code) for leaf, code in codes),
        "levels": columns(As(level, Name(f"level_{d.position}")) for d in star.dimensions),
        "star": BEYOND,
        "leaves": conditions(match),
    }
    star.session.create(_WHOLE, Statement("star/ceilings#recoded", **holes))
    star.session.drop(RECODING)  # one that was received at hand would hide the other
    star.session.create(RECODING, Statement("store/relation", relation=_WHOLE))
    star.session.drop(_WHOLE)
