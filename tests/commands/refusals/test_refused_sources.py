"""A source that cannot be used is refused in one line on standard error: nothing written, no row's value told."""

from __future__ import annotations

from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest

from tests.commands.refusals.refusing import CANARY, PEOPLE, Refused, database, job, write

# ------------------------------------------------------------------------------------------------------- source files


def test_a_missing_source_is_refused(refused: Refused) -> None:
    refused("run", write(job(source={"path": "nowhere.csv"})), says=("nowhere.csv",))
    refused("compile", write(job(source={"path": "nowhere.csv"})), says=("nowhere.csv",))
    refused("check", "nowhere.csv", "--qi", "zip", "--k", "2", says=("nowhere.csv",))


@pytest.mark.parametrize("path", [".", "*.none", "none.[c]sv", "https://example.org/people.csv"])
def test_a_source_that_is_no_file_is_refused(refused: Refused, path: str) -> None:
    refused("run", write(job(source={"path": path})), says=("source.path" if "://" in path else "check the path",))


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "content",
    {
        "short row": PEOPLE + f"{CANARY},{CANARY}\n",
        "long row": PEOPLE + ",".join([CANARY] * 5) + "\n",
        "short row amid many": PEOPLE + PEOPLE.split("\n", 1)[1] * 3000 + f"{CANARY},{CANARY}\n" + PEOPLE * 100,
        "unterminated quote": PEOPLE + f'{CANARY},"{CANARY},{CANARY},{CANARY}\n',
        "unterminated quote on the first line": f'"name,zip,sex,illness\n{CANARY},{CANARY},{CANARY},{CANARY}\n',
        "text after a quote": PEOPLE + f'{CANARY},"{CANARY}"{CANARY},{CANARY},{CANARY}\n',
        "another delimiter": PEOPLE.replace(",", "#"),
        "a column too many in the rows": PEOPLE.replace("name,zip,sex,illness", "name,zip,sex", 1),
        "a column too few in the rows": PEOPLE.replace("illness", "illness,visits", 1),
        "an empty file": "",
        "a blank line": "\n",
        "only blank lines": "\n\n\n",
        "a header alone": PEOPLE.split("\n")[0],
        "a header line alone": PEOPLE.split("\n")[0] + "\n",
    }.items(),
    ids=lambda item: item[0],
)
def test_a_malformed_csv_is_refused(refused: Refused, content: tuple[str, str]) -> None:
    Path("people.csv").write_text(content[1])
    refused("run", write(job()), says=("people.csv",))
    refused("compile", write(job()), says=("people.csv",))
    refused("check", "people.csv", "--qi", "zip", "--k", "2", says=("people.csv",))


def test_a_further_column_of_one_name_needs_a_role_of_its_own(refused: Refused) -> None:
    """A name of one letter is one object to Python, however often it is read."""
    Path("people.csv").write_text(f"a,b,b,\n{CANARY},{CANARY},{CANARY},{CANARY}\n")
    described = job(identifiers=None, sensitive=None, quasi_identifiers={"a": "suppress", "b": "suppress"})
    refused(
        "run", write(described | {"requirement": {"k": 1}}), says=("people.csv", "'b_2', 'column 4'", "named nowhere")
    )


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "content",
    {
        "Latin-1 and UTF-8": PEOPLE.encode() + f"{CANARY},{CANARY} café,ÁÍ{CANARY},{CANARY}\n".encode() + b"\xe9",
        "Latin-1 in the header": PEOPLE.replace("illness", "intérêt").encode("latin-1"),
        "UTF-16 without its mark": PEOPLE.encode("utf-16-le"),
        "not text": bytes(range(256)) * 10,
        "a cut character": PEOPLE.encode() + f"{CANARY},{CANARY},{CANARY},{CANARY}".encode() + b"\xe2\x82",
    }.items(),
    ids=lambda item: item[0],
)
def test_a_csv_that_is_not_utf_8_is_refused(refused: Refused, content: tuple[str, bytes]) -> None:
    Path("people.csv").write_bytes(content[1])
    refused("run", write(job()), says=("people.csv",))
    refused("check", "people.csv", "--qi", "zip,illness", "--k", "2", says=("people.csv",))


