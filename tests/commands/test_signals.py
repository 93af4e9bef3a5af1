"""Signals: the command line ends at once, whatever it does, and leaves nothing; a program's signals are its own."""

from __future__ import annotations

import json
import os
import pty
import random
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pytest
import yaml

import starcloak as sc
from starcloak.base.interrupts import Ending
from starcloak.commands import pipeline
from starcloak.commands.algorithm_table import algorithms
from starcloak.commands.cli import main
from starcloak.releases import manifest
from starcloak.store import session
from starcloak.store.resources import Resources
from starcloak.store.session import Session
from tests.people import Server

pytestmark = pytest.mark.sampled(3)
SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
NOTHING = "starcloak: interrupted: nothing was written\n"
PUBLISHED = "starcloak: interrupted: the release is published\n"

# Seconds from a signal to the end, which is forced after two. A machine that is busy with other tests takes its time:
# what has to be heard at once is forced only after a minute there, and what is forced anyhow after half a second.
SOON, PROMISED = 30.0, 3.0

RUN = [sys.executable, "-m", "starcloak", "run", "job.yaml"]

signals = pytest.mark.parametrize("number", SIGNALS, ids=lambda number: number.name)


def program(text: str, *arguments: str) -> list[str]:
    """The command line with something put into it: a run, or what the arguments say."""
    return [sys.executable, "-c", f"import sys, time\nsys.argv[0] = 'starcloak'\n{text}", *(arguments or RUN[3:])]


IMPATIENT = """
from starcloak import __main__
from starcloak.base import interrupts
interrupts._PATIENCE = 0.5
__main__.main()
"""
PATIENT = IMPATIENT.replace("0.5", "60")


@dataclass(frozen=True)
class Ended:
    """How a process ended after a signal."""

    code: int
    out: str
    err: str
    seconds: float


def private_folders() -> list[Path]:
    root = session.private_root()
    return [*root.glob("run-*"), *root.glob("new-*")]


def files(work: Path) -> dict[str, bytes]:
    return {str(path.relative_to(work)): path.read_bytes() for path in work.rglob("*") if path.is_file()}


@contextmanager
def started(command: list[str], **options: Any) -> Iterator[subprocess.Popen[str]]:
    """A process that hears all signals, also where this one was started without ears for them; it ends in any case."""
    hears = {"preexec_fn": lambda: [signal.signal(number, signal.SIG_DFL) for number in SIGNALS]}
    running = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **{**hears, **options}
    )
    with running:
        try:
            yield running
        finally:
            running.kill()


def ended(running: subprocess.Popen[str], *numbers: signal.Signals) -> Ended:
    """Send signals, one after the other, and wait for the end."""
    sent = time.monotonic()
    for number in numbers:
        running.send_signal(number)
        time.sleep(0.05 if number is not numbers[-1] else 0)
    out, err = running.communicate(timeout=60)
    return Ended(running.returncode, out, err, time.monotonic() - sent)


def is_open(running: subprocess.Popen[str]) -> None:
    """Wait until the run has its private folder."""
    until = time.monotonic() + 60
    while not private_folders() and running.poll() is None and time.monotonic() < until:
        time.sleep(0.01)


def told(running: subprocess.Popen[str], text: str) -> str:
    """What was said on standard error up to a line with a text."""
    assert running.stderr is not None
    lines = ""
    while text not in lines:
        line = running.stderr.readline()
        assert line, lines
        lines += line
    return lines


def write(described: dict[str, Any]) -> None:
    Path("job.yaml").write_text(yaml.safe_dump({"output": {"path": "release.csv"}, **described}))


# ------------------------------------------------------------------------------------------------- whatever it is doing

ENDLESS = "select i % 7 as zip, sum(i) % 2 as sex from range(100000000000) as endless (i) group by all"
# One value that takes minutes, in which the store does not ask whether it is interrupted.
_FAR_APART = "repeat('a', 10000000), repeat('b', 10000000)"
DEAF = f"select jaro_similarity({_FAR_APART}) + i % 2 as zip, i % 2 as sex from range(4) t (i)"
TWO = {"quasi_identifiers": {"zip": "suppress", "sex": "suppress"}, "requirement": {"k": 2}}


