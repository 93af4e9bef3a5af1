"""What is mutated: the files of each group."""

from __future__ import annotations

import re
from pathlib import Path

from benchmarks.shared.process import ROOT, BenchmarkError

#: Every mutant of these is killed or explained; of the rest, a sample is tried. Publishing is what decides what is
#: published, by which name, when, and with which lock: not what the rows are, nor what is said of them.
GROUPS = {
    "verifier": (
        "engine/starcloak/verify/",
        "engine/starcloak/commands/check_table.py",
        "engine/starcloak/releases/population.py",
        "sql/verify/",
        "sql/releases/population.",
        "sql/releases/recount.",
    ),
    "quoting": ("engine/starcloak/statements/statement.py",),
    "publishing": (
        *(
            f"engine/starcloak/releases/targets/{name}.py"
            for name in (
                "database_table",
                "duckdb_table",
                "file",
                "memory",
                "registry",
                "swapped_table",
                "table",
                "target",
            )
        ),
        "engine/starcloak/store/staging.py",
        "engine/starcloak/store/staging.py",
        "engine/starcloak/store/databases/ledger.py",
        "engine/starcloak/releases/publish.py",
        "engine/starcloak/releases/manifest.py",
        *(f"sql/store/{name}.sql" for name in ("existing", "ledger", "table")),
        *(f"sql/releases/{name}.sql" for name in ("copy", "script", "targets/swap", "targets/table")),
        "sql/star/recoding/projected.sql",
    ),
}
REST = "rest"

# Read by other programs, which test them: dbt and SQLMesh. Or run by Spark alone, whose tests have an environment of
# their own.
_OTHERS = (
    "sql/dbt/",
    "sql/sqlmesh/",
    "engine/starcloak/store/databases/spark/",
    "sql/databases/spark/",
    "engine/starcloak/releases/targets/shown_table.py",
)


def files(root: Path = ROOT) -> dict[str, list[str]]:
    """The files of each group, by their paths in the checkout."""
    found: dict[str, list[str]] = {group: [] for group in (*GROUPS, REST)}
    for path in sorted([*root.glob("engine/starcloak/**/*.py"), *root.glob("sql/**/*.sql")]):
        name = path.relative_to(root).as_posix()
        if not name.startswith(_OTHERS):
            found[group_of(name)].append(name)
    for group, names in found.items():
        if not names:
            raise BenchmarkError(f"no file is of the group {group}: look at benchmarks/mutants/places.py")
    return found


def of_groups(root: Path = ROOT) -> list[str]:
    """The files whose every mutant is tried."""
    return [name for group, names in files(root).items() if group != REST for name in names]


def group_of(file: str) -> str:
    """The group of a file."""
    common = re.sub(r"^sql/databases/\w+/", "sql/", file)
    return next((group for group, starts in GROUPS.items() if common.startswith(starts)), REST)
