"""The manifest of a release: what it was made of; and a run that would only make it again does nothing, and says so."""

from __future__ import annotations

import errno
import json
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pandas
import pytest
import yaml
from click.testing import CliRunner

import starcloak as sc
from starcloak.base.errors import JobError, VerificationError
from starcloak.commands import pipeline
from starcloak.commands.cli import cli
from starcloak.commands.release import Release
from starcloak.releases import manifest
from starcloak.releases.recodings import saved_recodings
from starcloak.star import fingerprint
from starcloak.store import staging
from starcloak.store.resources import Resources
from tests.traces import bare

PEOPLE = """name,zip,sex,visits
SECRETx7 Ann,1x7,f,0.0
SECRETx7 Bob,2x7,m,1.5
SECRETx7 Cem,1x7,f,2.5
SECRETx7 Dee,2x7,m,3.5
SECRETx7 Eva,3x7,f,4.5
SECRETx7 Fay,3x7,f,5.5
"""
ZIPS = "1x7;12;*\n2x7;12;*\n3x7;3;*\n"

OUTPUTS = {
    "csv": {"path": "release.csv"},
    "parquet": {"path": "release.parquet"},
    "fresh database": {"url": "duckdb:///release.duckdb", "table": "release"},
    "source's database": {"table": "release"},
}


@pytest.fixture(autouse=True)
def folder(work: Path) -> Path:
    (work / "zips.csv").write_text(ZIPS)
    write(PEOPLE)
    return work


def write(people: str) -> None:
    """The people as a table, with numbers that are not text."""
    Path("people.csv").write_text(people)
    with duckdb.connect("hospital.duckdb") as connection:
        connection.execute("set preserve_insertion_order = true")
        connection.execute(
            "create or replace table people as select * replace (cast(visits as double) as visits) "
            "from read_csv('people.csv', all_varchar = true)"
        )
        connection.execute("create or replace table zips as from read_csv('zips.csv', header = false, delim = ';')")


def job(output: str = "csv", **more: Any) -> dict[str, Any]:
    return {
        "source": {"url": "duckdb:///hospital.duckdb", "table": "people"},
        "identifiers": ["name"],
        "quasi_identifiers": {"zip": {"csv": "zips.csv"}, "sex": "suppress"},
        "keep": ["visits"],
        "requirement": {"k": 2},
        "output": OUTPUTS[output],
        **more,
    }


def run(described: dict[str, Any], **more: Any) -> Release:
    return pipeline.run(described, resources=Resources(threads=1), **more)


def content(output: str) -> Any:
    """What stands in a place, byte for byte or row for row."""
    place = OUTPUTS[output]
    if "path" in place:
        return Path(place["path"]).read_bytes()
    with duckdb.connect(place.get("url", "///hospital.duckdb").partition("///")[2], read_only=True) as connection:
        return connection.execute("from release").fetchall()


def kept(work: Path) -> list[Path]:
    return sorted((work.parent / "state" / "starcloak").glob("*.json"))


# --------------------------------------------------------------------------------------------------------- unchanged


@pytest.mark.sampled(4)
@pytest.mark.parametrize("output", OUTPUTS)
def test_a_run_with_nothing_changed_does_nothing_and_says_so(output: str) -> None:
    first = run(job(output))
    before, file = content(output), Path(OUTPUTS[output].get("path", "hospital.duckdb"))
    written = file.stat().st_mtime_ns
    seen: list[str] = []
    second = pipeline.run(job(output), resources=Resources(trace=seen.append))
    assert not first.result.unchanged
    assert second.result.unchanged
    assert not [sql for sql in seen if bare(sql).startswith(('create or replace table "star"', "copy", "begin"))]
    assert (content(output), file.stat().st_mtime_ns) == (before, written)
    differ = {"unchanged", "seconds"}
    assert second.result.model_dump(exclude=differ) == first.result.model_dump(exclude=differ)
    assert second.result.seconds.search == 0 < second.result.seconds.compare
    assert second.to_pandas().equals(first.to_pandas())
    assert second.sql() == first.sql()


