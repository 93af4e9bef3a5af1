"""Figures in the docs are those of the result files that they name."""

from __future__ import annotations

import json
import re
import statistics
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from benchmarks import papers
from benchmarks.incognito import figures
from benchmarks.incognito.ways import WAYS
from benchmarks.kaca import height, paper_2014
from benchmarks.kaca import paper_2006 as kaca_2006
from benchmarks.local import arx_adult, wide

import starcloak as sc

ROOT = Path(__file__).parents[2]
SPEED = (ROOT / "docs" / "explanation" / "speed.md").read_text(encoding="utf-8")


def running(path: str) -> str:
    """The text of a page, its lines one after another."""
    return " ".join((ROOT / path).read_text(encoding="utf-8").split())


def listed(values: Iterable[float], form: str) -> str:
    """Values as a sentence has them."""
    *head, last = (format(value, form) for value in values)
    return f"{', '.join(head)} and {last}"


def result(name: str) -> Any:
    return json.loads((ROOT / "benchmarks" / "results" / f"{name}.json").read_text(encoding="utf-8"))


def row(start: str) -> list[str]:
    """The cells of a row of a table of the page of speed, after the first."""
    (line,) = (line for line in SPEED.splitlines() if line.startswith(f"| {start} |"))
    return [cell.strip() for cell in line.strip("|").split("|")[1:]]


def test_node_counts_of_the_incognito_paper() -> None:
    counts = result("incognito-counts")["counts"]
    assert row("nodes checked here") == [f"{each['checked']['Basic Incognito']:,}" for each in counts]
    assert row("in the paper") == [f"{each['paper']['Basic Incognito']:,}" for each in counts]


def test_adult_with_nine_attributes() -> None:
    (nine,) = (entry for entry in result("speed")["entries"] if entry["name"] == "adult-9")
    assert f"lattice of {nine['facts']['lattice_nodes']:,} nodes: {nine['facts']['checked']:,} nodes checked" in SPEED
    seconds = {figure["name"]: figure["median"] for figure in nine["figures"] + nine["stages"]}
    assert f"| {seconds['process seconds']:.1f} s, of which {seconds['search']:.1f} s search |" in SPEED


def test_whole_processes() -> None:
    found = {
        entry["name"]: {figure["name"]: figure["median"] for figure in entry["figures"]}
        for entry in result("speed")["entries"]
    }
    three, nine, csv = found["adult-3"], found["adult-9"], found["census-csv"]
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"quasi-identifiers {three['process seconds']:.1f} s for the whole process" in readme
    assert f"searched completely, {nine['process seconds']:.1f} s;" in readme
    ratios = [each["process / bare imports"] for each in (three, nine)]
    assert f"| {ratios[0]:.1f} and {ratios[1]:.1f} times |" in SPEED
    for suppression in ("0", "0.05"):
        seconds, memory = (
            csv[f"suppression {suppression}: {what}"] for what in ("process seconds", "peak memory of the process")
        )
        assert f"| {seconds:.1f} s and {memory / 1e9:.2f} GB |" in SPEED


def medians(name: str) -> dict[str, dict[str, float]]:
    """The figures of the entries of a result, and their stages."""
    return {
        entry["name"]: {figure["name"]: figure["median"] for figure in [*entry["figures"], *entry.get("stages", [])]}
        for entry in result(name)["entries"]
    }


def test_tables_of_millions_of_rows() -> None:
    found, page = medians("speed"), running("docs/explanation/speed.md")
    parquet, there = found["census-parquet"], found["census-duckdb"]
    assert f"| {found['help']['process seconds']:.2f} s |" in page
    assert f"whole process | {found['adult-3']['process seconds']:.1f} s |" in page
    assert f"| {there['peak memory of the process'] / 1e9:.2f} GB |" in page
    assert parquet["peak memory of the process"] < there["peak memory of the process"] < 1.2e9
    ratios, seconds, search = (
        [each[name] for each in (parquet, there)] for name in ("compress / bare GROUP BY", "process seconds", "search")
    )
    assert "| {:.2f} and {:.2f} times |".format(*ratios) in page
    assert "| {:.1f} s and {:.1f} s, of which {:.1f} s and {:.1f} s search |".format(*seconds, *search) in page
    orders = [medians("incognito-large")[f"lands-end-{k}"]["search / GROUP BY"] for k in (2, 10)]
    assert "takes {:.1f} times (k = 2) and {:.1f} times (k = 10) as long".format(*orders) in page


