"""A search whose arrays take more memory than the run has is refused before it begins."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import duckdb
import pytest
from benchmarks.memory import ARRAYS, WIDE
from benchmarks.shared import spread

from starcloak.base.errors import JobError
from starcloak.base.operating_system import available_memory
from starcloak.commands import pipeline
from starcloak.job.algorithms import algorithms
from starcloak.releases.recodings import saved_recodings
from starcloak.search.algorithm import _announce_memory
from starcloak.store.resources import Resources
from starcloak.store.session import Session

ROOT = Path(__file__).resolve().parents[2]


def measured(section: str) -> dict[str, Any]:
    """The tables of a section of the benchmark, by their names."""
    result = (ROOT / f"benchmarks/results/memory-{section}.json").read_text()
    return {entry["name"]: entry for entry in json.loads(result)["entries"]}


def job(algorithm: str) -> dict[str, Any]:
    return {
        "source": {"path": "people.parquet"},
        "quasi_identifiers": {f"c{number}": {"intervals": [10, 100]} for number in range(4)},
        "requirement": {"k": 2},
        "algorithm": algorithm,
        "output": {"path": "release.csv"},
    }


@pytest.mark.sampled(3)
@pytest.mark.parametrize("algorithm", ["sweep", "mondrian", "kaca", "cell-suppression"])
def test_a_search_that_takes_more_memory_than_the_run_has_is_refused(algorithm: str, work: Path) -> None:
    cells = ", ".join(f"cast(hash(range, {number}) % 900 as integer) as c{number}" for number in range(4))
    duckdb.sql(f"select {cells} from range(300_000)").write_parquet("people.parquet")
    seen: list[str] = []
    with pytest.raises(JobError) as refused:
        pipeline.run(job(algorithm), resources=Resources(memory_limit="60MB", threads=1, trace=seen.append))
    told = (
        rf"algorithm: {algorithm} takes about \d+ MB of memory for 299,\d+ combinations, more than the 60 MB of the run"
    )
    assert re.match(told + ": give the run more", str(refused.value))
    assert not [sql for sql in seen if sql.startswith("-- search/")]
    assert sorted(path.name for path in work.iterdir()) == ["people.parquet"]


def test_a_search_takes_about_as_much_memory_as_was_measured() -> None:
    entries = measured("arrays")
    known = {name: kind.model_validate({"class": "c0"} if name == "tdr" else {}) for name, kind in algorithms().items()}
    told = {name: each for name, each in known.items() if each.memory(tuples=1, columns=1, nodes=1)}
    assert told.keys() <= entries.keys()
    for name, each in told.items():
        for columns, figure in zip(WIDE, entries[name]["figures"], strict=True):
            about = each.memory(tuples=ARRAYS, columns=columns, nodes=4**columns)
            assert 0.5 < about / figure["median"] < 2, (name, columns)


def test_memory_is_bounded_whatever_the_rows_are_like() -> None:
    page = (ROOT / "docs/explanation/speed.md").read_text(encoding="utf-8")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    entries = [measured(f"{millions}-million") for millions in (10, 50)]
    told = {
        "census": "drawn as a census",
        "skewed": "few values frequent",
        "uniform": "all values as frequent, hardly two rows alike",
    }
    beyond = []
    for name, what in told.items():
        few, many = (each[name]["figures"][0] for each in entries)
        assert f"| {what} | {few['max'] / 1e9:.2f} GB | {many['max'] / 1e9:.2f} GB |" in page
        assert not any("refused" in each[name]["facts"] for each in entries)
        assert few["verdict"] == "met" and many["max"] < 1.6e9
        beyond += [] if many["verdict"] == "met" else [f"{(many['max'] - many['goal']) / 1e9:.2f} GB"]
    assert beyond == ["0.03 GB"] and "missed by 0.03 GB where 50 million rows are all different" in page
    assert "50 million rows within 1.6 GB of memory" in readme
    assert all("takes about" in entries[0][name]["facts"]["refused"] for name in ("mondrian", "sweep"))


def test_of_its_memory_a_run_leaves_some_to_what_duckdb_does_not_count() -> None:
    with Session(memory_limit="1GB") as session:
        asked = "select parse_formatted_bytes(current_setting('memory_limit'))"
        ((own,),) = session.connection.execute(asked).fetchall()
        assert 0.94e9 < own < 0.96e9 < 0.99e9 < session.memory_bytes < 1.01e9


def group(root: Path, name: str, files: dict[str, int | str]) -> None:
    """The files of a control group."""
    (root / "sys/fs/cgroup" / name).mkdir(parents=True)
    for file, content in files.items():
        (root / "sys/fs/cgroup" / name / file).write_text(f"{content}\n")


def test_available_memory_is_the_least_that_anything_leaves(tmp_path: Path) -> None:
    """Control groups of version 1 and 2 and those above them; a file cache is given back; a group may have no limit."""
    assert available_memory(tmp_path) is None
    (tmp_path / "proc/self").mkdir(parents=True)
    (tmp_path / "proc/meminfo").write_text("MemTotal: 9 kB\nMemAvailable:   8000000 kB\n")
    assert available_memory(tmp_path) == 8_192_000_000
    (tmp_path / "proc/self/cgroup").write_text("4:cpu,memory:/outer/run\n0::/above/run\n")
    first = {"memory.limit_in_bytes": 10_000, "memory.usage_in_bytes": 7_000, "memory.stat": "total_inactive_file 50"}
    group(tmp_path, "memory/outer/run", first)
    assert available_memory(tmp_path) == 3_050
    group(tmp_path, "above/run", {"memory.max": "max", "memory.current": 900, "memory.stat": "inactive_file 100"})
    assert available_memory(tmp_path) == 3_050
    for name, content in (("max", "1000"), ("current", "900"), ("stat", "anon 7\ninactive_file 100")):
        (tmp_path / f"sys/fs/cgroup/above/memory.{name}").write_text(content)
    assert available_memory(tmp_path) == 200


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limit of the address space")
def test_without_a_given_limit_the_store_takes_half_of_what_is_available() -> None:
    code = "with Session(threads=1) as session: print(session.memory_bytes, session.array_bytes, available_memory())"
    code = f"from starcloak.store.session import *\n{code}"
    command = ["sh", "-c", 'ulimit -v 2000000; exec "$0" -c "$1"', sys.executable, code]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    store, arrays, left = map(int, done.stdout.split())
    assert 0 < left < 950_000_000
    assert 0.62 < store / arrays < 0.63


def test_large_arrays_are_announced_before_a_search() -> None:
    said: list[str] = []
    session = SimpleNamespace(array_bytes=3_000_000_000, memory_bytes=4_000_000_000, notify=said.append)
    star = SimpleNamespace(combinations=5_000_000, dimensions=[None] * 8, distant=None, session=session)
    for rows, memory in ((1_000_000, 3_000_000_000), (5_000_000, 3_000_000_000), (1_000_000, 1_000_000_000)):
        star.combinations, star.lattice_nodes, session.array_bytes = rows, 100, memory
        _announce_memory(star, algorithms()["sweep"]())  # type: ignore[arg-type]
    expected = (
        "algorithm: sweep takes about {} MB of memory for {} combinations, beside the working store with up to 4,000 MB"
    )
    assert said == [expected.format("2,200", "5,000,000"), expected.format("440", "1,000,000")]


@pytest.mark.long
def test_a_release_is_remembered_within_the_memory_of_its_run(work: Path) -> None:
    """No join begins with its few classes, and all the values that became * in them."""
    spread.write(work / "people.parquet", rows=10_000_000, wide=9, values=64, power=6, seed=1)
    described = job("witness") | {"quasi_identifiers": {f"c{number}": "suppress" for number in range(9)}}
    described["requirement"] = {"k": 5}
    pipeline.run(described, resources=Resources(memory_limit="300MB", threads=2))
    assert [about.form for about in saved_recodings.every()] == ["recoding"]
