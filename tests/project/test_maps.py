"""Maps of the tree: every module, folder and file that docstrings and pages name is there."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from tests.layers import ENGINE, ROOT

PACKAGES = sorted(path.parent for path in ENGINE.rglob("__init__.py"))
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
#: A folder of the repository at the beginning of a path; examples of a reader's own files begin otherwise.
_PATH = re.compile(r"(?<![\w/.-])(?:engine|sql|schemas|tests|benchmarks)/[\w./<>*-]+")


@pytest.mark.parametrize("package", PACKAGES, ids=lambda path: str(path.relative_to(ENGINE.parent)))
def test_a_reading_order_names_modules_that_are_there(package: Path) -> None:
    doc = ast.get_docstring(ast.parse((package / "__init__.py").read_text())) or ""
    _, found, order = doc.partition("Reading order:")
    if found:
        named = set(re.findall(r"``(\w+)``", order))
        assert named
        there = {path.stem for path in package.iterdir() if path.suffix == ".py" or path.is_dir()}
        options = {"improve"} if package.name == "sweep" else set()  # settings of a job, not modules
        assert named - there - options == set()


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_page_names_files_that_are_there(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    paths = {path.rstrip(".") for path in _PATH.findall(text) if not re.search(r"[<>*]", path)}
    assert {path for path in paths if not (ROOT / path).exists()} == set()


def test_docstrings_refer_to_things_that_are_there() -> None:
    missing = []
    for file in ENGINE.rglob("*.py"):
        for named in re.findall(r":(?:class|func|meth|mod):`~?(starcloak\.[\w.]+)`", file.read_text()):
            if not _resolves(named):
                missing.append((str(file.relative_to(ENGINE)), named))
    assert missing == []


def _resolves(named: str) -> bool:
    """Whether a dotted name is a module of the engine, or a name in one."""
    parts = named.split(".")[1:]
    for size in range(len(parts), -1, -1):
        place = ENGINE.joinpath(*parts[:size])
        file = place.with_suffix(".py") if place.with_suffix(".py").is_file() else place / "__init__.py"
        if file.is_file():
            rest = parts[size:]
            return not rest or re.search(rf"\b{rest[0]}\b", file.read_text()) is not None
    return False
