"""Runs that ended while they published: their releases count as published unless the place shows otherwise."""

from __future__ import annotations

import errno
import json
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

import pytest

import starcloak as sc
from starcloak.base.errors import InputError, OutputError
from starcloak.releases.recodings import saved_recodings
from starcloak.releases.targets.table import dimension_of
from tests.daily import SERVERS, some_daily
from tests.people import TYPES, Server, people
from tests.people import job as people_job
from tests.releases.publish.endings import forms
from tests.releases.publish.places import TO_CSV, TO_FRESH, Place, opened, places, run, stagings

DOUBT = "it is not known if its release was published: it counts as published"
TRACES = ["dropped with its ledger", "replaced by another user", "dropped and made anew by another user"]


def drop_traces(place: Place) -> None:
    """Leave neither the release nor its ledger."""
    if place.is_table and not place.is_fresh:
        with opened(place.file) as connection:
            connection.execute("drop table release")
            connection.execute("drop table starcloak_releases")
    else:
        place.file.unlink()
        Path(f"{place.file}.starcloak.json").unlink(missing_ok=True)


@contextmanager
def another_user(monkeypatch: pytest.MonkeyPatch, folder: Path) -> Iterator[None]:
    """With a state folder of another user's."""
    with monkeypatch.context() as patched:
        patched.setenv("XDG_STATE_HOME", str(folder / "another-state"))
        yield


def unsettled() -> str:
    """The run whose release may be out."""
    (about,) = [each for each in saved_recodings.every() if each.form == saved_recodings.PUBLISHING]
    return about.run