def test_rounds_and_growth_of_clusterings() -> None:
    page, growth = running("docs/explanation/speed.md"), result("kaca-growth")
    largest = growth["tables"][-1]
    figures = medians("kaca-speed")["adult"]
    took = [figures[f"{execution}: search"] for execution in ("neighbours", "joins")]
    assert "its search takes {:.1f} s, and {:.1f} s by joins".format(*took) in page
    less = 100 * (1 - figures["distortion of neighbours / of joins, means"])
    assert f"neighbours leave {less:.1f} % less distortion" in page
    told = f"takes {largest['process_seconds']:.1f} s and {largest['peak_memory'] / 1e9:.2f} GB"
    assert f"{largest['rows']:,} rows, {largest['classes']:,} combinations, {told}" in page
    assert f"to the power of {growth['exponent']:.2f}" in page


def test_releases_in_postgresql() -> None:
    page, found = running("docs/explanation/speed.md"), list(medians("databases-postgresql").values())[:2]
    for names, form in (
        (("run / (GROUP BY + CREATE TABLE AS + recount)",), "takes {:.2f} and {:.2f} times as long"),
        (("the same, with the settings of the server",), "and {:.2f} and {:.2f} times as long where"),
    ):
        assert form.format(*(each[name] for each in found for name in names)) in page


def test_searches_of_adult() -> None:
    cells = {
        (cell["algorithm"], cell["k"]): statistics.median(cell["runs"]["search, s"])
        for cell in result("local-adult")["cells"]
    }
    assert f"takes {cells['sweep', 10]:.1f} s at k = 10 and {cells['sweep', 2]:.1f} s at k = 2" in SPEED
    kaca = [seconds for (algorithm, _), seconds in cells.items() if algorithm == "kaca"]
    assert f"KACA's takes {min(kaca):.1f} to {max(kaca):.1f} s there" in SPEED


def test_what_any_local_recoding_loses() -> None:
    text, cells = running("docs/explanation/recoding.md"), result("local-bound")["cells"]
    assert f"{listed((cell['bound'] for cell in cells), '.4f')} at k = 2, 5, 10, 25, 50 and 100" in text
    above = [100 * (cell["sweep"] / cell["bound"] - 1) for cell in cells]
    assert f"the sweep without `improve` is {max(above):.0f} to {min(above):.0f} % above it" in text


def test_distortion_of_2006() -> None:
    found = result("kaca-2006")
    assert f"{found['factor_of_means']:.2f} times KACA's" in SPEED
    assert f"the paper says {found['paper_factor']:.2f}" in SPEED
    seconds = {
        (cell["algorithm"], cell["size"]): statistics.median(cell["seconds"])
        for cell in found["cells"]
        if cell["k"] == 10
    }
    three, nine = (
        [seconds[name, size] for name in ("KACA", "Incognito itself", "Incognito's best node")] for size in (3, 9)
    )
    three, nine = ([f"{each:.2f} s" for each in size] for size in (three, nine))
    assert f"of nine, KACA takes {nine[0]}, Incognito {nine[1]}" in SPEED and f"finds the same node, {nine[2]}" in SPEED
    assert f"of three they take {three[0]}, {three[1]} and {three[2]}" in SPEED
    slower = [size for size in range(3, 10) if seconds["KACA", size] > seconds["Incognito itself", size]]
    assert slower == [3, 4, 5, 6, 7]


@pytest.mark.parametrize(("criterion", "which"), [("score", "Top7"), ("infogain", "Top7, InfoGain")])
def test_errors_of_c45(criterion: str, which: str) -> None:
    (figure,) = (each for each in result("classification-errors")["figures"] if each["name"].startswith("Figure 6"))
    assert row("k")[: len(figure["ks"])] == list(map(str, figure["ks"]))
    assert row(f"`criterion: {criterion}`") == [f"{100 * each['C4.5']:.2f}" for each in figure["AE"][which]]


