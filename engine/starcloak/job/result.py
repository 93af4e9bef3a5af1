"""The result of a run as data: ``schemas/report.json`` is its JSON Schema. Rows never appear in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, GetJsonSchemaHandler, TypeAdapter, create_model
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from starcloak.base import small_counts
from starcloak.base.drawing.summary import Summarized, Summary
from starcloak.job.algorithms import SearchDetails, algorithms
from starcloak.job.release_insight import ByIdentifier, Insight, SizesSeen
from starcloak.measures.measure import every


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, defer_build=True, extra="forbid")


class QidRequired(_Part):
    """A quasi-identifier (QID) with a k of its own (Fung, Wang, Yu 2007, Definition 1)."""

    attributes: list[str]
    k: int = Field(ge=1)


class ModelReleased(_Part):
    """A privacy model beside k-anonymity, with what the release has of it."""

    model: str = Field(description="its key in the job's requirement")
    required: dict[str, Any] = Field(description="as the job gives it")
    achieved: float | None = Field(description="of the worst class, counted on the release; null without rows")
    of_source: bool = Field(default=False, description="whether it compares classes with all rows of the source")


class QidReleased(QidRequired):
    """A QID with the k that the release has."""

    achieved_k: int | None = Field(description="its smallest class, counted on the release; null without rows")
    models: list[ModelReleased] = Field(default=[], description="further models that each of its classes satisfies")


class RequirementReleased(_Part):
    """What was required, and what the release has."""

    k: int | None = Field(ge=1, description="null with several QIDs")
    qids: list[QidReleased] = Field(min_length=1, description="one of all quasi-identifiers, or several")
    redundant_qids: list[QidRequired] = Field(description="QIDs that others imply: no search looks at them")
    suppression: float = Field(ge=0, le=1, description="share of the rows that may be left out")


class PersonsReleased(_Part):
    """Whose the rows are, where several may be one person's: every k is then of persons, and so is what is achieved."""

    told_by: list[str] = Field(description="the columns that tell persons apart, which are not released")
    as_set: bool = Field(default=False, description="whether k persons have the same tuples, each as often")
    persons: int = Field(ge=1, description="of the source")
    released: int = Field(ge=0, description="with a row in the release")


class PopulationUsed(_Part):
    """The population that the rows are of, where the requirement asks for one."""

    source: str = Field(description="what it was read from, by a name that tells no password")
    people: int = Field(ge=1)
    tuples: int = Field(ge=1, description="combinations of the quasi-identifiers that they have")
    fingerprint: str = Field(description="fingerprint of these with their people, in any order")


class AlgorithmUsed(_Part):
    """What searched."""

    name: str
    variant: str | None = Field(description="null where the algorithm has none")
    settings: dict[str, Any] = Field(default={}, description="its other settings, as the job gives them")


class RecodingSummary(_Part):
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


class IterationDone(_Part):
    """What one iteration of the search did (LeFevre, DeWitt, Ramakrishnan 2005, Figure 8)."""

    attributes: int
    candidates: int
    checked: int
    from_star: int = Field(description="frequency sets counted by GROUP BY over the star")
    from_rollup: int = Field(description="frequency sets rolled up from that of a node beneath")
    anonymous: int


class _Measures(_Part):
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


