"""The people in a working folder, and the command line in this process."""

from __future__ import annotations

import sys
from pathlib import Path

import duckdb
import pytest

from starcloak.commands import cli
from tests.commands.cli.jobs import PEOPLE, Command, Done


@pytest.fixture(autouse=True)
def folder(work: Path) -> Path:
    """A working folder with the people in it."""
    Path("people.csv").write_text(PEOPLE)
    return work


@pytest.fixture
def starcloak(capfd: pytest.CaptureFixture[str]) -> Command:
    """Runs the command line in this process."""

    def command(*arguments: str) -> Done:
        capfd.readouterr()
        code: object = 0
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sys, "argv", ["starcloak", *arguments])
            try:
                cli.main()
            except SystemExit as ended:
                code = ended.code
        assert isinstance(code, int)
        return Done(code, *capfd.readouterr())

    return command


@pytest.fixture
def sources(folder: Path) -> None:
    """The people as every kind of source; numbers are numbers where the source has types."""
    duckdb.sql("copy (from read_csv('people.csv', types = {'zip': 'VARCHAR'})) to 'people.parquet'")
    with duckdb.connect("hospital.duckdb") as connection:
        for statement in (
            "create table people as from 'people.parquet'",
            "create schema ward",
            "create table ward.people as from people",
            "create table source as from people",
            "create table dimension_zip as from people",
            "create view patients as from people",
        ):
            connection.execute(statement)
