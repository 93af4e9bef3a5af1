"""The recoding: the answer of a search, as a relation over the star.

A recoding relation has, for every tuple of the base frequency set, ``code_1 …`` (its leaves), ``level_1 …`` (the
level of each of its cells), ``frequency`` and ``suppressed``; that of a single-dimension recoding ``checksum``, too. A
tuple may stand there several times, with shares of its frequency. A cell of a numeric attribute may carry a range of
its own, at level 1: ``text_i`` is what it reads, and ``share_i`` the share of the attribute's other leaves that it
covers.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, Self

from starcloak import frequency
from starcloak.column import Column
from starcloak.frequency import Node
from starcloak.hosts.host import Host
from starcloak.privacy.carried import Counted
from starcloak.privacy.requirement import Demand
from starcloak.source.source import Source
from starcloak.star import STAR, Dimension, Star
from starcloak.statement import (
    As,
    Hole,
    Joined,
    Name,
    Number,
    Statement,
    Type,
    columns,
    conditions,
    lines,
    union_all,
)

# The types of columns of our own, as the working store names them.
TEXT, WHOLE, TRUTH = Type("VARCHAR"), Type("BIGINT"), Type("BOOLEAN")

RECODING = Name("recoding")
OUTLIERS = Name("outliers")
_GROUPS = Name("recoded_groups")
MAPPING = Name("mapping")
CUT = Name("cut")

Model = Literal["full-domain", "single-dimension", "multi-dimension", "local"]


@dataclass(frozen=True)
class Table:
    """A table of the working store that a release needs, wherever it is made.

    ``columns`` are names and types; ``rows`` yields its rows here, values of the source as texts. A ``key`` is a column
    by which rows are found, of which no two have one value, though some may have none.
    """

    name: Name
    columns: tuple[tuple[str, Type], ...]
    rows: Statement
    key: str | None = None

    def shape(self, host: Host) -> Joined:
        """The columns of the table on a host."""
        types = (
            (name, host.key(kind.text) if name == self.key else host.type(kind.text)) for name, kind in self.columns
        )
        return columns(Statement("release/column", {"column": Name(name), "type": kind}) for name, kind in types)


@dataclass(frozen=True)
class Recoding(ABC):
    """What was done to the quasi-identifier, and the statements that do it to the source.

    ``suppressed`` counts the rows that are left out; ``has_checksums`` tells whether ``expected`` knows the checksums
    of its tuples.
    """

    star: Star
    seed: int
    suppressed: int

    model: ClassVar[Model]
    has_checksums: ClassVar[bool] = True
    #: Columns of the relation ``recoding`` that put the parts of a tuple in order, before their levels.
    parts_in: ClassVar[tuple[str, ...]] = ()

    @property
    def ranged(self) -> tuple[int, ...]:
        """The positions of the attributes whose cells may carry ranges of their own."""
        return ()

    @property
    @abstractmethod
    def levels(self) -> dict[str, int]:
        """The level of each attribute; where its cells are at several, the lowest."""

    @property
    @abstractmethod
    def levels_in_use(self) -> dict[str, tuple[int, ...]]:
        """The levels of each attribute's cells."""

    @property
    @abstractmethod
    def described(self) -> str:
        """What was done, for a person."""

    @property
    @abstractmethod
    def expected(self) -> Statement:
        """The statement that yields the generalized tuples of the release, with their frequencies and checksums."""

    @abstractmethod
    def release(self, source: Source) -> Statement:
        """The statement that yields the released rows."""

    def projected(self, source: Source, release: Name) -> Statement:
        """The statement that yields the released rows of a release that has further columns."""
        # Of a data frame it has no kept cells, but the numbers of the rows that have them.
        there = source if source.frame is None else replace(source, released=source.quasi_identifiers)
        return Statement(
            "release/projected",
            {"cells": self._selected(source), "release": release, "shuffled": self._shuffled(there)},
        )

    @abstractmethod
    def tables(self, source: Source) -> list[Table]:
        """The tables that the statement of the release reads beside the source."""

    def elsewhere(self, names: Mapping[Name, Name]) -> Self:
        """The recoding whose tables have other names, such as those they have in a script."""
        dimensions = tuple(
            replace(dimension, elsewhere=names[dimension.table]) if dimension.table in names else dimension
            for dimension in self.star.dimensions
        )
        return replace(self, star=replace(self.star, dimensions=dimensions))

    @property
    def _changing(self) -> tuple[Dimension, ...]:
        """The dimensions that the release needs: a row whose value stays as it is asks its dimension for nothing."""
        return self.star.dimensions

    def _maps(self, source: Source) -> Joined:
        types = {column.name: column for column in source.quasi_identifiers}
        return lines(
            Statement(
                "release/recode#map",
                {"table": d.table, "match": _member(d, types[d.attribute], source.host)},
            )
            for d in self._changing
        )

    def _selected(self, source: Source) -> Joined:
        return Joined(tuple(source.selected), ", ")

    def _numbered(self, source: Source) -> list[Name]:
        """What numbers the rows of a data frame."""
        return [Name("source", *source.frame.position.parts)] if source.frame is not None else []

    def _shuffled(self, source: Source) -> Statement:
        cells = Joined(tuple(_sortable(column) for column in source.released), ", ")
        return Statement("release/recode#shuffled", {"seed": Number(self.seed), "columns": cells})

    def _dimensions(self, source: Source, columns_of: Callable[[Dimension], Sequence[tuple[str, Type]]]) -> list[Table]:
        """The dimension tables: the leaves that the source has, with some further columns."""
        tables = []
        types = {column.name: column.type for column in source.quasi_identifiers}
        for dimension in self._changing:
            shape = (("present", TRUTH), ("value", Type(types[dimension.attribute])), *columns_of(dimension))
            value = As(Statement("source/text", {"column": Name("value")}), Name("value"))
            named = [value if name == "value" else Name(name) for name, _ in shape]
            rows = Statement("release/present", {"columns": columns(named), "table": dimension.table})
            tables.append(Table(dimension.table, shape, rows, key="value" if dimension.missing else None))
        return tables


