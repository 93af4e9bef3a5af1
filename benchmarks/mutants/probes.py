"""Probes: calls in the engine's own code that tell which places a test reaches, at next to no cost."""

from __future__ import annotations

import ast

_WRITES = "Statement.write"


def with_probes(file: str, content: str, *, lines: bool) -> str:
    """A module whose functions tell that they were entered, as ``file:name``.

    With ``lines`` every statement in them tells it, too, as ``file:line``; a statement of SQL tells path and dialect.
    """
    tree = ast.parse(content)
    _Probing(file, lines).within(tree, "", False)
    after = sum(isinstance(node, ast.ImportFrom) and node.module == "__future__" for node in tree.body)
    after += bool(ast.get_docstring(tree))
    tree.body.insert(after, ast.parse("import starcloak_reach as _reach").body[0])
    return ast.unparse(ast.fix_missing_locations(tree))


class _Probing:
    def __init__(self, file: str, lines: bool) -> None:
        self._file = file
        self._lines = lines

    def within(self, node: ast.AST, prefix: str, in_function: bool) -> None:
        """Put probes into what is within a node."""
        for name, value in ast.iter_fields(node):
            if not isinstance(value, list):
                continue
            for child in value:
                if isinstance(child, ast.ClassDef):
                    self.within(child, f"{prefix}{child.name}.", False)
                elif isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
                    self._function(child, f"{prefix}{child.name}")
                elif isinstance(child, (ast.stmt, ast.ExceptHandler, ast.match_case)):
                    self.within(child, prefix, in_function)
            if in_function and self._lines and value and isinstance(value[0], ast.stmt):
                probed = [each for child in value for each in (_probe(f"'{self._file}:{child.lineno}'"), child)]
                setattr(node, name, probed)

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef, name: str) -> None:
        said = [node.body.pop(0)] if ast.get_docstring(node) is not None else []
        self.within(node, f"{name}.<locals>.", True)
        probes = [_probe(f"'{self._file}:{name}'")]
        if name == _WRITES:
            probes.append(_probe("f'sql:{self.path}:{dialect}'"))
        node.body[:0] = [*said, *probes]


def _probe(place: str) -> ast.stmt:
    return ast.parse(f"_reach.at({place})").body[0]
