"""Plots of results, drawn from their JSON documents alone."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.incognito import figures
from benchmarks.incognito.algorithms import CUBE

_COLORS = ("blue", "orange", "green", "red", "purple", "brown", "pink", "gray", "olive", "cyan")


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
        case "kaca-2006":
            return [_kaca_2006(folder, document)]
        case "kaca-2008":
            return [_kaca_2008(folder, document, figure) for figure in (4, 5)]
        case "kaca-growth":
            return [_growth(folder, document)]
        case "local-arx-adult":
            return [_recodings(folder, document), _losses(folder, document)]
        case "local-adult":
            return [_recodings(folder, document)]
        case "local-growth":
            return [_swept(folder, document)]
        case "memory-growth":
            return [_by_rows(folder, document)]
        case "classification-errors":
            return [_errors(folder, document)]
        case "classification-qids":
            return [_several_qids(folder, document)]
        case "classification-folds":
            return [_folds(folder, document)]
        case "classification-scale":
            return [_refinements(folder, document)]
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


def _kaca_2006(folder: Path, document: Mapping[str, Any]) -> Path:
    """Figure 2: seconds on the left, distortion ratio on the right, a row for each k."""
    measured = [cell for cell in document["cells"] if not cell["skipped"]]
    ks = list(dict.fromkeys(cell["k"] for cell in document["cells"]))
    sizes = sorted({cell["size"] for cell in document["cells"]})
    figure, panels = _panels(len(ks), 2)
    for row, k in zip(panels, ks, strict=True):
        for axes, key, up in zip(row, ("seconds", "distortion_ratio"), ("seconds", "distortion ratio"), strict=True):
            for name in dict.fromkeys(cell["algorithm"] for cell in measured):
                mine = [cell for cell in measured if (cell["algorithm"], cell["k"]) == (name, k)]
                values = [statistics.fmean(cell[key]) for cell in mine]
                axes.plot([cell["size"] for cell in mine], values, "o-", markersize=4, label=name)
            scale = "log" if key == "seconds" else "linear"
            _dress(axes, f"Adult, k = {k}", "attributes", up, sizes, scale=scale)
    return _save(figure, folder, "kaca-2006-figure-2", legend=panels[0][0])


def _kaca_2008(folder: Path, document: Mapping[str, Any], number: int) -> Path:
    """Figures 4 and 5: a panel for each measure."""
    across, ticks, fixed, at, title = (
        ("k", document["k_at_fixed"], "size", document["fixed_size"], f"{document['fixed_size']} attributes")
        if number == 4
        else ("size", document["sizes_at_fixed"], "k", document["fixed_k"], f"k = {document['fixed_k']}")
    )
    measured = [cell for cell in document["cells"] if not cell["skipped"] and cell[fixed] == at]
    measures = list(dict.fromkeys(name for cell in measured for name in cell["means"]))
    figure, (panels,) = _panels(1, len(measures) or 1)
    for axes, measure in zip(panels, measures, strict=False):
        for name in dict.fromkeys(cell["algorithm"] for cell in measured):
            mine = sorted((cell for cell in measured if cell["algorithm"] == name), key=lambda cell: int(cell[across]))
            values = [cell["means"][measure] for cell in mine]
            axes.plot([cell[across] for cell in mine], values, "o-", markersize=4, label=name)
        scale = "log" if measure in ("DM", "CAVG") else "linear"
        _dress(axes, f"Adult, {title}", "k" if across == "k" else "attributes", measure, ticks, scale=scale)
    return _save(figure, folder, f"kaca-2008-figure-{number}", legend=panels[0])


def _growth(folder: Path, document: Mapping[str, Any]) -> Path:
    """CPU seconds of the process by the number of classes, and the goal's exponent through the first."""
    tables = [each for each in document["tables"] if not each["skipped"]]
    classes = [each["classes"] for each in tables]
    figure, ((axes,),) = _panels(1, 1)
    axes.plot(classes, [each["cpu_seconds"] for each in tables], "o-", label="process")
    if tables:
        goal = [tables[0]["cpu_seconds"] * (count / classes[0]) ** document["goal"] for count in classes]
        axes.plot(classes, goal, "k--", label=f"exponent {document['goal']}")
    axes.set_xscale("log")
    _dress(axes, f"Adult blown up, k = {document['k']}", "equivalence classes", "CPU seconds", classes)
    axes.legend(fontsize="small")
    return _save(figure, folder, "kaca-growth")