@signals
@pytest.mark.parametrize("table", ["query", pytest.param("view", marks=pytest.mark.long)])
def test_a_signal_ends_a_long_statement_at_once(number: signal.Signals, table: str, work: Path) -> None:
    with duckdb.connect("hospital.duckdb") as connection:
        connection.execute(f"create view endless as {ENDLESS}")
    where = {"query": ENDLESS} if table == "query" else {"table": "endless"}
    write({"source": {"url": "duckdb:///hospital.duckdb", **where}, **TWO})
    before = files(work)
    with started(program(PATIENT, *RUN[3:], "--threads", "1")) as running:
        is_open(running)
        time.sleep(0.5)
        end = ended(running, number)
    assert (end.code, end.out, end.err) == (128 + number, "", NOTHING)
    assert end.seconds < SOON
    assert files(work) == before
    assert not private_folders()


def test_a_signal_that_another_thread_gets_is_heard(work: Path) -> None:
    duckdb.connect("hospital.duckdb").close()
    write({"source": {"url": "duckdb:///hospital.duckdb", "query": ENDLESS}, **TWO})
    text = "import threading\nthreading.Thread(target=time.sleep, args=(600,), daemon=True).start()"
    with started(program(f"{text}\n{PATIENT}", *RUN[3:], "--threads", "1")) as running:
        is_open(running)
        time.sleep(0.5)
        end = ended(running, signal.SIGTERM)
    assert (end.code, end.out, end.err) == (143, "", NOTHING)
    assert end.seconds < SOON


@pytest.mark.parametrize(("times", "patience", "command"), [(1, 2, RUN), (3, 0.5, program(IMPATIENT))], ids=["1", "3"])
def test_what_does_not_hear_an_interrupt_is_ended_by_force(
    times: int, patience: float, command: list[str], work: Path
) -> None:
    duckdb.connect("hospital.duckdb").close()
    write({"source": {"url": "duckdb:///hospital.duckdb", "query": DEAF}, **TWO})
    before = files(work)
    with started(command) as running:
        is_open(running)
        time.sleep(1)
        end = ended(running, *[signal.SIGTERM] * times)
    assert (end.code, end.out, end.err) == (143, "", NOTHING)
    assert 0.95 * patience < end.seconds < SOON
    assert files(work) == before
    assert not private_folders()


def test_a_terminal_is_left_as_it_was(work: Path) -> None:
    duckdb.connect("hospital.duckdb").close()
    for query in (ENDLESS, DEAF):
        write({"source": {"url": "duckdb:///hospital.duckdb", "query": query}, **TWO})
        leader, follower = pty.openpty()
        command = subprocess.Popen(
            program(IMPATIENT, *RUN[3:], "--threads", "1"),
            stdin=follower,
            stdout=follower,
            stderr=follower,
            env=os.environ | {"TERM": "xterm"},
            process_group=0,
        )
        os.close(follower)
        with command:
            is_open(command)  # type: ignore[arg-type]
            time.sleep(1)
            sent = time.monotonic()
            command.send_signal(signal.SIGTERM)
            assert command.wait(60) == 143
            assert time.monotonic() - sent < SOON
        said = os.read(leader, 1 << 16).decode()
        os.close(leader)
        hidden, shown = said.rfind("\x1b[?25l"), said.rfind("\x1b[?25h")
        assert -1 < hidden < shown
        assert said.endswith(NOTHING.replace("\n", "\r\n"))


STATEMENTS = {
    "postgresql": "select i % 7 as zip, i % 5 as sex from generate_series(1, 100000000000) as endless (i)",
    "mariadb": "select seq % 7 as zip, seq % 5 as sex from seq_1_to_100000000000",
    "sqlite": "with recursive s (i) as (select 1 union all select i + 1 from s) select i % 7 zip, i % 5 sex from s",
}
UNDER_WAY = {
    "postgresql": "select count(*) from pg_stat_activity where application_name = 'starcloak'",
    "mariadb": "select count(*) from information_schema.processlist where info like '/* starcloak%'",
}


