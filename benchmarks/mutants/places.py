"""What is mutated: the files of each group."""

from __future__ import annotations

from pathlib import Path

from benchmarks.shared.process import ROOT, BenchmarkError

#: Every mutant of these is killed or explained; of the rest, a sample is tried. Publishing is what decides what is
#: published, by which name, when, and with which lock: not what the rows are, nor what is said of them.
GROUPS = {
    "verifier": ("engine/starcloak/verify/", "sql/verify/", "sql/release/recount."),
    "quoting": ("engine/starcloak/statement.py",),
    "publishing": (
        *(
            f"engine/starcloak/targets/{name}.py"
            for name in (
                "database_table",
                "duckdb_table",
                "file",
                "footprint",
                "memory",
                "registry",
                "staging",
                "swapped_table",
                "table",
                "target",
            )
        ),
        "engine/starcloak/hosts/ledger.py",
        "engine/starcloak/release/publish.py",
        "engine/starcloak/release/unchanged.py",
        *(f"sql/database/{name}.sql" for name in ("ledger", "swap", "table")),
        *(f"sql/release/{name}.sql" for name in ("copy", "existing", "projected", "script", "table")),
    ),
}
REST = "rest"

# Read by other programs, which test them: dbt and SQLMesh. Or run by Spark alone, whose tests have an environment of
# their own.
_OTHERS = ("sql/dbt/", "sql/sqlmesh/", "engine/starcloak/hosts/spark.py", "engine/starcloak/targets/shown_table.py")
#: The dialect of sections that are left out for that.
ELSEWHERE = "spark"


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
    return next((group for group, starts in GROUPS.items() if file.startswith(starts)), REST)
