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

from tests import servers

ROOT = Path(__file__).parents[2]


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
        time.sleep(0.5)  # its last writes


def listens(url: sqlalchemy.URL) -> bool:
    with socket.socket() as client:
        return client.connect_ex((url.host, url.port)) == 0