def test_a_signal_ends_a_statement_in_a_database(server: Server, work: Path) -> None:
    number = signal.SIGTERM if server.name == "mariadb" else signal.SIGINT
    write({"source": {"url": server.url, "query": STATEMENTS[server.name]}, **TWO, "output": {"table": "release"}})
    before = server.tables()
    with started(RUN) as running:
        is_open(running)
        time.sleep(0.7)
        assert running.poll() is None
        end = ended(running, number)
    assert (end.code, end.out, end.err) == (128 + number, "", NOTHING)
    assert end.seconds < SOON
    assert not private_folders()
    assert server.tables() == before
    until = time.monotonic() + 10
    while server.name in UNDER_WAY and server.rows(UNDER_WAY[server.name]) != [(0,)]:
        assert time.monotonic() < until
        time.sleep(0.1)


# ----------------------------------------------------------------------------------------------------- every algorithm

QUASI_IDENTIFIERS: dict[str, Any] = {
    "a": {"intervals": [10, 50]},
    "b": {"intervals": [10, 20]},
    "c": {"intervals": [10]},
    "d": "suppress",
    "e": "suppress",
    "f": "suppress",
    "g": "suppress",
}
DRAWN = "select {columns}, cast(random() * 5 as integer) as ill from range({rows})"
VALUES = {"a": 100, "b": 40, "c": 30, "d": 20, "e": 10, "f": 8, "g": 3}


def ends_at_random_moments(
    algorithm: str, number: signal.Signals, rows: int, span: float, within: float, *options_of_run: str
) -> None:
    """A signal at a random moment of a run on a table of mostly distinct rows, ``span`` seconds long at most."""
    columns = ", ".join(f"cast(random() * {values} as integer) as {name}" for name, values in VALUES.items())
    duckdb.sql(f"copy ({DRAWN.format(columns=columns, rows=rows)}) to 'many.parquet'")
    options = {"class": "ill"} if algorithm == "tdr" else {}
    write(
        {
            "source": {"path": "many.parquet"},
            "quasi_identifiers": QUASI_IDENTIFIERS,
            "sensitive": ["ill"],
            "requirement": {"k": 5},
            "algorithm": {"name": algorithm, **options},
        }
    )
    before = files(Path())
    while True:
        moment = random.uniform(0, span)
        with started([*RUN, "--memory-limit", "2GB", *options_of_run]) as running:
            is_open(running)
            time.sleep(moment)
            if running.poll() is None:
                end = ended(running, number)
                break
            assert running.returncode == 0
        for path in Path().glob("release.csv*"):
            path.unlink()
        span = moment
    if end.code != 0:  # it was done when the signal came
        assert end.code == 128 + number
        assert end.err in (NOTHING, PUBLISHED)
        # Between its last line and its end, a run that is done has said all that it says.
        assert not end.out or (end.err == PUBLISHED and re.fullmatch(r"released .*\nnext .*\n", end.out, re.DOTALL))
    assert end.seconds < within, moment
    assert not private_folders()
    if end.err == NOTHING:
        assert files(Path()) == before
    else:
        # Whole: a run that was interrupted after publishing is a run, and its release may be replaced.
        assert duckdb.sql("select count(*) from 'release.csv'").fetchall() == [(rows,)]
        assert sc.check("release.csv", list(VALUES), 5).holds


@pytest.mark.parametrize(
    ("algorithm", "number"),
    [
        *zip(["witness", "kaca", "tdr"], SIGNALS, strict=True),
        *(pytest.param(name, signal.SIGINT, marks=pytest.mark.long) for name in ("mondrian", "cell-suppression")),
    ],
    ids=str,
)
def test_a_signal_at_a_random_moment_ends_a_run(algorithm: str, number: signal.Signals, work: Path) -> None:
    ends_at_random_moments(algorithm, number, 100_000, 2, SOON, "--threads", "1")


