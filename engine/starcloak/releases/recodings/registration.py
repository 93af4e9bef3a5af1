"""A release is registered before it is out, and known to be out afterwards, while its source is locked for its run.

So two runs of one source at once know of each other: the second one measures when the first one has published. What a
run that was ended in between leaves is decided by the place of its release, as soon as another run has that; until then
it counts as a release that may be out.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace

from starcloak.base.errors import OutputError
from starcloak.releases import state
from starcloak.releases.recodings import saved_recodings
from starcloak.releases.recodings.saved_recodings import About, Recoded
from starcloak.releases.targets.target import Target
from starcloak.store import staging


@contextmanager
def source_locked(goal: Target, warnings: list[str]) -> Iterator[None]:
    """Hold the source of a release that lasts; where nothing can be kept of it, that is a warning."""
    with ExitStack() as held:
        try:
            if goal.lasts:
                held.enter_context(state.lock(goal.origin))
        except state.Unusable as error:
            warnings.append(str(error))
        yield


@contextmanager
def registered(recoded: Recoded, goal: Target, warnings: list[str], *, required: bool) -> Iterator[None]:
    """Register a release whose source is locked; it is published within, and known to be out afterwards.

    What cannot be kept is a warning; where it is ``required``, as the next run goes by it, nothing is published, and
    :class:`OutputError` is raised.
    """
    about = None
    try:
        about = _register(recoded, before=next(iter(goal.runs_known()), ""))
    except (OSError, OutputError) as error:
        if required:
            raise OutputError(f"refresh: {_lost(error)}: nothing was published") from None
        warnings.append(_lost(error))
    try:
        yield
    except BaseException:
        if about is not None and not goal.may_be_out:
            with suppress(OSError, OutputError):  # what stays is decided by the next run on the place
                _withdraw(about)
        raise
    if about is not None:
        try:
            _confirm(about)
        except (OSError, OutputError) as error:
            warnings.append(_lost(error))


def settle(goal: Target, warnings: list[str]) -> None:
    """Decide whether releases are out whose runs were ended while they published in a place, which is held now.

    A release counts as published unless the place shows that it was not.
    """
    try:
        for about in saved_recodings.unsettled(saved_recodings.place_of(goal)):
            with state.lock(about.origin):
                was_published = goal.was_published(about.run, before=about.before)
                if was_published is False:
                    _withdraw(about)
                    continue
                _confirm(about)
                if was_published is None:
                    warnings.append(
                        f"the run that made {about.release} on {about.released_at[:10]} was ended while it published, "
                        "and nothing there shows whether its release was published: it counts as published"
                    )
    except OSError as error:
        warnings.append(_lost(error))
    except state.Unusable as error:
        warnings.append(str(error))


def erase(about: About) -> None:
    """Erase a recoding while its source is locked: a run that publishes meanwhile would keep it again with its own.

    Raises :class:`OutputError` where that cannot be, or where another run has the source for too long.
    """
    with state.lock(about.origin):
        for there in saved_recodings.every():  # it may be known to be out since it was listed
            if (there.origin, there.run) == (about.origin, about.run):
                saved_recodings.forget(there)


def erase_all() -> None:
    """Erase what is kept of every source that is no recoding of a release: partitions, and what killed runs left.

    Raises as :func:`erase`.
    """
    for origin in saved_recodings.origins():
        with state.lock(origin):
            try:
                saved_recodings.sweep(origin, partitions=True)
            except OSError as error:
                raise OutputError(
                    f"what killed runs left cannot be erased in {state.folder()} ({state.reason(error)}): check the "
                    "folder's permissions"
                ) from None


def _register(recoded: Recoded, *, before: str) -> About:
    own = state.folder()
    saved_recodings.sweep(recoded.about.origin)
    number = 1 + max((each.number for each in saved_recodings.every()), default=0)
    about = recoded.about.model_copy(update={"number": number, "before": before, "form": saved_recodings.PUBLISHING})
    saved_recodings.write(own, replace(recoded, about=about))
    return about


def _confirm(about: About) -> None:
    """Keep what was registered as that of a release that is out; older ones go when there are too many."""
    own = state.folder()
    out = about.model_copy(update={"form": saved_recodings.NOTE if about.lost else saved_recodings.PUBLISHED})
    os.replace(saved_recodings.file_of(own, about), saved_recodings.file_of(own, out))
    staging.flush(own)
    for old in [each for each in saved_recodings.of_origin(about.origin) if each.form == saved_recodings.PUBLISHED][
        saved_recodings.MOST :
    ]:
        saved_recodings.forget(old, saved_recodings.TOO_MANY)


def _withdraw(about: About) -> None:
    saved_recodings.file_of(state.folder(), about).unlink(missing_ok=True)


def _lost(error: OSError | OutputError) -> str:
    """Warning that data of a release cannot be kept."""
    if isinstance(error, OutputError):
        return str(error)
    return (
        f"what was done to whom cannot be kept ({state.reason(error)}): later runs do not know what this release tells "
        "together with theirs; mend the folder starcloak in $XDG_STATE_HOME (~/.local/state), then run with --force"
    )
