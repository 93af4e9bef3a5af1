"""Manifests of what was released where: a run that would release the same again can be left out.

They are results, so they lie in a folder of the custodian's own, never beside the release:
``$XDG_STATE_HOME/starcloak``, which is ``~/.local/state/starcloak`` by default. Where that cannot be written or is not
private there are none, and every run runs.
"""

from __future__ import annotations

import json
import os
import stat
from contextlib import suppress
from pathlib import Path

from starcloak import fingerprint
from starcloak.result import Result
from starcloak.targets import staging
from starcloak.targets.target import Target

_NAME = 32  # characters of a manifest's name


def read(goal: Target) -> Result | None:
    """The manifest of the last release in a place, if there is one and the same run would release the same again."""
    known = last_result(goal)
    return known if known is not None and _is_repeatable(known) else None


def last_result(goal: Target) -> Result | None:
    """The manifest of the last release in a place, if there is one."""
    try:
        path = _path(goal)
        if not _is_private(path.parent):
            return None
        return Result.model_validate(json.loads(path.read_text(encoding="utf-8"))["result"])
    except (OSError, RuntimeError, ValueError, TypeError, KeyError):
        return None


def write(goal: Target, result: Result) -> None:
    """Keep the manifest of what is now in a place, and forget those of places that are gone.

    The release is out already: what fails here costs the next run its time.
    """
    with suppress(OSError, RuntimeError):
        path = _path(goal)
        if not _is_private(path.parent):
            path.unlink(missing_ok=True)
            return
        content = {"place": goal.identity, "result": result.model_dump(mode="json")}
        staging.write(path, json.dumps(content) + "\n", result.run, private=True)
        staging.sweep(path)
        for other in path.parent.glob(f"{'[0-9a-f]' * _NAME}.json"):
            if not _is_there(other):
                other.unlink()


def _is_repeatable(result: Result) -> bool:
    """Not where something changed during the run, or time ended the search."""
    told, hashes = result.search.told, result.hashes
    return (told is None or told.is_repeatable) and None not in (
        hashes.source,
        hashes.release,
        *hashes.hierarchies.values(),
    )


def folder() -> Path | None:
    """The custodian's own folder; None where there is none that is private. Raises :class:`OSError`."""
    own = _folder()
    return own if _is_private(own) else None


def _path(goal: Target) -> Path:
    return _folder() / f"{fingerprint.text(goal.identity + goal.label)[:_NAME]}.json"


def _folder() -> Path:
    home = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(home) / "starcloak"


def _is_private(folder: Path) -> bool:
    """Whether the folder, made if it is not there, is its owner's alone."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    status = folder.lstat()
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid() and not stat.S_IMODE(status.st_mode) & 0o077


def _is_there(kept: Path) -> bool:
    try:
        place = json.loads(kept.read_text(encoding="utf-8"))["place"]
        return "://" in place or Path(place).exists()  # whether a table is there is not known from here
    except (OSError, ValueError, TypeError, KeyError):
        return False
