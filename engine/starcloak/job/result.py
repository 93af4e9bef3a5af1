"""The result of a run as data: ``schemas/report.json`` is its JSON Schema. The result contains no rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import ConfigDict, Field, GetJsonSchemaHandler, TypeAdapter, create_model
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from starcloak.job.algorithms import LeafDomain, Minimized, SearchDetails, algorithms
from starcloak.job.changed_cells import CellsCleaned, CellsNonconforming
from starcloak.job.persons_result import ByIdentifier, JoinedRows
from starcloak.job.result_part import Part
from starcloak.measures.measure import every
from starcloak.privacy.model import without_data_values

#: Proposed by the program and unchanged, proposed by the program and changed by a person, or decided by a person.
Decision = Literal["proposed", "changed", "person"]


class ColumnSeen(Part):
    """Distinct values of one quasi-identifier in the source and in the release.

    ``frequent`` (source) and ``released_frequent`` (release) have the row counts of its most frequent values, without
    counts below k. All figures count released rows only; a count over all rows would reveal the suppressed rows by the
    difference.
    """

    attribute: str
    values: int = Field(description="distinct values of the released rows in the source")
    released_values: int
    frequent: list[int] = Field(description="rows per value in the source, largest first, at most 24")
    released_frequent: list[int]
    values_at_lowest: int | None = Field(
        default=None,
        description="values in the release at the lowest level that the job allows, without the missing one; null if "
        "not counted",
    )


class SizesSeen(Part):
    """Number of equivalence classes of ``least`` to ``most`` rows in the release, and of the rows in these classes."""

    least: int
    most: int
    classes: int | None = Field(description="equivalence classes; null if from 1 to k - 1")
    rows: int


class ThresholdSeen(Part):
    """Comparison of a release with a customary threshold, such as a probability of 0.09 (k = 11).

    ``holds`` is true if every class has at least ``k`` rows. ``records_at_risk`` is the share (0 … 1) of rows in
    smaller classes. If the job declares persons, the figures count persons, not rows.
    """

    name: str
    k: int
    probability: float
    holds: bool
    records_at_risk: float | None = Field(
        description="share (0 … 1) of rows or persons in classes of fewer than k; null for readers if it reveals "
        "a small count"
    )


class RiskBefore(Part):
    """Probability of re-identification of a row, or of a declared person, by the source's own quasi-identifiers.

    Figures on rows cover released rows; figures on persons cover all persons.
    """

    alone: int | None = Field(description="rows or persons with unique values; null if from 1 to k - 1")
    highest: float | None = Field(
        description="the highest probability (0 … 1); for readers 1/k as its bound, null if above"
    )
    average: float | None = Field(
        description="the mean probability (0 … 1); null for readers if it reveals a small count, or if persons are "
        "declared"
    )
    thresholds: list[ThresholdSeen]


class RowsAlone(Part):
    """Rows of the release with a unique combination of quasi-identifiers and kept columns, without sensitive ones."""

    columns: list[str] = Field(description="columns of the comparison")
    rows: int | None = Field(description="unique rows; null if these or the other rows are from 1 to k - 1")
    estimated: bool = Field(
        default=False,
        description="true if the unique rows were counted in a part of a release of more than 1,000,000 cells",
    )
    most: bool = Field(description="true if more than half of the rows are unique")
    sets: list[list[str]] = Field(
        description="the smallest sets of at most four columns with nearly as many unique rows, if most rows are "
        "unique; possibly incomplete"
    )

    def sentence(self, rows: int, k: int) -> str:
        """Warning about unique rows, for a release of ``rows`` rows. No count from 1 to ``k`` - 1 appears."""
        if self.rows is not None:
            alone = f"{'about ' if self.estimated else ''}{self.rows:,} of {rows:,} rows"
        else:
            alone = f"all but fewer than {k} rows" if self.most else f"fewer than {k} rows"
            alone = f"by an estimate, {alone}" if self.estimated else alone
        sets = "; or by ".join(", ".join(names) for names in self.sets)
        return (
            f"{alone} are unique by quasi-identifiers and kept columns "
            f"together{f', nearly all of them by {sets}' if sets else ''}: a reader who knows these values of a "
            "person finds the row; put kept columns that others may know under quasi_identifiers or identifiers"
        )


class Insight(Part):
    """Comparison of a release with its source: values per column, risk of re-identification, and remarks."""

    columns: list[ColumnSeen]
    thresholds: list[ThresholdSeen]
    average_risk: float | None = Field(
        default=None,
        description="the mean probability (0 … 1) of finding a row or, if persons are declared, a person within its "
        "class; null for readers if persons are declared",
    )
    before: RiskBefore | None = Field(default=None, description="null without released rows")
    alone: RowsAlone | None = Field(default=None, description="null without unique rows, or without kept columns")
    remarks: list[str] = Field(default=[], description="remarks on the protection of persons, the most harm first")
    otherwise: list[str] = Field(
        default=[], description="remarks and alternatives counted over all rows of the source, and lost columns"
    )
    larger_k: str | None = Field(default=None, description="cost of a larger k")
    left_out: list[str] = Field(default=[], description="figures not counted, with the reason")

    @property
    def lines(self) -> list[str]:
        """All remarks on the release, the one on the most harm first."""
        larger = [] if self.larger_k is None else [self.larger_k]
        return [*self.remarks, *self.left_out, *self.otherwise, *larger]


class QidRequired(Part):
    """A quasi-identifier (QID) with a k of its own (Fung, Wang, Yu 2007, Definition 1)."""

    attributes: list[str]
    k: int = Field(ge=1)


class ModelReleased(Part):
    """A required privacy model other than k-anonymity, with the figure of the release's worst class."""

    model: str = Field(description="key of the model in the job's requirement")
    required: dict[str, Any] = Field(description="the model as in the job")
    achieved: float | None = Field(
        description="figure of the worst class, counted on the release; null without rows, and for readers if persons "
        "are declared"
    )
    of_source: bool = Field(default=False, description="true if the model compares classes with all rows of the source")

    @property
    def told(self) -> dict[str, Any]:
        """The model for readers of a release, without its data values: an order, values or a hierarchy."""
        return without_data_values(self.required)


