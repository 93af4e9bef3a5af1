"""One source by several names: joint k is looked for by the name alone, and a run says which releases it left out."""

from __future__ import annotations

import os
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import duckdb
import pandas
import pytest
import yaml

import starcloak as sc
from starcloak.job import load
from starcloak.job.source import load_source
from starcloak.releases import state
from starcloak.releases.disclosure import disclosure_of
from starcloak.releases.recodings import saved_recodings
from starcloak.releases.recodings.saved_recodings import SourceName, name_of
from starcloak.star import fingerprint

ROWS = pandas.DataFrame({"age": [str(20 + n % 8) for n in range(32)], "note": [f"n{n}" for n in range(32)]})
OTHERS = pandas.DataFrame({"age": [str(60 + n % 8) for n in range(32)], "note": [f"n{n}" for n in range(32)]})


@pytest.fixture(autouse=True)
def folder(work: Path) -> Path:
    ROWS.to_csv("people.csv", index=False)
    return work


def job(into: str, source: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "source": source,
        "quasi_identifiers": {"age": {"intervals": [2, 4, 8]}},
        "keep": ["note"],
        "requirement": {"k": 4},
        "output": {"path": into},
        "insight": "off",
        **more,
    }


def names(result: Any) -> list[str]:
    """What to say under against, as the result has it."""
    (said,) = [text for text in result.warnings if "another name" in text] or [""]
    return yaml.safe_load(said.partition("add ")[2] or "against: []")["against"]


def test_links_and_copies_are_told_as_the_same_source_and_joint_k_is_then_measured() -> None:
    sc.run(job("a.csv", {"path": "people.csv"}))
    os.symlink("people.csv", "soft.csv")
    os.link("people.csv", "hard.csv")
    shutil.copy("people.csv", "copy.csv")
    ROWS.to_parquet("people.parquet")
    for path in ("soft.csv", "hard.csv", "copy.csv", "people.parquet"):
        found = sc.run(job(f"of_{path}", {"path": path}, requirement={"k": 8}, keep=[], identifiers=["note"])).result
        assert "a.csv" in {Path(each).name for each in names(found)}, path
        assert found.joint == []
    again = sc.run(
        job("b.csv", {"path": "soft.csv"}, requirement={"k": 5}, against=names(found)[:1], accept={"joint_k": 1})
    )
    assert [each.k for each in again.result.joint_together if each.required] != [None]


@pytest.mark.parametrize(
    ("cells", "kind", "hierarchy"),
    [
        ([str(20 + n % 8) for n in range(32)], "float64", {"intervals": [2, 4, 8]}),
        ([f"2026-03-{1 + n % 8:02}" for n in range(32)], "datetime64[us]", {"dates": ["month"]}),
    ],
)
def test_a_copy_whose_numbers_or_dates_are_of_another_type_is_told(cells: list[str], kind: str, hierarchy: Any) -> None:
    """A data frame makes 30.0 of 30 where one is missing, and moments of days."""
    rows = ROWS.assign(age=[None, *cells[1:]])
    rows.to_csv("people.csv", index=False)
    rows.astype({"age": kind}).to_parquet("people.parquet")
    asked = {"quasi_identifiers": {"age": hierarchy}, "requirement": {"k": 3, "suppression": "0.1"}}
    sc.run(job("a.csv", {"path": "people.csv"}, **asked))
    found = sc.run(job("b.csv", {"path": "people.parquet"}, **asked)).result
    assert [Path(each).name for each in names(found)] == ["a.csv"]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("place", ["übrig.csv", "a.PARQUET"])
def test_what_to_say_under_against_is_readable_and_names_the_release(place: str) -> None:
    first = sc.run(job(place, {"path": "people.csv"})).result
    shutil.copy("people.csv", "copy.csv")
    found = sc.run(job("b.csv", {"path": "copy.csv"}, requirement={"k": 5})).result
    assert any(place in text.partition("add ")[2] for text in found.warnings)
    asked = {"requirement": {"k": 8}, "against": names(found), "accept": {"joint_k": 1}}
    again = sc.run(job("c.csv", {"path": "copy.csv"}, **asked))
    assert first.run in [each.run for each in again.result.joint]