def test_a_run_that_keeps_no_script_searches_again_for_it() -> None:
    held = run(job("csv"))
    lean = pipeline.run(job("csv"), force=True, keep_script=False)
    assert not lean.result.unchanged and lean.result.hashes == held.result.hashes
    assert lean.sql() == held.sql()


@pytest.mark.sampled(3)
@pytest.mark.parametrize("output", OUTPUTS)
def test_the_same_rows_in_another_order_are_no_change(output: str) -> None:
    run(job(output))
    header, *rows = PEOPLE.splitlines(keepends=True)
    release = None
    if output == "source's database":
        with duckdb.connect("hospital.duckdb") as connection:
            connection.execute("create or replace table people as from people order by visits desc")
    else:
        write(header + "".join(reversed(rows)))
    release = run(job(output))
    assert release.result.unchanged


def test_a_job_in_another_place_for_the_same_rows_is_no_change(folder: Path) -> None:
    """What a release is made of decides, not where that lies."""
    run(job(source={"path": "people.csv"}, keep=["visits"]))
    Path("people.csv").rename("patients.csv")
    Path("zips.csv").rename("postcodes.csv")
    moved = job(source={"path": "patients.csv"}, quasi_identifiers={"zip": {"csv": "postcodes.csv"}, "sex": "suppress"})
    report = run(moved).result
    assert (report.unchanged, report.source) == (True, "patients.csv")


def test_a_frame_is_compared_as_any_source() -> None:
    frame = pandas.DataFrame({"zip": ["1x7", "1x7", "2x7", "2x7"], "sex": ["f", "f", "m", "m"]})
    described = job(identifiers=[], keep=[])
    del described["source"]
    assert [run(described, frame=frame).result.unchanged for _ in range(2)] == [False, True]
    frame.loc[0, "sex"] = "m"
    assert not run(described, frame=frame).result.unchanged


def test_the_command_says_that_nothing_was_done(folder: Path) -> None:
    Path("job.yaml").write_text(yaml.safe_dump(job()))
    texts = [CliRunner().invoke(cli, ["run", "job.yaml", *more]).output for more in ([], [], ["--force"])]
    assert ["the run did nothing" in text for text in texts] == [False, True, False]
    assert json.loads(CliRunner().invoke(cli, ["run", "job.yaml", "--json"]).output)["unchanged"] is True


# ----------------------------------------------------------------------------------------------------------- changed


def replaced(old: str, new: str) -> Callable[[], None]:
    assert old in PEOPLE
    return lambda: write(PEOPLE.replace(old, new))


def swapped() -> None:
    """Two people of one class exchange what is kept: every column by itself has the values that it had."""
    write(PEOPLE.replace("f,0.0", "f,?").replace("f,4.5", "f,0.0").replace("f,?", "f,4.5"))


def sql(command: str) -> Callable[[], None]:
    def change() -> None:
        with duckdb.connect("hospital.duckdb") as connection:
            connection.execute(command)

    return change


CHANGES: dict[str, Callable[[], None]] = {
    "a kept cell": replaced("5.5", "6.5"),
    "a quasi-identifier": replaced("3x7,f,5.5", "1x7,f,5.5"),
    "kept cells of two rows": swapped,
    "a cell that is equal but reads otherwise": replaced("0.0", "-0.0"),
    "a missing cell": replaced("5.5", ""),
    "a row less": replaced("SECRETx7 Fay,3x7,f,5.5\n", ""),
    "a row twice": replaced("SECRETx7 Fay,3x7,f,5.5\n", "SECRETx7 Fay,3x7,f,5.5\n" * 2),
    "a type": sql("alter table people alter visits type float"),
    "a hierarchy": lambda: Path("zips.csv").write_text(ZIPS.replace("12", "21")) and None,
    "the manifest": lambda: [path.unlink() for path in kept(Path.cwd())] and None,
    "a broken manifest": lambda: [path.write_text("{}") for path in kept(Path.cwd())] and None,
    "a manifest that others may write": lambda: kept(Path.cwd())[0].parent.chmod(0o777),
    "the release is gone": lambda: Path("release.csv").unlink(),
}


