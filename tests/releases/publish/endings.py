"""Runs that end while they publish: killed, or failed though their release is out."""

from __future__ import annotations

import os
import signal
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from starcloak.commands import pipeline
from starcloak.job import load
from starcloak.releases.recodings import registration, saved_recodings
from starcloak.releases.targets.registry import target
from starcloak.releases.targets.table import TableTarget
from starcloak.releases.targets.target import Target
from starcloak.store.staging import Sealed


def run_and_die(described: dict[str, Any], when: str, environment: dict[str, str]) -> None:
    """A run, in a process of its own, that is killed when it has registered its release, before or after it is out.

    Or when it has ``entered`` it in the ledger and begins the last step, so that it is not out yet.
    """
    os.environ.update(environment)
    tempfile.tempdir = None

    def die(*_: object, **__: object) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    if when == "entered":
        TableTarget._publishing = die  # type: ignore[method-assign]
        Sealed.publish = die  # type: ignore[method-assign]
    elif when == "before":
        type(target(load(described))).publish = die  # type: ignore[method-assign]
    else:
        registration._confirm = die
    pipeline.run(described)


def forms() -> list[str]:
    return sorted(about.form for about in saved_recodings.every())


@contextmanager
def failing(monkeypatch: pytest.MonkeyPatch, kind: type[Target], *, is_out: bool) -> Iterator[None]:
    """A run that fails when its release is out, or before."""
    publish = kind.publish

    def fails(self: Any, *arguments: Any) -> None:
        if is_out:
            publish(self, *arguments)
        raise RuntimeError

    with monkeypatch.context() as patched, pytest.raises(RuntimeError):
        patched.setattr(kind, "publish", fails)
        yield