@dataclass(frozen=True)
class FullDomain(Recoding):
    """A full-domain generalization (LeFevre, DeWitt, Ramakrishnan 2005, section 2.1): one level per attribute.

    Rows whose value group at the node is one of the ``outliers`` are left out.
    """

    node: Node
    outliers: Name = OUTLIERS

    model: ClassVar[Model] = "full-domain"

    @property
    def levels(self) -> dict[str, int]:
        return {
            dimension.attribute: level for dimension, level in zip(self.star.dimensions, self.node.levels, strict=True)
        }

    @property
    def levels_in_use(self) -> dict[str, tuple[int, ...]]:
        return {attribute: (level,) for attribute, level in self.levels.items()}

    @property
    def described(self) -> str:
        return ", ".join(f"{name} at level {level}" for name, level in self.levels.items())

    @property
    def expected(self) -> Statement:
        chosen = list(zip(self.star.dimensions, self.node.levels, strict=True))
        joins = (
            Statement(
                "recoding/single_dimension#member", {"table": d.table, "code": Name("value_group", *d.value.parts)}
            )
            for d, _ in chosen
        )
        cells = (As(Name(*d.table.parts, f"level_{level}"), Name(f"cell_{d.position}")) for d, level in chosen)
        holes: dict[str, Hole] = {
            "cells": columns(cells),
            "values": columns(As(d.column(level), d.value) for d, level in chosen),
            "star": STAR,
            "members": lines(joins),
            "kept": self._kept() if self.suppressed else lines(()),
        }
        return Statement("recoding/generalized#value_groups", holes)

    def release(self, source: Source) -> Statement:
        dimensions = {dimension.attribute: dimension for dimension in self.star.dimensions}
        released: list[Hole] = []
        for column in source.released:
            name = Name(column.name)
            level = self.levels.get(column.name, 0)
            if level:
                released.append(As(Name(*dimensions[column.name].table.parts, f"level_{level}"), name))
            else:
                released.append(Name("source", column.name))
        return Statement(
            "release/recode",
            {
                "cells": self._selected(source),
                "columns": columns([*released, *self._numbered(source)]),
                "source": source.relation,
                "maps": self._maps(source),
                "suppressed": self._without_outliers() if self.suppressed else lines(()),
                "shuffled": self._shuffled(source),
            },
        )

    @property
    def _changing(self) -> tuple[Dimension, ...]:
        # Outliers are told by the codes of all of their cells.
        return tuple(d for d in self.star.dimensions if self.suppressed or self.levels[d.attribute])

    def tables(self, source: Source) -> list[Table]:
        needed = self._dimensions(
            source,
            lambda d: [(f"level_{self.levels[d.attribute]}", TEXT), (f"ancestor_{self.levels[d.attribute]}", WHOLE)],
        )
        if self.suppressed:
            needed.append(_whole(self.outliers, [(d.value.parts[0], WHOLE) for d in self.star.dimensions]))
        return needed

    def elsewhere(self, names: Mapping[Name, Name]) -> Self:
        return replace(super().elsewhere(names), outliers=names.get(self.outliers, self.outliers))

    def _kept(self) -> Statement:
        match = conditions(
            Statement(
                "release/recode#match",
                {"one": Name("outlier", *d.value.parts), "other": Name("value_group", *d.value.parts)},
            )
            for d in self.star.dimensions
        )
        return Statement("recoding/generalized#kept", {"outliers": OUTLIERS, "match": match})

    def _without_outliers(self) -> Statement:
        matches = (
            Statement(
                "release/recode#match",
                {
                    "one": Name("outlier", *dimension.value.parts),
                    "other": Name(*dimension.table.parts, f"ancestor_{level}"),
                },
            )
            for dimension, level in zip(self.star.dimensions, self.node.levels, strict=True)
        )
        return Statement("release/recode#suppressed", {"outliers": self.outliers, "matches": conditions(matches)})


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
                "recoding/single_dimension#member", {"table": d.table, "code": Name("recoding", f"code_{d.position}")}
            )
            for d in self.star.dimensions
        )
        cells = (As(self._cell(d, "recoding"), Name(f"cell_{d.position}")) for d in self.star.dimensions)
        holes: dict[str, Hole] = {
            "cells": columns(cells),
            "checksum": Name("recoding", "checksum") if self.has_checksums else Number(0),
            "recoding": RECODING,
            "members": lines(joins),
        }
        return Statement("recoding/generalized", holes)

    def _cell(self, dimension: Dimension, relation: str) -> Statement:
        return cell(dimension, relation, self.ranged)


