"""The command line in scripts: what it takes from elsewhere, what it says where it fails, when it ends."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from click.testing import CliRunner

from starcloak.base import installation
from starcloak.base.errors import JobError
from starcloak.commands import cli
from starcloak.hierarchy.builder import builders
from starcloak.job import document, load

JOB: dict[str, Any] = {
    "source": {"path": "people.csv"},
    "quasi_identifiers": {"zip": {"digits": 2}, "sex": "suppress"},
    "requirement": {"k": 2},
    "output": {"path": "out.csv"},
}
PLAIN = """
source: {path: people.csv}
quasi_identifiers: {zip: {digits: 2}, sex: suppress}
requirement: {k: 2}
output: {path: out.csv}
"""


@pytest.fixture
def folder(work: Path) -> Path:
    (work / "people.csv").write_text("zip,sex\n11,m\n11,m\n21,f\n22,f\n")
    (work / "job.yaml").write_text(PLAIN)
    return work


def starcloak(*arguments: str, given: str | None = None, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "starcloak", *arguments],
        input=given,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_the_command_alone_prints_its_help(folder: Path) -> None:
    alone, asked = starcloak(), starcloak("--help")
    assert (alone.returncode, alone.stderr, alone.stdout) == (0, "", asked.stdout)
    assert "run" in alone.stdout and "Exit codes" in alone.stdout


@pytest.mark.sampled(3)
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_knows_commands_and_options(shell: str, folder: Path) -> None:
    source = starcloak(_STARCLOAK_COMPLETE=f"{shell}_source")
    assert source.returncode == 0 and f"_STARCLOAK_COMPLETE={shell}_complete" in source.stdout
    words = {"COMP_WORDS": "starcloak ru", "COMP_CWORD": "ru" if shell == "fish" else "1"}
    assert "run" in starcloak(_STARCLOAK_COMPLETE=f"{shell}_complete", **words).stdout
    words = {"COMP_WORDS": "starcloak run --qui", "COMP_CWORD": "--qui" if shell == "fish" else "2"}
    assert "--quiet" in starcloak(_STARCLOAK_COMPLETE=f"{shell}_complete", **words).stdout


def test_quiet_says_nothing_but_what_was_asked_for(folder: Path) -> None:
    done = starcloak("run", "job.yaml", "--quiet")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert Path("out.csv").is_file()
    checked = starcloak("check", "people.csv", "--qi", "zip", "--k", "2", "-q")
    assert (checked.returncode, checked.stdout, checked.stderr) == (1, "", "")
    assert json.loads(starcloak("run", "job.yaml", "-q", "--json").stdout)["unchanged"]
    wrong = starcloak("run", "nowhere.yaml", "--quiet")
    assert (wrong.returncode, wrong.stdout) == (2, "") and "nowhere.yaml is not there" in wrong.stderr


def test_values_of_a_job_are_set_on_the_command_line(folder: Path) -> None:
    changes = (
        "requirement.k=3",
        "quasi_identifiers.zip=suppress",
        "output.path=other.csv",
        "algorithm={name: datafly}",
    )
    done = starcloak("run", "job.yaml", "--json", *(part for change in changes for part in ("--set", change)))
    told = json.loads(done.stdout)
    assert (told["requirement"]["k"], told["algorithm"]["name"]) == (3, "datafly")
    assert told["recoding"]["heights"] == {"zip": 1, "sex": 1} and Path("other.csv").is_file()
    qids = {**JOB, "requirement": {"qids": [{"attributes": ["zip"], "k": 2}, {"attributes": ["sex"], "k": 2}]}}
    changed = load(qids, changes=["requirement.qids.1.k=4"])
    assert [qid.k for qid in changed.requirement.qids or ()] == [2, 4]
    assert load(JOB, changes=["quasi_identifiers.zip.importance=2"]).importance == {"zip": 2}
    assert load(JOB).requirement.k == 2


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ("requirement.k", "--set requirement.k is not of the form KEY=VALUE"),
        ("=10", "--set  is not of the form"),
        ("requirement..k=10", "is not of the form"),
        ("requirement.k.k=10", "--set requirement.k.k: the job has no keys there, so 'k' cannot be set"),
        ("requirement.k=", "job: requirement: requirement needs k"),
        ("requirement.k=[1", "--set requirement.k, line 1: "),
        ("requirement.kk=1", r"requirement: unknown key 'kk'.*Did you mean 'k'\?"),
        ("requirement.qids.0.k=1", "job: requirement"),
        ("keep=[zip]", "column 'zip' is named under"),
    ],
)
def test_a_value_that_cannot_be_set_is_refused(change: str, problem: str) -> None:
    with pytest.raises(JobError, match=problem):
        load(JOB, changes=[change])


def test_a_list_goes_by_positions_that_are_there() -> None:
    with pytest.raises(JobError, match=r"--set a\.2: '2' is not a position of this list of 2 items"):
        document.with_changes({"a": [1, 2]}, ["a.2=3"])
    assert document.with_changes({"a": [1, {"b": 2}]}, ["a.1.b=3", "a.0={}"]) == {"a": [{}, {"b": 3}]}


def test_values_of_the_environment_stand_in_a_job(folder: Path) -> None:
    text = PLAIN.replace("k: 2", "k: ${LEAST}").replace("people.csv", "${NAME}.csv") + "# ${NOBODY}\n"
    Path("job.yaml").write_text(text)
    done = starcloak("run", "job.yaml", "--json", LEAST="3", NAME="people")
    assert json.loads(done.stdout)["requirement"]["k"] == 3


def parsed(text: str, monkeypatch: pytest.MonkeyPatch, **environment: str) -> Any:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    return document.parse(text, where="job.yaml")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a: ${K}", 10),
        ("{a: ${K}}", 10),
        ("a: '${K}'", "10"),
        ('a: "${K}"', "10"),
        ("a: ${K}0", 100),
        ("a: $${K}", "${K}"),
        ("a: '$${K} ${K}'", "${K} 10"),
        ("a: ${TEXT}", "x: [y"),
        ("a: [b, ${TEXT}]", ["b", "x: [y"]),
        ("a: $K ${ K", "$K ${ K"),
        ("a: |\n  ${K}", "10"),
        ("a: 10 # ${NOBODY}", 10),
    ],
)
def test_a_value_of_the_environment_is_one_value(text: str, value: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is what its text is where it stands unquoted, and never more of a job than that."""
    assert parsed(text, monkeypatch, K="10", TEXT="x: [y") == {"a": value}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a: 1\nb: ${NOBODY}", "job.yaml, line 2: the environment variable NOBODY is not set: set it, or write"),
        ("a: ${EMPTY}", "job.yaml, line 1: the environment variable EMPTY is empty"),
        ("a: x${EMPTY}x", "the environment variable EMPTY is empty"),
        ("a: ${}", r"job.yaml, line 1: \$\{…\} has no valid name"),
        ("a: ${K:-3}", r"\$\{…\} has no valid name"),
    ],
)
def test_nothing_of_a_job_is_silently_empty(text: str, problem: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NOBODY", raising=False)
    with pytest.raises(JobError, match=problem):
        parsed(text, monkeypatch, EMPTY="", K="10")


def test_a_job_on_standard_input(folder: Path) -> None:
    done = starcloak("run", "-", "--set", "requirement.k=3", "--json", given=yaml.safe_dump(JOB))
    assert json.loads(done.stdout)["requirement"]["k"] == 3 and Path("out.csv").is_file()
    assert starcloak("compile", "-", given=PLAIN).stdout.startswith("-- A release of people.csv")
    nothing = starcloak("run", "-", given="")
    assert (nothing.returncode, nothing.stderr) == (
        2,
        "starcloak: standard input is not a mapping: write lines of the form key: value, such as k: 5\n",
    )
    without = starcloak("run", "-", given=PLAIN.replace("output", "#"))
    assert "standard input: the job has no place for the release" in without.stderr


SCHEMA = json.loads((installation.schemas() / "error.json").read_text())


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("arguments", "kind", "code"),
    [
        (("run", "nowhere.yaml"), "JobError", 2),
        (("run", "job.yaml", "--set", "source.path=nowhere.csv"), "SourceError", 2),
        (("run", "job.yaml", "--set", "requirement.k=9"), "RequirementError", 1),
        (("run", "job.yaml", "--surprise"), "NoSuchOption", 2),
        (("check", "people.csv", "--qi", "zipp", "--k", "2"), "SourceError", 2),
        (("check", "people.csv"), "UsageError", 2),
    ],
)
def test_a_failure_is_json_where_json_was_asked_for(
    arguments: tuple[str, ...], kind: str, code: int, folder: Path
) -> None:
    plain, done = starcloak(*arguments), starcloak(*arguments, "--json")
    told = json.loads(done.stdout)
    jsonschema.validate(told, SCHEMA)
    assert (told["error"]["kind"], told["error"]["exit_code"], done.returncode) == (kind, code, code)
    assert (plain.stdout, plain.returncode) == ("", code)
    assert plain.stderr == done.stderr == f"starcloak: {told['error']['message']}\n"