@pytest.mark.sampled(6)
@pytest.mark.parametrize("change", CHANGES)
def test_whatever_changed_is_run_again(change: str) -> None:
    run(job())
    CHANGES[change]()
    assert not run(job()).result.unchanged


@pytest.mark.sampled(6)
@pytest.mark.parametrize(
    "more",
    [
        {"requirement": {"k": 3}},
        {"requirement": {"k": 2, "suppression": "0.5"}},
        {"seed": 2},
        {"objective": {"minimize": "height"}},
        {"algorithm": {"name": "samarati"}},
        {"keep": [], "identifiers": ["name", "visits"]},
        {"quasi_identifiers": {"sex": "suppress", "zip": {"csv": "zips.csv"}}},
        {"quasi_identifiers": {"zip": "suppress", "sex": "suppress"}},
        {"quasi_identifiers": {"zip": {"table": "zips"}, "sex": "suppress"}},
        {"quasi_identifiers": {"zip": {"csv": "zips.csv"}, "sex": {"suppress": True, "importance": 2}}},
    ],
    ids=str,
)
def test_another_job_is_run(more: dict[str, Any]) -> None:
    run(job())
    assert not run(job(**more)).result.unchanged


@pytest.mark.sampled(3)
@pytest.mark.parametrize("beside", [{"from": 1}, {"max_suppressed": "1"}, {"nonconforming": "missing"}], ids=str)
@pytest.mark.parametrize("kind", [{"levels": {"f": "any", "m": "any"}}, {"tree": {"any": ["f", "m"]}}], ids=str)
def test_what_stands_beside_a_hierarchy_is_of_it(kind: dict[str, Any], beside: dict[str, Any]) -> None:
    """The release before may have levels that the job allows no more."""
    Path("people.csv").write_text("sex,n\nf,1\nf,2\nm,1\nm,2\n")
    described = {
        "source": {"path": "people.csv"},
        "quasi_identifiers": {"sex": kind},
        "sensitive": ["n"],
        "requirement": {"k": 2},
        "output": {"path": "out.csv"},
    }
    run(described)
    assert run(described).result.unchanged
    assert not run({**described, "quasi_identifiers": {"sex": {**kind, **beside}}}).result.unchanged


def test_a_job_that_names_no_objective_keeps_that_of_the_release_in_its_place() -> None:
    """Where the default changes, the same rows by another objective would be a second release."""
    run(job(objective={"minimize": "height"}))
    assert run(job()).result.unchanged
    write(PEOPLE + "SECRETx7 Gus,3x7,m,6.5\n")
    again = run(job())
    assert (again.result.unchanged, again.result.objective) == (False, "height")
    assert run(job(algorithm={"name": "sweep"})).result.objective == "loss"
    assert run(job(objective={"minimize": "loss"})).result.objective == "loss"
    run(job(objective={"minimize": "discernibility"}))
    important = {"zip": {"csv": "zips.csv"}, "sex": {"suppress": True, "importance": 2}}
    with pytest.raises(
        JobError,
        match=r"sex\.importance: objective discernibility .*; the job has no objective and takes",
    ):
        run(job(quasi_identifiers=important))


def test_a_changed_dimension_table_is_run_again() -> None:
    described = job(quasi_identifiers={"zip": {"table": "zips"}, "sex": "suppress"})
    assert [run(described).result.unchanged for _ in range(2)] == [False, True]
    sql("update zips set column1 = '21' where column1 = '12'")()
    assert not run(described).result.unchanged


