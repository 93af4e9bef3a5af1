"""Catalogs of Spark: a release in one that ends with the session would be gone."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests import sparks
from tests.sparks import SparkServer


@pytest.fixture
def server(spark: SparkServer) -> SparkServer:
    return spark


_CATALOG_OF_ITS_OWN = """
import sys, json, starcloak as sc
master, path = sys.argv[1:]
job = {
    "source": {"url": master, "query": f"select zip, id from parquet.`{path}`"},
    "quasi_identifiers": {"zip": {"digits": 2}}, "keep": ["id"], "requirement": {"k": 3},
    "output": {"table": "cohort"},
}
try:
    release = sc.run(job)
except sc.OutputError as error:
    print(json.dumps(str(error)))
else:
    print(json.dumps(release.result.released_rows))
"""


@pytest.mark.parametrize("lasts", [False, True])
def test_a_table_of_a_catalog_that_ends_with_the_run_is_refused(server: SparkServer, lasts: bool) -> None:
    folder = server.cluster.folder / f"lasts-{lasts}"
    path = str(folder / "visits")
    server.session.sql("select cast(10 + id % 3 as string) as zip, id from range(9)").write.parquet(path)
    environment = sparks.environment_of(server.cluster, folder, has_metastore=lasts)
    for _ in range(1 + lasts):  # the second run finds the release of the first
        done = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", _CATALOG_OF_ITS_OWN, server.cluster.master, path],
            capture_output=True,
            text=True,
            check=False,
            cwd=folder,
            env=environment,
        )
        assert done.returncode == 0, done.stderr
        said = json.loads(done.stdout.splitlines()[-1])
        assert said == 9 if lasts else "enableHiveSupport" in said and "catalog in memory" in said
        assert any(folder.glob("spark-warehouse/*")) == lasts  # Spark itself makes the folder, if nothing else
