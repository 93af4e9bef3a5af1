"""The result of a run as data: ``schemas/report.json`` is its JSON Schema. Rows never appear in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import ConfigDict, Field, GetJsonSchemaHandler, TypeAdapter, create_model
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from starcloak.job.algorithms import LeafDomain, Minimized, SearchDetails, algorithms
from starcloak.job.persons_result import ByIdentifier, JoinedRows
from starcloak.job.result_part import Part
from starcloak.measures.measure import every


class ColumnSeen(Part):
    """A quasi-identifier before and after. ``frequent`` are the rows of its most frequent values, k rows or more.

    All is of the rows that are released: what was left out would be the difference.
    """

    attribute: str
    values: int = Field(description="values in the source, of the rows that are released")
    released_values: int
    frequent: list[int] = Field(description="before, largest first, at most 24")
    released_frequent: list[int]
    values_at_level_0: int | None = Field(
        default=None, description="values at level 0 in the release, without the missing one; null if not counted"
    )


class SizesSeen(Part):
    """Classes of the release from ``least`` to ``most`` rows."""

    least: int
    most: int
    classes: int | None = Field(description="null where 1 to k - 1")
    rows: int


class ThresholdSeen(Part):
    """A customary threshold: whether every class has so many rows, and the share of the rows in smaller ones.

    Where rows are told apart by persons, these are counted.
    """

    name: str
    k: int
    probability: float
    holds: bool
    records_at_risk: float


class RiskBefore(Part):
    """The chance to find a row, or where these are told apart a person, by quasi-identifiers as the source has them.

    Of rows it is told of those that are released; of persons, of all.
    """

    alone: int | None = Field(description="who have no other with the same values; null where 1 to k - 1")
    highest: float = Field(description="the highest chance (0 … 1)")
    average: float = Field(description="the mean chance (0 … 1)")
    thresholds: list[ThresholdSeen]


class RowsAlone(Part):
    """Rows of the release that are alone by its quasi-identifiers and kept columns together; no sensitive ones."""

    columns: list[str] = Field(description="by which they are")
    rows: int | None = Field(description="null where 1 to k - 1, or all but so many; about, of over 1,000,000 cells")
    most: bool = Field(description="whether these are more than half of the rows")
    sets: list[list[str]] = Field(
        description="the smallest sets of at most four columns that tell nearly as many rows apart, where most rows "
        "are alone and as far as they were searched"
    )


class Insight(Part):
    """What a release looks like beside its source."""

    columns: list[ColumnSeen]
    thresholds: list[ThresholdSeen]
    average_risk: float | None = Field(
        default=None,
        description="the mean chance (0 … 1) to find a row or, where these are told apart, a person within its class",
    )
    before: RiskBefore | None = Field(default=None, description="null where no row is released")
    alone: RowsAlone | None = Field(default=None, description="null where no row is, or nothing is kept")
    remarks: list[str] = Field(default=[], description="what whoever released it should know, a line each")
    otherwise: list[str] = Field(default=[], description="what else was to be had, counted over all rows of the source")
    larger_k: str | None = Field(default=None, description="what a larger k would cost")
    left_out: list[str] = Field(default=[], description="what was not looked at, and why")

    @property
    def lines(self) -> list[str]:
        """All that is to be said of it."""
        larger = [] if self.larger_k is None else [self.larger_k]
        return [*self.remarks, *self.otherwise, *larger, *self.left_out]


class QidRequired(Part):
    """A quasi-identifier (QID) with a k of its own (Fung, Wang, Yu 2007, Definition 1)."""

    attributes: list[str]
    k: int = Field(ge=1)


class ModelReleased(Part):
    """A privacy model beside k-anonymity, with what the release has of it."""

    model: str = Field(description="its key in the job's requirement")
    required: dict[str, Any] = Field(description="as the job gives it")
    achieved: float | None = Field(description="of the worst class, counted on the release; null without rows")
    of_source: bool = Field(default=False, description="whether it compares classes with all rows of the source")


class QidReleased(QidRequired):
    """A QID with the k that the release has."""

    achieved_k: int | None = Field(description="its smallest class, counted on the release; null without rows")
    models: list[ModelReleased] = Field(default=[], description="further models that each of its classes satisfies")


class RequirementReleased(Part):
    """What was required, and what the release has."""

    k: int | None = Field(ge=1, description="null with several QIDs")
    qids: list[QidReleased] = Field(min_length=1, description="one of all quasi-identifiers, or several")
    redundant_qids: list[QidRequired] = Field(description="QIDs that others imply: no search looks at them")
    suppression: float = Field(ge=0, le=1, description="share of the rows that may be left out")
    joined_rows: int | None = Field(default=None, ge=1, description="the least k of joined rows, if it was required")


class PersonsReleased(Part):
    """Whose the rows are, where several may be one person's: every k is then of persons, and so is what is achieved."""

    told_by: list[str] = Field(description="the columns that tell persons apart, which are not released")
    as_set: bool = Field(default=False, description="whether k persons have the same tuples, each as often")
    persons: int = Field(ge=1, description="of the source")
    released: int = Field(ge=0, description="with a row in the release")