@pytest.mark.parametrize("part", ["program", "versions"])
def test_another_program_runs(part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    run(job())
    if part == "program":
        monkeypatch.setattr(fingerprint, "program", lambda: "another")
    else:
        other = manifest.versions().model_copy(update={"duckdb": "1.5.0"})
        monkeypatch.setattr(manifest, "versions", lambda: other)
    assert not run(job()).result.unchanged


@pytest.mark.sampled(2)
@pytest.mark.parametrize("output", ["fresh database", "source's database"])
def test_a_release_that_somebody_changed_is_made_again(output: str) -> None:
    run(job(output))
    before = content(output)
    with duckdb.connect("hospital.duckdb" if output == "source's database" else "release.duckdb") as connection:
        connection.execute("update release set visits = 9 where visits = 1.5")
    assert not run(job(output)).result.unchanged
    assert content(output) == before


@pytest.mark.sampled(6)
@pytest.mark.parametrize(
    "change", ["a kept cell", "a quasi-identifier", "kept cells of two rows", "a missing cell", "a row twice"]
)
@pytest.mark.parametrize("algorithm", ["witness", "full-subtree"])
def test_a_source_that_changes_during_the_run_is_not_released(change: str, algorithm: str) -> None:
    """What was searched is no longer what is there."""
    described = job(source={"path": "people.csv"}, algorithm={"name": algorithm})

    def meanwhile(sql: str) -> None:
        if bare(sql).startswith('create or replace table "star"'):
            CHANGES[change]()

    with pytest.raises(VerificationError, match="was not published"):
        pipeline.run(described, resources=Resources(threads=1, trace=meanwhile))
    assert not Path("release.csv").exists()
    is_unchanged = change != "a row twice"  # then an identifier repeats, by which classes are counted each time
    assert [run(described).result.unchanged for _ in range(2)] == [False, is_unchanged]


def test_a_source_that_changes_during_local_recoding_is_run_again() -> None:
    """The manifest does not say what the release is made of."""
    described = job(source={"path": "people.csv"}, algorithm={"name": "kaca"})

    def meanwhile(sql: str) -> None:
        if bare(sql).startswith('create or replace table "star"'):
            swapped()

    first = pipeline.run(described, resources=Resources(threads=1, trace=meanwhile))
    assert first.result.hashes.source is None
    assert [run(described).result.unchanged for _ in range(2)] == [False, True]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("limit", [{"time_limit": 0}, {"max_refinements": 0}], ids=str)
def test_a_search_that_time_ended_is_run_again(limit: dict[str, int]) -> None:
    """The next may come further; so many refinements are always the same ones."""
    described = job(algorithm={"name": "tdr", "class": "visits", **limit})
    assert [run(described).result.unchanged for _ in range(2)] == [False, "max_refinements" in limit]


# ---------------------------------------------------------------------------------------------------------- the same


ALGORITHMS: list[dict[str, Any]] = [
    {"name": "witness"},
    {"name": "incognito", "variant": "cube"},
    {"name": "datafly"},
    {"name": "kaca"},
    {"name": "kaca", "variant": "kaca2", "execution": "joins"},
]


@pytest.mark.sampled(6)
@pytest.mark.parametrize(
    ("output", "algorithm"),
    [*(("csv", each) for each in ALGORITHMS), ("parquet", ALGORITHMS[0]), ("source's database", ALGORITHMS[0])],
    ids=str,
)
def test_the_same_job_on_the_same_rows_gives_the_same_release(output: str, algorithm: dict[str, Any]) -> None:
    """Byte for byte, in whatever order the rows come and whatever threads run."""
    drawn = pandas.Series(range(300))
    rows = pandas.DataFrame({"name": drawn, "zip": drawn * 7 % 90 % 3 + 1, "sex": drawn * 11 % 13 % 2, "visits": drawn})
    rows["zip"] = rows["zip"].astype(str) + "x7"
    found = set()
    for threads, seed in ((1, 1), (2, 2)):
        write(rows.sample(frac=1, random_state=seed).to_csv(index=False))
        described = job(output, algorithm=algorithm, requirement={"k": 60, "suppression": "0.1"})
        report = pipeline.run(described, resources=Resources(threads=threads), force=True).result
        assert not report.unchanged
        assert report.hashes.source is not None
        found.add((str(content(output)), report.hashes.model_dump_json()))
    assert len(found) == 1


# ----------------------------------------------------------------------------------------------------------- privacy


def test_manifests_are_their_owners_alone_and_hold_no_row(folder: Path) -> None:
    run(job())
    (path,) = kept(folder)
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert "x7" not in path.read_text()
    source = json.loads(path.read_text())["result"]["hashes"]["source"]
    assert source not in Path("release.csv.starcloak.json").read_text()


OTHERS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "older, without what came later": lambda result: [result.pop(name) for name in ("insight", "joint", "persons")],
    "older, without a measure": lambda result: result["measures"].pop("loss"),
    "newer, with something more": lambda result: result.update(another=1),
    "older, with another name": lambda result: result.update(anonymity=result.pop("k")),
    "of another form": lambda result: result.clear(),
}


