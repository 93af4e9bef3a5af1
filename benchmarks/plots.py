"""Plots of results, drawn from their JSON documents alone."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks import figures
from benchmarks.algorithms import CUBE


def draw(folder: Path, document: Mapping[str, Any]) -> list[Path]:
    """Draw what a section's document has to show, as SVG files beside it."""
    import matplotlib

    matplotlib.use("svg")
    # The same document draws the same file.
    matplotlib.rcParams["svg.hashsalt"] = "starcloak"
    match document["benchmark"]:
        case "incognito-counts":
            return [_counts(folder, document)]
        case "incognito-figures":
            return [_by_size(folder, document), _by_k(folder, document), *_cube(folder, document)]
        case "incognito-scale":
            return [_scale(folder, document)]
    return []


def _counts(folder: Path, document: Mapping[str, Any]) -> Path:
    figure, ((axes,),) = _panels(1, 1)
    sizes = [count["size"] for count in document["counts"]]
    for name in document["counts"][0]["paper"]:
        (line,) = axes.plot(sizes, [count["paper"][name] for count in document["counts"]], "--", label=f"{name}, paper")
        if name in document["counts"][0]["checked"]:
            ours = [count["checked"][name] for count in document["counts"]]
            axes.plot(sizes, ours, "o-", color=line.get_color(), label=f"{name}, here")
    _dress(axes, "Adult, k = 2", "attributes", "nodes checked", sizes)
    axes.legend(fontsize="small")
    return _save(figure, folder, "incognito-counts")


def _by_size(folder: Path, document: Mapping[str, Any]) -> Path:
    tables, ks = document["tables"], document["k_by_size"]
    figure, panels = _panels(len(tables), len(ks))
    for row, (name, table) in zip(panels, tables.items(), strict=True):
        for axes, k in zip(row, ks, strict=True):
            _lines(
                axes, document, "size", [cell for cell in document["cells"] if (cell["table"], cell["k"]) == (name, k)]
            )
            _dress(axes, f"{name}, k = {k}", "attributes", "seconds", table["sizes"])
    return _save(figure, folder, "incognito-figure-10", legend=panels[0][0])


def _by_k(folder: Path, document: Mapping[str, Any]) -> Path:
    figure, (panels,) = _panels(1, len(document["tables"]))
    for axes, (name, table) in zip(panels, document["tables"].items(), strict=True):
        fixed = [cell for cell in document["cells"] if (cell["table"], cell["size"]) == (name, table["fixed"])]
        _lines(axes, document, "k", sorted(fixed, key=lambda cell: int(cell["k"])))
        _dress(axes, f"{name}, {table['fixed']} attributes", "k", "seconds", document["k_at_fixed"])
    return _save(figure, folder, "incognito-figure-11", legend=panels[0])


def _cube(folder: Path, document: Mapping[str, Any]) -> Iterable[Path]:
    k = document["k_by_size"][0]
    cells = [cell for cell in document["cells"] if (cell["algorithm"], cell["k"]) == (CUBE.name, k)]
    parts = {(cell["table"], cell["size"]): figures.cube_seconds(cell) for cell in cells}
    told = {key: part for key, part in parts.items() if part is not None}
    if not told:
        return
    figure, (panels,) = _panels(1, len(document["tables"]))
    for axes, name in zip(panels, document["tables"], strict=True):
        sizes = [size for table, size in told if table == name]
        build, use = zip(*(told[name, size] for size in sizes), strict=True) if sizes else ((), ())
        axes.bar(sizes, build, label="build the cube")
        axes.bar(sizes, use, bottom=build, label="use it")
        _dress(axes, f"{name}, k = {k}", "attributes", "seconds", sizes, scale="linear")
    yield _save(figure, folder, "incognito-figure-12", legend=panels[0])


def _scale(folder: Path, document: Mapping[str, Any]) -> Path:
    kinds = list(dict.fromkeys(table["kind"] for table in document["tables"]))
    figure, (panels,) = _panels(1, len(kinds))
    for axes, kind in zip(panels, kinds, strict=True):
        tables = [table for table in document["tables"] if table["kind"] == kind]
        rows = [table["rows"] for table in tables]
        for stage in tables[0]["stages"]:
            axes.plot(rows, [max(table["stages"][stage], 1e-3) for table in tables], "o-", label=stage)
        axes.plot(rows, [table["bare_seconds"] for table in tables], "k--", label="bare GROUP BY")
        axes.set_xscale("log")
        _dress(axes, f"{kind} people", "rows", "seconds", rows)
    return _save(figure, folder, "incognito-scale", legend=panels[0])


def _lines(axes: Any, document: Mapping[str, Any], across: str, cells: Sequence[Mapping[str, Any]]) -> None:
    """One line per algorithm; a cell over the limit is a triangle at the limit, one that was not run is absent."""
    for name in dict.fromkeys(cell["algorithm"] for cell in document["cells"]):
        mine = [cell for cell in cells if cell["algorithm"] == name]
        within = [cell for cell in mine if cell["over"] is None]
        medians = [statistics.median(cell["seconds"]) for cell in within]
        (line,) = axes.plot([cell[across] for cell in within], medians, "o-", markersize=4, label=name)
        over = [cell for cell in mine if cell["over"] is not None and cell["run"]]
        limits = [cell["over"] for cell in over]
        axes.plot([cell[across] for cell in over], limits, "^", color=line.get_color(), fillstyle="none")


def _panels(rows: int, columns: int) -> tuple[Any, Any]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(4.8 * columns + 0.4, 3.6 * rows + 0.4), layout="constrained")
    return figure, figure.subplots(rows, columns, squeeze=False)


def _dress(axes: Any, title: str, across: str, up: str, ticks: Sequence[int], *, scale: str = "log") -> None:
    axes.set_title(title, fontsize="medium")
    axes.set_xlabel(across)
    axes.set_ylabel(up)
    axes.set_yscale(scale)
    axes.set_xticks(ticks)
    axes.set_xticklabels([f"{tick:,}" for tick in ticks])
    axes.minorticks_off()
    axes.grid(alpha=0.3)


def _save(figure: Any, folder: Path, name: str, *, legend: Any = None) -> Path:
    if legend is not None:
        handles, labels = legend.get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=4, fontsize="small")
    path = folder / f"{name}.svg"
    figure.savefig(path, metadata={"Date": None})
    return path
