"""Joint partition: the rows of a source grouped by their classes in all releases, over one quasi-identifier.

A class of the partition has the rows with the same class in each release. A partition has the same form as the
classes of a single release, so adding one more release costs one ``GROUP BY``, whatever the number of releases.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pydantic import BaseModel, ConfigDict

from starcloak.releases.recodings.overlap import overlaps_of
from starcloak.releases.recodings.person_links import rows_of_persons
from starcloak.releases.recodings.recoded_tuples import Relations
from starcloak.releases.recodings.saved_recodings import About
from starcloak.star.fingerprint import ColumnReading
from starcloak.star.person_identity import Overlap
from starcloak.star.working_tables import BASE
from starcloak.statements.statement import (
    As,
    Hole,
    Joined,
    Literal,
    Name,
    Number,
    Statement,
    Type,
    columns,
    conditions,
)
from starcloak.store.session import Session

KINDS = ("rows", "parts", "held", "sets")
#: The class in a single release is stored for at most so many of the last releases, and at most so many rows in all.
_PAIRED, _PARTS = 20, 2_000_000

PARTS_OF_TUPLES = "equal rows are in several classes or suppressed, so it is not known which row is whose"
NO_PERSONS = (
    "its run did not save the class of each person's rows, because it compared them as one set (as: set) or suppressed "
    "some of several equal rows"
)


class Member(BaseModel):
    """A release in a partition. ``number`` is its number in the partition, from 0.

    ``split``: rows of one tuple are in several classes. ``sensitive``: attributes with saved values. ``as_they_are``:
    columns released without generalization, or None if unknown. ``readings`` has types and cleaning of the columns.
    """

    model_config = ConfigDict(frozen=True)

    number: int
    run: str
    release: str
    released_at: str
    source: str | None
    split: bool
    sensitive: tuple[str, ...]
    as_they_are: tuple[str, ...] | None
    readings: dict[str, ColumnReading]

    def hides(self, attribute: str) -> bool:
        """True if the release shows values of a sensitive attribute, but the values of its classes are not saved."""
        return attribute not in self.sensitive and (self.as_they_are is None or attribute in self.as_they_are)

    @classmethod
    def of(cls, about: About, number: int) -> Member:
        return cls.model_validate({**dict(about), "number": number})


@dataclass(frozen=True)
class Whose:
    """Keys of persons' rows: ``attributes`` of the base frequency set, and the ``columns`` that identify persons."""

    attributes: tuple[str, ...]
    columns: tuple[Name, ...]


@dataclass(frozen=True)
class Partition:
    """Rows by their classes in some releases (``members``): relations of the working store, named after ``name``.

    The relation ``rows`` has [whose (person),] value_1 …, class, rows, lower (rows in earlier parts of the tuple) [and
    everything]; ``parts`` has class, release and part (the class in this release); ``held`` has class, attribute and
    texts (sensitive values); ``sets`` has release, part, attribute and texts. Classes are formed by the cells of the
    attributes ``qid``. If k counts persons, ``salt`` is the run used in the hashes of persons, and ``unsure`` is true
    if a person's rows cannot be matched between releases with certainty.
    """

    name: str
    attributes: tuple[str, ...]
    qid: tuple[str, ...]
    members: tuple[Member, ...]
    salt: str | None = None
    unsure: bool = False

    def relation(self, kind: str) -> Name:
        """The name of one of the partition's relations. ``kind`` is ``rows``, ``parts``, ``held`` or ``sets``."""
        return Name(f"{self.name}_{kind}")

    @property
    def keys(self) -> tuple[Name, ...]:
        """The key columns of the relation ``rows``: the tuple, preceded by the person if k counts persons."""
        values = tuple(Name(f"value_{number}") for number in range(1, len(self.attributes) + 1))
        return values if self.salt is None else (Name("whose"), *values)

    @property
    def next_number(self) -> int:
        return 1 + max(member.number for member in self.members)

    def is_of(self, source: str | None) -> bool:
        """True if all member releases are of the rows with fingerprint ``source``, with each tuple in one class."""
        return source is not None and all(member.source == source and not member.split for member in self.members)

    @property
    def relations(self) -> list[Name]:
        """The names of all relations of the partition, to be dropped."""
        return [self.relation(kind) for kind in (*KINDS, "classes")]


