"""Local recoding: cells of one attribute at several levels; rows of one tuple may be in several classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from starcloak.base.column import Column
from starcloak.star import working_tables
from starcloak.star.recoding.mapped import MAPPING, Mapped
from starcloak.star.recoding.mixed_levels import add_left_out, summary
from starcloak.star.recoding.recoding import RECODING, Model, goals, other_names, sortable
from starcloak.star.star import Star
from starcloak.statements.statement import As, Hole, Joined, Name, Number, Statement, Type, columns, lines
from starcloak.store.source import Source
from starcloak.store.tables import TEXT, TRUTH, WHOLE, Table, whole_of

# Relations of star/recoding/recode_by_codes: the source's rows with their numbers, and with their codes.
_NUMBERED, _CODED = Name("numbered"), Name("coded")
_MOST_ROWS = Number(2**63 - 1)


@dataclass(frozen=True)
class Local(Mapped):
    """A local recoding (Li, Wong, Fu, Pei 2008, section 3): cells of one attribute at several levels.

    The relation ``mapping`` has one or more rows per tuple: the levels of the tuple's rows with numbers above ``lower``
    and up to ``upper``. The seed determines the numbers of the rows. ``parted`` is true if some tuple is split:
    its rows are at different levels, or only a part of them is suppressed.
    """

    parted: bool = True

    has_checksums: ClassVar[bool] = False

    def release(self, source: Source) -> Statement:
        return self._numbered(source) if source.host.dialect else self._by_codes(source)

    def _is_countable(self, source: Source) -> bool:
        # With a lowest level or shared codes, a tuple has rows of several combinations, numbered together.
        return super()._is_countable(source) and all(d.key == "code" for d in self.star.dimensions)

    def _by_codes(self, source: Source) -> Statement:
        """The release's statement for the working store: joins by codes; only rows of split tuples are numbered."""
        dimensions = self.star.dimensions
        needed = [(d, column) for d in dimensions for column in dict.fromkeys(("code", d.key))]
        further = (f"{column}_{d.position}" for d, column in needed)
        copy, chosen, number, *named = other_names(source, "copy", "chosen", "number", *further)
        codes = dict(zip(needed, named, strict=True))
        leaves = [Name("source", *codes[d, "code"].parts) for d in dimensions]
        match = [Name("source", *codes[d, d.key].parts) for d in dimensions]
        wide = len(dimensions) > working_tables.WIDE
        labels = [
            (Statement("star/recoding/recode_by_codes#label", table=d.table, code=leaf), d.table)
            for d, leaf in zip(dimensions, leaves, strict=True)
            if not d.keeps(self.levels_in_use[d.attribute])
        ]
        shape: dict[str, Hole] = {
            "columns": self._released_columns(source),
            "labels": working_tables.join_whole(labels, rows=_CODED if wide else None, alias="source", key=number),
        }
        shape["mapping"] = self._match(keys=match)
        unparted = lines(())
        if self.counted:
            size = self._size(source)
            counted = As(Statement("star/recoding/recode_by_codes#size", size=size), size)
            shape["columns"] = columns([*self._released_columns(source).pieces, counted])
        elif self.parted:
            unparted = lines([Statement("star/recoding/recode_by_codes#unparted")])
        rows: list[Hole] = [Statement("star/recoding/recode_by_codes#whole", **shape, parted=unparted)]
        if self.parted and not self.counted:
            several = Statement("star/recoding/recode_by_codes#several", mapping=self.mapping)
            shape |= {"several": self._match(keys=match, mapping=several), "codes": Joined(tuple(leaves), ", ")}
            shape |= self._turns(source, copy, chosen)
            rows.append(Statement("star/recoding/recode_by_codes#parted", **shape))
        maps = zip(self._maps(source).pieces, (d.table for d in self._changing), strict=True)
        read: dict[str, Hole] = {
            "source": self._tuples(source) if self.counted else source.relation,
            "codes": columns(As(Name(*d.table.parts, column), name) for (d, column), name in codes.items()),
            "maps": working_tables.join_whole(maps, rows=_NUMBERED if wide else None, alias="source", key=number),
        }
        coded = (
            Statement("star/recoding/recode_by_codes#numbered", **read, number=number)
            if wide
            else Statement("star/recoding/recode_by_codes#coded", **read)
        )
        whole: dict[str, Hole] = {"coded": coded, "cells": self._cells_beside(source), "rows": lines(rows)}
        if self.counted:
            return self._expand(source, Statement("star/recoding/recode_by_codes#classes", **whole, size=size))
        recoded = Statement("star/recoding/recode_by_codes", **whole, shuffled=self._shuffle(source))
        return self._unpack(source, recoded)

    def _numbered(self, source: Source) -> Statement:
        """The release's statement for another database: all rows are numbered, even if no tuple is split."""
        return Statement(
            "star/recoding/recode_locally",
            columns=self._released_columns(source),
            source=source.relation,
            cells=self._cells_beside(source),
            quasi_identifiers=source.grouped,
            maps=lines([self._maps(source), self._match()]),
            shuffled=self._shuffle(source),
            **self._turns(source, *other_names(source, "copy", "chosen")),
        )

    def _turns(self, source: Source, copy: Name, chosen: Name) -> dict[str, Hole]:
        """Holes of the numbering of a tuple's rows, and of the condition for the mapping's row of each of them.

        The numbering is the same in every database.
        """
        order = [_order_of(column) for column in source.kept] or [_order_of(source.quasi_identifiers[0])]
        # With a lowest level, a tuple has rows of several combinations of the source, each numbered from 1.
        floored = any(dimension.floored for dimension in self.star.dimensions)
        combination = [_order_of(column) for column in source.quasi_identifiers] if floored else []
        number = Joined((Name("source", *copy.parts), *combination), ", ")
        drawn = drawn_number(Name("source", *copy.parts), Name("mapping", "salt"))
        turn = Statement("star/recoding/recode_locally#turn", drawn=drawn, number=number, rows=_MOST_ROWS)
        return {"order": Joined(tuple(order), ", "), "copy": copy, "chosen": chosen, "turn": turn}

    def tables(self, source: Source) -> list[Table]:
        return [*self._texts(source), whole_of(self.mapping, self._mapped)]

    @property
    def _mapped(self) -> list[tuple[str, Type]]:
        """Names and types of the columns of the relation ``mapping``."""
        shape = [(name, WHOLE) for name in (*self._codes_and_levels, "part", "salt", "lower", "upper")]
        return [*shape, ("suppressed", TRUTH), *((f"text_{position}", TEXT) for position in self.ranged)]


