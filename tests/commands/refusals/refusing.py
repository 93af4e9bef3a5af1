"""A job that runs, whatever can be changed in it, and the promise of every refusal."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import yaml

CANARY = "CANARYx7"  # in every raw cell of every source here


PEOPLE = f"""name,zip,sex,illness
{CANARY} Ann,{CANARY} 1,{CANARY} f,{CANARY} flu
{CANARY} Bob,{CANARY} 1,{CANARY} m,{CANARY} cold
{CANARY} Cem,{CANARY} 2,{CANARY} m,{CANARY} flu
{CANARY} Dee,{CANARY} 2,{CANARY} f,{CANARY} flu
"""


Refused = Callable[..., str]


def assert_refused(status: object, out: str, err: str, *, code: int = 2, says: tuple[str, ...] = ()) -> None:
    """The promise of every refusal: the exit code, one line, nothing of the data, no traceback."""
    assert "Traceback" not in err
    assert CANARY not in out + err
    line, end = err.split("\n")
    assert line.startswith("starcloak: ") and end == ""
    assert out == ""
    assert status == code, err
    for phrase in says:
        assert phrase in err


def contents(folder: Path) -> dict[str, bytes | None]:
    """Every path under a folder with its bytes."""
    return {str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}


def job(**changes: Any) -> dict[str, Any]:
    """A job that runs, with some of its keys changed, or left out where the change is None."""
    usable = {
        "source": {"path": "people.csv"},
        "identifiers": ["name"],
        "quasi_identifiers": {"zip": "suppress", "sex": "suppress"},
        "sensitive": ["illness"],
        "requirement": {"k": 2},
        "output": {"path": "release.csv"},
    }
    return {key: value for key, value in (usable | changes).items() if value is not None}


def write(described: Any) -> str:
    """The path of a job file."""
    Path("job.yaml").write_text(described if isinstance(described, str) else yaml.safe_dump(described))
    return "job.yaml"


def database(*statements: str, file: str = "hospital.duckdb") -> str:
    """The URL of a database with the people as a table, and whatever the statements make."""
    with duckdb.connect(file) as connection:
        connection.execute("create table people as select * from read_csv('people.csv', all_varchar = true)")
        for statement in statements:
            connection.execute(statement)
    return f"duckdb:///{file}"
