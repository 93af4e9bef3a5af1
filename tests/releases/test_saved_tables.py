"""Tables that outlive their run: what is large is never in memory whole, and what is damaged is told."""

from __future__ import annotations

import errno
import io
import mmap
import os
import resource
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from starcloak.base.errors import OutputError, StatementError
from starcloak.releases import state
from starcloak.releases.state import SavedTable
from starcloak.statements.statement import Name, Statement
from starcloak.store.session import Session

NUMBERS = Statement("store/relation", relation=Name("numbers"))


@pytest.fixture
def store() -> Session:
    session = Session()
    session.connection.execute(
        "create table numbers as select range as n, sha256(range::varchar) as t from range(50000)"
    )
    return session


def test_a_large_table_is_a_file_without_a_name_and_stays_when_its_run_is_over(store: Session, tmp_path: Path) -> None:
    with store:
        before, expected = set(store.folder.rglob("*")), store.arrow(NUMBERS)
        large = SavedTable.of(store, NUMBERS)
        assert isinstance(large.content, mmap.mmap) and set(store.folder.rglob("*")) == before
    assert large.reader().read_all().cast(expected.schema).equals(expected)
    state.write_tables(tmp_path / "kept", "{}", [large, SavedTable.empty()], "run")
    about, (again, nothing) = state.read_tables(tmp_path / "kept", 2)
    assert about == "{}" and again.reader().read_all().cast(expected.schema).equals(expected)
    assert nothing.reader().read_all().shape == (0, 0)


def test_a_saved_table_comes_back_with_its_types_and_leaves_no_file(store: Session) -> None:
    """DuckDB reads its own file: Arrow would turn an interval into bytes."""
    rows = Statement("store/relation", relation=Name("kinds"))
    with store:
        for values in ("interval 3 days as a, uuid() as b", "interval 4 days as a, uuid() as b"):  # files of one size
            store.connection.execute(f"create or replace table kinds as select {values}")
            SavedTable.of(store, rows).into(store, Name("again"))
            again = Statement("store/relation", relation=Name("again"))
            assert store.describe(again) == store.describe(rows) and store.run(again) == store.run(rows)
        assert not [*store.copies.iterdir()]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "damage", ["a bit", "cut short", "something more", "a table less", "another beginning", "no beginning"]
)
def test_a_damaged_file_is_told(damage: str, store: Session, tmp_path: Path) -> None:
    with store:
        tables = [SavedTable.of(store, NUMBERS)] * 2
    state.write_tables(tmp_path / "kept", "{}", tables, "run")
    content = bytearray((tmp_path / "kept").read_bytes())
    content[len(content) // 2] ^= damage == "a bit"
    whole = bytes(tables[0].content) if damage == "another beginning" else bytes(content)
    changed = {
        "cut short": whole[:-1],
        "something more": whole + b"x",
        "no beginning": whole.replace(b"{", b"}", 1),
    }
    (tmp_path / "kept").write_bytes(changed.get(damage, whole))
    with pytest.raises(ValueError, match=r"is damaged|has no beginning"):
        state.read_tables(tmp_path / "kept", 3 if damage == "a table less" else 2)


def test_every_bit_of_a_beginning_counts(store: Session, tmp_path: Path) -> None:
    """It tells of which release a recoding is, and which columns that has as they are."""
    kept = tmp_path / "kept"
    with store:
        state.write_tables(kept, '{"release": "a.csv"}', [SavedTable.empty()], "run")
    whole = kept.read_bytes()
    end = whole.index(b"\n", whole.index(b"\n") + 1)
    for place in range(end + 1):
        for bit in range(8):
            changed = bytearray(whole)
            changed[place] ^= 1 << bit
            kept.write_bytes(changed)
            with pytest.raises(ValueError):
                state.description(kept)
    kept.write_bytes(whole)
    assert state.description(kept) == '{"release": "a.csv"}'


@pytest.mark.parametrize("made", [os.mkfifo, Path.mkdir, Path.touch], ids=["a pipe", "a folder", "an empty file"])
def test_what_is_no_file_is_told_and_not_waited_for(made: Callable[[Path], None], tmp_path: Path) -> None:
    made(tmp_path / "kept")
    with pytest.raises((OSError, ValueError)):
        state.read_tables(tmp_path / "kept", 1)


def test_a_table_that_the_disk_does_not_take_is_said(store: Session) -> None:
    """What is written again when the file is closed fails again, which must not be told instead."""
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        with store:
            resource.setrlimit(resource.RLIMIT_FSIZE, (state._SMALL + 100_000, hard))
            with pytest.raises(OutputError, match="has no space for the temporary files of the run"):
                SavedTable.of(store, NUMBERS)
            assert [path for path in store.folder.rglob("*") if path.is_file() and path.stat().st_size] == []
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
        signal.signal(signal.SIGXFSZ, ignored)


class Full(io.RawIOBase):
    """A file on a full disk."""

    def writable(self) -> bool:
        return True

    def write(self, content: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")


def test_what_cannot_be_streamed_is_said_without_a_value(store: Session) -> None:
    with store:
        with pytest.raises(OutputError, match="has no space for the temporary files of the run"):
            store.stream(NUMBERS, Full())
        store.connection.execute("create view broken as select n, error('SECRET') as t from numbers where n >= 40000")
        with pytest.raises(StatementError) as refused:
            store.stream(Statement("store/relation", relation=Name("broken")), io.BytesIO())
        assert "SECRET" not in str(refused.value)


def test_who_ends_a_run_ends_a_stream(store: Session) -> None:
    class Ends(io.BytesIO):
        def write(self, content: object) -> int:
            store.connection.interrupt()
            return super().write(content)  # type: ignore[arg-type]

    with store:
        rows = "create view many as select range as n, sha256(range::varchar) as t from range(20000000)"
        store.connection.execute(rows)
        with pytest.raises(KeyboardInterrupt):
            store.stream(Statement("store/relation", relation=Name("many")), Ends())
