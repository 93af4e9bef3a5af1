"""A column and its type."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

# Types with one text per value, so a dimension table can name the values.
_GROUPABLE = (
    "BOOLEAN", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT",
    "UHUGEINT", "FLOAT", "DOUBLE", "DECIMAL", "VARCHAR", "ENUM", "UUID", "DATE", "TIME", "TIMESTAMP",
)  # fmt: skip
# Types with identical representations of equal values.
_PLAIN = ("BOOLEAN", "BLOB", "UUID", "DECIMAL", "DATE", "TIMESTAMP")
_QUOTED = re.compile(r"'(?:[^']|'')*'|" + r'"(?:[^"]|"")*"')


@dataclass(frozen=True)
class Column:
    """A column of the source; ``type`` is the name of its type in the working store (DuckDB).

    ``of`` is the original column of the source, if the column has another name.
    """

    name: str
    type: str
    of: str | None = field(default=None, compare=False)

    @property
    def label(self) -> str:
        """Name of the column for messages: the name in the source."""
        return self.of or self.name

    def under(self, name: str) -> Column:
        """Return the column with another name; ``of`` keeps the name in the source."""
        return Column(name, self.type, self.label)

    @property
    def kind(self) -> str:
        """Name of the type without parameters: ``DECIMAL`` for ``DECIMAL(5,2)``.

        Parameters of an ENUM are values of rows.
        """
        return self.type.partition("(")[0].strip('"')

    @property
    def is_text(self) -> bool:
        return self.type == "VARCHAR"

    @property
    def has_spellings(self) -> bool:
        """True if several texts of the column may have one meaning: a JSON value is a text, too."""
        return self.is_text or self.type == "JSON"

    @property
    def is_enumeration(self) -> bool:
        return self.type.startswith("ENUM(") and self.type.endswith(")")

    @property
    def is_float(self) -> bool:
        return self.type in ("FLOAT", "DOUBLE")

    @property
    def is_whole(self) -> bool:
        return self.type.removeprefix("U") in ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT")

    @property
    def is_number(self) -> bool:
        return self.is_float or self.is_whole or self.kind == "DECIMAL"

    @property
    def is_plain(self) -> bool:
        """True if equal values of the type have one representation; false for texts and floating-point numbers."""
        return self.is_whole or (self.type.startswith(_PLAIN) and not self.type.endswith("]"))

    @property
    def is_union(self) -> bool:
        return self.type.startswith("UNION(") and self.type.endswith(")")

    def holds(self, kinds: str) -> bool:
        """True if the regular expression ``kinds`` matches the type or a nested type, ignoring names of fields."""
        return re.search(kinds, _QUOTED.sub("", self.type)) is not None

    @property
    def is_groupable(self) -> bool:
        return self.type.startswith(_GROUPABLE) and not self.type.endswith("]")
