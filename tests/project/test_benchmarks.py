"""The benchmarks run, in their small versions."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pytest
from benchmarks import gate, lines, peers
from benchmarks.incognito import figures
from benchmarks.incognito.algorithms import ALGORITHMS, CUBE
from benchmarks.shared import blown_up, page, plots, process, result
from benchmarks.shared.settings import Settings
from benchmarks.spark import sections as spark
from benchmarks.spark import simulation

from tests import servers

ROOT = Path(__file__).parents[2]


@pytest.mark.long
def test_speed_runs_and_writes_its_result(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "benchmarks", "speed", "--quick", "--out", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (written,) = tmp_path.glob("*.json")
    result = json.loads(written.read_text())
    assert {entry["name"] for entry in result["entries"]} >= {"help", "census-parquet", "census-duckdb"}


@pytest.mark.long
def test_peers_are_measured_beside_starcloak(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "benchmarks", "peers", "--quick", "--out", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    entries = json.loads((tmp_path / "peers.json").read_text())["entries"]
    assert [entry["name"] for entry in entries] == list(peers.NAMES)
    if not peers.PYTHON.is_file():
        pytest.skip(peers.MISSING)
    for entry in entries:
        if entry["name"].startswith("pycanon"):
            assert entry["facts"]["agree"]


def test_a_trace_says_what_each_statement_of_a_run_is_for(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "benchmarks", "speed-trace", "--quick", "--runs", "1", "--out", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads((tmp_path / "speed-trace.json").read_text())
    if "skipped" in found:
        pytest.skip(found["skipped"])
    assert all(each["purpose"] for each in found["statements"])
    assert {"star/frequency/base", "verify/recount", "drop"} <= {each["statement"] for each in found["statements"]}
    assert found["parts"]["statements"] == pytest.approx(sum(each["seconds"] for each in found["statements"]), abs=0.02)


def test_the_loss_of_a_release_is_counted_from_its_cells(tmp_path: Path) -> None:
    (tmp_path / "release.csv").write_text("a,b\n1-2,x\n1-2,x\n3,*\n")
    a = {"1": ["1", "1-2", "*"], "2": ["2", "1-2", "*"], "3": ["3", "3", "*"]}
    b = {"x": ["x", "*"], "y": ["y", "*"]}
    counted = peers.counted_release(tmp_path / "release.csv", {"a": a, "b": b})
    # Column a: 1/2, 1/2 and 0; column b: 0, 0 and 1.
    assert counted == {"released rows": 3, "classes": 2, "k": 1, "loss": 0.3333}
    assert peers.k_of_wildcards(tmp_path / "release.csv", ["b"]) == 3
    assert peers.k_of_wildcards(tmp_path / "release.csv", ["a", "b"]) == 1


def test_a_timed_command_finds_nothing_that_other_runs_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(ROOT))
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    seen = "import os, sys; print(os.listdir(os.environ['XDG_STATE_HOME']), sys.dont_write_bytecode)"
    done = process.run([sys.executable, "-c", seen], folder=tmp_path, environment={})
    assert done.output == "[] False\n"


def test_lines_of_code_are_those_without_comments() -> None:
    described = 'def one() -> int:\n    """One.\n\n    More.\n    """\n\n'
    python = f"{described}    # a comment\n    return (\n        1  # it\n    )\n"
    assert lines.of_python(python) == 4
    assert lines.of_sql("-- All.\n\nselect *  -- all\nfrom {# here #} t\n{# and\nthere #}") == 2


def test_lines_of_code_are_counted_by_layer_beside_those_before() -> None:
    now = {folder: Counter({"one": 90}) for folder in lines.FOLDERS}
    before = {folder: Counter({"one": 50, "two": 50}) for folder in lines.FOLDERS}
    table = lines.markdown(now, before)
    assert "| engine/two | 50 | 0 | -100.0% |" in table
    assert "| **engine and sql** | 200 | 180 | -10.0% |" in table


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("committed", "risen"), [(0.01, ["small"]), (1000, [])])
def test_a_run_is_too_dear_where_its_ratio_rose_by_a_tenth(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, committed: float, risen: list[str]
) -> None:
    figure = {"name": "CPU / floor", "median": committed}
    document = {**result.stamp("gate", []), "entries": [{"name": "small", "figures": [figure]}]}
    (tmp_path / "gate.json").write_text(json.dumps(document))
    monkeypatch.setattr(gate, "RESULTS", tmp_path)
    monkeypatch.setattr(gate, "MOST", 2)
    (entry,) = entries = gate.measure(["small"], runs=1, quick=False)
    assert gate.dearer(entries) == risen
    assert [len(figure.runs) for figure in entry.figures] == ([2] * 3 if risen else [1] * 3)


def test_a_machine_of_another_kind_judges_no_ratio(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stamp = result.stamp("gate", [])
    document = {**stamp, "machine": {**stamp["machine"], "cores": 999}, "entries": []}
    (tmp_path / "gate.json").write_text(json.dumps(document))
    monkeypatch.setattr(gate, "RESULTS", tmp_path)
    assert not any(figure.goal for entry in gate.measure(["small"], runs=1, quick=False) for figure in entry.figures)


@pytest.mark.long
def test_the_gate_has_eight_jobs() -> None:
    entries = gate.measure(gate.NAMES, runs=1, quick=True)
    assert len(entries) == 8 and all(entry.figures[0].median > 1 for entry in entries)


@pytest.mark.long
def test_insight_runs_and_writes_its_result(adult: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "benchmarks", "insight", "--quick", "--out", str(tmp_path)]
    environment = {**os.environ, "STARCLOAK_DATA": str(adult)}
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    entries = {entry["name"]: entry for entry in json.loads((tmp_path / "insight.json").read_text())["entries"]}
    assert list(entries) == ["init", "audit", "compare", "run-frame", "run-wide", "run-adult"]
    assert 0 < entries["run-frame"]["figures"][0]["median"] < 1
    assert entries["audit"]["figures"][0]["median"] > 0
    if "skipped" not in entries["compare"]:
        assert entries["compare"]["facts"] == {"points": 25, "released": 25}


def incognito(folder: Path, *sections: str) -> dict[str, dict[str, Any]]:
    """The documents of sections, by their names."""
    options = [word for section in sections for word in ("--only", section)]
    command = [sys.executable, "-m", "benchmarks", "incognito", "--quick", *options, "--out", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for section in sections:
        assert (folder / f"incognito-{section}.md").read_text().strip() in done.stdout
    return {section: json.loads((folder / f"incognito-{section}.json").read_text()) for section in sections}


def test_incognito_counts_match_the_paper_for_three_attributes(
    adult: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STARCLOAK_DATA", str(adult))
    counts = incognito(tmp_path, "counts")["counts"]["counts"]
    three = counts[0]
    assert (three["size"], three["lattice_nodes"]) == (3, 20)
    assert three["checked"] == {name: three["paper"][name] for name in three["checked"]}
    assert three["checked"]["Basic Incognito"] == 14
    assert (tmp_path / "incognito-counts.svg").stat().st_size


@pytest.mark.long
def test_incognito_figures_have_a_cell_for_each_algorithm_size_and_k(tmp_path: Path) -> None:
    document = incognito(tmp_path, "figures")["figures"]
    algorithms = {algorithm.name for algorithm in ALGORITHMS} - set(document["missing"])
    assert "Basic Incognito" in algorithms
    cells = [cell for cell in document["cells"] if cell["table"] == "Lands End"]
    assert {(cell["algorithm"], cell["size"]) for cell in cells} == {
        (name, size) for name in algorithms for size in (3, 4)
    }
    assert all(cell["seconds"] and cell["counts"]["scans"] and cell["over"] is None for cell in cells)
    assert {path.name for path in tmp_path.glob("*.svg")} >= {"incognito-figure-10.svg", "incognito-figure-11.svg"}


@pytest.mark.long
def test_incognito_scale_tells_seconds_and_memory(tmp_path: Path) -> None:
    tables = incognito(tmp_path, "scale")["scale"]["tables"]
    assert {table["kind"] for table in tables} == {"mixed", "whole"}
    for table in tables:
        assert 0 < table["combinations"] <= table["rows"]
        assert table["total_seconds"] > sum(table["stages"].values()) - 0.01
        assert 0 < max(table["stage_peaks"].values()) <= table["peak_memory"] * 1.01


@pytest.mark.long
def test_incognito_large_tells_the_search_against_one_group_by(tmp_path: Path) -> None:
    (entry,) = incognito(tmp_path, "large")["large"]["entries"]
    assert entry["facts"]["lattice_nodes"] == 96
    ratio, search, plain, _ = (figure["median"] for figure in entry["figures"])
    assert ratio == pytest.approx(search / plain, rel=0.01)


@pytest.mark.long
def test_incognito_ratios_are_of_equal_answers(tmp_path: Path) -> None:
    entries = {entry["name"]: entry for entry in incognito(tmp_path, "ratios")["ratios"]["entries"]}
    if "skipped" in entries.get("adult", {}):
        return
    basic = entries["adult-2-0.01-incognito-basic"]
    ratio, search, plain = (figure["median"] for figure in basic["figures"])
    assert ratio == pytest.approx(plain / search, rel=0.01)


@pytest.fixture(scope="module")
def local_recoding(adult: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the small version of the benchmark of local recoding."""
    folder = tmp_path_factory.mktemp("kaca")
    command = [sys.executable, "-m", "benchmarks", "kaca", "--quick", "--out", str(folder)]
    environment = {**os.environ, "STARCLOAK_DATA": str(adult)}
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    for tables in folder.glob("*.md"):
        assert tables.read_text().strip() in done.stdout
    return folder


