"""Saved recodings of releases, with source values of quasi-identifiers, for comparison with later releases.

A recoding lies beside the manifest in its own file, readable by its owner only. It stays when its release is replaced,
because recipients may still have the old release. ``starcloak forget`` erases a recoding and leaves a note without any
value of a row. So it stays known that the release existed; a release counts as never given to anybody only if its
custodian said so.
"""

from __future__ import annotations

import os
import re
import socket
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from ipaddress import ip_address
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from starcloak.base.errors import OutputError
from starcloak.job import Place
from starcloak.job.source import Url
from starcloak.releases import state
from starcloak.releases.recodings.recoded_tuples import Relations
from starcloak.releases.state import SavedTable
from starcloak.releases.targets.target import Target
from starcloak.star import fingerprint
from starcloak.star.fingerprint import ColumnReading
from starcloak.star.person_identity import PersonIdentity
from starcloak.statements.statement import Name, Statement
from starcloak.store.session import Session

#: Endings of file names: a recoding of a published release, one of a release being published, a note without recoding.
PUBLISHED, PUBLISHING, NOTE = "recoding", "publishing", "note"
_NAMED = re.compile(rf"([0-9a-f]{{32}})-([0-9a-f]+)\.({PUBLISHED}|{PUBLISHING}|{NOTE})")
_OF_SOURCE = re.compile(r"\.?([0-9a-f]{32})-")
#: Ending of the name of a file with the rows of a source partitioned by the classes of all of its releases together.
PARTITION = "partition"
FORGOTTEN, UNREADABLE, TOO_MANY, TOO_LARGE, REPLACED = (
    "its recoding was forgotten",
    "its recoding cannot be read",
    "its recoding was erased, as too many later recodings are saved",
    "its recoding was erased, as later recodings take the space for its source",
    "it was made with --no-joint, and a later release has replaced it",
)
#: Reason in the note of a release that counts no longer, such as a trial.
NEVER_GIVEN = "its custodian stated that nobody received it"
#: Recodings of one source that are kept: the last ones, with at most :func:`space` bytes beside the last one.
MOST = 100
_SPACE, _GIGABYTE = "STARCLOAK_KEPT_GB", 1_000_000_000
_DEFAULT_SPACE = 2.0  # GB

_HERE = "this machine"


class SourceName(BaseModel):
    """Name of a source, to find earlier releases of the same source.

    A file has its absolute ``path``, and in ``led`` the path after links are resolved. A database has the addresses of
    its host in ``servers``, its ``port`` and its ``database`` name. ``asked`` is the table, followed by its schema, or
    a keyed hash of the query, so that nobody else can test guesses of the query.
    """

    model_config = ConfigDict(frozen=True)

    path: str = ""
    led: str = ""
    servers: tuple[str, ...] = ()
    port: str = ""
    database: str = ""
    asked: tuple[str, ...] = ()

    def may_be(self, other_name: SourceName) -> bool:
        """True if this name and ``other_name`` may be names of the same file, table or query."""
        if not all(name == another for name, another in zip(self.asked, other_name.asked, strict=False)):
            return False
        if self.path and other_name.path:
            return self.led == other_name.led or _is_same_file(self.path, other_name.path)
        here = bool(set(self.servers) & set(other_name.servers)) and self.database == other_name.database
        return here and (self.port == other_name.port or not self.port or not other_name.port)


def name_of(place: Place | None) -> SourceName:
    """The name of a source; without content for a data frame, and for a query if no secret for its hash can be kept."""
    if place is None or (place.path is None and (place.url is None or place.url.in_memory)):
        return SourceName()
    if place.url is None:
        return _file(str(place.path))
    query, table = str(place.query).strip(), place.table
    names = (state.keyed(query),) if table is None else tuple(reversed(place.url.kind.parts(table)))
    if not all(names):
        return SourceName()
    server = _server(place.url) if place.url.file is None else _file(str(place.url.file.expanduser()))
    return server.model_copy(update={"asked": names})


def _file(path: str) -> SourceName:
    return SourceName(path=os.path.abspath(path), led=os.path.realpath(path))


def _server(url: Url) -> SourceName:
    parts = url.parts
    host, port = str(parts.host or parts.query.get("host", "")), str(parts.port or parts.query.get("port", ""))
    kind, database = url.kind.names[0], parts.database or ""
    return SourceName(servers=tuple(f"{kind} {address}" for address in _addresses(host)), port=port, database=database)