def test_where_figures_differ_from_a_papers() -> None:
    text = (ROOT / "docs" / "papers.md").read_text(encoding="utf-8")
    cells = result("kaca-multi")["cells"]
    for way in ("KACA1", "KACA2", "Multi along hierarchies", "Multi ordered by texts"):
        row = " | ".join(f"{cell['DM']:,}" for cell in cells if cell["way"] == way)
        assert f"| {way} | {row} |" in text
    cavg = {
        k: [
            f"{cell['CAVG']:.2f}"
            for way in ("KACA1", "KACA2", "Multi along hierarchies", "Multi ordered by texts")
            for cell in cells
            if (cell["way"], cell["k"]) == (way, k)
        ]
        for k in (2, 50)
    }
    page = running("docs/papers.md")
    assert "{} for KACA1 at k = 2, {} for KACA2, {} and {} for Multi along".format(*cavg[2]) in page
    assert "at k = 50 {}, {}, {} and {}. The order".format(*cavg[50]) in page
    (figure,) = (each for each in result("classification-errors")["figures"] if each["name"].startswith("Figure 6"))
    errors = {
        (which, k): each
        for which in ("Top7", "Top7, InfoGain")
        for k, each in zip(figure["ks"], figure["AE"][which], strict=True)
    }
    told = [f"{100 * errors[which, k]['C4.5']:.2f}" for which in ("Top7, InfoGain", "Top7") for k in (200, 400)]
    assert "with C4.5 {} and {} % against {} and {} %; at 600 and 1,000 Score has".format(*told) in page
    for k in (200, 400, 600, 1000):
        by_score, by_gain = errors["Top7", k], errors["Top7, InfoGain", k]
        assert by_gain["naive Bayes"] < by_score["naive Bayes"]
        assert (by_gain["C4.5"] < by_score["C4.5"]) == (k < 600)
    raised = {cell["k"]: cell["lowest_levels"] for cell in cells if cell["way"] == "KACA2"}
    assert (raised[2][0], raised[50][0], raised[2][2], raised[50][2]) == (1, 4, 1, 3)
    assert all(not any(cell["global_levels"]) for cell in cells if cell["way"] == "KACA2")
    dm = {(cell["way"], cell["k"]): cell["DM"] for cell in cells}
    assert all(dm["KACA1", k] > dm["Multi ordered by texts, relaxed", k] for k in (2, 5, 10, 20))
    (by_k,) = (
        line for line in kaca_2006.table(result("kaca-2006")).splitlines() if line.startswith("The ratio of the")
    )
    assert re.findall(r"\d+\.\d+", by_k)[:1] + re.findall(r"\d+\.\d+", by_k)[2:] == ["21.80", "6.29", "5.63"]
    assert "21.80 times at k = 2 and 6.29 times at k = 10" in text and "5.63 times at k = 10 without" in text


def test_what_the_text_of_papers_says_otherwise() -> None:
    page = running("docs/papers.md")
    figures = {figure["name"]: figure for figure in result("classification-errors")["figures"]}

    def of(figure: str) -> Any:
        return next(each for name, each in figures.items() if name.startswith(figure))

    def errors(figure: str, which: str, by: str) -> dict[int, float]:
        found = of(figure)
        return {k: 100 * each[by] for k, each in zip(found["ks"], found["AE"][which], strict=True)}

    five, seven = (errors("Figure 6", which, "naive Bayes") for which in ("Top5", "Top7"))
    bayes = 100 * of("Figure 6")["BE"]["naive Bayes"]
    assert f"{listed([five[k] for k in (20, 60, 100)], '.2f')} % at k = 20" in page
    assert f"Here BE is {bayes:.2f} % (18.07" in page
    assert f"at 20 and 60, {seven[20]:.2f} and {seven[60]:.2f} %, and above BE from 100 to 160, " in page
    assert max(five[k] for k in (20, 60, 100)) < bayes < seven[100]
    crx, german = map(of, ("Figure 9a", "Figure 9b"))
    assert f"CRX: BE is {100 * crx['BE']['C4.5']:.2f} % here and 15.4 %" in page
    assert f"UE without Top7 is {100 * german['UE']['Top7']['C4.5']:.2f} % here and 36 %" in page
    assert all(error <= 100 * crx["BE"]["C4.5"] for k, error in errors("Figure 9a", "Top7", "C4.5").items() if k <= 300)
    cells = {(cell["algorithm"], cell["size"]): cell for cell in result("kaca-2006")["cells"] if cell["k"] == 2}
    seconds = {at: statistics.median(cell["seconds"]) for at, cell in cells.items()}
    ratio = {at: statistics.mean(cell["distortion_ratio"]) for at, cell in cells.items()}
    for size in range(3, 10):
        assert (seconds["KACA", size] > seconds["Incognito itself", size]) == (size <= 6)
        assert size == 3 or ratio["KACA", size] > ratio["KACA", size - 1]
        assert size == 3 or (ratio["Incognito itself", size] < ratio["Incognito itself", size - 1]) == (size in (7, 9))
    for size, text in ((6, "{:.2f} s against {:.2f} at six"), (9, "{:.2f} s against {:.2f} at nine")):
        assert text.format(seconds["KACA", size], seconds["Incognito itself", size]) in page
    assert f"from {ratio['KACA', 3]:.4f} with three attributes to {ratio['KACA', 9]:.4f} with nine" in page
    falls = [ratio["Incognito itself", size] for size in (6, 7, 8, 9)]
    assert "from {:.4f} to {:.4f} with the seventh, and from {:.4f} to {:.4f} with the ninth".format(*falls) in page
    lost = [
        cell["means"]["inconsistency"]
        for k in (2, 5, 10, 20, 50)
        for cell in result("kaca-2008")["cells"]
        if (cell["algorithm"], cell["k"], cell["size"]) == ("KACA2", k, 6)
    ]
    assert f"execution: neighbours`, {listed(lost[:5], '.3f')} for k = 2, 5, 10, 20 and 50" in page and max(lost) < 0.1