@pytest.mark.long
def test_local_recoding_loses_less_than_the_best_full_domain_generalization(local_recoding: Path) -> None:
    document = json.loads((local_recoding / "kaca-2006.json").read_text())
    assert document["factor"] > 1 and document["paper_factor"] == 5.57
    assert {(cell["algorithm"], cell["size"]) for cell in document["cells"]} == {
        (name, size) for name in ("KACA", "Incognito's best node", "Incognito itself") for size in (3, 4)
    }
    cells = json.loads((local_recoding / "kaca-2008.json").read_text())["cells"]
    means = {(cell["algorithm"], cell["size"], cell["k"]): cell["means"] for cell in cells}
    kaca1, kaca2, best = (means[name, 3, 10] for name in ("KACA1", "KACA2", "Incognito's best node"))
    assert kaca1["distortion ratio"] <= kaca2["distortion ratio"] <= best["distortion ratio"]
    assert kaca2["inconsistency"] <= 0.1 and best["inconsistency"] == 0
    assert kaca1["distortion ratio"] <= means["Mondrian", 3, 10]["distortion ratio"] <= best["distortion ratio"]
    assert {path.name for path in local_recoding.glob("*.svg")} == {
        "kaca-2006-figure-2.svg",
        "kaca-2008-figure-4.svg",
        "kaca-2008-figure-5.svg",
        "kaca-growth.svg",
    }


