"""Partition of rows by their classes in all releases of a source, over one quasi-identifier.

It is a recoding itself: measuring it with one more release costs one ``GROUP BY``, whatever the number of releases.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pydantic import BaseModel, ConfigDict

from starcloak.releases.recodings.overlap import overlaps_of
from starcloak.releases.recodings.person_links import rows_of_persons
from starcloak.releases.recodings.recoded_tuples import Relations
from starcloak.releases.recodings.saved_recodings import About
from starcloak.star.person_identity import Overlap
from starcloak.statements.statement import As, Hole, Joined, Literal, Name, Number, Statement, columns, conditions
from starcloak.store.relations import BASE
from starcloak.store.session import Session

KINDS = ("rows", "parts", "held", "sets")
#: Of the last releases it is kept which class of them a class is, and of as many as have so many parts of classes.
_PAIRED, _PARTS = 20, 2_000_000

PARTS_OF_TUPLES = "rows of one tuple are in several classes or left out, and whose these are nobody can tell"
NO_PERSONS = "its source was another or has changed, and whose its rows were is not kept"


class Member(BaseModel):
    """A release in a partition, with its ``number`` there."""

    model_config = ConfigDict(frozen=True)

    number: int
    run: str
    release: str
    released_at: str
    source: str | None
    split: bool
    sensitive: tuple[str, ...]
    as_they_are: tuple[str, ...] | None

    def hides(self, attribute: str) -> bool:
        """True if its classes show values of an attribute, but these values are not kept."""
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
    """Rows by their classes in some releases: relations of the working store, named after ``name``.

    ``rows`` has [whose,] value_1 …, class, rows, lower [and everything]; ``parts`` has class, release and part;
    ``held`` has class, attribute and texts; ``sets`` has release, part, attribute and texts. The cells of ``qid``'s
    attributes make the classes. In a partition of persons' rows, ``salt`` is the run used in the hashes of persons. It
    is ``unsure`` if a person's rows cannot be matched between releases.
    """

    name: str
    attributes: tuple[str, ...]
    qid: tuple[str, ...]
    members: tuple[Member, ...]
    salt: str | None = None
    unsure: bool = False

    def relation(self, kind: str) -> Name:
        """One of its relations."""
        return Name(f"{self.name}_{kind}")

    @property
    def keys(self) -> tuple[Name, ...]:
        """The key columns of the rows."""
        values = tuple(Name(f"value_{number}") for number in range(1, len(self.attributes) + 1))
        return values if self.salt is None else (Name("whose"), *values)

    @property
    def next_number(self) -> int:
        return 1 + max(member.number for member in self.members)

    def is_of(self, source: str | None) -> bool:
        """True if all of its releases have the same source rows, with each tuple in one class."""
        return source is not None and all(member.source == source and not member.split for member in self.members)

    @property
    def relations(self) -> list[Name]:
        """All of them, for who drops them."""
        return [self.relation(kind) for kind in (*KINDS, "classes")]


def of_release(
    store: Session, release: Relations, about: About, qid: Sequence[str], *, name: str, number: int = 0,
    whose: Whose | None = None, salt: str | None = None, source: str | None = None, now: Partition | None = None,
) -> Partition | str:  # fmt: skip
    """The partition of one release, or the reason why it is unknown.

    With ``whose``, the rows are those of persons: rows of the source being released if it is also the release's
    ``source``; otherwise rows kept with the release, with persons hashed with the run ``salt``. ``now`` is the
    partition of the new release. Without it, ``release`` is the new one.
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
    """The tuple, its attributes in order of their names."""
    places = (release.value(attribute).parts[0] for attribute in partition.attributes)
    return columns(As(Name(relation, place), Name(f"value_{number}")) for number, place in enumerate(places, 1))


def _persons(
    store: Session, release: Relations, about: About, partition: Partition, whose: Whose, *, now: Partition | None,
    again: bool,
) -> tuple[str | None, bool]:  # fmt: skip
    """Create the rows of persons, or say why they are not known; and whether they are not known for sure."""
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
    """Overlaps of earlier releases with another one, by their numbers, if their parts are known."""
    members = Statement(
        "releases/recodings/overlap#of_members", rows=earlier.relation("rows"), parts=earlier.relation("parts")
    )
    statement = Statement("companions/joint_risk/joint_partition#shown", persons=now.relation("rows"))
    rows = {
        kind: Statement("store/relation#nested", rows=relation)
        for kind, relation in (("earlier", members), ("now", statement))
    }
    return overlaps_of(store, now.keys[1:], **rows)


def of_some(store: Session, whole: Partition, runs: set[str], *, name: str) -> Partition:
    """The partition by some releases of another partition, which has their parts."""
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
    """Two partitions side by side: ``pieces`` of rows and their ``groups``, how many, and whether they are unsure."""

    earlier: Partition
    now: Partition
    pieces: Name
    groups: Name
    count: int
    unsure: bool

    @property
    def size(self) -> Statement:
        """The expression for the size of a group, as counted by k: rows or persons."""
        return Statement(
            "companions/joint_risk/groups#rows" if self.now.salt is None else "companions/joint_risk/groups#persons"
        )

    @property
    def relations(self) -> list[Name]:
        """Its own, for who drops them."""
        return [self.pieces, self.groups]


def side_by_side(store: Session, earlier: Partition, now: Partition) -> Side:
    """Create the groups of rows that share a class in earlier releases and in another one."""
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
    """The rows of two sides, matched by their keys. If a key may be ``whole``, it is looked whether all are."""
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
    """The partition by both sides together, with the parts of the classes of its last releases."""
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