def test_taxonomies_of_the_incognito_paper() -> None:
    text = running("docs/papers.md")
    stages = result("incognito-taxonomies")["stages"]
    families = text.partition("| family of groupings |")[2].partition("One of those that fit")[0]
    for stage in stages:
        (row,) = re.findall(rf"\| {stage['size']} \| [^|]+ \| ([^|]+ \| [^|]+ \| [^|]+) \|", families)
        assert row == " | ".join(f"{stage[each]:,}" for each in ("tried", "bottom_up", "fitting"))
    country, work = stages[-2:]
    assert f"with each of the {country['fitting']:,} |" in text and work["fitting"] == 0
    nodes, incognito = work["paper"]
    assert f"checks the paper's {nodes:,} nodes, Incognito checks {work['nearest']} or another number" in text
    assert f"never {incognito}." in text


def test_figures_of_the_incognito_paper() -> None:
    text = running("docs/papers.md")
    cells = {
        (cell["table"], cell["algorithm"], cell["size"], cell["k"]): cell
        for cell in result("incognito-figures")["cells"]
        if cell["over"] is None
    }

    def median(table: str, algorithm: str, size: int, k: int = 2) -> float:
        return statistics.median(cells[table, algorithm, size, k]["seconds"])

    def seconds(table: str, algorithm: str, size: int, k: int = 2) -> str:
        return f"{median(table, algorithm, size, k):.2f}"

    def counts(table: str, algorithm: str, size: int) -> Any:
        return cells[table, algorithm, size, 2]["counts"]

    basic, roots, cube = "Basic Incognito", "Super-roots Incognito", "Cube Incognito"
    rollup, recount = "bottom-up, rollup", "bottom-up, no rollup"
    nine = {algorithm: seconds("Adult", algorithm, 9) for algorithm in (basic, roots, "binary search", rollup, recount)}
    assert all((median("Adult", basic, size) < median("Adult", recount, size)) == (size > 6) for size in range(3, 10))
    assert all(
        median("Lands End", basic, size, k) < median("Lands End", way, size, k)
        for size in (3, 4, 5, 6)
        for k in (2, 10)
        for way in (rollup, recount)
    )
    assert f"{nine[basic]} s against {nine[recount]} at nine (k = 2)" in text
    assert f"{nine['binary search']} s against {nine[basic]} at nine attributes" in text
    six = [seconds("Lands End", algorithm, 6) for algorithm in ("binary search", basic)]
    assert "{} s against {} at six".format(*six) in text
    assert ("Lands End", "binary search", 8, 2) not in cells
    assert f"at eight, where Incognito takes {seconds('Lands End', basic, 8)}" in text
    erratic = [float(seconds("Lands End", "binary search", 6, k)) for k in (2, 5, 10, 25)]
    assert f"takes {min(erratic):.0f} to {max(erratic):.0f} s up to k = 25" in text
    assert f"and {float(seconds('Lands End', 'binary search', 6, 50)):.0f} at k = 50" in text
    ratios = [median("Lands End", rollup, 6, k) / median("Lands End", recount, 6, k) for k in (2, 5, 10, 25, 50)]
    assert f"by k {min(ratios):.2f} to {max(ratios):.2f} times at six attributes" in text
    six = [seconds("Lands End", algorithm, 6) for algorithm in (rollup, recount)]
    assert "{} s against {} at k = 2".format(*six) in text
    assert not any(("Lands End", way, 7, 2) in cells for way in (rollup, recount))
    star = counts("Adult", recount, 9)
    assert f"reads its {star['rows'] // star['scans']:,} combinations" in text
    rows = [counts("Lands End", algorithm, 6)["rows"] / 1e6 for algorithm in (rollup, recount)]
    assert "aggregates {:,.0f} million rows instead of {:,.0f}".format(*rows) in text
    assert f"{nine[rollup]} s against {nine[recount]} at nine attributes" in text
    rows = [round(counts("Adult", algorithm, 9)["rows"] / 1e6) for algorithm in (rollup, recount, roots, basic)]
    assert f"aggregates {rows[0]} million rows instead of {rows[1]}" in text
    scans = [counts("Adult", algorithm, 9)["scans"] for algorithm in (roots, basic)]
    assert f"{scans[0]} times at nine attributes of Adult instead of {scans[1]:,}" in text
    assert f"aggregate {rows[2]} million rows instead of {rows[3]}" in text
    assert f"take longer, {nine[roots]} s against {nine[basic]}" in text
    orders = [counts("Lands End", algorithm, 8) for algorithm in (roots, basic)]
    assert f"{orders[0]['scans']} times instead of {orders[1]['scans']:,} at eight" in text
    assert (
        f"{orders[0]['rows'] / 1e6:,.0f} million rows are aggregated instead of {orders[1]['rows'] / 1e6:,.0f}" in text
    )
    assert f"{seconds('Lands End', roots, 8)} s go by instead of {seconds('Lands End', basic, 8)}" in text
    by_k = [seconds(*where, k) for where in (("Adult", basic, 8), ("Lands End", basic, 6)) for k in (2, 50)]
    assert "takes {} s at k = 2 and {} at k = 50, on six of the orders {} and {}".format(*by_k) in text
    checked = [cells["Adult", basic, 8, k]["counts"]["checked"] for k in (5, 2)]
    assert f"checks {checked[0]:,} nodes of Adult at k = 5 and {checked[1]:,} at k = 2" in text
    found = [seconds("Adult", "binary search", 8, k) for k in (2, 50)]
    assert f"falls from {found[0]} s to {found[1]}" in text
    build, use = figures.cube_seconds(cells["Adult", cube, 9, 2]) or (0, 0)
    assert f"{build:.2f} s of {build + use:.2f} at nine attributes." in text
    assert f"to use the cube takes {use:.2f} s, and Basic Incognito in all {nine[basic]}" in text
    build, use = figures.cube_seconds(cells["Lands End", cube, 8, 2]) or (0, 0)
    assert f"{use:.2f} s of {build + use:.2f} at eight attributes" in text


