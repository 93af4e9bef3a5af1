"""Which tests speak of a mutant: those whose text has words of its lines that few other files of tests have."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property
from math import log

from benchmarks.mutants.mutant import Mutant
from benchmarks.mutants.reach import Test
from benchmarks.shared.process import ROOT

_WORD = re.compile(r"[A-Za-z_]{3,}")


class Words:
    """The words of tests: of their functions, and of their files."""

    def __init__(self, files: Iterable[str]) -> None:
        self._texts = {file: (ROOT / file).read_text(encoding="utf-8") for file in files if file.endswith(".py")}

    @cached_property
    def _files(self) -> dict[str, set[str]]:
        return {file: _words(text) for file, text in self._texts.items()}

    @cached_property
    def _functions(self) -> dict[tuple[str, str], set[str]]:
        return {
            (file, node.name): _words(ast.get_source_segment(text, node) or "")
            for file, text in self._texts.items()
            for node in ast.walk(ast.parse(text))
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test")
        }

    @cached_property
    def _weights(self) -> dict[str, float]:
        known = Counter(word for words in self._files.values() for word in words)
        return {word: log(len(self._files) / count) for word, count in known.items()}

    def order(self, mutant: Mutant, tests: Sequence[Test]) -> list[Test]:
        """The tests, those first that have most of a mutant's words."""
        words = _words(f"{mutant.before} {mutant.change.function or ''}")

        def weight(test: Test) -> float:
            name = test.name.partition("[")[0].rpartition("::")[2]
            spoken = self._functions.get((test.file, name), set())
            at_hand = self._files.get(test.file, set())
            return sum(self._weights.get(word, 0.0) * ((word in spoken) + (word in at_hand)) for word in words)

        return sorted(tests, key=lambda test: (-weight(test), test.seconds))


def _words(text: str) -> set[str]:
    """The names in a text, and what they are made of."""
    names = {*_WORD.findall(text)}
    return names | {part for name in names for part in name.split("_") if len(part) > 3}
