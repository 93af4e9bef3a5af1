"""Folder of the custodian for data kept between runs: manifests, recodings, and locks of their sources.

It is ``$XDG_STATE_HOME/starcloak``, by default ``~/.local/state/starcloak`` or, on Windows,
``%LOCALAPPDATA%/starcloak``, and accessible to its owner alone. If it cannot be used, that is an error with the
reason: earlier releases may exist although none is known.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from starcloak.base.errors import OutputError
from starcloak.base.operating_system import is_private_folder, make_private_folder, move_new, state_home
from starcloak.store import locks

KEYED_BY = 8  # digits of a keyed hash that identify the secret
_ORIGIN = 32  # characters of an origin in a file's name


class Unusable(OutputError):
    """The custodian's folder cannot be created, read or written, so nothing can be kept between runs."""


def folder() -> Path:
    """Path of the custodian's folder, created if missing.

    Raises :class:`Unusable` with the reason if it cannot be created or is accessible to other users.
    """
    home = _home()
    own = home / "starcloak"
    try:
        home.mkdir(parents=True, exist_ok=True)
        with suppress(FileExistsError):  # whatever it is, it is looked at below
            make_private_folder(own)
        is_folder, is_private = own.is_dir() and not own.is_symlink(), is_private_folder(own)
    except OSError as error:
        raise unusable(own, f"the folder cannot be made ({reason(error)})") from None
    if not is_folder:
        raise unusable(own, "it is not a folder")
    if not is_private:
        raise unusable(own, "other users have access to it (write chmod 700)")
    return own


def unusable(own: Path, why: str) -> Unusable:
    """The error for a folder in which nothing can be read or kept."""
    return Unusable(
        f"{own}, the folder with what is known of earlier releases, cannot be used: {why}; correct this, or set "
        "XDG_STATE_HOME to another folder"
    )


def reason(error: OSError) -> str:
    """The operating system's message for an error, without the path of the file."""
    return os.strerror(error.errno) if error.errno else type(error).__name__


def named(origin: str) -> str:
    """The common beginning of the names of all files kept for a source; ``origin`` is the hash of the source."""
    return origin[:_ORIGIN]


def keyed(text: str) -> str:
    """A keyed hash (HMAC) of a text: digits that identify the secret, a hyphen, and 49 hexadecimal digits.

    Without the custodian's secret, nobody can find the text by hashing guesses. Empty if no secret can be kept; a run
    warns of that when it publishes.
    """
    try:
        secret = _secret()
    except Unusable:
        return ""
    digest = hmac.new(secret, text.encode(), hashlib.sha256).hexdigest()
    return f"{hashlib.sha256(secret).hexdigest()[:KEYED_BY]}-{digest[:49]}"


def _secret() -> bytes:
    """The custodian's secret key for hashes (32 bytes), created if missing; the same for two concurrent runs."""
    file = folder() / "secret"
    try:
        with suppress(FileNotFoundError):
            return file.read_bytes()
        new_file = file.with_name(f".secret-{secrets.token_hex(8)}")
        try:
            with os.fdopen(os.open(new_file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as content:
                content.write(secrets.token_bytes(32))
            with suppress(FileExistsError):
                move_new(new_file, file)
        finally:
            new_file.unlink(missing_ok=True)
        return file.read_bytes()
    except OSError as error:
        raise unusable(file.parent, f"the secret cannot be saved ({reason(error)})") from None


@contextmanager
def lock(origin: str) -> Iterator[None]:
    """Context with an exclusive lock on the kept data of one source, identified by the hash ``origin``.

    Another run of the source waits until this one has published, and then knows of the new release.
    The operating system's lock ends with the run, however the run ends. Raises :class:`OutputError` if no lock can be
    made, or if another run has it for too long.
    """
    file = folder() / f"{named(origin)}.lock"
    try:
        opened = locks.wait(file)
    except OSError as error:
        raise unusable(file.parent, f"it cannot be locked ({reason(error)})") from None
    try:
        yield
    finally:
        os.close(opened)


def _home() -> Path:
    folder = os.environ.get("XDG_STATE_HOME")
    if folder:
        if not os.path.isabs(folder):
            raise unusable(
                Path(folder), "XDG_STATE_HOME is a relative path, which is a different folder in each working directory"
            )
        return Path(folder)
    try:
        return state_home()
    except RuntimeError:
        raise unusable(Path("~/.local/state"), "there is no home folder") from None