def test_a_link_and_its_file_are_told_though_the_rows_are_others_by_then() -> None:
    os.symlink("people.csv", "soft.csv")
    sc.run(job("a.csv", {"path": "soft.csv"}))
    OTHERS.to_csv("people.csv", index=False)
    assert [Path(each).name for each in names(sc.run(job("b.csv", {"path": "people.csv"})).result)] == ["a.csv"]


def test_a_link_that_leads_elsewhere_every_night_is_one_source_and_its_files_are_told() -> None:
    OTHERS.to_csv("second.csv", index=False)
    os.symlink("people.csv", "current.csv")
    first = sc.run(job("a.csv", {"path": "current.csv"})).result
    os.remove("current.csv")
    os.symlink("second.csv", "current.csv")
    second = sc.run(job("b.csv", {"path": "current.csv"}, requirement={"k": 5})).result
    assert (names(first), names(second)) == ([], [])
    assert [each.run for each in second.joint] == [first.run]
    assert {Path(each).name for each in names(sc.run(job("c.csv", {"path": "people.csv"})).result)} == {"a.csv"}


def test_a_table_and_a_query_over_it_and_a_frame_are_told() -> None:
    with duckdb.connect("people.duckdb") as database:
        database.sql("create table people as select * from 'people.csv'")
    url = "duckdb:///people.duckdb"
    sc.run(job("a.csv", {"url": url, "table": "people"}))
    of_query = sc.run(job("b.csv", {"url": url, "query": "select * from people"})).result
    assert [Path(each).name for each in names(of_query)] == ["a.csv"]
    framed = job("c.csv", {"path": "people.csv"})
    del framed["source"]
    found = sc.run(framed, frame=ROWS).result
    assert [Path(each).name for each in names(found)] == ["b.csv", "a.csv"]


def test_two_data_frames_are_not_taken_for_one_source() -> None:
    framed = [job(into, {}) for into in ("a.csv", "b.csv")]
    for described, rows in zip(framed, [ROWS, OTHERS], strict=True):
        del described["source"]
        result = sc.run(described, frame=rows).result
        assert (result.joint, result.joint_together) == ([], [])


def test_a_database_by_two_paths_is_told() -> None:
    connection = sqlite3.connect("people.sqlite")
    ROWS.to_sql("people", connection, index=False)
    connection.close()
    os.symlink("people.sqlite", "link.sqlite")
    sc.run(job("a.csv", {"url": "sqlite:///people.sqlite", "table": "people"}))
    connection = sqlite3.connect("people.sqlite")
    connection.execute("delete from people where rowid <= 8")
    connection.commit()
    connection.close()
    found = sc.run(job("b.csv", {"url": "sqlite:///link.sqlite", "table": "people"})).result
    assert [Path(each).name for each in names(found)] == ["a.csv"]


@pytest.mark.parametrize("host", ["127.0.0.1", "[::1]", "localhost", ""])
def test_a_server_is_known_by_each_of_its_names(host: str) -> None:
    one = name_of(load_source({"url": "postgresql://me@localhost:5432/clinic", "table": "public.people"}))
    port = ":5432" if host else ""
    assert one.may_be(name_of(load_source({"url": f"postgresql://you@{host}{port}/clinic", "table": "people"})))
    assert not one.may_be(name_of(load_source({"url": f"postgresql://you@{host}{port}/clinic", "table": "staff"})))
    assert not one.may_be(name_of(load_source({"url": f"postgresql://you@{host}{port}/other", "table": "people"})))
    assert not one.may_be(name_of(load_source({"url": "postgresql://me@192.0.2.7:5432/clinic", "table": "people"})))
    assert not one.may_be(SourceName())


def test_a_kind_of_database_is_known_by_each_of_its_names() -> None:
    """SQLAlchemy's engines name MariaDB as mysql+pymysql; jobs call it mariadb."""
    one, other = (
        load_source({"url": f"{kind}://me@localhost/clinic", "table": "people"})
        for kind in ("mariadb", "mysql+pymysql")
    )
    assert name_of(one).may_be(name_of(other))
    assert fingerprint.origin(one) == fingerprint.origin(other)


def test_other_people_are_not_told_as_the_same_source() -> None:
    sc.run(job("a.csv", {"path": "people.csv"}))
    OTHERS.to_csv("others.csv", index=False)
    assert names(sc.run(job("b.csv", {"path": "others.csv"})).result) == []


