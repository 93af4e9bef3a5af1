"""Target: a CSV or Parquet file."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starcloak.base.errors import OutputError, SourceError
from starcloak.base.operating_system import flush, flush_folder
from starcloak.releases.targets.data_frame import arrow_rows
from starcloak.sources.file_formats import file_rows
from starcloak.star import fingerprint
from starcloak.statements.statement import As, Hole, Joined, Literal, Name, Number, Statement, columns, lines
from starcloak.store import staging
from starcloak.store.session import Session, new_run_id
from starcloak.store.source import Source
from starcloak.store.staging import RUN, Sealed, Written

if TYPE_CHECKING:
    from starcloak.base.column import Column
    from starcloak.store.databases.host import Host

from starcloak.releases.targets.target import Target

# Types that Parquet rounds or lacks, lists of one length among them, and those with an incomplete text.
NOT_IN_PARQUET = r"\b(U?HUGEINT|INTERVAL|BIT|BIGNUM|TIME WITH|UNION|GEOMETRY)\b|\[\d"
_NOT_IN_CSV = r"\bUNION\b"

# Characters by which readers without settings guess delimiters and quotes from a header.
_GUESSED = ",;\t|'"
_MARK = "\ufeff"  # of the byte order


class File(Target):
    """A CSV or Parquet file, with a ledger beside it.

    The ledger (``NAME.starcloak.json``) has the hash of the released content, so that a file changed or made by
    another program is never overwritten. ``is_marked`` is True for CSV with a byte order mark.
    """

    def __init__(self, path: Path, delimiter: str = ",", *, is_marked: bool = False) -> None:
        self.path = path.resolve()
        self.delimiter = delimiter
        self.is_marked = is_marked
        self.label = str(path)
        self.identity = str(self.path)
        self.ledger = self.path.with_name(f"{self.path.name}.starcloak.json")
        self.files = self.stages = (self.path,)
        self.written = (
            Written(self.path, "the release", "output.path"),
            Written(self.ledger, "the ledger", "output.path", is_own=lambda path: _entries(path) is not None),
        )
        self.is_parquet = self.path.suffix.lower() == ".parquet"
        self._only: Name | None = None
        self._names: tuple[str, ...] = ()

    @property
    def changed(self) -> str:
        """The refusal of a file with other content than its last release. No run overwrites such content."""
        return f"{self.label} was changed after its run: move or delete this file, then run its job again"

    @property
    def against(self) -> str:
        return json.dumps(self.label, ensure_ascii=False)

    @contextmanager
    def lock_place(self) -> Iterator[None]:
        with staging.lock_place(self.path, self.label, "check output.path") as self.runs_left:
            staging.sweep(self.ledger)
            self._forget_left()
            yield

    def prepare(self, session: Session, host: Host, dimensions: Sequence[str] = ()) -> None:
        if "\\" in str(self.path) and re.search(r"[*?[]", str(self.path)):
            # No pattern of DuckDB's means it, by which a script could see whether it is there.
            raise OutputError(f"the path of {self.label} has a backslash and one of * ? [: choose another path")
        try:
            self.there = self._refuse_other()
        except OSError as error:
            raise OutputError(f"{self.label} cannot be written ({type(error).__name__}): check output.path") from None

    def _refuse_other(self) -> dict[str, Any] | None:
        """The ledger's entry of the existing release; None if there is no file.

        Raises :class:`OutputError` if the file is not a release of starcloak, or was changed after its run.
        """
        if not self.path.exists():
            return None
        entries = self._ledger_entries()
        entry = entries.get(fingerprint.file(self.path)) if self.path.is_file() else None
        if entry is None:
            raise OutputError(
                self.changed
                if entries
                else f"{self.label} is there already and is not a release of starcloak: move it or choose another path"
            )
        return entry

    def accept(self, opened: Source) -> None:
        for column in opened.released:
            if column.holds(NOT_IN_PARQUET if self.is_parquet else _NOT_IN_CSV):
                raise OutputError(
                    f"{'Parquet' if self.is_parquet else 'CSV'} cannot keep column {column.name!r} of type "
                    f"{column.kind} unchanged: cast the column in {opened.mended_in}"
                )
        names = [column.name for column in opened.released]
        if not self.is_parquet and (names[0].startswith(_MARK) or any("\r" in name for name in names)):
            raise OutputError(
                f"{self.label}: a column's name has a carriage return or begins with a byte order mark, which "
                f"readers of CSV lose: rename the column in {opened.mended_in}"
            )
        if self.is_marked and any(mark in names[0] for mark in (*_GUESSED, '"', "\n", "#", self.delimiter)):
            raise OutputError(
                f"{self.label}: with output.encoding, the name of the first column must not need quotes in CSV: "
                f"rename the column in {opened.mended_in}, or leave output.encoding out"
            )
        self._only = Name(names[0]) if len(names) == 1 and not self.is_parquet else None
        self._names = tuple(names)

    def type_kept(self, column: Column) -> str:
        if not self.is_parquet:
            return "VARCHAR"
        return "TIMESTAMP" if column.type in ("TIMESTAMP_S", "TIMESTAMP_MS") else column.type

    def stage(self, session: Session, release: Statement) -> None:
        staged = staging.opened(session.staging(self.path))
        self._write(session, release, staged)
        flush(staged)
        self.sealed = Sealed(staged)
        session.at_close(self.sealed.close)
        if self._only is not None:
            refuse_blank(session, self._only, self.read_back(session), self.label)

    def _write(self, session: Session, release: Statement, staged: Path) -> None:
        session.run(self._copied(release, staged))

    def read_back(self, session: Session) -> Statement:
        return file_rows(session.plain(self.sealed.path), self.delimiter)

    def digest(self, session: Session, *, staged: bool) -> str | None:
        if staged:
            return self.sealed.digest
        with suppress(OSError):  # None is never taken for equal
            return fingerprint.file(self.path)
        return None

    def origin_before(self, session: Session) -> str | None:
        return None if self.there is None else str(self.there.get("origin", ""))

    def run_before(self) -> str | None:
        return None if self.there is None else str(self.there.get("run", ""))

    def runs_known(self) -> tuple[str, ...]:
        # The ledger names a run before its release is out.
        return tuple(run[:RUN] for run in self._runs() if run[:RUN] not in self.runs_left)

    def publish(self, session: Session, summary: dict[str, Any]) -> None:
        self._refuse_other()
        self.sealed.refuse_changed()
        digest = self.sealed.digest
        entry = {"sha256": digest, **{key: summary[key] for key in ("run", "k", "rows", "origin", "starcloak")}}
        old_entries = [old for key, old in self._ledger_entries().items() if key != digest]
        runs = [entry["run"], *(run for run in self._runs() if run[:RUN] not in self.runs_left)]
        # The ledger knows the new content before the file has it, so a kill between leaves either one recognized.
        self._write_ledger(session.run_id, [entry, *old_entries], runs)
        if self.path.exists():
            self.sealed.allow_as(self.path)
        self.may_be_out = True
        try:
            self.sealed.publish(self.path, os.replace)
        except OSError:
            self.may_be_out = self.sealed.is_at(self.path)
            raise
        with suppress(OSError):  # the release is out, and the ledger knows it already
            flush_folder(self.path.parent)
            if old_entries:
                self._write_ledger(session.run_id, [entry], runs)

    def script(self, release: Statement, *, recounts: int, k: int) -> list[Statement]:
        return [self._copied(release, self.path, aside=True)]

    def refusals(self) -> list[Statement]:
        aside = self.path.with_name(f"tmp_{self.path.name}")  # DuckDB's own name for it
        return [Statement("releases/script#absent", path=_pattern(self.path), aside=_pattern(aside))]

    def frame(self) -> Any:
        with Session(files=[self.path]) as session:
            return arrow_rows(session, file_rows(session.plain(self.path), self.delimiter))

    def _copied(self, release: Statement, path: Path, *, aside: bool = False) -> Statement:
        if self.is_parquet:
            return copied(release, path, self._names, parquet=True, aside=aside)
        names = self._names
        if self.is_marked:  # DuckDB writes none before the header, but a name as it is
            names = (f"{_MARK}{names[0]}", *names[1:])
            cells = (As(Name(name), Name(written)) for name, written in zip(self._names, names, strict=True))
            release = Statement("store/source", columns=columns(cells), origin=release)
        return copied(release, path, names, delimiter=self.delimiter, aside=aside)

    def released_k(self) -> int | None:
        """The k of the release in the file, 0 for an entry without k; None if the ledger does not list this content.

        Raises :class:`SourceError` for an unreadable ledger.
        """
        entries = _entries(self.ledger)
        if entries is None:
            raise SourceError(
                f"{self.ledger}, the list of the releases in {self.label}, cannot be read: restore the file, or "
                "remove it"
            )
        if not entries or (digest := fingerprint.file(self.path)) not in entries:
            return None
        k = entries[digest].get("k")
        return k if isinstance(k, int) else 0

    def _ledger_entries(self) -> dict[str, dict[str, Any]]:
        """The ledger's entries by the hash of the released content; empty for no ledger or an unreadable one."""
        return _entries(self.ledger) or {}

    def _runs(self) -> list[str]:
        """All runs listed in the ledger, the last one first, including runs with releases replaced since."""
        with suppress(OSError, ValueError, TypeError, KeyError, AttributeError):  # no ledger, or something else
            contents = json.loads(self.ledger.read_text(encoding="utf-8"))
            # Older versions listed no runs.
            runs = contents.get("runs") or [entry["run"] for entry in contents["releases"]]
            return [str(run) for run in runs]
        return []

    def _forget_left(self) -> None:
        """Remove the killed runs with staged files from the ledger.

        The files are removed, too, and a later run would take a run in the ledger for one that published.
        """
        runs = self._runs()
        known_runs = [run for run in runs if run[:RUN] not in self.runs_left]
        if known_runs != runs:
            entries = [
                entry
                for entry in self._ledger_entries().values()
                if str(entry.get("run", ""))[:RUN] not in self.runs_left
            ]
            with suppress(OSError):  # the runs count as published then
                self._write_ledger(new_run_id(), entries, known_runs)

    def _write_ledger(self, run: str, entries: list[dict[str, Any]], runs: list[str]) -> None:
        """Write the ledger; ``run`` is the number of the writing run."""
        contents = {"releases": entries, "runs": runs}
        staging.write(self.ledger, json.dumps(contents, indent=2) + "\n", run)
        flush_folder(self.ledger.parent)


