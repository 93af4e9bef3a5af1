"""Dialects of SQL: the notation of a database for names and values. Each database registers its own dialect."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Dialect:
    """Notation of names and values in the SQL of one database.

    Args:
        name: The name of the dialect, and of its folder under ``sql/databases``. Empty for DuckDB, the working store.
        quote: The mark around an identifier.
        escapes_backslashes: A backslash in a text begins an escape.
        hex_text: The form of a text with line ends or NULs altered by a client; ``{}`` stands for its UTF-8 bytes in
            hexadecimal digits. None if no client alters them.
        hex_bytes: The form of bytes; ``{}`` stands for their hexadecimal digits.
        array: The form of an array; ``{}`` stands for its elements.
        double: The name of the type of double precision.
        casts_doubles: A plain ``0.1e0`` is a decimal, so a double is cast from a text.
        casts_decimals: A decimal is cast to its precision and scale; else it is a text.
        casts_dates: A date is cast from a text; else it is this text.
        has_unsigned: Whole numbers from 2**63 on need a cast to an unsigned type.
    """

    name: str
    quote: str = '"'
    escapes_backslashes: bool = False
    hex_text: str | None = None
    hex_bytes: str = "x'{}'"
    array: str = "array[{}]"
    double: str = "double precision"
    casts_doubles: bool = False
    casts_decimals: bool = True
    casts_dates: bool = False
    has_unsigned: bool = False


DUCKDB = Dialect("", hex_bytes="unhex('{}')", array="[{}]", double="double", casts_dates=True, has_unsigned=True)
_DIALECTS = {DUCKDB.name: DUCKDB}


def register(dialect: Dialect) -> Dialect:
    """Register a dialect under its name."""
    _DIALECTS[dialect.name] = dialect
    return dialect


def dialect_named(name: str) -> Dialect:
    """The dialect with a name.

    Raises:
        ValueError: No dialect is registered under the name.
    """
    if name not in _DIALECTS:
        raise ValueError(
            f"the dialect {name!r} is not registered: import the module of its database, or register the dialect"
        )
    return _DIALECTS[name]
