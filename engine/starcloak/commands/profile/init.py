"""Drafting of a first job: the table is profiled, roles and hierarchies are chosen, and the job is written."""

from __future__ import annotations

import csv
import re
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starcloak.base import column_names
from starcloak.base.column import Column
from starcloak.base.errors import InputError, OutputError, SourceError
from starcloak.base.frames import as_arrow
from starcloak.base.operating_system import relative
from starcloak.commands.profile import (
    cleaning,
    columns,
    coordinates,
    costs,
    fitting,
    fixed_width,
    joining,
    misspellings,
    persons,
    roles,
    selection,
    trials,
    weights,
)  # fmt: skip
from starcloak.commands.profile.cleaning import CleaningProposal
from starcloak.commands.profile.columns import Profile
from starcloak.commands.profile.draft import Draft, Tellings, is_as_drafted
from starcloak.commands.profile.proposed_classification import goes_by_classification
from starcloak.commands.profile.roles import Decided
from starcloak.job import Place, Qid
from starcloak.job.cleaning import Cleaning
from starcloak.releases.distinguishing_columns import Telling, telling, unique_sets
from starcloak.sources import file_formats
from starcloak.sources.delimited import DELIMITERS, encoding_of
from starcloak.sources.file_formats import PACKED, format_of
from starcloak.sources.frame import FrameSource
from starcloak.sources.open_source import open_source, open_store
from starcloak.sources.roles import everything
from starcloak.sources.spelling import spelling_of
from starcloak.statements.statement import Joined, Name, Number, Statement
from starcloak.store import staging
from starcloak.store.databases.url import Url
from starcloak.store.resources import Resources
from starcloak.store.session import Session
from starcloak.store.source import Source
from starcloak.verify import classes

if TYPE_CHECKING:
    from starcloak.base.frames import Frame

_ROWS, _CLASSES, _SAMPLE = Name("profiled"), Name("profiled_classes"), Name("profiled_sample")
_READ, _READ_ROWS = Name("profiled_readable_sample"), Name("profiled_readable_rows")
#: Texts that stand for a missing value in many files.
_MISSING = ("NA", "N/A", "NULL", "null", "?", "None", "nan", "NaN", "-")
_VALUE = re.compile(r"-?[0-9]+([.,][0-9]+)*|[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{1,2}[./][0-9]{1,2}[./][0-9]{2,4}")
_YEAR = re.compile(r"(1[89]|20)[0-9]{2}(-(0[1-9]|1[0-2]))?")
_MOST_LEAVES = 20_000
_NEARLY_ALL = Fraction(95, 100)
_SAMPLED = 10_000  # combinations of which sets of columns are looked at, where there are more
_COUNTED = 16  # sets that are counted over all rows, at most


def draft(
    place: Place | None,
    *,
    into: Path,
    frame: Frame | None = None,
    ask: Callable[[Decided], column_names.Role] = lambda decided: decided.role,
    clean: Mapping[str, Cleaning] | None = None,
    resources: Resources = Resources(),
) -> Draft:
    """Draft a job for a file or table, or for a data frame. ``into`` is the path of the later job file.

    ``ask`` is called with the decision on each column and returns the final role. All figures are of cells cleaned by
    the rules ``clean``, by default the proposed rules. Nothing is written. Raises an
    :class:`~starcloak.base.errors.InputError` for a table that cannot be read, or has no rows.
    """
    settings: dict[str, Any] = {}
    if place is not None:
        place, settings = _read_as(place, _place_as_given(place, into))
    proposals: dict[str, CleaningProposal] | None = None
    cleaned: Mapping[str, Cleaning] = {}
    while True:
        with _open(place, frame, resources, cleaned) as table:
            missing = None if place is None else _text_of_missing(table.store, table.source, place)
            if place is not None and missing is not None:
                settings["null"] = ["", missing]  # an empty cell of another day is missing, too
                place = place.model_copy(update={"null": settings["null"]})
                continue
            rows = _bring_home(table, settings)
            if proposals is None:
                proposals = _proposals(table)
                cleaned = _rules(proposals) if clean is None else clean
                if cleaned:
                    continue
            drafted = _draft(table, rows, proposals, settings, into, ask, resources)
            return replace(drafted, cleaned=cleaned)


