"""Publication: the old release or the new one, whole, whatever happens and wherever the release goes."""

from __future__ import annotations

import json
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import duckdb
import pandas
import pytest

import starcloak as sc
from starcloak import job
from starcloak.base.errors import OutputError, VerificationError
from starcloak.commands import pipeline
from starcloak.job import load
from starcloak.releases import state
from starcloak.releases.recodings import saved_recodings
from starcloak.releases.targets.registry import target
from starcloak.star import fingerprint
from starcloak.store import staging
from starcloak.store.resources import Resources
from starcloak.verify import invariants
from tests.releases.publish.places import (
    CSV,
    PLACES,
    TABLE,
    TO_CSV,
    TO_EXISTING,
    TO_PARQUET,
    TO_SOURCE,
    Place,
    expected,
    numbered,
    places,
    private_folders,
    run,
    stagings,
)
from tests.traces import bare

# ---------------------------------------------------------------------------------------------------------- successes


@pytest.mark.sampled(3)
@places
def test_the_first_release_is_whole(place: Place, folder: Path) -> None:
    report = run(place.job(2)).result
    rows = place.read()
    assert rows is not None
    assert rows == expected(place.job(2))
    assert {row[:2] for row in rows} == {("*", "WOMANx7"), ("*", "MANx7")}
    assert report.released_rows == len(rows) == 6
    assert not stagings(folder)
    assert not private_folders()


def test_a_release_is_compared_with_its_source_and_with_a_release_before_it() -> None:
    first = run(TO_CSV.job(2))
    second = run(TO_CSV.job(2, output={"path": "second.csv"}))
    assert first.result.insight is not None and first.result.insight.columns
    assert first.result.joint == []
    assert [joint.run for joint in second.result.joint] == [first.result.run]
    assert len(second.mapping()) == 6 and saved_recodings.of_run(second.result.run) is not None


def test_releases_of_data_frames_are_not_taken_for_releases_of_one_source() -> None:
    described = {name: value for name, value in TO_CSV.job(2).items() if name != "source"}
    for number in range(2):
        rows = [("Ann", "1", "f", "flu"), ("Bea", "1", "f", "cold"), ("Cem", "2", "m", "flu"), ("Dan", "2", "m", "flu")]
        frame = pandas.DataFrame(rows, columns=["name", "zip", "sex", "illness"])
        release = sc.run({**described, "output": {"path": f"{number}.csv"}}, frame=frame)
        assert release.result.joint == []


def test_the_source_is_locked_from_the_count_with_releases_before_until_the_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(staging, "PATIENCE", 0.0)
    locked: list[str] = []

    def look(stage: str) -> None:
        try:
            with state.lock(target(load(TO_CSV.job(2))).origin):
                return
        except OutputError:
            locked.append(stage.split()[0])

    pipeline.run(TO_CSV.job(2), resources=Resources(progress=look, threads=1))
    assert {"fingerprint", "publish"} <= {*locked} and "verify" not in locked


def test_a_count_that_does_not_show_the_requirement_publishes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(invariants, "_suffices", lambda *_, **__: False)
    with pytest.raises(VerificationError, match="its count does not show"):
        run(TO_CSV.job(2))
    assert TO_CSV.read() is None and saved_recodings.every() == []


def test_a_source_that_no_hash_tells_is_released_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    described = TO_CSV.job(2)
    assert [run(described).result.unchanged for _ in range(2)] == [False, True]
    monkeypatch.setattr(fingerprint, "source", lambda *_: None)
    assert [run(described).result.unchanged for _ in range(2)] == [False, False]
    monkeypatch.setattr("starcloak.releases.manifest.is_repeatable", lambda _: True)  # which would be told of it, too
    assert [run(described).result.unchanged for _ in range(2)] == [False, False]


@pytest.mark.sampled(4)
@places
def test_a_second_release_replaces_the_first(place: Place, folder: Path) -> None:
    run(place.job(2))
    first = place.read()
    run(place.job(4))
    assert place.read() == expected(place.job(4)) != first
    run(place.job(2))
    assert place.read() == first
    assert not stagings(folder)


@pytest.mark.sampled(3)
@places
def test_a_release_of_other_columns_replaces_the_first(place: Place) -> None:
    run(place.job(2))
    run(place.job(2, identifiers=["name", "illness"], sensitive=[]))
    assert sorted(place.read() or []) == [("*", "MANx7")] * 2 + [("*", "WOMANx7")] * 4