class PopulationUsed(Part):
    """The population that the rows are of, where the requirement asks for one."""

    source: str = Field(description="what it was read from, by a name that tells no password")
    people: int = Field(ge=1)
    tuples: int = Field(ge=1, description="combinations of the quasi-identifiers that they have")
    fingerprint: str = Field(description="fingerprint of these with their people, in any order")


class AlgorithmUsed(Part):
    """What searched."""

    name: str
    variant: str | None = Field(description="null where the algorithm has none")
    settings: dict[str, Any] = Field(default={}, description="its other settings, as the job gives them")


class RecodingSummary(Part):
    """What was done to each quasi-identifier."""

    model: Literal["full-domain", "single-dimension", "multi-dimension", "local"]
    levels: dict[str, int] = Field(
        description="level of each quasi-identifier, 0 being its own values; in a local recoding its lowest"
    )
    heights: dict[str, int] = Field(description="highest level of each quasi-identifier")
    labels: dict[str, list[str]] = Field(
        default={}, description="what the levels of each quasi-identifier are called, from level 0 to the highest"
    )

    def label(self, attribute: str, level: int) -> str:
        """What a level of an attribute is called."""
        labels = self.labels.get(attribute, [])
        return labels[level] if level < len(labels) else f"level {level}"


class IterationDone(Part):
    """What one iteration of the search did (LeFevre, DeWitt, Ramakrishnan 2005, Figure 8)."""

    attributes: int
    candidates: int
    checked: int
    from_star: int = Field(description="frequency sets counted by GROUP BY over the star")
    from_rollup: int = Field(description="frequency sets rolled up from that of a node beneath")
    anonymous: int


