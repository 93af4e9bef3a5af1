"""A studio in a process of its own, the tables that tests open in it, and whoever asks it."""

from __future__ import annotations

import csv
import http.client
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import urlencode

import pandas
import pytest


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


class Studio:
    """A studio in a process of its own, and whoever asks it."""

    def __init__(self, *arguments: str) -> None:
        command = [sys.executable, "-m", "starcloak", "studio", *arguments, "--no-browser"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        assert self.process.stdout is not None
        self.said = ""
        while "/enter/" not in self.said:
            line = self.process.stdout.readline()
            assert line, self.said
            self.said += line
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

    def enter(self) -> Studio:
        status, _, headers = self.ask(f"/enter/{self.token}")
        assert status == 303
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

    def end(self) -> str:
        """All that it said."""
        self.process.send_signal(signal.SIGINT)
        more, _ = self.process.communicate(timeout=30)
        return self.said + more


@pytest.fixture
def started(work: Path) -> Iterator[Callable[..., Studio]]:
    studios: list[Studio] = []

    def start(*arguments: str) -> Studio:
        studios.append(Studio(*arguments))
        return studios[-1]

    yield start
    for studio in studios:
        studio.process.kill()
        with studio.process:
            pass


def messy(path: Path, rows: int = 300) -> None:
    """A table whose sex is spelled in several ways, and some of whose diseases mean missing."""
    people(path, rows)
    frame = pandas.read_csv(path, dtype=str)
    frame.loc[frame.index % 7 == 0, "sex"] = "female"
    frame.loc[frame.index % 5 == 0, "disease"] = "unknown"
    frame.to_csv(path, index=False)