def _recodings(folder: Path, document: Mapping[str, Any]) -> Path:
    """A panel for each measure, by k."""
    measures = ("loss", "distortion ratio", "process, s")
    measured = [cell for cell in document["cells"] if not cell["skipped"]]
    ks = sorted({cell["k"] for cell in document["cells"]})
    figure, (panels,) = _panels(1, len(measures))
    for axes, measure in zip(panels, measures, strict=True):
        axes.set_prop_cycle(color=[*(f"tab:{name}" for name in _COLORS), "black", "gold"])
        for name in dict.fromkeys(cell["algorithm"] for cell in measured):
            mine = [cell for cell in measured if cell["algorithm"] == name]
            values = [statistics.median(cell["runs"][measure]) for cell in mine]
            axes.plot([cell["k"] for cell in mine], values, "o-", markersize=4, label=name)
        if measure == "loss" and "arx_loss" in document:
            arx = {int(k): loss for k, loss in document["arx_loss"].items()}
            axes.plot(ks, [arx[k] for k in ks], "k--", label="ARX 3.9.2")
        axes.set_xscale("log")
        scale = "log" if measure == "process, s" else "linear"
        _dress(axes, document["table_of"], "k", measure, ks, scale=scale)
    return _save(figure, folder, str(document["benchmark"]), legend=panels[0])


def _losses(folder: Path, document: Mapping[str, Any]) -> Path:
    """The loss of what people pick among, and their seconds, by k."""
    figure, (panels,) = _panels(1, 2)
    ks = sorted({cell["k"] for cell in document["cells"]})
    for axes, measure in zip(panels, ("loss", "process, s"), strict=True):
        for name in ("full-domain", "mondrian", "kaca", "cell-suppression", "sweep"):
            mine = [cell for cell in document["cells"] if cell["algorithm"] == name and not cell["skipped"]]
            values = [statistics.median(cell["runs"][measure]) for cell in mine]
            axes.plot([cell["k"] for cell in mine], values, "o-", markersize=4, label=name)
        axes.set_xscale("log")
    arx = {int(k): loss for k, loss in document["arx_loss"].items()}
    panels[0].plot(ks, [arx[k] for k in ks], "k--", label="ARX 3.9.2, local")
    _dress(panels[0], "all rows kept", "k", "loss", ks, scale="linear")
    _dress(panels[1], "whole process", "k", "seconds", ks, scale="linear")
    panels[1].set_ylim(bottom=0)
    return _save(figure, folder, "local-arx-adult-loss", legend=panels[0])


def _swept(folder: Path, document: Mapping[str, Any]) -> Path:
    """Seconds of the process and of the search by tuples, and the goal's exponent through the first."""
    tables = [each for each in document["tables"] if not each["skipped"]]
    tuples = [each["tuples"] for each in tables]
    figure, ((axes,),) = _panels(1, 1)
    for key in ("process_seconds", "search_seconds"):
        axes.plot(tuples, [each[key] for each in tables], "o-", label=key.partition("_")[0])
    if tables:
        exponent = document["goals"]["exponent"]
        goal = [tables[0]["process_seconds"] * (count / tuples[0]) ** exponent for count in tuples]
        axes.plot(tuples, goal, "k--", label=f"exponent {exponent}")
    axes.set_xscale("log")
    _dress(axes, f"Adult blown up, k = {document['k']}", "tuples", "seconds", tuples)
    axes.legend(fontsize="small")
    return _save(figure, folder, "local-growth")


def _by_rows(folder: Path, document: Mapping[str, Any]) -> Path:
    """CPU seconds and peak memory of each process by the rows of its table."""
    figure, (panels,) = _panels(1, 2)
    rows = [each["rows"] for each in document["tables"]]
    processes: dict[str, list[tuple[int, Mapping[str, Any]]]] = {}
    for each in document["tables"]:
        named = {f"by hand: {step}": taken for step, taken in each["by hand"].items()}
        for name, taken in {"full-domain": each["full-domain"], "sweep": each["sweep"], **named}.items():
            processes.setdefault(name, []).append((each["rows"], taken))
    for axes, of, unit in zip(panels, ("cpu_seconds", "peak_memory"), (1, 1e9), strict=True):
        for name, points in processes.items():
            line = "--" if name.startswith("by hand") else "-"
            axes.plot([at for at, _ in points], [taken[of] / unit for _, taken in points], f"o{line}", label=name)
        axes.set_xscale("log")
    _dress(panels[0], f"census, k = {document['k']}", "rows", "CPU seconds", rows)
    _dress(panels[1], f"--memory-limit {document['memory_limit']}", "rows", "peak memory, GB", rows, scale="linear")
    return _save(figure, folder, "memory-growth", legend=panels[0])