@dataclass(frozen=True)
class _Table:
    """The profiled table: the working store, and the source with the columns of types with a hierarchy.

    ``unread`` are the other columns.
    """

    store: Session
    source: Source
    unread: Sequence[Column]


@contextmanager
def _open(
    place: Place | None, frame: Frame | None, resources: Resources, clean: Mapping[str, Cleaning]
) -> Iterator[_Table]:
    """Context with the open table, its cells cleaned by the rules ``clean``."""
    described: list[Column] = []
    more: dict[str, Any] = {"clean": clean}

    def with_hierarchies(columns: Sequence[Column]) -> Mapping[str, Sequence[str]]:
        described.extend(columns)
        return everything(selection.usable(columns))

    with open_store(place, resources) as store:
        if frame is None:
            opened = open_source(store, place, with_hierarchies, closed=False, **more)
        else:
            described.extend(_without_hierarchy(frame))
            unread = [column.name for column in described]
            names = [name for name in FrameSource(frame).names if name not in unread]
            roles_ = {"quasi_identifiers": [], "keep": names, "identifiers": unread}
            # Read as a hierarchy would read them: kept cells of some types are numbers that stand for them.
            opened = open_source(store, None, roles_, frame=frame, closed=False, beside=names, **more)
            described.extend(opened.released)
        store.lock_down()
        opened = replace(opened, released=tuple(column for column in opened.released if column.is_groupable))
        here = opened.home(store, lambda column: column.type)
        yield _Table(store, here, [column for column in described if not column.is_groupable])


def _without_hierarchy(frame: Frame) -> list[Column]:
    """The columns of a data frame of types without a hierarchy, by Arrow's names of the types."""
    from pyarrow import ArrowException, types

    unread = (
        types.is_binary, types.is_large_binary, types.is_fixed_size_binary, types.is_binary_view, types.is_nested,
        types.is_duration, types.is_interval,
    )  # fmt: skip
    try:
        fields = as_arrow(frame).schema
    except (ArrowException, TypeError, ValueError):
        return []  # opening the frame says which column Arrow cannot hold
    return [
        Column(str(field.name), str(field.type)) for field in fields if any(is_one(field.type) for is_one in unread)
    ]


def _bring_home(table: _Table, settings: Mapping[str, Any]) -> int:
    """Copy the rows to the working store; returns their number.

    Raises :class:`SourceError` for fewer than two rows, and for a CSV file without names in its first line.
    """
    store, source = table.store, table.source
    store.create(_ROWS, Statement("store/relation", relation=source.relation))
    (rows,) = store.row(Statement("store/relation#count", relation=_ROWS))
    source.refuse_lost(rows)
    if not rows:
        raise SourceError(f"{source.label} has no rows, so there is nothing to profile: give a table with rows")
    if rows == 1:
        raise SourceError(
            f"{source.label} has only one row, and anonymity needs the rows of several people: give a table with "
            "more rows"
        )
    if "path" in settings and format_of(Path(settings["path"])) == "CSV" and not settings.get("rename"):
        _refuse_row_as_names(store, source)
    return int(rows)


def _proposals(table: _Table) -> dict[str, CleaningProposal]:
    """The proposed cleaning by column; clean columns are left out."""
    proposed = {column.name: cleaning.propose(table.store, _ROWS, column) for column in table.source.released}
    return {name: proposal for name, proposal in proposed.items() if proposal is not None}


def _rules(proposals: Mapping[str, CleaningProposal]) -> dict[str, Cleaning]:
    """The rules of the proposals as settings of a job, by column."""
    return {name: proposal.settings for name, proposal in proposals.items() if proposal.settings is not None}