def of_release(
    store: Session, release: Relations, about: About, qid: Sequence[str], *, name: str, number: int = 0,
    whose: Whose | None = None, salt: str | None = None, source: str | None = None, now: Partition | None = None,
) -> Partition | str:  # fmt: skip
    """Create the partition of one release over the attributes ``qid``, or return the reason in words why it is unknown.

    With ``whose``, rows are keyed by persons, hashed with the run ``salt``. They are rows of the current source if
    its fingerprint ``source`` is also that of the release; otherwise rows saved with the release. ``now`` is the
    partition of the new release, or None if ``release`` is the new release itself.
    """
    partition = Partition(name, tuple(sorted(release.attributes)), tuple(qid), (Member.of(about, number),), salt)
    classes = partition.relation("classes")
    cells = (Name(f"cell_{release.attributes.index(attribute) + 1}") for attribute in partition.qid)
    holes: dict[str, Hole] = {"cells": Joined(tuple(cells), ", "), "classes": release.classes}
    store.create(classes, Statement("companions/joint_risk/joint_partition#classes", **holes))
    if whose is None:
        holes = {"values": _values(release, partition, "tuples"), "tuples": release.tuples, "classes": classes}
        store.create(partition.relation("rows"), Statement("companions/joint_risk/joint_partition", **holes))
    else:
        assert salt is not None
        is_again = now is None or (source is not None and source == about.source)
        unknown, unsure = _persons(store, release, about, partition, whose, now=now, again=is_again)
        if unknown is not None:
            return unknown
        partition = replace(partition, unsure=unsure)
    store.create(
        partition.relation("parts"),
        Statement("companions/joint_risk/joint_partition#parts", classes=classes),
        {"release": number},
    )
    named = Joined(tuple(Literal(attribute) for attribute in release.sensitive), ", ")
    holes = {"names": named, "held": release.held, "classes": classes}
    store.create(partition.relation("held"), Statement("companions/joint_risk/joint_partition#held", **holes))
    holes = {"held": partition.relation("held")}
    store.create(
        partition.relation("sets"),
        Statement("companions/joint_risk/joint_partition#sets", **holes),
        {"release": number},
    )
    return partition


def _values(release: Relations, partition: Partition, relation: str) -> Joined:
    """Select list of a tuple's values, in alphabetical order of the attributes, as value_1, value_2, …."""
    places = (release.value(attribute).parts[0] for attribute in partition.attributes)
    return columns(As(Name(relation, place), Name(f"value_{number}")) for number, place in enumerate(places, 1))


def _persons(
    store: Session, release: Relations, about: About, partition: Partition, whose: Whose, *, now: Partition | None,
    again: bool,
) -> tuple[str | None, bool]:  # fmt: skip
    """Create the relation ``rows`` of a partition keyed by persons.

    ``again`` selects the current source's rows instead of those saved with the release. Returns the reason in words why
    the rows are unknown (None if known), and true if some persons of the release are no longer in the source.
    """
    persons, rows, salt = partition.relation("persons"), partition.relation("rows"), str(partition.salt)
    if again and not rows_of_persons(store, release, whose.attributes, whose.columns, run=salt, into=persons):
        return PARTS_OF_TUPLES, False
    if not again and release.persons is None:
        return PARTS_OF_TUPLES if release.split else NO_PERSONS, False
    holes: dict[str, Hole] = {
        "values": _values(release, partition, "persons"),
        "persons": persons if again or release.persons is None else release.persons,
        "classes": partition.relation("classes"),
    }
    store.create(rows, Statement("companions/joint_risk/joint_partition#persons", **holes))
    store.drop(persons)
    if now is None:
        return None, False
    store.create(rows, Statement("companions/joint_risk/joint_partition#shown", persons=rows))
    if again or about.run == salt:
        return None, False
    persons_of = Joined(
        tuple(Statement("releases/recodings/persons#person", person=column) for column in whose.columns), ", "
    )
    holes = {"rows": rows, "base": BASE, "persons": persons_of}
    store.create(
        rows, Statement("companions/joint_risk/joint_partition#rehashed", **holes), {"before": about.run, "after": salt}
    )
    (lost,) = store.row(Statement("companions/joint_risk/joint_partition#lost", rows=rows, now=now.relation("rows")))
    return None, bool(lost)


