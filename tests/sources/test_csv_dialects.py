"""CSV files whose dialect readers guess wrongly: each is read cell by cell as it is, or refused with the line."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

import starcloak as sc

Rows = list[tuple[str, ...]]

LATE: Rows = [("a", "0")] * 20_479 + [("x,y", "1")] * 2
LEADING: Rows = [(f"{number % 100:05d}", str(number % 3)) for number in range(30_000)] + [("A1234", "1")]


def lines(rows: Rows) -> str:
    return "".join(",".join(f'"{cell}"' if "," in cell else cell for cell in row) + "\n" for row in rows)


READ: dict[str, tuple[bytes, list[str], Rows]] = {
    "one column, another delimiter inside": (b"c0\nv0\na;b\n", ["c0"], [("v0",), ("a;b",)]),
    "another delimiter in the last rows": (
        b"a,b\n1,2\n3,4\n5,6\n7;8,9;0\n",
        ["a", "b"],
        [("1", "2"), ("3", "4"), ("5", "6"), ("7;8", "9;0")],
    ),
    "quotes after twenty thousand rows": (f"col1,col2\n{lines(LATE)}".encode(), ["col1", "col2"], LATE),
    "zeros before numbers, and a text at the end": (f"zip,n\n{lines(LEADING)}".encode(), ["zip", "n"], LEADING),
    "a blank in a name": (b'"a ",b\n1,2\n1,2\n', ["a ", "b"], [("1", "2")] * 2),
    "a byte order mark": (
        "\ufeffzip,s\r\n01234,a\r\n01234,b\r\n".encode(),
        ["zip", "s"],
        [("01234", "a"), ("01234", "b")],
    ),
    "carriage returns alone": (b"a,b\r1,2\r1,2\r", ["a", "b"], [("1", "2")] * 2),
}
TOLD: dict[str, tuple[bytes, list[str], Rows, str]] = {
    "windows-1252": (
        "ort,s\nMünchen,€\nMünchen,b\n".encode("windows-1252"),
        ["ort", "s"],
        [("München", "€"), ("München", "b")],
        "line 2: not UTF-8, so it was read as windows-1252",
    ),
    "utf-16": (
        "zip,s\n01234,ä\n01234,b\n".encode("utf-16"),
        ["zip", "s"],
        [("01234", "ä"), ("01234", "b")],
        "was read as utf-16, as its byte order mark says",
    ),
    "semicolons beside decimal commas": (
        b"x;y\n1,5;2\n2,5;2\n",
        ["x", "y"],
        [("1,5", "2"), ("2,5", "2")],
        "cells are read with the delimiter ';'",
    ),
    "tabs": (
        b"name\tnote\nA\tx,y;z\nB\tq,r;t\n",
        ["name", "note"],
        [("A", "x,y;z"), ("B", "q,r;t")],
        r"cells are read with the delimiter '\t'",
    ),
    "a NUL": (
        b'a,b\n1,"x\ny"\n1,2\0\n1,\0\n',
        ["a", "b"],
        [("1", "x\ny"), ("1", "2\0"), ("1", "\0")],
        "people.csv, line 4: a cell has the character NUL",
    ),
}


def released(path: Path, names: list[str]) -> tuple[Counter[tuple[str, ...]], list[str]]:
    """The rows of a release that generalizes nothing, and its warnings."""
    release = sc.anonymize({"path": str(path)}, quasi_identifiers=dict.fromkeys(names, "suppress"), k=1)
    return Counter(release.to_pandas()[names].itertuples(index=False, name=None)), release.result.warnings


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", READ)
def test_a_file_is_read_as_it_is(name: str, tmp_path: Path) -> None:
    content, names, rows = READ[name]
    path = tmp_path / "people.csv"
    path.write_bytes(content)
    audited = sc.audit(path, names)
    assert (audited.rows, audited.classes) == (len(rows), len(set(rows)))
    assert released(path, names)[0] == Counter(rows)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", TOLD)
def test_a_guess_is_told(name: str, tmp_path: Path) -> None:
    content, names, rows, told = TOLD[name]
    path = tmp_path / "people.csv"
    path.write_bytes(content)
    found, warnings = released(path, names)
    assert found == Counter(rows)
    assert any(told in warning for warning in warnings)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a,b,\n1,2\n1,2\n", "line 2: the line has more or fewer cells than the header"),
        (b'a,b\n"x\\"q\\"y",2\n"x",2\n', "line 2: a quote stands inside an unquoted cell or beside a quoted one"),
        (b"a,b\n", "has no rows"),
    ],
)
def test_what_is_no_table_is_refused_with_the_line(content: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_bytes(content)
    with pytest.raises(sc.InputError, match=message):
        sc.audit(path, ["a", "b"])