@pytest.mark.long
@pytest.mark.parametrize("time", range(4))
@pytest.mark.parametrize("algorithm", [each.name for each in algorithms()])
def test_a_signal_at_any_moment_ends_any_run_on_a_large_table(algorithm: str, time: int, work: Path) -> None:
    number = (signal.SIGINT, signal.SIGTERM)[time % 2]
    ends_at_random_moments(algorithm, number, 1_190_000, 30, PROMISED)


LOCALLY = {"source": {"dataset": "census"}, "schema": "adult/kaca-2006", "requirement": {"k": 10}}
MANY = {"source": {"path": "many.csv"}, "quasi_identifiers": {f"a{number}": "suppress" for number in range(18)}}
LONG_SEARCHES = {
    "witness": {**MANY, "requirement": {"k": 5, "suppression": 0.05}},
    "sweep": {**MANY, "requirement": {"k": 5}, "algorithm": {"name": "sweep"}},
    "neighbours": {**LOCALLY, "algorithm": {"name": "kaca"}},
    "joins": {**LOCALLY, "algorithm": {"name": "kaca", "execution": "joins"}},
}


@pytest.mark.parametrize("search", ["witness", "sweep", "neighbours", pytest.param("joins", marks=pytest.mark.long)])
def test_an_interrupt_ends_a_long_search_at_once(search: str, work: Path) -> None:
    """In the midst of the search, which is known by what was told before it."""
    drawn = random.Random(1)
    values = [[str(int(drawn.paretovariate(1)) % 8) for _ in range(18)] for _ in range(4000)]
    lines = [[f"a{number}" for number in range(18)], *values]
    Path("many.csv").write_text("\n".join(map(",".join, lines)) + "\n")
    write(LONG_SEARCHES[search])
    before = files(work)
    with started(program(PATIENT, *RUN[3:], "--verbose")) as running:
        told(running, "starcloak: star: ")
        time.sleep(0.7)
        assert running.poll() is None
        end = ended(running, signal.SIGINT)
    assert (end.code, end.out) == (130, "")
    assert end.err.endswith(NOTHING)
    assert "starcloak: search: " not in end.err
    assert end.seconds < SOON
    assert files(work) == before
    assert not private_folders()


# ------------------------------------------------------------------------------------------------ before and afterwards

SMALL = {
    "source": {"path": "people.csv"},
    "quasi_identifiers": {"zip": "suppress", "sex": "suppress"},
    "requirement": {"k": 2},
}


@pytest.fixture
def small(work: Path) -> dict[str, Any]:
    Path("people.csv").write_text("zip,sex\n" + "".join(f"{number // 3},f\n" for number in range(12)))
    write(SMALL)
    return SMALL


@pytest.mark.parametrize("moment", range(0, 4, 2))
def test_a_signal_while_modules_are_imported_is_told_in_a_line(moment: int, small: dict[str, Any]) -> None:
    text = "from starcloak.__main__ import main\n"
    # Some microseconds would be left until the signals wait.
    text += "import signal\nsignal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])\n"
    text += "print('go', file=sys.stderr, flush=True)\nmain()"
    with started(program(text)) as running:
        told(running, "go")
        time.sleep(random.uniform(0.002, 0.1) * (moment + 1))
        end = ended(running, signal.SIGINT)
    if "released" not in end.out:
        assert (end.code, end.out, end.err) == (130, "", NOTHING)
    assert not private_folders()


SLOWLY = """
import signal
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])  # by the threads of imports
{first}
import starcloak.{module}
from starcloak.__main__ import main
from starcloak.base import interrupts
interrupts._PATIENCE = 0.5
at_once = starcloak.{module}.{name}
def slowly(*arguments, **named):
    print('begun', file=sys.stderr, flush=True)
    {before}
    done = at_once(*arguments, **named)
    {after}
    return done
starcloak.{module}.{name} = slowly
main()
"""
HEARD = """
from starcloak.base.interrupts import Ending
stop_at_once = Ending.stop
def stop(ending):
    heeded = stop_at_once(ending)
    print('heard', file=sys.stderr, flush=True)
    return heeded
Ending.stop = stop
"""