def test_what_is_forgotten_is_told_by_its_name_and_no_hash_of_its_rows_stays() -> None:
    sc.run(job("a.csv", {"path": "people.csv"}))
    for about in saved_recodings.every():
        saved_recodings.forget(about)
    (note,) = saved_recodings.all_but(set())
    assert note.content is None and note.source is None
    os.link("people.csv", "hard.csv")
    (said,) = sc.run(job("b.csv", {"path": "hard.csv"})).result.warnings
    assert "a.csv" in said and "its recoding was forgotten" in said


def test_no_reader_has_a_hash_of_a_job_that_names_values() -> None:
    order = [f"n{number}" for number in range(32)]
    asked = {"k": 4, "t_closeness": [{"attribute": "note", "t": "1", "distance": "ordered", "order": order}]}
    with duckdb.connect("kept.duckdb") as database:
        database.sql("create table unlike as select 1 as one")
    described = job("a.csv", {"path": "people.csv"}, keep=[], sensitive=["note"], requirement=asked)
    described["output"] = {"url": "duckdb:///kept.duckdb", "table": "made"}
    result = sc.run(described).result
    with duckdb.connect("kept.duckdb") as database:
        ledger = str(database.sql("from starcloak_releases").fetchall())
    assert result.hashes.job == fingerprint.job(load(described))
    assert result.hashes.job not in ledger + disclosure_of(result).result.model_dump_json()


def test_a_ledger_has_no_hash_of_a_query_that_a_reader_could_try_out(monkeypatch: pytest.MonkeyPatch) -> None:
    with duckdb.connect("people.duckdb") as database:
        database.sql("create table people as select * from 'people.csv'")
    source = {"url": "duckdb:///people.duckdb", "query": "select * from people where note <> 'n1'"}
    sc.run(job("a.csv", source))
    guess = fingerprint.origin(load_source(source))
    assert guess not in Path("a.csv.starcloak.json").read_text()
    sc.run(job("a.csv", source, requirement={"k": 5}))  # it is known as the same source
    with pytest.raises(sc.StarcloakError, match="another source"):
        sc.run(job("a.csv", {**source, "query": "select * from people where note <> 'n2'"}))
    (state.folder() / "secret").unlink()
    (said,) = [
        text
        for text in sc.run(job("a.csv", source)).result.warnings
        if "it is not known if it was a release of the same source" in text
    ]
    assert "a.csv" in said
    Path("nothing").write_text("no folder, and no secret")
    monkeypatch.setenv("XDG_STATE_HOME", "nothing")
    (said,) = [
        text
        for text in sc.run(job("a.csv", source)).result.warnings
        if "it is not known if it was a release of the same source" in text
    ]
    assert "a.csv" in said


def test_a_release_that_is_searched_again_is_told_with_its_date() -> None:
    Path("one.yaml").write_text(yaml.safe_dump(job("a.csv", {"path": "people.csv"})))
    sc.run("one.yaml")
    for about in saved_recodings.every():
        saved_recodings.forget(about)
    found = sc.run(job("b.csv", {"path": "people.csv"}, against=["one.yaml"], accept={"joint_k": 1})).result
    assert [each.released_at[:2] for each in found.joint] == ["20"]


def test_a_release_that_was_never_published_is_said_not_to_be_there() -> None:
    with duckdb.connect("out.duckdb") as connection:
        connection.execute("create table other as select 1 as one")
    place = {"url": "duckdb:///out.duckdb"}
    for named, problem in (
        ("nowhere.csv", "^against: .*nowhere.csv is not there: check its path$"),
        ({**place, "table": "nothing"}, "^against: nothing in out.duckdb cannot be read: .* does not exist"),
        ({"url": "duckdb:///none.duckdb", "table": "nothing"}, "^against: .*none.duckdb is not there: check the url"),
        (
            {**place, "table": "other"},
            "^against: joint k with .* its recoding is not saved on this machine: give the job",
        ),
    ):
        with pytest.raises(sc.SourceError, match=problem):
            sc.run(job("b.csv", {"path": "people.csv"}, against=[named]))
    assert not Path("b.csv").exists()
