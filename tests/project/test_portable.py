"""Another system: a run needs no module, function, mode or link of POSIX, nor a console in UTF-8."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.parse import urlencode

import pytest
import yaml

from starcloak.base import errors, operating_system
from starcloak.commands.cli.options import source_of
from starcloak.job import load_source

PROGRAM = [sys.executable, "-m", "tests.another_system"]
ROWS = 240
JOB = {
    "source": {"path": "people.csv"},
    "identifiers": ["name"],
    "quasi_identifiers": {"age": {"intervals": [5, 20]}, "sex": {"csv": "sex.csv"}},
    "sensitive": ["disease → cause"],
    "requirement": {"k": 4, "suppression": 0.05},
    "algorithm": {"name": "sweep"},
    "output": {"path": "release.csv"},
}
ENDLESS = "select a.range as age, 'f' as sex from range(1000000) a, range(1000000) b order by hash(a.range + b.range)"


def crlf(path: Path, text: str) -> None:
    """Write a text file as an editor of Windows does."""
    path.write_bytes(text.replace("\n", "\r\n").encode())


def people(rows: int) -> str:
    cells = (
        f"n{row},{20 + row % 40},{'fm'[row // 40 % 2]},{('flu', 'cold', 'gout')[row % 3]}\n" for row in range(rows)
    )
    return "name,age,sex,disease → cause\n" + "".join(cells)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Data and jobs with line ends of Windows, and an icacls that writes down for what it is called."""
    folder = tmp_path_factory.mktemp("portable")
    crlf(folder / "people.csv", people(ROWS))
    crlf(folder / "more.csv", people(ROWS + 20))
    crlf(folder / "sex.csv", "f;*\nm;*\n")
    for name, changes in (
        ("job", {}),
        ("nightly", {"refresh": True, "output": {"path": "nightly.csv"}}),
        ("table", {"output": {"url": "duckdb:///release.duckdb", "table": "release"}}),
        ("device", {"output": {"path": "con.csv"}}),
    ):
        crlf(folder / f"{name}.yaml", yaml.safe_dump({**JOB, **changes}, sort_keys=False, allow_unicode=True))
    (folder / "tools").mkdir()
    tool = folder / "tools" / "icacls"
    tool.write_text(f'#!/bin/sh\necho "$@" >> "{folder}/tools/calls"\n')
    tool.chmod(0o755)
    for name in ("temporary", "state"):
        (folder / name).mkdir(mode=0o777)
    return folder


def environment(folder: Path) -> dict[str, str]:
    added = {
        "PATH": f"{folder / 'tools'}{os.pathsep}{os.environ['PATH']}",
        "PYTHONIOENCODING": "cp1252",
        # A process in another folder finds the program of these tests.
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        "TMPDIR": str(folder / "temporary"),
        "XDG_STATE_HOME": str(folder / "state"),
    }
    return os.environ | added


def test_commands_need_nothing_of_posix(folder: Path) -> None:
    commands = [
        ["audit", "people.csv", "--qi", "age,sex", "--sets", "0"],
        ["init", "people.csv", "--into", "drafted.yaml"],
        ["run", "job.yaml"],
        ["run", "job.yaml", "--force", "--json", "--set", "requirement.k=5"],
        ["check", "release.csv", "--qi", "age,sex", "--k", "5"],
        ["report", "release.csv", "--into", "report.html"],
        ["run", "nightly.yaml"],
        ["copy", "more.csv", "people.csv"],
        ["run", "nightly.yaml"],
        ["run", "table.yaml"],
        ["run", "table.yaml", "--set", "requirement.k=6"],
        ["compile", "job.yaml"],
        ["run", "device.yaml"],
    ]
    done = subprocess.run(
        [*PROGRAM, json.dumps(commands)], cwd=folder, env=environment(folder), capture_output=True, check=False
    )
    out, err = done.stdout.decode("cp1252"), done.stderr.decode("cp1252")
    assert done.returncode == 0, err
    ended = json.loads(out.splitlines()[-1])
    # The script of a release is exact or not printed at all.
    assert ended["codes"] == [0] * 10 + [2, 2], (ended, err)
    assert "cp1252 lacks some of the characters: set PYTHONIOENCODING=utf-8" in err
    assert "'con.csv' is the name of a device in Windows" in err
    assert ended["left"] == []
    assert r"disease \u2192 cause" in out  # JSON as well
    assert "report.html" in {path.name for path in folder.iterdir()}
    assert not [path.name for path in folder.rglob("*") if "starcloak-" in path.name]
    called = (folder / "tools" / "calls").read_text()
    assert "drafted.yaml" in called and f"{folder / 'state' / 'starcloak'} /inheritance:r" in called
    assert "*S-1-3-4:(OI)(CI)F" in called
    released = (folder / "release.csv").read_text(encoding="utf-8")
    assert released.startswith("age,sex,disease → cause\n")