def slowed(module: str, name: str, *, before: str = "pass", after: str = "pass", first: str = "") -> list[str]:
    """The command line with something put before or after one of its steps, told when that begins."""
    return program(SLOWLY.format(module=module, name=name, before=before, after=after, first=first))


@pytest.mark.parametrize(
    ("module", "step", "number"),
    [("releases.targets.file", "File.publish", signal.SIGINT), ("releases.manifest", "write", signal.SIGTERM)],
    ids=str,
)
def test_a_run_that_publishes_is_left_to_it(
    module: str, step: str, number: signal.Signals, small: dict[str, Any]
) -> None:
    with started(slowed(module, step, before="time.sleep(1)")) as running:
        told(running, "begun")
        end = ended(running, number, number)
    assert (end.code, end.out, end.err) == (128 + number, "", PUBLISHED)
    assert end.seconds < SOON
    assert duckdb.sql("select count(*) from 'release.csv'").fetchall() == [(12,)]
    assert not private_folders()


@pytest.mark.parametrize("output", [{"path": "release.csv"}, {"url": "duckdb:///release.duckdb", "table": "release"}])
def test_a_staging_and_its_lock_go_by_force_too(output: dict[str, str], small: dict[str, Any], work: Path) -> None:
    write({**small, "output": output})
    before = files(work)
    with started(slowed("verify.invariants", "verify", before="time.sleep(90)")) as running:
        told(running, "begun")
        time.sleep(0.3)
        staged = [path.name for path in work.iterdir() if "starcloak-" in path.name]
        end = ended(running, signal.SIGTERM)
    assert len(staged) == 2
    assert (end.code, end.out, end.err) == (143, "", NOTHING)
    assert 0.45 < end.seconds < SOON
    assert files(work) == before
    assert not private_folders()


@pytest.mark.parametrize(("module", "step"), [("store.staging", "take_lock"), ("store.session", "RunFolder.__init__")])
def test_what_a_run_begins_with_goes_with_it(module: str, step: str, small: dict[str, Any], work: Path) -> None:
    """The lock on the place and the private folder, at the moment they are made."""
    before = files(work)
    with started(slowed(module, step, after="time.sleep(1)")) as running:
        told(running, "begun")
        time.sleep(0.3)
        end = ended(running, signal.SIGTERM)
    # A lock that is taken between the signal and the end may have said so, too.
    assert (end.code, end.out, re.sub("begun\n?", "", end.err)) == (143, "", NOTHING)
    assert end.seconds < SOON
    assert files(work) == before
    assert not private_folders()


def test_a_report_that_nobody_reads_does_not_keep_the_process(small: dict[str, Any]) -> None:
    with started(slowed("commands.cli.commands.run", "_summary", after="done = 'x' * 1_000_000")) as running:
        told(running, "begun")
        time.sleep(0.5)  # the pipe is full
        assert running.poll() is None
        running.send_signal(signal.SIGTERM)
        assert running.wait(60) == 143
        assert running.stderr is not None
        assert running.stderr.read() == PUBLISHED


def test_a_run_whose_result_is_said_says_no_other(small: dict[str, Any]) -> None:
    """Standard output is one document, whatever comes after it."""
    with started([*slowed("commands.cli", "say", after="time.sleep(1)")[:3], *RUN[3:], "--json"]) as running:
        told(running, "begun")
        time.sleep(0.3)
        end = ended(running, signal.SIGTERM)
    assert (end.code, end.err) == (143, PUBLISHED)
    assert json.loads(end.out)["released_rows"] == 12


def test_a_signal_that_is_ignored_stays_so(work: Path) -> None:
    """As nohup and the background jobs of shells have it."""
    duckdb.connect("hospital.duckdb").close()
    write({"source": {"url": "duckdb:///hospital.duckdb", "query": ENDLESS}, **TWO})

    def ignore() -> None:
        for number in (signal.SIGINT, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)

    with started(program(IMPATIENT), preexec_fn=ignore) as running:
        is_open(running)
        for number in (signal.SIGINT, signal.SIGHUP):
            running.send_signal(number)
        time.sleep(1)
        assert running.poll() is None
        end = ended(running, signal.SIGTERM)
    assert (end.code, end.err) == (143, NOTHING)


