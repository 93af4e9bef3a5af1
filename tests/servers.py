"""Real database servers for tests: started as an ordinary user on loopback, gone with the test process, even killed."""

from __future__ import annotations

import os
import random
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

NOBODY = 65534
_PORTS = range(21_000, 29_000)  # beneath those that systems give away


def memory() -> Path | None:
    """Where Linux has files in memory, if there is room for those of tests: a disk waits for each that is removed."""
    place = Path("/dev/shm")
    roomy = place.is_dir() and shutil.disk_usage(place).free > 8 << 30
    return place if roomy and not os.statvfs(place).f_flag & os.ST_NOEXEC else None


MEMORY = memory()
PLACE = MEMORY or Path("/tmp")  # of the files of servers


def postgresql_programs() -> Path | None:
    """The folder of initdb, postgres and psql."""
    places = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    found = shutil.which("postgres")
    places += [Path(found).resolve().parent] if found else []
    return next((place for place in places if all((place / name).is_file() for name in ("initdb", "psql"))), None)


def mariadb_program() -> Path | None:
    """The server's program."""
    found = shutil.which("mariadbd") or next((str(p) for p in [Path("/usr/sbin/mariadbd")] if p.is_file()), None)
    return Path(found) if found else None


@contextmanager
def postgresql() -> Iterator[str]:
    """A PostgreSQL server; yields the URL of its superuser, on the database postgres."""
    programs = postgresql_programs()
    assert programs is not None
    with folder_of_a_server() as folder, free_port() as port:
        data = folder / "data"
        password = folder / "password"
        password.write_text("secretpw7")
        _own(password)
        locale = ["--locale-provider=icu", "--icu-locale=en-US", "--locale=C.UTF-8", "-E", "UTF8"]
        access = ["-U", "owner", "-A", "scram-sha-256", f"--pwfile={password}"]
        _quiet([programs / "initdb", "-D", data, *access, *locale, "--no-sync"], folder)
        settings = {
            "listen_addresses": "127.0.0.1", "port": port, "unix_socket_directories": "", "fsync": "off",
            "shared_preload_libraries": "pg_stat_statements", "max_connections": 30,
        }  # fmt: skip
        options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        url = f"postgresql://owner:secretpw7@127.0.0.1:{port}/postgres"
        with _server([programs / "postgres", "-D", data, *options], url, folder / "log", signal.SIGQUIT):
            yield url


@contextmanager
def mariadb(*more: str) -> Iterator[str]:
    """A MariaDB server with ``more`` options; yields the URL of its superuser, on the database test."""
    program = mariadb_program()
    assert program is not None
    with folder_of_a_server() as folder, free_port() as port:
        data, first = folder / "data", folder / "first.sql"
        first.write_text(
            "create database if not exists test character set utf8mb4 collate utf8mb4_unicode_ci;\n"
            "create user owner@'127.0.0.1' identified by 'secretpw7';\n"
            "grant all on *.* to owner@'127.0.0.1' with grant option;\n"
        )
        _own(first)
        install = shutil.which("mariadb-install-db") or "mariadb-install-db"
        _quiet([install, "--no-defaults", f"--datadir={data}", "--auth-root-authentication-method=normal",
                "--skip-test-db"], folder)  # fmt: skip
        options = [
            "--no-defaults", f"--datadir={data}", "--bind-address=127.0.0.1", f"--port={port}", "--skip-name-resolve",
            f"--socket={folder}/socket", f"--pid-file={folder}/pid", f"--init-file={first}",
            "--innodb-flush-log-at-trx-commit=0", f"--tmpdir={folder}", "--max-allowed-packet=64M", *more,
        ]  # fmt: skip
        url = f"mariadb://owner:secretpw7@127.0.0.1:{port}/test"
        with _server([program, *options], url, folder / "log", signal.SIGKILL):
            yield url


@contextmanager
def folder_of_a_server() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="starcloak-server-", dir=PLACE))
    _own(folder)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _server(command: list[object], url: str, log: Path, end: signal.Signals) -> Iterator[None]:
    with open(log, "wb") as output:
        server = subprocess.Popen(_as_nobody(command, dies=end), stdout=output, stderr=output, cwd="/")
    try:
        deadline = time.monotonic() + 60
        while not _lets_in(url):
            if server.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"the server does not start: {log.read_text()[-2000:]}")
            time.sleep(0.1)
        yield
    finally:
        server.send_signal(end)
        server.wait(30)


def _lets_in(url: str) -> bool:
    import sqlalchemy

    try:
        sqlalchemy.create_engine(with_driver(url), poolclass=sqlalchemy.NullPool).connect().close()
    except sqlalchemy.exc.DBAPIError:
        return False
    return True


def with_driver(url: str) -> str:
    """The URL as SQLAlchemy's own engines take it."""
    return url.replace("postgresql://", "postgresql+psycopg://").replace("mariadb://", "mariadb+pymysql://")


@contextmanager
def free_port() -> Iterator[int]:
    """A free port that no other process of tests takes, nor the system for a client's end of a connection."""
    for port in random.sample(_PORTS, len(_PORTS)):
        with socket.socket(socket.AF_UNIX) as taken:
            try:
                taken.bind(f"\0starcloak-tests-{port}")  # a name that goes with the process
                with socket.socket() as free:
                    free.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                    free.bind(("127.0.0.1", port))
            except OSError:
                continue
            yield port
            return
    raise RuntimeError("no port is free")


def _quiet(command: list[object], folder: Path) -> None:
    # A temporary folder of the tests' own may be closed to other users.
    environment = {**os.environ, "TMPDIR": str(folder)}
    subprocess.run(_as_nobody(command), check=True, capture_output=True, cwd="/", env=environment)


def _own(path: Path) -> None:
    if os.getuid() == 0:
        os.chown(path, NOBODY, NOBODY)


def _as_nobody(command: list[object], *, dies: signal.Signals | None = None) -> list[str]:
    """Servers refuse to run as root. With ``dies``, they get that signal where this process ends."""
    options = [f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"] if os.getuid() == 0 else []
    if dies and shutil.which("setpriv"):
        options.append(f"--pdeathsig={dies.name.removeprefix('SIG')}")
    return [*(["setpriv", *options] if options else []), *map(str, command)]
