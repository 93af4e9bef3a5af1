"""Statements in the form shown to users: as run by the database's own client, with the values of their binds.

The value of a bind comes from the job (a seed, a width, a threshold), from a count, or is the name of a table. Values
of transferred rows travel as tables and are not shown.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from math import isfinite
from typing import Any

from starcloak.statements.dialects import Dialect, dialect_named
from starcloak.statements.statement import CHANGED, Bind, Literal, Text


def with_values(text: Text, binds: Mapping[str, Any] | None, dialect: str = "") -> str:
    """SQL text with bind parameters replaced by literals; a bind without a value stays ``$name``.

    >>> with_values(["select hash(", Bind("seed"), ")"], {"seed": 7})
    'select hash(7)'
    """
    values = binds or {}
    return "".join(
        literal(values[piece.name], dialect)
        if isinstance(piece, Bind) and piece.name in values
        else piece
        if isinstance(piece, str)
        else piece.sql()
        for piece in text
    )


def literal(value: Any, dialect: str = "") -> str:
    """SQL literal of a value, of the same SQL type as the value passed as a bind parameter.

    >>> literal("it's"), literal(-1), literal(0.1), literal([1, None])
    ("'it''s'", '(-1)', '0.1e0', '[1, null]')
    """
    spoken = dialect_named(dialect)
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int():
            return _whole(value, spoken)
        case float():
            return _float(float(value), spoken)
        case Decimal():
            return _decimal(value, spoken)
        case str():
            return _text(value, spoken)
        case date():
            kind = "timestamp" if isinstance(value, datetime) else "date"
            return f"cast('{value}' as {kind})" if spoken.casts_dates else f"'{value}'"
        case bytes():
            return spoken.hex_bytes.format(value.hex())
        case Sequence():
            items = ", ".join(literal(item, dialect) for item in value)
            return spoken.array.format(items)
    # NumPy's arrays and numbers.
    return literal(value.tolist(), dialect)


def _whole(value: int, dialect: Dialect) -> str:
    # Numbers beyond signed 64 bits are of the unsigned type as binds.
    written = f"cast({value} as ubigint)" if dialect.has_unsigned and 2**63 <= value < 2**64 else str(value)
    return written if value >= 0 else f"({written})"


def _float(value: float, dialect: Dialect) -> str:
    # A plain 0.1 is a decimal to DuckDB and PostgreSQL, and 1e-1 is one to PostgreSQL.
    if dialect.casts_doubles or not isfinite(value):
        return f"cast('{value!r}' as {dialect.double})"
    written = repr(value) if "e" in repr(value) else f"{value!r}e0"
    return written if value >= 0 else f"({written})"


def _decimal(value: Decimal, dialect: Dialect) -> str:
    _, digits, exponent = value.as_tuple()
    assert isinstance(exponent, int), "a number"
    scale = max(0, -exponent)
    precision = max(len(digits) + max(0, exponent), scale + 1 if scale > len(digits) else 0)
    return f"cast('{value:f}' as decimal({precision}, {scale}))" if dialect.casts_decimals else f"'{value:f}'"


def _text(value: str, dialect: Dialect) -> str:
    if dialect.hex_text and re.search(f"[{CHANGED}]", value):
        return dialect.hex_text.format(value.encode().hex())
    # DuckDB ends a statement at a NUL.
    return Literal(value).sql(dialect.name).replace("\0", "' || chr(0) || '")