def write(drafted: Draft, into: Path) -> list[Path]:
    """Write a draft and the files of its hierarchies, all private to their owner. Raises :class:`OutputError`."""
    refuse(into)
    written = []
    try:
        for name, file in drafted.files.items():
            path = into.parent / file
            content = drafted.fitted[name].file or ""
            if path.exists() and path.read_text(encoding="utf-8") != content:
                raise OutputError(f"{path} is there already: move it, or write the job into another folder")
            path.parent.mkdir(parents=True, exist_ok=True)
            staging.write(path.resolve(), content, uuid.uuid4().hex, private=True)
            written.append(path)
        # It may have values of the source in its trees, or a password in its URL.
        staging.write(into.resolve(), drafted.text, uuid.uuid4().hex, private=True)
    except (OSError, UnicodeError) as error:
        raise OutputError(f"{into} cannot be written ({type(error).__name__}): check its folder") from None
    return [into, *written]


def refuse(into: Path) -> None:
    """Raise :class:`OutputError` for a path at which no draft can be written.

    Its folder is missing, its suffix is not that of a job, or another file than an unedited draft is there.
    """
    if into.is_dir():
        raise OutputError(f"{into} is a folder: name a file in it, such as --into {into / 'job.yaml'}")
    try:
        if into.exists() and not (into.is_file() and is_as_drafted(into.read_text(encoding="utf-8"))):
            raise OutputError(
                f"{into} is there already and was changed after init wrote it: give another name by --into"
            )
        if not into.absolute().parent.is_dir():
            raise OutputError(f"{into.absolute().parent} is not a folder: check --into")
    except (OSError, ValueError) as error:
        raise OutputError(f"{into} cannot be written ({type(error).__name__}): check --into") from None
    if into.suffix.lower() not in (".yaml", ".yml", ".json"):
        raise OutputError(f"{into} has no name of a job: --into takes a name that ends in .yaml")


def _place_as_given(place: Place, into: Path) -> dict[str, Any]:
    """The settings of the source in the job ``into``: a file's path is relative to the job's folder."""
    settings = place.model_dump(mode="json", exclude_defaults=True)
    if place.path is not None:
        settings["path"] = relative(place.path.absolute(), into.absolute().parent)
    if place.url is not None:
        settings["url"] = place.url
    return settings


def _read_as(place: Place, settings: dict[str, Any]) -> tuple[Place, dict[str, Any]]:
    """The place and its settings, completed for a CSV file.

    The encoding is added unless it is UTF-8, and the delimiter with the most columns unless it is a comma. Raises
    :class:`SourceError` for a file of fixed width.
    """
    if place.path is None or format_of(place.path) != "CSV":
        return place, settings
    encoding = place.encoding
    if encoding is None and place.path.is_file() and place.path.suffix.lower() not in PACKED:
        encoding, _ = encoding_of(place.path, str(place.path))
        settings = {**settings, "encoding": encoding} if encoding else settings
    if place.delimiter:
        return place, settings
    if place.path.is_file() and place.path.suffix.lower() not in PACKED:
        fixed_width.refuse(place.path, "".join(DELIMITERS), encoding)
    quote = place.quote or '"'
    cells = {delimiter: _cells(place.path, delimiter, quote, encoding) for delimiter in DELIMITERS}
    counts = {delimiter: count for delimiter, count in cells.items() if count > 1}
    if several := len(counts) > 1:
        counts = {delimiter: count for delimiter, count in counts.items() if _is_even(place.path, delimiter, quote)}
    best = max(counts, key=lambda delimiter: counts[delimiter], default=",")
    if not counts or (best == "," and not several):
        return place, settings  # its reader finds its encoding, its quotes and its delimiter, or raises an error
    return place.model_copy(update={"delimiter": best}), {**settings, "delimiter": best}


def _cells(path: Path, delimiter: str, quote: str, encoding: str | None) -> int:
    """Number of cells in a file's first line by a delimiter."""
    read_as = encoding or "utf-8-sig"
    # a guess: see above
    with suppress(OSError, UnicodeDecodeError, csv.Error), open(path, encoding=read_as, newline="") as lines:
        return len(next(csv.reader(lines, delimiter=delimiter, quotechar=quote), []))
    return 0