class QidReleased(QidRequired):
    """A QID with its required k and with the size of the smallest class in the release."""

    achieved_k: int | None = Field(description="size of the smallest class, counted on the release; null without rows")
    models: list[ModelReleased] = Field(default=[], description="further models, satisfied by each class of the QID")


class RequirementReleased(Part):
    """The requirement, and the figures achieved by the release."""

    k: int | None = Field(ge=1, description="null with several QIDs")
    qids: list[QidReleased] = Field(min_length=1, description="one QID of all quasi-identifiers, or several")
    redundant_qids: list[QidRequired] = Field(description="QIDs implied by others; searches ignore them")
    suppression: float = Field(ge=0, le=1, description="permitted share of suppressed rows")
    joined_rows: int | None = Field(default=None, ge=1, description="least k of joined rows, if the job requires it")


class PersonsReleased(Part):
    """Numbers of persons, if the job declares the person of a row; every k then counts persons, not rows."""

    told_by: list[str] = Field(description="columns to identify a person; they are not released")
    as_set: bool = Field(default=False, description="true if at least k persons have the same multiset of tuples")
    persons: int = Field(ge=1, description="persons in the source")
    released: int = Field(ge=0, description="persons with a row in the release")


class PopulationUsed(Part):
    """The population of the source's rows, if a privacy model of the requirement compares with a population."""

    source: str = Field(description="name of the population's place, without passwords")
    people: int = Field(ge=1)
    tuples: int = Field(ge=1, description="distinct combinations of the quasi-identifiers in the population")
    fingerprint: str = Field(description="fingerprint of these combinations with their people, in any order")