@dataclass(frozen=True)
class Local(Mixed):
    """A local recoding (Li, Wong, Fu, Pei 2008, section 3): cells of one attribute at several levels.

    ``mapping`` tells for every tuple which of its rows, after ``lower``, up to ``upper``, go to which levels; which
    rows those are, the seed decides.
    """

    mapping: Name = MAPPING

    model: ClassVar[Model] = "local"
    has_checksums: ClassVar[bool] = False

    def release(self, source: Source) -> Statement:
        order = [_order_of(column) for column in source.kept] or [_order_of(source.quasi_identifiers[0])]
        copy, chosen = other_names(source, "copy", "chosen")
        return Statement(
            "release/recode_locally",
            {
                "columns": self._released(source),
                "source": source.relation,
                "cells": self._selected(source),
                "quasi_identifiers": source.grouped,
                "order": Joined(tuple(order), ", "),
                "copy": copy,
                "chosen": chosen,
                "turn": Statement("release/recode_locally#turn", {"copy": copy}),
                "maps": lines([self._maps(source), self._matched()]),
                "rows": Number(2**63 - 1),
                "shuffled": self._shuffled(source),
            },
        )

    def elsewhere(self, names: Mapping[Name, Name]) -> Self:
        return replace(super().elsewhere(names), mapping=names.get(self.mapping, self.mapping))

    def tables(self, source: Source) -> list[Table]:
        needed = self._dimensions(
            source, lambda d: [("code", WHOLE), *((f"level_{level}", TEXT) for level in range(d.height + 1))]
        )
        return [*needed, _whole(self.mapping, self._mapped)]

    def _released(self, source: Source) -> Joined:
        dimensions = {dimension.attribute: dimension for dimension in self.star.dimensions}
        released: list[Hole] = []
        for column in source.released:
            dimension = dimensions.get(column.name)
            if dimension is None or self.levels_in_use[column.name] == (0,):
                released.append(Name("source", column.name))
            else:
                released.append(As(self._cell(dimension, "mapping"), Name(column.name)))
        return columns([*released, *self._numbered(source)])

    def _matched(self) -> Statement:
        match = conditions(
            Statement(
                "release/recode#match",
                {"one": Name("mapping", f"code_{d.position}"), "other": Name(*d.table.parts, "code")},
            )
            for d in self.star.dimensions
        )
        return Statement("release/recode_locally#mapping", {"mapping": self.mapping, "match": match})

    @property
    def _mapped(self) -> list[tuple[str, Type]]:
        """The columns of the mapping."""
        whole = [f"{kind}_{dimension.position}" for kind in ("code", "level") for dimension in self.star.dimensions]
        shape = [(name, WHOLE) for name in (*whole, "part", "salt", "lower", "upper")]
        return [*shape, ("suppressed", TRUTH), *((f"text_{position}", TEXT) for position in self.ranged)]