def _is_even(path: Path, delimiter: str, quote: str) -> bool:
    """True if all lines of a file have the same number of cells by a delimiter."""
    with suppress(InputError, OSError, UnicodeDecodeError, csv.Error):  # a guess: see above
        return bool(file_formats.examine_records(path, delimiter, quote=quote))
    return False


def _refuse_row_as_names(store: Session, opened: Source) -> None:
    """Refuse a CSV file with a row as its first line: the job would name its columns by values."""
    names = [column.name for column in opened.released]
    named = Joined(
        tuple(
            Statement("commands/profile/named#column", column=Name(name), place=Number(place))
            for place, name in enumerate(names, 1)
        ),
        " + ",
    )
    (among,) = store.row(Statement("commands/profile/named", named=named, rows=_ROWS), {"names": names})
    if among > 1 or _are_values(names):
        raise SourceError(
            (
                f"{opened.label}: {among} columns have their own name among their values, so the first line has no "
                "names of columns or occurs twice: correct the file"
            )
            if among > 1
            else f"{opened.label}: the first line has numbers or dates in place of names of columns, so it seems to "
            "be a row: write a line with the names of the columns above it"
        )


def _are_values(names: Sequence[str]) -> bool:
    """True if at least two names, and half of them, are numbers or dates: a table by years has years as names."""
    values = [name for name in names if _VALUE.fullmatch(name.strip()) and not _YEAR.fullmatch(name.strip())]
    counted = {str(number) for number in range(len(names) + 1)}  # numbered columns have 0, 1, … for names
    return len(values) > 1 and 2 * len(values) >= len(names) and not {*values} <= counted


def _text_of_missing(store: Session, opened: Source, place: Place) -> str | None:
    """The most frequent text for missing values (NA, …) in a CSV file; None if it has empty cells or no such text."""
    if place.path is None or format_of(place.path) != "CSV" or place.null:
        return None
    cells = Joined(tuple(Name(column.name) for column in opened.released), ", ")
    statement = Statement("commands/profile/missing", cells=cells, rows=opened.relation)
    times: dict[str | None, int] = dict(store.run(statement, {"texts": list(_MISSING)}))
    if None in times or not times:
        return None
    return max(_MISSING, key=lambda text: times.get(text, 0))


def _draft(
    table: _Table,
    rows: int,
    proposals: Mapping[str, CleaningProposal],
    settings: Mapping[str, Any],
    into: Path,
    ask: Callable[[Decided], column_names.Role],
    resources: Resources,
) -> Draft:
    store = table.store
    profiles = [
        *(columns.profile(store, _ROWS, column, count=rows) for column in table.source.released),
        *(columns.unread(column, rows) for column in table.unread),
    ]
    judged = [_usable(store, roles.decide(profile)) for profile in profiles]
    decisions = [_spelled(store, _ask_for(decided, ask)) for decided in judged]
    decisions = _weighed(store, decisions, rows)
    decisions, person = persons.person_of(store, _ROWS, decisions)
    sampled = selection.sample(store, _ROWS, rows, person)
    read = selection.readable(store, sampled, decisions, into=_READ)
    without_joining = joining.without_joining(store, _ROWS, decisions, person)
    decided = selection.select(store, read, without_joining, records=roles.records_of(person))
    possible = [column.profile for column in decided if column.role == "quasi_identifiers"]
    fitted = {profile.name: fitting.fit(profile, _values(store, profile)) for profile in possible}
    decided, fitted = coordinates.as_places(decided, fitted)
    part = trials.part_of(store, sampled)
    costs_ = costs.cost(store, part, decided, fitted, resources, has_persons=person is not None)
    decided = joining.without_joint_joining(store, _ROWS, costs.without_costly(decided, costs_), person)
    quasi_identifiers = [column.profile for column in decided if column.role == "quasi_identifiers"]
    fitted = {profile.name: fitted[profile.name] for profile in quasi_identifiers}
    released = [column for column in decided if column.role != "identifiers" and column.profile.column.is_groupable]
    counted = selection.readable(store, _ROWS, decisions, into=_READ_ROWS) if person is None else read
    words = {column.name: misspellings.misspellings(store, _ROWS, column.profile.column) for column in released}
    folder = f"{into.stem}-hierarchies"
    files = {
        name: f"{folder}/{number}.csv" for number, (name, fit) in enumerate(fitted.items(), 1) if fit.file is not None
    }
    return Draft(
        label=table.source.label,
        rows=rows,
        source=settings,
        output={"path": f"{into.stem}-release.{_format(decided, settings)}"} if settings else {},
        decided=decided,
        fitted=fitted,
        files=files,
        tellings=_tellings(store, table.source, quasi_identifiers, counted),
        exposure=selection.exposure(store, read, decided),
        cleaning=_needed(proposals, decided, person),
        choice=trials.choose(store, part, decided, fitted, resources),
        costs=costs_,
        notes=_notes(settings, has_words=any(words.values())),
        person=person,
        misspelled={name: found for name, found in words.items() if found},
    )


