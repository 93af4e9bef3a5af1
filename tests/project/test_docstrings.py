"""What everybody may call, and whoever adds a thing of a kind, finds told at its definition."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Iterator
from typing import Any

import starcloak as sc
from starcloak.base import errors
from starcloak.hierarchy.builder import Builder
from starcloak.job.algorithms import Algorithm, algorithms, search_of
from starcloak.measures.measure import Measure
from starcloak.privacy.model import Model
from starcloak.privacy.model import every as models
from starcloak.store.databases.host import Host
from starcloak.store.databases.tables import Tables

BASES = [Model, Algorithm, Builder, Measure, Tables, Host]
RAISED = {name for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, Exception)}
YEAR = re.compile(r"\b(?:19|20)\d\d\b")


def methods(kind: type) -> Iterator[tuple[str, Any]]:
    """The public functions of a class that are its own, each with its name."""
    for name, member in list(vars(kind).items()):
        function = member.fget if isinstance(member, property) else getattr(member, "__func__", member)
        if inspect.isfunction(function) and not name.startswith(("_", "model_")):
            yield f"{kind.__name__}.{name}", function


def public() -> Iterator[tuple[str, Any]]:
    """All that a docstring is asked of, by name."""
    for name in sc.__all__:
        yield name, getattr(sc, name)
    for kind in [sc.Release, sc.Job, sc.Result, sc.Verdict, sc.Resources, *BASES]:
        yield kind.__name__, kind
        yield from methods(kind)


def raised(function: Any) -> set[str]:
    """The errors of starcloak that the body of a function raises."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    calls = [node.exc for node in ast.walk(tree) if isinstance(node, ast.Raise)]
    return {ast.unparse(call.func) for call in calls if isinstance(call, ast.Call)} & RAISED


def test_what_is_public_is_told_with_what_it_raises() -> None:
    for name, thing in public():
        text = thing.__doc__ or ""
        assert len(text.split()) > 1, f"{name} has no docstring"
        untold = {error for error in raised(thing) if error not in text} if inspect.isfunction(thing) else set()
        assert not untold, f"{name} raises {untold}"


def test_a_search_tells_its_papers_and_its_errors() -> None:
    for name, settings in algorithms().items():
        text = inspect.getdoc(search_of(settings.model_construct())) or ""
        assert set(YEAR.findall(settings.about.sources)) <= set(YEAR.findall(text)), name
        assert "of no paper" in text or YEAR.search(text), name
        assert "Raises" in text and "RequirementError" in text, name


def test_a_model_tells_its_paper() -> None:
    for model in models():
        text = f"{inspect.getdoc(inspect.getmodule(model))} {model.__doc__}"
        assert set(YEAR.findall(model.source)) <= set(YEAR.findall(text)), model.source
