"""A DuckDB in a separate process, for writing the DuckDB files of releases."""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb

from starcloak.base.column import Column
from starcloak.base.errors import OutputError
from starcloak.base.operating_system import parent_to_watch, separate
from starcloak.statements.sql_literals import with_values
from starcloak.statements.statement import Hole, Row, Rows, Statement, Text, heading, join, path_of
from starcloak.store.session import SPILL, Session, commands, exact_cell

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import IO

_PROCESS = Path(__file__).with_name("writer_process.py")
_SHARE = 2  # a fraction of the working store's memory, allowed in addition to it: rows pass through the process
_PATIENCE = 5.0  # seconds for a process without an answer to end
_LOOK = "check the free memory and the Python that runs starcloak, then run again"
_INSTEAD = "run starcloak with a Python installation of its own, or release to a CSV or Parquet file"


class WriterEndedError(OutputError):
    """The early end of the writing process."""


class Writer:
    """A connection to a DuckDB in a separate process, which never receives a row of the source.

    DuckDB fills unused parts of file pages, and the cells of missing values, with previous content of its memory. In
    the run's process, this content may be parts of the source, so files for other users are written by a separate
    process. The process receives the release alone, as a Parquet file without such content. It has access to the
    folder of this Parquet file and to the files ``reached``. ``label`` names the release in messages. Raises
    :class:`OutputError` if the process does not start, or ends early.
    """

    def __init__(self, session: Session, reached: Sequence[Path], label: str) -> None:
        self.session = session
        self.label = label
        self._ended = False
        if getattr(sys, "frozen", False) or not sys.executable:
            raise OutputError(
                f"{label}: writing this format needs a second Python process, and this program has no Python to "
                f"start: {_INSTEAD}"
            )
        try:
            self._process = subprocess.Popen(
                [
                    sys.executable,
                    *_flags(),
                    str(_PROCESS),
                    str(Path(duckdb.__file__).parents[1]),
                    str(parent_to_watch()),
                ],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                **separate(),  # signals of a terminal are for the run
            )
        except OSError as error:
            raise OutputError(
                f"{label}: the Python process {sys.executable} that should write it does not start "
                f"({type(error).__name__}): {_INSTEAD}"
            ) from None
        session.join(self)
        self.command(";\n".join(self._settings(reached)))

    def _settings(self, reached: Sequence[Path]) -> Iterator[str]:
        memory = self.session.memory_bytes // _SHARE
        return commands(
            {
                "temp_directory": self.session.folder / f"{SPILL}-writer",
                "memory_limit": f"{memory}B",
                "threads": self.session.threads,
                "preserve_insertion_order": True,
                "allowed_paths": [*map(str, reached)],
                "allowed_directories": [str(self.session.copies)],
            }
        )

    def command(self, text: str) -> None:
        """Run a command outside the statement files: attach, detach, begin, commit, rollback."""
        self._ask(text.split()[0].lower(), [text])

    def run(self, statement: Rows, binds: Mapping[str, Any] | None = None) -> list[Row]:
        """Run a statement and fetch all of its rows."""
        return self._ask(path_of(statement), [heading(statement), *statement.compose()], binds)

    def row(self, statement: Rows, binds: Mapping[str, Any] | None = None) -> Row:
        """Run a statement with exactly one result row."""
        (row,) = self.run(statement, binds)
        return row

    def describe(self, rows: Statement) -> list[Column]:
        """The columns of a statement with their types, in order."""
        return [Column(name, kind) for name, kind, *_ in self.run(Statement("store/describe", origin=rows))]

    def exact(self, cell: Hole, column: Column) -> Hole:
        """Expression for a cell as a value with exact equality: two distinguishable cells are never equal."""
        return exact_cell(cell, column, self.session.connection)

    def interrupt(self) -> None:
        """End the running statement together with its process. Any thread may call this method."""
        self._ended = True
        self._process.kill()

    def close(self) -> None:
        """End the process; it first closes its database, so that the file has all committed content."""
        with suppress(OSError, ValueError):  # it is gone or closed already
            # Not by the end of its input alone: a process forked meanwhile by the program holds the input open.
            pickle.dump(None, self._pipe(self._process.stdin))
            self._pipe(self._process.stdin).close()
        self._process.wait()
        self._pipe(self._process.stdout).close()

    def _ask(self, path: str, text: Text, binds: Mapping[str, Any] | None = None) -> list[Row]:
        self.session.announce(lambda: with_values(text, binds))
        sql = join(text)
        try:
            pickle.dump((sql, binds), self._pipe(self._process.stdin))
            self._pipe(self._process.stdin).flush()
            answer = pickle.load(self._pipe(self._process.stdout))
        except (OSError, EOFError, pickle.UnpicklingError):
            if self._ended:
                raise KeyboardInterrupt from None
            raise WriterEndedError(f"{self.label}: the process that writes it ended{self._code()}: {_LOOK}") from None
        except BaseException:
            self.interrupt()  # its answer would be taken for the next one's
            raise
        if isinstance(answer, duckdb.Error):
            raise self.session.refusal(path, sql, answer)
        rows: list[Row] = answer
        return rows

    def _code(self) -> str:
        with suppress(subprocess.TimeoutExpired):
            code = self._process.wait(_PATIENCE)
            return f" by signal {-code}" if code < 0 else f" with exit code {code}"
        return ""

    @staticmethod
    def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
        assert pipe is not None
        return pipe


def _flags() -> list[str]:
    """Command-line options for the process: the module search of this Python, without the current folder."""
    flags = {"-I": sys.flags.isolated, "-E": sys.flags.ignore_environment, "-s": sys.flags.no_user_site}
    return ["-P", *(option for option, is_set in {**flags, "-S": sys.flags.no_site}.items() if is_set)]
