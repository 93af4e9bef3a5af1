"""A published release."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starcloak.base import frames
from starcloak.base.drawing.summary import Summarized, Summary
from starcloak.base.errors import OutputError
from starcloak.base.installation import package_needed
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

    from starcloak.job.attack_result import Attacks
    from starcloak.releases.disclosure import Disclosure


@dataclass(frozen=True, repr=False)
class Release(Summarized):
    """A published release: its result, the SQL that makes it, and its rows in their place.

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
        """The size of the smallest equivalence class, counted on the release; None without rows."""
        return self.result.k

    @property
    def measures(self) -> Measures:
        """Measures of the release's cost for its user."""
        return self.result.measures

    def sql(self) -> str:
        """The SQL script that makes this release with the database's own client.

        For an unchanged release, the recoding is searched again.

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

        Returns:
            One row per tuple of quasi-identifiers, or several for a tuple with rows in several classes: its raw values
            as texts, its released values (columns with the suffix ``_released``), and its number of ``rows``.

        Raises:
            OutputError: The recoding is no longer kept.

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

        Args:
            path: The path of the report. It replaces only another report.
            profile: A rule or a standard with headings of its own: ``hipaa``, ``article-29`` or ``iso-27559``.
            attacks: The result of :func:`starcloak.attack` on the release's job, for ``article-29``.

        Raises:
            OutputError: The report cannot be written.

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
        """Summary of the release: its rows and place, its anonymity, its cost."""
        from starcloak.releases.disclosure import disclosure_of  # few runs show themselves

        result, disclosed = self.result, disclosure_of(self.result)
        rows, precision = _rows(result, disclosed), f"{result.measures.precision:.4f}"
        cost = [] if disclosed.loss is None else [f"loss {disclosed.loss:.4f}, precision {precision}"]
        k = disclosed.smallest.removesuffix(f" {result.counted}")
        recoding = result.recoding
        at = recoding.levels if recoding.model == "full-domain" else {}
        return Summary(
            lines=[
                f"Release of {rows} to {result.output}",
                f"k = {k}, {result.measures.classes:,} classes, {result.algorithm.name}",
                *cost,
            ],
            head=["", ""],
            rows=[
                ["rows", rows],
                ["k", k],
                ["classes", f"{result.measures.classes:,}"],
                ["algorithm", result.algorithm.name],
                ["loss", "not shown" if disclosed.loss is None else f"{disclosed.loss:.4f}"],
                *([name, result.level_label(name, level)] for name, level in at.items()),
            ],
        )

    def apply(self, data: frames.Frame | Mapping[str, str], *, k: int | None = None) -> Any:
        """Mask other rows, such as next month's, by the recoding of this release.

        A tuple of quasi-identifiers in this release goes to its class, or to the class with the most loss if its rows
        were split among classes. Any other tuple goes to the covering class with the least loss. Rows covered by no
        class wait: they are suppressed, and their number is logged. In a release by tdr, a value goes to the interval
        or masked value above it in the hierarchy, and to ``*`` without one (Fung, Wang, Yu 2007, section 5.2); rows
        wait if the release suppressed rows and no released row has their values at the job's highest levels.

        Kept and sensitive columns are unchanged. A data frame's rows keep their order; its identifiers and its index
        are dropped.

        Masked rows are a release: k is counted over them alone, and over them together with this release and all other
        known ones (joint k); later releases are measured with them.

        Args:
            data: A data frame, or a job's ``source`` mapping, with the same ``null`` as in the job.
            k: The least number of rows in a class of the masked rows, by default the job's. With ``k=1`` nothing is
                counted or kept: such rows are for the custodian of the source alone.

        Returns:
            A data frame of the kind of ``data``; for a source a frame of pandas, shuffled.

        Raises:
            RequirementError: A class has fewer than k rows, or joint k is less.
            SourceError: A column is missing from the job.
            HierarchyError: The file of a hierarchy has changed.
            JobError: The job counts persons, without ``k=1``, or requires more than k, without ``k``.

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
        """The released rows as a data frame of pandas. Rows of a CSV file are texts.

        A release in memory of a data frame has kept and sensitive columns in the frame's own types, and its rows are
        numbered anew; a categorical column has only the present categories.

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
        """The released rows as an Arrow table; see :meth:`to_pandas`.

        Raises :class:`OutputError` if Arrow has no type for a column.

        >>> import starcloak as sc
        >>> job = {"source": {"dataset": "patients"}, "schema": "patients/incognito-2005", "requirement": {"k": 2}}
        >>> release = sc.run(job)
        >>> release.to_arrow().num_rows
        6
        """
        return self._convert("an Arrow table", frames.as_arrow)

    def to_polars(self) -> polars.DataFrame:
        """The released rows as a data frame of polars, if polars is installed; an Enum becomes Categorical.

        >>> import starcloak as sc
        >>> job = {"source": {"dataset": "patients"}, "schema": "patients/incognito-2005", "requirement": {"k": 2}}
        >>> release = sc.run(job)
        >>> release.to_polars().height
        6
        """
        frame: polars.DataFrame = self._convert("a data frame of polars", frames.as_polars)
        return frame

    def to_native(self) -> Any:
        """The released rows as the source's kind of data frame: of pandas or polars, Arrow's, a relation of DuckDB.

        Without a data frame as source, they are a data frame of pandas.

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
                f"{named} does not support the type of a released column ({type(error).__name__}): use {otherwise}()"
            ) from None
        except ImportError:
            raise OutputError(f"{package_needed(named, 'polars', extra='polars')}, or use to_pandas()") from None


def _rows(result: Result, disclosed: Disclosure) -> str:
    """The number of released rows in words, with the number of all rows if this reveals no few suppressed rows."""
    released = f"{result.released_rows:,}"
    return (
        f"{released} rows (suppressed: {disclosed.left_out})"
        if disclosed.rows is None
        else f"{released} of {result.rows:,} rows"
    )