@pytest.mark.sampled(3)
@places
def test_a_release_without_rows_is_published(place: Place) -> None:
    """Six different people, all left out: the columns remain."""
    run(place.job(2))
    described = place.job(5, requirement={"k": 5, "suppression": 1}, objective={"minimize": "height"})
    described["identifiers"], described["sensitive"] = ["name", "sex"], ["illness"]
    described["quasi_identifiers"] = {"zip": "suppress"}
    report = run(described).result
    assert (report.released_rows, report.suppressed_rows, report.k) == (0, 6, None)
    assert place.read() == []


@pytest.mark.sampled(3)
@places
def test_to_pandas_reads_the_published_release(place: Place) -> None:
    release = run(place.job(2))
    assert list(release.to_pandas().itertuples(index=False, name=None)) == place.read()


@pytest.mark.sampled(3)
@places
def test_what_is_not_a_release_is_left_alone(place: Place) -> None:
    theirs = somebody_else_writes(place)
    with pytest.raises(OutputError, match=r"not a release"):
        run(place.job(2))
    assert theirs()


@pytest.mark.parametrize("place", [TO_EXISTING, TO_SOURCE], ids=lambda place: place.name)
def test_a_release_is_no_table_of_the_database_itself(place: Place) -> None:
    output = {**place.output, "table": "information_schema.release"}
    with pytest.raises(OutputError, match=r"^information_schema is a system schema of duckdb: give another schema$"):
        run(place.job(2, output=output))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("delimiter", [";", "\t", "|"])
def test_a_csv_file_has_the_delimiter_that_the_job_says(work: Path, delimiter: str) -> None:
    cells = [f"a{delimiter}b", 'quo"te', "line\nbreak", "1,5", "", "x", "y", "z"]
    frame = pandas.DataFrame({"zip": ["10", "11"] * 4, "no, te": cells, f"b{delimiter}c": list("efghefgh")})
    frame.to_csv("people.csv", index=False)
    described = {"source": {"path": "people.csv"}, "quasi_identifiers": {"zip": {"digits": 2}}, "keep": [*frame][1:]}
    described |= {"requirement": {"k": 4}, "output": {"path": "out.csv", "delimiter": delimiter}}
    release = sc.run(described)
    assert Path("out.csv").read_text().splitlines()[0].startswith(f"zip{delimiter}")
    made = pandas.read_csv("out.csv", sep=delimiter, dtype=str, keep_default_na=False)
    expected = sorted(map(tuple, frame.assign(zip=made["zip"].sort_values().to_numpy()).to_numpy()))
    assert sorted(map(tuple, made.to_numpy()[:, 1:])) == sorted(row[1:] for row in expected)
    assert release.to_pandas().fillna("").shape == made.shape and sc.check({"path": "out.csv"}, "zip", k=4).holds
    assert sc.run(described).result.unchanged
    described["output"] = {"path": "out.csv"}
    assert not sc.run(described).result.unchanged and Path("out.csv").read_text().startswith("zip,")


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", ["zip", "Größe", "z ip"])
def test_a_csv_file_has_the_mark_that_spreadsheets_look_for(work: Path, name: str) -> None:
    """And whoever reads it again reads what was released: check, a refresh, `against`, the script, pandas."""
    frame = pandas.DataFrame({name: ["10", "11"] * 4, "note": ["grün", "\ufeff", "", "x"] * 2})
    frame.to_csv("people.csv", index=False)
    described = {"source": {"path": "people.csv"}, "quasi_identifiers": {name: {"digits": 2}}, "keep": ["note"]}
    described |= {"requirement": {"k": 4}, "algorithm": "sweep", "refresh": True}
    described["output"] = {"path": "out.csv", "delimiter": ";", "encoding": "utf-8-sig"}
    release = sc.run(described)
    written = Path("out.csv").read_bytes()
    assert written.startswith(f"\ufeff{name};".encode()) and written.count(b"\xef\xbb\xbf") == 3
    made = pandas.read_csv("out.csv", sep=";", dtype=str, keep_default_na=False)
    assert [*made] == [name, "note"] and sorted(made["note"]) == sorted(frame["note"])
    assert list(release.to_pandas().columns) == [name, "note"]
    assert sc.check({"path": "out.csv"}, name, k=4).holds
    assert sc.run(described).result.unchanged
    pandas.concat([frame, frame]).to_csv("people.csv", index=False)
    refreshed = sc.run(described).result
    assert refreshed.refresh is not None and refreshed.refresh.stayed == 8
    other = {key: value for key, value in described.items() if key != "refresh"}
    other |= {"output": {"path": "other.csv", "encoding": "utf-8-sig"}, "against": ["out.csv"]}
    assert {each.k for each in sc.run(other).result.joint} == {4, 8}
    Path("other.csv").unlink()
    with duckdb.connect() as connection:
        connection.execute(sc.compile({**other, "against": []}))
    assert Path("other.csv").read_bytes().startswith(f"\ufeff{name},".encode())


