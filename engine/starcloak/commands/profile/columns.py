"""Profiles of columns: figures of a column's values, counted over the rows in the working store."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from starcloak.base.column import Column
from starcloak.commands.profile.classifications import chapter
from starcloak.statements.statement import As, Hole, Joined, Literal, Name, Statement, columns
from starcloak.store.session import Session

#: Formats of dates beside 2001-12-31. If two fit, the first is taken, and the others are reported.
_FORMATS = tuple(
    day + time
    for day in (
        "%d.%m.%Y",
        "%m/%d/%Y",
        "%d/%m/%Y",
        "%d-%m-%Y",
        "%m-%d-%Y",
        "%Y%m%d",
        "%d %b %Y",
        "%d-%b-%Y",
        "%b %d, %Y",
        "%Y-%m-%d",
    )
    for time in ("", " %H:%M", " %H:%M:%S", " %I:%M %p", " %I:%M:%S %p")
)
#: Words for a sex in several languages, in lower case: the first word replaces the others.
SEXES = (
    "female f w fem weiblich frau femme femenino",
    "male m masc männlich maennlich mann homme masculino",
    "diverse d div divers nonbinary x",
)
_FEW = 5  # values that are no numbers or dates, where all others are

#: The share of a column's values with a pattern from which on the column counts as one of this pattern.
MOSTLY = 0.8
#: Patterns that hardly any other value matches.
_IDENTIFYING = ("email addresses", "internet addresses", "web addresses", "unique codes", "social security numbers")
_CHAPTERS = 3  # of ICD-10, at least, that the diagnoses of a table are of
_REPEATED = 20  # rows of one diagnosis, at least on average
_DIAGNOSES = 500  # different ones, at most: a table repeats the same ones

_SAMPLED = 2_000  # different values that patterns are looked for in
_SEVERAL = 3  # formats of one column, at most


@dataclass(frozen=True)
class Profile:
    """Profile of a column: figures of its values.

    ``rows`` is the number of rows of the table, ``present`` of rows with a value, ``distinct`` of different values.
    ``frequent`` are the numbers of rows of the most frequent values, at most 24, the largest first. ``shortest`` and
    ``longest`` are lengths of values. ``patterns`` are the shares (0
    … 1) of values that match a pattern; ``words`` is the mean count of words. Nearly all numbers are between ``low``
    and ``high``. ``years`` is the number of years spanned by the dates, and ``formats`` are the forms of strptime by
    which texts are dates: one each, or several together. A few values may be ``strange``: no numbers or dates, while
    all others are, such as *unknown*. Dates that ``have_short_years`` of two digits would need a guess of the century
    (31.12.45), so they do not count as dates. ``diagnoses`` and ``codes`` are shares (0 … 1) of the values: diagnoses
    of a chapter of ICD-10, and single words with a digit; ``chapters`` counts the chapters. ``kinds`` are the values in
    lower case, if there are at most six.
    """

    column: Column
    rows: int
    present: int
    distinct: int
    frequent: tuple[int, ...]
    shortest: int
    longest: int
    are_numbers: bool
    are_whole: bool
    are_padded: bool
    low: float | None
    high: float | None
    are_dates: bool
    years: int | None
    patterns: Mapping[str, float | None]
    diagnoses: float
    words: float
    formats: tuple[tuple[str, ...], ...] = ()
    strange: int = 0
    have_short_years: bool = False
    chapters: int = 0
    codes: float = 0.0
    kinds: frozenset[str] = frozenset()

    @property
    def name(self) -> str:
        return self.column.name

    @property
    def most(self) -> int:
        """The rows of the most frequent value."""
        return self.frequent[0] if self.frequent else 0

    @property
    def is_missing(self) -> bool:
        return self.present < self.rows

    @property
    def distinction(self) -> float:
        """Number of different values divided by the number of rows with a value."""
        return self.distinct / self.present if self.present else 0.0

    @property
    def is_nearly_unique(self) -> bool:
        return self.distinct >= 10 and self.distinction >= 0.9

    @property
    def may_be_a_number_of_things(self) -> bool:
        """True for whole numbers with at most two rows each on average: they may be numbers of people or records."""
        return self.is_number and self.are_whole and self.distinction >= 0.5

    @property
    def are_sexes(self) -> bool:
        """True if the values are words for sexes, with a word for female and a word for male among them."""
        female, male, diverse = (frozenset(words.split()) for words in SEXES)
        return bool(self.kinds & female and self.kinds & male) and self.kinds <= female | male | diverse

    @property
    def are_diagnoses(self) -> bool:
        """True if the values are diagnoses: at most 500 codes of several ICD-10 chapters, each in 20 rows on average.

        Codes of persons repeat less.
        """
        return (
            self.diagnoses >= MOSTLY
            and self.chapters >= _CHAPTERS
            and self.distinct <= _DIAGNOSES
            and self.distinct * _REPEATED <= self.present
        )

    def looks_like(self, share: float) -> str | None:
        """The pattern matched by at least a share of the values, or None."""
        return next((pattern for pattern, alike in self.patterns.items() if (alike or 0) >= share), None)

    @property
    def partly_like(self) -> str | None:
        """The pattern of identifying values that a value matches, or None; telephone numbers are like other texts."""
        return next((pattern for pattern in _IDENTIFYING if self.patterns.get(pattern)), None)

    @property
    def is_number(self) -> bool:
        return self.present > 0 and self.are_numbers

    @property
    def is_date(self) -> bool:
        return self.present > 0 and ((self.are_dates and not self.is_number) or bool(self.formats))


def unread(column: Column, rows: int) -> Profile:
    """The profile, without figures, of a column of a type without hierarchies; ``rows`` are the table's rows."""
    return Profile(column, rows, 0, 0, (), 0, 0, False, False, False, None, None, False, None, {}, 0.0, 0.0)


