"""The cures that the pairs take back are in the code as it is."""

from __future__ import annotations

import ast
import shutil
from pathlib import Path

from benchmarks.falsifier.pairs import cures
from benchmarks.shared.process import ROOT


def test_each_cure_can_be_taken_back(tmp_path: Path) -> None:
    for number, cure in enumerate(cures.cures()):
        for change in cure.changes:
            copy = tmp_path / f"{number}" / change.file
            copy.parent.mkdir(parents=True, exist_ok=True)
            if not copy.exists():
                shutil.copy(ROOT / change.file, copy)
            change.apply(tmp_path / f"{number}")
            assert copy.read_text(encoding="utf-8") != (ROOT / change.file).read_text(encoding="utf-8")
            ast.parse(copy.read_text(encoding="utf-8"))
