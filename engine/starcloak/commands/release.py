"""A published release."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starcloak.base import frames
from starcloak.base.drawing.summary import Summarized, Summary
from starcloak.base.errors import OutputError
from starcloak.job import Job, load_source
from starcloak.job.result import Measures, Result
from starcloak.releases.recodings.saved_recodings import Recoded
from starcloak.releases.targets.data_frame import refuse_far
from starcloak.releases.targets.target import Target
from starcloak.search.tdr.settings import Refinements

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

    from starcloak.insight.attack_result import Attacks
    from starcloak.releases.disclosure import Disclosure


@dataclass(frozen=True, repr=False)
class Release(Summarized):
    """A published release: its result, the SQL that makes it, and its rows where they went.

    >>> release = run("job.yaml")                                               # doctest: +SKIP
    >>> release.k, release.measures.precision, release.to_pandas()              # doctest: +SKIP
    """

    result: Result
    _script: Callable[[], str] = field(repr=False)
    _recoded: Callable[[], Recoded] = field(repr=False)
    _target: Target = field(repr=False)
    _job: Job = field(repr=False)
    _kind: str = field(default="pandas", repr=False)

    @property
    def k(self) -> int | None:
        """The smallest equivalence class, counted on the release."""
        return self.result.k

    @property
    def measures(self) -> Measures:
        """What the release costs its user."""
        return self.result.measures

    def sql(self) -> str:
        """The script that makes this release with the database's own client; searched again for an unchanged one.

        >>> import starcloak as sc
        >>> job = {"source": {"dataset": "patients"}, "schema": "patients/incognito-2005", "requirement": {"k": 2}}
        >>> release = sc.run(job)
        >>> print(release.sql().splitlines()[0])
        -- A release of patients: birthdate at level 1, sex at level 1, zipcode at level 0.
        """
        return self._script()

    def to_dict(self) -> dict[str, Any]:
        """The result as plain data, valid under schemas/report.json.

        >>> import starcloak as sc
        >>> job = {"source": {"dataset": "patients"}, "schema": "patients/incognito-2005", "requirement": {"k": 2}}
        >>> release = sc.run(job)
        >>> release.to_dict()["k"], release.to_dict()["released_rows"]
        (2, 6)
        """
        return self.result.model_dump(mode="json")

    def mapping(self) -> pandas.DataFrame:
        """The recoding as a table, for the custodian of the source: it has raw quasi-identifiers.

        One row per tuple that was released, or part of one: its values as texts, what they read in the release (under
        their names and ``_released``), and how many ``rows`` it has. Raises :class:`~starcloak.base.errors.OutputError`
        where the recoding is not kept any more.

        >>> import starcloak as sc
        >>> job = {"source": {"dataset": "patients"}, "schema": "patients/incognito-2005", "requirement": {"k": 2}}
        >>> release = sc.run(job)
        >>> release.mapping().columns.tolist()[:3]
        ['birthdate', 'sex', 'zipcode']
        """
        from starcloak.commands.masking import apply_recoding

        return frames.as_pandas(apply_recoding.mapping(self._recoded()))

    def openlineage(self) -> dict[str, Any]:
        """The run as an OpenLineage event: column lineage, and the count of k as an assertion.

        >>> import starcloak as sc
        >>> job = {"source": {"dataset": "patients"}, "schema": "patients/incognito-2005", "requirement": {"k": 2}}
        >>> release = sc.run(job)
        >>> release.openlineage()["eventType"]
        'COMPLETE'
        """
        from starcloak.companions.lineage import openlineage

        return openlineage.event(self._job, self.result)

    def report(self, path: str | Path, *, profile: str | None = None, attacks: Attacks | None = None) -> Path:
        """Write the report on the release: one HTML file, without a value of any row.

        A ``profile`` adds what a rule or a standard asks: ``hipaa``, ``article-29`` or ``iso-27559``. The second tells
        what ``attacks`` achieved, from :func:`starcloak.attack` of the release's job.
        It takes the place of no other file than a report. Raises :class:`~starcloak.base.errors.OutputError`.

        >>> import starcloak as sc
        >>> job = {"source": {"dataset": "patients"}, "schema": "patients/incognito-2005", "requirement": {"k": 2}}
        >>> release = sc.run(job)
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     release.report(f"{folder}/report.html").name
        'report.html'
        """
        from starcloak.exports.report import write

        return write.write(self.result, Path(path), profile=profile, attacks=attacks)

    @property
    def summary(self) -> Summary:
        """What was released where, how anonymous it is, what it cost."""
        from starcloak.releases.disclosure import disclosure_of  # few runs show themselves

        result, shown = self.result, disclosure_of(self.result)
        rows, precision = _rows(result, shown), f"{result.measures.precision:.4f}"
        cost = [] if shown.loss is None else [f"loss {shown.loss:.4f}, precision {precision}"]
        recoding = result.recoding
        at = recoding.levels if recoding.model == "full-domain" else {}
        return Summary(
            lines=[
                f"Release of {rows} to {result.output}",
                f"k = {result.k}, {result.measures.classes:,} classes, {result.algorithm.name}",
                *cost,
            ],
            head=["", ""],
            rows=[
                ["rows", rows],
                ["k", str(result.k)],
                ["classes", f"{result.measures.classes:,}"],
                ["algorithm", result.algorithm.name],
                ["loss", "not told" if shown.loss is None else f"{shown.loss:.4f}"],
                *([name, result.level_label(name, level)] for name, level in at.items()),
            ],
        )

    def apply(self, data: frames.Frame | Mapping[str, str], *, k: int | None = None) -> Any:
        """Other rows, such as next month's, masked as this release is: a data frame, or a job's ``source`` mapping.

        A tuple that this release has goes to its class, to the coarsest one where it was split; another one to the
        class that covers it and loses least. Rows that no class covers wait: they are left out, and logged. By tdr a
        value goes to the interval or masked value above it, and to ``*`` where there is none (Fung, Wang, Yu 2007,
        section 5.2); rows wait whose values at the highest levels that the job sets were left out together. Kept and
        sensitive columns and the order of a frame's rows stay, its identifiers and its index are left out; of a source,
        a frame of pandas comes back, shuffled.

        Masked rows are a release: k is counted over them alone, and over them together with this release and all
        others that are known (joint k); later releases are measured with them. With ``k=1`` nothing is counted or
        kept: such rows are for the custodian of the source alone. Raises
        :class:`~starcloak.base.errors.RequirementError` below ``k``, which is that of the job unless given,
        :class:`~starcloak.base.errors.SourceError` for a column that the job does not name,
        :class:`~starcloak.base.errors.HierarchyError` for a hierarchy whose file is another by now,
        :class:`~starcloak.base.errors.JobError` where the job counts persons, without ``k=1``, or asks for more than
        k, without ``k``.

        >>> import starcloak as sc
        >>> job = {"source": {"dataset": "patients"}, "schema": "patients/incognito-2005", "requirement": {"k": 2}}
        >>> release = sc.run(job)
        >>> other = release.apply({"dataset": "patients"})
        >>> len(other)
        6
        """
        from starcloak.commands.masking.masked_release import Outlet

        hierarchies = self.result.hashes.hierarchies
        refinements = self.result.search.told
        if isinstance(refinements, Refinements) and not isinstance(data, Mapping):
            from starcloak.commands.masking import apply_refinement as apply

            return apply.apply(
                self._job,
                refinements.steps,
                data,
                hierarchies=hierarchies,
                k=k,
                recoded=self._recoded,
                suppressed=bool(self.result.suppressed_rows),
                outlet=Outlet(self._target),
            )
        from starcloak.commands.masking import apply_recoding

        place = load_source(data) if isinstance(data, Mapping) else data
        rows = apply_recoding.apply(
            self._job, self._recoded(), place, hierarchies=hierarchies, k=k, outlet=Outlet(self._target)
        )
        return rows if place is data else frames.as_pandas(rows)

    def to_pandas(self) -> pandas.DataFrame:
        """The released rows. Those of a CSV are text.

        A release of a data frame that stays in memory has kept and sensitive columns in the frame's own types, and its
        rows are numbered anew; a categorical column has the categories that occur.

        >>> import starcloak as sc
        >>> job = {"source": {"dataset": "patients"}, "schema": "patients/incognito-2005", "requirement": {"k": 2}}
        >>> release = sc.run(job)
        >>> release.to_pandas()["sex"].unique().tolist()
        ['*']
        """
        rows = self._target.frame()
        if frames.is_pandas(rows):
            return rows
        table = self._convert("an Arrow table", frames.as_arrow, "to_native")
        refuse_far(table)
        frame: pandas.DataFrame = self._convert("a frame of pandas", lambda _: frames.as_pandas(table), "to_native")
        return frame

    def to_arrow(self) -> pyarrow.Table:
        """The released rows as an Arrow table; see :meth:`to_pandas`. Raises :class:`OutputError` for others' types.

        >>> import starcloak as sc
        >>> job = {"source": {"dataset": "patients"}, "schema": "patients/incognito-2005", "requirement": {"k": 2}}
        >>> release = sc.run(job)
        >>> release.to_arrow().num_rows
        6
        """
        return self._convert("an Arrow table", frames.as_arrow)

    def to_polars(self) -> polars.DataFrame:
        """The released rows as a data frame of polars, which has to be installed; an Enum comes back as Categorical.

        >>> import starcloak as sc
        >>> job = {"source": {"dataset": "patients"}, "schema": "patients/incognito-2005", "requirement": {"k": 2}}
        >>> release = sc.run(job)
        >>> release.to_polars().height
        6
        """
        frame: polars.DataFrame = self._convert("a data frame of polars", frames.as_polars)
        return frame

    def to_native(self) -> Any:
        """The released rows as the kind of data frame that came in: of pandas or polars, Arrow's, a relation of DuckDB.

        Where none came in, as one of pandas.

        >>> import starcloak as sc
        >>> job = {"source": {"dataset": "patients"}, "schema": "patients/incognito-2005", "requirement": {"k": 2}}
        >>> release = sc.run(job)
        >>> type(release.to_native()).__name__
        'DataFrame'
        """
        match self._kind:
            case "pandas":
                return self.to_pandas()
            case "polars":
                return self.to_polars()
            case "duckdb":
                import duckdb

                return duckdb.from_arrow(self.to_arrow())
        return self.to_arrow()

    def _convert(self, named: str, convert: Callable[[Any], Any], otherwise: str = "to_pandas") -> Any:
        try:
            return convert(self._target.frame())
        except (TypeError, ValueError, ArithmeticError, NotImplementedError) as error:  # ArrowException is one of them
            raise OutputError(
                f"the release has a column that {named} does not hold ({type(error).__name__}): use {otherwise}()"
            ) from None
        except ImportError:
            raise OutputError("polars is not installed: pip install polars, or use to_pandas()") from None


def _rows(result: Result, shown: Disclosure) -> str:
    """How many rows are released; where few are not, nothing from which to count them."""
    released = f"{result.released_rows:,}"
    return (
        f"{released} rows, {shown.left_out} left out," if shown.rows is None else f"{released} of {result.rows:,} rows"
    )