@pytest.mark.sampled(5)
@places
@pytest.mark.parametrize("traces", TRACES)
@pytest.mark.parametrize("before", [False, True], ids=["first", "another"])
def test_what_a_killed_run_published_counts_though_its_place_has_no_trace(
    place: Place, before: bool, traces: str, folder: Path, killed: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    earlier = [run(place.job(4)).result.run] if before else []
    killed(place.job(2), "after")
    published = unsettled()
    if "dropped" in traces:
        drop_traces(place)
    if "another user" in traces:
        with another_user(monkeypatch, folder):
            run(place.job(6))
    again = run(place.job(3)).result
    assert [each.run for each in again.joint] == [published, *earlier]
    assert all(each.k is not None for each in again.joint)
    shows = traces == "replaced by another user"
    assert any(DOUBT in said for said in again.warnings) != shows
    later = run(place.job(4, output={"path": "elsewhere.csv"})).result
    assert [each.run for each in later.joint] == [again.run, published, *earlier]
    assert not any(DOUBT in said for said in later.warnings)


@pytest.mark.sampled(5)
@places
@pytest.mark.parametrize("when", ["before", "entered"])
@pytest.mark.parametrize("before", [False, True], ids=["first", "another"])
def test_what_a_killed_run_did_not_publish_is_told_by_the_place_after_another_user(
    place: Place, before: bool, when: str, folder: Path, killed: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other user's run removes what was staged, so that the list of runs alone can tell it."""
    earlier = [run(place.job(4)).result.run] if before else []
    killed(place.job(2), when)
    ended = unsettled()
    with another_user(monkeypatch, folder):
        run(place.job(6))
    again = run(place.job(3)).result
    assert [each.run for each in again.joint] == ([] if before else [ended]) + earlier
    assert any(DOUBT in said for said in again.warnings) != before


@pytest.mark.parametrize("whose", ["own", "another user's"])
@pytest.mark.parametrize(
    ("place", "when", "before"),
    [(TO_CSV, "entered", True), (TO_CSV, "entered", False), (TO_FRESH, "before", False)],
    ids=["another", "first", "fresh"],
)
def test_what_a_killed_run_did_not_publish_is_known_after_a_run_that_fails(
    place: Place,
    when: str,
    before: bool,
    whose: str,
    folder: Path,
    killed: Callable[..., None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Such as one whose source is not back yet: it removed what was staged, and a refresh was refused for good."""
    earlier = [run(place.job(4)).result.run] if before else []
    killed(place.job(2), when)
    ended = unsettled()
    with another_user(monkeypatch, folder) if whose != "own" else nullcontext(), pytest.raises(InputError):
        run(place.job(2, source={"path": "gone.csv"}))
    assert not stagings(folder)
    again = run(place.job(3)).result
    is_shown = whose == "own" or before
    assert [each.run for each in again.joint] == ([] if is_shown else [ended]) + earlier
    assert any(DOUBT in said for said in again.warnings) != is_shown


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("server", "ledger"), some_daily(SERVERS, ["stays", "dropped", "another user's"], each=2), indirect=["server"]
)
def test_in_every_database_a_dropped_release_of_a_killed_run_counts(
    server: Server,
    ledger: str,
    work: Path,
    killed: Callable[..., None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    server.fill("people", people(40), TYPES)
    described = people_job(server, k=2, output={"table": "cohort"}, insight="off")
    first = sc.run(described).result
    killed({**described, "requirement": {"k": 4}}, "after")
    published = unsettled()
    server.execute("drop table cohort", *(["drop table starcloak_releases"] if ledger != "stays" else []))
    if ledger == "another user's":
        with another_user(monkeypatch, work):
            sc.run({**described, "requirement": {"k": 3}})
    again = sc.run({**described, "requirement": {"k": 5}}).result
    assert [each.run for each in again.joint] == [published, first.run]
    assert any(DOUBT in said for said in again.warnings) == (ledger != "stays")


def test_the_ledger_of_a_file_names_the_runs_of_all_its_releases() -> None:
    runs = [run(TO_CSV.job(k)).result.run for k in (2, 4, 3)]
    known = json.loads(Path("release.csv.starcloak.json").read_text())
    assert known["runs"] == runs[::-1] and len(known["releases"]) == 1


def test_a_ledger_of_an_older_version_names_the_run_of_its_release() -> None:
    first = run(TO_CSV.job(2)).result.run
    ledger = Path("release.csv.starcloak.json")
    ledger.write_text(json.dumps({"releases": json.loads(ledger.read_text())["releases"]}))
    second = run(TO_CSV.job(4)).result.run
    assert json.loads(ledger.read_text())["runs"] == [second, first]


# -------------------------------------------------------------------------------------------- what the place refused


@pytest.mark.sampled(3)
@pytest.mark.parametrize("place", [TO_CSV, TO_FRESH], ids=lambda place: place.name)
@pytest.mark.parametrize("before", [False, True], ids=["first", "another"])
def test_a_file_that_could_not_be_put_in_its_place_is_no_release(
    place: Place, before: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    move = os.link if place is TO_FRESH else os.replace
    if before and place is not TO_FRESH:
        run(place.job(4))

    def refused(staged: Path, there: Path) -> None:
        if Path(there).name == place.file.name:
            raise OSError(errno.EACCES, "not here")
        move(staged, there)

    known = forms()
    with monkeypatch.context() as patched, pytest.raises(OutputError, match="cannot be written"):
        patched.setattr(os, move.__name__, refused)
        run(place.job(2))
    assert forms() == known


def refused_at_commit(server: Server) -> list[str]:
    """Statements after which a PostgreSQL refuses the commit of whatever enters something in the ledger."""
    return [
        "create function refuse() returns trigger language plpgsql as $$ begin raise 'no'; end $$",
        "create constraint trigger refuses after insert on starcloak_releases deferrable initially deferred "
        "for each row execute function refuse()",
    ]


def test_a_commit_that_postgresql_refused_published_nothing(postgresql: Server, work: Path) -> None:
    postgresql.fill("people", people(40), TYPES)
    described = people_job(postgresql, k=2, output={"table": "cohort"}, insight="off")
    first = sc.run(described).result
    postgresql.execute(*refused_at_commit(postgresql))
    other_columns = {
        "sensitive": [],
        "identifiers": ["name", "illness"],
    }  # with the same ones, the trigger fires before
    with pytest.raises(InputError, match=r"cannot be written|refused"):
        sc.run({**described, **other_columns, "requirement": {"k": 4}})
    assert forms() == ["recoding"]
    postgresql.execute("drop trigger refuses on starcloak_releases")
    assert [each.run for each in sc.run({**described, "requirement": {"k": 5}}).result.joint] == [first.run]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("before", [False, True], ids=["first", "another"])
def test_a_commit_that_a_reader_of_sqlite_kept_out_published_nothing(
    before: bool, sqlite: Server, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sqlite.fill("people", people(40), TYPES)
    described = people_job(sqlite, k=2, output={"table": "cohort"}, insight="off")
    if before:
        sc.run(described)
    known = forms()
    with sqlite3.connect(sqlite.url.removeprefix("sqlite:///")) as reader:
        rows = reader.execute("select * from people")
        rows.fetchone()
        with pytest.raises(OutputError, match="another run or program is reading or writing"):
            sc.run({**described, "requirement": {"k": 4}})
    reader.close()
    assert forms() == known


@pytest.mark.sampled(2)
@pytest.mark.parametrize("blocked", ["release", "dimension table"])
def test_a_rename_that_a_reader_of_mariadb_kept_out_published_nothing(
    blocked: str, mariadb: Server, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mariadb.fill("people", people(60), TYPES)
    described = people_job(mariadb, k=2, output={"table": "cohort"}, insight="off", keep_dimensions=True)
    first = sc.run(described).result
    tables = mariadb.tables()
    monkeypatch.setattr("starcloak.store.databases.mariadb.database.PATIENCE", 1)
    place = "cohort" if blocked == "release" else dimension_of("cohort", "age")
    with mariadb.engine().connect() as reader:
        reader.exec_driver_sql(f"select count(*) from {place}")
        with pytest.raises(
            OutputError, match=r"another session of .* has locked a table for longer than this run waits"
        ):
            sc.run({**described, "requirement": {"k": 4}})
    assert forms() == ["recoding"] and mariadb.tables() == tables
    assert mariadb.rows("select distinct run from starcloak_releases") == [(first.run,)]
    elsewhere = sc.run({**described, "output": {"table": "other"}, "requirement": {"k": 5}}).result
    assert [each.run for each in elsewhere.joint] == [first.run]