@pytest.mark.sampled(4)
@pytest.mark.parametrize("other", OTHERS)
def test_a_manifest_of_another_version_is_read_or_unknown_and_never_this_ones(folder: Path, other: str) -> None:
    first = run(job()).result
    (path,) = kept(folder)
    manifest = json.loads(path.read_text())
    manifest["result"]["versions"]["starcloak"] = "0.0.1"
    OTHERS[other](manifest["result"])
    path.write_text(json.dumps(manifest))
    try:
        result = sc.read_release("release.csv")
    except sc.StarcloakError as error:
        assert other != "older, without what came later"
        assert "release.csv cannot be read" in str(error) and "run its job again with --force" in str(error)
    else:
        assert (result.k, result.measures.loss, result.versions.starcloak) == (first.k, first.measures.loss, "0.0.1")
    again = run(job()).result
    assert not again.unchanged and again.k == first.k
    assert run(job()).result.unchanged


def test_manifests_of_releases_that_are_gone_are_forgotten(folder: Path) -> None:
    run(job())
    run(job("parquet"))
    assert len(kept(folder)) == 2
    Path("release.csv").unlink()
    notes = kept(folder)[0].with_name("notes.json")
    notes.write_text('{"notes": "somebody\'s"}')
    run(job("parquet", seed=2))
    assert len(kept(folder)) == 2
    assert notes in kept(folder)


def test_a_manifest_that_names_no_place_is_forgotten(folder: Path) -> None:
    run(job("parquet"))
    broken = kept(folder)[0].with_name(f"{'0' * 32}.json")
    broken.write_text("{}")
    run(job("parquet", seed=2))
    assert len(kept(folder)) == 1 and broken not in kept(folder)


def test_what_a_killed_run_wrote_beside_a_manifest_is_removed(folder: Path) -> None:
    run(job())
    (path,) = kept(folder)
    staged = staging.of(path, "0123456789ab")
    staged.write_text("{")
    run(job(seed=2))
    assert not staged.exists()


