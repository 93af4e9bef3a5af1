"""The layers of the engine as a picture in text: ``python -m tests.layers`` writes it into the contributors' page."""

from __future__ import annotations

import ast
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
ENGINE = ROOT / "engine" / "starcloak"
PAGE = ROOT / "docs" / "contributing.md"
BEGIN, END = "<!-- layers -->\n```text\n", "```\n<!-- /layers -->"
_WIDTH = 118


def layers() -> list[str]:
    """The layers that the contract of imports names, from above."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    return list(settings["tool"]["importlinter"]["contracts"][0]["layers"])


def picture() -> str:
    """A line per layer: what it is for, by its package's own words, and which layers beneath it imports."""
    lines = []
    for layer in layers():
        doc = (ast.get_docstring(ast.parse((ENGINE / layer / "__init__.py").read_text())) or "").partition("\n")[0]
        lines.append(f"{layer:<11} {doc}")
        imported = _imported(layer)
        below = [other for other in layers() if other in imported and other != layer]
        lines.append(f"{'':<11} └ {' '.join(below)}" if below else "")
    assert all(len(line) <= _WIDTH + 40 for line in lines)
    return "\n".join(lines).rstrip() + "\n"


def shown() -> str:
    """What the page shows between its two marks."""
    return PAGE.read_text().partition(BEGIN)[2].partition(END)[0]


def imports_of(file: Path) -> set[str]:
    """The modules of the engine that a file imports, with the names that it takes from packages."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("starcloak"):
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def _imported(layer: str) -> set[str]:
    files = (ENGINE / layer).rglob("*.py")
    return {module.split(".")[1] for file in files for module in imports_of(file)}


if __name__ == "__main__":
    text = PAGE.read_text()
    before, _, rest = text.partition(BEGIN)
    PAGE.write_text(before + BEGIN + picture() + END + rest.partition(END)[2])
