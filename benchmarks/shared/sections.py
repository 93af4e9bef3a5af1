"""A benchmark in sections; each leaves a JSON file, a Markdown file and plots of its own."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from benchmarks.shared import plots, result
from benchmarks.shared.settings import Settings


class Measured(Protocol):
    """What measures a section: a module."""

    def measure(self, folder: Path, settings: Settings) -> dict[str, Any] | Iterator[dict[str, Any]]:
        """Measure it, with ``folder`` for files; what the sections share is drawn once.

        What takes long yields all that it has, each time there is more: what was measured stays if it is stopped.
        """

    def table(self, body: Mapping[str, Any]) -> str:
        """What was measured, in Markdown."""


@dataclass(frozen=True)
class Section:
    """What a section found: its document, and its tables in Markdown."""

    document: Mapping[str, Any]
    markdown: str

    def write(self, folder: Path) -> list[Path]:
        """Write the document, the tables and the plots. A section that was skipped leaves nothing."""
        if "skipped" in self.document:
            return []
        written = result.write(folder, self.document)
        page = written.with_suffix(".md")
        page.write_text(self.markdown + "\n", encoding="utf-8")
        return [written, page, *plots.draw(folder, self.document)]


def measure(
    benchmark: str, sections: Mapping[str, Measured], names: Sequence[str], settings: Settings
) -> Iterator[Section]:
    """Measure the named sections, in order."""
    with tempfile.TemporaryDirectory(prefix="benchmarks-") as folder:
        for name in names:
            options = ["--only", name, "--runs", str(settings.runs)]
            options += ["--limit", f"{settings.limit:g}"] if settings.limit else []
            options += ["--weka", settings.weka.name] if settings.weka else []
            options += ["--tables", str(settings.tables)] if settings.tables else []
            options += ["--largest", str(settings.largest)] if settings.largest else []
            options += ["--minutes", f"{settings.minutes:g}"] if settings.minutes else []
            options += ["--resume"] if settings.resume else []
            stamp = result.stamp(benchmark, [*options, *(["--quick"] if settings.quick else [])])
            measured = sections[name].measure(Path(folder), settings)
            for body in measured if isinstance(measured, Iterator) else [measured]:
                document = {**stamp, "benchmark": f"{benchmark}-{name}", "quick": settings.quick, **body}
                document["clean"] = result.still_clean(document)
                yield Section(document, f"{heading(document)}\n\n{sections[name].table(body)}")


def heading(document: Mapping[str, Any]) -> str:
    """By what command, of what commit and on what machine a result was measured."""
    machine, versions = document["machine"], document["versions"]
    return (
        f"`{document['command']}` at {str(document['commit'])[:12]}: {machine['cores']} cores of {machine['cpu']}, "
        f"load {machine['load_average']} at the start, DuckDB {versions['duckdb']}"
    )
