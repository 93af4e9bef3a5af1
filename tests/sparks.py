"""A real standalone master with two workers, and Spark Connect on it, all of PySpark's own jars, on loopback."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pandas
import pyarrow

from starcloak.store.databases.spark.database import OF_CONNECT
from tests.people import Rows, Server
from tests.servers import folder_of_a_server, free_port

# What compiles, collects and verifies costs more than it saves.
_SHORT_LIVED = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote"
# Of tables of a few rows, what is compiled for them takes longer than they do.
_SMALL: dict[str, object] = {
    "spark.sql.codegen.wholeStage": False, "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.adaptive.enabled": False, "spark.sql.leafNodeDefaultParallelism": 1, "spark.locality.wait": 0,
    "spark.sql.shuffle.partitions": 2, "spark.driver.maxResultSize": "4m",
}  # fmt: skip
_JAVAS = ("java-17-openjdk-amd64", "java-17-openjdk-arm64", "java-17-openjdk")


def lacking() -> str | None:
    """What is not installed; None where Spark can be started."""
    if importlib.util.find_spec("pyspark") is None:
        return "PySpark is not installed here: make test-spark has an environment for it"
    return None if _java() else "Java is not installed: apt-get install openjdk-17-jre-headless"


def _java() -> Path | None:
    """The folder of Java."""
    places = [Path("/usr/lib/jvm", name) for name in _JAVAS]
    found = shutil.which("java")
    places += [Path(found).resolve().parent.parent] if found else []
    return next((place for place in places if (place / "bin" / "java").is_file()), None)


@dataclass
class Cluster:
    """Its processes: one that is killed may be started again. Only with a metastore does that know tables of before.

    ``defaults`` are settings of all its sessions; a worker has two cores and so much ``memory``.
    """

    folder: Path
    ports: tuple[int, int, int]
    has_metastore: bool = False
    defaults: Mapping[str, object] = field(default_factory=lambda: _SMALL)
    workers: tuple[str, ...] = ("worker-1", "worker-2")
    memory: str = "2g"

    @property
    def master(self) -> str:
        return f"spark://127.0.0.1:{self.ports[0]}"

    @property
    def connect(self) -> str:
        return f"sc://127.0.0.1:{self.ports[1]}"

    @cached_property
    def processes(self) -> dict[str, subprocess.Popen[bytes]]:
        return {}

    @property
    def environment(self) -> dict[str, str]:
        """What its processes, and sessions of other processes, need."""
        import pyspark

        own: dict[str, object] = {
            "SPARK_HOME": Path(pyspark.__file__).parent,
            "SPARK_LOCAL_IP": "127.0.0.1",
            "JAVA_HOME": _java(),
            "SPARK_CONF_DIR": self.folder,
        }
        found = {name: str(value) for name, value in own.items()}
        # A session of Connect leaves word for all of PySpark's that come after it.
        others = {name: value for name, value in os.environ.items() if name not in OF_CONNECT}
        return {**others, **found, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}

    def actions(self) -> int:
        """How many statements have started jobs so far, as Spark itself tells."""
        place = f"http://127.0.0.1:{self.ports[2]}/api/v1/applications"
        with urlopen(place) as told:
            (application,) = json.load(told)
        with urlopen(f"{place}/{application['id']}/sql?details=false&length=100000") as told:
            return sum(bool(each["successJobIds"] or each["failedJobIds"]) for each in json.load(told))

    def start(self) -> None:
        """Start what does not run, each in its turn."""
        self.start_master()
        settings: dict[str, object] = {
            "spark.executor.memory": "512m", "spark.executor.cores": 1,
            "spark.cores.max": 2, "spark.ui.port": self.ports[2], "spark.sql.ui.retainedExecutions": 100000,
            **self.defaults,
            "spark.connect.grpc.binding.address": "127.0.0.1", "spark.connect.grpc.binding.port": self.ports[1],
            "spark.sql.warehouse.dir": self.folder / "warehouse",
            "spark.driver.extraJavaOptions": _SHORT_LIVED, "spark.executor.extraJavaOptions": _SHORT_LIVED,
        }  # fmt: skip
        if self.has_metastore:
            settings |= metastore(self.folder)
        program = "org.apache.spark.sql.connect.service.SparkConnectServer"
        submitted = ["spark-submit", "--master", self.master, *_named(settings), "--class", program, "spark-internal"]
        self._start("connect", submitted, "Spark Connect server started at")

    def start_master(self) -> None:
        """Start master and workers."""
        defaults = "".join(f"{name} {value}\n" for name, value in self.defaults.items())
        (self.folder / "spark-defaults.conf").write_text(defaults)
        self._start("master", ["Master", "--port", self.ports[0], "--webui-port", 0], "Starting Spark master at")
        for worker in self.workers:
            options = ["--cores", 2, "--memory", self.memory, "--webui-port", 0, "--work-dir", self.folder / worker]
            self._start(worker, ["Worker", *options, self.master], None)

    def spark_sql(self, script: str) -> subprocess.CompletedProcess[str]:
        """Have Spark's own client, with a catalog of its own, read a script and go on after each error."""
        file = self.folder / "script.sql"
        file.write_text(script)
        settings = {
            "spark.sql.catalogImplementation": "in-memory", "spark.ui.enabled": False,
            "spark.sql.warehouse.dir": self.folder / "client",
            "spark.driver.extraJavaOptions": _SHORT_LIVED, **_SMALL,
        }  # fmt: skip
        program = [Path(self.environment["SPARK_HOME"], "bin", "spark-sql"), "--master", "local[1]", *_named(settings)]
        read = ["--driver-memory", "512m", "--hiveconf", "hive.cli.errors.ignore=true", "-f", file]
        return subprocess.run(
            [*map(str, program), *map(str, read)],
            capture_output=True,
            text=True,
            check=False,
            cwd=self.folder,
            env=self.environment,
        )

    def kill(self, name: str) -> None:
        """Kill a process, and those that it started."""
        process = self.processes.pop(name)
        with suppress(ProcessLookupError):  # it ended by itself
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def _start(self, name: str, command: list[Any], says: str | None) -> None:
        if name in self.processes:
            return
        import pyspark

        home, log = Path(pyspark.__file__).parent, self.folder / f"{name}.log"
        if command[0] in ("Master", "Worker"):
            command = [
                "spark-class", f"org.apache.spark.deploy.{command[0].lower()}.{command[0]}", "--host", "127.0.0.1",
                *command[1:],
            ]  # fmt: skip
        memory = "1g" if command[0] == "spark-submit" else "256m"
        dies = ["setpriv", "--pdeathsig=KILL"] if shutil.which("setpriv") else []
        with open(log, "wb") as output:
            self.processes[name] = subprocess.Popen(
                [*dies, str(home / "bin" / command[0]), *map(str, command[1:])],
                stdout=output,
                stderr=output,
                cwd=self.folder,
                env={**self.environment, "SPARK_DAEMON_MEMORY": memory, "SPARK_DAEMON_JAVA_OPTS": _SHORT_LIVED},
                start_new_session=True,
            )
        deadline = time.monotonic() + 180
        while says is not None and says not in log.read_text(errors="replace"):
            if self.processes[name].poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"{name} does not start: {log.read_text(errors='replace')[-6000:]}")
            time.sleep(0.1)