def test_a_manifest_that_another_run_forgets_meanwhile_is_forgotten(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(job())
    run(job("parquet"))
    Path("release.csv").unlink()
    is_there = manifest._is_there

    def forgotten_elsewhere(path: Path) -> bool:
        if there := is_there(path):
            return there
        path.unlink()
        return False

    monkeypatch.setattr(manifest, "_is_there", forgotten_elsewhere)
    release = run(job("parquet", seed=2))
    assert len(kept(folder)) == 1 and not [told for told in release.result.warnings if "manifest" in told]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("first", [True, False], ids=["the first", "a later one"])
def test_a_manifest_that_cannot_be_kept_leaves_no_older_one(
    first: bool, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The older one tells of another release: a run that is left out would be left out for what is no longer there."""
    write(PEOPLE.replace("Bob", "DEE"))  # of which the run says something, too
    models = {"l_diversity": [{"attribute": "name", "l": 2}]}
    spelled: dict[str, Any] = {"identifiers": [], "sensitive": ["name"], "requirement": {"k": 2, **models}}
    if not first:
        run(job(**spelled))
    honest = staging.write

    def full(path: Path, content: str, *more: Any, **named: Any) -> None:
        if path.name in {each.name for each in kept(folder)} or '"place"' in content:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        honest(path, content, *more, **named)

    with monkeypatch.context() as patched:
        patched.setattr(staging, "write", full)
        release = run(job(seed=2, **spelled))
    of_values, warning = release.result.warnings
    assert "differ in case" in of_values and "release.csv is published, but its manifest cannot be saved" in warning
    assert "No space left on device" in warning and kept(folder) == []
    assert not run(job(seed=2, **spelled)).result.unchanged


def test_a_release_in_memory_leaves_nothing_of_itself(folder: Path) -> None:
    described = {name: asked for name, asked in job().items() if name != "output"}
    for _ in range(2):
        result = run(described).result
        assert not result.unchanged and result.joint == []
    assert kept(folder) == [] and saved_recodings.every() == []


def test_a_run_without_a_place_for_manifests_runs(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("state").write_text("no folder")
    monkeypatch.setenv("XDG_STATE_HOME", str(folder / "state"))
    assert [run(job()).result.unchanged for _ in range(2)] == [False, False]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("algorithm", ["mondrian", "kaca"])
def test_the_hash_of_statements_tells_mappings_apart(algorithm: str) -> None:
    """Two tables of the same leaves and levels, whose tuples differ."""
    found = []
    for people in ("x,a\nx,a\ny,b\ny,b\n", "x,b\nx,b\ny,a\ny,a\n"):
        Path("pairs.csv").write_text(f"one,two\n{people}")
        described = {
            "source": {"path": "pairs.csv"},
            "quasi_identifiers": dict.fromkeys(["one", "two"], "suppress"),
            "requirement": {"k": 2},
            "algorithm": {"name": algorithm},
            "output": {"path": "release.csv"},
        }
        releases = [run(described, force=True) for _ in range(2)]
        hashes = {release.result.hashes.statements for release in releases}
        assert {release.sql() for release in releases} == {pipeline.compile(described)}
        assert len(hashes) == 1
        found.append((hashes, releases[0].sql()))
    assert found[0][0] != found[1][0] and found[0][1] != found[1][1]


def test_hashes_are_those_of_the_files(folder: Path) -> None:
    release = run(job())
    hashes = release.result.hashes
    assert hashes.release == fingerprint.file(Path("release.csv"))
    assert set(hashes.hierarchies) == {"zip", "sex"}
    assert os.listdir(manifest._path(release._target).parent)


def test_another_hierarchy_of_a_sensitive_attribute_at_the_same_path_is_run_again() -> None:
    Path("people.csv").write_text("q,s\nx,a\nx,b\ny,c\ny,d\n")
    Path("tree.csv").write_text("a;1;*\nc;1;*\nb;2;*\nd;2;*\n")
    asked = {"attribute": "s", "t": 0.3, "distance": "hierarchical", "hierarchy": {"csv": "tree.csv"}}
    described = {
        "source": {"path": "people.csv"},
        "quasi_identifiers": {"q": "suppress"},
        "sensitive": ["s"],
        "requirement": {"k": 2, "t_closeness": [asked]},
        "output": {"path": "release.csv"},
    }
    assert run(described).result.recoding.levels == {"q": 0}
    assert run(described).result.unchanged
    Path("tree.csv").write_text("a;1;*\nb;1;*\nc;2;*\nd;2;*\n")
    again = run(described).result
    assert not again.unchanged and again.recoding.levels == {"q": 1}


def test_the_hierarchy_of_a_sensitive_attribute_is_no_columns() -> None:
    asked = {"attribute": "visits", "t": 0.3, "distance": "hierarchical", "hierarchy": {"columns": ["name"]}}
    described = job(requirement={"k": 2, "t_closeness": [asked]}, keep=[], sensitive=["visits"])
    with pytest.raises(sc.HierarchyError, match="so it is only for quasi_identifiers of a job"):
        run(described)


def test_a_release_of_another_source_is_replaced_only_by_a_job_that_says_so() -> None:
    first = run(job()).result
    other = Path("people.csv").rename("others.csv")
    described = job(source={"path": str(other)})
    with pytest.raises(sc.OutputError, match=r"release.csv is a release of another source: give output.replace: true"):
        run(described)
    replaced = run({**described, "output": {"path": "release.csv", "replace": True}}).result
    assert replaced.run != first.run and manifest.last_result(run(described)._target).run == replaced.run


def test_a_manifest_is_readable_by_its_user_alone() -> None:
    path = manifest._path(run(job())._target)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