class AlgorithmUsed(Part):
    """The algorithm of the search."""

    name: str
    variant: str | None = Field(description="null for an algorithm without variants")
    settings: dict[str, Any] = Field(default={}, description="other settings of the algorithm, as in the job")


class RecodingSummary(Part):
    """The chosen recoding: the generalization level of each quasi-identifier, and its hierarchy's levels."""

    model: Literal["full-domain", "single-dimension", "multi-dimension", "local"]
    levels: dict[str, int] = Field(
        description="level of each quasi-identifier, 0 for its original values; in a local recoding its lowest level"
    )
    heights: dict[str, int] = Field(
        description="height of the whole hierarchy of each quasi-identifier, whichever levels the job allows"
    )
    bounds: dict[str, tuple[int, int]] = Field(
        description="lowest and highest level of each quasi-identifier that the job allows: from and to"
    )
    labels: dict[str, list[str]] = Field(
        default={}, description="labels of the levels of each quasi-identifier, from level 0 to the highest"
    )
    classifications: dict[str, str] = Field(
        default={},
        description="classification of a quasi-identifier's hierarchy, with the edition and package of its data",
    )

    def label(self, attribute: str, level: int) -> str:
        """Label of a level in an attribute's hierarchy; ``level 3``, for example, if the level has no label."""
        labels = self.labels.get(attribute, [])
        return labels[level] if level < len(labels) else f"level {level}"


class IterationDone(Part):
    """Counts of one iteration of the search (LeFevre, DeWitt, Ramakrishnan 2005, Figure 8)."""

    attributes: int
    candidates: int
    checked: int
    from_star: int = Field(description="nodes with a frequency set counted from the star")
    from_rollup: int = Field(description="nodes with a frequency set rolled up from that of a node beneath")
    anonymous: int


