"""Registration of releases with their recodings: written before publication, and confirmed after it.

A run has its source locked from the registration to the confirmation. So of two concurrent runs of one source, the
second run measures joint k after the first run has published. A run killed between these two steps leaves an
unconfirmed registration. The next run with the same output place looks for the release there, and confirms or withdraws
the registration. Until then the release counts as possibly published.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace

from starcloak.base.errors import OutputError
from starcloak.base.operating_system import flush_folder
from starcloak.releases import state
from starcloak.releases.recodings import saved_recodings
from starcloak.releases.recodings.saved_recodings import About, Recoded
from starcloak.releases.targets.target import Target
from starcloak.store.staging import RUN


@contextmanager
def source_locked(target: Target, warnings: list[str]) -> Iterator[None]:
    """Context with a lock on the source, if the release outlives the process (``target.lasts``).

    If the folder for kept data cannot be used, there is no lock, and a warning is appended to ``warnings``.
    """
    with ExitStack() as stack:
        try:
            if target.lasts:
                stack.enter_context(state.lock(target.origin))
        except state.Unusable as error:
            warnings.append(str(error))
        yield


@contextmanager
def registered(recoded: Recoded, target: Target, warnings: list[str], *, required: bool) -> Iterator[None]:
    """Context of a publication: registers the release on entry, and confirms or withdraws the registration on exit.

    The source has to be locked. If the registration cannot be written, a warning is appended to ``warnings``; but if
    the next run needs it (``required``), nothing is published and :class:`OutputError` is raised.
    """
    about = None
    try:
        about = _register(recoded, before=next(iter(target.runs_known()), ""))
    except (OSError, OutputError) as error:
        if required:
            raise OutputError(f"refresh: {_lost(error)}: nothing was published") from None
        warnings.append(_lost(error))
    try:
        yield
    except BaseException:
        if about is not None and not target.may_be_out:
            with suppress(OSError, OutputError):  # the next run on the place decides
                _withdraw(about)
        raise
    if about is not None:
        try:
            _confirm(about)
        except (OSError, OutputError) as error:
            warnings.append(_lost(error))


def withdraw_left(target: Target) -> None:
    """Withdraw the registrations of killed runs with a staged file, which the lock on the target's place has removed.

    Call it at once: the run may end before :func:`settle`, and no file shows a later run that they published nothing.
    """
    if not target.runs_left:
        return
    with suppress(OSError, OutputError):  # settle() tells
        for about in saved_recodings.unsettled(saved_recodings.place_of(target)):
            if about.run[:RUN] in target.runs_left:
                with state.lock(about.origin):
                    _withdraw(about)


def settle(target: Target, warnings: list[str]) -> None:
    """Confirm or withdraw the registrations of runs killed while they published to a target.

    The target's place has to be locked. A release counts as published unless the place shows that it was not; an
    undecided case is a warning.
    """
    try:
        for about in saved_recodings.unsettled(saved_recodings.place_of(target)):
            with state.lock(about.origin):
                was_published = target.was_published(about.run, before=about.before)
                if was_published is False:
                    _withdraw(about)
                    continue
                _confirm(about)
                if was_published is None:
                    warnings.append(
                        f"the run that made {about.release} on {about.released_at[:10]} was ended while it "
                        "published, and it is not known if its release was published: it counts as published; run "
                        "its job again to be sure"
                    )
    except OSError as error:
        warnings.append(_lost(error))
    except state.Unusable as error:
        warnings.append(str(error))


def known_of(origin: str, warnings: list[str]) -> list[About]:
    """Descriptions of the known releases of a source, the last one first; ``origin`` is the hash of the source.

    If they cannot be read, the result is empty and a warning is appended to ``warnings``.
    """
    try:
        return saved_recodings.of_origin(origin)
    except OutputError as error:
        warnings.append(str(error))
        return []


def erase(about: About, why: str = saved_recodings.FORGOTTEN) -> None:
    """Erase the saved recoding of a release, and leave a note with the reason ``why``.

    The source is locked meanwhile: otherwise a concurrently publishing run could save the recoding again.
    Raises :class:`OutputError` if it cannot be erased, or if another run has the source locked for too long.
    """
    with state.lock(about.origin):
        for there in saved_recodings.every(
            notes=about.form == saved_recodings.NOTE
        ):  # it may be known to be out since it was listed
            if (there.origin, there.run) == (about.origin, about.run):
                saved_recodings.forget(there, why)


def erase_all() -> None:
    """Erase partition files and half-written files of all sources; saved recodings and notes stay.

    A partition file has the rows of a source by the classes of all of its releases together. Half-written files are
    from killed runs. Raises the same errors as :func:`erase`.
    """
    for origin in saved_recodings.origins():
        with state.lock(origin):
            try:
                saved_recodings.sweep(origin, partitions=True)
            except OSError as error:
                raise OutputError(
                    f"unfinished files of killed runs cannot be erased in {state.folder()} ({state.reason(error)}): "
                    "check the folder's permissions"
                ) from None


def _register(recoded: Recoded, *, before: str) -> About:
    own = state.folder()
    saved_recodings.space()  # refused before anything is kept
    saved_recodings.sweep(recoded.about.origin)
    number = 1 + max((older.number for older in saved_recodings.every(notes=True)), default=0)
    about = recoded.about.model_copy(update={"number": number, "before": before, "form": saved_recodings.PUBLISHING})
    saved_recodings.write(own, replace(recoded, about=about))
    flush_folder(own)  # a release that outlasts a power failure is known
    return about


def _confirm(about: About) -> None:
    """Mark a registered release as published, and erase recodings of its source that are no longer needed."""
    own = state.folder()
    out = about.model_copy(update={"form": saved_recodings.NOTE if about.lost else saved_recodings.PUBLISHED})
    os.replace(saved_recodings.file_of(own, about), saved_recodings.file_of(own, out))
    flush_folder(own)
    for old, why in [*saved_recodings.superfluous(about.origin)]:
        saved_recodings.forget(old, why)


def _withdraw(about: About) -> None:
    saved_recodings.file_of(state.folder(), about).unlink(missing_ok=True)


def _lost(error: OSError | OutputError) -> str:
    """Text of a warning: the recoding of a release cannot be saved."""
    if isinstance(error, OutputError):
        return str(error)
    return (
        f"the recoding of this release cannot be saved ({state.reason(error)}), so later runs cannot count joint k "
        "with it: make the folder starcloak in $XDG_STATE_HOME (~/.local/state) writable, then run with --force"
    )
