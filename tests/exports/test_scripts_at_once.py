"""Scripts of MariaDB while another script or a run writes the same release."""

from __future__ import annotations

import threading
import time
from collections import Counter

import pytest

import starcloak as sc
from starcloak.commands import pipeline
from starcloak.store.resources import Resources
from tests.people import TYPES, Server, client, job, people, released, run, scripted

WRITTEN = "another run or script is writing the release; nothing is released; wait until it is done"
SOON = 60.0


def smallest(server: Server) -> int:
    return min(Counter(server.rows("select age, zip, sex from cohort")).values())


@pytest.fixture
def scripts(mariadb: Server) -> dict[int, str]:
    """The scripts of one release with two k, in a database with a release of a larger k."""
    mariadb.fill("people", people(400), TYPES)
    run(job(mariadb, 20))
    return {k: sc.compile(job(mariadb, k)) for k in (2, 20)}


def test_two_scripts_of_one_release_do_not_mix(mariadb: Server, scripts: dict[int, str]) -> None:
    """A reader keeps the first from its last step, and the second made the table that the first one then renamed."""
    waiting = "select count(*) from information_schema.processlist where info like 'rename table%'"
    with mariadb.engine().connect() as reader:
        reader.exec_driver_sql("start transaction")
        reader.exec_driver_sql("select count(*) from cohort").all()
        first = threading.Thread(target=scripted, args=(client(mariadb), scripts[20]))
        first.start()
        until = time.monotonic() + SOON
        while mariadb.rows(waiting) == [(0,)] and time.monotonic() < until:
            time.sleep(0.02)
        second = threading.Thread(target=lambda: told.append(scripted(client(mariadb), scripts[2]).stderr))
        told: list[str] = []
        second.start()
        second.join(5)
    first.join(SOON)
    second.join(SOON)
    ((k,),) = mariadb.rows("select k from starcloak_releases order by number desc limit 1")
    assert k == 20 <= smallest(mariadb)
    assert WRITTEN in told[0]


def test_a_script_does_not_write_while_a_run_does(mariadb: Server, scripts: dict[int, str]) -> None:
    told = []

    def meanwhile(stage: str) -> None:
        if stage == "verify":
            told.append(scripted(client(mariadb, "--force"), scripts[2] * 2).stderr)

    before = released(mariadb)
    pipeline.run(job(mariadb, 20), resources=Resources(threads=1, progress=meanwhile), force=True)
    assert told[0].count(WRITTEN) == 2
    assert released(mariadb) == before
    # Each script lets its lock go, also after an error.
    done = scripted(client(mariadb, "--force"), scripts[2].replace("rename table", "rename tables x") + scripts[2] * 2)
    assert WRITTEN not in done.stderr
    assert 2 <= smallest(mariadb) < 20
    run(job(mariadb, 20))
    assert released(mariadb) == before
