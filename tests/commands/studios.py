"""A studio in a process of its own, the tables that tests open in it, and whoever asks it."""

from __future__ import annotations

import csv
import functools
import http.client
import multiprocessing
import os
import random
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import quote, urlencode

import pandas
import pytest

import starcloak as sc
from starcloak import __main__


def people(path: Path, rows: int = 300, names: list[str] | None = None) -> None:
    """A table as somebody might have it, whose first column is anybody's name."""
    chance = random.Random(rows)
    with path.open("w", newline="", encoding="utf-8") as file:
        lines = csv.writer(file)
        lines.writerow(["name", "age", "zip", "sex", "disease"])
        for row in range(rows):
            name = names[row % len(names)] if names else f"canary{row}"
            zips = f"{chance.choice([537, 541])}{chance.randint(10, 30)}"
            lines.writerow([name, chance.randint(20, 69), zips, chance.choice("fm"), chance.choice(["flu", "cold"])])


def drafted(path: Path) -> None:
    """The table, and the job that is drafted for it: once a process, for it tries what several jobs would cost."""
    people(path)
    for name, text in _draft(path.name).items():
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(text)


@functools.cache
def _draft(name: str) -> dict[str, str]:
    sc.init(name, "job.yaml")
    return {str(made): made.read_text() for made in [Path("job.yaml"), *Path("job-hierarchies").glob("*")]}


#: Studios fork from a process that has imported what they need, which takes longer than most of what they do.
_CONTEXT = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload(["starcloak.commands.studio.screens", "starcloak.commands.api", "uvicorn", __name__])


class Studio:
    """A studio in a process of its own, and whoever asks it."""

    def __init__(self, *arguments: str, browser: str | None = None) -> None:
        self._said = Path(tempfile.mkstemp(suffix=".studio")[1])
        asked = ["studio", *arguments, *(["--no-browser"] if browser is None else [])]
        environment = {**os.environ, **({} if browser is None else {"BROWSER": browser})}
        self.process = _CONTEXT.Process(target=_run, args=(asked, self._said, os.getcwd(), environment))
        self.process.start()
        while "/enter/" not in self.said or not self.said.endswith("\n"):
            assert self.process.is_alive(), self.said
            time.sleep(0.01)
        self.address = next(word for word in self.said.split() if word.startswith("http"))
        self.host, _, self.token = self.address.removeprefix("http://").partition("/enter/")
        self.cookie = ""

    def ask(self, path: str, form: dict[str, str] | None = None, **headers: str) -> tuple[int, str, dict[str, str]]:
        """What is answered: status, text and headers. A form is posted, as a page of the studio does."""
        own = {"Host": self.host, "Cookie": self.cookie}
        if form is not None:
            own |= {"Origin": f"http://{self.host}", "Content-Type": "application/x-www-form-urlencoded"}
        sent = {key: value for key, value in {**own, **headers}.items() if value}
        with closing(http.client.HTTPConnection(self.host, timeout=60)) as connection:
            body = None if form is None else urlencode(form)
            connection.request("GET" if form is None else "POST", path, body=body, headers=sent)
            answer = connection.getresponse()
            given = {key.lower(): value for key, value in answer.getheaders()}
            return answer.status, answer.read().decode(), given

    def upload(self, name: str, content: bytes, **headers: str) -> tuple[int, str]:
        """Upload a file, as the script of the first page does; status and text of the answer."""
        own = {"Host": self.host, "Cookie": self.cookie, "Origin": f"http://{self.host}", "X-File-Name": quote(name)}
        with closing(http.client.HTTPConnection(self.host, timeout=60)) as connection:
            connection.request("POST", "/upload", body=content, headers={**own, **headers})
            answer = connection.getresponse()
            return answer.status, answer.read().decode()

    def enter(self) -> Studio:
        status, text, headers = self.ask(f"/enter/{self.token}")
        assert status == 200 and "url=/" in text
        self.cookie = headers["set-cookie"].partition(";")[0]
        return self

    def finish(self, name: str) -> None:
        """Wait for a piece of work."""
        over = time.monotonic() + 120
        while 'data-state="running"' in self.ask(f"/work?name={name}")[1]:
            assert time.monotonic() < over
            time.sleep(0.1)

    def do(self, name: str) -> None:
        assert self.ask("/start", {"name": name})[0] == 303
        self.finish(name)

    @property
    def said(self) -> str:
        """All that it said."""
        return self._said.read_text()

    def end(self) -> str:
        """Interrupt it; returns all that it said."""
        assert self.process.pid is not None
        os.kill(self.process.pid, signal.SIGINT)
        self.process.join(30)
        return self.said

    def kill(self) -> None:
        self.process.kill()
        self.process.join()


def _run(arguments: list[str], said: Path, folder: str, environment: dict[str, str]) -> None:
    """The command, in a process that has imported it and is otherwise as one of its own."""
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    output = os.open(said, os.O_WRONLY)
    os.dup2(output, 1)
    os.dup2(output, 2)
    sys.argv = ["starcloak", *arguments]
    __main__.main()


@pytest.fixture
def started(work: Path) -> Iterator[Callable[..., Studio]]:
    studios: list[Studio] = []

    def start(*arguments: str, browser: str | None = None) -> Studio:
        studios.append(Studio(*arguments, browser=browser))
        return studios[-1]

    yield start
    for studio in studios:
        studio.kill()


def messy(path: Path, rows: int = 300) -> None:
    """A table whose sex is spelled in several ways, and some of whose diseases mean missing."""
    people(path, rows)
    frame = pandas.read_csv(path, dtype=str)
    frame.loc[frame.index % 7 == 0, "sex"] = "female"
    frame.loc[frame.index % 5 == 0, "disease"] = "unknown"
    frame.to_csv(path, index=False)
