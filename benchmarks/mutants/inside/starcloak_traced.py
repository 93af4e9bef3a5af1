"""pytest's side of a trace, as a plugin: what each test reaches, needs and takes, and which files of tests are done.

It stands alone, beside starcloak_reach.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import pytest

reach: Any = import_module("starcloak_reach")  # as the probes import it
_shared: dict[str, float] = {}


def pytest_configure() -> None:
    """What this process reaches is told by test."""
    reach.gathers.append(os.getpid())


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef: Any) -> Iterator[None]:
    """How long it takes to make a fixture that several tests share."""
    started = time.perf_counter()
    result = yield
    if fixturedef.scope != "function":
        _shared[fixturedef.argname] = round(time.perf_counter() - started, 3)
    return result


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """What a part of a test reached, and how it ended."""
    seconds = round(report.duration, 3) if report.when == "call" else 0.0
    ended = {"passed": report.passed, "failed": report.failed, "seconds": seconds}
    reach.tell({"test": report.nodeid, **ended, "reached": sorted(reach.seen)})
    reach.seen.clear()


def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """What a test shares with others, and whether it is the last one of its file."""
    names = getattr(item, "fixturenames", [])
    reach.tell({"test": item.nodeid, "needs": {name: _shared[name] for name in names if name in _shared}})
    if nextitem is None or nextitem.path != item.path:
        reach.tell({"done": str(item.path)})
