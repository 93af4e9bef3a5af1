"""What is known of a source is read again under its lock: a release is registered, then out, then known to be out."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import yaml

import starcloak as sc
from starcloak.base.errors import OutputError
from starcloak.commands import pipeline
from starcloak.commands.kept_release import recoding_of
from starcloak.job import load, load_source
from starcloak.releases import state
from starcloak.releases.recodings import registration, saved_recodings
from starcloak.releases.targets.database_table import DatabaseTable
from starcloak.releases.targets.file import File
from starcloak.releases.targets.registry import target
from starcloak.releases.targets.swapped_table import SwappedTable
from starcloak.store import staging
from starcloak.store.resources import Resources
from tests.daily import SERVERS, some_daily
from tests.people import TYPES, Server, people
from tests.people import job as people_job
from tests.releases.publish.endings import failing, forms
from tests.releases.publish.places import TO_CSV, TO_FRESH, TO_PARQUET, Place, places, run

SOON = 60.0


def origin(described: dict[str, Any]) -> str:
    return target(load(described)).origin


# ------------------------------------------------------------------------------------------------------- runs at once


@pytest.mark.sampled(2)
@pytest.mark.parametrize("other", [TO_PARQUET, TO_CSV], ids=["another kind", "another file"])
def test_two_runs_of_one_source_at_once_know_of_each_other(other: Place) -> None:
    """The second measures when the first has published, whatever both had read before."""
    first = TO_CSV.job(4)
    second = other.job(2, output={"path": f"second{other.file.suffix}"})
    told: list[sc.Release] = []
    waits = []

    with ThreadPoolExecutor() as pool:

        def begin(stage: str) -> None:
            if stage == "publish":
                going = pool.submit(pipeline.run, second, resources=Resources(threads=1, progress=seen.append))
                until = time.monotonic() + SOON
                while "joint" not in seen and time.monotonic() < until:
                    time.sleep(0.01)
                time.sleep(0.3)
                assert not going.done()
                waits.append(going)

        seen: list[str] = []
        told.append(pipeline.run(first, resources=Resources(threads=1, progress=begin)))
        told.append(waits[0].result(SOON))
    assert told[0].result.joint == []
    assert [each.run for each in told[1].result.joint] == [told[0].result.run]
    assert [about.form for about in saved_recodings.every()] == ["recoding", "recoding"]


def test_a_release_under_against_that_another_run_replaced_meanwhile_refuses_the_run(work: Path) -> None:
    """Joint k was required with the release that was there at the beginning, and with its follower only told."""
    rows = [(f"1{zip_code}", sex, age) for zip_code in "01" for sex in "fm" for age in (30, 50)] * 2
    Path("people.csv").write_text("zip,sex,age\n" + "".join(f"{zip_code},{sex},{age}\n" for zip_code, sex, age in rows))

    def job(into: str, top: str, **more: Any) -> dict[str, Any]:
        columns = {name: {"suppress": True, "from": int(name == top)} for name in ("zip", "sex", "age")}
        output = {"path": into}
        return {
            "source": {"path": "people.csv"},
            "quasi_identifiers": columns,
            "requirement": {"k": 4},
            "output": output,
            **more,
        }

    run(job("first.csv", "zip"))

    def meanwhile(stage: str) -> None:
        if stage == "verify":
            assert run(job("first.csv", "sex")).result.joint_together[0].k == 2

    second = job("second.csv", "zip", against=["first.csv"])
    with pytest.raises(OutputError, match=r"^against: another run released .*first\.csv again during this run"):
        pipeline.run(second, resources=Resources(threads=1, progress=meanwhile))
    assert not Path("second.csv").exists()
    with pytest.raises(sc.RequirementError, match=r"joint k with .* is less than 4"):
        run(second)


def test_a_wait_for_another_run_of_the_source_ends_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(staging, "PATIENCE", 0.2)
    with state.lock(origin(TO_CSV.job(2))):
        with pytest.raises(OutputError, match=r"^another run of this source has been publishing for .* locked .*lock$"):
            run(TO_CSV.job(2))
        assert TO_CSV.read() is None
        run(TO_CSV.job(2, source={"url": "duckdb:///hospital.duckdb", "table": "people"}))  # another source
    run(TO_CSV.job(4, output={"path": "other.csv"}))


def test_a_wait_for_another_run_of_the_source_is_interrupted(folder: Path) -> None:
    Path("job.yaml").write_text(yaml.safe_dump(TO_CSV.job(2)))
    with state.lock(origin(TO_CSV.job(2))):
        command = [sys.executable, "-m", "starcloak", "run", "job.yaml"]
        waiting = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        until = time.monotonic() + SOON
        while not list(folder.glob(".release.csv.*.starcloak-staging*")) and time.monotonic() < until:
            time.sleep(0.01)
        time.sleep(1)
        assert waiting.poll() is None
        waiting.send_signal(signal.SIGINT)
        out, err = waiting.communicate(timeout=SOON)
    assert (waiting.returncode, out, err) == (130, "", "starcloak: interrupted: nothing was written\n")
    assert saved_recodings.every() == []


def test_a_registration_is_on_the_disk_before_its_release_is_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """After a power failure, a release could be there of which no run knew."""
    steps: list[str] = []
    publish = File.publish

    def published(self: File, *arguments: Any) -> None:
        steps.append("published")
        publish(self, *arguments)

    monkeypatch.setattr(registration, "flush_folder", lambda folder: steps.append(str(forms())))
    monkeypatch.setattr(File, "publish", published)
    run(TO_CSV.job(2))
    assert steps == ["['publishing']", "published", "['recoding']"]


# -------------------------------------------------------------------------------------------------------------- kills


@pytest.mark.sampled(4)
@places
@pytest.mark.parametrize("before", [False, True], ids=["first", "another"])
def test_what_a_run_registered_that_never_published_is_taken_for_no_release(
    place: Place, before: bool, killed: Callable[..., None]
) -> None:
    """A file is still staged, and a ledger lacks the run. A database without a ledger shows nothing."""
    first = run(place.job(4)).result if before else None
    killed(place.job(2), "before")
    assert forms() == ["publishing", *(["recoding"] if first else [])]
    again = run(place.job(2)).result
    shows = before or place.is_fresh or not place.is_table
    assert len(again.joint) == before + (not shows) and (not first or again.joint[-1].run == first.run)
    assert bool([said for said in again.warnings if "is not known" in said or "ended" in said]) != shows
    assert forms() == ["recoding"] * (1 + before + (not shows))


@pytest.mark.sampled(4)
@places
def test_what_a_run_published_that_could_not_say_so_is_a_release(place: Place, killed: Callable[..., None]) -> None:
    first = run(place.job(4)).result
    killed(place.job(2), "after")
    published = place.read()
    assert forms() == ["publishing", "recoding"]
    again = run(place.job(3)).result
    assert len(again.joint) == 2 and again.joint[1].run == first.run
    assert published is not None and forms() == ["recoding"] * 3


@pytest.mark.sampled(2)
@pytest.mark.parametrize("when", ["before", "after"])
def test_elsewhere_it_is_measured_and_said_to_be_in_doubt(when: str, killed: Callable[..., None]) -> None:
    killed(TO_CSV.job(2), when)
    elsewhere = run(TO_PARQUET.job(4)).result
    (joint,) = elsewhere.joint
    assert joint.k is not None
    assert any("was ended while it published, so it is not known" in said for said in elsewhere.warnings)
    run(TO_CSV.job(4))
    sure = run(TO_PARQUET.job(2)).result
    assert not [said for said in sure.warnings if "ended while it published" in said]
    assert (joint.run in [each.run for each in sure.joint]) == (when == "after")


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("server", "when"), some_daily(SERVERS, ["before", "after"], each=2), indirect=["server"])
def test_in_every_database_a_killed_run_is_decided_by_the_place(
    server: Server, work: Path, when: str, killed: Callable[..., None]
) -> None:
    server.fill("people", people(40), TYPES)
    described = people_job(server, k=2, output={"table": "out"}, insight="off")
    first = sc.run(described).result
    killed({**described, "requirement": {"k": 4}}, when)
    assert forms() == ["publishing", "recoding"]
    again = sc.run({**described, "requirement": {"k": 5}}).result
    assert len(again.joint) == 1 + (when == "after")
    assert again.joint[-1].run == first.run
    assert set(forms()) == {"recoding"}


@pytest.mark.sampled(3)
@places
def test_a_release_that_is_out_though_its_run_failed_is_decided_by_the_place(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    with failing(monkeypatch, type(target(load(place.job(2)))), is_out=True):
        run(place.job(2))
    assert forms() == ["publishing"] and place.read() is not None
    again = run(place.job(4, output={"path": "elsewhere.csv"})).result
    assert len(again.joint) == 1


@pytest.mark.sampled(3)
@places
def test_a_run_that_fails_before_its_release_is_out_leaves_none_known(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    with failing(monkeypatch, type(target(load(place.job(2)))), is_out=False):
        run(place.job(2))
    assert forms() == []


def test_a_release_that_another_file_kept_out_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    link = os.link

    def appears(staged: Path, place: Path) -> None:
        TO_FRESH.file.write_text("somebody's")
        link(staged, place)

    with monkeypatch.context() as patched:
        patched.setattr(os, "link", appears)
        with pytest.raises(OutputError, match=r"another program made .*release\.duckdb during the run: run again"):
            run(TO_FRESH.job(2))
    assert TO_FRESH.file.read_text() == "somebody's" and forms() == []


@pytest.mark.any_database
def test_a_commit_whose_answer_is_lost_is_decided_by_the_place(
    server: Server, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.fill("people", people(40), TYPES)
    described = people_job(server, k=2, output={"table": "out"}, insight="off")
    first = sc.run(described).result
    with failing(monkeypatch, SwappedTable if server.name == "mariadb" else DatabaseTable, is_out=True):
        sc.run({**described, "requirement": {"k": 4}})
    assert forms() == ["publishing", "recoding"]
    again = sc.run({**described, "requirement": {"k": 5}}).result
    assert len(again.joint) == 2 and again.joint[-1].run == first.run


def test_a_file_that_was_shipped_after_its_run_was_killed_is_taken_for_out(killed: Callable[..., None]) -> None:
    """Its folder tells nothing any more."""
    killed(TO_CSV.job(2), "after")
    shutil.move("release.csv", "shipped.csv")
    os.unlink("release.csv.starcloak.json")
    (earlier,) = run(TO_CSV.job(4)).result.joint
    assert earlier.k is not None


def test_what_a_killed_run_left_half_written_is_swept(folder: Path) -> None:
    run(TO_CSV.job(2))
    (whole,) = state.folder().glob("*.recoding")
    left = whole.with_name(f".{whole.name}.0123456789ab.starcloak-staging.publishing")
    left.write_text("HIDDENx7")
    run(TO_CSV.job(4))
    assert not left.exists()
    left.write_text("HIDDENx7")
    for about in saved_recodings.every():
        saved_recodings.forget(about)
    assert not left.exists()
    assert not [path for path in state.folder().iterdir() if b"HIDDENx7" in path.read_bytes()]


def test_a_recoding_that_may_not_be_of_the_release_is_not_shown(killed: Callable[..., None]) -> None:
    """`mapping` wrote that of a killed run for that of the file, and `apply` masked by it."""
    place = load_source({"path": "release.csv"})
    first = run(TO_CSV.job(4)).result
    assert recoding_of(place).about.run == first.run
    killed(TO_CSV.job(2), "before")
    with pytest.raises(
        OutputError, match=r"release\.csv was ended while it published, so it is not known which release"
    ):
        recoding_of(place)
    again = run(TO_CSV.job(2)).result
    assert recoding_of(place).about.run == again.run
    Path("release.csv").write_text("age\n20\n")
    with pytest.raises(OutputError, match="was changed after its run"):
        recoding_of(place)
