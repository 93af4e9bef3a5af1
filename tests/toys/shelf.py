"""Where the toys are taken from, and put back."""

from __future__ import annotations

import pkgutil
import sys
from collections.abc import Iterator
from importlib import import_module

import pytest

from starcloak.hierarchy import builder
from starcloak.hierarchy.classifications import registry as classifications
from starcloak.job import algorithms as search
from starcloak.measures import measure
from starcloak.privacy import model as privacy
from starcloak.releases import companion
from starcloak.store.databases import registry as hosts
from tests import toys as room


@pytest.fixture
def toys(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The toys are imported as others are, and forgotten after the test."""
    # All others have registered themselves.
    assert privacy.models() and search.algorithms() and builder.builders() and measure.every() and hosts.kinds()
    assert companion.installed() and classifications.classifications()
    registries = ((privacy, "_MODELS"), (search, "_ALGORITHMS"), (builder, "_BUILDERS"), (measure, "_MEASURES"))
    for home, name in (
        *registries,
        (hosts, "_KINDS"),
        (companion, "_REGISTERED"),
        (classifications, "_CLASSIFICATIONS"),
    ):
        monkeypatch.setattr(home, name, dict(getattr(home, name)))
    for module in pkgutil.iter_modules(room.__path__):
        if module.name != "shelf":
            monkeypatch.delitem(sys.modules, f"{room.__name__}.{module.name}", raising=False)
            import_module(f"{room.__name__}.{module.name}")
    yield
