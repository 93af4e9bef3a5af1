"""The people and their databases in a working folder, and processes that may be killed there."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import signal
from collections.abc import Callable, Iterator
from multiprocessing import forkserver
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.releases.publish.endings import run_and_die
from tests.releases.publish.places import PEOPLE


@pytest.fixture(scope="module")
def databases(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a database of the people and one of something else, made once."""
    made = tmp_path_factory.mktemp("databases")
    (made / "people.csv").write_text(PEOPLE)
    with duckdb.connect(str(made / "hospital.duckdb")) as connection:
        connection.execute(f"create table people as from read_csv('{made / 'people.csv'}')")
    with duckdb.connect(str(made / "existing.duckdb")) as connection:
        connection.execute("create table others as select 1 as other")
    return made


@pytest.fixture(autouse=True)
def folder(work: Path, databases: Path) -> Path:
    """A working folder with the people as CSV and as a table; the runs' private folders are beside it."""
    for file in databases.iterdir():
        shutil.copy(file, work)
    return work


@pytest.fixture(scope="session")
def process() -> Iterator[Callable[..., int]]:
    """Runs a function in a new process and returns its exit code; the processes fork from one that has imported all."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["starcloak.commands.pipeline", "sqlalchemy", "pyarrow.parquet", "pytest", "yaml"])
    forkserver.ensure_running()  # while the temporary folder is the system's: its socket's path has to be short

    def start(function: Callable[..., None], *arguments: Any) -> int:
        child = context.Process(target=function, args=arguments)
        child.start()
        child.join(60)
        code = child.exitcode
        assert code is not None
        child.close()
        return code

    yield start


@pytest.fixture
def killed(process: Callable[..., int]) -> Callable[..., None]:
    def run_until(described: dict[str, Any], when: str) -> None:
        assert process(run_and_die, described, when, dict(os.environ)) == -signal.SIGKILL

    return run_until
