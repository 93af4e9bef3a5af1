"""Shared by all tests: opened stars, and Adult where it is at hand."""

from __future__ import annotations

import atexit
import gc
import itertools
import multiprocessing.util
import os
import signal
import sqlite3
import ssl
import tempfile
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from starcloak.base.errors import SourceError
from starcloak.commands import pipeline
from starcloak.sources import dataset
from starcloak.star.star import Star
from starcloak.store.resources import Resources
from starcloak.store.session import Session
from tests import databases, servers, sparks
from tests.daily import DRAW, EVERY, SERVERS, drawn_today
from tests.full_domain import opened
from tests.people import Server
from tests.toys.shelf import toys

DATA = "STARCLOAK_DATA"
_TESTS = itertools.count(1)
# Folders with a third of the tests of each module in a draw, and the others in the next two. Of the verifier, of
# releases and of refusals every test always runs.
PARTED = {"commands", "hierarchy", "measures", "privacy", "project", "publish", "search", "sources", "star", "store"}
__all__ = ["toys"]

# They run with interpreters of their own, which have playwright or the classes of OpenLineage.
collect_ignore = [
    "exports/browser.py",
    "commands/studio_browser.py",
    "commands/entrance_browser.py",
    "companions/classes.py",
]
# A toy registers itself where it is imported, for every test after that: its own test alone imports it.
collect_ignore_glob = ["toys/*.py"]

# How long an example takes depends on what else the machine does.
# The same examples every time: new ones are the falsifier's, and of `--hypothesis-profile=new`.
_SLOW = [HealthCheck.too_slow]
settings.register_profile("starcloak", derandomize=True, deadline=None, suppress_health_check=_SLOW)
settings.register_profile("new", deadline=None, suppress_health_check=_SLOW)
settings.load_profile("starcloak")


@atexit.register
def _silence() -> None:
    """Hide the thirty lines on its own objects that DuckDB prints as an interpreter ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)


def pytest_configure(config: pytest.Config) -> None:
    """Have Ctrl-C heard, also where a shell runs the tests in the background, whose commands ignore it.

    And have files in memory, and the folder of processes' sockets where it stays.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if config.getoption("markexpr") != "long" and "TMPDIR" not in os.environ and servers.MEMORY:
        os.environ["TMPDIR"] = tempfile.tempdir = str(servers.MEMORY)
    # Before processes of tests begin: they draw the same, also at midnight.
    os.environ.setdefault(DRAW, str(date.today().toordinal()))
    # Before tests have temporary folders of their own: the path of a socket there would be too long.
    multiprocessing.util.get_temp_dir()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[Any]) -> None:
    """Leave to the long tests what is not drawn: cases of samples, databases, two thirds of most modules."""
    if (draw := os.environ[DRAW]) == EVERY:
        return
    # The tests to draw from, by the name of their draw: all items of a test, or single items, are drawn together.
    sampled: dict[tuple[str, int], dict[str, list[pytest.Item]]] = defaultdict(lambda: defaultdict(list))
    for item in items:
        if item.get_closest_marker("long"):
            continue
        if any_database := item.get_closest_marker("any_database"):
            own = SERVERS[(zlib.crc32(item.originalname.encode()) + int(draw)) % len(SERVERS)]
            if item.callspec.params["server"] != own:
                item.add_marker(pytest.mark.long)
        if marker := item.get_closest_marker("sampled"):
            (every,), among = marker.args, marker.kwargs.get("among")
            sampled[among or f"{item.path.name} {item.originalname}", every][item.nodeid].append(item)
        elif isinstance(item, pytest.Function) and item.path.parent.name in PARTED and not any_database:
            sampled[item.path.name, 3][item.originalname].append(item)
    for (name, every), tests in sampled.items():
        drawn = set(drawn_today(tests, every=every, name=name))
        for item in (item for test in tests.keys() - drawn for item in tests[test]):
            item.add_marker(pytest.mark.long)


def pytest_collection_finish() -> None:
    """The garbage collector does not go through thousands of collected tests again and again."""
    gc.collect()
    gc.freeze()


def pytest_report_header() -> list[str]:
    """Which samples are drawn, which databases are tested here, and which have to be left out."""
    return [_drawn(), *databases.summary()]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """The same in the last lines, where whoever looks at nothing else sees it."""
    terminalreporter.write_line(_drawn())
    for line in databases.summary():
        terminalreporter.write_line(line, red=databases.LEFT_OUT in line)


def _drawn() -> str:
    return f"samples drawn: {DRAW}={os.environ[DRAW]}"


@pytest.fixture
def star_of() -> Iterator[Callable[..., Star]]:
    """Opens the star of a job; its session is closed after the test."""
    with ExitStack() as stack:
        yield lambda job, frame=None: stack.enter_context(opened(job, frame))


