"""The servers of tests end with the process that started them, however it ends."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
import sqlalchemy

from tests import databases, servers

ROOT = Path(__file__).parents[2]


@pytest.mark.sampled(2)
@pytest.mark.skipif(not shutil.which("setpriv"), reason="setpriv is not installed: apt-get install util-linux")
@pytest.mark.parametrize(
    ("name", "program"),
    [("postgresql", servers.postgresql_programs()), ("mariadb", servers.mariadb_program())],
    ids=["postgresql", "mariadb"],
)
def test_a_server_ends_with_a_process_that_is_killed(name: str, program: Path | None) -> None:
    if program is None:
        pytest.skip(f"{name} is not installed")
    with tempfile.TemporaryDirectory(dir=servers.PLACE) as place:
        os.chmod(place, 0o755)
        script = f"from tests import servers\nservers.PLACE = {place!r}\n"
        script += f"with servers.{name}() as url:\n    print(url, flush=True)\n    input()"
        with subprocess.Popen(
            [sys.executable, "-c", script], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as process:
            assert process.stdout is not None
            url = sqlalchemy.make_url(process.stdout.readline())
            assert listens(url)
            process.send_signal(signal.SIGKILL)
        deadline = time.monotonic() + 20
        while listens(url):
            assert time.monotonic() < deadline
            time.sleep(0.05)
        time.sleep(0.2)  # its last writes


def listens(url: sqlalchemy.URL) -> bool:
    with socket.socket() as client:
        return client.connect_ex((url.host, url.port)) == 0


def test_what_is_left_out_is_in_the_last_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of pytest, and of the command that `.ci/run` fails by, where nothing but Python is installed."""
    script = "import shutil\nshutil.which = lambda name: None\nfrom tests import servers\n"
    script += "servers.postgresql_programs = servers.mariadb_program = lambda: None\n"
    options = ["-q", "-p", "no:cacheprovider", "--collect-only", "tests/project/test_start.py"]
    script += f"import pytest\npytest.main({options!r})"
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True)
    start = done.stdout.rindex("databases tested: DuckDB, SQLite\n")
    _, *left_out = done.stdout[start:].splitlines()
    named = [line.split(": ")[:2] for line in left_out if line.startswith(databases.LEFT_OUT)]
    assert [name for _, name in named] == list(databases.DATABASES)
    assert len(left_out) <= len(named) + 2  # what was collected
    monkeypatch.setattr(servers, "mariadb_program", lambda: None)
    assert databases.lacking(["MariaDB"]) == {"MariaDB": "not installed: apt-get install mariadb-server"}