class _Search(_Part):
    """How the recoding was found. What an algorithm tells beside is under a key of its own, null for others."""

    lattice_nodes: int = Field(description="nodes of the generalization lattice")
    checked: int = Field(default=0, description="nodes whose frequency set was counted, over all subsets")
    statements: int = Field(default=0, description="statements that ran until the nodes were known")
    scans: int = Field(default=0, description="reads of the star, several in a statement that counts several nodes")
    rows_aggregated: int = Field(default=0, description="rows that were aggregated into frequency sets")
    complete: bool = Field(default=False, description="whether all generalizations that satisfy it were found")
    pruned: Literal["monotone", "implied bound"] = Field(
        default="monotone",
        description="why nodes were not asked: all above one that satisfies it do, or their groups are too small",
    )
    anonymous_nodes: int = Field(
        default=0, description="full-domain generalizations found that satisfy the requirement"
    )
    minimal: list[list[int]] = Field(
        default=[], description="levels of the minimal ones, in the order of quasi_identifiers, by height"
    )
    minimal_levels: list[dict[str, int]] = Field(
        default=[], description="the same with the names of the quasi-identifiers"
    )
    anonymous_levels: list[dict[str, int]] = Field(
        default=[], description="levels of the lowest of all that were found, by height: at most 100"
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


class Seconds(_Part):
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


class Versions(_Part):
    """What ran."""

    starcloak: str
    duckdb: str
    python: str


class Hashes(_Part):
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


class SharedValues(_Part):
    """How many values of a sensitive attribute all classes of a row share at least, in several releases."""

    attribute: str
    required: int = Field(description="how many they should share: as many as every class has to have, or 1")
    least: int | None
    unknown: bool = Field(
        default=False,
        description="whether it is not known which values the classes of one of the releases have: its requirement did "
        "not read them, or it was searched again; least is of the others",
    )


class _JointFigures(_Part):
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


class CellsCleaned(_Part):
    """What a rule of the job's cleaning did to a column."""

    column: str
    rule: Literal["trim", "missing", "case", "map", "number", "valid"]
    cells: int | None = Field(description="cells of the source that it changed; null where that is not told")


class Refreshing(_Part):
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


class Result(_Part):
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
    roles: dict[str, list[str]] = Field(
        default={}, description="the columns of each role, as the job names them; all others are not released"
    )
    requirement: RequirementReleased
    population: PopulationUsed | None = Field(default=None, description="null where the requirement asks for none")
    algorithm: AlgorithmUsed
    objective: str = Field(description="what the choice among all that satisfy the requirement minimized")
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
    refresh: Refreshing | None = Field(default=None, description="null where the job does not ask for one")
    joint: list[Joint] = Field(
        default=[], description="what each of the last earlier releases tells together with this one, per QID"
    )
    joint_together: list[JointTogether] = Field(
        default=[], description="what all earlier releases of the source tell together with this one, per QID"
    )
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

    @property
    def counted(self) -> str:
        """What every k counts: rows, or persons where these are told apart."""
        return "rows" if self.persons is None else "persons"


class ModelVerdict(_Part):
    """What ``starcloak check`` tells of a privacy model beside k-anonymity."""

    model: str = Field(description="its key in a job's requirement")
    required: dict[str, Any] = Field(description="as a job gives it")
    described: str = Field(description="what it asks of every class")
    holds: bool
    achieved: float | None = Field(description="of the worst class; null where it does not hold")
    violating_classes: int | None = Field(description="classes that violate it; null where 1 to k - 1")
    violating_rows: int | None = Field(description="rows in them, also those without a value; null where 1 to k - 1")


class QidVerdict(_Part):
    """What ``starcloak check`` tells of one quasi-identifier (QID): no count between 1 and required_k - 1."""

    attributes: list[str]
    required_k: int
    of: Literal["rows", "persons"] = Field(default="rows", description="what every k counts")
    as_set: bool = Field(
        default=False, description="whether it is of persons with the same rows, each as often: these are classes then"
    )
    holds: bool
    k: int | None = Field(description="the smallest equivalence class; null where it is smaller than required")
    classes: int | None = Field(description="equivalence classes; null where the table has fewer than required_k rows")
    violating_classes: int | None = Field(description="classes of fewer than required_k rows; null where 1 to k - 1")
    violating_rows: int | None = Field(description="rows in them; null where 1 to k - 1 of them")
    violating_persons: int | None = Field(
        default=None,
        description="where persons are told apart: those with rows in them, once for each class; null where 1 to k - 1",
    )
    models: list[ModelVerdict] = Field(default=[], description="further models, in the order of the question")
    holds_without: list[str] = Field(
        default=[], description="where it does not hold: attributes of which leaving out one is enough"
    )


class Verdict(Summarized, _Part):
    """The result of ``starcloak check``. ``holds`` where it does for each of the ``qids``."""

    source: str
    holds: bool
    rows: int | None = Field(description="rows of the table; null where they are fewer than a required_k")
    qids: list[QidVerdict] = Field(min_length=1, description="in the order of the question")
    notes: list[str] = Field(default=[], description="what the verdict takes for different that may be one")

    @property
    def summary(self) -> Summary:
        """What is asked of each quasi-identifier, and what was counted."""
        asked, rows = self.qids[0], "rows" if self.rows is None else f"{self.rows:,} rows"
        shown = []
        for qid in self.qids:
            found = small_counts.words(qid.k, qid.required_k)
            classes = small_counts.words(qid.violating_classes, qid.required_k)
            shown.append(
                [", ".join(qid.attributes), f"k = {qid.required_k} {qid.of}", found, classes, _held(qid.holds)]
            )
            for model in qid.models:
                classes = small_counts.words(model.violating_classes, qid.required_k)
                achieved = "-" if model.achieved is None else f"{model.achieved:g}"
                shown.append(["", model.described, achieved, classes, _held(model.holds)])
        return Summary(
            lines=[
                f"Verdict on {rows} of {self.source}: {_held(self.holds)}",
                f"k = {small_counts.words(asked.k, asked.required_k)} over {', '.join(asked.attributes)}",
                f"required {asked.required_k}",
            ],
            head=["quasi-identifier", "asked", "counted", "classes that violate it", "verdict"],
            rows=shown,
            notes=self.notes,
        )


def _held(holds: bool) -> str:
    return "it holds" if holds else "it does not hold"


class Failure(_Part):
    """Why a command failed."""

    kind: str = Field(description="the type of the error, Interrupted, TimedOut or Defect")
    message: str = Field(description="the line that standard error has, too")
    exit_code: int = Field(ge=1)
    sql: str | None = Field(
        default=None, description="what shows the values without a leaf in the client of the source's database"
    )


class Failed(_Part):
    """What a command with ``--json`` prints where it fails, in place of its result."""

    error: Failure
