"""What the command line says is read by terminals, and told to others: no name commands them, no password is in it."""

from __future__ import annotations

import json
import logging
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from starcloak.commands import cli
from tests.commands.cli.jobs import Command, write

#: Red from here on, by one byte or two; a title; what is beside it the other way round; a delete; a tag nobody sees.
NAME = "zip\x1b[31m\x9b31m\x1b]0;title\x07\u202e\x7f\U000e0041"


@pytest.fixture
def hostile(folder: Path) -> str:
    """A job whose quasi-identifier, kept column and hierarchy have names and labels that command a terminal."""
    rows = "\n".join(f"{value}\x1b[2J,{value},flu" for value in "aabbcc")
    Path("hostile.csv").write_text(f"{NAME},age\x1b[1m,illness\n{rows}\n")
    tree = {f"low\x1b[5m{NAME}": ["a\x1b[2J", "b\x1b[2J"], "high": ["c\x1b[2J"]}
    return write(
        {
            "source": {"path": "hostile.csv"},
            "quasi_identifiers": {NAME: {"tree": tree}, "age\x1b[1m": "suppress"},
            "sensitive": ["illness"],
            "requirement": {"k": 2},
            "output": {"path": "release.csv"},
        }
    )


def test_a_warning_is_said_once(capsys: pytest.CaptureFixture[str]) -> None:
    """A command may open a file several times."""
    said = cli._Said()
    for message in ("one", "two") * 2:
        said.emit(logging.LogRecord("starcloak", logging.WARNING, __file__, 1, message, None, None))
    assert capsys.readouterr().err == "one\ntwo\n"


def commands(seen: str) -> list[str]:
    """The characters of a text that do something to a terminal."""
    return [each for each in seen if not (each.isprintable() or each in "\n\t")]


ASKED = [
    ("run",), ("run", "--json", "--force"), ("run", "--verbose", "--force"), ("explain",), ("explain", "--json"),
    ("compare", "--k", "2"), ("compare", "--k", "2", "--json"), ("run", "--set", "requirement.k=99"),
    ("run", "--set", "algorithm.name=\x1b[1m"), ("run", "--\x1b[1m"), ("run", "--force", "--set", "joint\x1b=1"),
]  # fmt: skip


def test_no_name_of_the_data_commands_a_terminal(starcloak: Command, hostile: str) -> None:
    for command, *more in ASKED:
        done = starcloak(command, hostile, *more)
        assert not commands(done.out + done.err), (command, more)
        if "--json" in more:
            json.loads(done.out)
    told = json.loads(starcloak("run", hostile, "--json", "--force").out)
    assert list(told["recoding"]["levels"]) == [NAME, "age\x1b[1m"]
    for asked in (("init",), ("audit",), ("check", "--qi", NAME, "--k", "3"), ("check", "--qi", "\x1b[1m", "--k", "3")):
        done = starcloak(asked[0], "hostile.csv", *asked[1:])
        assert not commands(done.out + done.err), asked
    assert not commands(starcloak("forget").out)


def test_a_script_is_as_it_is_but_on_a_terminal(starcloak: Command, hostile: str) -> None:
    assert NAME in starcloak("compile", hostile).out
    seen, end = pty.openpty()
    command = [sys.executable, "-m", "starcloak", "compile", hostile, "--trace"]
    done = subprocess.Popen(command, stdout=end, stderr=end)
    os.close(end)
    shown = b""
    while True:
        try:
            read = os.read(seen, 65536)
        except OSError:  # its other end is closed
            break
        if not read:
            break
        shown += read
    assert done.wait() == 0
    os.close(seen)
    text = shown.decode().replace("\r\n", "\n")
    assert "create temporary table" in text and not commands(text)


URL = "postgresql://clerk:PW@7x@host/hospital?sslpassword=PW7x"


@pytest.mark.parametrize("scheme", ["postgresql", "mysql+pymysql"])
@pytest.mark.parametrize(
    "rest", ["PW@7x@host/hospital", "PW@7x/PW7x@host/hospital", "PW/7x@host", "PW@host:77@7x/hospital"]
)
def test_no_end_of_a_password_is_read_as_a_server(starcloak: Command, folder: Path, scheme: str, rest: str) -> None:
    url = f"{scheme}://clerk:{rest}"
    write({"source": {"url": url, "table": "people"}, "quasi_identifiers": {"zip": "suppress"},
           "requirement": {"k": 2}, "output": {"path": "release.csv"}})  # fmt: skip
    done = starcloak("run", "job.yaml", "--json")
    assert done.code == 2 and "7x" not in done.out + done.err, done


def test_no_password_is_told_where_a_url_stands_in_a_paths_place(starcloak: Command, folder: Path) -> None:
    write({"source": {"path": "people.csv"}, "quasi_identifiers": {"zip": "suppress"}, "requirement": {"k": 2},
           "identifiers": ["name", "age", "sex", "illness"], "output": {"path": "release.csv"}})  # fmt: skip
    Path("job.yaml").rename("plain.yaml")
    described = yaml.safe_load(Path("plain.yaml").read_text())
    places = [
        {"source": {"path": URL}},
        {"output": {"path": URL}},
        {"quasi_identifiers": {"zip": {"csv": URL}}},
        {"schema": URL},
        {"against": [URL]},
        {"requirement": {"k_map": {"k": 2, "population": {"path": URL}}}},
        {"algorithm": {"name": "incognito", "variant": "cube", "cube": URL}},
        {"without_leaf": URL},
        {"source": {"url": URL, "table": URL}},
    ]
    jobs = []
    for number, place in enumerate(places):
        Path(f"{number}.yaml").write_text(yaml.safe_dump({**described, **place}))
        jobs.append(("run", f"{number}.yaml", "--json"))
    asked = [
        *((command, URL) for command in ("run", "compile", "explain", "compare", "forget", "init", "audit")),
        ("check", URL.replace("//", "/"), "--qi", "zip", "--k", "2"),
        ("check", "people.csv", "--requirement", URL),
        ("check", "people.csv", "--qi", "zip", "--k", "2", "--k-map", "2", "--population", URL),
        ("report", URL, "--into", "r.html"),
        ("report", "plain.yaml", "--into", URL),
        ("run", "plain.yaml", "--openlineage", URL),
        ("run", "plain.yaml", "--set", f"output.path={URL}"),
        ("run", "plain.yaml", "--set", URL),
        ("compare", "plain.yaml", "--csv", URL),
        ("compare", "plain.yaml", "--plot", URL),
        ("compile", "plain.yaml", "--format", "dbt", "--into", URL),
        ("init", "people.csv", "--into", URL),
        ("demo", "--data", URL),
        ("demo", "--into", URL),
        (URL,),
        *jobs,
    ]
    for arguments in asked:
        done = starcloak(*arguments)
        assert "7x" not in done.out + done.err, (arguments, done)
        assert done.code != 0 and "Traceback" not in done.err, (arguments, done)
    assert not [path for path in Path().rglob("*") if "7x" in str(path)]


def test_all_that_is_said_goes_through_one_place() -> None:
    folder = Path(cli.__file__).parent
    for module in folder.rglob("*.py"):
        said = "echo(" in module.read_text() or "print(" in module.read_text()
        assert said == (module == Path(cli.__file__)), module