def profile(session: Session, rows: Name, column: Column, *, count: int) -> Profile:
    """The profile of a column of the relation ``rows``; ``count`` is the number of its rows."""
    name = Name(column.name)
    holes: dict[str, Hole] = {"column": name, "text": Statement("store/text", column=name), "rows": rows}
    figures = session.row(Statement("commands/profile/column", **holes))
    present, distinct, frequent, shortest, longest, no_numbers, *more = figures
    whole, padded, low, high, dates, years, patterns, *rest = more
    few = min(_FEW, distinct // 10)
    strange, numbers = no_numbers, no_numbers <= few
    diagnoses, codes, words, look_like_dates, have_short_years, kinds = rest
    chapters = [chapter_name for text in diagnoses if (chapter_name := chapter(text)) is not None]
    formats: dict[tuple[str, ...], tuple[int, int]] = {}
    if look_like_dates and not dates:
        formats = _formats(session, rows, name, holes["text"]) or _several(session, rows, name, holes["text"], few)
        years, strange = next(iter(formats.values()), (years, strange))
    return Profile(
        column, count, present, distinct, tuple(frequent), shortest, longest, numbers, whole, padded, low, high, dates,
        years, patterns or {}, len(chapters) / max(min(distinct, _SAMPLED), 1), words or 0.0, tuple(formats),
        strange if numbers or formats else 0, have_short_years, len({*chapters}), codes, frozenset(kinds or ()),
    )  # fmt: skip


def _formats(session: Session, rows: Name, column: Name, text: Hole) -> dict[tuple[str, ...], tuple[int, int]]:
    """The formats that read nearly all values of a column as dates.

    Each format is mapped to the number of years spanned and the number of values that are no such dates.
    """
    read = columns(
        As(Statement("commands/profile/dates#years", instant=_read(form)), Name(f"years_{number}"))
        for number, form in enumerate(_FORMATS)
    )
    statement = Statement("commands/profile/dates", years=read, column=column, text=text, rows=rows)
    years = session.row(statement, {"few": _FEW})
    return {(form,): tuple(year) for form, year in zip(_FORMATS, years, strict=True) if year is not None}


def _several(
    session: Session, rows: Name, column: Name, text: Hole, few: int
) -> dict[tuple[str, ...], tuple[int, int]]:
    """Up to three formats that together read nearly all values as dates, with figures as in :func:`_formats`.

    The first format reads the most values, each further one the most of the remaining values. A value read by two of
    them is a date of neither: 01/02/2021 would be a guess.
    """
    read = Joined(tuple(Statement("commands/profile/dates#year", instant=_read(form)) for form in _FORMATS), ", ")
    statement = Statement("commands/profile/dates#several", years=read, column=column, text=text, rows=rows)
    counts = session.run(statement)
    taken: list[int] = []
    for _ in range(_SEVERAL):
        left: Counter[int] = Counter()
        for forms, count, *_ in counts:
            left.update({form: count for form in forms if not {*forms} & {*taken}})
        if left:
            taken.append(min(left, key=lambda form: (-left[form], form)))
    dates = [row for row in counts if len({*row[0]} & {*taken}) == 1]
    none = sum(count for _, count, *_ in counts) - sum(count for _, count, *_ in dates)
    if none > few or len(taken) < 2:
        return {}
    years = max(last for *_, last in dates) - min(first for *_, first, _ in dates)
    return {tuple(_FORMATS[form] for form in taken): (years, none)}


def _read(form: str) -> Statement:
    return Statement("hierarchy/dates#read", format=Literal(form))
