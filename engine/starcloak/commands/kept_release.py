"""Earlier releases on this machine: the recoding that was kept of a release, and new rows masked by it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from starcloak.base.errors import JobError, OutputError
from starcloak.commands.find_result import refuse_altered
from starcloak.commands.masking import apply_recoding
from starcloak.commands.masking.masked_release import Outlet
from starcloak.job import Place, load
from starcloak.releases.proposal import resolve
from starcloak.releases.recodings import saved_recodings
from starcloak.releases.recodings.saved_recodings import Recoded
from starcloak.releases.targets import registry
from starcloak.releases.targets.file import File
from starcloak.sources.file_formats import is_csv
from starcloak.star import fingerprint
from starcloak.store.resources import Resources

if TYPE_CHECKING:
    import pyarrow


def recoding_of(place: Place) -> Recoded:
    """The recoding of the last release in a file or table.

    Raises :class:`OutputError` if the recoding is not kept on this machine, or if it may be of another release: its
    run was ended while it published, or the file has other bytes.
    """
    target = registry.place(place)
    about = saved_recodings.of_place(saved_recodings.place_of(target))
    if about is not None and about.form == saved_recodings.PUBLISHING:
        raise OutputError(
            f"the last run to {target.label} was ended while it published, so it is not known which release is there: "
            "run its job again"
        )
    recoding = None if about is None else saved_recodings.read(about)
    if recoding is None:
        raise OutputError(
            f"{target.label}: the recoding of this release is missing in $XDG_STATE_HOME/starcloak (the folder of "
            "the user who ran its job): run the job again with --force"
        )
    digest = recoding.about.digest
    if isinstance(target, File) and digest and target.path.is_file() and fingerprint.file(target.path) != digest:
        raise OutputError(target.changed)
    return recoding


def masked(path: Path, changes: Sequence[str], source: Place, *, into: Path, k: int | None) -> pyarrow.Table:
    """Mask the rows of a source by the published release of the job in ``path``: an Arrow table, shuffled.

    The masked rows are written to the new file ``into``. The release must still be in its output, unaltered. ``k`` is
    the least number of rows in a class of the masked rows, by default the job's. A CSV file without texts for missing
    cells of its own is read with those of the job's CSV file. Raises :class:`JobError` if no release of exactly this
    job (with its ``changes``) is known, and as :meth:`~starcloak.commands.release.Release.apply` does.
    """
    resolved = resolve(load(path, changes=changes))
    result, place = resolved.released(), resolved.place
    if result is None or place is None:
        raise JobError(f"{path}: this job has no known release: publish one first with starcloak run {path}")
    refuse_altered(resolved.goal, place, result, Resources())
    own = resolved.job.source
    if own is not None and is_csv(own) and is_csv(source) and "null" not in source.model_fields_set:
        source = source.model_copy(update={"null": own.null})
    rows: pyarrow.Table = apply_recoding.apply(
        resolved.job,
        recoding_of(place),
        source,
        hierarchies=result.hashes.hierarchies,
        k=k,
        outlet=Outlet(resolved.goal, into),
    )
    return rows
