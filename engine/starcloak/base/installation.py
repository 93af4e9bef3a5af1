"""Look-up of installed parts: folders of SQL and of schemas, and plug-in modules of this and of other packages.

A plug-in module registers its classes on import. Other packages name their modules by entry points, such as::

    [project.entry-points."starcloak.measures"]
    our_measure = "our_package.our_measure"
"""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from importlib.machinery import ModuleSpec
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path

from starcloak.base.errors import JobError


@cache
def _root(name: str) -> Path:
    package = Path(__file__).resolve().parents[1]
    for candidate in (package / name, package.parents[1] / name):
        if candidate.is_dir():
            return candidate
    raise FileNotFoundError(f"the installation is incomplete, as its folder {name} is missing: install starcloak again")


def sql() -> Path:
    """The folder of the statement files."""
    return _root("sql")


def schemas() -> Path:
    """The folder of the JSON Schemas and of the ready-made schemas."""
    return _root("schemas")


def package_needed(subject: str, package: str, *, extra: str) -> str:
    """The message for a missing package, with the extra that installs it.

    >>> package_needed("hierarchy h3", "the package h3", extra="classifications")
    "hierarchy h3 needs the package h3: pip install 'starcloak[classifications]'"
    """
    return f"{subject} needs {package}: pip install 'starcloak[{extra}]'"


#: The kinds of additions by other packages, as the entry points ``starcloak.<kind>``.
KINDS = ("algorithms", "classifications", "companions", "databases", "hierarchies", "measures", "models")


@cache
def load(home: str, *, kind: str, part: str = "") -> None:
    """Import all modules of the package ``home`` or, with ``part``, the module ``part`` of each of its subpackages.

    Then import the entry points of other installed packages of this ``kind``. Raises
    :class:`~starcloak.base.errors.JobError` for an entry point with a failed import.
    """
    for module in pkgutil.iter_modules(import_module(home).__path__):
        if not part:
            import_module(f"{home}.{module.name}")
        elif module.ispkg and find_spec(f"{home}.{module.name}.{part}") is not None:
            import_module(f"{home}.{module.name}.{part}")
    for entry in installed(kind):
        try:
            entry.load()
        except Exception as error:
            raise JobError(
                f"the package {_name(entry)} has an entry point starcloak.{kind} that cannot be loaded "
                f"({type(error).__name__}): correct it, or uninstall this package"
            ) from error


@cache
def load_named(home: str, name: str) -> None:
    """Import the module ``name`` of the package ``home``, if it exists; an import of all modules costs more time."""
    if name.isidentifier() and find_spec(f"{home}.{name}") is not None:
        import_module(f"{home}.{name}")


@cache
def installed(kind: str) -> tuple[EntryPoint, ...]:
    """Entry points of other packages for one of :data:`KINDS` of additions, in the order of their names."""
    return tuple(sorted(_all().select(group=f"starcloak.{kind}"), key=lambda entry: entry.name))


def files() -> list[Path]:
    """The files added by other packages: all modules and statements of a package, or the file of a single module."""
    paths: set[Path] = set()
    for spec in _others():
        origin = Path(str(spec.origin))
        paths |= (
            {origin}
            if spec.submodule_search_locations is None
            else {path for path in origin.parent.rglob("*") if path.suffix in (".py", ".sql")}
        )
    return sorted(paths)


@cache
def statement_folders() -> tuple[Path, ...]:
    """The folders ``sql`` of packages with entry points of any kind, with the layout of starcloak's folder."""
    folders = dict.fromkeys(Path(str(spec.origin)).parent / "sql" for spec in _others())
    return tuple(folder for folder in folders if folder.is_dir())


def _others() -> Iterator[ModuleSpec]:
    """Yield the import spec of each other package that adds a starcloak extension by an entry point."""
    for kind in KINDS:
        for entry in installed(kind):
            spec = find_spec(entry.module.partition(".")[0])
            if spec is not None and spec.origin is not None:
                yield spec


@cache
def _all():  # type: ignore[no-untyped-def]  # its type differs between versions of Python
    return entry_points()


def _name(entry: EntryPoint) -> str:
    return entry.dist.name if entry.dist is not None else entry.module