def overlaps(store: Session, earlier: Partition, now: Partition) -> dict[int, Overlap]:
    """Overlap of persons and values between each earlier release and the new one, by the number of the release.

    Releases without stored ``parts`` are omitted.
    """
    members = Statement(
        "releases/recodings/overlap#of_members", rows=earlier.relation("rows"), parts=earlier.relation("parts")
    )
    statement = Statement("companions/joint_risk/joint_partition#shown", persons=now.relation("rows"))
    rows = {
        kind: Statement("store/relation#nested", rows=relation)
        for kind, relation in (("earlier", members), ("now", statement))
    }
    return overlaps_of(store, now.keys[1:], **rows)


def has_other_texts(store: Session, partitions: Sequence[Partition], attribute: str, kind: str) -> bool:
    """True if the cast to the type ``kind`` and back changes the text of a value of the attribute in ``partitions``."""
    for partition in partitions:
        value = Name(f"value_{partition.attributes.index(attribute) + 1}")
        holes: dict[str, Hole] = {"value": value, "type": Type(kind), "rows": partition.relation("rows")}
        if store.row(Statement("companions/joint_risk/joint_partition#other_texts", **holes))[0]:
            return True
    return False


def have_several_rows(store: Session, earlier: Partition, now: Partition) -> bool:
    """True if a person of earlier releases and of the new one has several rows in either, matched by their texts."""
    relations = {"rows": earlier.relation("rows"), "now": now.relation("rows")}
    return bool(store.row(Statement("companions/joint_risk/joint_partition#several", **relations))[0])


def of_some(store: Session, whole: Partition, runs: set[str], *, name: str) -> Partition:
    """Derive the partition by a subset of releases (``runs``) from a partition by more releases with stored
    ``parts``.
    """
    members = tuple(member for member in whole.members if member.run in runs)
    partition = replace(whole, name=name, members=members)
    named = partition.relation("named")
    numbers = Joined(tuple(Number(member.number) for member in members), ", ")
    holes: dict[str, Hole] = {"releases": numbers, "parts": whole.relation("parts")}
    store.create(named, Statement("companions/joint_risk/joint_partition#named", **holes))
    store.create(
        partition.relation("rows"),
        Statement("companions/joint_risk/joint_partition#named_rows", rows=whole.relation("rows"), named=named),
    )
    store.create(
        partition.relation("parts"),
        Statement("companions/joint_risk/joint_partition#named_parts", **holes, named=named),
    )
    holes = {"parts": partition.relation("parts"), "sets": whole.relation("sets")}
    store.create(partition.relation("held"), Statement("companions/joint_risk/joint_partition#named_held", **holes))
    store.create(partition.relation("sets"), Statement("store/relation", relation=whole.relation("sets")))
    store.drop(named)
    return partition


@dataclass(frozen=True)
class Side:
    """The partition of earlier releases matched with that of the new release.

    ``pieces`` is the relation of matched rows, and ``groups`` of groups with the same pair of classes; ``count`` is the
    number of groups. ``unsure`` is true if rows of a person cannot be matched with certainty.
    """

    earlier: Partition
    now: Partition
    pieces: Name
    groups: Name
    count: int
    unsure: bool

    @property
    def size(self) -> Statement:
        """SQL expression for the size of a group in the unit counted by k: rows or persons."""
        return Statement(
            "companions/joint_risk/groups#rows" if self.now.salt is None else "companions/joint_risk/groups#persons"
        )

    @property
    def relations(self) -> list[Name]:
        """The relations created for this object, to be dropped."""
        return [self.pieces, self.groups]


