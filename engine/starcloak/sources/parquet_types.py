"""Exactness of a Parquet file: the types declared in it, compared with the types read by DuckDB."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from starcloak.base.column import Column
from starcloak.statements.statement import Literal, Row, Statement
from starcloak.store.session import Session

_PRECISION = 38  # digits of the largest decimal read as one
_NANOSECONDS = 1000  # of a microsecond, the unit of a read INT96

# A column's kind by its logical type, or else the older converted type, or else its stored type; and the type read.
# Without numbers, times and decimals, since their types have parameters.
_READ = {
    "BOOLEAN": "BOOLEAN", "INT32": "INTEGER", "INT64": "BIGINT", "FLOAT": "FLOAT", "DOUBLE": "DOUBLE",
    "BYTE_ARRAY": "BLOB", "FIXED_LEN_BYTE_ARRAY": "BLOB", "INT96": "TIMESTAMP",
    "StringType": "VARCHAR", "UTF8": "VARCHAR", "EnumType": "VARCHAR", "ENUM": "VARCHAR", "JsonType": "JSON",
    "JSON": "JSON", "BsonType": "BLOB", "BSON": "BLOB", "UUIDType": "UUID", "Float16Type": "FLOAT", "DateType": "DATE",
    "DATE": "DATE", "INTERVAL": "INTERVAL", "NullType": '"NULL"',
    "INT_8": "TINYINT", "INT_16": "SMALLINT", "INT_32": "INTEGER", "INT_64": "BIGINT",
    "UINT_8": "UTINYINT", "UINT_16": "USMALLINT", "UINT_32": "UINTEGER", "UINT_64": "UBIGINT",
}  # fmt: skip
_SIGNED, _UNSIGNED = ({_READ[f"{sign}INT_{bits}"] for bits in (8, 16, 32, 64)} for sign in ("", "U"))


@dataclass(frozen=True)
class Field:
    """A node of a Parquet schema.

    ``stored`` is the physical type (None for a group), ``converted`` and ``logical`` are declared types, ``precision``
    is the number of decimal digits, and ``read`` is the type read by DuckDB.
    """

    name: str
    stored: str | None
    converted: str
    logical: str
    precision: int
    read: str
    children: tuple[Field, ...]

    @property
    def kind(self) -> str:
        """The node's declared type, without parameters."""
        return self.logical.partition("(")[0] or self.converted or self.stored or "a group"

    @property
    def members(self) -> Iterator[Field]:
        """The node and all of its descendants."""
        yield self
        for child in self.children:
            yield from child.members

    @property
    def is_exact(self) -> bool:
        """True if the node is read exactly; an INT96 is exact if it has no nanoseconds."""
        if self.stored is None:
            names = [child.name.casefold() for child in self.children]
            # With two names different in case only, one would be changed.
            return self.read.endswith(("]", ")")) and len(names) == len({*names})
        match self.kind:
            case "TimestampType" | "TimeType":
                exact = self.read.startswith(self.kind.removesuffix("Type").upper())
                return exact and ("NANOS=Nano" not in self.logical or self.read.endswith("_NS"))
            case "DecimalType" | "DECIMAL":
                return self.precision <= _PRECISION and self.read.startswith("DECIMAL(")
            case "IntType":
                return self.read in (_SIGNED if "isSigned=1" in self.logical else _UNSIGNED)
            case kind:
                return _READ.get(kind) == self.read


@dataclass(frozen=True)
class Schema:
    """The columns of a file, in order."""

    path: Path
    fields: tuple[Field, ...]

    @property
    def names(self) -> list[str]:
        return [field.name for field in self.fields]

    @property
    def read(self) -> list[tuple[str, str]]:
        """Pairs of column name and type read by DuckDB."""
        return [(field.name, field.read) for field in self.fields]

    def problem(self, column: Column) -> str | None:
        """Reason in words why a column cannot be read exactly, or None if it can."""
        (field,) = (field for field in self.fields if field.name == column.name)
        for member in field.members:
            if not member.is_exact:
                digits = f" of {member.precision} digits" if member.precision else ""
                return f"has {member.kind}{digits}, which cannot be read exactly: write the column as another type"
            if member.stored == "INT96" and (member is not field or _has_nanoseconds(self.path, column.name)):
                return "has INT96 with nanoseconds, which cannot be read: write the column as TIMESTAMP"
        return None


def schema(session: Session, path: Path) -> Schema:
    """The schema of a file. Raises :class:`StatementError` for a file other than Parquet."""
    rows = session.run(Statement("sources/parquet#schema", path=Literal(str(path))))
    return Schema(path, _field(iter(rows)).children)


def _field(rows: Iterator[Row]) -> Field:
    name, stored, converted, logical, precision, read, children = next(rows)
    return Field(name, stored, converted, logical, precision, read, tuple(_field(rows) for _ in range(children)))


def _has_nanoseconds(path: Path, name: str) -> bool:
    """True if an INT96 column has values with a fraction of a microsecond."""
    from pyarrow import compute, int64
    from pyarrow.parquet import ParquetFile

    exact, rounded = (ParquetFile(path, coerce_int96_timestamp_unit=unit) for unit in ("ns", "us"))
    with exact, rounded:
        if not exact.num_row_groups:
            return False  # pyarrow 18 cannot read batches of none
        for batches in zip(*(file.iter_batches(columns=[name]) for file in (exact, rounded)), strict=True):
            nanoseconds, microseconds = (batch.column(name).view(int64()) for batch in batches)
            # Far from 1970 both sides overflow alike, so they still differ by less than a microsecond.
            whole = compute.multiply(microseconds, _NANOSECONDS)
            if not compute.all(compute.equal(whole, nanoseconds), min_count=0).as_py():
                return True
    return False
