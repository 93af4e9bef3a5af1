"""pytest's side of a campaign whose runs fork, as a plugin: all tests are found, and all is imported, once.

A line of its input asks for a run, as JSON: the ``tests`` with the seconds that each may take, the ``scratch`` folder,
and a ``file`` that was changed, with its line. A line of its output has the run's process, the next one its exit code.
The process that forks off puts the changed functions in the place of those that were imported. It stands alone, beside
sitecustomize.
"""

from __future__ import annotations

import functools
import gc
import json
import os
import sys
import tempfile
import threading
import time
import traceback
from collections import defaultdict
from contextlib import AbstractContextManager, ExitStack, nullcontext
from inspect import CO_OPTIMIZED
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import pytest

_PIPES = os.environ.get("STARCLOAK_MUTANTS_PIPES", "")
#: How a run ends.
PASSED, FAILED, TOO_LONG, ONLY_ANEW = 0, 1, 3, 71

_Key = tuple[str, str, int]
_asked: dict[str, Any] = {}
_running: tuple[str, float] | None = None  # a test, and when it has to be done


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool | None:
    """Run tests as they are asked for, each time in a process of its own."""
    if not _PIPES:
        return None
    asks, tells = map(int, _PIPES.split(","))
    items = {item.nodeid: item for item in session.items}
    gc.unfreeze()  # a plugin may have frozen what was imported, which would be among no objects
    functions = _functions()
    caches = [each for each in gc.get_objects() if isinstance(each, functools._lru_cache_wrapper)]
    with ExitStack() as stack, open(asks) as lines:
        _share_servers(stack)
        gc.collect()
        gc.freeze()
        os.write(tells, b"ready\n")
        for line in lines:
            process = os.fork()
            if not process:
                _run(session, json.loads(line), items, functions, caches)
            os.write(tells, f"{process}\n".encode())
            _, status = os.waitpid(process, 0)
            os.write(tells, f"{os.waitstatus_to_exitcode(status)}\n".encode())
    return True


def _server(start: Any, url: str, *more: str) -> AbstractContextManager[str]:
    """The shared server at ``url``, or one of the test's own with ``more`` options."""
    own: AbstractContextManager[str] = start(*more) if more else nullcontext(url)
    return own


def _share_servers(stack: ExitStack) -> None:
    """Start the servers of all runs. A test finds its server empty, whatever the one before left there."""
    servers: Any = sys.modules.get("tests.servers")
    if servers is None or not os.environ.get("STARCLOAK_MUTANTS_SERVERS"):
        return
    for name, program in (("postgresql", servers.postgresql_programs), ("mariadb", servers.mariadb_program)):
        if program() is not None:
            start = getattr(servers, name)
            url = stack.enter_context(start())
            setattr(servers, name, functools.partial(_server, start, url))


def _run(
    session: pytest.Session,
    asked: dict[str, Any],
    items: dict[str, pytest.Item],
    functions: dict[_Key, list[FunctionType]],
    caches: list[Any],
) -> None:
    code = 70
    try:
        os.setsid()
        _asked.update(asked)
        os.environ["TMPDIR"] = tempfile.tempdir = asked["scratch"]
        factory: Any = session.config._tmp_path_factory  # type: ignore[attr-defined]
        factory._basetemp, factory._given_basetemp = None, Path(asked["scratch"]) / "base"
        for cache in caches:
            if (cache.__module__ or "").startswith("starcloak"):
                cache.cache_clear()
        changed = asked.get("file", "")
        if changed.endswith(".py") and not _replaced(changed, asked["before"], functions):
            os._exit(ONLY_ANEW)
        threading.Thread(target=_watch, daemon=True).start()
        code = _tried(session, [(items[name], seconds) for name, seconds in asked["tests"]])
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


def _tried(session: pytest.Session, tests: list[tuple[pytest.Item, float]]) -> int:
    global _running
    for place, (item, seconds) in enumerate(tests):
        following = tests[place + 1][0] if place + 1 < len(tests) else None
        _running = item.nodeid, time.monotonic() + seconds
        session.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
    return PASSED


def _watch() -> None:
    while True:
        time.sleep(0.2)
        if _running is not None and time.monotonic() > _running[1]:
            _end(_running[0], TOO_LONG)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """The first test that fails ends a run."""
    if _asked and report.failed:
        _end(report.nodeid, FAILED)


def _end(test: str, code: int) -> None:
    (Path(_asked["scratch"]) / "failed").write_text(test)
    os._exit(code)


def _functions() -> dict[_Key, list[FunctionType]]:
    """All functions that were imported, by where they are written: also those that others hold."""
    found: dict[_Key, list[FunctionType]] = defaultdict(list)
    for each in gc.get_objects():
        if isinstance(each, FunctionType):
            found[_key(each.__code__)].append(each)
    return found


def _key(code: CodeType) -> _Key:
    return code.co_filename, code.co_qualname, code.co_firstlineno


def _replaced(file: str, before: str, functions: dict[_Key, list[FunctionType]]) -> bool:
    """Whether every function that differs from what it was ``before`` could be replaced where it was imported.

    What runs when a module is imported cannot.
    """
    found: list[tuple[CodeType, CodeType]] = []
    old, new = (compile(Path(each).read_bytes(), file, "exec") for each in (before, file))
    if not _differing(old, new, found) or not found:
        return False
    for one, other in found:
        for function in functions.get(_key(one), ()):
            try:
                function.__code__ = other
            except ValueError:  # it takes other names from around it
                return False
    return all(functions.get(_key(one)) for one, _ in found)


def _differing(old: CodeType, new: CodeType, found: list[tuple[CodeType, CodeType]]) -> bool:
    """Find the outermost functions that differ; whether nothing else does."""
    ones, others = _codes(old), _codes(new)
    if _plain(old) != _plain(new) or len(ones) != len(others):
        return False
    for one, other in zip(ones, others, strict=True):
        if not one.co_flags & CO_OPTIMIZED:
            if not _differing(one, other, found):
                return False
        elif _all_of(one) != _all_of(other):
            found.append((one, other))
    return True


def _codes(code: CodeType) -> list[CodeType]:
    return [each for each in code.co_consts if isinstance(each, CodeType)]


def _plain(code: CodeType) -> list[Any]:
    constants = [repr(each) for each in code.co_consts if not isinstance(each, CodeType)]
    return [code.co_code, code.co_names, code.co_varnames, code.co_freevars, constants]


def _all_of(code: CodeType) -> list[Any]:
    return [_plain(code), [_all_of(each) for each in _codes(code)]]
