"""Attacks on a job's release, by the three criteria of the Article 29 Working Party, each with a control group.

After Giomi, Boenisch, Wehmeyer, Tasnádi 2022 (Anonymeter). Their attacks are on synthetic rows; here a cell of the
release covers the values that it generalizes. The people are those in the rows that the job releases; people in
suppressed rows are left out. A random half of the people is held out as the control group, and the job makes a release
of the other half. An attack's success on the control group comes from knowledge of the population, so it does not count
against the release.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starcloak.base.errors import JobError, RequirementError, VerificationError
from starcloak.commands import pipeline
from starcloak.commands.masking.apply_recoding import cells_covering
from starcloak.job import Job, load
from starcloak.job.attack_result import Attack, Attacks, Criterion, Trials
from starcloak.releases import state
from starcloak.releases.proposal import Clock, Proposal, ResolvedJob, compress, open_for, propose, resolve
from starcloak.releases.run import propose_as_run
from starcloak.releases.targets.data_frame import arrow_rows
from starcloak.releases.targets.memory import Memory
from starcloak.star.recoding.recoding import other_names
from starcloak.statements.statement import As, Joined, Name, Number, Statement, columns, lines
from starcloak.store.resources import Resources
from starcloak.store.source import SOURCE, Source

if TYPE_CHECKING:
    import pyarrow

    from starcloak.base.column import Column
    from starcloak.base.frames import Frame
    from starcloak.commands.release import Release
    from starcloak.store.session import Session

MOST, _FEWEST = 2_000, 200  # people of either half that are attacked, and predicates: their shares are known to 2 %
_PAIRS = 50_000_000  # of people and classes, unless there are so many classes
_COLUMNS = 20  # of which cells are guessed
_TWICE, _SHOWN = Name("attacks_twice"), Name("attacks_shown")
_PEOPLE, _ATTACKED, _RELEASED = Name("attacks_people"), Name("attacks_attacked"), Name("attacks_released")
_INCOMING, _RECEIVED = Name("attacks_incoming"), Name("attacks_received")
_CLASSES, _COVERING = Name("attacks_classes"), Name("attacks_covering")
_VALUES = Name("attacks_values")
_PREDICATES, _SHUFFLED = Name("attacks_predicates"), Name("attacks_shuffled")
_LINKED, _REGIONS, _REACHED = Name("attacks_linked"), Name("attacks_regions"), Name("attacks_reached")
_CANDIDATES = Name("attacks_candidates")


def attack(
    job: Job | Mapping[str, Any] | str | Path, *, frame: Frame | None = None, resources: Resources = Resources()
) -> Attacks:
    """Attack the job's release of half of the people, with the other half as control group. Publishes nothing.

    Raises as :func:`~starcloak.commands.pipeline.run` does, and :class:`JobError` for a hierarchy that is a table or a
    further column of the source's database, and for a job that compares persons as sets of rows.
    """
    resolved = resolve(load(job))
    _refuse(resolved.job)
    # The release of a refresh depends on the rows shown by its last release.
    is_refreshed = bool(resolved.job.refresh) and resolved.released() is not None
    target = resolved.goal if is_refreshed else Memory()
    with open_for(resolved.job, resources, target) as store:
        opened = compress(store, resolved.job, frame, Clock(), target)
        loaded = resolved.of_source(opened)
        if opened.host is not store and opened.beside:
            raise JobError(
                "attacks do not support a hierarchy from further columns of a database table: give the hierarchy as "
                "csv or tree"
            )
        label, opened = opened.label, _shown_rows(store, _proposed(store, resolved, opened, is_refreshed=is_refreshed))
        # By a secret: a person able to repeat the draws could try out guesses of a row on their figures.
        key = state.keyed(f"attacks {loaded.seed}") or secrets.token_hex()
        store.report("draw")
        people = _draw(store, opened, loaded, key)
        if not people.held_out:
            raise RequirementError(
                f"attacks need at least two released rows, and a run would release fewer rows of {label}: weaken the "
                "requirement"
            )
        try:
            release = pipeline.run(_of_half(loaded, opened), frame=people.half(store), resources=resources, joint=False)
        except RequirementError as error:
            raise RequirementError(
                f"attacks use a release of one half of the rows, and this half has no release: {error}"
            ) from None
        store.report("attack")
        most = min(MOST, max(_FEWEST, _PAIRS // max(1, 2 * _receive(store, people, release))))
        return _Attacked(store, loaded, people, release, label, key, most).all()


def _refuse(job: Job) -> None:
    """Raise :class:`JobError` for a job that cannot make a release of half of the people."""
    if job.as_set:
        raise JobError(
            "attacks do not support person: {column: …, as: set}, which compares all rows of a person: give person: "
            "COLUMN without as"
        )
    for name, kind in job.quasi_identifiers.items():
        if kind.table_read:
            raise JobError(
                f"attacks do not support the hierarchy of {name!r}, which is a table of the source's database: give "
                "the hierarchy as csv or tree"
            )


def _proposed(store: Session, resolved: ResolvedJob, opened: Source, *, is_refreshed: bool) -> Proposal:
    """The recoding that a run of the job would propose for the whole opened source."""
    if not is_refreshed:
        return propose(store, resolved.of_source(opened), opened, Clock(), keep=False)
    refreshed = replace(resolved, job=resolved.job.model_copy(update={"refresh": True}))
    return propose_as_run(store, refreshed, opened)


def _shown_rows(store: Session, proposal: Proposal) -> Source:
    """The source restricted to the rows that a proposed release does not suppress, in the working store, with raw
    values.
    """
    rows = replace(proposal.source.home(store, lambda column: column.type), frame=None, held=())
    further_columns = [column for column in (*rows.persons, *rows.beside) if column not in rows.released]
    everything = [*map(_name, rows.released), *map(_name, further_columns)]
    copies = other_names(rows, *(f"own_{at}" for at, _ in enumerate(rows.quasi_identifiers, 1)))
    own = dict(zip(map(_name, rows.quasi_identifiers), copies, strict=True))
    origin = Statement("store/relation", relation=As(rows.relation, SOURCE))
    twice = columns([*everything, *(As(name, copy) for name, copy in own.items())])
    store.create_view(_TWICE, Statement("store/source", columns=twice, origin=origin))
    added = [replace(column, name=str(own[_name(column)].parts[-1])) for column in rows.quasi_identifiers]
    copied = replace(rows, relation=_TWICE, released=(*rows.released, *added, *further_columns), persons=(), beside=())
    values = columns(As(own[name], name) if name in own else name for name in everything)
    store.create(_SHOWN, Statement("store/source", columns=values, origin=proposal.recoding.release(copied)))
    return replace(rows, relation=_SHOWN)


def _name(column: Column) -> Name:
    return Name(column.name)


def _of_half(job: Job, opened: Source) -> Job:
    """The job for half of the people: on cleaned rows in a data frame, with a release in memory that is not kept."""
    alone: dict[str, Any] = {"source": None, "output": None, "against": [], "accept": None, "without_leaf": None}
    alone |= {"clean": {}, "keep_dimensions": False, "refresh": False, "departures": "tell", "insight": "off"}
    released = {column.name for column in (*opened.released, *opened.persons)}
    alone["identifiers"] = [column.name for column in opened.beside if column.name not in released]
    alone["others"] = None
    if job.algorithm.kept:
        alone["algorithm"] = job.algorithm.model_copy(update={"cube": None})
    return job.model_copy(update=alone)


@dataclass(frozen=True)
class _People:
    """The relation of the source's rows with their persons in two halves, and its sizes.

    Columns of the source by name, with their names in the relation: ``quasi_identifiers``, kept columns (``known``) and
    ``others``. ``released`` and ``held_out`` are numbers of people, ``released_rows`` is the number of released rows.
    """

    quasi_identifiers: Mapping[str, Name]
    known: Mapping[str, Name]
    others: Mapping[str, Name]
    released: int
    held_out: int
    released_rows: int

    @property
    def values(self) -> list[Name]:
        return list(self.quasi_identifiers.values())

    @property
    def cells(self) -> list[Name]:
        """Names of the quasi-identifiers' columns in the relation of the release's classes."""
        return [Name(f"cell_{at}") for at in range(1, len(self.values) + 1)]

    def half(self, store: Session) -> pyarrow.Table:
        """The rows of the people in the release, with the column names of the source."""
        named = {**self.quasi_identifiers, **self.known, **self.others}
        cells = columns(As(place, Name(name)) for name, place in named.items())
        return arrow_rows(store, Statement("commands/attacks/people#half", columns=cells, people=_PEOPLE))


def _draw(store: Session, opened: Source, job: Job, key: str) -> _People:
    """Create the relation of people: all rows, with their persons in two random halves by the secret ``key``."""

    def named(group: Sequence[Column], kind: str) -> dict[str, Name]:
        return {column.name: Name(f"{kind}_{at}") for at, column in enumerate(group, 1)}

    values, known_columns = named(opened.quasi_identifiers, "value"), named(opened.kept, "known")
    further_columns = named(opened.persons, "person") | {
        name: place for name, place in named(opened.beside, "beside").items() if name not in {*values, *known_columns}
    }
    places = {**values, **known_columns, **further_columns}
    rows = Joined(tuple(Name("source", name) for name in places), ", ")
    number = Statement("commands/attacks/people#row")
    if opened.persons:
        persons = Joined(tuple(further_columns[column.name] for column in opened.persons), ", ")
        number = Statement("commands/attacks/people#person", persons=persons)
    drawn = Statement(
        "commands/attacks/people",
        columns=columns(As(Name("source", name), place) for name, place in places.items()),
        number=number,
        rows=rows,
        source=opened.relation,
    )
    store.create(_PEOPLE, drawn, {"key": key})
    return _People(
        values, known_columns, further_columns, *store.row(Statement("commands/attacks/people#sizes", people=_PEOPLE))
    )


def _receive(store: Session, people: _People, release: Release) -> int:
    """Create the relations of a release's rows and of its equivalence classes; returns the number of classes."""
    rows = release.to_arrow()
    reader = rows.to_reader()
    store.receive(_RECEIVED, _INCOMING, reader, Statement("store/relation", relation=_INCOMING))
    texts = [
        As(Statement("commands/attacks/released#text", column=Name("released", name)), cell)
        for name, cell in zip(people.quasi_identifiers, people.cells, strict=True)
    ]
    known_cells = [As(Name("released", name), place) for name, place in people.known.items()]
    store.create(
        _RELEASED,
        Statement(
            "commands/attacks/released",
            columns=columns([*texts, *known_cells]),
            cells=Joined(tuple(people.cells), ", "),
            released=_RECEIVED,
        ),
    )
    return store.create(
        _CLASSES,
        Statement("commands/attacks/released#classes", cells=Joined(tuple(people.cells), ", "), released=_RELEASED),
    )