@pytest.mark.long
def test_local_recoding_is_timed_by_execution_and_by_size(local_recoding: Path) -> None:
    (entry,) = json.loads((local_recoding / "kaca-speed.json").read_text())["entries"]
    slower, distortion, neighbours, joins, *others = (figure["median"] for figure in entry["figures"])
    assert slower == pytest.approx(joins / neighbours, rel=0.01)
    assert 0.8 < distortion < 1.25
    assert entry["facts"]["classes"] > 0 and min(others) > 0
    document = json.loads((local_recoding / "kaca-growth.json").read_text())
    assert [table["rows"] for table in document["tables"]] == [1_000, 2_000]
    assert all(table["cpu_seconds"] > 0 for table in document["tables"])
    assert all(0 < table["released_classes"] < table["classes"] <= table["rows"] for table in document["tables"])
    assert document["exponent"] is not None


@pytest.mark.long
def test_the_sweep_loses_least_of_all_recodings(adult: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "benchmarks", "local", "--quick"]
    command += [word for section in ("adult", "distances", "growth") for word in ("--only", section)]
    environment = {**os.environ, "STARCLOAK_DATA": str(adult)}
    done = subprocess.run(
        [*command, "--out", str(tmp_path)], cwd=ROOT, capture_output=True, text=True, check=False, env=environment
    )
    assert done.returncode == 0, done.stderr
    cells = json.loads((tmp_path / "local-adult.json").read_text())["cells"]
    losses = {cell["algorithm"]: cell["runs"]["loss"][0] for cell in cells if not cell["skipped"]}
    assert (
        set(losses) >= {"sweep", "kaca", "mondrian", "tdr", "full-domain"}
        and min(losses, key=losses.__getitem__) == "sweep"
    )
    assert (tmp_path / "local-adult.md").read_text().strip() in done.stdout
    tables = json.loads((tmp_path / "local-growth.json").read_text())["tables"]
    assert [table["rows"] for table in tables] == [1_000, 2_000]
    assert all(0 < table["classes"] < table["tuples"] <= table["rows"] for table in tables)
    assert {path.name for path in tmp_path.glob("*.svg")} == {"local-adult.svg", "local-growth.svg"}
    cells = json.loads((tmp_path / "local-distances.json").read_text())["cells"]
    for scheme in ("uniform", "height"):
        ratios = {cell["algorithm"]: cell["runs"][0]["distortion_ratio"] for cell in cells if cell["weights"] == scheme}
        assert len(ratios) == 3 and min(ratios, key=ratios.__getitem__) == "sweep"