COMMANDS = [
    ["compile", "job.yaml"],
    ["check", "duckdb:///hospital.duckdb", "--query", ENDLESS, "--qi", "zip", "--k", "2"],
]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_other_commands_end_at_once(command: list[str], work: Path) -> None:
    duckdb.connect("hospital.duckdb").close()
    write({"source": {"url": "duckdb:///hospital.duckdb", "query": ENDLESS}, **TWO})
    before = files(work)
    with started(program(PATIENT, *command)) as running:
        is_open(running)
        time.sleep(0.5)
        end = ended(running, signal.SIGTERM)
    assert (end.code, end.out, end.err) == (143, "", NOTHING)
    assert end.seconds < SOON
    assert files(work) == before
    assert not private_folders()


# --------------------------------------------------------------------------------------------- a search that can stop


def test_ctrl_c_stops_only_the_search_where_told_to_keep_going(work: Path) -> None:
    """The first one; the second one ends the run, and so does another signal."""
    columns = ", ".join(f"(i * {number} + i // 7) % 97 as a{number}" for number in (3, 5, 7, 11, 13))
    duckdb.sql(f"copy (select {columns}, i % 3 as kind from range(20_000) as s (i)) to 'many.parquet'")
    write(
        {
            "source": {"path": "many.parquet"},
            "quasi_identifiers": {f"a{number}": {"intervals": [2, 4, 8, 16, 48]} for number in (3, 5, 7, 11, 13)},
            "sensitive": ["kind"],
            "requirement": {"k": 2},
            "algorithm": {"name": "tdr", "class": "kind"},
        }
    )
    for numbers, code in (([signal.SIGINT], 0), ([signal.SIGINT, signal.SIGINT], 130), ([signal.SIGTERM], 143)):
        # Every refinement takes its time; where a second signal is to come, so much that it finds the search there.
        pause = f"[time.sleep(0.05) for _ in range({600 if len(numbers) > 1 else 10})]"
        slow = slowed("search.tdr.partitions", "Partitions.refine", before=pause, first=HEARD)
        with started([*slow, "--keep-going"]) as running:
            told(running, "begun")
            if len(numbers) > 1:  # two signals of a kind are one until the first is taken
                running.send_signal(numbers[0])
                told(running, "heard")
            end = ended(running, numbers[-1])
        assert (end.code, "stopped by Ctrl-C" in end.out) == (code, code == 0)
        assert end.out or NOTHING in end.err
        assert Path("release.csv").exists() is (end.code == 0)
        Path("release.csv").unlink(missing_ok=True)
    assert not private_folders()


# -------------------------------------------------------------------------------------------------------- in a program


def test_a_program_keeps_its_signals_and_its_threads(small: dict[str, Any]) -> None:
    def state() -> tuple[object, ...]:
        handlers = [signal.getsignal(number) for number in SIGNALS]
        return handlers, signal.pthread_sigmask(signal.SIG_BLOCK, []), threading.active_count()

    before, during = state(), []
    pipeline.run("job.yaml", resources=Resources(progress=lambda _: during.append(state()), ending=Ending()))
    assert len(during) > 5
    assert all(each == before for each in [*during, state()])


def test_an_interrupt_tells_what_is_published(
    small: dict[str, Any], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt(stage: str) -> None:
        if stage == "publish":
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt, match="may be published already"):
        pipeline.run("job.yaml", resources=Resources(progress=interrupt))
    assert sorted(os.listdir()) == ["job.yaml", "people.csv"]
    monkeypatch.setattr(sys, "argv", RUN[2:])
    monkeypatch.setattr(manifest, "write", lambda *_: signal.raise_signal(signal.SIGINT))
    with pytest.raises(SystemExit, match="130"):
        main()
    assert capsys.readouterr() == ("", PUBLISHED)
    assert duckdb.sql("select count(*) from 'release.csv'").fetchall() == [(12,)]


def test_an_interrupted_session_leaves_no_folder(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(duckdb, "connect", interrupted)
    with pytest.raises(KeyboardInterrupt):
        Session()
    assert not private_folders()
