"""What earlier versions left: their ledgers are read, their manifests and recodings read or said to be unknown."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

import duckdb
import pytest

import starcloak as sc
from starcloak.base.errors import JobError, OutputError, SourceError
from starcloak.job import load
from starcloak.releases import manifest, state
from starcloak.releases.targets.file import File
from starcloak.releases.targets.registry import target

PEOPLE = "zip,sex,visits\n12,f,1\n12,m,2\n12,f,3\n13,m,4\n13,f,5\n13,m,6\n"
RELEASE = "zip,sex,visits\n12,*,3\n12,*,1\n13,*,4\n13,*,6\n13,*,5\n12,*,2\n"
#: The manifest of that release, as the version that first had ledgers with origins wrote it.
MANIFEST = Path(__file__).with_name("manifest_of_before.json")


def job(**more: Any) -> dict[str, Any]:
    return {
        "source": {"path": "people.csv"},
        "quasi_identifiers": {"zip": {"digits": 2}, "sex": "suppress"},
        "keep": ["visits"],
        "requirement": {"k": 2},
        "output": {"path": "release.csv"},
        "insight": "off",
        **more,
    }


def leave(form: str) -> None:
    """Have a release with its ledger, and its manifest, in the form that a version before has written."""
    origin = target(load(job())).origin
    written = json.loads(MANIFEST.read_text())
    known = {"sha256": written["report"]["hashes"]["release"], "run": written["report"]["run"], "k": 3, "rows": 6}
    if form != "ledgers without origins":
        known["origin"] = origin
    Path("release.csv").write_text(RELEASE)
    Path("release.csv.starcloak.json").write_text(json.dumps({"releases": [{**known, "starcloak": "0.1.0"}]}, indent=2))
    assert hashlib.sha256(RELEASE.encode()).hexdigest() == known["sha256"]
    if form == "manifests of reports":
        goal = target(load(job()))
        sc.run(job(output={"path": "elsewhere.csv"}))  # so that the custodian has a folder
        for file in (own := Path(str(state.folder()))).iterdir():
            file.unlink()
        written["place"] = goal.identity
        manifest._path(goal).write_text(json.dumps(written))
        assert list(own.glob("*.json"))


@pytest.fixture(params=["ledgers without origins", "ledgers with origins", "manifests of reports"])
def form(request: pytest.FixtureRequest, work: Path) -> str:
    Path("people.csv").write_text(PEOPLE)
    leave(request.param)
    return str(request.param)


@pytest.mark.sampled(3)
def test_the_release_of_a_version_before_is_known_as_one_and_what_it_tells_together_is_said_to_be_unknown(
    form: str,
) -> None:
    assert File(Path("release.csv")).released_k() == 3
    with pytest.raises(SourceError, match="release"):
        sc.read_release("release.csv")
    with pytest.raises(SourceError, match=r"joint k with .*release\.csv is unknown"):
        sc.run(job(output={"path": "other.csv"}, against=["release.csv"]))
    assert not Path("other.csv").exists() and Path("release.csv").read_text() == RELEASE
    release = sc.run(job())
    assert (release.k, release.result.unchanged, release.result.joint) == (3, False, [])
    told = " ".join(release.result.warnings)
    assert "is not known, as its recoding was not saved" in told
    assert ("it is not known if it was a release of the same source" in told) == (form == "ledgers without origins")
    again = sc.run(job())
    assert again.result.unchanged
    assert sc.read_release("release.csv").run == release.result.run


@pytest.mark.sampled(3)
def test_a_refresh_of_the_release_of_a_version_before_begins_anew_where_the_job_says_so(form: str) -> None:
    with pytest.raises(
        JobError, match=r"are not known \(its rows are not saved on this machine\): .* with refresh: first$"
    ):
        sc.run(job(refresh=True, algorithm={"name": "sweep"}))
    assert Path("release.csv").read_text() == RELEASE
    release = sc.run(job(refresh="first", algorithm={"name": "sweep"}))
    assert release.result.refresh is not None and (release.result.refresh.stayed, release.result.refresh.new) == (0, 6)
    assert "is not known, as its recoding was not saved" in " ".join(release.result.warnings)


def test_a_file_that_no_version_released_is_refused_beside_an_old_ledger(form: str) -> None:
    Path("release.csv").write_text(PEOPLE)
    with pytest.raises(OutputError, match="was changed after its run: move or delete"):
        sc.run(job())
    assert Path("release.csv").read_text() == PEOPLE


def test_a_release_of_somebody_else_in_the_same_place_is_said_to_be_unknown(work: Path) -> None:
    """Their manifests are in a folder of their own; the ledger tells that it was not the one that is known here."""
    Path("people.csv").write_text(PEOPLE)
    sc.run(job())
    assert sc.run(job(requirement={"k": 3})).result.warnings == []
    own = Path(str(state.folder()))
    kept = {file: file.read_bytes() for file in own.iterdir()}
    sc.run(job(seed=2))
    shutil.rmtree(own)
    own.mkdir(mode=0o700)
    for file, content in kept.items():
        file.write_bytes(content)
    release = sc.run(job(seed=3))
    assert len(release.result.joint) == 2
    assert "is not known, as its recoding was not saved" in " ".join(release.result.warnings)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("mark", ["starcloak release", "starcloak release of {origin}"])
def test_a_table_that_is_known_by_its_comment_alone_is_a_release_of_which_joint_k_is_unknown(
    mark: str, work: Path
) -> None:
    Path("people.csv").write_text(PEOPLE)
    place = {"url": "duckdb:///release.duckdb", "table": "released"}
    sc.run(job(output=place))
    with duckdb.connect("release.duckdb") as connection:
        (now,) = connection.execute("select comment from duckdb_tables() where table_name = 'released'").fetchall()[0]
        assert now.startswith("starcloak release")
        told = mark.format(origin=target(load(job(output=place))).origin)
        connection.execute("drop table starcloak_releases")
        connection.execute(f"comment on table released is '{told}'")
    shutil.rmtree(str(state.folder()))
    release = sc.run(job(output=place))
    assert release.result.joint == [] and not release.result.unchanged
    told = " ".join(release.result.warnings)
    assert "joint k with the previous release in released" in told
    assert ("it is not known if it was a release of the same source" in told) == ("of" not in mark.split())