@pytest.mark.parametrize("name", ["z;ip", 'z"ip', "#zip"])
def test_no_mark_stands_before_a_quoted_name(work: Path, name: str) -> None:
    pandas.DataFrame({name: ["10", "11"] * 4}).to_parquet("people.parquet")
    described = {"source": {"path": "people.parquet"}, "quasi_identifiers": {name: "suppress"}, "requirement": {"k": 4}}
    with pytest.raises(OutputError, match="rename the column"):
        sc.run({**described, "output": {"path": "out.csv", "encoding": "utf-8-sig"}})
    assert not Path("out.csv").exists()


@pytest.mark.parametrize("delimiter", [",", ";"])
def test_a_name_by_which_readers_would_guess_another_delimiter_is_quoted(work: Path, delimiter: str) -> None:
    names = ["zip", "a;b", "c|d", "e'f", "g\th", "i,j"]
    pandas.DataFrame({name: ["10", "11"] * 4 for name in names}).to_parquet("people.parquet")
    described = {"source": {"path": "people.parquet"}, "quasi_identifiers": {"zip": "suppress"}, "keep": names[1:]}
    described |= {"requirement": {"k": 4}, "output": {"path": "out.csv", "delimiter": delimiter}}
    sc.run(described)
    header, _, _ = Path("out.csv").read_text().partition("\n")
    assert header == delimiter.join(["zip", *(f'"{name}"' for name in names[1:])])


def test_a_delimiter_is_for_csv(work: Path) -> None:
    described = {"source": {"path": "people.csv"}, "quasi_identifiers": {"zip": "suppress"}, "requirement": {"k": 2}}
    for output in (
        {"path": "out.parquet", "delimiter": ";"},
        {"table": "t", "url": "duckdb:///x.duckdb", "delimiter": ";"},
        {"path": "out.parquet", "encoding": "utf-8-sig"},
    ):
        with pytest.raises(sc.JobError, match="delimiter and encoding are for a CSV file"):
            sc.run({**described, "output": output})


@pytest.mark.sampled(3)
@pytest.mark.parametrize("place", PLACES[:4], ids=lambda place: place.name)
def test_what_appears_during_the_run_is_left_alone(place: Place, folder: Path) -> None:
    """The target is looked at before the long work, and again before it is replaced."""
    theirs = []

    def trace(sql: str) -> None:
        if bare(sql).startswith('create or replace table "base"'):
            theirs.append(somebody_else_writes(place))

    with pytest.raises(OutputError):
        run(place.job(2), trace=trace)
    assert theirs[0]()
    assert not stagings(folder)
    assert saved_recodings.every() == []  # no run is said to have ended while it published


def somebody_else_writes(place: Place) -> Callable[[], bool]:
    """Put something that is not a release in the place of one; the answer tells whether it is still there."""
    if not place.is_table:
        place.file.write_text("somebody's work")
        return lambda: place.file.read_text() == "somebody's work"
    with duckdb.connect(str(place.file)) as connection:
        connection.execute("create table release as select 'somebody' as work")
    return lambda: place.read() == [("somebody",)]


SEVERAL = [TO_CSV, TO_PARQUET, TO_EXISTING, TO_SOURCE]  # a fresh database takes one release