def _needed(
    proposals: Mapping[str, CleaningProposal], decided: Sequence[Decided], person: Decided | None
) -> dict[str, CleaningProposal]:
    """The cleaning proposals for columns that are released, may be released, or identify persons."""
    needed = {
        decision.name
        for decision in decided
        if decision.role != "identifiers" or decision.is_doubted or (person and decision.name == person.name)
    }
    return {name: proposal for name, proposal in proposals.items() if name in needed}


def _usable(store: Session, decided: Decided) -> Decided:
    """The decision; a quasi-identifier with negative zeros, in no hierarchy, is changed to an identifier."""
    column = decided.profile.column
    if decided.role != "quasi_identifiers" or not column.is_float:
        return decided
    if not any(store.row(Statement("store/unusable", column=Name(column.name), source=_ROWS))):
        return decided
    why = (
        f"{decided.evidence}; not released: it has negative zeros, which hierarchies do not support: replace them by 0"
    )
    return replace(decided, role="identifiers", evidence=why, is_doubted=True)


def _weighed(store: Session, decided: Sequence[Decided], rows: int) -> list[Decided]:
    """The decisions on all columns, changed for columns with weights or counts of people."""
    others = [column.name for column in decided if column.profile.column.is_groupable]
    found = [weights.with_weight(column, rows_are_classes=True) for column in decided]
    counts = [one.name for one, weighed in zip(decided, found, strict=True) if weighed is not one]
    beside = [name for name in others if name not in counts]
    if not counts or not beside:
        return list(decided)
    names = Joined(tuple(map(Name, beside)), ", ")
    (combined,) = store.row(Statement("commands/profile/persons#combined", names=names, rows=_ROWS))
    return [weights.with_weight(column, rows_are_classes=combined == rows) for column in decided]


def _format(decided: Sequence[Decided], given: Mapping[str, Any]) -> str:
    """The suffix of the release's file; Parquet for one column, because CSV would have missing cells as empty lines."""
    if sum(column.role != "identifiers" for column in decided) == 1:
        return "parquet"
    return "xlsx" if format_of(Path(given.get("path", ""))) == "XLSX" else "csv"


def _ask_for(decided: Decided, ask: Callable[[Decided], column_names.Role]) -> Decided:
    role = ask(decided)
    return decided if role == decided.role else Decided(decided.profile, role, roles.SAID)


def _spelled(store: Session, decided: Decided) -> Decided:
    """The decision on a column, with a note if sensitive values differ only in spelling."""
    if decided.role != "sensitive" or not decided.profile.column.is_text:
        return decided
    name = Name(decided.profile.name)
    problem = spelling_of(store, _ROWS, [name], name).problem
    if problem is None:
        return decided
    why = f"{decided.evidence}; it has {problem}: if such values mean the same, make them alike by map under clean"
    return replace(decided, evidence=why, is_doubted=True)