def side_by_side(store: Session, earlier: Partition, now: Partition) -> Side:
    """Match two partitions row by row, and group the rows by their pair of classes."""
    pieces, groups = Name("earlier_pieces"), Name("earlier_groups")
    before, keys = earlier.relation("rows"), now.keys
    if now.salt is not None:
        before = Name("earlier_moved")
        moved = Joined(
            tuple(Statement("companions/joint_risk/joint_partition#moved_value", value=value) for value in keys[1:]),
            ",\n",
        )
        holes: dict[str, Hole] = {"values": moved, "rows": earlier.relation("rows"), "now": now.relation("rows")}
        store.create(before, Statement("companions/joint_risk/joint_partition#moved", **holes))
    store.create(pieces, _pieces(store, before, now.relation("rows"), keys, whole=now.salt is None))
    unsure = earlier.unsure or now.unsure
    if now.salt is not None:
        store.drop(before)
        (unsure_together,) = store.row(Statement("companions/joint_risk/groups#unsure", pieces=pieces))
        unsure = unsure or unsure_together
    side = Side(earlier, now, pieces, groups, 0, unsure)
    count = store.create(groups, Statement("companions/joint_risk/groups", size=side.size, pieces=pieces))
    return replace(side, count=count)


def _pieces(store: Session, earlier: Name, now: Name, keys: Sequence[Name], *, whole: bool) -> Statement:
    """Statement for the rows of two partitions, matched by their keys.

    With ``whole``, a faster join is used if all rows of every key are in one class of each partition.
    """
    both: dict[str, Hole] = {"earlier": earlier, "now": now}
    holes: dict[str, Hole] = {
        "keys": columns(Statement("companions/joint_risk/pieces#key", key=key) for key in keys),
        "match": conditions(Statement("companions/joint_risk/pieces#match", key=key) for key in keys),
    }
    if whole and store.row(Statement("companions/joint_risk/pieces#is_whole", **both))[0]:
        return Statement("companions/joint_risk/pieces#whole", names=columns(keys), **both, **holes)
    sides: dict[str, Hole] = {
        name: Statement("companions/joint_risk/pieces#side", names=columns(keys), rows=rows)
        for name, rows in both.items()
    }
    return Statement("companions/joint_risk/pieces", **holes, **sides)


def together(store: Session, side: Side, *, name: str) -> Partition:
    """The joint partition of earlier releases and new release. ``parts`` are stored for the last releases only."""
    earlier, now, (member,) = side.earlier, side.now, side.now.members
    member = member.model_copy(update={"number": earlier.next_number})
    partition = replace(earlier, name=name, members=(*earlier.members, member), unsure=side.unsure)
    first = member.number + 1 - max(1, min(_PAIRED, _PARTS // max(1, side.count)))
    rows: Hole = Statement(
        "companions/joint_risk/joint_partition#together",
        keys=columns(earlier.keys),
        pieces=side.pieces,
        groups=side.groups,
    )
    if now.salt is not None:
        nested = Statement("store/relation#nested", rows=rows)
        both: dict[str, Hole] = {"earlier": earlier.relation("rows"), "now": now.relation("rows")}
        rows = Statement("companions/joint_risk/joint_partition#everything", together=nested, **both)
    assert isinstance(rows, Statement)
    store.create(partition.relation("rows"), rows)
    groups: dict[str, Hole] = {"groups": side.groups}
    store.create(
        partition.relation("parts"),
        Statement("companions/joint_risk/joint_partition#parts_together", parts=earlier.relation("parts"), **groups),
        {"first": first, "release": member.number},
    )
    both = {"earlier": earlier.relation("held"), "now": now.relation("held")}
    store.create(
        partition.relation("held"), Statement("companions/joint_risk/joint_partition#held_together", **both, **groups)
    )
    now_sets = Statement("companions/joint_risk/joint_partition#sets", held=now.relation("held"))
    both = {
        "earlier": earlier.relation("sets"),
        "now": Statement("store/relation#nested", rows=now_sets),
    }
    sets = Statement("companions/joint_risk/joint_partition#sets_together", **both)
    store.create(partition.relation("sets"), sets, {"first": first, "release": member.number})
    return partition
