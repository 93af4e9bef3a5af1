"""One whole run on Spark: a standalone master with one worker of two cores, started for it.

``python -m benchmarks.spark.cluster FILE JOB`` prints seconds, and what Spark's own log of its events tells, as JSON.
FILE is the table, as Parquet; JOB is a job without a source and an output.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import threading
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from tests import servers, sparks

from benchmarks.shared.process import run, starcloak

_SETTINGS = {
    "spark.driver.memory": "512m", "spark.driver.extraJavaOptions": "-XX:+UseSerialGC",
    "spark.executor.memory": "4g", "spark.executor.cores": 2, "spark.cores.max": 2,
    "spark.eventLog.enabled": True, "spark.eventLog.rolling.enabled": False, "spark.eventLog.compress": False,
    "spark.ui.enabled": False, "spark.hadoop.parquet.hadoop.vectored.io.enabled": False,
}  # fmt: skip
_MEMORY_LIMIT = "600MB"
_SAMPLE = 0.1  # seconds

_WHERE = ("Local", "Remote")
#: What the tasks of a stage read of files, fetched of earlier stages, and left for later ones.
_BYTES: dict[str, Callable[[Mapping[str, Any]], int]] = {
    "read_bytes": lambda metrics: metrics["Input Metrics"]["Bytes Read"],
    "fetched_bytes": lambda metrics: sum(metrics["Shuffle Read Metrics"][f"{where} Bytes Read"] for where in _WHERE),
    "shuffled_bytes": lambda metrics: metrics["Shuffle Write Metrics"]["Shuffle Bytes Written"],
}


def measure(file: Path, described: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Run a job on a file of Parquet, from start to end of its process."""
    events, job = folder / "events", folder / "job.json"
    events.mkdir()
    places = {"spark.eventLog.dir": events, "spark.sql.warehouse.dir": folder / "warehouse", "spark.local.dir": folder}
    with servers.free_port() as port:
        # A table of a catalog in memory is refused.
        settings = {**_SETTINGS, **places, **sparks.metastore(folder)}
        made = sparks.Cluster(folder, (port, 0, 0), defaults=settings, workers=("worker",), memory="5g")
        with sparks.ended(made):
            made.start_master()
            source = {"url": made.master, "query": f"select * from parquet.`{file}`"}
            job.write_text(json.dumps({**described, "source": source, "output": {"table": "released"}}))
            command = [*starcloak(), "run", str(job), "--json", "--memory-limit", _MEMORY_LIMIT]
            environment = {**made.environment, "SPARK_LOCAL_DIRS": str(folder)}
            with _sampled({process.pid for process in made.processes.values()}) as peak:
                done = run(command, folder=folder, environment=environment)
    report = json.loads(done.output)
    return {
        "checked": report["search"]["checked"],
        "seconds": report["seconds"],
        "process_seconds": round(done.seconds, 4),
        "peak_memory": peak[0],
        **_told(next(events.iterdir())),
    }


@contextmanager
def _sampled(others: Collection[int]) -> Iterator[list[int]]:
    """The most bytes that processes beneath this one, driver and search, have at once; not ``others`` and theirs."""
    peak, ends = [0], threading.Event()

    def look() -> None:
        page = os.sysconf("SC_PAGE_SIZE")
        while not ends.wait(_SAMPLE):
            parents, resident = dict[int, int](), dict[int, int]()
            for folder in Path("/proc").glob("[0-9]*"):
                with suppress(OSError):
                    number = int(folder.name)
                    parents[number] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
                    resident[number] = int((folder / "statm").read_text().split()[1]) * page
            found = {os.getpid()}
            while more := {own for own, parent in parents.items() if parent in found} - found - set(others):
                found |= more
            peak[0] = max(peak[0], sum(resident.get(own, 0) for own in found - {os.getpid()}))

    sampler = threading.Thread(target=look, daemon=True)
    sampler.start()
    try:
        yield peak
    finally:
        ends.set()
        sampler.join()


def _told(log: Path) -> dict[str, Any]:
    """What the log of an application's events tells: statements that started jobs, bytes and seconds of its tasks."""
    actions = set()
    home = 0
    stages: dict[int, dict[str, Any]] = {}
    with open(log, encoding="utf-8") as events:
        for line in events:
            event = json.loads(line)
            if event["Event"] == "SparkListenerJobStart":
                actions.add(event["Properties"].get("spark.sql.execution.id"))
            elif event["Event"] == "SparkListenerTaskEnd" and event.get("Task Metrics"):
                metrics = event["Task Metrics"]
                home += metrics["Result Size"]
                stage = stages.setdefault(event["Stage ID"], {"seconds": [], **dict.fromkeys(_BYTES, 0)})
                stage["seconds"].append(metrics["Executor Run Time"] / 1000)
                for name, bytes_of in _BYTES.items():
                    stage[name] += bytes_of(metrics)
    told = [stages[number] for number in sorted(stages)]
    totals = {name: sum(stage[name] for stage in told) for name in _BYTES}
    return {"actions": len(actions), "home_bytes": home, **totals, "stages": told}


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        print(json.dumps(measure(Path(sys.argv[1]), json.loads(Path(sys.argv[2]).read_text()), Path(folder))))