def test_a_run_that_takes_too_long_is_ended(folder: Path) -> None:
    with Path("people.csv").open("a") as file:
        file.writelines(f"{number % 90 + 10},{'mf'[number % 2]}\n" for number in range(200_000))
    done = starcloak("run", "job.yaml", "--timeout", "0.05", "--json")
    assert (done.returncode, done.stderr) == (142, "starcloak: timed out: nothing was written\n")
    told = json.loads(done.stdout)
    jsonschema.validate(told, SCHEMA)
    assert told["error"] == {"kind": "TimedOut", "message": "timed out: nothing was written", "exit_code": 142}
    assert sorted(path.name for path in folder.iterdir()) == ["job.yaml", "people.csv"]
    assert starcloak("run", "job.yaml", "--timeout", "60", "--quiet").returncode == 0
    for option in ("--timeout", "--threads"):
        never = starcloak("run", "job.yaml", option, "0")
        assert never.returncode == 2 and option in never.stderr


def test_a_long_run_tells_its_stage_now_and_then(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cli, "PAUSE", 0.01)
    done = CliRunner().invoke(cli.cli, ["run", "job.yaml"])
    assert done.exit_code == 0
    lines = done.stderr.splitlines()
    assert len({line.split(",")[0] for line in lines}) > 1
    for line in lines:
        told = re.fullmatch(r"starcloak: ([a-z ]+).*, \d+ s, in all \d+ s(?:; next: (.*))?", line)
        assert told is not None and told[1] in cli.STEPS.values()
        assert (told[2] is None) == (told[1] == [*cli.STEPS.values()][-1])
    quiet = CliRunner().invoke(cli.cli, ["run", "job.yaml", "--force", "--quiet"])
    assert (quiet.exit_code, quiet.output) == (0, "")


def test_on_a_terminal_a_run_tells_its_stage_in_a_line_that_goes_away(folder: Path) -> None:
    ours, its = pty.openpty()
    with subprocess.Popen([sys.executable, "-m", "starcloak", "run", "job.yaml"], stdout=its, stderr=its) as process:
        os.close(its)
        told = b""
        with suppress(OSError):  # the other end is closed
            while read := os.read(ours, 4096):
                told += read
    os.close(ours)
    assert process.returncode == 0
    assert b"verified" in told and told.rindex(b"\x1b[?25l") < told.rindex(b"\x1b[?25h") < told.rindex(b"verified")


def test_a_short_run_tells_no_stage(folder: Path) -> None:
    assert starcloak("run", "job.yaml").stderr == ""


def test_every_hierarchy_is_listed_with_what_its_levels_read() -> None:
    told = CliRunner().invoke(cli.cli, ["hierarchies"]).output.splitlines()
    assert len(told) == 2 * len(builders())
    assert "{digits: 5}" in told and "\\" not in "".join(told) and "`" not in "".join(told)
