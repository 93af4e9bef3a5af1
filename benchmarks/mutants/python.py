"""Changes of a module."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import pairwise

from benchmarks.mutants.mutant import Change

_COMPARED: dict[type[ast.cmpop], tuple[str, str, str]] = {
    ast.Lt: ("<", "<=", "<, <="),
    ast.LtE: ("<=", "<", "<, <="),
    ast.Gt: (">", ">=", "<, <="),
    ast.GtE: (">=", ">", "<, <="),
    ast.Eq: ("==", "!=", "=, <>"),
    ast.NotEq: ("!=", "==", "=, <>"),
    ast.Is: ("is", "is not", "=, <>"),
    ast.IsNot: (r"is\s+not", "is", "=, <>"),
    ast.In: ("in", "not in", "=, <>"),
    ast.NotIn: (r"not\s+in", "in", "=, <>"),
}
_REVERSED = (ast.Eq, ast.NotEq, ast.Is, ast.IsNot, ast.In, ast.NotIn)
_COMPUTED: dict[type[ast.operator], tuple[str, str]] = {
    ast.Add: (r"\+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: (r"\*", "//"),
    ast.FloorDiv: ("//", "*"),
    ast.BitOr: (r"\|", "&"),
    ast.BitAnd: ("&", "|"),
}
_CALLED = {"min": "max", "max": "min", "any": "all", "all": "any"}

# What is said to people, and what only a type checker reads.
_SILENT = {"log", "logging", "warnings"}
# From there on, a number is a limit, a width, a time to wait or bits of a mode: one more makes no other program.
_LARGE = 10


def changes(content: bytes) -> Iterator[Change]:
    """Every change of a module that is tried: of what it does, not of what it says, and of no annotation.

    Numbers are changed within functions alone, and small ones alone: others are limits, widths, times and codes.
    """
    yield from _Changes(content).of(ast.parse(content), None)


class _Changes:
    def __init__(self, content: bytes) -> None:
        self._content = content
        starts = [0]
        for line in content.splitlines(keepends=True):
            starts.append(starts[-1] + len(line))
        self._starts = starts

    def of(
        self, node: ast.AST, function: str | None, prefix: str = "", within: tuple[int, int] = (0, 0)
    ) -> Iterator[Change]:
        """The changes of a node and of what is in it; functions go by their names as CPython has them."""
        if isinstance(node, ast.stmt):
            within = _lines(node)
        for operator, start, end, text in self._here(node):
            if function or operator not in ("one more", "one less"):
                yield Change(operator, start, end, text.encode(), function, within)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            for default in filter(None, (*node.args.defaults, *node.args.kw_defaults)):
                yield from self.of(default, function, prefix, within)
        if isinstance(node, ast.ClassDef):
            prefix = f"{prefix}{node.name}."
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            function = f"{prefix}{node.name}"
            prefix = f"{function}.<locals>."
        for child in self._children(node):
            yield from self.of(child, function, prefix, within)

    def _children(self, node: ast.AST) -> Iterator[ast.AST]:
        match node:
            case (
                ast.If(test=ast.Name(id="TYPE_CHECKING"))
                | ast.Raise()
                | ast.Assert()
                | ast.Import()
                | ast.ImportFrom()
                | ast.JoinedStr()
            ):
                return
            case ast.Expr(value=ast.Constant()):
                return
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name)))) if name in _SILENT:
                return
            case ast.ClassDef():
                yield from node.body
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                yield from node.body
            case ast.AnnAssign():
                yield from [node.value] if node.value else []
            case ast.Call(func=ast.Name(id="zip")):
                yield from node.args  # whether it is strict only tells a fault from another one
            case ast.Call(func=ast.Name(id="cast" | "TypeVar" | "Annotated" | "Field")) if node.args or node.keywords:
                yield from [word.value for word in node.keywords if word.arg in ("ge", "gt", "le", "lt")]
            case ast.Subscript(value=ast.Name(id="Annotated" | "Literal")):
                return
            case _:
                yield from ast.iter_child_nodes(node)

    def _here(self, node: ast.AST) -> Iterator[tuple[str, int, int, str]]:
        match node:
            case ast.Compare():
                for (left, right), operator in zip(pairwise([node.left, *node.comparators]), node.ops, strict=True):
                    sign, becomes, name = _COMPARED[type(operator)]
                    yield from self._between(name, left, right, sign, becomes)
            case ast.BoolOp():
                sign, becomes = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
                for left, right in pairwise(node.values):
                    yield from self._between("and, or", left, right, sign, becomes)
            case ast.BinOp() if type(node.op) in _COMPUTED and not _is_type(node):
                sign, becomes = _COMPUTED[type(node.op)]
                yield from self._between("+, -", node.left, node.right, sign, becomes)
            case ast.UnaryOp(op=ast.Not()):
                spaces = re.match(rb"not\s*", self._content[self._start(node) :])
                yield "negate", self._start(node), self._start(node) + len(spaces[0] if spaces else b""), ""
            case ast.Call(func=ast.Name(id=called)) if called in _CALLED:
                yield "min, max, all, any, first, last", self._start(node), self._end(node.func), _CALLED[called]
            case ast.List(ctx=ast.Load()) if len(node.elts) > 1:
                for left in node.elts:
                    kept = ", ".join(self._text(each) for each in node.elts if each is not left)
                    yield "drop an element", self._start(node), self._end(node), f"[{kept}]"
            case ast.Constant(value=bool(truth)):
                yield "true, false", self._start(node), self._end(node), str(not truth)
            case ast.Constant(value=int(number)) if number < _LARGE:
                yield "one more", self._start(node), self._end(node), str(number + 1)
                if number:
                    yield "one less", self._start(node), self._end(node), str(number - 1)
            case ast.comprehension():
                for condition in node.ifs:
                    yield from self._negated(condition)
            case ast.IfExp(body=ast.JoinedStr() | ast.Constant(value=str()), orelse=ast.Constant(value=str())):
                pass
            case ast.If() | ast.While() | ast.IfExp():
                yield from self._negated(node.test)
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name)))) if name in _SILENT:
                pass
            case ast.Expr(value=ast.Call() | ast.Yield() | ast.YieldFrom()):
                yield "drop a statement", self._start(node), self._end(node), "pass"
            case ast.Raise(exc=ast.Name(id="NotImplementedError")):
                pass
            case ast.Raise() | ast.Continue() | ast.Break() | ast.AugAssign():
                yield "drop a statement", self._start(node), self._end(node), "pass"
            case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]):
                yield "drop a statement", self._start(node), self._end(node), "pass"

    def _negated(self, test: ast.expr) -> Iterator[tuple[str, int, int, str]]:
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            return
        if isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], _REVERSED):
            return
        if isinstance(test, ast.Name) and test.id == "TYPE_CHECKING":
            return
        yield "negate", self._start(test), self._end(test), f"(not ({self._text(test)}))"

    def _between(
        self, name: str, left: ast.expr, right: ast.expr, sign: str, becomes: str
    ) -> Iterator[tuple[str, int, int, str]]:
        """An operator that stands between two parts, with parentheses and comments around it."""
        start, end = self._end(left), self._start(right)
        found = re.search(rf"(?<!\w){sign}(?!\w)" if sign[0].isalpha() else sign, self._content[start:end].decode())
        if found:
            yield name, start + found.start(), start + found.end(), becomes

    def _start(self, node: ast.expr | ast.stmt) -> int:
        return self._starts[node.lineno - 1] + node.col_offset

    def _end(self, node: ast.expr | ast.stmt) -> int:
        assert node.end_lineno is not None and node.end_col_offset is not None
        return self._starts[node.end_lineno - 1] + node.end_col_offset

    def _text(self, node: ast.expr) -> str:
        return self._content[self._start(node) : self._end(node)].decode()


def _lines(node: ast.stmt) -> tuple[int, int]:
    """The first and the last line of a statement, or of what stands before the statements in it."""
    body = getattr(node, "body", None)
    last = max(node.lineno, body[0].lineno - 1) if body else node.end_lineno or node.lineno
    return node.lineno, last


def _is_type(node: ast.BinOp) -> bool:
    """Whether it is a union of types."""
    return isinstance(node.op, ast.BitOr) and isinstance(node.right, ast.Name) and node.right.id[:1].isupper()
