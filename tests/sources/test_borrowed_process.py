"""The process of whoever calls is left as it was: by a run, a refusal and an interrupt, in any thread."""

from __future__ import annotations

import decimal
import gc
import locale
import logging
import os
import random
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import duckdb
import numpy
import pandas
import pytest

import starcloak as sc
from tests import process

AGES = range(20, 60)
FRAME = pandas.DataFrame({"age": [*AGES], "income": [age * 10.5 for age in AGES], "secret": [*AGES]})
JOB: dict[str, Any] = {
    "quasi_identifiers": {"age": {"intervals": [10, 20]}, "income": {"intervals": [100, 1000]}},
    "sensitive": ["secret"],
    "requirement": {"k": 5, "l_diversity": [{"attribute": "secret", "l": 2, "kind": "entropy"}]},
}
UNMET = {**JOB, "requirement": {"k": 41}}
Call = Callable[[sc.Resources], object]


def outputs(folder: Path) -> dict[str, dict[str, str] | None]:
    return {
        "memory": None,
        "parquet": {"path": str(folder / "out.parquet")},
        "table": {"url": f"duckdb:///{folder / 'out.duckdb'}", "table": "people_k"},
    }


def calls(folder: Path) -> dict[str, tuple[Call, Call]]:
    """What is called, once so that it succeeds and once so that it is refused."""

    def run(output: dict[str, str] | None, job: dict[str, Any]) -> Call:
        given = {**job, "output": output} if output else job
        return lambda resources: sc.run(given, frame=FRAME, resources=resources, force=True)

    found: dict[str, tuple[Call, Call]] = {
        f"run to {name}": (run(output, JOB), run(output, UNMET)) for name, output in outputs(folder).items()
    }
    entropy = {"l_diversity": [{"attribute": "secret", "l": 2, "kind": "entropy"}]}
    found["check"] = (
        lambda resources: sc.check(FRAME, ["age"], 1, resources=resources),
        lambda resources: sc.check(FRAME, ["no such"], 1, resources=resources, **entropy),
    )
    found["audit"] = (
        lambda resources: sc.audit(FRAME, ["age"], ["secret"], sampling_fraction=0.1, resources=resources),
        lambda resources: sc.audit(FRAME, ["no such"], resources=resources),
    )
    found["explain"] = (
        lambda resources: sc.explain(JOB, frame=FRAME, resources=resources),
        lambda resources: sc.explain(UNMET, frame=FRAME, resources=resources),
    )
    found["compile"] = (
        lambda resources: sc.compile(JOB, frame=FRAME, resources=resources),
        lambda resources: sc.compile(UNMET, frame=FRAME, resources=resources),
    )
    for algorithm in ("sweep", "kaca"):
        job = {**JOB, "algorithm": {"name": algorithm}, "requirement": {"k": 5}}
        found[algorithm] = (run(None, job), run(None, {**job, "requirement": {"k": 41}}))
    return found


NAMES = list(calls(Path("/")))