def _addresses(host: str) -> list[str]:
    """The IP addresses of a host, sorted, with all loopback addresses as one; the name itself if it is unknown."""
    if not host or host.startswith("/"):
        return [_HERE]
    try:
        addresses = {str(address[4][0]).partition("%")[0] for address in socket.getaddrinfo(host.strip("[]"), None)}
    except (OSError, UnicodeError):  # it was reached by a way that this machine does not know
        return [host.lower()]
    return sorted({_HERE if ip_address(known_address).is_loopback else known_address for known_address in addresses})


def _is_same_file(first: str, second: str) -> bool:
    try:
        return os.path.samefile(first, second)
    except OSError:  # one of them is gone, or is a pattern
        return False


class About(BaseModel):
    """Description of a release, saved with its recoding or in a note. It contains no value of any row."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    run: str
    released_at: str
    release: str
    place: str
    origin: str
    attributes: tuple[str, ...]
    sensitive: tuple[str, ...]
    split: bool
    k: int | None
    job: str
    source: str | None
    hierarchies: dict[str, str | None]
    refreshable: bool = False
    number: int = 0  # one more than the last recoding that was kept here had, as clocks may be changed
    columns: dict[str, str] = {}  # those of the release with their types, where it can be refreshed
    identity: PersonIdentity | None = None  # who its persons are; older versions did not keep it
    rows_of_persons: bool = False  # whether the rows of persons are kept
    readings: dict[str, ColumnReading] = {}  # how the columns of the release were read
    chain: str = ""  # the run that the refreshes of persons began with, of which it is one
    holds: bool = False  # whether the texts of rows are kept, for holding them
    digest: str | None = None  # the fingerprint of the release
    source_name: SourceName = SourceName()  # the name of its source
    content: str | None = None  # the fingerprint of the combinations of all rows of its source
    masked_as: str = ""  # the run of the release with the recoding of these rows, if the rows were masked by it
    before: str = ""  # the last run that its place named when it was registered
    against: str = ""  # its name under against in a job
    as_they_are: tuple[str, ...] | None = None  # the columns that are released so; of older versions it is not known
    joint: bool = True  # false for a run with --no-joint
    lost: str = ""  # why its recoding is not known
    form: Literal["recoding", "publishing", "note"] = Field(default="recoding", exclude=True)

    @property
    def is_known(self) -> bool:
        """True if the recoding is saved, according to this description; its tables may still be damaged."""
        return not self.lost

    @property
    def was_given(self) -> bool:
        """False if the custodian said that nobody received the release."""
        return self.lost != NEVER_GIVEN

    @property
    def is_missed(self) -> bool:
        """True for a release that somebody may have, with a recoding that is not saved: joint k with it is unknown."""
        return self.was_given and not self.is_known


@dataclass(frozen=True)
class Recoded:
    """The recoding of a release as tables; see :class:`~starcloak.releases.recodings.recoded_tuples.Relations`.

    ``shown`` has data for a refresh of the release, or is None. ``persons`` has the rows of persons, or is None: whose
    (a hash of the person), value_1 …, class, rows (of the tuple in the class) and total (all rows of the person).
    """

    about: About
    tuples: SavedTable
    classes: SavedTable
    held: SavedTable
    shown: SavedTable | None = None
    persons: SavedTable | None = None

    @classmethod
    def of(cls, store: Session, relations: Relations, about: About, shown_rows: Name | None = None) -> Recoded:
        """The recoding with the contents of ``relations``; without ``shown_rows``, it cannot be refreshed."""
        names = (relations.tuples, relations.classes, relations.held, *([] if shown_rows is None else [shown_rows]))
        tables = (SavedTable.of(store, Statement("store/relation", relation=name)) for name in names)
        persons = None
        if relations.persons is not None:
            persons = SavedTable.of(store, Statement("releases/recodings/persons#kept", persons=relations.persons))
        return replace(cls(about, *tables), persons=persons)

    def with_digest(self, digest: str | None) -> Recoded:
        """The same recoding with the digest of its release."""
        return replace(self, about=self.about.model_copy(update={"digest": digest}))

    def into(self, store: Session, name: str) -> Relations:
        """Load the tables into a working store, with table names that start with ``name``; returns the relations."""
        about = self.about
        relations = Relations.of_name(name, about.attributes, about.sensitive, split=about.split)
        there = {relations.tuples: self.tuples, relations.classes: self.classes, relations.held: self.held}
        if self.persons is not None:
            relations = replace(relations, persons=Name(f"{name}_persons"))
            there[Name(f"{name}_persons")] = self.persons
        for table, rows in there.items():
            rows.into(store, table)
        return relations


def write(folder: Path, recoded: Recoded) -> None:
    """Write a recoding to a file of ``folder``, atomically; the description's ``form`` decides the ending of its name.

    Raises :class:`OSError`.
    """
    about, own = recoded.about, (recoded.tuples, recoded.classes, recoded.held)
    more = (rows for rows in (recoded.shown, recoded.persons) if rows is not None)
    state.write_tables(file_of(folder, about), about.model_dump_json(), [*own, *more], about.run)


def of_origin(origin: str) -> list[About]:
    """Descriptions of all known releases of a source, the last one first, including those with a note alone.

    ``origin`` is the hash of the source.
    """
    return _last_first(_abouts(origin=state.named(origin)))


def of_place(place: str) -> About | None:
    """Description of the last known release in the place with this hash (see :func:`place_of`), or None."""
    return next((about for about in _last_first(_abouts()) if about.place == place), None)


def every(*, notes: bool = False) -> list[About]:
    """Descriptions of all saved recodings, the last one first; with ``notes``, also of releases with a note alone."""
    return [about for about in _last_first(_abouts()) if notes or about.form != NOTE]


def size(about: About) -> int:
    """Bytes of a recoding's file; 0 if it is gone."""
    try:
        return file_of(state.folder(), about).stat().st_size
    except OSError:
        return 0


