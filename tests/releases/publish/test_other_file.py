"""A release in another DuckDB file than the source's: the process that writes it, and the types that get there."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import duckdb
import pytest

from starcloak.base.errors import OutputError, VerificationError
from starcloak.commands import pipeline
from starcloak.store import session, writer
from starcloak.store.resources import Resources
from tests.releases.publish.places import TO_EXISTING, TO_FRESH, Place, opened, run

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


def released(cells: str) -> None:
    """The rows of a DuckDB file, released to another one."""
    Path("other.duckdb").unlink(missing_ok=True)
    with duckdb.connect("other.duckdb") as connection:
        connection.execute(
            f"create table people as select 'z' || i % 3 as zip, if(i % 11 = 0, null, {cells}) as kept "
            "from range(1, 60) as many (i)"
        )
    described: dict[str, Any] = {
        "source": {"url": "duckdb:///other.duckdb", "table": "people"},
        "quasi_identifiers": {"zip": "suppress"},
        "keep": ["kept"],
        "requirement": {"k": 2},
        "output": TO_FRESH.output,
    }
    run(described)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("cells", TYPES.values(), ids=TYPES)
def test_every_type_gets_to_another_file_as_it_is(cells: str) -> None:
    released(cells)
    with duckdb.connect() as connection:
        connection.execute("attach 'other.duckdb' as one (read_only)")
        connection.execute("attach 'release.duckdb' as other (read_only)")
        columns = "zip, kept, typeof(kept), cast(kept as varchar)"
        for left, right in (("one.people", "other.release"), ("other.release", "one.people")):
            lost = f"select {columns} from {left} except all select {columns} from {right}"
            assert connection.execute(lost).fetchall() == []
        assert connection.execute("select count(*) from other.release").fetchall() == [(59,)]


def test_a_union_is_refused() -> None:
    with pytest.raises(OutputError, match=r"of type UNION.*cannot be copied to another database file unchanged: cast"):
        released("union_value(a := i)")
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


@pytest.mark.sampled(3)
@pytest.mark.parametrize("place", [TO_FRESH, TO_EXISTING], ids=lambda place: place.name)
@pytest.mark.parametrize("stage", ["search", "publish"])
def test_where_the_process_that_writes_ends_nothing_is_written(
    place: Place, stage: str, started: list[subprocess.Popen[bytes]]
) -> None:
    def kill(at: str) -> None:
        if at == stage:
            started[-1].kill()

    with pytest.raises(OutputError, match="the process that writes it ended by signal 9: check the free memory"):
        pipeline.run(place.job(2), resources=Resources(progress=kill, threads=1))
    assert place.read() is None
    run(place.job(2))
    assert place.read()
    assert [process.returncode for process in started] == [-signal.SIGKILL, 0]


def test_a_python_that_does_not_start_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer.sys, "executable", "/nowhere/python")
    with pytest.raises(
        OutputError, match=r"the Python process /nowhere/python that should write it does not start \(FileNotFound"
    ):
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

    with pytest.raises(VerificationError, match="its cells differ from the cells that were sent"):
        pipeline.run(TO_EXISTING.job(2), resources=Resources(trace=spoil, threads=1))
    assert TO_EXISTING.read() is None


def test_a_program_that_is_its_own_python_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    with pytest.raises(OutputError, match="this program has no Python to start: run starcloak with a"):
        run(TO_FRESH.job(2))


@pytest.mark.sampled(2)
@pytest.mark.parametrize("place", [TO_FRESH, TO_EXISTING], ids=lambda place: place.name)
def test_what_the_program_forks_meanwhile_does_not_hold_a_run_up(place: Place) -> None:
    """A child has the pipes of its parent open, for as long as it lives."""
    forked: list[int] = []

    def fork(stage: str) -> None:
        if stage == "search" and not forked:
            forked.append(os.fork())
            if not forked[0]:
                time.sleep(60)
                os._exit(0)

    started = time.monotonic()
    pipeline.run(place.job(2), resources=Resources(progress=fork, threads=1))
    assert time.monotonic() - started < 30
    os.kill(forked[0], signal.SIGKILL)
    os.waitpid(forked[0], 0)
    assert place.read()


def test_a_release_is_in_the_file_once_the_run_is_done() -> None:
    """Not in a log beside it, which a copy of the file would lack."""
    run(TO_EXISTING.job(4))
    release = run(TO_EXISTING.job(2))
    assert not Path("existing.duckdb.wal").exists()
    assert not [warning for warning in release.result.warnings if "still in" in warning]


def test_whoever_reads_a_release_is_not_in_the_way_of_a_run_that_changes_nothing() -> None:
    run(TO_EXISTING.job(2))
    reads = (
        "import duckdb, sys; reader = duckdb.connect(sys.argv[1], read_only=True); "
        "print(reader.execute('select count(*) from release').fetchall(), flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", reads, str(TO_EXISTING.file)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as reader:
        assert reader.stdout is not None and reader.stdout.readline() == "[(6,)]\n"
        assert pipeline.run(TO_EXISTING.job(2), resources=Resources(threads=1)).result.unchanged
        reader.communicate()


@pytest.mark.sampled(2)
@pytest.mark.parametrize("answers", [False, True], ids=["before its answer", "after"])
def test_where_what_is_committed_is_not_in_the_file_it_is_said(
    answers: bool, started: list[subprocess.Popen[bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    run(TO_EXISTING.job(4))
    command = writer.Writer.command

    def kill(self: writer.Writer, text: str) -> None:
        if text != "commit" or not TO_EXISTING.file.exists():
            command(self, text)
            return
        command(self, text)
        started[-1].kill()
        started[-1].wait()
        if not answers:
            raise writer.WriterEndedError("as it ends before its answer")

    monkeypatch.setattr(writer.Writer, "command", kill)
    if not answers:
        with pytest.raises(OutputError, match="may be published already: the process that writes it ended: run again"):
            run(TO_EXISTING.job(2))
    else:
        (warning,) = [each for each in run(TO_EXISTING.job(2)).result.warnings if "still in" in each]
        assert "existing.duckdb.wal beside the file" in warning
    assert TO_EXISTING.read()
    assert not Path("existing.duckdb.wal").exists()


@pytest.mark.long
def test_the_process_that_writes_spills_where_the_run_does() -> None:
    """It has a part of the memory, and what does not fit goes to the run's own folder."""
    wide = ", ".join(f"md5((i * {at})::varchar) as kept_{at}" for at in range(1, 400))
    with duckdb.connect("other.duckdb") as connection:
        connection.execute(f"create table people as select 'z' || i % 3 as zip, {wide} from range(8000) as many (i)")
    described: dict[str, Any] = {
        "source": {"url": "duckdb:///other.duckdb", "table": "people"},
        "quasi_identifiers": {"zip": "suppress"},
        "keep": [f"kept_{at}" for at in range(1, 400)],
        "requirement": {"k": 2},
        "output": TO_FRESH.output,
        "insight": "off",
    }
    pipeline.run(described, resources=Resources(memory_limit="1GB", threads=1))
    with opened(TO_FRESH.file) as connection:
        assert connection.execute("select count(*) from release").fetchall() == [(8000,)]