def test_rollups_with_and_without_a_join() -> None:
    page = running("docs/papers.md")
    told = {
        (cell["table"], cell["size"]): [
            1000 * statistics.median(cell["seconds"][way]) / cell["nodes"] for way in reversed(WAYS)
        ]
        for cell in result("incognito-rollups")["cells"]
    }
    nine, six = told["Adult", 9], told["Lands End", 6]
    assert "{:.2f} ms a node at nine attributes, with the join {:.2f}, a recount {:.2f}".format(*nine) in page
    assert "on six of the orders {:.0f} ms, {:.0f} and {:.0f}".format(*six) in page
    assert all(without > joined for without, joined, _ in told.values())


def test_seconds_of_refinements_by_rows() -> None:
    tables, page = result("classification-scale")["tables"], running("docs/explanation/speed.md")
    single, several = (
        [statistics.median(run["seconds"] for run in size[kind]) for size in tables] for kind in ("single", "several")
    )
    assert f"{single[-1]:.1f} s without reading and writing, {single[-1] / single[0]:.1f} times" in page
    assert f"take {listed(several, '.1f')} s, their medians" in page


def test_groupings_of_marital_status_for_a_classifier() -> None:
    found = result("classification-families")
    assert len(found["families"]) == 11 and "Of the eleven groupings" in SPEED
    for held in found["held"].values():
        assert sum(held[0]) < min(map(sum, held[1:]))
    ours, chosen = (
        [f"{100 * (max(each[which]) - found['BE']):.1f}" for each in found["tested"].values()]
        for which in ("ours", "AE")
    )
    assert f"here it is {ours[0]} by score and {ours[1]} by InfoGain" in SPEED
    assert f"is {chosen[0]} and {chosen[1]} points above on test rows" in SPEED


