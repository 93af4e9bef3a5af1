"""What is kept of a release for those after it: its recoding, which holds raw quasi-identifiers.

It lies beside the manifest, in a file of its own that only its owner may read, and is never part of the manifest. It
stays when its release is replaced, which may have left the house by then; ``starcloak forget`` erases it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, ValidationError

from starcloak import fingerprint
from starcloak.earlier.recoded import Relations
from starcloak.errors import OutputError
from starcloak.release import manifest
from starcloak.session import Session
from starcloak.statement import Name, Statement
from starcloak.targets import staging
from starcloak.targets.target import Target

if TYPE_CHECKING:
    import pyarrow

_SUFFIX = ".recoding"
_ORIGIN = 32  # characters of an origin in a file's name
_ABOUT = b"starcloak"
#: Recodings of one source that are kept: the last ones.
MOST = 100


class About(BaseModel):
    """Of which release a recoding is. It has no value of any row."""

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
    columns: dict[str, str] = {}  # those of the release with their types, where its rows are kept to be held
    persons: dict[str, str] = {}  # those that tell persons apart with their types, where it is kept whose rows are


@dataclass(frozen=True)
class Recoded:
    """The recoding of a release as Arrow tables; see :class:`~starcloak.earlier.recoded.Relations`.

    ``persons`` has whose, value_1 …, class, rows and total: the rows of persons, who go by a hash.
    """

    about: About
    tuples: pyarrow.Table
    classes: pyarrow.Table
    held: pyarrow.Table
    shown: pyarrow.Table | None = None
    persons: pyarrow.Table | None = None

    @classmethod
    def of(cls, store: Session, made: Relations, about: About, shown: Name | None = None) -> Recoded:
        """What stands in the working store; with ``shown`` it may be refreshed."""
        names = (made.tuples, made.classes, made.held, *([] if shown is None else [shown]))
        tables = (store.arrow(Statement("source/relation", {"relation": name})) for name in names)
        persons = None
        if made.persons is not None:
            persons = store.arrow(Statement("earlier/persons#kept", {"persons": made.persons}))
        return replace(cls(about, *tables), persons=persons)

    def into(self, store: Session, name: str) -> Relations:
        """Have it in a working store as relations that go by a name."""
        about = self.about
        made = Relations.of_name(name, about.attributes, about.sensitive, split=about.split)
        there = {made.tuples: self.tuples, made.classes: self.classes, made.held: self.held}
        if self.persons is not None:
            made = replace(made, persons=Name(f"{name}_persons"))
            there[Name(f"{name}_persons")] = self.persons
        incoming = Name("incoming")
        for table, rows in there.items():
            store.receive(table, incoming, rows.to_reader(), Statement("source/relation", {"relation": incoming}))
        return made


def keep(recoded: Recoded) -> None:
    """Keep the recoding of a release that is out; older ones of its source go when there are too many.

    Where nothing private can be written, none is kept.
    """
    import pyarrow

    packed = pyarrow.ipc.IpcWriteOptions(compression="zstd")  # most texts are there many times
    with suppress(OSError, RuntimeError):
        folder = manifest.folder()
        if folder is None:
            return
        about = recoded.about.model_copy(update={"number": 1 + max((each.number for each in every()), default=0)})
        place = folder / f"{about.origin[:_ORIGIN]}-{about.run}{_SUFFIX}"
        staged = staging.of(place, about.run)
        try:
            with os.fdopen(staging.made(staged, private=True), "wb") as file:
                told = {_ABOUT: about.model_dump_json().encode()}
                tables = [recoded.tuples.replace_schema_metadata(told), recoded.classes, recoded.held]
                for rows in (*tables, *(each for each in (recoded.shown, recoded.persons) if each is not None)):
                    with pyarrow.ipc.new_stream(file, rows.schema, options=packed) as stream:
                        stream.write_table(rows)
            os.replace(staged, place)
        finally:
            staged.unlink(missing_ok=True)
        for old in of_origin(about.origin)[MOST:]:
            _file(folder, old).unlink(missing_ok=True)


def of_origin(origin: str) -> list[About]:
    """The recodings that are kept of a source's releases, the last one first."""
    return _last_first(_abouts(f"{origin[:_ORIGIN]}-*{_SUFFIX}"))


def of_place(place: str) -> About | None:
    """The recoding of the last release in a place, if it is kept."""
    return next((about for about in _last_first(_abouts(f"*{_SUFFIX}")) if about.place == place), None)


def every() -> list[About]:
    """All recodings that are kept, the last one first."""
    return _last_first(_abouts(f"*{_SUFFIX}"))


def read(about: About) -> Recoded | None:
    """A recoding that is kept; None where it is gone or damaged."""
    import pyarrow

    folder = manifest.folder()
    if folder is None:
        return None
    try:
        with open(_file(folder, about), "rb") as file:
            tuples, classes, held, shown, persons = (
                pyarrow.ipc.open_stream(file).read_all() if there else None
                for there in (True, True, True, about.refreshable, about.persons)
            )
    except (OSError, ValueError, pyarrow.ArrowException):
        return None
    return Recoded(about, tuples, classes, held, shown, persons)


def of_run(run: str) -> Recoded | None:
    """The recoding that a run has left, if it is kept."""
    found = next(_abouts(f"*-{run}{_SUFFIX}"), None)
    return None if found is None else read(found)


def forget(about: About) -> None:
    """Erase a recoding. Raises :class:`OutputError` where it cannot be."""
    try:
        folder = manifest.folder()
        if folder is not None:
            _file(folder, about).unlink(missing_ok=True)
    except OSError as error:
        raise OutputError(
            f"the recoding of {about.release} cannot be erased ({type(error).__name__}): check the folder's permissions"
        ) from None


def place_of(goal: Target) -> str:
    """What tells the place of a release from others, without a password."""
    return fingerprint.text(goal.place)


def _abouts(pattern: str) -> Iterator[About]:
    import pyarrow

    with suppress(OSError, RuntimeError):
        folder = manifest.folder()
        if folder is None:
            return
        for file in sorted(folder.glob(pattern)):
            with suppress(OSError, ValueError, KeyError, TypeError, ValidationError, pyarrow.ArrowException):
                with open(file, "rb") as content:
                    told: Mapping[bytes, bytes] = pyarrow.ipc.open_stream(content).schema.metadata
                about = About.model_validate_json(told[_ABOUT])
                if _file(folder, about) == file:
                    yield about


def _last_first(abouts: Iterator[About]) -> list[About]:
    return sorted(abouts, key=lambda about: (about.number, about.released_at), reverse=True)


def _file(folder: Path, about: About) -> Path:
    return folder / f"{about.origin[:_ORIGIN]}-{about.run}{_SUFFIX}"
