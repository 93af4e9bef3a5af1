"""The recoding: the answer of a search, as a relation over the star.

A recoding relation has, for every tuple of the base frequency set, ``code_1 …`` (its leaves), ``level_1 …`` (the
level of each of its cells), ``frequency`` and ``suppressed``. A tuple may stand there several times, with shares of its
frequency.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

from starcloak.frequency import Node
from starcloak.source import Source
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
    constants,
    lines,
    union_all,
)

RECODING = Name("recoding")
OUTLIERS = Name("outliers")
MAPPING = Name("mapping")

Model = Literal["full-domain", "multi-dimension", "local"]


@dataclass(frozen=True)
class Recoding(ABC):
    """What was done to the quasi-identifier, and the statements that do it to the source.

    ``suppressed`` counts the rows that are left out.
    """

    star: Star
    seed: int
    suppressed: int

    model: ClassVar[Model]

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
    def expected(self) -> Statement | None:
        """The statement that yields the generalized tuples of the release with their frequencies.

        None where the levels say it all.
        """
        return None

    @abstractmethod
    def release(self, source: Source) -> Statement:
        """The statement that yields the released rows."""

    @abstractmethod
    def script(self, source: Source, *, prefix: str) -> tuple[list[Statement], Recoding]:
        """The statements that make the tables of a script, their names prefixed, and the recoding that reads them."""

    def _maps(self) -> Joined:
        return lines(
            Statement("release/map", {"table": dimension.table, "column": Name(dimension.attribute)})
            for dimension in self.star.dimensions
        )

    def _renamed(self, prefix: str) -> Star:
        return replace(
            self.star, dimensions=tuple(replace(dimension, prefix=prefix) for dimension in self.star.dimensions)
        )


@dataclass(frozen=True)
class FullDomain(Recoding):
    """A full-domain generalization (LeFevre, DeWitt, Ramakrishnan 2005, section 2.1): one level per attribute.

    Rows whose value group at the node has too few of them are left out.
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
        names = Joined(tuple(Name(column.name) for column in source.released), ", ")
        return Statement(
            "release/recode",
            {
                "columns": columns(released),
                "source": source.relation,
                "maps": self._maps(),
                "suppressed": self._without_outliers() if self.suppressed else lines(()),
                "shuffled": Statement("release/shuffled", {"seed": Number(self.seed), "columns": names}),
            },
        )

    def script(self, source: Source, *, prefix: str) -> tuple[list[Statement], Recoding]:
        session = self.star.session
        star, outliers = self._renamed(prefix), Name(f"{prefix}{OUTLIERS.parts[0]}")
        statements: list[Statement] = []
        types = {column.name: column.type for column in source.quasi_identifiers}
        for here, there in zip(self.star.dimensions, star.dimensions, strict=True):
            level = self.levels[here.attribute]
            shared: dict[str, Hole] = {"level": Name(f"level_{level}"), "ancestor": Name(f"ancestor_{level}")}
            leaves = session.run(Statement("release/leaves", {"table": here.table, **shared}))
            shared |= {"table": there.table, "type": Type(types[here.attribute]), "members": constants(leaves)}
            statements.append(Statement("release/dimension", shared))
        if self.suppressed:
            levels = tuple(there.column(level) for there, level in zip(star.dimensions, self.node.levels, strict=True))
            groups = constants(session.run(Statement("source/relation", {"relation": self.outliers})))
            holes: dict[str, Hole] = {"outliers": outliers, "columns": Joined(levels, ", "), "groups": groups}
            statements.append(Statement("release/outliers", holes))
        return statements, replace(self, star=star, outliers=outliers)

    def _without_outliers(self) -> Statement:
        matches = (
            Statement(
                "release/match",
                {
                    "outlier": Name("outlier", *dimension.column(level).parts),
                    "ancestor": Name(*dimension.table.parts, f"ancestor_{level}"),
                },
            )
            for dimension, level in zip(self.star.dimensions, self.node.levels, strict=True)
        )
        return Statement("release/suppressed", {"outliers": self.outliers, "matches": conditions(matches)})