def test_adult_blown_up_keeps_its_records_and_its_domains(
    adult: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STARCLOAK_DATA", str(adult))
    attributes = ("age", "workclass", "sex")
    files = {rows: tmp_path / f"{rows}.parquet" for rows in (45_222, 100_000)}
    for rows, file in files.items():
        blown_up.write(file, rows=rows, seed=1, attributes=attributes)
    with duckdb.connect() as connection:
        ((rows,),) = connection.execute(f"select count(*) from '{files[100_000]}'").fetchall()
        lost = connection.execute(f"from '{files[45_222]}' except all from '{files[100_000]}'").fetchall()
        ((ages, sexes),) = connection.execute(
            f"select count(distinct age), count(distinct sex) from '{files[100_000]}'"
        ).fetchall()
        before = connection.execute(f"select count(distinct age), count(*) from '{files[45_222]}'").fetchall()
    assert (rows, lost, sexes) == (100_000, [], 2)
    assert before == [(ages, 45_222)]


def test_a_search_that_takes_too_long_is_said_to(tmp_path: Path) -> None:
    """And those that would take longer still are not tried."""
    settings = Settings(runs=1, limit=0.0025, quick=True)
    *_, document = figures.measure(tmp_path, settings)
    cells = [cell for cell in document["cells"] if cell["table"] == "Lands End"]
    basic = [cell for cell in cells if cell["algorithm"] == "Basic Incognito"]
    assert [(cell["size"], cell["over"], cell["run"]) for cell in basic] == [(3, 0.05, True), (4, 0.05, False)]
    written = json.dumps({**document, "quick": True})
    (tmp_path / "incognito-figures.json").write_text(written)
    *_, resumed = figures.measure(tmp_path, replace(settings, resume=tmp_path, minutes=0))
    again = json.loads(json.dumps(resumed))["cells"]
    assert sorted(map(str, again)) == sorted(map(str, json.loads(written)["cells"]))
    by_disk = json.loads(written)
    for cell in by_disk["cells"]:
        cell.update({"over": None, "full": True} if cell["algorithm"] == "Basic Incognito" else {})
    (tmp_path / "incognito-figures.json").write_text(json.dumps(by_disk))
    *_, resumed = figures.measure(tmp_path, replace(settings, resume=tmp_path, minutes=0))
    basic = {
        (cell["size"], cell["over"], cell["full"], cell["run"])
        for cell in resumed["cells"]
        if (cell["table"], cell["algorithm"]) == ("Lands End", "Basic Incognito")
    }
    assert basic == {(3, None, True, True), (4, None, True, False)}
    assert "| Basic Incognito | full | (full) |" in figures.table(resumed)


def test_a_process_reaches_its_limit_or_fails_or_ends(tmp_path: Path) -> None:
    def python(text: str, limit: float) -> process.Outcome:
        return process.run([sys.executable, "-c", text], folder=tmp_path, environment={}, limit=limit)

    assert python("print(1)", 60).output == "1\n"
    with pytest.raises(process.TooLong, match=r"more than 0\.5 s"):
        python("import time; time.sleep(60)", 0.5)
    with pytest.raises(process.BenchmarkError, match="ended with 3") as caught:
        python("raise SystemExit(3)", 60)
    assert not isinstance(caught.value, process.TooLong)


def test_the_peak_of_a_stage_is_its_own(tmp_path: Path) -> None:
    """A stage that holds 200 MB, then one that does not."""
    text = (
        "import sys, time\n"
        "held = b'x' * 200_000_000; time.sleep(0.3); del held\n"
        "print('starcloak: one: 0.3 s', file=sys.stderr, flush=True); time.sleep(0.3)\n"
        "print('starcloak: two: 0.3 s', file=sys.stderr, flush=True); time.sleep(0.3)\n"
    )
    outcome = process.run([sys.executable, "-c", text], folder=tmp_path, environment={}, sample=True)
    assert 300_000_000 > outcome.stage_peaks["one"] > 200_000_000 > outcome.stage_peaks["two"] > 0


def test_the_cost_of_the_cube_is_told_apart_and_drawn(tmp_path: Path) -> None:
    told = {"stages": {"compress": 1.0, "star": 1.0, "search": 5.0, "cube": 2.0}}
    assert figures.cube_seconds(told) == (2.0, 3.0)
    assert figures.cube_seconds({"stages": {"search": 5.0}}) is None
    assert figures.cube_seconds({"stages": None}) is None
    cell = {"table": "Adult", "algorithm": CUBE.name, "size": 3, "k": 2, "seconds": [7.0], "over": None, "run": True}
    document = {
        "benchmark": "incognito-figures",
        "tables": {"Adult": {"sizes": [3], "fixed": 3}},
        "k_by_size": [2],
        "k_at_fixed": [2],
        "missing": [],
        "absent": [],
        "cells": [cell | told],
    }
    assert "| build the cube | 2.00 |\n| use it | 3.00 |" in figures.table(document)
    assert [path.name for path in plots.draw(tmp_path, document)] == [
        f"incognito-figure-{number}.svg" for number in (10, 11, 12)
    ]


@pytest.mark.parametrize(
    "file", sorted((ROOT / "benchmarks" / "shared" / "sql").glob("*.sql")), ids=lambda file: file.stem
)
def test_the_header_of_a_statement_names_every_hole_and_bind(file: Path) -> None:
    lines = file.read_text().splitlines()
    header = "\n".join(line for line in lines if line.startswith("--"))
    body = "\n".join(line for line in lines if not line.lstrip().startswith("--"))
    assert set(re.findall(r"\{(\w+)\}", body)) == set(re.findall(r"^-- ([a-z_]\w*)  +\S", header, re.MULTILINE))
    assert set(re.findall(r"\$(\w+)", body)) == set(re.findall(r"^-- \$(\w+)  +\S", header, re.MULTILINE))
    assert all(len(line) <= 120 for line in lines)


@pytest.mark.long
def test_a_release_in_postgresql_is_that_written_by_hand(tmp_path: Path) -> None:
    if servers.postgresql_programs() is None:
        pytest.skip("PostgreSQL is not installed: apt-get install postgresql")
    command = [sys.executable, "-m", "benchmarks", "databases", "--quick", "--out", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    document = json.loads((tmp_path / "databases-postgresql.json").read_text())
    assert [entry["name"] for entry in document["entries"]] == ["few", "many"]
    for entry in document["entries"]:
        seconds = {figure["name"]: figure["median"] for figure in entry["figures"]}
        own = seconds["GROUP BY"] + seconds["CREATE TABLE AS"]
        assert seconds["run / (GROUP BY + CREATE TABLE AS)"] == pytest.approx(seconds["run"] / own, rel=0.01)


@pytest.mark.long
@pytest.mark.parametrize("table", spark.NAMES)
def test_a_run_on_spark_tells_what_it_cost(table: str, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "benchmarks", "spark", "--quick", "--only", table, "--out", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    if "skipped" in done.stdout:
        pytest.skip("PySpark or Adult is not at hand: make .venv/installed-spark")
    document = json.loads((tmp_path / f"spark-{table}.json").read_text())
    for each in document["tables"]:
        assert each["rows"] >= each["combinations"] > each["rows"] / 2
        assert 2 <= each["actions"] <= 12 and each["home_bytes"] > 0 and each["shuffled_bytes"] > 0


def test_goals_are_judged_from_the_right_side() -> None:
    assert result.Figure("faster", "ratio", (90.0, 70.0, 100.0), goal=80, at_least=True).verdict == "met"
    assert result.Figure("faster", "ratio", (70.0,), goal=80, at_least=True).verdict == "missed"
    assert result.Figure("slower", "ratio", (70.0,), goal=80).verdict == "met"
    assert result.Figure("slower", "ratio", (90.0,), goal=80).verdict == "missed"


def test_no_benchmark_is_listed_without_help() -> None:
    done = subprocess.run([sys.executable, "-m", "benchmarks"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert all(name in done.stdout for name in ("speed", "incognito", "kaca", "local", "databases"))


@pytest.mark.sampled(2)
@pytest.mark.parametrize("entry", ["help", "adult-3"])
def test_one_entry_alone_prints_only(entry: str, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "benchmarks", "speed", "--quick", "--only", entry]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert entry in done.stdout or "skipped: Adult is not at hand" in done.stdout


@pytest.mark.long
def test_classification_runs_and_its_goals_are_judged(
    adult: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not (adult / "crx.data").is_file():
        pytest.skip("crx.data is not beside Adult")
    monkeypatch.setenv("STARCLOAK_DATA", str(adult))
    command = [sys.executable, "-m", "benchmarks", "classification", "--quick", "--only", "errors"]
    done = subprocess.run(
        [*command, "--out", str(tmp_path)], cwd=ROOT, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr
    document = json.loads((tmp_path / "classification-errors.json").read_text())
    assert (tmp_path / "classification-errors.svg").stat().st_size
    crx = document["figures"][0]
    for name in document["classifiers"]:
        (upper,) = (errors[name] for errors in crx["UE"].values())
        assert all(crx["BE"][name] - 0.1 < errors[name] < upper for errors in crx["AE"]["Top5"])


@pytest.mark.long
def test_a_masking_learnt_on_folds_costs_a_classifier_less_than_the_whole_quasi_identifier(
    adult: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from benchmarks.classification import ten_fold

    monkeypatch.setenv("STARCLOAK_DATA", str(adult))
    (body,) = ten_fold.measure(adult, Settings(runs=1, limit=60, quick=True))
    for name in body["classifiers"]:
        assert body["BE"][name] - 0.02 < body["AE"]["TDR, Score"][0][name] < body["UE"] - 0.05
    assert "Figure 10, decision tree" in ten_fold.table(body)


def test_growth_goes_on_where_it_was(tmp_path: Path) -> None:
    """Sizes that a result has stay as they are, up to the largest; those that took too long are tried again."""
    from benchmarks.shared import grown
    from benchmarks.shared.settings import Settings

    tables = [{"rows": rows, "skipped": None, "seconds": rows / 7} for rows in grown.ROWS]
    document = {"quick": False, "memory_limit": grown.MEMORY_LIMIT, "tables": tables}

    def measured(largest: int | None) -> list[dict[str, Any]]:
        (tmp_path / "some.json").write_text(json.dumps(document))
        settings = Settings(runs=1, limit=1, quick=False, resume=tmp_path, largest=largest)
        given: dict[str, Any] = {"limit": 1, "folder": tmp_path / "missing", "environment": {}}
        return list(grown.rows_of_runs("sweep", dict, result="some", settings=settings, **given))

    assert measured(None) == tables[:4] and measured(5_000_000) == tables
    tables[2]["skipped"] = "> 1 s"
    with pytest.raises(FileNotFoundError):  # it is run, in a folder that is not there
        measured(None)


@pytest.mark.parametrize(
    ("seconds", "at_most", "linear"),
    [
        ((2.0, 9.0), "met", "met"),
        ((1.0, 9.0), "met", "missed"),
        ((4.0, 16.0), "missed", "met"),
        ((1.0, 15.01), "missed", "missed"),
    ],
)
def test_the_goals_of_growth_are_judged(seconds: tuple[float, float], at_most: str, linear: str) -> None:
    from benchmarks.classification import refinements

    kinds = ("seconds", "process_seconds", "cpu_seconds", "refinements")
    tables = [
        {"rows": rows, "single": [{**dict.fromkeys(kinds, each), "stages": {"search": each}}], "several": []}
        for rows, each in zip((200_000, 1_000_000), seconds, strict=True)
    ]
    told = refinements.table({"k": 50, "goal_seconds": 15, "stages": ["search"], "tables": tables})
    assert f"at most 15 s, {at_most}." in told
    assert f"the seconds, {linear}." in told
    assert f"Seconds of every stage at 1,000,000 rows, one QID: search {seconds[1]:.2f}." in told


def test_the_error_that_weka_tells_is_that_on_test_rows_however_it_is_padded() -> None:
    from benchmarks.classification.classifiers import error_told

    line = "Incorrectly Classified Instances        2309               {} %    \n"
    assert error_told(line.format("11.25  ") + "=== Error on test data ===\n" + line.format("15.332 ")) == 0.15332
    assert error_told(line.format("15.3321")) == 0.153321
    assert error_told("Weka exception: No training file") is None


def test_the_tables_of_the_classification_benchmark_are_split_as_in_the_paper(adult: Path) -> None:
    from benchmarks.classification import labelled

    sizes = {"Adult": (30162, 15060), "CRX": (465, 188), "German": (666, 334)}
    for name, (train, test) in sizes.items():
        table = labelled.load(name)
        if table is not None:
            counts = table.frame["part"].value_counts()
            assert (counts["train"], counts["test"]) == (train, test)
            assert set(table.ranked) <= set(table.attributes) and len(table.ranked) == 9


def test_every_attack_finds_all_planted_victims() -> None:
    from benchmarks import attacks

    assert attacks.planted() == dict.fromkeys(["homogeneity", "intersection", "downcoding", "reconstruction"], 1.0)


def test_verdicts_of_random_tables_are_those_of_plain_python(tmp_path: Path) -> None:
    from benchmarks.models import verdicts

    *_, found = verdicts.measure(tmp_path, Settings(runs=1, limit=60, quick=True, tables=200))
    assert found["tables"] == 200 and not found["differences"] and found["peopled_classes"] > 200
    assert sorted(found["violating"].values())[1] > 10 and sum(found["met"].values()) > 2
    assert "| t, hierarchical |" in verdicts.table(found)


def test_what_models_declare_of_mergers_is_found_so(tmp_path: Path) -> None:
    from benchmarks.models import monotone

    from starcloak.privacy.alpha.model import Alpha

    found = monotone.falsify("alpha", 100)
    assert found["as_declared"] and found["grown"] and "leave out" in found["counterexample"]
    assert monotone.falsify("p-sensitive", 40)["as_declared"]
    k_map, presence = monotone.falsify("k-map", 100), monotone.falsify("delta-presence", 100)
    assert k_map["as_declared"] and not k_map["grown"]
    assert presence["as_declared"] and presence["grown"] and "leave out" in presence["counterexample"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Alpha, "superset_closed", True)
        assert not monotone.falsify("alpha", 100)["as_declared"]


def test_every_result_is_on_the_page_of_results() -> None:
    told = page.groups()
    shown = (ROOT / "docs" / "explanation" / "results.md").read_text()
    assert all(f"{{{{ results_{group} }}}}" in shown for group in told)
    results = sorted((ROOT / "benchmarks" / "results").glob("*.json"))
    whole = "\n".join(told.values())
    assert len(results) > 10 and all(json.loads(file.read_text())["command"] in whole for file in results)
    assert all(plot.name in whole for plot in (ROOT / "benchmarks" / "results").glob("*.svg"))


def test_tasks_go_to_the_core_that_is_free_first() -> None:
    assert simulation.makespan([3, 1, 1, 4, 2], 2) == 6  # 3 and 2; 1, 1 and 4
    assert (simulation.makespan([3, 1, 1], 9), simulation.makespan([], 9)) == (3, 0)


def test_a_larger_table_has_more_tasks_but_for_the_last_rows_of_an_answer() -> None:
    large = {"read_bytes": 5_000_000, "fetched_bytes": 0, "shuffled_bytes": 10, "seconds": [2.0] * 4}
    small = {"read_bytes": 0, "fetched_bytes": 10, "shuffled_bytes": 0, "seconds": [0.5]}
    table = {"rows": 100, "actions": 2, "read_bytes": 5_000_000, "shuffled_bytes": 10, "stages": [large, small]}
    found = simulation.simulated(table, rows=1_000, cores=20)
    assert (found["task_seconds"], found["longest_stage"], found["seconds"]) == (80.5, 4.0, 4.5 + 2 * 0.5)
    assert (found["read_bytes"], found["shuffled_bytes"]) == (50_000_000, 100)