@pytest.mark.sampled(4)
@pytest.mark.parametrize("place", SEVERAL, ids=lambda place: place.name)
def test_a_release_of_another_source_is_replaced_only_where_the_job_says_so(place: Place, folder: Path) -> None:
    run(place.job(2))
    first = place.read()
    other = {"url": "duckdb:///hospital.duckdb", "query": "from people where zip < 'HIDDENx7 5'"}
    described = place.job(
        4, source=other, output={**({"url": TABLE["url"]} if place is TO_SOURCE else {}), **place.output}
    )
    seen: list[str] = []
    with pytest.raises(OutputError, match=r"is a release of another source: give output.replace: true, or choose"):
        run(described, trace=seen.append)
    assert place.read() == first
    assert not [sql for sql in seen if bare(sql).startswith('create or replace table "star"')]
    assert run(place.job(4)).result.released_rows == 6  # of its own source as ever
    described["output"]["replace"] = True
    assert not [
        told for told in run(described).result.warnings if not told.startswith(("joint k", "a reader who also has"))
    ]
    assert len(place.read() or []) == 4
    del described["output"]["replace"]
    another = {**other, "query": "from people where zip < 'HIDDENx6'"}
    for changed in (place.job(2), {**described, "source": another}):
        with pytest.raises(OutputError, match="another source"):
            run(changed)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("place", SEVERAL, ids=lambda place: place.name)
def test_a_release_whose_source_is_not_told_is_replaced_with_a_warning(place: Place) -> None:
    run(place.job(2))
    if place.is_table:
        with duckdb.connect(str(place.file)) as connection:
            connection.execute("comment on table release is 'starcloak release'")
            connection.execute("drop table starcloak_releases")
    else:
        ledger = Path(f"{place.file}.starcloak.json")
        (entry,) = json.loads(ledger.read_text())["releases"]
        del entry["origin"]
        ledger.write_text(json.dumps({"releases": [entry]}))
    warnings = run(place.job(4)).result.warnings
    assert len([told for told in warnings if "it is not known if it was a release of the same source" in told]) == 1
    assert not any("it is not known if it was" in told for told in run(place.job(2)).result.warnings)


def test_what_tells_sources_apart_is_where_they_are() -> None:
    def origin(**place: str) -> str:
        return fingerprint.origin(job.Place(**place))

    here = str(Path.cwd())
    assert origin(path="people.csv") == origin(path=f"{here}/../work/people.csv", delimiter=";")
    url = "postgresql://ann:SECRETx7@db.example/clinic"
    same = [
        origin(url=each, table="people") for each in (url, "postgresql+psycopg://bob@db.example/clinic?sslmode=require")
    ]
    assert same[0] == same[1]
    assert origin(url="duckdb:///a.duckdb", table="t") == origin(url=f"duckdb:///{here}/a.duckdb", table="t")
    others = [
        fingerprint.origin(None),
        origin(dataset="patients"),
        origin(path="people.csv"),
        origin(path="PEOPLE.csv"),
        same[0],
        origin(url=url, table="others"),
        origin(url=url, query="people"),
        origin(url="postgresql://db.example:5433/clinic", table="people"),
        origin(url="postgresql://other.example/clinic", table="people"),
        origin(url="postgresql:///clinic?host=other.example", table="t"),
        origin(url="duckdb:///a.duckdb", table="t"),
        origin(url="sqlite:///a.duckdb", table="t"),
    ]
    assert len(set(others)) == len(others)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("place", PLACES[:2], ids=lambda place: place.name)
def test_a_replaced_file_keeps_its_mode(place: Place) -> None:
    run(place.job(2))
    for mode in (0o600, 0o640, 0o664):
        place.file.chmod(mode)
        run(place.job(4 if mode == 0o640 else 2))
        assert stat.S_IMODE(place.file.stat().st_mode) == mode


@pytest.mark.sampled(4)
@places
def test_a_symbolic_link_is_followed(place: Place, folder: Path) -> None:
    """The link stays, and what it points to is the release: also where that is not there yet."""
    link = f"link{place.file.suffix}"
    real = folder.parent / "elsewhere" / place.file.name
    real.parent.mkdir()
    if place.file.exists():
        place.file.rename(real)
    Path(link).symlink_to(real)
    url = f"duckdb:///{link}"
    origin = {"url": url, "table": "people"} if place is TO_SOURCE else CSV
    output = {"url": url, "table": "release"} if place.is_table else {"path": link}
    for k in (2, 4):
        described = place.job(k, source=origin, output=output)
        run(described)
        assert Path(link).is_symlink()
        if place.is_table:
            with duckdb.connect(str(real)) as connection:
                rows = connection.execute("from release").fetchall()
            assert rows == expected(described)
        else:
            assert real.stat().st_size
            assert list(run(described).to_pandas().itertuples(index=False, name=None)) == expected(described)
    assert not stagings(folder.parent)