@pytest.fixture(autouse=True, scope="session")
def state(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder of the manifests and the kept recodings, which are not the user's own."""
    with pytest.MonkeyPatch.context() as patched:
        folder = tmp_path_factory.mktemp("state")
        patched.setenv("XDG_STATE_HOME", str(folder))
        yield folder


@pytest.fixture(autouse=True, scope="session")
def one_thread(request: pytest.FixtureRequest) -> Iterator[None]:
    """A working store has one thread where nobody asks for more: two processes of tests fill two cores.

    Not in the long tests, where DuckDB takes what it finds.
    """

    def made(session: Session, *, threads: int | None = None, **more: Any) -> None:
        make(session, threads=threads or 1, **more)

    make = Session.__init__
    with pytest.MonkeyPatch.context() as patched:
        if request.config.getoption("markexpr") != "long":
            patched.setattr(Session, "__init__", made)
        yield


@pytest.fixture(autouse=True, scope="session")
def no_certificates() -> Iterator[None]:
    """PyMySQL reads all certificates of the machine for each connection; no server of the tests shows one."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(ssl.SSLContext, "load_default_certs", lambda *_: None)
        yield


@pytest.fixture(autouse=True)
def state_of_the_test(state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder of its own for each test: what others released of the same table on a server is not earlier there."""
    monkeypatch.setenv("XDG_STATE_HOME", str(state / str(next(_TESTS))))


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder, and a temporary folder of its own beside it.

    The place of Adult, which a command may set, is put back.
    """
    found = os.environ.get(DATA)
    monkeypatch.setenv(DATA, "")
    if found is None:
        monkeypatch.delenv(DATA)
    else:
        monkeypatch.setenv(DATA, found)
    private = tmp_path / "private"
    private.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(private))
    monkeypatch.setenv("TMPDIR", str(private))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    return work


@pytest.fixture
def interrupted() -> Callable[..., None]:
    """Runs a job until before a statement of a number, counted from 1, and asserts that the interrupt came."""

    def run(job: Any, *, before: int, **options: Any) -> None:
        seen = itertools.count(1)

        def interrupt(_: str) -> None:
            if next(seen) == before:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            pipeline.run(job, resources=Resources(trace=interrupt), **options)

    return run


@pytest.fixture(scope="session")
def adult() -> Iterator[Path]:
    """The folder of the Adult files, from every working folder; tests that need it are skipped where it is nowhere."""
    try:
        folder = dataset.adult_folder()
    except SourceError as error:
        pytest.skip(str(error))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(DATA, str(folder))
        yield folder


ADULT_NINE = [
    "age",
    "sex",
    "race",
    "marital-status",
    "education",
    "native-country",
    "workclass",
    "occupation",
    "salary-class",
]


@pytest.fixture(scope="session")
def adult_job(adult: Path) -> Callable[..., dict[str, Any]]:
    """A job on the first attributes of Figure 9's Adult table."""

    def job(attributes: int, k: int, suppression: str = "0", **more: Any) -> dict[str, Any]:
        return {
            "source": {"dataset": "adult"},
            "schema": "adult/incognito-2005",
            "quasi_identifiers": ADULT_NINE[:attributes],
            "requirement": {"k": k, "suppression": suppression},
            **more,
        }

    return job


@pytest.fixture(scope="session")
def postgresql_server() -> Iterator[Server]:
    """The server of all tests; who takes it, and not ``postgresql``, finds what others left."""
    if servers.postgresql_programs() is None:
        pytest.skip("PostgreSQL is not installed: apt-get install postgresql")
    with servers.postgresql() as url:
        yield Server("postgresql", url)


@pytest.fixture(scope="session")
def mariadb_server() -> Iterator[Server]:
    """The server of all tests; who takes it, and not ``mariadb``, finds what others left."""
    if servers.mariadb_program() is None:
        pytest.skip("MariaDB is not installed: apt-get install mariadb-server")
    with servers.mariadb() as url:
        yield Server("mariadb", url)


@pytest.fixture(scope="session")
def spark_server() -> Iterator[Server]:
    """The cluster of all tests; who takes it, and not ``spark``, finds what others left."""
    if (lacking := sparks.lacking()) is not None:
        pytest.skip(lacking)
    with sparks.cluster() as cluster:
        yield sparks.SparkServer("spark", cluster.connect, cluster)


@pytest.fixture
def postgresql(postgresql_server: Server) -> Server:
    """With nothing in it."""
    postgresql_server.clear()
    return postgresql_server


@pytest.fixture
def mariadb(mariadb_server: Server) -> Server:
    """With nothing in it."""
    mariadb_server.clear()
    return mariadb_server


@pytest.fixture
def spark(spark_server: Server) -> Server:
    """With nothing in it."""
    spark_server.clear()
    return spark_server


@pytest.fixture
def sqlite(tmp_path: Path) -> Server:
    path = tmp_path / "hospital.sqlite"
    sqlite3.connect(path).close()
    return Server("sqlite", f"sqlite:///{path}")


@pytest.fixture(params=SERVERS)
def server(request: pytest.FixtureRequest) -> Server:
    """An empty database of each kind."""
    found: Server = request.getfixturevalue(request.param)
    return found
