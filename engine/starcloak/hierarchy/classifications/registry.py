"""Ready-made classifications: known codes or names, each with the labels of its groups from fine to coarse.

A classification is a module of :mod:`starcloak.hierarchy.classifications` named after its key, or a module of another
package with an entry point ``starcloak.classifications``. The module registers its class; no other module refers to
it. Data comes from an installed package, or from a file of the job. Nothing is downloaded.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, TypeVar

from starcloak.base.errors import HierarchyError
from starcloak.base.installation import load, load_named, package_needed

_NO_DETAIL = " (no further detail)"


class CodeEntry(NamedTuple):
    """Entry of a classification: the code in its official spelling, and its labels from level 1 to below the top.

    ``is_ambiguous`` is true if the value names several entries, and the classification chose this one.
    """

    code: str
    labels: tuple[str, ...]
    is_ambiguous: bool = False


class Classification(ABC):
    """Base of classifications. A label is unique to one group of values: it has the code and the title of the group."""

    key: ClassVar[str]
    #: Description, the source of its data, and the licence of this source, for the documentation.
    title: ClassVar[str]
    source: ClassVar[str]
    licence: ClassVar[str]
    #: Names of the levels between a value and the top.
    levels: ClassVar[tuple[str, ...]]
    #: Distribution with the data, or None; ``extra`` of starcloak installs this distribution.
    package: ClassVar[str | None] = None
    extra: ClassVar[str] = "classifications"
    #: True if the job must name a file with the data.
    needs_file: ClassVar[bool] = False
    #: True if numbers lose a part of the code, such as a zero in front.
    only_texts: ClassVar[bool] = False
    #: Words of column names for a proposal by ``init``, and a form of values that suggests one under any name.
    proposed_for: ClassVar[frozenset[str]] = frozenset()
    distinct_form: ClassVar[re.Pattern[str] | None] = None

    def __init__(self, file: Path | None = None) -> None:
        self.file = file

    @property
    @abstractmethod
    def edition(self) -> str:
        """Name and version of the data, such as ``NAICS 2022``; equal for two releases with the same data."""

    @abstractmethod
    def find(self, value: str) -> CodeEntry | None:
        """Find the entry of a value (a code or a name); None if the value is unknown, or retired from this edition."""

    @property
    def described(self) -> str:
        """The edition with the package of its data: ``NAICS 2022 (naics 1.0.1)``."""
        return f"{self.edition} ({self.package} {self._version})" if self.package is not None else self.edition

    def module(self, name: str) -> Any:
        """Import a module of the package. Raises :class:`HierarchyError` if the package is not installed."""
        assert self._version  # raises the error for a missing package
        return import_module(name)

    def folder(self, name: str) -> Path:
        """The folder of a module of the package, without its import. Raises :class:`HierarchyError`."""
        assert self._version  # raises the error for a missing package
        spec = find_spec(name)
        if spec is None or not spec.submodule_search_locations:
            raise self.missing()
        return Path(next(iter(spec.submodule_search_locations)))

    def missing(self) -> HierarchyError:
        """Return the error for a package not installed, or installed without the data."""
        return HierarchyError(
            package_needed(f"classification {self.key!r}", f"the package {self.package}", extra=self.extra)
        )

    @cached_property
    def _version(self) -> str:
        try:
            return version(str(self.package))
        except PackageNotFoundError:
            raise self.missing() from None


def labels_above(labels: Sequence[str], missing: int) -> tuple[str, ...]:
    """Labels of a value naming a group, ``missing`` levels above the leaves, instead of a single code.

    ``labels`` are the group's own label and the labels above. At each level below the group, the value has a label of
    its own, distinct from the labels of the group's members.

    >>> labels_above(["62 Computer programming", "K Computing"], 2)
    ('62 Computer programming (no further detail)', '62 Computer programming (no further detail)', \
'62 Computer programming', 'K Computing')
    """
    return (*(labels[0] + _NO_DETAIL,) * missing, *labels)


_HOME = "starcloak.hierarchy.classifications"
_CLASSIFICATIONS: dict[str, type[Classification]] = {}
_C = TypeVar("_C", bound=type[Classification])


def register(classification: _C) -> _C:
    """Register a classification for jobs under its key."""
    _CLASSIFICATIONS[classification.key] = classification
    return classification


def classifications() -> dict[str, type[Classification]]:
    """All classifications by key, including those of other packages."""
    load(_HOME, kind="classifications")
    return dict(sorted(_CLASSIFICATIONS.items()))


def named(key: str) -> type[Classification] | None:
    """Classification with this key, or None. Plug-ins are imported only if starcloak itself has no such key."""
    load_named(_HOME, key)
    return _CLASSIFICATIONS.get(key) or classifications().get(key)