def test_looking_at_tables() -> None:
    figures = {
        figure["name"]: figure["median"] for each in result("insight")["entries"] for figure in each["figures"][:1]
    }
    audit = figures.pop("audit / bare GROUP BY, seconds")
    assert f"{audit:.2f} times as long as the bare" in SPEED
    medians = [each["figures"][0]["median"] for each in result("insight")["entries"] if each["name"] != "audit"]
    assert all(re.search(rf"[, ]{seconds:.1f} s[;.]", running("docs/explanation/speed.md")) for seconds in medians)
    assert len(medians) == 2


def test_growth_of_the_sweep() -> None:
    growth, page = result("local-growth"), running("docs/explanation/speed.md")
    largest = growth["tables"][-1]
    seconds, memory = largest["process_seconds"], largest["peak_memory"] / 1e9
    assert f"{largest['rows']:,} rows, {largest['tuples']:,} combinations" in page
    assert f"{seconds:.1f} s and {memory:.2f} GB" in page and f"the power of {growth['exponent']:.2f}" in page
    for name, told in (("adult", "search takes {:.1f} s"), ("arx-adult", "with ARX's {:.1f} s")):
        cells = result(f"local-{name}")["cells"]
        (cell,) = (each for each in cells if (each["algorithm"], each["k"]) == ("sweep", 10))
        assert told.format(statistics.median(cell["runs"]["search, s"])) in page


def test_wide_tables() -> None:
    found = result("local-wide")
    median = {
        (cell["table"], cell["algorithm"]): [statistics.median(cell[of]) for of in ("granularity", "process, s")]
        for cell in found["cells"]
    }
    page = running("docs/explanation/speed.md")
    for table, columns in (("creditcard", 24), ("mach2019", 16)):
        sweep, mondrian = median[table, "sweep"], median[table, "mondrian"]
        improved, _ = median[table, "sweep, improve: 60"]
        assert f"f *{table}*, {columns} columns, a sweep" in page
        assert f"{sweep[0]:.3f} in {sweep[1]:.1f} s, {improved:.3f} with" in page
        assert f"Mondrian {mondrian[0]:.3f} in {mondrian[1]:.1f} s" in page
        kept, seconds = median[table, "witness, rows left out"]
        assert f"{kept:.3f} in {seconds:.1f} s" in page
        granularity, seconds = wide.ARX[table]
        assert f"{granularity} in {seconds:,} s" in page
    kept, seconds = median[wide.MILLION, "sweep"]
    (memory,) = (cell["peak memory, GB"][0] for cell in found["cells"][-2:] if cell["algorithm"] == "sweep")
    assert f"a sweep keeps {kept:.3f} in {seconds:,.0f} s and {memory:.1f} GB" in page
    kept, seconds = median[wide.MILLION, "mondrian"]
    assert f"Mondrian {kept:.3f} in {seconds:.0f} s" in page


def test_loss_by_k_in_the_readme() -> None:
    found = result("local-arx-adult")
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    (head,) = (at for at, line in enumerate(lines) if line.startswith("| loss by k |"))
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[head + 2 : head + 9]]
    assert lines[head].split("|")[2:8] == [f" {k} " for k in (2, 5, 10, 25, 50, 100)]
    for name, *losses, seconds in rows:
        algorithm = "full-domain" if name.startswith("full-domain") else name.strip("`")
        if "1,000 iterations" in name:
            more = [arx_adult.LOSS_OF_1000.get(k) for k in arx_adult.LOSS]
            assert losses == ["" if loss is None else f"{loss:.3f}" for loss in more]
            continue
        if name.startswith("ARX"):
            assert losses == [f"{loss:.3f}" for loss in found["arx_loss"].values()] and not seconds
            continue
        cells = [cell for cell in found["cells"] if cell["algorithm"] == algorithm]
        assert losses == [f"{statistics.median(cell['runs']['loss']):.3f}" for cell in cells]
        assert seconds == f"{statistics.median(cells[2]['runs']['process, s']):.1f}"


def test_loss_by_purpose() -> None:
    cells = {cell["algorithm"]: cell["runs"] for cell in result("local-arx-adult")["cells"] if cell["k"] == 10}
    page = (ROOT / "docs" / "explanation" / "recoding.md").read_text(encoding="utf-8")
    told = re.findall(r"^\| .* \| `([\w-]+)` \| ([\d.]+) \| ([\d.]+) \|$", page, re.MULTILINE)
    assert len(told) == 7
    for name, loss, seconds in told:
        assert loss == f"{statistics.median(cells[name]['loss']):.3f}", name
        assert seconds == f"{statistics.median(cells[name]['process, s']):.1f}", name


