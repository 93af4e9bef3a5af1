"""Detection of sensitive values that are distinct texts with one meaning, or that stand for a missing value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from starcloak.statements.statement import Joined, Name, Statement
from starcloak.store.session import Session

_WORDS = (
    "na", "n/a", "n / a", "n.a.", "n.a", "nan", "nat", "nil", "null", "unknown", "unk", "not known", "not available",
    "not applicable", "not stated", "not specified", "unspecified", "undefined", "missing", "no data", "not recorded",
    "not reported", "unbekannt", "keine angabe", "k.a.", "k. a.", "fehlend", "inconnu", "desconocido", "sconosciuto",
)  # fmt: skip

#: Texts for a missing value, in lower case and without accents and spaces at the ends.
UNKNOWN = (
    "", "-", "--", "---", "\u2013", "\u2014", "?", "??", "???", ".", "..", "/", "#n/a", "\\n",
    *(before + word + after for word in _WORDS for before, after in (("", ""), "()", "[]", "<>")),
)  # fmt: skip

#: Numbers for a missing value, in a column with other texts than numbers.
CODES = ("-8", "-9", "-88", "-99", "-888", "-999", "-9999", "888", "999", "9999", "99999")


@dataclass(frozen=True)
class Spelling:
    """Numbers of a sensitive attribute's distinct values under several notions of equality.

    ``values`` counts distinct texts, ``folded`` distinct texts after folding, ``alike`` those left after merging.

    Folding ignores case, spaces, accents and Unicode forms; merging joins values of similar appearance. ``unknown``
    counts texts for a missing value. ``fewest`` is the smallest number of really different values in a class. If
    persons are known, a value that all persons of a class have is the only value of the class.
    """

    values: int
    folded: int
    alike: int
    unknown: int
    fewest: int

    @property
    def problem(self) -> str | None:
        """Description in words of different texts with one meaning, or None without such texts."""
        differences = []
        if self.folded < self.values:
            differences.append("differ in case, spaces, accents or Unicode form alone")
        if self.alike < self.folded:
            differences.append(
                "look alike (hyphens and full stops, 1 and 1.0, I210 and I21.0, letters of two alphabets)"
            )
        if self.unknown:
            differences.append("read as missing")
        return f"values that {' or '.join(differences)}" if differences else None

    def sentence(self, attribute: str) -> str | None:
        """Warning that the reported l (l-diversity) may be too large; None if every text has its own meaning."""
        if self.problem is None:
            return None
        return (
            f"column {attribute!r} has {self.problem}, and each spelling counts as a value; counted as one value, "
            f"distinct l = {self.fewest}: make equal values alike, or missing, in the source or under clean"
        )


def notes(
    session: Session,
    classes: Name,
    names: Sequence[str],
    texts: Sequence[str],
    qids: Sequence[Sequence[str]],
    *,
    persons: Sequence[str] = (),
) -> list[str]:
    """Warnings for the sensitive attributes in ``texts``, each with the smallest l over all ``qids``.

    ``classes`` is a relation of equivalence classes over the columns ``names``. ``persons`` are the columns that
    identify persons; empty if each row is one person.
    """

    def place(name: str) -> Name:
        return Name(f"value_{names.index(name) + 1}")

    problems = (
        min(
            (
                spelling_of(session, classes, [*map(place, qid)], place(text), persons=[*map(place, persons)])
                for qid in qids
            ),
            key=lambda of: of.fewest,
        ).sentence(text)
        for text in texts
    )
    return [problem for problem in problems if problem is not None]


def spelling_of(
    session: Session, classes: Name, values: Sequence[Name], value: Name, *, persons: Sequence[Name] = ()
) -> Spelling:
    """Count the spellings in the column ``value`` of ``classes``, within classes over the columns ``values``.

    ``persons`` are the columns that identify persons; empty if each row is one person.
    """
    text = Statement("store/text", column=value)  # of JSON
    grouped, folded = Joined(tuple(values), ", "), Statement("store/text#folded", column=text)
    fewest = Statement("sources/spelled#of_rows", values=grouped)
    if persons:
        fewest = Statement("sources/spelled#of_persons", values=grouped, persons=Joined(tuple(persons), ", "))
    return Spelling(
        *session.row(
            Statement(
                "sources/spelled",
                value=value,
                folded=folded,
                alike=Statement("sources/spelled#alike", folded=Name("folded")),
                columns=Joined((*values, *persons), ", "),
                classes=classes,
                fewest=fewest,
            ),
            {"unknown": list(UNKNOWN), "codes": list(CODES)},
        )
    )
