"""The benchmarks run, in their small versions."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def test_speed_runs_and_writes_its_result(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "benchmarks", "speed", "--quick", "--out", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (written,) = tmp_path.glob("*.json")
    result = json.loads(written.read_text())
    assert {entry["name"] for entry in result["entries"]} >= {"help", "census-parquet", "census-duckdb"}


def test_counts_match_the_paper_for_three_attributes(adult: Path) -> None:
    command = [sys.executable, "-m", "benchmarks", "counts", "--quick"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "| 3 | 20 | 14 | 14 |" in done.stdout


def test_no_benchmark_is_listed_without_help() -> None:
    done = subprocess.run([sys.executable, "-m", "benchmarks"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert "speed" in done.stdout and "counts" in done.stdout


@pytest.mark.parametrize("entry", ["help", "adult-3"])
def test_one_entry_alone_prints_only(entry: str, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "benchmarks", "speed", "--quick", "--only", entry]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert entry in done.stdout