def test_improvement_of_the_sweep() -> None:
    page, found = running("docs/explanation/recoding.md"), result("local-improve")

    def losses(seconds: int) -> list[float]:
        cells = [cell for cell in found["cells"] if cell["improve"] == seconds and cell["k"] != 2]
        return [statistics.median(run["loss"] for run in cell["runs"]) for cell in cells]

    before, after = losses(0), losses(120)
    told = f"{listed(before, '.4f')} at k = 5, 10, 25, 50 and 100 falls to {listed(after, '.4f')} after two minutes"
    assert told in page
    below = [100 * (1 - loss / arx) for loss, arx in zip(after, [*found["arx_loss"].values()][1:], strict=True)]
    assert f"the sweep's is {listed(below, '.0f')} % below it" in page


def test_every_result_that_a_page_names_is_there() -> None:
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    named = {found for page in pages for found in re.findall(r"benchmarks/results/[\w-]+\.\w+", page.read_text())}
    assert len(named) > 5
    assert not [each for each in sorted(named) if not (ROOT / each).is_file()]


@pytest.mark.parametrize("name", list(papers.PAGES))
def test_a_papers_tables_are_printed_from_the_results(name: str) -> None:
    command = [sys.executable, "-m", "benchmarks", "paper", name]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("# ") and "python -m benchmarks" in done.stdout
    beside, _, results = done.stdout.partition("\n\n# ")
    told = [line.strip("|").split("|") for line in beside.splitlines() if line.startswith("| ") and "---" not in line]
    assert len(told) == 1 + len(papers.CLAIMS[name]) and all(len(cells) == 3 for cells in told)
    assert all(re.search(r"\d", here) for _, _, here in told[1:]) and "\n|" in results


def test_what_papers_say_in_words_is_beside_what_was_measured() -> None:
    (factor, longer), recoding = papers.CLAIMS["kaca-2006"], papers.CLAIMS["local-recoding-2008"]
    body = result("kaca-2006")
    assert factor.here(body).startswith(f"{body['factor_of_means']:.2f} times")
    assert re.fullmatch(r"[\d.]+ s against [\d.]+, means of all sizes and both k", longer.here(body))
    means = {(each["algorithm"], each["k"], each["size"]): each["means"] for each in result("kaca-2008")["cells"]}
    settings = {at for _, *at in ((name, (k, size)) for name, k, size in means) for at in at}
    better = sum(means["KACA2", *at]["DM"] < means["Mondrian", *at]["DM"] for at in settings)
    assert recoding[-1].here(result("kaca-2008")).startswith(f"DM in {better} of {len(settings)} settings")
    errors = papers.CLAIMS["top-down-refinement-2007"][1].here(result("classification-errors"))
    assert errors == "BE 14.69, UE 21.53, AE - BE at most 2.17 points for k up to 600"


WITHOUT_TAXONOMY = {"age": {"intervals": [5, 10, 20]}, "sex": "suppress", "race": "suppress"}


def checks_as_in_the_paper(hierarchies: dict[str, Any], paper: tuple[int, int]) -> None:
    for algorithm, checked in zip(("bottom-up", "incognito"), paper, strict=True):
        job = {
            "source": {"dataset": "adult"},
            "others": "identifiers",
            "quasi_identifiers": {**WITHOUT_TAXONOMY, **hierarchies},
            "requirement": {"k": 2},
            "algorithm": {"name": algorithm},
        }
        assert sc.run(job).result.search.checked == checked


def test_a_grouping_of_native_country_that_fits_has_the_papers_counts_of_six_attributes(adult: Path) -> None:
    (stage,) = (each for each in result("incognito-taxonomies")["stages"] if each["size"] == 6)
    files = ROOT / "schemas" / "adult" / "hierarchies"
    hierarchies = {
        "marital-status": {"csv": str(files / "marital-status-2.csv")},
        "education": {"csv": str(files / "education-3.csv")},
        "native-country": {
            "levels": {value: [f"group {at}"] for at, group in enumerate(stage["groups"]) for value in group}
        },
    }
    checks_as_in_the_paper(hierarchies, stage["paper"])


def test_a_taxonomy_that_fits_has_the_papers_counts_of_seven_attributes(adult: Path) -> None:
    taxonomy = next(row["taxonomy"] for row in result("incognito-further")["marital"] if row["taxonomy"])
    hierarchies = {}
    for name, levels in taxonomy.items():
        groups: dict[str, list[str]] = {}
        for level in levels:
            for at, group in enumerate(level):
                for value in group:
                    groups.setdefault(value, []).append(f"group {at}")
        hierarchies[name] = {"levels": groups}
    checks_as_in_the_paper(hierarchies, (2088, 664))


