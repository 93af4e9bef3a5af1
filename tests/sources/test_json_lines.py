"""JSON lines as a source: what is read is read exactly, and the rest is refused by its name."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import duckdb
import pytest
from click.testing import CliRunner

import starcloak as sc
from starcloak.commands.cli import cli

NAMES = ["zip", "age", "weight", "well", "born", "note"]
PEOPLE: list[dict[str, Any]] = [
    {"zip": "011", "age": 20, "weight": 1.5, "well": True, "born": "2020-01-02", "note": '"age": 1.23456789012345678'},
    {"zip": "012", "age": 21, "weight": 2, "well": None, "born": "1", "note": "\\"},
    {"age": -3, "weight": -0.30000000000000004, "well": False, "zip": "021", "note": "ä\n☃"},
    {"zip": None, "age": 2**63 - 1, "weight": 1e300, "born": ""},
    {"zip": None, "age": -(2**63), "inner": {"age": [1, {"weight": 0.12345678901234567890123}]}},
]
JOB: dict[str, Any] = {
    "source": {"path": "people.jsonl"},
    "quasi_identifiers": {"zip": {"tree": {"any": ["011", "012", "021", None]}}},
    "keep": NAMES[1:],
    "others": "identifiers",
    "requirement": {"k": 1},
}


def lines(*objects: dict[str, Any]) -> bytes:
    return "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in objects).encode()


def released(described: dict[str, Any]) -> list[str]:
    """The rows of a release, as texts in their order."""
    return sorted(repr({name: row[name] for name in NAMES}) for row in sc.run(described).to_arrow().to_pylist())


@pytest.fixture(autouse=True)
def people(work: Path) -> None:
    Path("people.jsonl").write_bytes(lines(*PEOPLE))


def test_every_value_is_read_as_it_is_written() -> None:
    doubles = [
        repr({name: each.get(name) for name in NAMES}).replace("'weight': 2,", "'weight': 2.0,") for each in PEOPLE
    ]
    assert released(JOB) == sorted(doubles)
    types = {field.name: str(field.type) for field in sc.run(JOB).to_arrow().schema}
    assert types == {
        "zip": "string",
        "age": "int64",
        "weight": "double",
        "well": "bool",
        "born": "string",
        "note": "string",
    }


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", ["p.ndjson", "p.jsonl.gz", "[p]*.jsonl"])
def test_files_of_each_kind_are_one_table(name: str) -> None:
    whole = released(JOB)
    for number, part in enumerate([PEOPLE[:2], PEOPLE[2:]]):
        content = lines(*part).replace(b"\n", b"\r\n")
        packed = gzip.compress(content) if name.endswith(".gz") else content
        Path(f"{number}{name}").write_bytes(packed)
    assert released({**JOB, "source": {"path": f"?{name}" if "[" not in name else "[01][[]p[]][*].jsonl"}}) == whole


def test_the_script_reads_what_the_run_read() -> None:
    described = {**JOB, "output": {"path": "out.parquet"}}
    sc.run(described)
    expected = duckdb.sql("from 'out.parquet' order by all").fetchall()
    Path("out.parquet").unlink()
    duckdb.connect().execute(sc.compile(described))
    assert duckdb.sql("from 'out.parquet' order by all").fetchall() == expected


def test_a_first_job_and_a_gate_read_json_lines() -> None:
    Path("people.jsonl").write_bytes(lines(*({"zip": f"{row % 3}", "sex": "fm"[row % 2]} for row in range(24))))
    done = CliRunner().invoke(cli, ["init", "people.jsonl"])
    assert (done.exit_code, done.exception) == (0, None)
    assert sc.run("job.yaml").result.rows == 24
    assert sc.check("people.jsonl", ["zip", "sex"], 4).holds and not sc.check("people.jsonl", ["zip", "sex"], 5).holds


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("cells", "problem"),
    [
        (["1", '"1"'], "has numbers and texts: convert all values to one of these"),
        (["1.5", "true", "null"], "has numbers and truths: "),
        (["[1]", "null"], "has objects or arrays: "),
        (["1", '{"a": 1}'], "has objects or arrays: "),
        (["9223372036854775808"], "has numbers with too many digits to be read exactly"),
        (["-9223372036854775809", "1"], "has numbers with too many digits to be read exactly"),
        (["0.1234567890123456789"], "has numbers with too many digits to be read exactly"),
        (["9007199254740993", "0.5"], "has numbers with too many digits to be read exactly"),
        (["1e400"], "has numbers with too many digits to be read exactly"),
        (["1e-400"], "has numbers with too many digits to be read exactly"),
        (['1, "x": 1'], "is in a line twice: "),
    ],
    ids=" ".join,
)
def test_what_is_not_read_exactly_is_refused_by_name(cells: list[str], problem: str) -> None:
    written = [f'{{"zip": "011", "x" : {cell}}}' for cell in cells]
    Path("people.jsonl").write_text("\n".join(written))
    for role in ("keep", "sensitive"):
        with pytest.raises(sc.SourceError, match=rf"^people.jsonl: column 'x' {problem}"):
            sc.run({**JOB, "keep": [], role: ["x"]})
    assert sc.run({**JOB, "keep": []}).result.rows == len(cells)


def test_deeply_nested_arrays_are_read_past_or_refused() -> None:
    """DuckDB 2.0.0 refuses such a line, and 2.0.1 reads it."""
    Path("people.jsonl").write_bytes(b'{"zip": "011", "x": ' + b"[" * 3000 + b"]" * 3000 + b"}\n")
    try:
        assert sc.run({**JOB, "keep": [], "requirement": {"k": 1}}).result.rows == 1
    except sc.SourceError as error:
        assert "people.jsonl" in str(error)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b'{"zip": "011"}\n{"zip": \n"012"}\n', r"people.jsonl, line 2: the line is not a JSON object in UTF-8"),
        (b'{"zip": "011"}\n[{"zip": "012"}]\n', r"people.jsonl, line 2: the line is not a JSON object"),
        (b'{"zip": "011"}\n"zip"\n', r"people.jsonl, line 2: the line is not a JSON object"),
        (
            '{"zip": "011"}\n{"zip": "é"}\n'.encode("latin-1"),
            r"people.jsonl, line 2: the line is not a JSON object in UTF-8",
        ),
        (b'\xef\xbb\xbf{"zip": "011"}\n', r"people.jsonl, line 1: the line is not a JSON object in UTF-8"),
        (b'{"zip": "011"}{"zip": "012"}\n', r"people.jsonl, line 1: the line is not a JSON object"),
        (b'{"zip": "011"}\n{"zip": "\\ud800"}\n', r"people.jsonl, line 2: the line is not a JSON object in UTF-8"),
        (b"", r"people.jsonl has no names"),
        (b'{"": 1}\n', r"people.jsonl: '' cannot be the name of a column"),
        (b'{"a\\u0000b": 1}\n', r"people.jsonl: 'a\\x00b' cannot be the name of a column"),
        (b'{"zip": "011"}\n{"Zip": "012"}\n', r"columns 'zip' and 'Zip' differ at most in case|'Zip' and 'zip'"),
    ],
)
def test_lines_that_are_no_table_are_refused(content: bytes, problem: str) -> None:
    Path("people.jsonl").write_bytes(content)
    with pytest.raises(sc.SourceError, match=problem):
        sc.run({**JOB, "keep": []})


def test_a_broken_packed_file_is_refused() -> None:
    Path("people.jsonl.gz").write_bytes(gzip.compress(lines(*PEOPLE * 99))[:-9])
    with pytest.raises(sc.SourceError, match=r"people.jsonl.gz cannot be unpacked as gzip"):
        sc.run({**JOB, "source": {"path": "people.jsonl.gz"}})


@pytest.mark.parametrize(("option", "value"), [("delimiter", ";"), ("null", "NA"), ("rename", {"zip": "plz"})])
def test_what_only_csv_has_is_refused_of_other_files(option: str, value: Any) -> None:
    duckdb.sql("copy (select '011' as zip) to 'people.parquet'")
    for path, kind in (("people.jsonl", "JSON lines"), ("people.parquet", "Parquet")):
        with pytest.raises(sc.JobError, match=rf"^source.{option} is for CSV only, and {path} is {kind}"):
            sc.run({**JOB, "source": {"path": path, option: value}})


def test_a_type_is_seen_in_the_last_line_of_a_long_file() -> None:
    Path("people.jsonl").write_bytes(
        lines(*[{"zip": "011", "x": 1}] * 50_000, {"zip": "012", "y": "2020-01-01", "x": 2.5})
    )
    table = sc.run({**JOB, "keep": ["x", "y"]}).to_arrow()
    assert (str(table.schema.field("x").type), str(table.schema.field("y").type)) == ("double", "string")


def test_too_little_memory_is_told_as_that(tmp_path: Path) -> None:
    path = tmp_path / "people.jsonl"
    path.write_text("".join(f'{{"a": "{at % 50}", "b": {at}}}\n' for at in range(20_000)))
    job = {"source": {"path": str(path)}, "quasi_identifiers": {"a": "suppress"}, "keep": ["b"]}
    resources = sc.Resources(threads=1, memory_limit="1MB")
    with pytest.raises(sc.SourceError, match=r"\(OutOfMemoryException\): give the run more memory"):
        sc.run({**job, "requirement": {"k": 2}}, resources=resources)
