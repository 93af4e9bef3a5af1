"""What the verifier reads, part by part: of a release that is staged, and of relations that are made by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pandas
import pytest

import starcloak as sc
from starcloak.base.column import Column
from starcloak.base.errors import VerificationError
from starcloak.companions.refresh.recount import Departures
from starcloak.statements.statement import Name, Statement
from starcloak.store.databases.host import ClassTotals
from starcloak.store.session import Session
from starcloak.store.source import Source
from starcloak.verify import classes, invariants
from starcloak.verify.claim import Claim
from starcloak.verify.recount import Reading

PEOPLE = pandas.DataFrame(
    {"a": list("xxyyy"), "b": [1, 1, 2, 2, 3], "n": range(5), "illness": ["flu", "cold"] * 2 + ["flu"]}
)


def relation(name: str) -> Statement:
    return Statement("store/relation", relation=Name(name))


def look(
    job: dict[str, Any], looks: Callable[[Session, Statement, Claim], None], rows: pandas.DataFrame = PEOPLE
) -> None:
    """Have a look at what is staged, each time that a run verifies it."""
    verify = invariants.verify

    def verified(session: Session, release: Statement, claim: Claim) -> Reading:
        looks(session, release, claim)
        return verify(session, release, claim)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(invariants, "verify", verified)
        sc.run(job, frame=rows)


def job(**more: Any) -> dict[str, Any]:
    asked = {"quasi_identifiers": {"a": "suppress", "b": "suppress"}, "keep": ["n"], "sensitive": ["illness"]}
    return {**asked, "requirement": {"k": 1}, "insight": "off", **more}


def problems(reading: Reading, clause: str) -> list[str]:
    (asked,) = (each for each in invariants.CLAUSES if each.name == clause)
    return list(asked.problems(reading))


def forged(session: Session, release: Statement, changed: str) -> Statement:
    session.connection.execute(f"create or replace table forged as select * replace ({changed}) from ({release.sql()})")
    return relation("forged")


def test_a_release_is_compared_with_the_values_of_the_source_that_was_searched_and_no_other() -> None:
    """None is lost or doubled on its way home, the source has as many rows as before, and the release no others."""

    def looks(session: Session, release: Statement, claim: Claim) -> None:
        assert Reading(session, release, claim).judged
        gather = Session.gather_classes

        def gather_classes(self: Session, into: Name, *arguments: Any, **more: Any) -> ClassTotals:
            told = gather(self, into, *arguments, **more)
            if into.parts == ("source_values",):
                self.connection.execute("update source_values set size = size + 1 where value_1 = 'flu'")
            return told

        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(Session, "gather_classes", gather_classes)
            with pytest.raises(VerificationError, match="changed during the run"):
                assert Reading(session, release, claim).judged
        with pytest.raises(VerificationError, match="changed during the run"):
            assert Reading(session, release, replace(claim, rows=claim.rows + 1)).judged
        strange = forged(session, release, "case when n = 0 then 'plague' else illness end as illness")
        with pytest.raises(VerificationError, match="'illness' has values that are not in the source"):
            assert Reading(session, strange, claim).judged

    close = {"reference": "source", "t_closeness": [{"attribute": "illness", "t": "1"}]}
    look(job(requirement={"k": 1, **close}), looks)


def test_groups_of_each_qid_are_counted_again_and_are_those_of_the_database() -> None:
    def looks(session: Session, release: Statement, claim: Claim) -> None:
        assert Reading(session, release, claim).counts.classes.anonymity == (1, 2)
        torn = Reading(session, release, claim)
        assert torn.told.classes == 3
        session.connection.execute("update staged_classes set value_1 = 'x' where value_1 = 'y'")
        assert torn.counts.torn == 1

    look(job(requirement={"qids": [{"attributes": ["a", "b"], "k": 1}, {"attributes": ["a"], "k": 2}]}), looks)


def test_where_no_sums_tell_kept_cells_apart_all_of_them_are_compared() -> None:
    def looks(session: Session, release: Statement, claim: Claim) -> None:
        other = forged(session, release, "case when n = 0 then 1 else n end as n")
        for checksums, invented, kept in ((False, 1, 0), (True, 0, 1)):
            reading = Reading(session, other, replace(claim, checksums=checksums))
            assert (len(problems(reading, "invented")), len(problems(reading, "kept"))) == (invented, kept)
            assert not problems(Reading(session, release, replace(claim, checksums=checksums)), "invented")

    look(job(), looks)


def test_a_file_of_texts_has_the_rows_whose_persons_were_counted(tmp_path: Path) -> None:
    stages = []

    def looks(session: Session, release: Statement, claim: Claim) -> None:
        stages.append(claim.stage)
        if claim.stage is not None:
            assert not problems(Reading(session, release, claim), "projection")
            other = forged(session, release, "case when n = '0' then '1' else n end as n")
            assert problems(Reading(session, other, claim), "projection")

    look(job(person="whose", output={"path": str(tmp_path / "cohort.csv")}), looks, PEOPLE.assign(whose=range(5)))
    assert [stage is None for stage in stages] == [True, False]


def test_what_tells_a_table_from_others_is_of_all_that_was_read_of_it() -> None:
    source = cast(Source, SimpleNamespace(quasi_identifiers=[Column("a", "VARCHAR"), Column("b", "VARCHAR")]))
    with Session() as session:
        session.connection.execute(
            "create table staged_classes as select 'x' as value_1, 'y' as value_2, 7 as checksum, 2 as size"
        )
        assert session.run(classes.last_gathered(source)) == [("x", "y", 7, 2)]


# ---------------------------------------------------------------------------------------------- what became of rows

Shown = tuple[int, str, int, str, int]
SHOWN = "select * from (values {}) as shown(turn, cell_1, row, value_1, rows)"


def departures(session: Session, before: Iterable[Shown], now: Iterable[Shown], k: int = 3) -> Departures:
    """What was shown before and is now: turn, cell, kept cells, value and how many rows; all are in the source."""
    for name, rows in (("before", before), ("now", now)):
        listed = SHOWN.format(", ".join(map(str, rows)))
        session.connection.execute(f"create or replace table {name}_shown as select *, null as until from ({listed})")
    session.connection.execute(
        "create or replace table there as select row, sum(rows) as rows from now_shown group by row"
    )
    return Departures(Name("before_shown"), Name("now_shown"), relation("there"), 1, k)


@pytest.mark.parametrize(
    ("now", "told_apart"),
    [
        ([(0, "x", 1, "v", 5), (0, "y", 1, "v", 5), (1, "x", 1, "v", 5)], 0),
        ([(0, "x", 1, "v", 3), (0, "y", 1, "v", 5), (1, "x", 1, "v", 5)], 1),  # two went
        ([(0, "x", 1, "v", 2), (0, "y", 1, "v", 5), (1, "x", 1, "v", 5)], 1),  # two stay
        ([(0, "y", 1, "v", 5), (1, "x", 1, "v", 5)], 0),
        # As many went of two classes as may go of one: of other cells, and of the same cells at another turn.
        ([(0, "x", 1, "v", 3), (0, "y", 1, "v", 3), (1, "x", 1, "v", 5)], 2),
        ([(0, "x", 1, "v", 3), (0, "y", 1, "v", 5), (1, "x", 1, "v", 3)], 2),
        # As many rows as before, of which some are others: by their kept cells, or by their value.
        ([(0, "x", 1, "v", 3), (0, "x", 2, "v", 2), (0, "y", 1, "v", 5), (1, "x", 1, "v", 5)], 1),
        ([(0, "x", 1, "v", 3), (0, "x", 1, "w", 2), (0, "y", 1, "v", 5), (1, "x", 1, "v", 5)], 1),
    ],
)
def test_classes_are_told_apart_by_few_rows_that_went_or_stay(now: list[Shown], told_apart: int) -> None:
    before = [(0, "x", 1, "v", 5), (0, "y", 1, "v", 5), (1, "x", 1, "v", 5)]
    with Session() as session:
        asked = departures(session, before, now)
        assert asked.departed(session) == told_apart


@pytest.mark.parametrize(
    ("now", "known"),
    [
        ((0, "x", 1, "v", 1), 0),
        ((0, "y", 1, "v", 1), 1),  # in a class of other cells
        ((1, "x", 1, "v", 1), 1),  # in one of the same cells, which was made another time
        ((0, "y", 2, "v", 1), 0),  # another row
    ],
)
def test_a_row_is_known_again_in_another_class(now: Shown, known: int) -> None:
    with Session() as session:
        asked = departures(session, [(0, "x", 1, "v", 1)], [now])
        assert asked.known_again(session) == known
