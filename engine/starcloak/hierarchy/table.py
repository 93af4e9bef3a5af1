"""A hierarchy from a dimension table of the source's database."""

from __future__ import annotations

from typing import ClassVar

from starcloak.base import settings
from starcloak.base.errors import SourceError, StatementError
from starcloak.base.settings import TableName
from starcloak.hierarchy.builder import BuildPlace, build, register
from starcloak.hierarchy.members import Declared
from starcloak.statements.statement import As, Name, Statement, columns


@register
class DimensionTable(Declared):
    """A dimension table in the source's database, one row per leaf; its columns are leaf, level 1, …, top."""

    key: ClassVar[str] = "table"
    apart: ClassVar[tuple[str, ...]] = ("table",)
    form: ClassVar[str] = "`{table: dim_country}`"
    levels_read: ClassVar[str] = "a table of the source's database whose columns are leaf, level 1, …, top"

    table: TableName

    @property
    def table_read(self) -> str | None:
        return self.table

    def declare(self, place: BuildPlace, into: Name) -> int:
        try:
            name = place.host.dimension(self.table)
            described = place.session.run(
                Statement("store/describe", origin=Statement("store/relation", relation=name))
            )
        except (StatementError, SourceError):
            raise place.wrong(
                f"its dimension table {self.table!r} is not in the source's database: check its name"
            ) from None
        if len(described) < 2:
            raise place.wrong(
                f"its dimension table {self.table!r} has only the column of leaves: add a column for each level"
            )
        if len(described) > settings.MOST_LEVELS + 1:
            raise place.too_high()
        cast = (Statement("hierarchy/cast", column=Name(row[0])) for row in described)
        levels = columns(As(piece, Name(f"level_{level}")) for level, piece in enumerate(cast))
        try:
            place.session.create(into, Statement("hierarchy/table", levels=levels, table=name))
        except StatementError as error:
            raise place.wrong(
                f"its dimension table {self.table!r} cannot be read ({error.kind}): convert its cells to texts"
            ) from None
        return len(described) - 1


def dimension_table(name: str) -> DimensionTable:
    """A table of the source's database with the columns leaf, level 1, …, top.

    Args:
        name: Name of the table.

    Raises:
        JobError: The name is empty. A run raises :class:`~starcloak.base.errors.HierarchyError` for a missing table,
            and for values without a leaf.

    >>> import tempfile, duckdb, starcloak as sc
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with duckdb.connect(f"{folder}/hospital.duckdb") as database:
    ...         _ = database.execute("create table patients as from (values ('France'), ('Spain')) as t(country)")
    ...         _ = database.execute("create table countries as select country, '*' as anywhere from patients")
    ...     source = {"url": f"duckdb:///{folder}/hospital.duckdb", "table": "patients"}
    ...     release = sc.anonymize(source, quasi_identifiers={"country": sc.dimension_table("countries")}, k=2)
    >>> sorted(release.to_pandas()["country"])
    ['*', '*']
    """
    return build(DimensionTable, table=name)
