"""A release in another DuckDB file than the source's: the process that writes it, and the types that get there."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import duckdb
import pytest

from starcloak.base.errors import OutputError, VerificationError
from starcloak.commands import pipeline
from starcloak.store import session, writer
from starcloak.store.resources import Resources
from tests.publish.places import TO_EXISTING, TO_FRESH, Place, run

TYPES = {
    "hugeint": "cast(i as hugeint) * 170141183460469231731687303715",
    "uhugeint": "cast(i as uhugeint) * 340282366920938463463374607",
    "bit": "cast(i as bit)",
    "interval": "i * interval '1 month 2 days 3.000001 seconds'",
    "time with a zone": "cast('12:00:0' || i % 9 || '+02' as timetz)",
    "nanoseconds": "cast('2020-01-01 00:00:00.00000000' || i % 9 as timestamp_ns)",
    "seconds": "cast('2020-01-01 00:00:0' || i % 9 as timestamp_s)",
    "moment": "cast('2020-01-01 00:00:0' || i % 9 || '+01' as timestamptz)",
    "uuid": "cast(md5(cast(i as varchar)) as uuid)",
    "json": "json_object('a', i)",
    "blob": "cast('a' || i as blob)",
    "decimal": "cast(i / 7 as decimal(38, 10))",
    "float": "cast(i / 7 as float)",
    "double": "case i % 3 when 0 then cast('nan' as double) when 1 then cast('-0' as double) else i / 7 end",
    "list": "[i, null, cast(i as hugeint)]",
    "array": "cast([i, 2] as integer[2])",
    "struct": "{'a': cast(i as hugeint), 'b': 'x, ''y'' {z} \\ \" ' || i, 'c': null}",
    "map": "map {'a, =': cast(i as hugeint)}",
    "bignum": "cast(i as bignum)",
    "text": "chr(cast(i as integer)) || 'é'",
    "truth": "i % 2 = 0",
}


def released(cells: str, place: Place, keep: str = "kept") -> None:
    Path("other.duckdb").unlink(missing_ok=True)
    with duckdb.connect("other.duckdb") as connection:
        connection.execute(
            f"create table people as select 'z' || i % 3 as zip, if(i % 11 = 0, null, {cells}) as {keep} "
            "from range(1, 60) as many (i)"
        )
    described: dict[str, Any] = {
        "source": {"url": "duckdb:///other.duckdb", "table": "people"},
        "quasi_identifiers": {"zip": "suppress"},
        "keep": [keep],
        "requirement": {"k": 2},
        "output": place.output,
    }
    run(described)


@pytest.mark.parametrize("cells", TYPES.values(), ids=TYPES)
def test_every_type_gets_to_another_file_as_it_is(cells: str) -> None:
    released(cells, TO_FRESH)
    with duckdb.connect() as connection:
        connection.execute("attach 'other.duckdb' as one (read_only)")
        connection.execute("attach 'release.duckdb' as other (read_only)")
        columns = "zip, kept, typeof(kept), cast(kept as varchar)"
        for left, right in (("one.people", "other.release"), ("other.release", "one.people")):
            lost = f"select {columns} from {left} except all select {columns} from {right}"
            assert connection.execute(lost).fetchall() == []
        assert connection.execute("select count(*) from other.release").fetchall() == [(59,)]


def test_a_union_is_refused() -> None:
    with pytest.raises(OutputError, match=r"of type UNION.*does not go to another file as it is: cast it"):
        released("union_value(a := i)", TO_FRESH)
    assert TO_FRESH.read() is None


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[subprocess.Popen[bytes]]:
    """The processes that write, as they are started."""
    known: list[subprocess.Popen[bytes]] = []

    class Kept(subprocess.Popen[bytes]):
        def __init__(self, *arguments: Any, **more: Any) -> None:
            super().__init__(*arguments, **more)
            known.append(self)

    monkeypatch.setattr(writer.subprocess, "Popen", Kept)
    return known


@pytest.mark.parametrize("place", [TO_FRESH, TO_EXISTING], ids=lambda place: place.name)
@pytest.mark.parametrize("stage", ["search", "publish"])
def test_where_the_process_that_writes_ends_nothing_is_written(
    place: Place, stage: str, started: list[subprocess.Popen[bytes]]
) -> None:
    def kill(at: str) -> None:
        if at == stage:
            started[-1].kill()

    with pytest.raises(OutputError, match="the process that writes it ended: check the memory"):
        pipeline.run(place.job(2), resources=Resources(progress=kill, threads=1))
    assert place.read() is None
    run(place.job(2))
    assert place.read()
    assert [process.returncode for process in started] == [-signal.SIGKILL, 0]


def test_a_python_that_does_not_start_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer.sys, "executable", "/nowhere/python")
    with pytest.raises(OutputError, match=r"the Python /nowhere/python that writes it does not start \(FileNotFound"):
        run(TO_FRESH.job(2))
    assert TO_FRESH.read() is None


def test_a_table_that_differs_from_what_was_verified_is_not_published(monkeypatch: pytest.MonkeyPatch) -> None:
    """The verifier reads what is sent: that the table has it is asked of the table."""

    original: list[bytes] = []

    def spoil(sql: str) -> None:
        for sent in session.private_root().glob("run-*/copies/release.parquet"):
            if "begin transaction" in sql:
                original.append(sent.read_bytes())
                duckdb.sql(f"copy (select * replace ('x' as illness) from '{sent}') to '{sent}.new' (format parquet)")
                os.replace(f"{sent}.new", sent)
            if "comment on table" in sql:
                sent.write_bytes(original[0])

    with pytest.raises(VerificationError, match="not those that were sent"):
        pipeline.run(TO_EXISTING.job(2), resources=Resources(trace=spoil, threads=1))
    assert TO_EXISTING.read() is None