@dataclass(frozen=True)
class MultiDimension(Local):
    """A multi-dimension recoding (LeFevre, DeWitt, Ramakrishnan 2005, section 5.1): a function of the whole tuple.

    All rows of a tuple go to the same levels. They are recoded as if they might not: where DuckDB 2.0 joins the mapping
    without more ado, it fails on a million rows ("dict-surviving join").
    """

    model: ClassVar[Model] = "multi-dimension"


@dataclass(frozen=True)
class SingleDimension(Mixed):
    """A single-dimension recoding: every value of an attribute goes to one value, whatever the row's other values.

    The dimension tables have that value as ``cell``, and its ``level``.
    """

    model: ClassVar[Model] = "single-dimension"

    def release(self, source: Source) -> Statement:
        tables = {dimension.attribute: dimension.table for dimension in self._changing}
        released = (
            As(Name(*tables[column.name].parts, "cell"), Name(column.name))
            if column.name in tables
            else Name("source", column.name)
            for column in source.released
        )
        return Statement(
            "release/recode",
            {
                "cells": self._selected(source),
                "columns": columns([*released, *self._numbered(source)]),
                "source": source.relation,
                "maps": self._maps(source),
                "suppressed": lines(()),
                "shuffled": self._shuffled(source),
            },
        )

    @property
    def _changing(self) -> tuple[Dimension, ...]:
        return tuple(d for d in self.star.dimensions if self.levels_in_use[d.attribute] != (0,))

    def tables(self, source: Source) -> list[Table]:
        return self._dimensions(source, lambda _: [("cell", TEXT)])


def hierarchies(star: Star) -> dict[str, Table]:
    """The hierarchy of each attribute as a table: its values as texts, ``level_0`` to the top."""
    return {
        d.attribute: _whole(d.table, [(f"level_{level}", TEXT) for level in range(d.height + 1)])
        for d in star.dimensions
    }


def _whole(relation: Name, shape: Sequence[tuple[str, Type]]) -> Table:
    """A relation as a table, all of it."""
    holes: dict[str, Hole] = {"columns": columns(Name(name) for name, _ in shape), "relation": relation}
    return Table(relation, tuple(shape), Statement("release/present#whole", holes))


def _member(dimension: Dimension, column: Column, host: Host) -> Statement:
    """That a row's value is a member's: where none is missing by plain equality, which every database joins fast."""
    one, other = Name(*dimension.table.parts, "value"), Name("source", dimension.attribute)
    if dimension.missing:
        return host.same(one, other, column)
    return Statement("release/recode#match", {"one": one, "other": other})