@dataclass(frozen=True)
class _Attacked:
    """The release of the first half, in the working store beside the people.

    ``most`` is the largest number of people attacked in each half, and of predicates. ``key`` is the secret of the
    draws.
    """

    store: Session
    job: Job
    people: _People
    release: Release
    label: str
    key: str
    most: int

    def all(self) -> Attacks:
        """Make all attacks; returns their results, and the attacks that were not possible."""
        self._attack_some()
        self._cover()
        attacks = [*self._singled_out(), *self._linked(), *self._inferred()]
        known_columns, untried = list(self.people.known), list[tuple[Criterion, str]]()
        if len(self.people.quasi_identifiers) < 2:
            untried.append(("Linkability", "the attack needs two or more quasi-identifiers, and the job has one"))
        if not known_columns:
            untried.append(
                ("Inference", "the attack guesses columns that are released unchanged, and the job has no such column")
            )
        if len(known_columns) > _COLUMNS:
            limit_note = (
                f"the last {len(known_columns) - _COLUMNS} of the columns released unchanged were not guessed, to "
                "save time"
            )
            untried.append(("Inference", limit_note))
        return Attacks(
            source=self.label,
            people=self.people.released,
            control=self.people.held_out,
            counted="persons" if self.job.persons else "rows",
            k=self.release.k,
            attacks=tuple(attacks),
            untried=tuple(untried),
        )

    def _attack_some(self) -> None:
        """Create the relation of attacked people and, per quasi-identifier, of the cells covering each value."""
        for at, name in enumerate(self.people.quasi_identifiers, 1):
            value = Name(f"value_{at}")
            self.store.create(_VALUES, Statement("commands/attacks/people#values", value=value, people=_PEOPLE))
            (column,) = self.store.describe(Statement("store/relation", relation=_VALUES))
            cells_covering(
                self.store, self.store, self.job.hierarchies[name], column.under(name),
                values=_VALUES, classes=_CLASSES, cell=Name(f"cell_{at}"), into=_covers(at),
            )  # fmt: skip
        self.store.create(_ATTACKED, Statement("commands/attacks/people#attacked", people=_PEOPLE), {"most": self.most})

    def _cover(self) -> None:
        """Create the relation of classes covering each attacked person.

        A person without such a class has the classes that cover most of the quasi-identifiers.
        """
        places = range(1, len(self.people.cells) + 1)
        covered = self._covered(places)
        self.store.create(
            _COVERING,
            Statement("commands/attacks/covering", people=_ATTACKED, classes=_CLASSES, covered=covered),
        )
        there = {"people": _ATTACKED, "covering": _COVERING}
        (alone,) = self.store.row(Statement("commands/attacks/covering#alone", **there))
        if alone > self.people.released_rows - self.release.result.released_rows:
            raise VerificationError(
                "no attack was tried: some people of the release fit none of its classes, as the source changed or "
                "by a defect; run again, and report the defect if the message stays"
            )
        known_cells = {at: Name(f"known_{at}") for at in places}
        pieces = (Statement("commands/attacks/covering#covered", covers=name) for name in known_cells.values())
        cells = lines(
            Statement(
                "commands/attacks/covering#cells",
                known=name, covers=_covers(at), value=Name(f"value_{at}"), cell=Name(f"cell_{at}"),
            )
            for at, name in known_cells.items()
        )  # fmt: skip
        nearest = Statement(
            "commands/attacks/covering#nearest",
            **there, classes=_CLASSES, covered=Joined(tuple(pieces), " + "), cells=cells,
        )  # fmt: skip
        self.store.insert(_COVERING, nearest)

    def _covered(self, places: Sequence[int]) -> Joined:
        """The joins of people with covering cells in the quasi-identifiers at ``places`` (from 1).

        The quasi-identifier with the most values is joined first.
        """
        return lines(
            Statement(
                "commands/masking/masks#covered" if number else "commands/masking/masks#first",
                covers=_covers(at),
                value=Name(f"value_{at}"),
                cell=Name(f"cell_{at}"),
            )
            for number, at in enumerate(self._by_values(places))
        )

    def _by_values(self, places: Sequence[int]) -> list[int]:
        """The ``places`` of quasi-identifiers (from 1), sorted by falling number of values."""
        return sorted(places, key=lambda at: -self._distinct[at - 1])

    @cached_property
    def _distinct(self) -> Sequence[int]:
        """Number of different values of each quasi-identifier in the source."""
        counts = (
            As(Statement("commands/attacks/people#distinct", value=value), Name(f"values_{at}"))
            for at, value in enumerate(self.people.values)
        )
        return self.store.row(Statement("commands/attacks/people#told", counts=columns(counts), people=_PEOPLE))

    def _trials(self, criterion: Criterion, what: str, right: Sequence[int], baseline: Trials | None) -> Attack:
        tried = min(self.most, self.people.released), min(self.most, self.people.held_out)
        released, control = (Trials(*counts) for counts in zip(tried, map(int, right), strict=True))
        return Attack(criterion, what, released, control, baseline)

    def _singled_out(self) -> list[Attack]:
        """Attacks with predicates of released cells that match exactly one person."""
        attacks = [self._by_predicates("cells of the quasi-identifiers", ())]
        if self.people.known:
            attacks.append(self._by_predicates("all cells of a row", list(self.people.known.values())))
        return attacks

    def _by_predicates(self, what: str, known_cells: Sequence[Name]) -> Attack:
        cells = Joined(tuple(self.people.cells), ", ")
        record = Statement("commands/attacks/singled_out#record", cells=Joined((Number(1), *known_cells), ", "))
        drawn = Statement("commands/attacks/singled_out#predicates", cells=cells, record=record, released=_RELEASED)
        total = self.store.create(_PREDICATES, drawn, {"most": self.most, "key": self.key})
        alone, control = self._matched(_PREDICATES, record, known_cells)
        parts = [*self.people.cells, *([Name("record")] if known_cells else [])]
        baseline = None
        if len(parts) > 1 and total:
            moved = [(Name(f"moved_{at}"), at * total // len(parts)) for at in range(len(parts))]
            shuffled = Statement(
                "commands/attacks/singled_out#shuffled",
                cells=columns(Name(*person.parts, *part.parts) for (person, _), part in zip(moved, parts, strict=True)),
                predicates=_PREDICATES,
                moved=lines(
                    Statement(
                        "commands/attacks/singled_out#moved",
                        other=person, predicates=_PREDICATES, distance=Number(distance), total=Number(total),
                    )
                    for person, distance in moved
                ),
            )  # fmt: skip
            self.store.create(_SHUFFLED, shuffled)
            baseline = Trials(total, self._matched(_SHUFFLED, record, known_cells)[0])
        return Attack("Singling out", what, Trials(total, alone), Trials(total, control), baseline)

    def _matched(self, predicates: Name, record: Statement, known_cells: Sequence[Name]) -> tuple[int, int]:
        """Number of predicates matching exactly one person, in the released half and in the control group."""
        alone, control = self.store.row(
            Statement(
                "commands/attacks/singled_out",
                values=Joined(tuple(self.people.values), ", "),
                record=record,
                people=_PEOPLE,
                predicates=predicates,
                covered=self._covered(range(1, len(self.people.cells) + 1)),
                same=lines([Statement("commands/attacks/singled_out#same")] if known_cells else []),
            )
        )
        return int(alone), int(control)

    def _linked(self) -> list[Attack]:
        """Attacks that link two halves of the quasi-identifiers through released cells."""
        at = self._by_values(range(1, len(self.people.cells) + 1))
        mine, theirs = at[::2], at[1::2]
        if not theirs:
            return []
        cells = Joined(tuple(Name(f"cell_{place}") for place in theirs), ", ")
        values = Joined(tuple(Name(f"value_{place}") for place in theirs), ", ")
        self.store.create(_LINKED, Statement("commands/attacks/linked#classes", cells=cells, classes=_CLASSES))
        self.store.create(_REGIONS, Statement("commands/attacks/linked#regions", cells=cells, classes=_LINKED))
        reached = Statement(
            "commands/attacks/linked#reached", people=_ATTACKED, classes=_LINKED, covered=self._covered(mine)
        )
        self.store.create(_REACHED, reached)
        covered = self._covered(theirs)
        candidates = Statement(
            "commands/attacks/linked#candidates", values=values, people=_PEOPLE, regions=_REGIONS, covered=covered
        )
        self.store.create(_CANDIDATES, candidates)
        linked = Statement(
            "commands/attacks/linked",
            reached=_REACHED,
            candidates=_CANDIDATES,
            people=_ATTACKED,
            regions=_REGIONS,
            covered=covered,
        )
        names = list(self.people.quasi_identifiers)
        halves = " with ".join(", ".join(names[place - 1] for place in half) for half in (mine, theirs))
        right = self.store.row(linked, {"key": self.key})
        return [self._trials("Linkability", halves, right, Trials(self.people.released, 1, is_exact=True))]

    def _inferred(self) -> list[Attack]:
        """Attacks that guess cells of kept columns from the classes covering a person."""
        attacks = []
        for name, value in list(self.people.known.items())[:_COLUMNS]:
            *right, naive = self.store.row(
                Statement(
                    "commands/attacks/inferred", value=value, released=_RELEASED, covering=_COVERING, people=_ATTACKED
                )
            )
            tried = min(self.most, self.people.released)
            attacks.append(self._trials("Inference", name, right, Trials(tried, naive) if tried else None))
        return attacks


def _covers(at: int) -> Name:
    return Name(f"attacks_covers_{at}")