def test_a_malformed_row_is_told_by_its_line(refused: Refused) -> None:
    Path("people.csv").write_text(PEOPLE + f"{CANARY},{CANARY}\n")
    refused("run", write(job()), says=("people.csv", "line 6"))


@pytest.mark.parametrize("delimiter", ['"', "\n", "\r", "\0", "é", " "], ids=repr)
def test_a_delimiter_that_cannot_delimit_is_refused(refused: Refused, delimiter: str) -> None:
    refused("run", write(job(source={"path": "people.csv", "delimiter": delimiter})))


@pytest.mark.parametrize("content", [PEOPLE.encode(), b"", b"PAR1", b"PAR1" + CANARY.encode() * 9 + b"PAR1"], ids=len)
def test_a_parquet_file_that_is_none_is_refused(refused: Refused, content: bytes) -> None:
    Path("people.parquet").write_bytes(content)
    refused("run", write(job(source={"path": "people.parquet"})), says=("people.parquet",))


def test_a_parquet_file_cut_short_is_refused(refused: Refused) -> None:
    pyarrow.parquet.write_table(pyarrow.table({name: [CANARY] * 9 for name in ("zip", "sex")}), "people.parquet")
    whole = Path("people.parquet").read_bytes()
    Path("people.parquet").write_bytes(whole[:8] + b"\0" * 40 + whole[48:])
    described = job(source={"path": "people.parquet"}, identifiers=None, sensitive=None)
    refused("run", write(described), says=("people.parquet",))


def test_an_empty_parquet_file_is_refused(refused: Refused) -> None:
    empty = pyarrow.table({name: pyarrow.array([], pyarrow.string()) for name in ("name", "zip", "sex", "illness")})
    pyarrow.parquet.write_table(empty, "people.parquet")
    refused("run", write(job(source={"path": "people.parquet"})), says=("people.parquet", "no rows"))
    refused("check", "people.parquet", "--qi", "zip", "--k", "2", says=("people.parquet", "no rows"))


# --------------------------------------------------------------------------------------------------- source databases


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "url",
    [
        "postgresql://ann:secretx9@db.example.org/hospital",
        "postgresql://ann:secretx9@db.example.org:port/hospital",
        "mysql+pymysql://ann:secretx9@db.example.org/hospital",
        "sqlite:///hospital.db",
        "duckdb://",
        "duckdb:///",
        "duckdb:///:memory:",
        "not a url, secretx9",
        "",
        "://secretx9",
        "duckdb:///nowhere.duckdb",
    ],
)
def test_a_url_that_cannot_be_opened_is_refused_without_its_password(refused: Refused, url: str) -> None:
    told = refused("run", write(job(source={"url": url, "table": "people"})))
    told += refused("run", write(job(output={"url": url, "table": "release"}))) if "nowhere" not in url else ""
    if "://" in url:
        told += refused("check", url, "--table", "people", "--qi", "zip", "--k", "2")
    assert "secretx9" not in told


def test_a_file_that_is_no_database_is_refused(refused: Refused) -> None:
    refused("run", write(job(source={"url": "duckdb:///people.csv", "table": "people"})), says=("people.csv",))
    Path("notes.csv").write_text("somebody's work")
    refused(
        "run", write(job(output={"url": "duckdb:///notes.csv", "table": "release"})), says=("notes.csv", "database")
    )


@pytest.mark.parametrize("table", ["peple", "main.peple", "nowhere.people", "a.b.c.d", "people; drop table people"])
def test_an_unknown_table_is_refused(refused: Refused, table: str) -> None:
    refused("run", write(job(source={"url": database(), "table": table})), says=(table,))


