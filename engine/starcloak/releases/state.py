"""What is kept between runs lies in a folder of the custodian's own: manifests, recodings, and locks of their sources.

It is ``$XDG_STATE_HOME/starcloak``, which is ``~/.local/state/starcloak`` by default, and its owner's alone. Whoever
asks for it is told why there is none: that nothing is known there is never taken for nothing having been released.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from starcloak.base.errors import OutputError
from starcloak.store import locks

KEYED_BY = 8  # digits of a keyed hash that tell the secret from others
_ORIGIN = 32  # characters of an origin in a file's name


class Unusable(OutputError):
    """There is no folder to keep anything in."""


def folder() -> Path:
    """The folder, made where it is not there. Raises :class:`Unusable`, which says why."""
    home = _home()
    own = home / "starcloak"
    try:
        home.mkdir(parents=True, exist_ok=True)
        with suppress(FileExistsError):  # whatever it is, it is looked at below
            own.mkdir(mode=0o700)
        status = own.lstat()
    except OSError as error:
        raise unusable(own, f"it cannot be made ({reason(error)})") from None
    if not stat.S_ISDIR(status.st_mode):
        raise unusable(own, "it is not a folder")
    if status.st_uid != os.geteuid() or stat.S_IMODE(status.st_mode) & 0o077:
        raise unusable(own, "it is not this user's alone (chmod 700)")
    return own


def unusable(own: Path, why: str) -> Unusable:
    """What is raised where nothing can be known or kept."""
    return Unusable(
        f"nothing is known of earlier releases, and nothing can be kept for later ones, in {own}: {why}; mend that, or "
        "set XDG_STATE_HOME"
    )


def reason(error: OSError) -> str:
    """What the system says of an error, without a path."""
    return os.strerror(error.errno) if error.errno else type(error).__name__


def named(origin: str) -> str:
    """How names of files begin that are of one source."""
    return origin[:_ORIGIN]


def keyed(text: str) -> str:
    """A hash of a text that nobody can try out who does not have the custodian's secret: 49 hexadecimal digits.

    Before them are those that tell the secret from others. Empty where none can be kept, which a run says where it
    publishes.
    """
    try:
        secret = _secret()
    except Unusable:
        return ""
    digest = hmac.new(secret, text.encode(), hashlib.sha256).hexdigest()
    return f"{hashlib.sha256(secret).hexdigest()[:KEYED_BY]}-{digest[:49]}"


def _secret() -> bytes:
    """The custodian's secret, made where there is none; two runs at once have the same one."""
    file = folder() / "secret"
    try:
        with suppress(FileNotFoundError):
            return file.read_bytes()
        made = file.with_name(f".secret-{secrets.token_hex(8)}")
        try:
            with os.fdopen(os.open(made, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as content:
                content.write(secrets.token_bytes(32))
            with suppress(FileExistsError):
                os.link(made, file)
        finally:
            made.unlink(missing_ok=True)
        return file.read_bytes()
    except OSError as error:
        raise unusable(file.parent, f"no secret can be kept ({reason(error)})") from None


@contextmanager
def lock(origin: str) -> Iterator[None]:
    """Lock what is known of a source for one run: another one waits until it has published, and then knows of it.

    The lock is of the operating system and ends with the run, however that ends. Raises :class:`OutputError` where
    there can be none, or where another run has it for too long.
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
    given = os.environ.get("XDG_STATE_HOME")
    if given:
        if not os.path.isabs(given):
            raise unusable(Path(given), "XDG_STATE_HOME is a relative path, so another folder wherever a run begins")
        return Path(given)
    try:
        return Path.home() / ".local" / "state"
    except RuntimeError:
        raise unusable(Path("~/.local/state"), "there is no home folder") from None