@pytest.fixture
def owner(work: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A process that has much of its own: settings that nobody else would choose."""
    with ExitStack() as put_back:
        put_back.enter_context(warnings.catch_warnings())
        warnings.filterwarnings("ignore", "none of mine")
        put_back.enter_context(decimal.localcontext(decimal.Context(prec=7, rounding=decimal.ROUND_UP)))
        put_back.enter_context(numpy.errstate(divide="ignore", over="raise"))
        put_back.enter_context(pandas.option_context("display.max_rows", 7, "display.precision", 2))
        put_back.callback(os.umask, os.umask(0o027))
        put_back.callback(locale.setlocale, locale.LC_ALL, locale.setlocale(locale.LC_ALL, "C.UTF-8"))
        put_back.callback(logging.disable, logging.root.manager.disable)
        logging.disable(logging.DEBUG)
        put_back.callback(signal.signal, signal.SIGTERM, signal.signal(signal.SIGTERM, lambda *_: None))
        put_back.callback(gc.set_threshold, *gc.get_threshold())
        gc.set_threshold(777, 7, 7)
        put_back.callback(sys.setrecursionlimit, sys.getrecursionlimit())
        sys.setrecursionlimit(1777)
        monkeypatch.setattr(sys, "excepthook", lambda *_: None)
        monkeypatch.setattr(threading, "excepthook", lambda *_: None)
        duckdb.default_connection().execute("create or replace temp table mine as select 7; set threads = 1")
        put_back.callback(duckdb.default_connection().execute, "drop table mine; reset threads")
        random.seed(7)
        numpy.random.seed(7)
        yield


def interrupt_at(number: int) -> sc.Resources:
    left = [number]

    def trace(_: str) -> None:
        left[0] -= 1
        if left[0] == 0:
            raise KeyboardInterrupt

    return sc.Resources(trace=trace)


def statements(call: Call) -> int:
    seen: list[str] = []
    call(sc.Resources(trace=seen.append))
    return len(seen)


def in_thread(call: Callable[[], None]) -> None:
    """The same in another thread; what fails there fails here."""
    failed: list[BaseException] = []

    def told() -> None:
        try:
            call()
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=told)
    thread.start()
    thread.join()
    if failed:
        raise failed[0]


@pytest.mark.sampled(6)
@pytest.mark.parametrize(
    ("name", "elsewhere"),
    [*((name, False) for name in NAMES), *((name, True) for name in ("run to parquet", "check", "audit"))],
)
def test_a_process_is_as_it_was(owner: None, tmp_path: Path, name: str, elsewhere: bool) -> None:
    call, refused = calls(tmp_path)[name]
    total = statements(call)

    def done() -> None:
        call(sc.Resources())

    def refuse() -> None:
        with pytest.raises(sc.StarcloakError):
            refused(sc.Resources())

    def interrupt() -> None:
        for number in range(1, max(total // 2, 2), max(total // 6, 1)):  # a later run may have fewer statements
            with pytest.raises(KeyboardInterrupt):
                call(interrupt_at(number))

    refuse()  # a first refusal builds classes of settings, as the first call above does; they stay
    for end in (done, refuse, interrupt):
        before = process.state()
        (in_thread if elsewhere else lambda call: call())(end)
        assert process.changes(before, process.state()) == {}, end.__name__


@pytest.mark.sampled(3)
@pytest.mark.parametrize("kind", outputs(Path("/")))
def test_a_release_that_is_read_or_told_of_leaves_a_process_as_it_was(owner: None, tmp_path: Path, kind: str) -> None:
    output = outputs(tmp_path)[kind]
    release = sc.run({**JOB, "output": output} if output else JOB, frame=FRAME)
    uses = (
        release.to_pandas, release.to_arrow, release.to_polars, release.to_native, release.sql, release.mapping,
        release.openlineage, release._repr_html_, lambda: release.report(tmp_path / "report.html"),
    )  # fmt: skip
    for use in uses:
        use()  # what a library does when it is imported is its own
        before = process.state()
        use()
        assert process.changes(before, process.state()) == {}
        for number in (1, 225):
            interrupt_call(use, number)
            assert process.changes(before, process.state()) == {}, number
    assert [file.name for file in tmp_path.iterdir() if "staging" in file.name] == []


def interrupt_call(call: Callable[[], object], number: int) -> None:
    """Interrupt something at the so many-th call of a function of starcloak's, if it comes that far."""
    left = [number]

    def profile(frame: Any, event: str, _: object) -> None:
        if event == "call" and "starcloak" in frame.f_code.co_filename and frame.f_code.co_name not in CLEANING:
            left[0] -= 1
            if left[0] == 0:
                raise KeyboardInterrupt

    sys.setprofile(profile)
    try:
        call()
    except KeyboardInterrupt:
        pass
    finally:
        sys.setprofile(None)


# Functions that clean up: an interrupt there leaves something, which the next run sweeps.
CLEANING = ("close", "__exit__", "_remove_folder", "forget", "<lambda>")


ENDS = {"intervals": ["0.125", "2.5", 10, 20], "below": "22.125", "above": "57.375"}


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "context",
    [decimal.Context(prec=1, rounding=decimal.ROUND_UP), decimal.Context(traps=[decimal.Inexact, decimal.Rounded])],
    ids=["one digit", "exact or nothing"],
)
def test_a_result_does_not_depend_on_how_whoever_calls_rounds(context: decimal.Context, tmp_path: Path) -> None:
    entropy = [{"attribute": "secret", "l": "4.9999999", "kind": "entropy"}]
    beta = [{"attribute": "secret", "beta": "6.99", "enhanced": True}]
    delta = [{"attribute": "secret", "delta": "3.0000001"}]
    job = {
        **JOB,
        "quasi_identifiers": {"age": ENDS, "income": {"intervals": ["0.0000000001", "1000"]}},
        "requirement": {"k": 5, "suppression": "0.123456789", "l_diversity": entropy, "beta_likeness": beta,
                        "delta_disclosure": delta},
    }  # fmt: skip
    plain = {**job, "requirement": {"k": 5, "suppression": "0.123456789"}}
    FRAME.to_csv(tmp_path / "people.csv", index=False)

    def found(name: str) -> tuple[Any, ...]:
        release = sc.run(job, frame=FRAME)
        drafted = sc.init(tmp_path / "people.csv", tmp_path / name / "job.yaml")
        return (
            release.result.recoding.levels,
            sorted(map(str, release.to_arrow().to_pylist())),
            release.sql(),
            sc.explain(plain, frame=FRAME).levels,
            drafted[0].read_text(),
        )

    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    before = found("one")
    with decimal.localcontext(context):
        after = found("two")
    assert before == after
