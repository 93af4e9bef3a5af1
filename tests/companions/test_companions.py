"""Companions: the core names none of them, and runs without any one of them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar

import pytest

import starcloak as sc
from starcloak.base import installation
from starcloak.job import Job
from starcloak.releases import companion
from starcloak.releases.companion import installed
from starcloak.releases.run import Addition, Companion, Run
from starcloak.verify.recount import Reading
from tests.layers import ENGINE, imports_of

FOLDER = ENGINE / "companions"
NAMES = sorted(path.parent.name for path in FOLDER.glob("*/companion.py"))
#: A job with a key of each companion that has any.
JOB = {
    "source": {"path": "people.csv"},
    "quasi_identifiers": {"sex": "suppress", "zip": {"digits": 2}},
    "sensitive": ["illness"],
    "requirement": {"k": 2, "l_diversity": [{"attribute": "illness", "l": 2}]},
    "output": {"path": "released.csv"},
}
KEYS: dict[str, dict[str, Any]] = {
    "against": {"against": ["released.csv"]},
    "refresh": {"refresh": True, "algorithm": {"name": "sweep"}, "requirement": {"k": 2}},
    "insight": {"insight": "off"},
}
#: Masked rows are measured with the release that they belong to: without joint risk there is no masking.
GOES_WITH = {"joint_risk": ["commands/masking"]}


def test_companions_are_installed_by_their_folders() -> None:
    kinds = installed()
    assert {kind.name for kind in kinds if kind.__module__.startswith("starcloak.")} == set(NAMES)
    assert [kind.order for kind in kinds] == sorted(kind.order for kind in kinds)
    assert all(issubclass(kind, Companion) for kind in kinds)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", NAMES)
def test_nothing_but_commands_that_go_with_it_imports_a_companion(name: str) -> None:
    importing = {
        str(path.relative_to(ENGINE))
        for path in ENGINE.rglob("*.py")
        if f"starcloak.companions.{name}" in {".".join(module.split(".")[:3]) for module in imports_of(path)}
        and not path.is_relative_to(FOLDER / name)
    }
    expected = tuple(f"{folder}/" for folder in GOES_WITH.get(name, []))
    events = {"commands/release.py"} if name == "lineage" else set()  # Release.openlineage() makes its event
    assert {path for path in importing if not path.startswith(expected or ("/",))} <= events


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", NAMES)
def test_a_run_without_a_companion_publishes_and_its_keys_are_refused(name: str, tmp_path: Path) -> None:
    site = tmp_path / "site"
    shutil.copytree(ENGINE, site / "starcloak", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.rmtree(site / "starcloak" / "companions" / name)
    for folder in (installation.sql(), installation.schemas()):
        (site / "starcloak" / folder.name).symlink_to(folder)
    (tmp_path / "people.csv").write_text("sex,zip,illness\n" + "f,10,a\nm,11,b\nf,10,b\nm,11,a\n" * 3)

    def run(**more: object) -> subprocess.CompletedProcess[str]:
        (tmp_path / "job.yaml").write_text(json.dumps(JOB | more))
        environment = {**os.environ, "PYTHONPATH": str(site), "XDG_STATE_HOME": str(tmp_path / "state")}
        command = [sys.executable, "-m", "starcloak", "run", "job.yaml", "--json"]
        return subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)

    done = run()
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["k"] >= 2 and (tmp_path / "released.csv").exists()
    (kind,) = (kind for kind in installed() if kind.name == name)
    for key in {*kind.keys} & {*KEYS}:
        refused = run(**KEYS[key])
        assert refused.returncode == 2 and f"the job has the key {key}, which no installed companion" in refused.stderr


class Probe(Companion):
    """A companion of a test, which takes part in every run."""

    name: ClassVar[str] = "probe"
    added: ClassVar[Addition] = Addition()
    fails: ClassVar[str] = ""

    @classmethod
    def is_active(cls, job: Job, options: Mapping[str, Any]) -> bool:
        return True

    def before_publish(self, run: Run, reading: Reading) -> Addition:
        return self.added

    @contextmanager
    def publishing(self, run: Run) -> Iterator[None]:
        if self.fails == "before":
            raise OSError
        yield
        if self.fails == "after":
            raise OSError


@pytest.fixture
def probe(monkeypatch: pytest.MonkeyPatch, work: Path) -> type[Probe]:
    monkeypatch.setattr(companion, "_REGISTERED", {**{kind.name: kind for kind in installed()}, "probe": Probe})
    (work / "people.csv").write_text("sex,zip,illness\n" + "f,10,a\nm,11,b\nf,10,b\nm,11,a\n" * 3)
    return Probe


def test_what_a_companion_fails_in_after_the_publication_is_a_warning(
    probe: type[Probe], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(probe, "fails", "after")
    release = sc.run(JOB)
    assert (
        "the release is published, but the companion probe (an optional feature of the run) failed afterwards "
        "(OSError): report this to its authors" in release.result.warnings
    )
    assert sc.run(JOB).result.unchanged  # it has its manifest
    released = Path("released.csv").read_bytes()
    monkeypatch.setattr(probe, "fails", "before")
    with pytest.raises(OSError):
        sc.run(JOB, force=True)
    assert Path("released.csv").read_bytes() == released and sorted(Path().glob("*.csv*"))
    monkeypatch.setattr(probe, "fails", "")
    assert sc.run(JOB, force=True).result.joint_together[0].runs == [release.result.run]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "added", [Addition(part=object()), Addition(fields={"k": 99}), Addition(fields={"insight": 1})]
)
def test_what_a_companion_adds_wrongly_is_refused_before_the_publication(
    probe: type[Probe], monkeypatch: pytest.MonkeyPatch, added: Addition
) -> None:
    monkeypatch.setattr(probe, "added", added)
    with pytest.raises((ValueError, TypeError)):
        sc.run(JOB)
    assert not Path("released.csv").exists()


@pytest.mark.parametrize("taken", [{"name": "joint_risk"}, {"keys": ("refresh",)}])
def test_a_companion_takes_no_name_or_key_of_another(probe: type[Probe], taken: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="is registered already"):
        companion.register(type("Other", (Companion,), {"name": "other", **taken}))


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_types_hold_without_a_companion(name: str, tmp_path: Path) -> None:
    site = tmp_path / "starcloak"
    shutil.copytree(ENGINE, site, ignore=shutil.ignore_patterns("__pycache__"))
    for folder in (f"companions/{name}", *GOES_WITH.get(name, [])):
        shutil.rmtree(site / folder)
    core = [str(path) for layer in ("releases", "companions", "verify", "job") for path in (site / layer).rglob("*.py")]
    command = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", *core]
    done = subprocess.run(
        command, cwd=tmp_path, env={**os.environ, "MYPYPATH": str(tmp_path)}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout


def test_the_objective_of_the_previous_release_is_refused_if_it_does_not_go_with_the_job(work: Path) -> None:
    rows = [f"{sex},{zip_},flu" for sex in "fm" for zip_ in (11, 12) for _ in range(3)]
    Path("people.csv").write_text("\n".join(["sex,zip,illness", *rows]))
    Path("register.csv").write_text("\n".join(["sex,zip,illness", *rows, "f,21,", "m,21,"]))
    job = {**JOB, "requirement": {"k": 2}}
    sc.run({**job, "objective": {"domain": "occurring"}})
    of_population = {"k": 2, "k_map": 2, "population": {"path": "register.csv"}}
    with pytest.raises(sc.JobError, match=r"domain: occurring ignores.*takes the objective of the previous release"):
        sc.run({**job, "requirement": of_population})
