"""What is mutated: the files of each group."""

from __future__ import annotations

from pathlib import Path

from benchmarks.shared.process import ROOT, BenchmarkError

#: Every mutant of these is killed or explained; of the rest, a sample is tried.
GROUPS = {
    "verifier": ("engine/starcloak/verify", "sql/verify/"),
    "quoting": ("engine/starcloak/statement.py",),
    "publishing": (
        "engine/starcloak/targets",
        "sql/release/",
        "sql/database/",
    ),
}
REST = "rest"

# Read by other programs, which test them: dbt and SQLMesh.
_OTHERS = ("sql/dbt/", "sql/sqlmesh/")


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


def group_of(file: str) -> str:
    """The group of a file."""
    return next((group for group, starts in GROUPS.items() if file.startswith(starts)), REST)
