"""pytest's side of a campaign, as a plugin: which tests run and in what order, what each takes, and which one fails.

It stands alone, beside sitecustomize.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

_ASKED = os.environ.get("STARCLOAK_MUTANTS_TESTS", "")
_TOLD = os.environ.get("STARCLOAK_MUTANTS_TOLD", "")
_seconds: dict[str, float] = {}
_passed: dict[str, bool] = {}
_shared: dict[str, float] = {}
_needed: dict[str, list[str]] = {}


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Only the tests that are asked for, in that order."""
    if _ASKED:
        order = {name: place for place, name in enumerate(json.loads(Path(_ASKED).read_text()))}
        items[:] = sorted((item for item in items if item.nodeid in order), key=lambda item: order[item.nodeid])


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_logstart(nodeid: str) -> None:
    """What a process of a traced test reaches is of that test."""
    if os.environ.get("STARCLOAK_TRACE"):
        sys.modules["sitecustomize"].tracer.begin(nodeid)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """What is made for several tests, such as a server, is not the cost of the first of them."""
    _needed[item.nodeid] = list(getattr(item, "fixturenames", []))


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef: Any) -> Iterator[None]:
    """How long it takes to make a fixture that several tests share."""
    started = time.perf_counter()
    result = yield
    if fixturedef.scope != "function":
        _shared[fixturedef.argname] = time.perf_counter() - started
    return result


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """The seconds of each test, and whether it passed; the first that fails, at once."""
    _seconds[report.nodeid] = _seconds.get(report.nodeid, 0) + (report.duration if report.when == "call" else 0)
    _passed[report.nodeid] = _passed.get(report.nodeid, True) and not report.failed and not report.skipped
    if report.failed:
        _tell()


def pytest_sessionfinish() -> None:
    """All of it."""
    _tell()


def _tell() -> None:
    if _TOLD:
        failed = [name for name, passed in _passed.items() if not passed]
        told = {"seconds": _seconds, "failed": failed, "shared": _shared, "needed": _needed}
        Path(_TOLD).write_text(json.dumps(told))