def _values(store: Session, profile: Profile) -> list[tuple[str | None, int]]:
    may_be_code = fitting.may_be_code(profile) or goes_by_classification(profile)
    is_number = profile.is_number and not may_be_code
    if profile.distinct > _MOST_LEAVES or is_number or profile.is_date:
        return []
    text = Statement("store/text", column=Name(profile.name))
    return [(text, count) for text, count in store.run(Statement("commands/profile/values", text=text, rows=_ROWS))]


def _tellings(store: Session, opened: Source, profiles: list[Profile], counted: Name) -> Tellings:
    """The distinguishing power of the quasi-identifiers, the contribution of each, and small sets that distinguish
    nearly all rows of the relation ``counted``.
    """
    names = [profile.name for profile in sorted(profiles, key=lambda profile: -profile.distinct)]
    by_name = {column.name: column for column in opened.released}
    (rows,) = store.row(Statement("store/relation#count", relation=counted))
    combinations, _ = classes.of(counted, [by_name[name] for name in names], qids=[Qid(attributes=names, k=1)])
    combined = store.create(_CLASSES, combinations)

    def alone(subset: Sequence[str]) -> int:
        return classes.class_sizes(store, classes.regroup(_CLASSES, names, subset)).of(1)

    singles = [telling(store, classes.regroup(_CLASSES, names, [name]), [name], rows) for name in names]
    uniques = alone(names)
    lost = {name: uniques - alone([kept for kept in names if kept != name]) for name in names if len(names) > 1}
    return Tellings(
        singles={telling.attributes[0]: telling.separation or 0.0 for telling in singles},
        lost={name: rows_ / uniques for name, rows_ in lost.items() if uniques},
        sets=_sets(store, names, singles, combined, rows),
    )


def _sets(
    store: Session, names: list[str], singles: Sequence[Telling], combined: int, rows: int
) -> list[tuple[str, ...]]:
    """The smallest sets of columns that distinguish nearly all rows.

    For many rows, a sample selects the sets to count: fewer rows are distinguished at least as well.
    """
    share = -(-combined // _SAMPLED)
    looked_at, sampled, known_sets = _CLASSES, rows, singles
    if share > 1:
        values = classes.columns_of(names, names)
        looked_at = _SAMPLE
        store.create(looked_at, Statement("commands/profile/sample", classes=_CLASSES, values=values), {"share": share})
        (sampled,) = store.row(Statement("commands/profile/values#rows", classes=looked_at))
        if not sampled:
            return []
        known_sets = [telling(store, classes.regroup(looked_at, names, [name]), [name], sampled) for name in names]
    minimal: list[tuple[str, ...]] = []
    whole = {tuple(telling.attributes): telling for telling in singles}
    left = _COUNTED

    def enough(measured: Telling) -> bool:
        """True if a set distinguishes nearly all rows: larger sets are then of no interest."""
        nonlocal left
        attributes = tuple(measured.attributes)
        if share > 1:
            if attributes not in whole and not left:
                return True
            if attributes not in whole:
                left -= 1
                whole[attributes] = telling(store, classes.regroup(_CLASSES, names, attributes), attributes, rows)
            measured = whole[attributes]
        if (measured.distinction or 0) < _NEARLY_ALL:
            return False
        minimal.append(attributes)
        return True

    together = telling(store, classes.regroup(looked_at, names, names), names, sampled).distinction or 0
    unique_sets(
        store, looked_at, names, known_sets, together=together, rows=sampled, combined=combined // share,
        least=_NEARLY_ALL, enough=enough,
    )  # fmt: skip
    return [attributes for attributes in minimal if len(attributes) > 1]


def _notes(settings: Mapping[str, Any], *, has_words: bool) -> list[str]:
    """Notes for the reader of the job."""
    words = " and rare words that look misspelled" if has_words else ""
    notes = [
        f"This file has no values of rows except common words under clean{words}.",
        "Files with hierarchies beside this file contain values: keep these files to yourself.",
    ]
    if "null" in settings:
        notes.append("The table has no empty cell: the text under null is taken for a missing value.")
    if "url" in settings and Url(settings["url"]).parts.password is not None:
        notes.append("The url has a password: only you may read this file. It is better kept elsewhere: see databases.")
    return notes
