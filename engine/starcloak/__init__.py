"""k-anonymity in SQL: generalize a table in its own database, verify the release by a recount, publish it whole.

import starcloak as sc

release = sc.run("job.yaml")
release = sc.anonymize(frame, quasi_identifiers={"age": {"intervals": [5, 10, 20]}, "sex": "suppress"}, k=5)
verdict = sc.check(frame, ["age", "sex"], k=5)
"""

from __future__ import annotations

TYPE_CHECKING = False  # not typing's own, as its import takes time: no thread listens to signals yet
if TYPE_CHECKING:
    from typing import Any

    from starcloak.base.errors import (
        HierarchyError,
        InputError,
        JobError,
        OutputError,
        RequirementError,
        SourceError,
        StarcloakError,
        StatementError,
        VerificationError,
    )
    from starcloak.commands.api import (
        anonymize,
        attack,
        audit,
        check,
        compare,
        compile,
        explain,
        hierarchies,
        init,
        lattice,
        preview,
        read_release,
        run,
    )
    from starcloak.commands.release import Release
    from starcloak.hierarchy.classification import classification
    from starcloak.hierarchy.columns import beside
    from starcloak.hierarchy.csv import csv_file
    from starcloak.hierarchy.dates import dates
    from starcloak.hierarchy.digits import digits
    from starcloak.hierarchy.functions import functions
    from starcloak.hierarchy.h3 import h3
    from starcloak.hierarchy.intervals import intervals
    from starcloak.hierarchy.levels import levels
    from starcloak.hierarchy.numeric import numeric
    from starcloak.hierarchy.suppress import suppress
    from starcloak.hierarchy.table import dimension_table
    from starcloak.hierarchy.tree import tree
    from starcloak.job import Job
    from starcloak.job.check_result import Verdict
    from starcloak.job.result import Result
    from starcloak.store.resources import Resources

# The module of each public name; imported on first use, so the command line starts at once.
_HOMES = {
    "commands.api": (
        "anonymize",
        "attack",
        "audit",
        "check",
        "compare",
        "compile",
        "explain",
        "hierarchies",
        "init",
        "lattice",
        "preview",
        "read_release",
        "run",
    ),
    "base.errors": (
        "HierarchyError",
        "InputError",
        "JobError",
        "OutputError",
        "RequirementError",
        "SourceError",
        "StarcloakError",
        "StatementError",
        "VerificationError",
    ),
    "hierarchy.classification": ("classification",),
    "hierarchy.columns": ("beside",),
    "hierarchy.csv": ("csv_file",),
    "hierarchy.dates": ("dates",),
    "hierarchy.digits": ("digits",),
    "hierarchy.functions": ("functions",),
    "hierarchy.h3": ("h3",),
    "hierarchy.intervals": ("intervals",),
    "hierarchy.levels": ("levels",),
    "hierarchy.numeric": ("numeric",),
    "hierarchy.suppress": ("suppress",),
    "hierarchy.table": ("dimension_table",),
    "hierarchy.tree": ("tree",),
    "job": ("Job",),
    "commands.release": ("Release",),
    "store.resources": ("Resources",),
    "job.check_result": ("Verdict",),
    "job.result": ("Result",),
}

__all__ = [
    "HierarchyError",
    "InputError",
    "Job",
    "JobError",
    "OutputError",
    "Release",
    "RequirementError",
    "Resources",
    "Result",
    "SourceError",
    "StarcloakError",
    "StatementError",
    "Verdict",
    "VerificationError",
    "anonymize",
    "attack",
    "audit",
    "beside",
    "check",
    "classification",
    "compare",
    "compile",
    "csv_file",
    "dates",
    "digits",
    "dimension_table",
    "explain",
    "functions",
    "h3",
    "hierarchies",
    "init",
    "intervals",
    "lattice",
    "levels",
    "numeric",
    "preview",
    "read_release",
    "run",
    "suppress",
    "tree",
]


def __getattr__(name: str) -> Any:
    from importlib import import_module

    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"starcloak.{home}"), name)
    raise AttributeError(f"module 'starcloak' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, *(name for name in globals() if name.startswith("__"))]