def space() -> int:
    """Highest total size, in bytes, of the recodings saved for one source: ``$STARCLOAK_KEPT_GB``, by default 2 GB.

    Raises :class:`OutputError` if the variable is not a number of gigabytes.
    """
    text = os.environ.get(_SPACE, "")
    try:
        gigabytes = float(text or _DEFAULT_SPACE)
        if gigabytes >= 0:
            return int(gigabytes * _GIGABYTE)
    except (ValueError, OverflowError):
        pass
    raise OutputError(
        f"the environment variable {_SPACE} is {text!r}: set it to a number of gigabytes, such as {_DEFAULT_SPACE:g}"
    )


def superfluous(origin: str) -> Iterator[tuple[About, str]]:
    """Descriptions of a source's recodings that are no longer needed, each with the reason for erasing it.

    A recoding of a run with ``--no-joint`` is needed (by ``apply`` and ``mapping``) until a later release replaces its
    release. Among all other recodings the oldest ones are listed if there are more than MOST, or if they are larger
    than :func:`space` together. The last recoding is never listed.
    """
    count, taken, places, bound = 0, 0, set(), space()
    for about in of_origin(origin):
        if about.form != PUBLISHED:
            continue
        if about.place in places and not about.joint:
            yield about, REPLACED
            continue
        places.add(about.place)
        taken += size(about)
        count += 1
        if count > MOST:
            yield about, TOO_MANY
        elif taken > bound and count > 1:
            yield about, TOO_LARGE


def all_but(runs: set[str]) -> list[About]:
    """Descriptions of the releases of all sources, except those of ``runs``, the last one first; includes notes."""
    return [about for about in _last_first(_abouts()) if about.run not in runs]


def unsettled(place: str) -> list[About]:
    """Descriptions of the releases in a place with unconfirmed registrations: their runs ended while they published."""
    return [about for about in _abouts(form=PUBLISHING) if about.place == place]


def read(about: About) -> Recoded | None:
    """The saved recoding of a described release; None if there is none, or if its file is gone or damaged."""
    if not about.is_known:
        return None
    try:
        wanted = 3 + about.refreshable + about.rows_of_persons
        _, (tuples, classes, held_table, *more) = state.read_tables(file_of(state.folder(), about), wanted)
    except (OSError, ValueError):  # the caller reports that it is unknown
        return None
    shown_rows = more.pop(0) if about.refreshable else None
    return Recoded(about, tuples, classes, held_table, shown_rows, *more)


def of_run(run: str) -> Recoded | None:
    """The recoding of a run, or None if it is not kept."""
    about = next(_abouts(run=run), None)
    return None if about is None else read(about)


