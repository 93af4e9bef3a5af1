"""The people and their databases in a working folder."""

from __future__ import annotations

import shutil
from pathlib import Path

import duckdb
import pytest

from tests.publish.places import PEOPLE


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