class _Measures(Part):
    """Measures of a release, rounded to 10 decimals. The cells of a suppressed row count as generalized to the root.

    The source of a definition is Li, Wong, Fu, Pei 2008 unless named. A ratio lies within 0 … 1 and is 0 for the source
    itself; ``precision`` is 1 there. A cell with an individual range counts as a fraction of the step to the root: the
    share of the other leaves covered by the range. All ranges count as one level.
    """

    model_config = ConfigDict(frozen=True, defer_build=True, extra="allow")

    @classmethod
    def __get_pydantic_json_schema__(cls, core: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """Add the registered measures absent from the model's fields."""
        schema = handler.resolve_ref_schema(handler(core))
        for measure in every():
            described = {**TypeAdapter(measure.type).json_schema(), "description": measure.description}
            schema["properties"].setdefault(measure.name, described)
        return schema

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Declare for type checkers: every measure is available by its name."""


if TYPE_CHECKING:
    Measures = _Measures
else:
    Measures = create_model(
        "Measures",
        __base__=_Measures,
        __doc__=_Measures.__doc__,
        **{measure.name: (measure.type, Field(description=measure.description)) for measure in every()},
    )


class _Search(Part):
    """Figures on the search for a recoding. Details of one algorithm have their own key, null for other algorithms."""

    lattice_nodes: int = Field(description="nodes of the generalization lattice")
    checked: int = Field(default=0, description="nodes with a counted frequency set, over all subsets")
    statements: int = Field(default=0, description="statements of the search")
    scans: int = Field(default=0, description="reads of the star; one statement may have several")
    rows_aggregated: int = Field(default=0, description="rows read to aggregate them into frequency sets")
    complete: bool = Field(
        default=False,
        description="true if all satisfying generalizations were found; else the search ended with the chosen one",
    )
    pruned: Literal["monotone", "implied bound"] = Field(
        default="monotone",
        description="reason for uncounted nodes: all nodes above a satisfying one satisfy the requirement, or groups "
        "are too small",
    )
    anonymous_nodes: int = Field(
        default=0,
        description="satisfying full-domain generalizations: all of them if complete, else those known at the end of "
        "the search",
    )
    minimal: list[list[int]] = Field(
        default=[], description="levels of the minimal generalizations, in the order of quasi_identifiers, by height"
    )
    minimal_levels: list[dict[str, int]] = Field(
        default=[], description="minimal with the names of the quasi-identifiers"
    )
    anonymous_levels: list[dict[str, int]] = Field(
        default=[],
        description="levels of the lowest generalizations found, by height: at most 100; sc.lattice has all",
    )
    iterations: list[IterationDone] = Field(
        default=[], description="iterations of the search; with several QIDs, one QID after the other"
    )

    @property
    def told(self) -> SearchDetails | None:
        """Details of the search specific to its algorithm; None for an algorithm without such details."""
        return next((value for name in self.told_keys if (value := getattr(self, name)) is not None), None)

    told_keys: ClassVar[tuple[str, ...]] = ()


def _tellable() -> dict[str, type[SearchDetails]]:
    """Types of the details specific to an algorithm, by their key in ``search``."""
    return {settings.tells.key: settings.tells for settings in algorithms().values() if settings.tells is not None}


if TYPE_CHECKING:
    Search = _Search
else:
    Search = create_model(
        "Search",
        __base__=_Search,
        __doc__=_Search.__doc__,
        **{key: (kind | None, Field(default=None, description=kind.__doc__)) for key, kind in _tellable().items()},
    )
    Search.told_keys = tuple(_tellable())


def search_of(lattice_nodes: int, details: SearchDetails) -> Search:
    """The result's ``search`` of an algorithm without lattice search: its size and the algorithm's own ``details``."""
    return Search.model_validate({"lattice_nodes": lattice_nodes, details.key: details})


class Seconds(Part):
    """Wall-clock seconds per stage. ``compress`` is the single GROUP BY, ``star`` the dimension tables and the star."""

    open: float
    compare: float = Field(default=0, description="comparison of the source and the job with the last release")
    compress: float = 0
    star: float = 0
    cube: float = Field(default=0, description="the cube of Cube Incognito; part of search with several QIDs")
    search: float = 0
    recode: float = 0
    verify: float = 0
    insight: float = Field(default=0, description="comparison of the release with its source, and remarks")
    joint: float = Field(default=0, description="the recoding as a table, and joint k with earlier releases")
    fingerprint: float = Field(default=0, description="fingerprints of the source's and the release's rows")
    publish: float = 0
    total: float


class Versions(Part):
    """Versions of the programs used."""

    starcloak: str
    duckdb: str
    python: str


class Hashes(Part):
    """Hashes of a release and of its inputs.

    These hashes are for the custodian of the source: a reader could test guesses about rows against the source's hash.
    A hash is null if it is unknown, for example after a change of the source during the run.
    """

    job: str = Field(description="SHA-256 of the job without its places and its hierarchies")
    hierarchies: dict[str, str | None] = Field(
        description="SHA-256 of each attribute's hierarchy, with its file or its table"
    )
    program: str = Field(description="SHA-256 of starcloak's own statement files and modules")
    statements: str = Field(description="SHA-256 of the script, with fingerprints in place of its tables' rows")
    source: str | None = Field(description="fingerprint of the released columns' rows in the source, in any order")
    release: str | None = Field(description="SHA-256 of the released file, or fingerprint of the released table")


class SharedValues(Part):
    """Minimum number of values of a sensitive attribute common to all classes of a row in several releases."""

    attribute: str
    required: int = Field(description="required number of shared values: as many as required in every class, or 1")
    least: int | None
    unknown: bool = Field(
        default=False,
        description="true if the values in classes of one of the releases are unknown, as its requirement did not "
        "read them or it was searched again; least is then the minimum of the other releases",
    )


class _JointFigures(Part):
    """Joint disclosure of several releases of one source: figures on groups of rows.

    A reader of all releases can narrow a row down to the rows in the same class in each release; these are one group.
    The size of the smallest group is the joint k. Rows absent from some of the releases form separate groups.
    """

    attributes: list[str] = Field(default=[], description="the quasi-identifier (QID) of the classes")
    required_k: int | None = Field(default=None, description="the k of this QID")
    exact: bool = Field(
        default=False,
        description="true if every tuple is in one class and the source is unchanged, or if the job declares the "
        "person of a row, and the recodings of all earlier releases are known; else the figures are an estimate",
    )
    k: int | None = Field(default=None, description="joint k: size of the smallest group")
    groups: int | None = None
    rows: int | None = Field(default=None, description="rows of all of these releases, each counted once")
    rows_below: int | None = Field(default=None, description="rows in groups of fewer than k")
    rows_gone: int | None = Field(default=None, description="rows in earlier releases alone")
    rows_new: int | None = Field(default=None, description="rows in this release alone")
    shared: list[SharedValues] = Field(
        default=[], description="shared values of sensitive attributes in the requirement"
    )

    @property
    def is_below(self) -> bool:
        """True if joint k is known and less than the required k."""
        return self.k is not None and self.k < (self.required_k or 1)


class Joint(_JointFigures):
    """Joint disclosure of this release and one earlier release of the same source over one quasi-identifier."""

    release: str = Field(description="the earlier release")
    run: str = Field(description="the run of the earlier release")
    released_at: str
    required: bool = Field(default=False, description="true if the job names the earlier release under against")
    unknown: str | None = Field(default=None, description="reason for unknown figures; these are null then")

    @property
    def shares_nothing(self) -> bool:
        """True if no common row of the releases is known; common rows may have differently formatted values."""
        gone, new = self.rows_gone or 0, self.rows_new or 0
        return not self.exact and bool(gone and new) and self.rows == gone + new


class JointTogether(_JointFigures):
    """Joint disclosure of this release and several earlier releases of the same source over one quasi-identifier."""

    runs: list[str] = Field(description="the runs of the earlier releases, the first one first")
    required: bool = Field(
        default=False, description="true for the releases under against in the job; false for all known releases"
    )


class Refreshing(Part):
    """Numbers of rows by the effect of a refresh: an update of the previous release with the changed source."""

    stayed: int = Field(description="rows of classes that stayed: they have the same released cells as before")
    new: int = Field(
        description="rows of new classes: at least k rows, or persons, at once; some may come from classes that ended"
    )
    waiting: int = Field(description="suppressed rows, waiting until they can join the release")
    gone: int = Field(description="rows of the previous release that were removed, or whose class ended")
    held: int = Field(default=0, description="rows removed from the source and still released, among stayed and rows")
    left: int | None = Field(
        default=None,
        description="persons removed permanently after a removal or change of one of their rows: at least k of one "
        "history at once; null without declared persons",
    )


class Result(Part):
    """The result of ``starcloak run``: the manifest of a release.

    The result is for the custodian of the source: its count of suppressed rows is exact, even below k.
    """

    version: Literal[1] = Field(default=1, description="version of the form of results; an older one is read as well")
    run: str = Field(description="a random identifier of the run that made the release")
    unchanged: bool = Field(
        default=False, description="true if the run did nothing, as the same release exists; seconds belong to this run"
    )
    source: str = Field(description="name of the source's place, without passwords")
    output: str = Field(description="name of the release's place, without passwords")
    rows: int = Field(ge=1, description="rows of the source, with rows held by a refresh")
    released_rows: int = Field(ge=0, description="rows of the release")
    suppressed_rows: int = Field(ge=0, description="suppressed rows of the source")
    k: int | None = Field(
        description="size of the smallest equivalence class over all quasi-identifiers together, counted on the "
        "release; with several QIDs, possibly smaller than each of their k; null without rows"
    )
    persons: PersonsReleased | None = Field(default=None, description="null without declared persons")
    by_identifier: list[ByIdentifier] = Field(
        default=[],
        description="classes counted by repeated identifiers, if a person may have several rows",
    )
    joined_rows: list[JoinedRows] = Field(
        default=[],
        description="result per QID of a reader's join of one person's rows; empty without declared persons",
    )
    roles: dict[str, list[str]] = Field(
        default={}, description="columns of each role, as named in the job; all other columns are not released"
    )
    decided: dict[str, Decision] = Field(
        default={},
        description="decision on each column: proposed by init and unchanged, changed by a person, or made by a "
        "person; empty without a draft",
    )
    requirement: RequirementReleased
    population: PopulationUsed | None = Field(default=None, description="null if the requirement needs no population")
    algorithm: AlgorithmUsed
    objective: Minimized = Field(description="measure minimized by the choice among satisfying generalizations")
    domain: LeafDomain = Field(
        default="declared",
        description="leaves counted by loss: all declared in hierarchies, or those with a row",
    )
    importance: dict[str, float] = Field(
        default={}, description="weight of a quasi-identifier's loss in this measure, if the job sets it"
    )
    seed: int = Field(description="seed of the random choices, and of the order of the rows")
    recoding: RecodingSummary
    measures: Measures
    search: Search
    class_sizes: list[SizesSeen] = Field(
        default=[],
        description="number of classes by size, with each step twice as large as the previous one",
    )
    insight: Insight | None = Field(default=None, description="null if the job turns it off")
    cleaned: list[CellsCleaned] = Field(
        default=[], description="effects of the job's cleaning, per column in the order of its rules"
    )
    nonconforming: list[CellsNonconforming] = Field(
        default=[], description="cells without a leaf, per quasi-identifier with nonconforming in its hierarchy"
    )
    refresh: Refreshing | None = Field(default=None, description="null if the job has no refresh")
    joint: list[Joint] = Field(
        default=[], description="joint disclosure of this release with each of the last earlier releases, per QID"
    )
    joint_together: list[JointTogether] = Field(
        default=[], description="joint disclosure of this release with all earlier releases of the source, per QID"
    )
    never_given: int = Field(
        default=0,
        description="earlier releases left out of joint k, as nobody received them according to the custodian",
    )
    companions: dict[str, Any] = Field(default={}, description="parts added by companions of other packages, by name")
    seconds: Seconds
    memory_limit: str = Field(
        description="memory limit of the working store before it writes to its private folder: the given one, or "
        "half of the memory that is available, at most 4 GB; a search's arrays need further memory"
    )
    versions: Versions
    hashes: Hashes
    kept_by_patterns: list[str] = Field(
        default=[], description="columns released unchanged because they match a pattern under keep"
    )
    warnings: list[str] = Field(default=[], description="warnings for the custodian on the database and on this run")

    def level_label(self, attribute: str, level: int) -> str:
        """Label of an attribute's level; ``missing`` for the lowest permitted level if no cell there has a value."""
        columns = [] if self.insight is None else self.insight.columns
        counted = next((column.values_at_lowest for column in columns if column.attribute == attribute), None)
        lowest, _ = self.recoding.bounds.get(attribute, (0, 0))
        return "missing" if level == lowest and counted == 0 else self.recoding.label(attribute, level)

    @property
    def counted(self) -> str:
        """Unit of every k: ``persons`` if they are declared, otherwise ``rows``."""
        return "rows" if self.persons is None else "persons"


class Failure(Part):
    """The reason for a failed command."""

    kind: str = Field(description="the type of the error, Interrupted, TimedOut or Defect")
    message: str = Field(description="the error line, as on standard error")
    exit_code: int = Field(ge=1)
    sql: str | None = Field(
        default=None,
        description="statement for the client of the source's database, to show the values that have no leaf in the "
        "hierarchy",
    )


class Failed(Part):
    """Output of a failed command with ``--json``, in place of its result."""

    error: Failure