@pytest.mark.parametrize("table", ["", ".", "main.", ".people", "peo\0ple"], ids=repr)
def test_a_table_name_that_no_database_has_is_refused(refused: Refused, table: str) -> None:
    refused("run", write(job(source={"url": database(), "table": table})))
    refused("run", write(job(quasi_identifiers={"zip": {"table": table}, "sex": "suppress"})))
    refused(
        "run",
        write(
            job(
                source={"url": "duckdb:///hospital.duckdb", "table": "people"},
                quasi_identifiers={"zip": {"table": table}, "sex": "suppress"},
            )
        ),
    )


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "query",
    [
        "",
        "selec * from people",
        "select * from peple",
        "select zipp from people",
        "select cast(zip as integer) as zip, sex, name, illness from people",
        "select error(zip) as zip, sex, name, illness from people",
        "drop table people",
        "delete from people",
        "update people set zip = 'x' returning *",
        "copy people to 'stolen.csv'",
        "select * from people; copy people to 'stolen.csv'",
        "select * from read_csv('people.csv')",
        "select * from read_text('people.csv')",
        "attach 'stolen.duckdb' as stolen",
        "select 1 as zip, 2 as zip",
        "peo\0ple",
    ],
)
def test_a_query_that_fails_is_refused(refused: Refused, query: str) -> None:
    refused("run", write(job(source={"url": database(), "query": query})))


def test_a_view_that_fails_on_its_rows_is_refused_without_them(refused: Refused) -> None:
    url = database("create view patients as select * replace (cast(zip as integer) as zip) from people")
    refused("run", write(job(source={"url": url, "table": "patients"})), says=("patients",))
    refused("check", url, "--table", "patients", "--qi", "zip", "--k", "2", says=("patients",))


def test_a_kept_column_that_fails_on_its_rows_is_refused_without_them(refused: Refused) -> None:
    """The search never reads it: the failure comes when the release is written, and is still the source's."""
    url = database("create view patients as select * replace (cast(illness as integer) as illness) from people")
    for output in ({"path": "release.csv"}, {"table": "release"}, {"url": "duckdb:///new.duckdb", "table": "release"}):
        refused("run", write(job(source={"url": url, "table": "patients"}, output=output)), says=("patients",))


def test_an_empty_table_is_refused(refused: Refused) -> None:
    url = database("create table patients as select * from people limit 0")
    refused("run", write(job(source={"url": url, "table": "patients"})), says=("patients", "no rows"))
    refused("compile", write(job(source={"url": url, "table": "patients"})), says=("patients", "no rows"))
    refused("check", url, "--table", "patients", "--qi", "zip", "--k", "2", says=("patients", "no rows"))


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "expression",
    [
        "[zip]",
        "array_value(zip, zip)",
        "array_value(1, 2)",
        "{'a': zip}",
        "map {zip: zip}",
        "encode(zip)",
        "cast('101' as bit)",
        "interval 1 day",
        f"cast([zip] as enum('{CANARY} 1', '{CANARY} 2')[])",
        "union_value(a := zip)",
    ],
    ids=lambda expression: expression.replace(CANARY, ""),
)
def test_a_quasi_identifier_of_a_type_without_a_hierarchy_is_refused(refused: Refused, expression: str) -> None:
    url = database(f"create table patients as select * replace ({expression} as zip) from people")
    refused("run", write(job(source={"url": url, "table": "patients"})), says=("'zip'", "type"))
    refused("check", url, "--table", "patients", "--qi", "zip", "--k", "2", says=("'zip'", "type"))


def test_a_parquet_column_without_a_hierarchy_is_refused(refused: Refused) -> None:
    for cell in ([CANARY], {"a": CANARY}, CANARY.encode()):
        columns = {"name": [CANARY] * 2, "zip": [cell] * 2, "sex": [CANARY] * 2, "illness": [CANARY] * 2}
        pyarrow.parquet.write_table(pyarrow.table(columns), "people.parquet")
        refused("run", write(job(source={"path": "people.parquet"})), says=("people.parquet", "'zip'", "type"))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("kind", ["double", "float"])
@pytest.mark.parametrize("value", ["nan", "inf", "-inf", "-0.0"])
def test_a_number_that_compares_oddly_is_refused(refused: Refused, kind: str, value: str) -> None:
    url = database(f"create table patients as select * replace (cast('{value}' as {kind}) as zip) from people")
    refused("run", write(job(source={"url": url, "table": "patients"})), says=("'zip'", "4 values"))
    refused("check", url, "--table", "patients", "--qi", "zip", "--k", "2", says=("'zip'", "4 values"))
