"""A published release."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starcloak import arrow, openlineage
from starcloak.errors import JobError, OutputError
from starcloak.job import Job
from starcloak.result import Measures, Result
from starcloak.search.tdr import apply
from starcloak.search.tdr.settings import Refinements
from starcloak.targets.data_frame import refuse_far
from starcloak.targets.target import Target

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow


@dataclass(frozen=True)
class Release:
    """A published release: its result, the SQL that makes it, and its rows where they went.

    >>> release = run("job.yaml")                                               # doctest: +SKIP
    >>> release.k, release.measures.precision, release.to_pandas()              # doctest: +SKIP
    """

    result: Result
    _script: Callable[[], str] = field(repr=False)
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
        """The script that makes this release with the database's own client; searched again for an unchanged one."""
        return self._script()

    def to_dict(self) -> dict[str, Any]:
        """The result as plain data, valid under schemas/report.json."""
        return self.result.model_dump(mode="json")

    def openlineage(self) -> dict[str, Any]:
        """The run as an OpenLineage event: column lineage, and the count of k as an assertion."""
        return openlineage.event(self._job, self.result)

    def report(self, path: str | Path) -> Path:
        """Write the report on the release: one HTML file, without a value of any row.

        It takes the place of no other file than a report. Raises :class:`~starcloak.errors.OutputError`.
        """
        from starcloak.report import write

        return write.write(self.result, Path(path))

    def __repr__(self) -> str:
        """Three lines: what was released where, how anonymous it is, what it cost."""
        result = self.result
        return (
            f"<Release of {result.released_rows:,} of {result.rows:,} rows to {result.output}\n"
            f" k = {result.k}, {result.measures.classes:,} classes, {result.algorithm.name}\n"
            f" loss {result.measures.loss:.4f}, precision {result.measures.precision:.4f}>"
        )

    def _repr_html_(self) -> str:
        """The same as a table, for a notebook."""
        from starcloak.drawing.render import render

        return render("release.html", result=self.result)

    def apply(self, frame: arrow.Frame) -> Any:
        """Another table, such as test rows, masked as this release by tdr is (Fung, Wang, Yu 2007, section 5.2).

        A value that this release has not seen goes to the interval or masked value above it, and to ``*`` where there
        is none. Its kept and sensitive columns and the order of its rows stay, its identifiers and its index are left
        out. The result is not counted: it may have small classes. Raises :class:`~starcloak.errors.JobError` for
        another algorithm, :class:`~starcloak.errors.SourceError` for a column that the job does not name.
        """
        told = self.result.search.told
        if not isinstance(told, Refinements):
            raise JobError("only a masking by tdr can be applied to another table: the release is of another algorithm")
        return apply.apply(self._job, told.steps, frame, hierarchies=self.result.hashes.hierarchies)

    def to_pandas(self) -> pandas.DataFrame:
        """The released rows. Those of a CSV are text.

        A release of a data frame that stays in memory has kept and sensitive columns in the frame's own types, and its
        rows are numbered anew; a categorical column has the categories that occur.
        """
        rows = self._target.frame()
        if arrow.is_pandas(rows):
            return rows
        table = self._converted("an Arrow table", arrow.as_arrow, "to_native")
        refuse_far(table)
        frame: pandas.DataFrame = self._converted("a frame of pandas", lambda _: arrow.as_pandas(table), "to_native")
        return frame

    def to_arrow(self) -> pyarrow.Table:
        """The released rows as an Arrow table; see :meth:`to_pandas`. Raises :class:`OutputError` for others' types."""
        return self._converted("an Arrow table", arrow.as_arrow)

    def to_polars(self) -> polars.DataFrame:
        """The released rows as a data frame of polars, which has to be installed; an Enum comes back as Categorical."""
        frame: polars.DataFrame = self._converted("a data frame of polars", arrow.as_polars)
        return frame

    def to_native(self) -> Any:
        """The released rows as the kind of data frame that came in: of pandas or polars, Arrow's, a relation of DuckDB.

        Where none came in, as one of pandas.
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

    def _converted(self, named: str, convert: Callable[[Any], Any], otherwise: str = "to_pandas") -> Any:
        try:
            return convert(self._target.frame())
        except (TypeError, ValueError, ArithmeticError, NotImplementedError) as error:  # ArrowException is one of them
            raise OutputError(
                f"the release has a column that {named} does not hold ({type(error).__name__}): use {otherwise}()"
            ) from None
        except ImportError:
            raise OutputError("polars is not installed: pip install polars, or use to_pandas()") from None