def test_checks_beside_those_of_anonbench() -> None:
    page, document = running("docs/papers.md"), result("incognito-checks")
    own = {(cell["asked"], cell["algorithm"]): cell for cell in document["cells"]}
    names = ["k = 5", "recursive (4, 3)-diversity", "0.2-closeness", "k = 5 and diversity", "k = 5 and closeness"]
    everywhere = []
    for name, (asked, there) in zip(names, document["published"].items(), strict=True):
        here = own[asked, "witness"]
        counts = [here["minimal"], here["checked"], there["OLA"], there["Flash"]]
        counts += [own[asked, "Incognito here"]["checked"], there["Incognito"]]
        assert f"| {name} | {' | '.join(f'{count:,}' for count in counts)} |" in page
        everywhere.append(here["lattice_nodes"] - here["anonymous_nodes"] + here["minimal"])
    *first, last = (f"{count:,}" for count in everywhere)
    assert f"{', '.join(first)} and {last} here, the same there but for 4,281 with diversity alone" in page
    there = [published["breadth first"] for published in document["published"].values()]
    assert [count for count in there if count not in everywhere] == [4281]


def test_the_worked_example_of_han() -> None:
    body = result("kaca-2014")
    assert body["distance"] == pytest.approx(paper_2014.DISTANCE)
    for view, paper in (("local", paper_2014.LOCAL), ("global", paper_2014.GLOBAL)):
        assert {tuple(values): rows for *values, rows in body[view]} == paper


def test_errors_between_the_ks_of_figure_6b() -> None:
    body, page = result("classification-between"), running("docs/papers.md")
    (top5, top7), before = ([f"{100 * error:.2f}" for error in body["AE"][f"Top{top}"]] for top in (5, 7)), body["BE"]
    assert body["ks"] == [100, 120, 140, 160, 180] and {*top5[:4]} == {top5[0]} and {*top7[:4]} == {top7[0]}
    assert f"BE from 100 to 160, {top7[0]} %. At 180, AE is above BE for both, {top5[4]} and {top7[4]} %" in page
    assert "below BE up to k = 160: " in page and f", and {top5[0]} % at 160" in page
    assert body["AE"]["Top5"][0] < before < min(body["AE"]["Top7"]) and before < body["AE"]["Top5"][4]


def test_the_order_of_attributes_by_c45() -> None:
    orders, page = result("classification-ranking")["orders"], running("docs/papers.md")
    same = {
        name: [a for a, b in zip(each["paper"], each["here"], strict=True) if a == b] for name, each in orders.items()
    }
    assert {name: len(found) for name, found in same.items()} == {"Adult": 9, "CRX": 8, "German": 3}
    assert f"whose ninth is {orders['CRX']['here'][8]} and {orders['CRX']['paper'][8]} in the paper" in page
    assert "of German three are at their place, *{}*, *{}* and *{}*".format(*same["German"]) in page


def test_distortion_ratios_by_height_weights() -> None:
    two, ten = height.factors(result("kaca-height")).values()
    assert f"with height weights it is {two:.2f} and {ten:.2f} times" in running("docs/papers.md")


def test_what_was_tried_of_other_groupings() -> None:
    body, page = result("incognito-further"), running("docs/papers.md")
    rows = [row for row in body["marital"] if row["pairs"]]
    tried, pairs = (sum(row[key] for row in rows) for key in ("pairs_tried", "pairs"))
    told = f"of {len(rows)} groupings of marital status and {pairs:,} pairs of education that fit, {tried:,} were tried"
    assert told in page and f"{body['minutes']:.0f} minutes" in page


def test_seconds_of_the_algorithms_of_2008() -> None:
    means = {(cell["algorithm"], cell["k"], cell["size"]): cell["means"] for cell in result("kaca-2008")["cells"]}
    one, two, best, multi = (
        means[name, 10, 8]["seconds"] for name in ("KACA1", "KACA2", "Incognito's best node", "Mondrian")
    )
    told = f"with `execution: neighbours`: {one:.2f} and {two:.2f} s with eight attributes and k = 10, the best"
    assert f"{told} full-domain node {best:.2f} and Multi {multi:.2f}" in running("docs/papers.md")
    assert best < multi < min(one, two)