@contextmanager
def started(folder: Path, *arguments: str, temporary: Path) -> Iterator[subprocess.Popen[str]]:
    running = subprocess.Popen(
        [*PROGRAM, "main", *arguments],
        cwd=folder,
        env=environment(folder) | {"TMPDIR": str(temporary)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="cp1252",
    )
    with running:
        try:
            yield running
        finally:
            running.kill()


def test_the_studio_needs_nothing_of_posix(folder: Path, tmp_path: Path) -> None:
    with started(folder, "studio", "job.yaml", "--no-browser", temporary=tmp_path) as running, ExitStack() as stack:
        assert running.stdout is not None and running.stderr is not None
        line = running.stdout.readline()
        found = re.search(r"http://(127\.0\.0\.1:\d+)/enter/(\S+)", line)
        assert found is not None, line + running.stderr.read()
        host, token = found.groups()

        def ask(path: str, form: dict[str, str] | None = None, **headers: str) -> http.client.HTTPResponse:
            connection = http.client.HTTPConnection(host, timeout=60)
            stack.callback(connection.close)
            headers |= {"Host": host}
            if form is not None:
                headers |= {"Origin": f"http://{host}", "Content-Type": "application/x-www-form-urlencoded"}
            connection.request("GET" if form is None else "POST", path, form and urlencode(form), headers)
            return connection.getresponse()

        cookie = (ask(f"/enter/{token}").getheader("set-cookie") or "").partition(";")[0]

        def finish(name: str) -> None:
            until = time.monotonic() + 90
            while 'data-state="running"' in ask(f"/work?name={name}", Cookie=cookie).read().decode():
                assert time.monotonic() < until
                time.sleep(0.1)

        ask("/table", Cookie=cookie).read()
        finish("table")
        assert "disease → cause" in ask("/table", Cookie=cookie).read().decode()
        (folder / "release.csv").unlink(missing_ok=True)
        assert ask("/start", {"name": "run"}, Cookie=cookie).status == 303
        finish("run")
        assert "Verified. The release is" in ask("/release", Cookie=cookie).read().decode()
        running.send_signal(signal.SIGINT)
        running.communicate(timeout=60)
    assert (folder / "release.csv").exists()


@pytest.mark.parametrize("ends", ["interrupted", "timed out"])
def test_a_long_statement_ends_without_blocked_signals(ends: str, folder: Path, tmp_path: Path) -> None:
    """By Ctrl-C, which a thread hears by a socket, and after a time limit."""
    job = {**JOB, "source": {"url": "duckdb:///endless.duckdb", "query": ENDLESS}, "identifiers": [], "sensitive": []}
    source = folder / f"{ends}.yaml"
    source.write_text(json.dumps({**job, "output": {"path": f"{ends}.csv"}}))
    import duckdb

    duckdb.connect(str(folder / "endless.duckdb")).close()
    limit = ["--timeout", "3"] if ends == "timed out" else []
    with started(folder, "run", source.name, *limit, temporary=tmp_path) as running:
        if not limit:
            until = time.monotonic() + 60
            while not [*tmp_path.glob("starcloak/run-*")] and time.monotonic() < until:
                time.sleep(0.05)
            time.sleep(1)
            running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=90)
    assert (running.returncode, out, err) == (142 if limit else 130, "", f"starcloak: {ends}: nothing was written\n")
    assert not [*tmp_path.glob("starcloak/*")]


def test_a_path_with_a_drive_is_no_url() -> None:
    for text in (r"C:\data\people.csv", "C:/data/people.csv", r"\\server\share\people.csv"):
        assert load_source({"path": text}).path is not None
        assert source_of(text, None, None, {}).path is not None
        assert errors.without_passwords(text) == text


@pytest.mark.parametrize(
    "name", ["con.csv", "NUL", "Lpt1.parquet", "a:b.csv", "a?.csv", "release.csv.", "release ", "a\tb"]
)
def test_windows_refuses_some_names(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert operating_system.refusal_of_name(Path(name)) is None
    monkeypatch.setattr(operating_system, "IS_WINDOWS", True)
    assert operating_system.refusal_of_name(Path(name))
    assert operating_system.refusal_of_name(Path("console.csv")) is None


def test_a_name_is_taken_once_without_links_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on file systems of memory cards and of some networks."""

    def refuse(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    staged, place = tmp_path / "staged", tmp_path / "place"
    staged.write_text("new")
    operating_system.move_new(staged, place)
    assert place.read_text() == "new"
    staged.write_text("newer")
    with pytest.raises(FileExistsError):
        operating_system.move_new(staged, place)
    assert place.read_text() == "new"