@pytest.mark.parametrize("link", ["file", "folder"])
def test_a_source_is_read_through_a_symbolic_link(link: str, folder: Path) -> None:
    elsewhere = folder.parent / "elsewhere"
    elsewhere.mkdir()
    for name in ("people.csv", "hospital.duckdb"):
        Path(name).rename(elsewhere / name)
        if link == "file":
            Path(name).symlink_to(elsewhere / name)
    if link == "folder":
        Path("link").symlink_to(elsewhere)
    place = "link/" if link == "folder" else ""
    assert run(TO_CSV.job(2, source={"path": f"{place}people.csv"})).result.rows == 6
    url = f"duckdb:///{place}hospital.duckdb"
    assert run(TO_PARQUET.job(2, source={"url": url, "table": "people"})).result.rows == 6
    assert run(TO_PARQUET.job(2, source={"url": url, "query": "from people"})).result.rows == 6


def test_a_file_name_is_not_a_pattern(folder: Path) -> None:
    """Brackets and stars mean files to DuckDB's readers."""
    Path("people.csv").rename("people[1]*.csv")
    Path("people1.csv").write_text("name,zip,sex,illness\nother,other,other,other\n")
    for output in ({"path": "release[1].csv"}, {"path": "release[1].parquet"}):
        place = Place("pattern", {"path": "people[1]*.csv"}, output)
        assert run(place.job(2)).result.released_rows == 6
        assert run(place.job(4)).result.released_rows == 6
    place = Place("pattern", {"path": "people[1]*.csv"}, {"url": "duckdb:///release[1].duckdb", "table": "release"})
    Path(".release[1].duckdb.0123456789ab.starcloak-staging.duckdb").write_text("left by a killed run")
    assert run(place.job(2)).result.released_rows == 6
    assert not stagings(folder)


# ------------------------------------------------------------------------------------------------------------- scripts


@pytest.mark.sampled(6)
@pytest.mark.parametrize("goes_on", [False, True], ids=["stops", "goes on"])
@pytest.mark.parametrize(
    "name",
    ["release.csv", "release.parquet", "a[1]*.csv", "a\\b.csv", "[b?.parquet", "it's.csv", "[!a].csv"],
)
def test_a_script_leaves_a_file_that_is_there(name: str, goes_on: bool) -> None:
    """Whatever it is, and with a client that goes on after an error; without it the script writes the release."""
    script = pipeline.compile(TO_CSV.job(2, output={"path": name}))
    for there in (name, f"tmp_{name}"):
        Path(there).write_text("somebody's work")
        with duckdb.connect() as connection:
            failed = 0
            for statement in connection.extract_statements(script):
                try:
                    connection.execute(statement)
                except duckdb.Error as error:
                    failed += "a file is in the place of the release" in str(error)
                    if not goes_on:
                        break
        assert failed == 1
        assert Path(there).read_text() == "somebody's work"
        Path(there).unlink()
        assert not Path(name).exists()
    with duckdb.connect() as connection:
        connection.execute(script)
        rows = connection.execute(f"from read_{'csv' if name.endswith('csv') else 'parquet'}(?)", [str(glob_of(name))])
        assert sorted(rows.fetchall()) == sorted(expected(TO_CSV.job(2)))
    assert not Path(f"tmp_{name}").exists()


def glob_of(name: str) -> Path:
    """Another name of a file, without wildcards."""
    plain = Path(f"plain{Path(name).suffix}")
    plain.hardlink_to(name)
    return plain


def test_a_script_that_fails_leaves_no_part_of_a_file() -> None:
    """The disk is full before the end."""
    numbered(20_000, seed=1)
    described = TO_CSV.job(2, keep=["visit"], quasi_identifiers={"zip": "suppress"})
    del described["identifiers"], described["sensitive"]
    Path("script.sql").write_text(pipeline.compile(described))
    code = (
        "import resource, duckdb, signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); "
        "resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000)); "
        "duckdb.connect().execute(open('script.sql').read())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.returncode == 1
    assert "duckdb.IOException" in done.stderr
    assert not Path("release.csv").exists()