@dataclass(frozen=True)
class MultiDimension(Local):
    """A multi-dimension recoding (LeFevre, DeWitt, Ramakrishnan 2005, section 5.1): a function of the whole tuple.

    All rows of a tuple have the same levels.
    """

    model: ClassVar[Model] = "multi-dimension"


def recode(star: Star, *, seed: int, kind: type[Local] = Local, ranged: tuple[int, ...] = ()) -> Local:
    """Make a recoding of class ``kind`` from the relation ``recoding``; creates the relation ``mapping``.

    ``ranged`` has the positions (from 1) of attributes with ranges absent from the dimension table in some cells.
    """
    add_left_out(star)
    codes = Joined(tuple(Name(f"code_{d.position}") for d in star.dimensions), ", ")
    levels = Joined(tuple(goals(star, ranged)), ", ")
    star.session.create(
        MAPPING, Statement("star/recoding/mapping", seed=Number(seed), codes=codes, levels=levels, recoding=RECODING)
    )
    (parted,) = star.session.row(Statement("star/recoding/recode_by_codes#are_parted", mapping=MAPPING))
    return kind(star, seed, *summary(star), with_ranges=ranged, parted=parted)


def drawn_number(copy: Name, salt: Name) -> Statement:
    """The pseudorandom number of a row of a split tuple, from its number ``copy`` and the tuple's ``salt``."""
    return Statement("star/recoding/recode_locally#drawn", copy=copy, salt=salt)


def _order_of(column: Column) -> Statement:
    return Statement("star/recoding/recode_locally#order", column=sortable(column, "source"))
