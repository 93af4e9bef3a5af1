"""Kinds of columns: what their values read as text, and how two values are told apart, each by hand."""

from __future__ import annotations

import struct
from collections.abc import Iterable
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

# The kinds, with their types in DuckDB.
KINDS = {
    "text": "VARCHAR",
    "int8": "TINYINT",
    "int16": "SMALLINT",
    "int32": "INTEGER",
    "int64": "BIGINT",
    "uint8": "UTINYINT",
    "uint16": "USMALLINT",
    "uint32": "UINTEGER",
    "uint64": "UBIGINT",
    "int128": "HUGEINT",
    "float32": "FLOAT",
    "float64": "DOUBLE",
    "decimal": "DECIMAL(9,2)",
    "wide": "DECIMAL(38,18)",
    "bool": "BOOLEAN",
    "date": "DATE",
    "timestamp": "TIMESTAMP",
    "seconds": "TIMESTAMP_S",
    "millis": "TIMESTAMP_MS",
    "nanos": "TIMESTAMP_NS",
    "instant": "TIMESTAMP WITH TIME ZONE",
    "time": "TIME",
    "ztime": "TIME WITH TIME ZONE",
    "uuid": "UUID",
    "enum": "ENUM",
    "bytes": "BLOB",
    "list": "INTEGER[]",
    "interval": "INTERVAL",
    "bits": "BIT",
    "struct": "STRUCT(a INTEGER, b VARCHAR)",
    "map": "MAP(VARCHAR, INTEGER)",
}
WHOLE = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "int128")
# Kinds whose values stand here as the texts that DuckDB has for them.
SPELLED = ("nanos", "ztime", "interval", "bits", "struct", "map")
# Kinds of which unlike values count as one.
ALIKE = ("interval", "ztime")
FLOATS = ("float32", "float64")
DECIMALS = {"decimal": 2, "wide": 18}
# Kinds that no hierarchy is for.
UNGROUPED = ("bytes", "list", "interval", "bits", "struct", "map")


def text(value: Any, kind: str) -> str | None:
    """What a recipient reads in a cell."""
    if value is None:
        return None
    if kind in DECIMALS:
        return f"{value:.{DECIMALS[kind]}f}"
    if kind == "float32":
        return _shortest(value)
    if kind == "float64" and isinstance(value, int):  # as a workbook has it
        return repr(float(value))
    if kind == "bool":
        return "true" if value else "false"
    if kind in ("timestamp", "seconds", "millis", "instant"):
        return _clock(value.isoformat(" ").partition("+")[0]) + ("+00" if kind == "instant" else "")
    if kind == "time":
        return _clock(value.isoformat())
    if kind == "bytes":
        return "".join(chr(byte) if 32 <= byte < 127 and byte not in b"\\'\"" else f"\\x{byte:02X}" for byte in value)
    if kind == "list":
        return f"[{', '.join('NULL' if item is None else str(item) for item in value)}]"
    return value if isinstance(value, str) else repr(value) if isinstance(value, float) else str(value)


def _clock(text: str) -> str:
    whole, point, fraction = text.partition(".")
    return whole + point + fraction.rstrip("0")


def _shortest(value: float) -> str:
    """The shortest text of a number of 32 bits that reads as it again."""
    if value != value or value in (float("inf"), float("-inf")):
        return repr(value)
    for digits in range(1, 17):
        short = float(f"{value:.{digits}g}")
        if struct.pack("f", short) == struct.pack("f", value):
            return repr(short)
    return repr(value)


def exact(value: Any) -> Any:
    """What tells a value and its type from all others: it can be compared, counted and sorted."""
    if value is None:
        return ()
    if isinstance(value, bool):
        return "bool", value
    if isinstance(value, float):
        return "float", "nan" if value != value else struct.pack(">d", value).hex()
    if isinstance(value, datetime):
        return ("instant", value.astimezone(UTC).isoformat()) if value.tzinfo else ("timestamp", value.isoformat())
    if isinstance(value, (list, tuple)):
        return "list", tuple(exact(item) for item in value)
    if isinstance(value, bytes):
        return "bytes", value.hex()
    if isinstance(value, (str, int)):
        return type(value).__name__, value
    if isinstance(value, (Decimal, date, time, UUID, timedelta)):
        return type(value).__name__, str(value)
    return f"other {type(value).__name__}", repr(value)


def same(value: Any) -> Any:
    """What tells a value from others where values are counted: zero is zero, whatever its sign."""
    return exact(0.0) if isinstance(value, float) and value == 0 else exact(value)


def domain(values: Iterable[Any]) -> list[Any]:
    """The distinct values, in the order of their first occurrence."""
    seen: dict[Any, Any] = {}
    for value in values:
        seen.setdefault(exact(value), value)
    return list(seen.values())
