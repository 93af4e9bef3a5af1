"""Full-domain generalization: one level per attribute."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Self

from starcloak.privacy.aggregates import HistogramColumn, totals_in
from starcloak.privacy.requirement import Demand
from starcloak.star import frequency_sets, working_tables
from starcloak.star.recoding.recoding import OUTLIERS, RECODING, Model, Recoding, released_cell
from starcloak.star.star import Dimension, Node, Star
from starcloak.star.working_tables import STAR
from starcloak.statements.statement import As, Hole, Joined, Name, Number, Statement, columns, conditions, lines
from starcloak.store.source import Source
from starcloak.store.tables import TEXT, WHOLE, Table, whole_of

_GROUPS = Name("recoded_groups")


@dataclass(frozen=True)
class FullDomain(Recoding):
    """A full-domain generalization (LeFevre, DeWitt, Ramakrishnan 2005, section 2.1): one level per attribute.

    Rows in a value group listed in the relation ``outliers`` are suppressed.
    """

    node: Node
    outliers: Name = OUTLIERS

    model: ClassVar[Model] = "full-domain"

    @property
    def levels(self) -> dict[str, int]:
        return {dimension.attribute: level for dimension, level in dimensions_at(self.star, self.node)}

    @property
    def levels_in_use(self) -> dict[str, tuple[int, ...]]:
        return {attribute: (level,) for attribute, level in self.levels.items()}

    @property
    def described(self) -> str:
        return ", ".join(f"{name} at level {level}" for name, level in self.hierarchy_levels.items())

    @property
    def expected(self) -> Statement:
        levels_of = dimensions_at(self.star, self.node)
        # A wide table is not grouped first: the numbers of the star's rows find the cells.
        wide = len(levels_of) > working_tables.WIDE
        codes = [d.column(level) if wide else d.value for d, level in levels_of]
        values = columns(As(d.column(level), d.value) for d, level in levels_of)
        grouped = Statement("star/recoding/generalized#grouped", values=values, star=STAR)
        holes: dict[str, Hole] = {
            **self._cells_of("value_group", codes, rows=STAR),
            "groups": STAR if wide else grouped,
            "kept": self._keep(codes) if self.suppressed else lines(()),
        }
        return Statement("star/recoding/generalized#value_groups", **holes)

    def _cells_of(self, relation: str, codes: Sequence[Name], *, rows: Name) -> dict[str, Hole]:
        """The holes ``cells`` and ``members``: the texts of a relation's cells, and the joins with the dimensions.

        ``codes`` are the relation's columns with codes. Many joins are split into parts, which need the row numbers of
        the table ``rows``.
        """
        joins = [
            (
                Statement("star/recoding/single_dimension#member", table=d.table, code=Name(relation, *code.parts)),
                [As(Name(*d.table.parts, f"level_{level}"), Name(f"cell_{d.position}"))],
            )
            for (d, level), code in zip(dimensions_at(self.star, self.node), codes, strict=True)
        ]
        cells, members = working_tables.join(joins, rows=rows, alias=relation)
        return {"cells": columns(cells), "members": members}

    def release(self, source: Source) -> Statement:
        dimensions = {dimension.attribute: dimension for dimension in self.star.dimensions}
        texts, codes, maps = self._members(source)
        released: list[Name | As] = []
        for column in source.released:
            cell: Name | As = Name("source", column.name)
            if (dimension := dimensions.get(column.name)) and not dimension.keeps(self.levels_in_use[column.name]):
                cell = released_cell(texts[column.name], column, keeps_type=dimension.keeps_type)
            released.append(cell)
        suppressed = self._without_outliers(codes) if self.suppressed else lines(())
        return self._recode(source, columns=self._columns(released, source), maps=maps, suppressed=suppressed)

    def _members(self, source: Source) -> tuple[dict[str, Hole], dict[str, Hole], Joined]:
        """Texts at the node's levels by attribute, codes at these levels by attribute, and joins with dimensions.

        Only attributes with a join (see ``_changing``) have a text and a code.
        """
        maps = self._maps(source)
        found: list[tuple[Hole, list[As]]] = []
        for own, d in zip(maps.pieces, self._changing, strict=True):
            names = (("level", f"cell_{d.position}"), ("ancestor", f"value_{d.position}"))
            level = self.levels[d.attribute]
            found.append((own, [As(Name(*d.table.parts, f"{kind}_{level}"), Name(name)) for kind, name in names]))
        rows = self._tuples(source) if self.counted else None
        cells, joins = working_tables.join(found, rows=rows, alias="source", key=self._number(source))
        pieces = [cell.piece for cell in cells]
        attributes = [d.attribute for d in self._changing]
        texts, codes = (dict(zip(attributes, pieces[begin::2], strict=True)) for begin in (0, 1))
        return texts, codes, joins

    @property
    def _changing(self) -> tuple[Dimension, ...]:
        # Outliers are found by the codes of all of their cells.
        return tuple(d for d in self.star.dimensions if self.suppressed or not d.keeps(self.levels_in_use[d.attribute]))

    def tables(self, source: Source) -> list[Table]:
        needed = self._levels_of(source)
        if self.suppressed:
            needed.append(whole_of(self.outliers, [(d.value.parts[0], WHOLE) for d in self.star.dimensions]))
        return needed

    def _levels_of(self, source: Source) -> list[Table]:
        return self._dimensions(
            source,
            lambda d: [(f"level_{self.levels[d.attribute]}", TEXT), (f"ancestor_{self.levels[d.attribute]}", WHOLE)],
        )

    def elsewhere(self, names: Mapping[Name, Name]) -> Self:
        return replace(super().elsewhere(names), outliers=names.get(self.outliers, self.outliers))

    def _keep(self, codes: Sequence[Name]) -> Statement:
        match = conditions(
            Statement(
                "star/recoding/recode#match",
                one=Name("outlier", *d.value.parts),
                other=Name("value_group", *code.parts),
            )
            for d, code in zip(self.star.dimensions, codes, strict=True)
        )
        return Statement("star/recoding/generalized#kept", outliers=OUTLIERS, match=match)

    def _without_outliers(self, codes: Mapping[str, Hole]) -> Statement:
        matches = (
            Statement("star/recoding/recode#match", one=Name("outlier", *d.value.parts), other=codes[d.attribute])
            for d in self.star.dimensions
        )
        return Statement("star/recoding/recode#suppressed", outliers=self.outliers, matches=conditions(matches))


def recode(star: Star, node: Node, *, demand: Demand, seed: int) -> FullDomain:
    """The recoding of a node, with suppression of the value groups that violate the demand.

    Creates the relations ``recoding`` and ``outliers``. ``seed`` determines the order of released rows.
    """
    session = star.session
    values = columns(dimension.value for dimension in star.dimensions)
    outliers = leave_out(star, frequency_sets.recount(star, node), demand, values)
    value_group = columns(dimension.column(level) for dimension, level in dimensions_at(star, node))
    suppressed = (
        Statement("star/recoding/full_domain#rare", value_group=value_group, values=values, outliers=OUTLIERS)
        if outliers
        else Statement("star/recoding/full_domain#none_rare")
    )
    holes: dict[str, Hole] = {**codes_and_levels(star, node), "suppressed": suppressed, "star": STAR}
    recoded = Statement("star/recoding/full_domain", **holes)
    if not outliers and len(star.dimensions) <= working_tables.WIDE:  # the star says it all
        session.create_view(RECODING, recoded)
        return FullDomain(star, seed, 0, node)
    session.create(RECODING, recoded)
    (left_out,) = session.row(Statement("measures/recoding#suppressed", recoding=RECODING))
    return FullDomain(star, seed, left_out, node)


def dimensions_at(star: Star, node: Node) -> list[tuple[Dimension, int]]:
    """The dimensions, each with its level at a node."""
    return list(zip(star.dimensions, node.levels, strict=True))


def codes_and_levels(star: Star, node: Node) -> dict[str, Hole]:
    """The columns ``code_1 …`` and ``level_1 …`` of a recoding relation at a node."""
    codes = (As(d.column(0), Name(f"code_{d.position}")) for d in star.dimensions)
    levels = (
        As(Statement("star/recoding/full_domain#level", level=Number(level)), Name(f"level_{d.position}"))
        for d, level in dimensions_at(star, node)
    )
    return {"codes": columns(codes), "levels": columns(levels)}


def leave_out(star: Star, frequency: Statement, demand: Demand, values: Joined) -> int:
    """Create the relation ``outliers`` with the value groups of a frequency set to be suppressed; returns their number.

    These are the groups that violate the demand. A model that compares a group with all released rows may be violated
    by further groups after suppression: the function repeats until no group violates the demand. ``values`` are the
    names of the group's columns: value_1, value_2, ….
    """
    session, left_out = star.session, 0
    groups: Hole = Statement("store/relation#nested", rows=frequency)
    staying = groups
    if demand.moves:
        session.create(_GROUPS, frequency)
        groups = staying = _GROUPS
    before = -1
    while left_out != before:
        violating: dict[str, Hole] = {"violating": demand.violating, "frequency": staying, "values": values}
        if before < 0:
            before, left_out = 0, session.create(OUTLIERS, Statement("star/recoding/outliers", **violating))
        else:
            session.insert(OUTLIERS, Statement("star/recoding/outliers", **violating))
            before, (left_out, *_) = left_out, session.row(Statement("store/relation#count", relation=OUTLIERS))
        if not demand.moves:
            return left_out
        staying = Statement("star/recoding/outliers#staying", groups=groups, outliers=OUTLIERS, values=values)
        rest = over_rest(star, demand, staying)
        if rest is None:
            break
        demand = rest
    session.drop(_GROUPS)
    return left_out


def over_rest(star: Star, demand: Demand, groups: Hole) -> Demand | None:
    """The demand with its comparisons made with the rows of ``groups`` alone.

    Unchanged if no model compares with the released rows; None if the groups have no rows.
    """
    if not demand.moves:
        return demand
    histograms = [aggregate for aggregate in star.carried if isinstance(aggregate, HistogramColumn)]
    merged = columns(aggregate.merged for aggregate in histograms)
    counted = star.session.row(Statement("star/recoding/outliers#stayed", merged=merged, groups=groups))
    if not any(counted):
        return None
    rest = iter(counted)
    counts = {aggregate.attribute for aggregate in histograms}
    domains = {
        attribute: replace(
            domain,
            totals=totals_in(next(rest), domain) if domain.in_text else tuple(next(rest) for _ in domain.totals),
        )
        for attribute, domain in star.domains.items()
        if attribute in counts
    }
    return demand.over(domains, moving=True)
