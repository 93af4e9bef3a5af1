"""Recognition of a table as a release, and masking of its audit's figures: no count between 1 and k - 1 is shown."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from starcloak.base import small_counts
from starcloak.base.errors import SourceError, StatementError
from starcloak.commands.audit.attackers import Risk
from starcloak.commands.audit.result import Attacker, ClassSize
from starcloak.job import Place
from starcloak.releases import manifest
from starcloak.releases.disclosure import disclosure_of
from starcloak.releases.distinguishing_columns import Telling
from starcloak.releases.targets import registry
from starcloak.releases.targets.duckdb_table import MARK, DuckDBTable
from starcloak.releases.targets.file import File
from starcloak.store.databases.duckdb.database import open_file
from starcloak.store.databases.host import Host
from starcloak.store.databases.ledger import LEDGER, Ledger
from starcloak.store.databases.tables import Tables
from starcloak.store.session import ORIGIN, Session
from starcloak.verify.classes import Sizes

#: Note for the audit of a release of a job with ``person``: k counts persons.
_PERSONS = (
    "k and the report of this release count persons, but the release has no column of persons: the figures here "
    "count rows, and a class of k persons has k rows or more"
)


@dataclass(frozen=True)
class Known:
    """Knowledge about a table: ``k`` of the release in it, None for no known release; ``notes`` for the reader."""

    k: int | None = None
    notes: tuple[str, ...] = ()


def what_is_known(session: Session, host: Host, place: Place) -> Known:
    """Recognize a release in a file or table, by the database's ledger, the table's mark or the run's manifest.

    ``host`` is the open database of the ``place``. If k of the release counts persons, a note states this. The rows of
    a query are never a release. Raises :class:`SourceError` for a release with unknown k.
    """
    known_release = _recognized(session, host, place)
    if known_release.k is None:
        return known_release
    result = manifest.known_result(registry.place(place), [])
    if result is None or result.persons is None or (disclosure_of(result).result.k or 0) != known_release.k:
        return known_release
    return Known(known_release.k, (*known_release.notes, _PERSONS))


def _recognized(session: Session, host: Host, place: Place) -> Known:
    if place.path is not None:
        return _of(File(place.path.absolute()).released_k())
    if place.table is None or place.url is None:
        return Known()
    database = host if isinstance(host, Tables) else open_file(session, place.url, ORIGIN)
    schema, _, name = place.table.rpartition(".")
    known_release = _in_ledger(database, schema, name)
    if known_release != Known() or not (database.mark(schema or database.schema_of(name), name) or "").startswith(MARK):
        return known_release
    table = DuckDBTable(place.url, place.table)
    result = manifest.last_result(table)
    if result is None:
        raise SourceError(
            f"{table.label} is a release, but its manifest (the file with its k, written by its run) is missing: run "
            "the job again with --force, which writes the manifest"
        )
    return _of(result.k)


def release_k(session: Session, host: Host, place: Place) -> int | None:
    """The k of the release in a table; None for no release.

    It is 0 for a release with unknown k, and for a table of a database whose ledger may not be read.
    """
    try:
        known_release = what_is_known(session, host, place)
    except SourceError:
        return 0
    return None if known_release == Known() else known_release.k or 0


def _of(k: int | None) -> Known:
    if k is None or k < 2:
        return Known(k)
    return Known(k, (f"the table is a release with k = {k}: counts from 1 to {k - 1} are not shown",))


def _in_ledger(database: Tables, schema: str, table: str) -> Known:
    try:
        schema = schema or database.schema_of(table)
        _, _, _, ledgers, strange = database.what_stands(schema, table, LEDGER)
        if not ledgers or strange:
            return Known()
        ledger = Ledger(database, schema)
        ledger.open(there=True, strange=False)
        # Entries of runs that published nothing may be among them: the largest k reveals the least.
        return _of(max((entry.k or 0 for entry in ledger.entries(table) if entry.is_release), default=None))
    except StatementError:
        return Known(
            notes=(
                "the table may be a release, of which small counts should not be shown: the list of releases, "
                f"{LEDGER} in {schema} of {database.name}, may not be read; get the right to read it",
            )
        )


def masked_sizes(sizes: Sizes, k: int) -> list[ClassSize]:
    """The histogram of class sizes, without sizes or counts from 1 to k - 1.

    Sizes below k, and sizes of fewer than k classes, are pooled into one entry without a size. Further sizes join the
    pool until it has k classes. So no count between 1 and k - 1 is revealed, not even by subtraction.
    """
    separate_sizes = [(size, classes) for size, classes in sizes.counted if size >= k and classes >= k]
    left = sizes.classes - sum(classes for _, classes in separate_sizes)
    separate_sizes.sort(key=lambda pair: (pair[1], pair[0]))
    while 0 < left < k and separate_sizes:
        _, classes = separate_sizes.pop(0)
        left += classes
    further = sizes.rows - sum(size * classes for size, classes in separate_sizes) - left
    # So many rows more than classes would be one class of two rows, say.
    hidden = small_counts.mask(left, k) is None or (sizes.smallest < k and small_counts.mask(further, k) is None)
    pooled = [ClassSize(size=None, classes=None if hidden else left)] if left else []
    return [*pooled, *(ClassSize(size=size, classes=classes) for size, classes in sorted(separate_sizes))]


def masked_classes(sizes: Sizes, k: int) -> int | None:
    """The number of equivalence classes; None if the masked histogram of class sizes hides it."""
    counts = [size.classes for size in masked_sizes(sizes, k)]
    return None if None in counts else sizes.classes


def masked_uniques(sizes: Sizes, k: int) -> tuple[int | None, int | None]:
    """The number of unique rows and the number of classes of two rows; counts from 1 to k - 1 are None.

    Both are None if they would reveal that fewer than k other rows remain: of all rows, or of the rows in classes of
    fewer than k rows, as the share of these rows is shown, too.
    """
    alone, pairs = sizes.of(1), sizes.of(2)
    wholes = (sizes.rows, sizes.exposure.below(k)) if k > 2 else (sizes.rows,)  # pairs are no small classes of k = 2
    remaining = [whole - part for whole in wholes for part in (alone, 2 * pairs, alone + 2 * pairs)]
    hidden = sizes.smallest < k and any(small_counts.mask(count, k) is None for count in remaining)
    return (None, None) if hidden else (small_counts.mask(alone, k), small_counts.mask(pairs, k))


def masked_telling(telling: Telling, sizes: Sizes, k: int) -> Telling:
    """Distinction and separation of a set of columns; None for a figure that would reveal a small count.

    If all classes over all quasi-identifiers have k rows, classes over fewer columns have k rows, too. Otherwise
    separation could reveal the number of rows with one of two values, and distinction a single class of two rows.
    """
    classes = round((telling.distinction or 0) * sizes.rows)
    few_classes = small_counts.mask(classes, k) is None
    if sizes.smallest >= k:
        return telling.model_copy(update={"distinction": None}) if few_classes else telling
    few_more = small_counts.mask(sizes.rows - classes, k) is None
    update = {"separation": None} | ({"distinction": None} if few_classes or few_more else {})
    return telling.model_copy(update=update)


def masked_risk(risk: Risk, sizes: Sizes, k: int) -> Attacker:
    """Risk figures of an attacker as numbers for the reader; None for a figure that would reveal a small count."""
    return Attacker(
        records_at_risk=float(risk.records_at_risk) if may_tell_shares(sizes, k, risk.records_at_risk) else None,
        highest=float(risk.highest) if sizes.smallest >= k else None,
        average=float(risk.average) if masked_classes(sizes, k) is not None else None,
    )


def may_tell_shares(sizes: Sizes, k: int, *shares: Fraction) -> bool:
    """True if ``shares`` of the records in small classes may be shown to a reader.

    True without classes of fewer than k rows. False if such classes have fewer than k rows in total, because the shares
    would reveal this number. Otherwise only shares that include all rows of such classes may be shown.
    """
    small = sizes.exposure.below(k)
    return small == 0 or (small >= k and all(share * sizes.rows >= small for share in shares))
