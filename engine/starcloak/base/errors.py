"""Error types of starcloak.

StarcloakError                 exit code
├── InputError                 2    the job, its files or its options are not usable
│   ├── JobError                    a key or a value of the job
│   ├── SourceError                 the table to anonymize
│   ├── HierarchyError              a generalization hierarchy
│   └── OutputError                 the place of the release
├── RequirementError           1    the requirement cannot be met, or does not hold
│   └── RefusedRelease              a release made by the search does not meet a further requirement
├── VerificationError          3    a staged release failed its recount: its source changed meanwhile, or a defect
└── StatementError             3    the database refused a statement (2 for want of memory); keeps .sql, never a value

A message is one line: the problem, its place, the remedy. It contains no value of any row.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

_MORE_MEMORY = "give the run more memory if the machine has more (--memory-limit 8GB), or fewer threads (--threads 1)"
_CONTEXT: Any = vars(BaseException)["__context__"]
_LONGEST = 300  # characters of a database's message
# The user of a URL and the text after it, also with a URL's slashes reduced as in a path, and options of a URL.
_OF_USER = re.compile(r"\b([A-Za-z][A-Za-z0-9+.-]*:/{1,2}[^\s/:@]*):\S*@")
_OF_OPTIONS = re.compile(r"([?&;](?:[a-z_]*passw(?:or)?d|pwd|passwd|token|secret)=)[^&;\s'\"]*", re.IGNORECASE)


def without_passwords(text: str) -> str:
    """A text without the passwords of the URLs in it.

    >>> without_passwords("postgresql:/clerk:7@8@host/db is not there, nor a://b/c?password=x&y=z")
    'postgresql:/clerk:***@host/db is not there, nor a://b/c?password=***&y=z'
    """
    if ":/" not in text:
        return text
    return _OF_OPTIONS.sub(r"\1***", _OF_USER.sub(r"\1:***@", text))


class StarcloakError(Exception):
    """Base of all intended errors of starcloak.

    The message is one line, with any names in it, and contains no password of a URL.
    """

    exit_code = 3

    def __init__(self, problem: str) -> None:
        super().__init__(
            "".join(
                character if character.isprintable() else _escape(character) for character in without_passwords(problem)
            )
        )

    @property
    def __context__(self) -> BaseException | None:
        """Previous error of the chain if it is a StarcloakError, else None: errors of drivers quote values."""
        context = _CONTEXT.__get__(self)
        return context if isinstance(context, StarcloakError) else None

    @__context__.setter
    def __context__(self, context: BaseException | None) -> None:
        _CONTEXT.__set__(self, context)


class InputError(StarcloakError):
    """An unusable input of the user."""

    exit_code = 2


class JobError(InputError):
    """An unusable key or value of the job."""


class SourceError(InputError):
    """An unusable source table."""


class HierarchyError(InputError):
    """An unusable generalization hierarchy.

    ``without_leaf`` is true if values of the source have no leaf; ``sql`` shows them in the client of their database.
    """

    without_leaf = False

    def __init__(self, problem: str, *, sql: str | None = None) -> None:
        super().__init__(problem)
        self.sql = sql


class OutputError(InputError):
    """An unusable path or table for the release."""


def no_space(folder: Path) -> OutputError:
    """Return the error for a full disk: ``folder``, with the run's private folder, has no space for temporary data."""
    return OutputError(
        f"{folder} has no space for the temporary files of the run: free some space, or set TMPDIR to a folder with "
        "more space"
    )


class RequirementError(StarcloakError):
    """A privacy requirement impossible to meet by any generalization of the hierarchies, or not met by a result."""

    exit_code = 1


class RefusedRelease(RequirementError):
    """A release made by the search that does not meet a further requirement of the job.

    The message says nothing about publication: some commands never publish. See :func:`unpublished`.
    """

    def __init__(self, problem: str, remedy: str) -> None:
        super().__init__(f"{problem}: {remedy}")
        self.problem = problem
        self.remedy = remedy


@contextmanager
def unpublished() -> Iterator[None]:
    """Context of a command that publishes: its error for a refused release says that nothing was published."""
    try:
        yield
    except RefusedRelease as error:
        message = f"{error.problem}; nothing was published: {error.remedy}"
        raise RequirementError(message).with_traceback(error.__traceback__) from None


class VerificationError(StarcloakError):
    """A staged release refused by the verifier; nothing was published. ``clause`` names the unsatisfied condition."""

    def __init__(self, problem: str, *, clause: str | None = None) -> None:
        super().__init__(problem)
        self.clause = clause


class StatementError(StarcloakError):
    """A statement refused by the database.

    ``statement`` names the statement file, ``sql`` is its text and ``kind`` the class of the database's error. The
    database's own message is hidden on purpose: engines quote the offending value in it. ``told`` is this message for
    an error before the first row was read, since it then depends on the query's text alone; otherwise it is empty.
    """

    def __init__(self, statement: str, sql: str, kind: str, told: str = "") -> None:
        mend = mend_of(kind, otherwise="")
        super().__init__(": ".join(filter(None, (f"the database refused the statement {statement} ({kind})", mend))))
        if mend:
            self.exit_code = InputError.exit_code
        self.statement = statement
        self.sql = sql
        self.kind = kind
        self.told = " ".join(told.split())[:_LONGEST]


def _escape(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


def hint(name: str, names: Iterable[str]) -> str:
    """``" Did you mean 'zip'?"``, or an empty text without a similar known name."""
    folded = {str(item).casefold(): str(item) for item in names}
    near = difflib.get_close_matches(str(name).casefold(), folded, n=1, cutoff=0.6)
    return f" Did you mean {folded[near[0]]!r}?" if near else ""


def near_file(path: Path) -> str:
    """``" Did you mean 'patients.csv'?"``, or an empty text without a file of similar name in the same folder."""
    try:
        neighbours = [file.name for file in path.parent.iterdir() if file.name != path.name]
    except (OSError, ValueError):
        return ""
    return hint(path.name, neighbours)


def unread(label: str, kind: str, mend: str = "check that its rows are well-formed") -> SourceError:
    """Return the error for a source with unreadable rows.

    ``label`` names the source, ``kind`` is the class of the database's error. ``mend`` is the advice for the user,
    unless the database ran out of memory.
    """
    return SourceError(f"{label} cannot be read ({kind}): {mend_of(kind, otherwise=mend)}")


def mend_of(kind: str, *, otherwise: str) -> str:
    """Advice for a class of database errors: more memory for an out-of-memory error, else ``otherwise``."""
    return _MORE_MEMORY if kind.startswith("OutOfMemory") else otherwise
