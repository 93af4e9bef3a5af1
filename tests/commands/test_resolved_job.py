"""Commands on a job mean the same job, with what it leaves to its source and to the release in its place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas
import pytest
import yaml
from click.testing import CliRunner, Result

import starcloak as sc
from starcloak.commands.cli import cli
from starcloak.commands.studio.shared_state import SharedState
from starcloak.releases import state
from tests.people import Server, people


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def table(rows: int = 120) -> pandas.DataFrame:
    return people(rows).assign(Lab_a="1", Lab_b="2", ward="w", note="n")


JOB: dict[str, Any] = {
    "source": {"path": "people.csv"},
    "quasi_identifiers": {"age": {"intervals": [5, 10, 20]}, "zip": {"digits": 5}, "sex": "suppress"},
    "sensitive": ["illness"],
    "keep": ["Lab_*"],
    "others": "identifiers",
    "requirement": {"k": 4},
    "output": {"path": "release.csv"},
}


def wrote(path: str = "job.yaml", **more: Any) -> dict[str, Any]:
    described = {key: value for key, value in {**JOB, **more}.items() if value is not None}
    Path(path).write_text(yaml.safe_dump(described, sort_keys=False))
    return described


def command(*arguments: str) -> Result:
    done = CliRunner().invoke(cli, list(arguments))
    assert done.exit_code == 0, done.output
    return done


def report(job: str = "job.yaml") -> str:
    command("report", job, "--into", "report.html")
    return Path("report.html").read_text()


def is_known_everywhere(run: str, levels: dict[str, int]) -> None:
    """Hold that each command finds the release of a run, or shows what that released."""
    assert run in report() and "not published" not in Path("report.html").read_text()
    command("apply", "job.yaml", "people.csv", "--into", "masked.csv")
    columns = list(pandas.read_csv("release.csv"))
    masked, released = (pandas.read_csv(path).astype(str) for path in ("masked.csv", "release.csv"))
    assert sorted(map(tuple, masked[columns].to_numpy())) == sorted(map(tuple, released.to_numpy()))
    Path("masked.csv").unlink()
    assert sc.explain("job.yaml").levels == sc.preview("job.yaml").levels == levels
    state = SharedState(Path("job.yaml"))
    assert run in state.report() and "not published" not in state.report()
    unchanged = sc.run("job.yaml")
    assert unchanged.result.unchanged
    assert ", ".join(f"{name} at level {level}" for name, level in levels.items()) in sc.compile("job.yaml")


def test_a_job_with_patterns_and_a_word_on_all_others_is_found_again() -> None:
    table().to_csv("people.csv", index=False)
    wrote()
    result = sc.run("job.yaml").result
    assert set(pandas.read_csv("release.csv")) == {"age", "zip", "sex", "illness", "Lab_a", "Lab_b"}
    is_known_everywhere(result.run, result.recoding.levels)


def test_a_job_without_objective_is_that_of_the_release_in_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(state, "keyed", lambda text: f"keyed {text}")  # of some halves both releases are alike
    table().to_csv("people.csv", index=False)
    wrote(objective={"minimize": "height"})
    result = sc.run("job.yaml").result
    wrote()
    is_known_everywhere(result.run, result.recoding.levels)
    # Afterwards, as rows masked by the one are measured with the other.
    wrote(path="elsewhere.yaml", output={"path": "elsewhere.csv"})
    assert sc.run("elsewhere.yaml").result.recoding.levels != result.recoding.levels  # the default is another one
    attacks = sc.attack("job.yaml"), sc.attack({**JOB, "objective": {"minimize": "height"}})
    assert attacks[0] == attacks[1] != sc.attack("elsewhere.yaml")


def test_a_new_column_that_a_pattern_means_is_no_other_job() -> None:
    table().to_csv("people.csv", index=False)
    wrote()
    first = sc.run("job.yaml").result
    table().assign(Lab_c="3", fax="4").to_csv("june.csv", index=False)
    command("apply", "job.yaml", "june.csv", "--into", "masked.csv")
    assert "Lab_c" in set(pandas.read_csv("masked.csv"))
    table().assign(Lab_c="3", fax="4").to_csv("people.csv", index=False)
    assert first.run in report()
    second = sc.run("job.yaml").result
    assert not second.unchanged and "Lab_c" in second.kept_by_patterns and "fax" in second.roles["identifiers"]
    table().assign(Lab_c="3", fax="4", phone="5").to_csv("people.csv", index=False)
    third = sc.run("job.yaml").result  # whose rows are those of the second
    assert "phone" in third.roles["identifiers"]


def test_an_earlier_job_under_against_is_found_again() -> None:
    table().to_csv("people.csv", index=False)
    wrote("first.yaml", output={"path": "first.csv"}, objective={"minimize": "height"})
    sc.run("first.yaml")
    wrote("first.yaml", output={"path": "first.csv"})
    command("forget", "first.csv")  # so that its job has to be searched again
    wrote(against=[{"job": "first.yaml"}], accept={"joint_k": 1})
    assert sc.run("job.yaml").result.joint


@pytest.mark.sampled(3)
def test_a_release_in_a_database_is_found_again(server: Server) -> None:
    server.fill("people", table()[["name", "age", "zip", "sex", "illness"]], {
        "name": "varchar(40)", "age": "integer", "zip": "varchar(9)", "sex": "varchar(9)", "illness": "varchar(99)"
    })  # fmt: skip
    place = {"source": {"url": server.url, "table": "people"}, "output": {"table": "cohort"}}
    wrote(**place, keep=None, objective={"minimize": "height"})
    run = sc.run("job.yaml").result.run
    wrote(**place, keep=None)
    assert run in report() and "not published" not in Path("report.html").read_text()
