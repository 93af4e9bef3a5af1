"""Lines of code of a commit, by layer: without blank lines, comments and docstrings, in Python and in SQL."""

from __future__ import annotations

import ast
import io
import re
import subprocess
import tarfile
import tokenize
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath

from benchmarks.shared.process import ROOT, BenchmarkError

FOLDERS = ("engine", "sql", "tests", "benchmarks")
_BLANK = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}


def by_layer(commit: str = "HEAD") -> dict[str, Counter[str]]:
    """How many lines each layer of a folder has, by folder and layer. Raises :class:`BenchmarkError`."""
    lines: dict[str, Counter[str]] = defaultdict(Counter)
    for path, text in _files(commit):
        count = of_python(text) if path.suffix == ".py" else of_sql(text)
        lines[path.parts[0]][_layer(path)] += count
    return lines


def of_python(text: str) -> int:
    """Lines on which code stands, docstrings left out.

    >>> of_python('def one() -> int:\\n    "One."\\n\\n    return (\\n        1  # it\\n    )\\n')
    4
    """
    documented = {number for first, last in _docstrings(ast.parse(text)) for number in range(first, last + 1)}
    code = {
        number
        for token in tokenize.generate_tokens(io.StringIO(text).readline)
        if token.type not in _BLANK
        for number in range(token.start[0], token.end[0] + 1)
    }
    return len(code - documented)


def of_sql(text: str) -> int:
    """Lines on which SQL stands; those of a template's comments do not count.

    >>> of_sql("-- All.\\n\\nselect *  -- all\\nfrom {# here #} t\\n{# and\\nthere #}")
    2
    """
    bare = re.sub(r"\{#.*?#\}", lambda found: "\n" * found[0].count("\n"), text, flags=re.DOTALL)
    return sum(bool(line.strip()) and not line.lstrip().startswith("--") for line in bare.splitlines())


def markdown(now: Mapping[str, Counter[str]], before: Mapping[str, Counter[str]] | None = None) -> str:
    """Both as a table, with a line for each folder and layer, and one for engine and sql together."""
    counts = [each for each in (before, now) if each is not None]
    cells: list[tuple[str, list[int]]] = []
    for folder in FOLDERS:
        layers = sorted({layer for each in counts for layer in each[folder]})
        cells += [(f"{folder}/{layer}", [each[folder][layer] for each in counts]) for layer in layers]
        cells.append((f"**{folder}**", [each[folder].total() for each in counts]))
    cells.append(("**engine and sql**", [each["engine"].total() + each["sql"].total() for each in counts]))
    head = ["layer", *(["before"] if before else []), "lines of code", *(["change"] if before else [])]
    lines = [head, ["---", *("---:" for _ in head[1:])]]
    for name, found in cells:
        change = [f"{found[1] / found[0] - 1:+.1%}" if found[0] else "new"] if before else []
        lines.append([name, *(f"{count:,}" for count in found), *change])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _files(commit: str) -> Iterator[tuple[PurePosixPath, str]]:
    done = subprocess.run(["git", "archive", commit, *FOLDERS], cwd=ROOT, capture_output=True)
    if done.returncode:
        raise BenchmarkError(f"{commit}: {done.stderr.decode().strip()}")
    with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
        for member in archive:
            path = PurePosixPath(member.name)
            if member.isfile() and path.suffix in {".py", ".sql"}:
                yield path, (archive.extractfile(member) or io.BytesIO()).read().decode()


def _layer(path: PurePosixPath) -> str:
    """The folder under engine/starcloak, sql, tests or benchmarks, and "." for what lies in those themselves."""
    inner = path.parts[2:] if path.parts[0] == "engine" else path.parts[1:]
    return inner[0] if len(inner) > 1 else "."


def _docstrings(tree: ast.Module) -> Iterator[tuple[int, int]]:
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) or not body:
            continue
        first = body[0]
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
            yield first.lineno, first.end_lineno or first.lineno
