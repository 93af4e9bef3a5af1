"""Local recoding by persons: the levels of a row depend on its tuple and its person."""

from __future__ import annotations

from dataclasses import dataclass

from starcloak.privacy.aggregates import PERSONS
from starcloak.star.recoding.mapped import Mapped
from starcloak.star.recoding.mixed_levels import summary
from starcloak.star.recoding.recoding import RECODING, persons_of_base
from starcloak.star.star import Star
from starcloak.star.working_tables import sensitive_columns
from starcloak.statements.statement import As, Hole, Name, Statement, Type, columns, lines
from starcloak.store.source import Source
from starcloak.store.tables import WHOLE, Table

MAPPING = Name("persons_mapping")


@dataclass(frozen=True)
class ByPerson(Mapped):
    """A local recoding with the same levels for all rows of a person with the same tuple.

    The relation ``mapping`` has these levels per person and tuple. Rows of suppressed persons are absent from it. The
    columns ``person`` identify a person.
    """

    person: tuple[str, ...] = ()
    mapping: Name = MAPPING

    def release(self, source: Source) -> Statement:
        maps = lines([self._maps(source), self._match(self._whose)])
        return self._recode(source, columns=self._released_columns(source), maps=maps, suppressed=lines(()))

    @property
    def persons_that_stay(self) -> tuple[Statement]:
        return (Statement("star/recoding/persons#mapped", mapping=self.mapping, match=persons_of_base(self.person)),)

    def tables(self, source: Source) -> list[Table]:
        types = {column.name: column.type for column in (*source.released, *source.persons)}
        names = [(f"person_{number}", Type(types[name])) for number, name in enumerate(self.person, 1)]
        whole = [(name, WHOLE) for name in self._codes_and_levels]
        texts = [As(Statement("store/text", column=Name(name)), Name(name)) for name, _ in names]
        rows = Statement(
            "store/relation#columns",
            columns=columns([*texts, *(Name(name) for name, _ in whole)]),
            relation=self.mapping,
        )
        return [*self._texts(source), Table(self.mapping, (*names, *whole), rows)]

    @property
    def _whose(self) -> list[tuple[Name, Name]]:
        return [
            (Name("mapping", f"person_{number}"), Name("source", name)) for number, name in enumerate(self.person, 1)
        ]


def recode(star: Star, *, person: tuple[str, ...], seed: int) -> ByPerson:
    """Make a recoding from the relation ``recoding``; creates the relation ``persons_mapping``.

    ``person`` are the columns that identify a person; ``seed`` determines the order of released rows.
    """
    labels = columns(
        As(Name("codes", *place.parts), Name(f"person_{number}"))
        for number, place in enumerate(sensitive_columns(person, person), 1)
    )
    codes, levels = (
        columns(Name("recoding", f"{kind}_{dimension.position}") for dimension in star.dimensions)
        for kind in ("code", "level")
    )
    holes: dict[str, Hole] = {
        "told": labels, "codes": codes, "levels": levels, "recoding": RECODING, "persons": PERSONS
    }  # fmt: skip
    star.session.create(MAPPING, Statement("star/recoding/by_person", **holes))
    return ByPerson(star, seed, *summary(star), person=person)