def _order_of(column: Column) -> Statement:
    return Statement("release/recode_locally#order", {"column": _sortable(column, "source")})


def _sortable(column: Column, *relation: str) -> Hole:
    """A column, or its text, as not every type has an order or a hash."""
    name = Name(*relation, column.name)
    return name if column.is_groupable else Statement("source/text", {"column": name})


def other_names(source: Source, *wanted: str) -> list[Name]:
    """Names that no column of the source has."""
    taken = {column.name.casefold() for column in source.released}
    names = []
    for name in wanted:
        while name in taken:
            name += "_"
        names.append(Name(name))
    return names


def goals(star: Star, ranged: tuple[int, ...]) -> list[Name]:
    """What a tuple goes to: a level per attribute, and the texts of its ranges."""
    levels = [Name(f"level_{dimension.position}") for dimension in star.dimensions]
    return [*levels, *(Name(f"text_{position}") for position in ranged)]


def local(star: Star, *, seed: int, kind: type[Local] = Local, ranged: tuple[int, ...] = ()) -> Local:
    """The recoding that stands in the relation ``recoding``, of a kind; creates the relation ``mapping``.

    ``ranged`` has the positions of the attributes whose cells may carry ranges of their own.
    """
    codes = Joined(tuple(Name(f"code_{d.position}") for d in star.dimensions), ", ")
    levels = Joined(tuple(goals(star, ranged)), ", ")
    shape: dict[str, Hole] = {"seed": Number(seed), "codes": codes, "levels": levels, "recoding": RECODING}
    star.session.create(MAPPING, Statement("recoding/mapping", shape))
    return kind(star, seed, *summary(star), with_ranges=ranged)


def single_dimension(star: Star, *, seed: int) -> SingleDimension:
    """The single-dimension recoding whose cut stands in the relation ``cut``; creates the relation ``recoding``.

    ``cut`` has one row per member of every dimension: ``dimension`` (its position), ``code``, ``level``. The dimension
    tables get the columns ``level`` and ``cell``.
    """
    for dimension in star.dimensions:
        holes: dict[str, Hole] = {"dimension": Number(dimension.position), "cut": CUT, "table": dimension.table}
        holes["cell"] = _cell(dimension, Name("cut", "level"))
        star.session.create(dimension.table, Statement("recoding/recoded", holes))
    codes = (As(Name("star", *d.column(0).parts), Name(f"code_{d.position}")) for d in star.dimensions)
    levels = (As(Name(*d.table.parts, "level"), Name(f"level_{d.position}")) for d in star.dimensions)
    joins = (
        Statement("recoding/single_dimension#member", {"table": d.table, "code": Name("star", *d.column(0).parts)})
        for d in star.dimensions
    )
    shape: dict[str, Hole] = {"codes": columns(codes), "levels": columns(levels), "star": STAR, "members": lines(joins)}
    star.session.create(RECODING, Statement("recoding/single_dimension", shape))
    return SingleDimension(star, seed, *summary(star))


def summary(star: Star) -> tuple[int, tuple[tuple[int, ...], ...]]:
    """How many rows the relation ``recoding`` suppresses, and the levels of each attribute's released cells."""
    session = star.session
    spread = union_all(
        Statement(
            "recoding/levels_in_use",
            {"dimension": Number(d.position), "level": Name(f"level_{d.position}"), "recoding": RECODING},
        )
        for d in star.dimensions
    )
    in_use: dict[int, set[int]] = {d.position: set() for d in star.dimensions}
    for position, level in session.run(spread):
        in_use[position].add(level)
    (suppressed,) = session.row(Statement("measures/recoding#suppressed", {"recoding": RECODING}))
    return suppressed, tuple(tuple(sorted(in_use[d.position])) or (0,) for d in star.dimensions)


