"""Random values of every kind, the hostile ones among them, and random rows."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Sequence
from decimal import Context, Decimal
from math import inf, nan
from random import Random
from typing import Any
from uuid import UUID

from benchmarks.falsifier.values import WHOLE, domain

NAMES = (
    "age", "zip code", "sex", "select", "o'clock", 'quo"ted', "%s", ":k", "$k", "{levels}", "Straße", "名前",
    "a;b", "a.b", "value_1", "level_0", "frequency", "checksum", "code", "present", "size", "source", "--",
    "/* x", "n" * 63, " lead", "trail ", "class", "number", "part", "copy", "chosen", "suppressed", "\\",
    "new\nline", "tab\t", "dimension_age", "base", "star", "cell_1", "released", "relation", "member",
    "row_number", "NULL", "1", "*", "=1+1", "cut", "recoding", "outlier",
)  # fmt: skip
TEXTS = (
    "a", "A", " a", "a ", "\ta", "", "*", "b", "B", "ab", "abc", "NULL", "null", "\\N", "None", "nan", "NaN",
    "0", "00", "1", "01", "1.0", "-0", "true", "é", "e\u0301", "ß", "ss", "SS", "ﬀ", "İ", "i", "\u0131", "K",
    "\u212a", "\ufeffa", "\ufeff", "\u200b", "\u00a0", "a\u00a0", "😀", "名", '"', '""', "'", "''", ",", ";",
    "a,b", "a;b", "a\nb", "a\r\nb", "\n", "\r", "=1+1", "+1", "-1", "@x", "%s", ":k", "$1", "{x}", "[1, 2)",
    "[1, 2]", "< 5", ">= 5", "any number", "--", "/*", "*/", "\\", "a\\", "x" * 200, "SECRETx7 0", "SECRETx7 1",
    "2001-12-31", "1e5", "1e99999999", "inf", "\x01", "\x7f", "\u2028", "a\u0000b", "\ud7ff", "\uffff",
)  # fmt: skip
NUMBERS = (
    "1", "2", "3", "5", "7", "10", "35", "36", "40", "99", "100", "-1", "-3", "-35", "0", "007", "1.5", "1.50",
    "-0.5", ".5", "5.", "-0", "1e2", "1E2", "12e-1", "+7", " 7", "7 ", "0.1", "0.2", "0.3",
    "99999999999999999999", "-99999999999999999999", "0.000000000000000001", "1.000000000000000001",
    "1.2345e-14", "9.9999999999999999999e19", "9007199254740993", "9007199254740992", "123456789012345678.5",
)  # fmt: skip
NO_NUMBERS = (
    "", "x", "1,5", "nan", "inf", "1e400", "0x10", "\u0661", "\uff11", "1.0000000000000000001", "100000000000000000000",
    "1.2345e-15", "--1", "1e-19", "\ufeff1", "SECRETx7",
)  # fmt: skip
DATES = (
    "1976-01-21", "1976-01-22", "1976-02-28", "1976-03-01", "1986-04-13", "2000-02-29", "2021-01-03",
    "2024-12-30", "2024-12-31", "2025-01-01", "1999-12-31", "2000-01-01", "0033-04-03", "0001-01-01",
    "0999-12-31", "9999-12-31", "1900-02-28", "1970-01-01",
)  # fmt: skip
# The README promises one form alone; these are dates, too, and all are taken as such.
ODD_DATES = (
    "2001/12/31",
    "2001-1-1",
    " 1976-01-21",
    "1976-01-21 10:00:00",
    "1976-01-21T10:00:00",
    "12345-01-01",
    "2001 12 31",
)
NO_DATES = (
    "",
    "x",
    "2001-02-30",
    "1900-02-29",
    "0000-01-01",
    "2001-13-01",
    "31.12.2001",
    "20011231",
    "1976",
    "2001-12/31",
    "infinity",
)
_WIDE = Context(prec=38)
SPANS = {
    "int8": (-128, 127),
    "int16": (-(2**15), 2**15 - 1),
    "int32": (-(2**31), 2**31 - 1),
    "int64": (-(2**63), 2**63 - 1),
    "uint8": (0, 255),
    "uint16": (0, 2**16 - 1),
    "uint32": (0, 2**32 - 1),
    "uint64": (0, 2**64 - 1),
    "int128": (-(2**127) + 1, 2**127 - 1),
}


def values(rng: Random, kind: str, source: str) -> Sequence[Any]:
    """A pool of values of a kind, none missing, that a source can have."""
    pool = _values(rng, kind)
    if source.startswith("postgresql") and kind == "text":
        return [value for value in pool if "\0" not in value]
    if source.startswith("mariadb") and kind in ("date", "timestamp"):
        return [value for value in pool if value.year >= 1000]
    return pool


def _values(rng: Random, kind: str) -> Sequence[Any]:
    if kind in WHOLE:
        low, high = SPANS[kind]
        few = [*range(max(low, -3), 8), 10, 35, 36, 40, 53, 99, 100]
        return [*few, low, high] if rng.random() < 0.2 else few
    pools: dict[str, Callable[[], Sequence[Any]]] = {
        "text": lambda: TEXTS,
        "enum": lambda: TEXTS,
        "float32": lambda: [0.5, 1.5, -2.25, 35.0, 40.0, 100000.0, 16777216.0, 0.0, 7.0, -1.0, 0.125, 3.0],
        "float64": lambda: [
            *(0.5, 1.5, -2.25, 35.0, 40.0, 0.0, 7.0, -1.0, 0.1, 0.2, 0.30000000000000004, 0.3),
            *(1e15, 1e16, 1e-5, 123456789.125, 9007199254740992.0, 1.2345678901234567, 5e-324, 1.7976931348623157e308),
        ],
        "decimal": lambda: [
            Decimal(number).scaleb(-2) for number in (0, 1, 50, 99, 100, 150, -150, 3500, 3625, 4000, 999999999)
        ],
        "wide": lambda: [
            Decimal(number).scaleb(-18, _WIDE)
            for number in (1, 2, 10**18, 2 * 10**18, 35 * 10**18, -35 * 10**18, 405 * 10**17, 10**38 - 1, 10**38 - 2)
        ],
        "bool": lambda: [True, False],
        "date": lambda: [datetime.date.fromisoformat(each) for each in DATES],
        "timestamp": lambda: [_instant(rng, each) for each in DATES],
        "seconds": lambda: [_instant(rng, each).replace(microsecond=0) for each in DATES],
        "millis": lambda: [_instant(rng, each).replace(microsecond=rng.choice([0, 1000, 999000])) for each in DATES],
        "nanos": lambda: [
            f"{each} 10:00:00{part}" for each in DATES[:6] for part in ("", ".000000001", ".000001", ".5")
        ],
        "instant": lambda: [_instant(rng, each).replace(tzinfo=datetime.UTC) for each in DATES[:12]],
        "time": lambda: [datetime.time(hour, 0, 0, part) for hour in (0, 7, 23) for part in (0, 1, 500000, 999999)],
        "ztime": lambda: ["10:00:00+02", "08:00:00+00", "10:00:00.5+00", "08:00:00-15:30", "00:00:00+00"],
        "interval": lambda: ["1 month", "30 days", "1 day", "24:00:00", "00:00:00", "00:00:00.000001", "-2 months"],
        "bits": lambda: ["0", "1", "01", "101", "0101", "0" * 65],
        "struct": lambda: ["{'a': 1, 'b': x}", "{'a': NULL, 'b': 'x, y'}", "{'a': 1, 'b': NULL}", "{'a': 2, 'b': x}"],
        "map": lambda: ["{}", "{a=1}", "{b=1}", "{a=1, b=NULL}", "{b=NULL, a=1}"],
        "uuid": lambda: [UUID(int=each) for each in (0, 1, 2, 2**127, 2**128 - 1)],
        "bytes": lambda: [b"", b"a", b"A", b"\x00", b"\xff", b"\xfe", b"a\\", b"\xc3\xa9", b"'"],
        "list": lambda: [[], [1], [1, 2], [2, 1], [None], [1, None]],
    }
    return pools[kind]()


def _instant(rng: Random, day: str) -> datetime.datetime:
    parts = rng.choice([(0, 0, 0, 0), (23, 59, 59, 999999), (10, 0, 0, 500000), (4, 5, 6, 0), (0, 0, 0, 1)])
    return datetime.datetime.combine(datetime.date.fromisoformat(day), datetime.time(*parts))


def some(rng: Random, pool: Sequence[Any], least: int = 1, most: int = 7) -> list[Any]:
    """A few distinct values of a pool."""
    distinct = domain(pool)
    return rng.sample(distinct, min(len(distinct), rng.randint(least, most)))


def unsafe(kind: str, source: str) -> list[Any]:
    """Numbers that are no good quasi-identifiers, as far as the source can have them."""
    if not kind.startswith("float"):
        return []
    # SQLite has neither NaN nor a negative zero, MariaDB no other.
    known = {"sqlite": [inf, -inf], "mariadb": [-0.0], "frame": [-0.0, inf, -inf], "jsonl": [-0.0]}
    return known.get(source.removesuffix("-query"), [nan, inf, -0.0])


def column(rng: Random, among: Sequence[Any], rows: int, missing: float) -> list[Any]:
    """Cells drawn from some values, a few of them far more often than others."""
    weights = [rng.choice([1, 1, 2, 6]) for _ in among]
    return [None if rng.random() < missing else rng.choices(among, weights)[0] for _ in range(rows)]


def repeated(rng: Random, rows: list[list[Any]], at: Sequence[int]) -> None:
    """Give some rows the cells of others in some columns, so that there are classes."""
    share = rng.choice([0.0, 0.3, 0.6, 0.9])
    for row in rows:
        if rng.random() < share:
            other = rng.choice(rows)
            for place in at:
                row[place] = other[place]