def forget(about: About, why: str = FORGOTTEN) -> None:
    """Erase a recoding, and leave a note of its release. Raises :class:`OutputError` if it cannot be erased."""
    own = state.folder()
    file = file_of(own, about)
    try:
        try:
            write(own, note(about, why))
        finally:
            if about.form != NOTE:  # a note is replaced by the new one
                file.unlink(missing_ok=True)
            sweep(about.origin)
            if why in (FORGOTTEN, NEVER_GIVEN):  # beyond a bound, a partition is all that is known of the release
                _erase_partitions(about)
    except OSError as error:
        raise OutputError(
            f"the recoding of {about.release} in {own} cannot be erased or replaced by a note "
            f"({state.reason(error)}): check the folder's permissions and space"
        ) from None


def sweep(origin: str, *, partitions: bool = False) -> None:
    """Remove half-written files of killed runs of a source and, with ``partitions``, the source's partition files.

    The source has to be locked. Raises :class:`OSError`.
    """
    own, named = state.folder(), state.named(origin)
    for pattern in (f".{named}-*", *([f"{named}-*.{PARTITION}"] if partitions else [])):
        for left in own.glob(pattern):
            left.unlink(missing_ok=True)


def _erase_partitions(about: About) -> None:
    """Erase the partition files with rows of a release; a damaged file may have rows of any. Raises :class:`OSError`.

    Later runs make a partition again without this release.
    """
    for file in state.folder().glob(f"{state.named(about.origin)}-*.{PARTITION}"):
        try:
            has_rows = about.run in state.description(file)
        except ValueError:
            has_rows = True
        if has_rows:
            file.unlink(missing_ok=True)


def origins() -> list[str]:
    """Shortened hashes of all sources with any saved or half-written file, as in :func:`state.named`."""
    matches = (_OF_SOURCE.match(path.name) for path in state.folder().iterdir())
    return sorted({match[1] for match in matches if match})


def note(about: About, why: str) -> Recoded:
    """A note of a release: a recoding without tables, with a shortened description and the reason ``why``."""
    notes = {name: getattr(about, name) for name in _NOTED}
    nothing = SavedTable.empty()
    noted = About(**notes, attributes=(), sensitive=(), split=False, job="", source=None, hierarchies={}, lost=why)
    return Recoded(noted.model_copy(update={"form": NOTE}), nothing, nothing, nothing)


#: Fields of a release's description that stay in a note; they include no hash of rows.
_NOTED = ("run", "released_at", "release", "place", "origin", "k", "number", "source_name", "against", "chain")


def place_of(target: Target) -> str:
    """Hash of the place of a target (its file or table), made without a password."""
    return fingerprint.text(target.place)


def _abouts(*, origin: str = "", run: str = "", form: str = "") -> Iterator[About]:
    """Descriptions of saved recodings and notes, filtered by source, run and form; an empty text is no filter.

    Raises :class:`OutputError` if the folder cannot be read.
    """
    own = state.folder()
    try:
        names = sorted(os.listdir(own))
    except OSError as error:
        raise state.unusable(own, f"it cannot be read ({state.reason(error)})") from None
    for name in names:
        parts = _NAMED.fullmatch(name)
        if parts and origin in ("", parts[1]) and run in ("", parts[2]) and form in ("", parts[3]):
            yield _about(own / name, parts[1], parts[2]).model_copy(update={"form": parts[3]})


def _about(file: Path, origin: str, run: str) -> About:
    """The description at the beginning of a file.

    If it cannot be read, the result has only the source and the run from the file's name, and the reason in ``lost``.
    """
    try:
        about = About.model_validate_json(state.description(file))
        if (state.named(about.origin), about.run) == (origin, run):
            return about
    except (OSError, ValueError):
        pass  # a truncated file, or one of another version, is reported as unreadable
    return About(
        run=run, released_at=_written_at(file), release=f"run {run[:12]}", place="", origin=origin, attributes=(),
        sensitive=(), split=False, k=None, job="", source=None, hierarchies={}, lost=UNREADABLE,
    )  # fmt: skip


def _written_at(file: Path) -> str:
    try:
        return datetime.fromtimestamp(file.stat().st_mtime, UTC).isoformat()
    except OSError:
        return ""


def _last_first(abouts: Iterator[About]) -> list[About]:
    return sorted(abouts, key=lambda about: (about.number, about.released_at), reverse=True)


def file_of(folder: Path, about: About) -> Path:
    """Path, in ``folder``, of the file with a release's recoding or note."""
    return folder / f"{state.named(about.origin)}-{about.run}.{about.form}"