def metastore(folder: Path) -> dict[str, object]:
    """Settings of a catalog that outlives its session."""
    place = f"jdbc:derby:;databaseName={folder}/metastore;create=true"
    return {"spark.sql.catalogImplementation": "hive", "spark.hadoop.javax.jdo.option.ConnectionURL": place}


def environment_of(made: Cluster, folder: Path, *, has_metastore: bool) -> dict[str, str]:
    """The environment of a process whose sessions have settings of their own, from a folder."""
    settings = {**made.defaults, **(metastore(folder) if has_metastore else {})}
    (folder / "spark-defaults.conf").write_text("".join(f"{name} {value}\n" for name, value in settings.items()))
    return {**made.environment, "SPARK_CONF_DIR": str(folder)}


def _named(settings: Mapping[str, object]) -> list[str]:
    """Settings as Spark's programs take them."""
    return [part for name, value in settings.items() for part in ("--conf", f"{name}={value}")]


@contextmanager
def cluster(*, has_metastore: bool = False) -> Iterator[Cluster]:
    with (
        folder_of_a_server() as folder,
        free_port() as master,
        free_port() as connect,
        free_port() as told,
        ended(Cluster(folder, (master, connect, told), has_metastore)) as made,
    ):
        made.start()
        yield made


@contextmanager
def ended(made: Cluster) -> Iterator[Cluster]:
    """A cluster whose processes are killed in the end."""
    try:
        yield made
    finally:
        for name in list(made.processes):
            made.kill(name)


@dataclass(frozen=True)
class SparkServer(Server):
    """Spark Connect, with a session for a test to fill tables by."""

    cluster: Cluster

    @cached_property
    def session(self) -> Any:
        from pyspark.sql import SparkSession
        from pyspark.sql.connect.client.retries import DefaultPolicy

        made = SparkSession.builder.remote(self.url).create()
        # At the end of the process it would ask for ten minutes else, as the server is gone by then.
        made.client.set_retry_policies([DefaultPolicy(max_retries=4)])
        return made

    def execute(self, *statements: str) -> None:
        for statement in statements:
            self.session.sql(statement).collect()

    def rows(self, statement: str) -> Rows:
        return [tuple(row) for row in self.session.sql(statement).collect()]

    def fill(self, table: str, frame: pandas.DataFrame, types: dict[str, str]) -> None:
        sent = self.session.createDataFrame(pyarrow.Table.from_pandas(frame, preserve_index=False))
        kinds = {name: "string" if kind.startswith("varchar") else kind for name, kind in types.items()}
        cells = [sent[self.quoted(name)].cast(kinds[name]) for name in frame.columns]
        self.execute(f"drop table if exists {table}")
        sent.select(*cells).toDF(*frame.columns).coalesce(1).write.saveAsTable(table)

    def quoted(self, name: str) -> str:
        return "`" + name.replace("`", "``") + "`"

    def clear(self) -> None:
        for name in self.own_tables() | self.tables():
            kind = "view" if name in self._views() else "table"
            self.execute(f"drop {kind} {name}")

    def tables(self) -> set[str]:
        """What a user made or asked for: the tables that views show have names of starcloak's own."""
        return {name for name in self._named("tables") if not name.endswith("_new")}

    def own_tables(self) -> set[str]:
        return {name for name in self._named("tables") if name.endswith("_new")}

    def _views(self) -> set[str]:
        return self._named("views")

    def _named(self, what: str) -> set[str]:
        return {name for _, name, is_temporary in self.rows(f"show {what}") if not is_temporary}