def _errors(folder: Path, document: Mapping[str, Any]) -> Path:
    """A row for each figure of the paper, a column for each classifier: AE of each TopN, BE and UE of Top7."""
    figure, panels = _panels(len(document["figures"]), len(document["classifiers"]))
    for row, measured in zip(panels, document["figures"], strict=True):
        for axes, name in zip(row, document["classifiers"], strict=True):
            for top, by_k in measured["AE"].items():
                axes.plot(measured["ks"], [100 * errors[name] for errors in by_k], "o-", markersize=4, label=top)
            axes.axhline(100 * measured["BE"][name], color="k", linestyle="--", label="BE")
            for errors in list(measured["UE"].values())[1:2]:
                axes.axhline(100 * errors[name], color="k", linestyle=":", label="UE, Top7")
            axes.set_xscale("log")
            title = f"{measured['name'].partition(':')[0]}, {name}"
            _dress(axes, title, "k", "error in percent", measured["ks"], scale="linear")
    return _save(figure, folder, "classification-errors", legend=panels[0][0])


def _several_qids(folder: Path, document: Mapping[str, Any]) -> Path:
    """Figure 8: above the diagonal, several quasi-identifiers serve better."""
    figure, (panels,) = _panels(1, len(document["classifiers"]))
    for axes, name in zip(panels, document["classifiers"], strict=True):
        several = [100 * point["several"][name] for point in document["points"]]
        single = [100 * point["single"][name] for point in document["points"]]
        axes.plot(several, single, "o", markersize=4)
        ends = [min(several + single), max(several + single)]
        axes.plot(ends, ends, "k--")
        axes.set(title=name, xlabel="AE in percent, several", ylabel="AE in percent, single")
        axes.grid(alpha=0.3)
    return _save(figure, folder, "classification-qids")


def _folds(folder: Path, document: Mapping[str, Any]) -> Path:
    """Figure 10: AE by k of each criterion."""
    figure, (panels,) = _panels(1, len(document["classifiers"]))
    for axes, name in zip(panels, document["classifiers"], strict=True):
        for kind, by_k in document["AE"].items():
            axes.plot(document["ks"], [100 * errors[name] for errors in by_k], "o-", markersize=4, label=kind)
        axes.axhline(100 * document["BE"][name], color="k", linestyle="--", label="BE")
        axes.set_xscale("log")
        _dress(axes, name, "k", "error in percent", document["ks"], scale="linear")
    return _save(figure, folder, "classification-folds", legend=panels[0])


def _refinements(folder: Path, document: Mapping[str, Any]) -> Path:
    figure, ((axes,),) = _panels(1, 1)
    for kind in ("single", "several"):
        known = [
            (table["rows"], statistics.median(seconds))
            for table in document["tables"]
            if (seconds := [run["seconds"] for run in table[kind] if run["seconds"] is not None])
        ]
        axes.plot([rows for rows, _ in known], [seconds for _, seconds in known], "o-", label=kind)
    rows = [table["rows"] for table in document["tables"]]
    _dress(axes, f"Adult blown up, k = {document['k']}", "rows", "seconds", rows, scale="linear")
    axes.legend(fontsize="small")
    return _save(figure, folder, "classification-scale")


def _lines(axes: Any, document: Mapping[str, Any], across: str, cells: Sequence[Mapping[str, Any]]) -> None:
    """One line per algorithm; a cell over the limit is a triangle at the limit, one that was not run is absent."""
    for name in dict.fromkeys(cell["algorithm"] for cell in document["cells"]):
        mine = [cell for cell in cells if cell["algorithm"] == name]
        within = [cell for cell in mine if cell["seconds"]]
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