def cell(dimension: Dimension, relation: str, ranged: Sequence[int]) -> Statement:
    """What a tuple of a relation with levels reads in an attribute, which may be one of those with ranges."""
    own = Name(relation, f"text_{dimension.position}") if dimension.position in ranged else None
    return _cell(dimension, Name(relation, f"level_{dimension.position}"), own=own)


def _cell(dimension: Dimension, level: Hole, *, own: Hole | None = None) -> Statement:
    """What a member of a dimension reads at a level that depends on the row; ``own`` is the range that stands for 1."""
    values: list[Hole] = [Name(*dimension.table.parts, f"level_{at}") for at in range(dimension.height + 1)]
    if own is not None:
        values[1] = own
    texts = (
        Statement("recoding/recoded#at_level", {"at": Number(at), "value": value}) for at, value in enumerate(values)
    )
    return Statement("recoding/recoded#cell", {"level": level, "values": Joined(tuple(texts), " ")})


def full_domain(star: Star, node: Node, *, demand: Demand, seed: int) -> FullDomain:
    """The recoding of a node, without what violates a demand; creates the relations ``recoding`` and ``outliers``."""
    session = star.session
    chosen = list(zip(star.dimensions, node.levels, strict=True))
    values = columns(dimension.value for dimension in star.dimensions)
    outliers = _left_out(star, node, demand, values)
    value_group = columns(dimension.column(level) for dimension, level in chosen)
    rare: dict[str, Hole] = {"value_group": value_group, "values": values, "outliers": OUTLIERS}
    codes = columns(As(dimension.column(0), Name(f"code_{dimension.position}")) for dimension in star.dimensions)
    levels = columns(
        As(Statement("recoding/full_domain#level", {"level": Number(level)}), Name(f"level_{dimension.position}"))
        for dimension, level in chosen
    )
    suppressed = (
        Statement("recoding/full_domain#rare", rare) if outliers else Statement("recoding/full_domain#none_rare")
    )
    holes: dict[str, Hole] = {"codes": codes, "levels": levels, "suppressed": suppressed, "star": STAR}
    recoded = Statement("recoding/full_domain", holes)
    if not outliers:  # the star says it all
        session.create_view(RECODING, recoded)
        return FullDomain(star, seed, 0, node)
    session.create(RECODING, recoded)
    (left_out,) = session.row(Statement("measures/recoding#suppressed", {"recoding": RECODING}))
    return FullDomain(star, seed, left_out, node)


def _left_out(star: Star, node: Node, demand: Demand, values: Joined) -> int:
    """Create the relation ``outliers``: the value groups of a node that violate a demand; returns how many.

    Where models compare with what is released, more may fall out without those: until none does.
    """
    session, found = star.session, 0
    groups: Hole = Statement("source/relation#nested", {"rows": frequency.recount(star, node)})
    staying = groups
    if demand.moves:
        session.create(_GROUPS, frequency.recount(star, node))
        groups = staying = _GROUPS
    before = -1
    while found != before:
        violating: dict[str, Hole] = {"violating": demand.violating, "frequency": staying, "values": values}
        if before < 0:
            before, found = 0, session.create(OUTLIERS, Statement("recoding/outliers", violating))
        else:
            session.insert(OUTLIERS, Statement("recoding/outliers", violating))
            before, (found, *_) = found, session.row(Statement("search/lattice/nodes#count", {"nodes": OUTLIERS}))
        if not demand.moves:
            return found
        rest: dict[str, Hole] = {"groups": groups, "outliers": OUTLIERS, "values": values}
        staying = Statement("recoding/outliers#staying", rest)
        held = columns(each.merged for each in star.carried if isinstance(each, Counted))
        counted = session.row(Statement("recoding/outliers#stayed", {"merged": held, "groups": staying}))
        if not any(counted):  # nothing stays
            break
        totals = iter(counted)
        demand = demand.over(
            {
                attribute: replace(domain, totals=tuple(next(totals) for _ in domain.totals))
                for attribute, domain in star.domains.items()
                if any(isinstance(each, Counted) and each.attribute == attribute for each in star.carried)
            },
            moving=True,
        )
    session.drop(_GROUPS)
    return found
