"""Saved joint partition (rows by their classes in all releases of a source): one private file per quasi-identifier.

The file contains ungeneralized quasi-identifier values, as the saved recodings do. A lost file is made again from the
recodings still saved.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict

from starcloak.base.errors import OutputError
from starcloak.companions.joint_risk.joint_partition import KINDS, Member, Partition
from starcloak.releases import state
from starcloak.releases.recodings.saved_recodings import PARTITION, About
from starcloak.releases.state import SavedTable
from starcloak.star import fingerprint
from starcloak.statements.statement import Statement
from starcloak.store.session import Session

_KEY = 16  # characters of the hash of the rows' key, in a file's name


class _About(BaseModel):
    """Description of a saved partition and its releases. It contains no value of any row."""

    model_config = ConfigDict(frozen=True)

    attributes: tuple[str, ...]
    qid: tuple[str, ...]
    members: tuple[Member, ...]
    salt: str | None
    unsure: bool


@dataclass(frozen=True)
class Kept:
    """A saved partition: its tables by kind (``KINDS``), its description, and ``place``, the name of its file."""

    place: str
    about: _About
    tables: Mapping[str, SavedTable]

    @classmethod
    def of(cls, store: Session, partition: Partition, place: str) -> Kept:
        """Copy the relations of a partition from the working store. No file is written yet."""
        tables = {
            kind: SavedTable.of(store, Statement("store/relation", relation=partition.relation(kind))) for kind in KINDS
        }
        return cls(place, _About.model_validate(partition, from_attributes=True), tables)

    @property
    def runs(self) -> set[str]:
        """The runs of the partition's releases."""
        return {member.run for member in self.about.members}

    def into(self, store: Session, name: str) -> Partition:
        """Load the tables into a working store, as a partition with relations named after ``name``."""
        about = self.about
        partition = Partition(name, about.attributes, about.qid, about.members, about.salt, about.unsure)
        for kind, rows in self.tables.items():
            rows.into(store, partition.relation(kind))
        return partition


def place_of(about: About, attributes: Sequence[str], qid: Sequence[str]) -> str:
    """Name of the partition's file: by source, quasi-identifier, columns identifying persons, and cleaning.

    ``attributes`` are all quasi-identifying columns; ``qid`` those of the quasi-identifier.
    """
    persons = None if about.identity is None else about.identity.model_dump(mode="json")
    cleaning = [about.readings[name].cleaning for name in sorted(attributes)]
    digest_of_identity = fingerprint.content([sorted(attributes), sorted(qid), persons, cleaning])
    return f"{state.named(about.origin)}-{digest_of_identity[:_KEY]}.{PARTITION}"


def keep(partitions: Sequence[Kept], run: str) -> list[str]:
    """Write partitions to their files, in place of earlier versions.

    Returns a warning if a file cannot be written.
    """
    try:
        for kept in partitions:
            tables = [kept.tables[kind] for kind in KINDS]
            state.write_tables(state.folder() / kept.place, kept.about.model_dump_json(), tables, run)
    except Exception as error:  # any error: the release is out, and its run has done its work
        return [
            f"joint k of all releases together cannot be saved ({type(error).__name__}): the next run counts it "
            "again, with an estimate for persons who leave until then; check the folder starcloak in $XDG_STATE_HOME"
        ]
    return []


def read(place: str, problems: list[str]) -> Kept | None:
    """Read the partition in a file. None without the file, or if it is damaged: then ``problems`` gains a warning."""
    try:
        said_of, streams = state.read_tables(state.folder() / place, len(KINDS))
        about = _About.model_validate_json(said_of)
    except (FileNotFoundError, OutputError):  # a missing folder is reported when the releases are read
        return None
    except (OSError, ValueError) as error:
        problems.append(
            f"the saved joint k of all earlier releases in {place} cannot be read ({type(error).__name__}): it was "
            "counted again from the saved recodings, with an estimate for persons who have left"
        )
        return None
    return Kept(place, about, dict(zip(KINDS, streams, strict=True)))