class _Measures(Part):
    """Measures of a release, rounded to 10 decimals. The cells of a suppressed row count as generalized to the root.

    Li, Wong, Fu, Pei 2008 is the source where no other is named. A ratio is 0 … 1 and 0 for the source itself, but
    ``precision``, which is 1 there. A cell with a range of its own has climbed the share of the step to the root that
    the range covers of the other leaves; all ranges count as one level.
    """

    model_config = ConfigDict(frozen=True, defer_build=True, extra="allow")

    @classmethod
    def __get_pydantic_json_schema__(cls, core: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """Those that were registered later, too."""
        schema = handler.resolve_ref_schema(handler(core))
        for measure in every():
            described = {**TypeAdapter(measure.type).json_schema(), "description": measure.description}
            schema["properties"].setdefault(measure.name, described)
        return schema

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Every measure goes by its name."""


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
    """How the recoding was found. What an algorithm tells beside is under a key of its own, null for others."""

    lattice_nodes: int = Field(description="nodes of the generalization lattice")
    checked: int = Field(default=0, description="nodes whose frequency set was counted, over all subsets")
    statements: int = Field(default=0, description="statements that ran until the nodes were known")
    scans: int = Field(default=0, description="reads of the star, several in a statement that counts several nodes")
    rows_aggregated: int = Field(default=0, description="rows that were aggregated into frequency sets")
    complete: bool = Field(
        default=False,
        description="whether all generalizations that satisfy it were found; else the search ended with the one taken",
    )
    pruned: Literal["monotone", "implied bound"] = Field(
        default="monotone",
        description="why nodes were not asked: all above one that satisfies it do, or their groups are too small",
    )
    anonymous_nodes: int = Field(
        default=0,
        description="full-domain generalizations found that satisfy the requirement: all of them if complete, else "
        "those known when the search ended",
    )
    minimal: list[list[int]] = Field(
        default=[], description="levels of the minimal ones, in the order of quasi_identifiers, by height"
    )
    minimal_levels: list[dict[str, int]] = Field(
        default=[], description="the same with the names of the quasi-identifiers"
    )
    anonymous_levels: list[dict[str, int]] = Field(
        default=[],
        description="levels of the lowest of all that were found, by height: at most 100; sc.lattice has all",
    )
    iterations: list[IterationDone] = Field(default=[], description="with several QIDs, those of one after the other")

    @property
    def told(self) -> SearchDetails | None:
        """What the algorithm tells beside what all do."""
        return next((value for name in self.told_keys if (value := getattr(self, name)) is not None), None)

    told_keys: ClassVar[tuple[str, ...]] = ()


def _tellable() -> dict[str, type[SearchDetails]]:
    """What algorithms tell of their searches, by key."""
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
    """What there is to tell of a search that looks at no lattice."""
    return Search.model_validate({"lattice_nodes": lattice_nodes, details.key: details})


class Seconds(Part):
    """Wall-clock seconds per stage. compress is the one GROUP BY, star the dimension tables and the star."""

    open: float
    compare: float = Field(default=0, description="telling whether anything changed since the last release")
    compress: float = 0
    star: float = 0
    cube: float = Field(default=0, description="the cube of Cube Incognito; part of search with several QIDs")
    search: float = 0
    recode: float = 0
    verify: float = 0
    insight: float = Field(default=0, description="what the release looks like, and what is to be said of it")
    joint: float = Field(default=0, description="the recoding as a table, and what earlier releases tell with it")
    fingerprint: float = Field(default=0, description="telling the rows of the source and of the release from others")
    publish: float = 0
    total: float


class Versions(Part):
    """What ran."""

    starcloak: str
    duckdb: str
    python: str


class Hashes(Part):
    """What a release was made of, and what it is.

    They are for the custodian of the source: guesses about rows could be tried on that of the source. A hash is null
    where it cannot be told, such as that of a source that changed during the run.
    """

    job: str = Field(description="SHA-256 of the job without its places and its hierarchies")
    hierarchies: dict[str, str | None] = Field(
        description="SHA-256 per attribute that has one, with its file or its table"
    )
    program: str = Field(description="SHA-256 of starcloak's own statement files and modules")
    statements: str = Field(description="SHA-256 of the script, fingerprints in place of its tables' rows")
    source: str | None = Field(description="fingerprint of the released columns' rows in the source, in any order")
    release: str | None = Field(description="SHA-256 of the released file, or fingerprint of the released table")


class SharedValues(Part):
    """How many values of a sensitive attribute all classes of a row share at least, in several releases."""

    attribute: str
    required: int = Field(description="how many they should share: as many as every class has to have, or 1")
    least: int | None
    unknown: bool = Field(
        default=False,
        description="whether it is not known which values the classes of one of the releases have: its requirement did "
        "not read them, or it was searched again; least is of the others",
    )


class _JointFigures(Part):
    """Groups of rows that share a class in each of some releases.

    Rows that are not in all of them form groups of their own.
    """

    attributes: list[str] = Field(default=[], description="the quasi-identifier (QID) whose cells make the classes")
    required_k: int | None = Field(default=None, description="the k of that QID")
    exact: bool = Field(
        default=False,
        description="whether every tuple is in one class and the source is unchanged, or the job says whose the rows "
        "are; else the figures are an estimate",
    )
    k: int | None = Field(default=None, description="joint k: the smallest of the groups")
    groups: int | None = None
    rows: int | None = Field(default=None, description="rows of all of these releases, each once")
    rows_below: int | None = Field(default=None, description="rows in groups of fewer than k")
    rows_gone: int | None = Field(default=None, description="rows in earlier releases alone")
    rows_new: int | None = Field(default=None, description="rows in this release alone")
    shared: list[SharedValues] = Field(default=[], description="for sensitive attributes that the requirement reads")

    @property
    def is_below(self) -> bool:
        """Whether a group is smaller than it should be."""
        return self.k is not None and self.k < (self.required_k or 1)


class Joint(_JointFigures):
    """What this release and one earlier one of the same source tell together over one quasi-identifier."""

    release: str = Field(description="the earlier release")
    run: str = Field(description="the run that made it")
    released_at: str
    required: bool = Field(default=False, description="whether the job names it under against")
    unknown: str | None = Field(default=None, description="why nothing is known; then the figures are null")

    @property
    def shares_nothing(self) -> bool:
        """Whether no row is known in both, though the rows may be the same, told otherwise."""
        gone, new = self.rows_gone or 0, self.rows_new or 0
        return not self.exact and bool(gone and new) and self.rows == gone + new


class JointTogether(_JointFigures):
    """What this release and several earlier ones of the same source tell together over one quasi-identifier."""

    runs: list[str] = Field(description="the runs that made the earlier ones, the first one first")
    required: bool = Field(
        default=False, description="whether they are those that the job names under against; else all that are known"
    )


class CellsCleaned(Part):
    """What a rule of the job's cleaning did to a column."""

    column: str
    rule: Literal["trim", "missing", "case", "map", "number", "valid"]
    cells: int | None = Field(description="cells of the source that it changed; null where that is not told")


class CellsNonconforming(Part):
    """Cells of a quasi-identifier whose value has no leaf in its hierarchy: information that no level shows."""

    column: str
    become: Literal["missing", "suppress"] = Field(
        description="as the hierarchy says under nonconforming: from level 1 on missing, or the top at once"
    )
    cells: int | None = Field(description="of the source; null where that is not told")


class Refreshing(Part):
    """What a refresh did to the rows of the release before, and to new ones."""

    stayed: int = Field(description="rows that stay as they were")
    new: int = Field(description="rows that were not in the release before: k of them, or of persons, come at once")
    waiting: int = Field(description="rows that wait, and are left out until they can be shown")
    gone: int = Field(description="rows of the release before that are not there any more, or not shown as they were")
    held: int = Field(
        default=0, description="rows that the source does not have any more, among those that stay and those it counts"
    )
    left: int | None = Field(
        default=None,
        description="persons who leave for good, as a row of one of them went or changed: k or more of one history at "
        "once; null where each row is one's own",
    )


class Result(Part):
    """The result of ``starcloak run``: the manifest of a release.

    It is for the custodian of the source: it counts the suppressed rows exactly, even where they are fewer than k.
    """

    run: str = Field(description="a random identifier of the run that made the release")
    unchanged: bool = Field(
        default=False, description="whether nothing was done, since this very release is there; seconds are this run's"
    )
    source: str = Field(description="what the rows were read from, by a name that tells no password")
    output: str = Field(description="where the release is, by such a name")
    rows: int = Field(ge=1, description="rows of the source, with those that a refresh holds")
    released_rows: int = Field(ge=0, description="rows of the release")
    suppressed_rows: int = Field(ge=0, description="rows of the source that were left out")
    k: int | None = Field(
        description="the smallest equivalence class over all quasi-identifiers together, counted on the release; with "
        "several QIDs it may be smaller than the k of each; null without rows"
    )
    persons: PersonsReleased | None = Field(default=None, description="null where each row is one's own")
    by_identifier: list[ByIdentifier] = Field(
        default=[],
        description="where rows may not be persons: classes counted by identifiers whose values repeat",
    )
    joined_rows: list[JoinedRows] = Field(
        default=[],
        description="per QID, what a reader finds who joins rows of one person; empty where each row is one's own",
    )
    roles: dict[str, list[str]] = Field(
        default={}, description="the columns of each role, as the job names them; all others are not released"
    )
    requirement: RequirementReleased
    population: PopulationUsed | None = Field(default=None, description="null where the requirement asks for none")
    algorithm: AlgorithmUsed
    objective: Minimized = Field(description="what the choice among all that satisfy the requirement minimized")
    domain: LeafDomain = Field(
        default="declared", description="the leaves that loss counts: all that hierarchies declare, or those that occur"
    )
    importance: dict[str, float] = Field(
        default={}, description="by which what is lost in a quasi-identifier counted there, where the job says it"
    )
    seed: int = Field(description="what decided the random choices, and the order of the rows")
    recoding: RecodingSummary
    measures: Measures
    search: Search
    class_sizes: list[SizesSeen] = Field(
        default=[],
        description="how many classes of the release have how many rows, each step twice as large as the one before",
    )
    insight: Insight | None = Field(default=None, description="null where the job turns it off")
    cleaned: list[CellsCleaned] = Field(
        default=[], description="what the job's cleaning did, per column in the order of its rules"
    )
    nonconforming: list[CellsNonconforming] = Field(
        default=[], description="cells without a leaf, per quasi-identifier whose hierarchy says what becomes of these"
    )
    refresh: Refreshing | None = Field(default=None, description="null where the job does not ask for one")
    joint: list[Joint] = Field(
        default=[], description="what each of the last earlier releases tells together with this one, per QID"
    )
    joint_together: list[JointTogether] = Field(
        default=[], description="what all earlier releases of the source tell together with this one, per QID"
    )
    companions: dict[str, Any] = Field(default={}, description="parts that companions of other packages add, by name")
    seconds: Seconds
    memory_limit: str = Field(
        description="the memory from which on the working store writes to its private folder: as given, or four fifths "
        "of the machine's or container's; arrays of a search come beside it"
    )
    versions: Versions
    hashes: Hashes
    kept_by_patterns: list[str] = Field(
        default=[], description="columns released as they are because a pattern under keep means them"
    )
    warnings: list[str] = Field(
        default=[], description="what the custodian should know of the database and of this run"
    )

    def level_label(self, attribute: str, level: int) -> str:
        """Name of the cells of an attribute at a level: missing, if no cell at level 0 shows a value."""
        seen = [] if self.insight is None else self.insight.columns
        counted = next((column.values_at_level_0 for column in seen if column.attribute == attribute), None)
        return "missing" if level == 0 and counted == 0 else self.recoding.label(attribute, level)

    @property
    def counted(self) -> str:
        """What every k counts: rows, or persons where these are told apart."""
        return "rows" if self.persons is None else "persons"


class Failure(Part):
    """Why a command failed."""

    kind: str = Field(description="the type of the error, Interrupted, TimedOut or Defect")
    message: str = Field(description="the line that standard error has, too")
    exit_code: int = Field(ge=1)
    sql: str | None = Field(
        default=None, description="what shows the values without a leaf in the client of the source's database"
    )


class Failed(Part):
    """What a command with ``--json`` prints where it fails, in place of its result."""

    error: Failure
