"""The cures that the pairs take back are in the code as it is."""

from __future__ import annotations

import ast

from benchmarks.falsifier.pairs import cures
from benchmarks.shared.process import ROOT


def test_each_cure_can_be_taken_back() -> None:
    for cure in cures.cures():
        texts: dict[str, str] = {}
        for change in cure.changes:
            before = (ROOT / change.file).read_text(encoding="utf-8")
            texts[change.file] = change.applied(texts.get(change.file, before))
            assert texts[change.file] != before
            ast.parse(texts[change.file])
