"""Full-domain generalization that suppresses persons with all of their rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Self

from starcloak.star.recoding.full_domain import FullDomain, codes_and_levels
from starcloak.star.recoding.recoding import RECODING, persons_of_base
from starcloak.star.star import Dimension, Node, Star
from starcloak.star.working_tables import VISITS
from starcloak.statements.statement import As, Hole, Name, Statement, Type, columns, conditions
from starcloak.store.source import Source
from starcloak.store.tables import Table

LEFT_OUT = Name("persons_left_out")


@dataclass(frozen=True)
class WithoutPersons(FullDomain):
    """A full-domain generalization with some persons suppressed: none of their rows is released.

    The relation ``left_out`` has these persons: ``code, person_1, …``. The columns ``person`` of the source identify a
    person.
    """

    person: tuple[str, ...] = ()
    left_out: Name = LEFT_OUT

    @property
    def expected(self) -> Statement:
        holes: dict[str, Hole] = {
            **self._cells_of("recoding", [Name(f"code_{d.position}") for d in self.star.dimensions], rows=RECODING),
            "checksum": Name("recoding", "checksum"),
            "recoding": RECODING,
        }
        return Statement("star/recoding/generalized", **holes)

    @property
    def persons_that_stay(self) -> tuple[Statement]:
        return (
            Statement(
                "star/recoding/persons#not_suppressed", suppressed=self.left_out, match=persons_of_base(self.person)
            ),
        )

    @property
    def _changing(self) -> tuple[Dimension, ...]:
        return tuple(d for d in self.star.dimensions if not d.keeps(self.levels_in_use[d.attribute]))

    def tables(self, source: Source) -> list[Table]:
        types = {column.name: column.type for column in (*source.released, *source.persons)}
        named = [(f"person_{number}", Type(types[name])) for number, name in enumerate(self.person, 1)]
        texts = columns(As(Statement("store/text", column=Name(name)), Name(name)) for name, _ in named)
        rows = Statement("store/relation#columns", columns=texts, relation=self.left_out)
        dimensions = self._levels_of(source)
        return [*dimensions, Table(self.left_out, tuple(named), rows)]

    def elsewhere(self, names: Mapping[Name, Name]) -> Self:
        return replace(super().elsewhere(names), left_out=names.get(self.left_out, self.left_out))

    def _without_outliers(self, codes: Mapping[str, Hole]) -> Statement:
        matches = (
            Statement("star/recoding/recode#match", one=Name("outlier", f"person_{number}"), other=Name("source", name))
            for number, name in enumerate(self.person, 1)
        )
        return Statement("star/recoding/recode#suppressed", outliers=self.left_out, matches=conditions(matches))


def recode(star: Star, node: Node, *, person: tuple[str, ...], seed: int) -> WithoutPersons:
    """The recoding of a node without the persons in the relation ``persons_left_out``; creates ``recoding``."""
    holes: dict[str, Hole] = {**codes_and_levels(star, node), "left_out": LEFT_OUT, "visits": VISITS}
    star.session.create(RECODING, Statement("star/recoding/without_persons", **holes))
    (suppressed,) = star.session.row(Statement("measures/recoding#suppressed", recoding=RECODING))
    return WithoutPersons(star, seed, suppressed, node, person=person)