def refuse_blank(session: Session, only: Name, release: Statement, label: str) -> None:
    """Raise :class:`OutputError` if a CSV ``release`` with the column ``only`` has lines skipped by readers."""
    (blank,) = session.row(Statement("releases/targets/blank", column=only, release=release))
    if blank:
        raise OutputError(
            f"{label}: the release has one column, in which missing or blank cells would be empty lines that readers "
            "of CSV skip: release to Parquet, or keep another column"
        )


def copied(
    release: Statement,
    path: Path,
    names: Sequence[str],
    *,
    parquet: bool = False,
    delimiter: str = ",",
    aside: bool = False,
) -> Statement:
    """The statement that writes rows with the columns ``names`` to a Parquet file (``parquet``) or a CSV file.

    With ``aside``, DuckDB writes to a temporary name beside it, and renames the complete file.
    """
    holes: dict[str, Hole] = {"release": release, "path": Literal(str(path)), "aside": Number(int(aside))}
    if parquet:
        return Statement("releases/copy#parquet", **holes)
    quoted = [Name(name) for name in names if any(mark in name for mark in _GUESSED if mark != delimiter)]
    forced = [Statement("releases/copy#quoted", columns=Joined(tuple(quoted), ", "))] if quoted else []
    return Statement("releases/copy#csv", **holes, delimiter=Literal(delimiter), quoted=lines(forced))


def _pattern(path: Path) -> Literal:
    """A pattern for DuckDB's ``glob`` that matches this path alone: wildcards are escaped."""
    return Literal(re.sub(r"[*?[]", r"[\g<0>]", str(path)))


def _entries(ledger: Path) -> dict[str, dict[str, Any]] | None:
    """The entries of a ledger by the hash of the released content.

    Empty if the file does not exist; None if it is not a ledger.
    """
    try:
        return {entry["sha256"]: entry for entry in json.loads(ledger.read_text(encoding="utf-8"))["releases"]}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, TypeError, KeyError):
        return None