@dataclass(frozen=True)
class Local(Recoding):
    """A local recoding (Li, Wong, Fu, Pei 2008, section 3): cells of one attribute at several levels.

    ``in_use`` has the levels of each attribute's released cells. ``mapping`` tells for every tuple which of its rows,
    after ``lower``, up to ``upper``, go to which levels; which rows those are, the seed decides.
    """

    in_use: tuple[tuple[int, ...], ...]
    mapping: Name = MAPPING

    model: ClassVar[Model] = "local"

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
            Statement("recoding/member", {"table": d.table, "code": Name("recoding", f"code_{d.position}")})
            for d in self.star.dimensions
        )
        cells = (
            As(self._cell(d, Name("recoding", f"level_{d.position}")), Name(f"cell_{d.position}"))
            for d in self.star.dimensions
        )
        return Statement(
            "recoding/generalized", {"cells": columns(cells), "recoding": RECODING, "members": lines(joins)}
        )

    def release(self, source: Source) -> Statement:
        dimensions = {dimension.attribute: dimension for dimension in self.star.dimensions}
        released: list[Hole] = []
        for column in source.released:
            name, dimension = Name(column.name), dimensions.get(column.name)
            if dimension is None or self.levels_in_use[column.name] == (0,):
                released.append(Name("source", column.name))
            else:
                level = Name("mapping", f"level_{dimension.position}")
                released.append(As(self._cell(dimension, level), name))
        match = conditions(
            Statement(
                "release/match",
                {"outlier": Name("mapping", f"code_{d.position}"), "ancestor": Name(*d.table.parts, "code")},
            )
            for d in self.star.dimensions
        )
        names = Joined(tuple(Name(column.name) for column in source.released), ", ")
        kept = (
            Statement("release/and", {"column": Name("source", column.name)})
            for column in source.released
            if column.name not in dimensions
        )
        copy, taken = "copy", {column.name.casefold() for column in source.released}
        while copy in taken:
            copy += "_"
        return Statement(
            "release/recode_locally",
            {
                "columns": columns(released),
                "source": source.relation,
                "cells": names,
                "kept": Joined(tuple(kept), ""),
                "copy": Name(copy),
                "maps": self._maps(),
                "mapping": self.mapping,
                "match": match,
                "seed": Number(self.seed),
                "rows": Number(2**63 - 1),
                "shuffled": Statement("release/shuffled", {"seed": Number(self.seed), "columns": names}),
            },
        )

    def script(self, source: Source, *, prefix: str) -> tuple[list[Statement], Recoding]:
        session = self.star.session
        star, mapping = self._renamed(prefix), Name(f"{prefix}{MAPPING.parts[0]}")
        types = {column.name: column.type for column in source.quasi_identifiers}
        statements = []
        for here, there in zip(self.star.dimensions, star.dimensions, strict=True):
            levels = Joined(tuple(Name(f"level_{level}") for level in range(here.height + 1)), ", ")
            members = session.run(Statement("release/coded_leaves", {"table": here.table, "levels": levels}))
            holes: dict[str, Hole] = {"table": there.table, "type": Type(types[here.attribute])}
            holes |= {"levels": levels, "members": constants(members)}
            statements.append(Statement("release/coded_dimension", holes))
        shown = [
            Name("part"),
            *(Name(f"code_{d.position}") for d in self.star.dimensions),
            *(Name(f"level_{d.position}") for d in self.star.dimensions),
            *map(Name, ("lower", "upper", "suppressed")),
        ]
        listed = Joined(tuple(shown), ", ")
        parts = session.run(Statement("release/mapped", {"columns": listed, "mapping": self.mapping}))
        filled: dict[str, Hole] = {"mapping": mapping, "columns": listed, "parts": constants(parts)}
        statements.append(Statement("release/mapping", filled))
        return statements, replace(self, star=star, mapping=mapping)

    def _cell(self, dimension: Dimension, level: Hole) -> Statement:
        texts = (
            Statement(
                "recoding/at_level",
                {"at": Number(at), "value": Name(*dimension.table.parts, f"level_{at}")},
            )
            for at in range(dimension.height + 1)
        )
        return Statement("recoding/cell", {"level": level, "values": Joined(tuple(texts), " ")})


@dataclass(frozen=True)
class MultiDimension(Local):
    """A multi-dimension recoding (LeFevre, DeWitt, Ramakrishnan 2005, section 5.1): a function of the whole tuple.

    All rows of a tuple go to the same levels.
    """

    model: ClassVar[Model] = "multi-dimension"


def local(star: Star, *, seed: int, kind: type[Local] = Local) -> Local:
    """The recoding that stands in the relation ``recoding``, of a kind; creates the relation ``mapping``."""
    session = star.session
    codes = Joined(tuple(Name(f"code_{d.position}") for d in star.dimensions), ", ")
    levels = Joined(tuple(Name(f"level_{d.position}") for d in star.dimensions), ", ")
    shape: dict[str, Hole] = {"codes": codes, "levels": levels, "recoding": RECODING}
    session.create(MAPPING, Statement("recoding/mapping", shape))
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
    (suppressed,) = session.row(Statement("measures/suppressed", {"recoding": RECODING}))
    used = tuple(tuple(sorted(in_use[d.position])) or (0,) for d in star.dimensions)
    return kind(star, seed, suppressed, used)


def full_domain(star: Star, node: Node, *, k: int, seed: int) -> FullDomain:
    """The recoding of a node; creates the relations ``recoding`` and ``outliers``."""
    session = star.session
    chosen = list(zip(star.dimensions, node.levels, strict=True))
    value_group = columns(dimension.column(level) for dimension, level in chosen)
    codes = columns(As(dimension.column(0), Name(f"code_{dimension.position}")) for dimension in star.dimensions)
    levels = columns(
        As(Statement("recoding/level", {"level": Number(level)}), Name(f"level_{dimension.position}"))
        for dimension, level in chosen
    )
    session.create(
        RECODING,
        Statement(
            "recoding/full_domain",
            {"codes": codes, "levels": levels, "value_group": value_group, "star": STAR},
        ),
        {"k": k},
    )
    outliers = Statement("recoding/outliers", {"value_group": value_group, "star": STAR})
    session.create(OUTLIERS, outliers, {"k": k})
    (suppressed,) = session.row(Statement("measures/suppressed", {"recoding": RECODING}))
    return FullDomain(star, seed, suppressed, node)
