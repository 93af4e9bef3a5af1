"""Local recoding by persons: where a row goes depends on its tuple and on whose it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Self

from starcloak.privacy.carried import PERSONS
from starcloak.recoding.mixed import Mixed, summary
from starcloak.recoding.recoding import RECODING, Model
from starcloak.recoding.table import TEXT, WHOLE, Table
from starcloak.source.source import Source
from starcloak.star import Star, sensitive_columns
from starcloak.statement import As, Hole, Name, Statement, Type, columns, conditions, lines

MAPPING = Name("persons_mapping")


@dataclass(frozen=True)
class ByPerson(Mixed):
    """A local recoding that takes all rows of a person with the same tuple to the same levels.

    ``mapping`` tells which these are, for every tuple of a person, whom the columns ``person`` tell apart, unless that
    person is left out.
    """

    person: tuple[str, ...] = ()
    mapping: Name = MAPPING

    model: ClassVar[Model] = "local"

    def release(self, source: Source) -> Statement:
        dimensions = {dimension.attribute: dimension for dimension in self.star.dimensions}
        released: list[Hole] = [
            As(self._cell(dimensions[column.name], "mapping"), Name(column.name))
            if self.levels_in_use.get(column.name, (0,)) != (0,)
            else Name("source", column.name)
            for column in source.released
        ]
        return Statement(
            "release/recode",
            {
                "cells": self._cells_beside(source),
                "columns": columns([*released, *self._numbers(source)]),
                "source": source.relation,
                "maps": lines([self._maps(source), self._match()]),
                "suppressed": lines(()),
                "shuffled": self._shuffle(source),
            },
        )

    def elsewhere(self, names: Mapping[Name, Name]) -> Self:
        return replace(super().elsewhere(names), mapping=names.get(self.mapping, self.mapping))

    def tables(self, source: Source) -> list[Table]:
        needed = self._dimensions(
            source, lambda d: [("code", WHOLE), *((f"level_{level}", TEXT) for level in range(d.height + 1))]
        )
        types = {column.name: column.type for column in (*source.released, *source.persons)}
        told = [(f"person_{number}", Type(types[name])) for number, name in enumerate(self.person, 1)]
        whole = [
            (f"{kind}_{dimension.position}", WHOLE) for kind in ("code", "level") for dimension in self.star.dimensions
        ]
        texts = [As(Statement("source/text", {"column": Name(name)}), Name(name)) for name, _ in told]
        rows = Statement(
            "release/present#whole",
            {"columns": columns([*texts, *(Name(name) for name, _ in whole)]), "relation": self.mapping},
        )
        return [*needed, Table(self.mapping, (*told, *whole), rows)]

    def _match(self) -> Statement:
        same: list[tuple[Name, Name]] = [
            (Name("mapping", f"person_{number}"), Name("source", name)) for number, name in enumerate(self.person, 1)
        ]
        same += [(Name("mapping", f"code_{d.position}"), Name(*d.table.parts, "code")) for d in self.star.dimensions]
        match = conditions(Statement("release/recode#match", {"one": one, "other": other}) for one, other in same)
        return Statement("release/recode_locally#mapping", {"mapping": self.mapping, "match": match})


def recode(star: Star, *, person: tuple[str, ...], seed: int) -> ByPerson:
    """The recoding that stands in the relation ``recoding``; creates the relation ``persons_mapping``."""
    told = columns(
        As(Name("codes", *place.parts), Name(f"person_{number}"))
        for number, place in enumerate(sensitive_columns(person, person), 1)
    )
    codes, levels = (
        columns(Name("recoding", f"{kind}_{dimension.position}") for dimension in star.dimensions)
        for kind in ("code", "level")
    )
    holes: dict[str, Hole] = {
        "told": told, "codes": codes, "levels": levels, "recoding": RECODING, "persons": PERSONS
    }  # fmt: skip
    star.session.create(MAPPING, Statement("recoding/by_person", holes))
    return ByPerson(star, seed, *summary(star), person=person)
