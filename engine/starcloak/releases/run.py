"""A run: the steps from a job to its release, and the calls made to companions during these steps.

Companions are optional features, each in a folder of its own; the core names none of them. The core makes these calls,
in this order; a companion implements any of them:

=================  ===================================================================================================
``is_active``      true if the companion takes part in the run of a job
``places``         files that the companion writes: they must not be files of the run
``needs``          data that comes to the working store from the source's database
``around``         a context around the whole run, including the lock of the output place; sees success and failure
``resolve``        the job with settings taken from the previous release in its output place
``refuse``         errors in the job or in the output place, raised before the first row of the source is read
``keeps_running``  true if a release has to be made again although its inputs are unchanged
``settled``        the result of an unchanged release; the run ends there
``propose``        a recoding in place of a search; the first companion with one decides
``claims``         columns for the verifier's one reading, and clauses of its own
``examine``        a part of the result and warnings, from a verified release
``kept``           data kept with the recoding for later runs
``before_publish`` the same as ``examine`` while the source is locked, or an error that prevents publication
``publishing``     a context around the publication, while the source is locked; rolls back on failure
``after_publish``  the end of a run, also of one with an unchanged release
``notes``          warnings on an unchanged release
``disclosed``      the content of its part of the result for readers
=================  ===================================================================================================

Another package names the module of its companion by the entry point ``starcloak.companions``; a job then names the
companion under ``companions``, with its settings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar

from starcloak.base.errors import JobError, hint, unpublished
from starcloak.base.interrupts import NOTHING, Ending
from starcloak.base.settings import check
from starcloak.job import Job
from starcloak.job.result import Result
from starcloak.releases.companion import CompanionKind, installed
from starcloak.releases.manifest import Inputs, known_result, refuse_another_source
from starcloak.releases.proposal import (
    Clock,
    Proposal,
    ResolvedJob,
    compress,
    open_for,
    propose,
    refuse_places,
    resolve,
)
from starcloak.releases.recodings.registration import settle, withdraw_left
from starcloak.releases.targets.target import Target
from starcloak.statements.statement import Name
from starcloak.store.databases.host import Host
from starcloak.store.resources import Resources
from starcloak.store.session import Session, new_run_id
from starcloak.store.source import Source
from starcloak.store.staging import Written
from starcloak.verify.claim import Clause
from starcloak.verify.recount import Reading

if TYPE_CHECKING:
    from starcloak.base.frames import Frame
    from starcloak.releases.recodings.recoded_tuples import Relations
    from starcloak.releases.recodings.saved_recodings import About, Recoded
    from starcloak.verify.classes import Sizes
    from starcloak.verify.population import PopulationSource


@dataclass(frozen=True)
class Claims:
    """Additions of a companion to the claim (the conditions verified on a staged release).

    The verifier also counts the values of the unchanged columns ``looked_at`` when it reads the release. The
    ``clauses`` are further conditions.
    """

    looked_at: tuple[str, ...] = ()
    clauses: tuple[Clause, ...] = ()


@dataclass(frozen=True)
class Addition:
    """Additions of a companion to a result: its own ``part``, values of ``fields`` of all results, ``warnings``."""

    part: Any = None
    fields: Mapping[str, Any] = field(default_factory=dict)
    warnings: Sequence[str] = ()


@dataclass(frozen=True)
class Remembered:
    """Data that a companion saves with the recoding of a release, for later runs.

    ``about`` has fields of the recoding's description, ``shown`` is a relation to save, or None. If ``required``, a
    release is not published unless these data are saved.
    """

    about: Mapping[str, Any] = field(default_factory=dict)
    shown: Name | None = None
    required: bool = False


@dataclass
class Run:
    """State of one run. Attributes declared without a value are set by the later steps of the run.

    ``goal`` is the target of the release. ``job`` is resolved once the output place is locked, and its column patterns
    are expanded once the ``source`` is open. ``made`` has the recoding of the verified release as relations, ``about``
    its description; ``made`` is None if the base frequency set stayed in the source's database. ``sizes`` are the sizes
    of the classes of the release.
    """

    job: Job
    goal: Target
    options: Mapping[str, Any]
    companions: list[Companion]
    resources: Resources
    ending: Ending
    id: str = field(default_factory=new_run_id)
    clock: Clock = field(default_factory=Clock)
    resolved: ResolvedJob = field(init=False)
    store: Session = field(init=False)
    source: Source = field(init=False)
    inputs: Inputs = field(init=False)
    proposal: Proposal = field(init=False)
    #: Hash of the SQL statements that make the release.
    statements: str = field(init=False)
    sizes: Sizes = field(init=False)
    made: Relations | None = field(init=False)
    about: About = field(init=False)
    #: Descriptions of known earlier releases of the source, the last one first; set once the source is locked.
    published: list[About] = field(init=False, default_factory=list)
    recoded: Recoded | None = field(init=False, default=None)

    @classmethod
    def of(cls, job: Job, target: Target, resources: Resources, options: Mapping[str, Any]) -> Run:
        """A new run of a job with its active companions. Raises an error if it would overwrite an input or output."""
        companions = active(job, options)
        refuse_places(job, target, *(place for companion in companions for place in companion.places(job)))
        ending = resources.ending or Ending()
        return cls(job, target, options, companions, replace(resources, ending=ending), ending)

    @property
    def warnings(self) -> list[str]:
        """Warnings of the run so far: on the source's database, and on failures that do not prevent the release."""
        return self.source.host.warnings

    @property
    def may_be_unchanged(self) -> bool:
        """True if the last release in the place has the same job: it is made again only if its inputs changed.

        Always False with the option ``force``.
        """
        before = None if self.options.get("force") else known_result(self.goal, [])
        return before is not None and before.hashes.job == self.resolved.hash

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Context of the run: locks the output place, resolves the job, and opens the working store.

        A :class:`KeyboardInterrupt` is raised again with a text on the files written so far, and the error of a refused
        release with the words that nothing was published.
        """
        self.ending.written = NOTHING
        try:
            with unpublished(), ExitStack() as stack:
                for companion in self.companions:
                    stack.enter_context(companion.around(self))
                with self.ending.undisturbed():
                    stack.enter_context(self.goal.lock_place())
                withdraw_left(self.goal)
                self.resolved = resolve(self.job, self.goal)
                self.job = self.resolved.job
                self.store = stack.enter_context(open_for(self.job, self.resources, self.goal, self.id))
                yield
        except KeyboardInterrupt:
            raise KeyboardInterrupt(self.ending.written) from None

    def open(self, frame: Frame | None, people: PopulationSource | None) -> None:
        """Open the source and count its distinct tuples.

        Before the first row is read, it is decided if earlier runs killed in this place published their releases, and
        errors in the job or the place are raised.
        """
        warnings = list(self.resolved.warnings)

        def refuse(host: Host) -> None:
            if self.goal.lasts:
                settle(self.goal, warnings)
            if not self.may_be_unchanged:
                refuse_another_source(self.store, self.job, self.goal)
            for companion in self.companions:
                companion.refuse(self)

        self.source = compress(
            self.store, self.job, frame, self.clock, self.goal, people=people, whole=False, refuse=refuse
        )
        self.warnings.extend(warnings)
        self.job = self.resolved.of_source(self.source)
        with self.clock.stage(self.store, "compare"):
            self.inputs = Inputs.of(self.store, self.resolved.job, self.source)

    def propose(self) -> None:
        """Set ``proposal``: the recoding proposed by a companion, or else the outcome of a search."""
        if (warning := refuse_another_source(self.store, self.job, self.goal)) is not None:
            self.warnings.append(warning)
        proposal = first(self.companions, lambda companion: companion.propose(self))
        self.proposal = propose(self.store, self.job, self.source, self.clock) if proposal is None else proposal
        self.source = self.proposal.source


def propose_as_run(store: Session, resolved: ResolvedJob, opened: Source) -> Proposal:
    """The recoding that a run of a job would propose for its opened source, by a companion or by a search.

    The ``store`` was opened for the job's target, and the source was compressed for it. Nothing is published.
    """
    run = Run.of(resolved.of_source(opened), resolved.goal, Resources(), {})
    run.store, run.source, run.inputs = store, opened, Inputs.of(store, resolved.job, opened)
    run.propose()
    return run.proposal


class Companion(CompanionKind):
    """A companion of one run. The core calls these methods in the order listed in the module's docstring."""

    def __init__(self, job: Job, options: Mapping[str, Any]) -> None:
        self.options = options

    def own_settings(self, job: Job) -> Any:
        """The companion's checked settings under ``companions`` in a job.

        Raises :class:`~starcloak.base.errors.JobError` for a setting that the companion does not have.
        """
        settings = job.companions.get(self.name)
        return (
            settings if self.settings is None else check(self.settings, settings or {}, where=f"companions.{self.name}")
        )

    def places(self, job: Job) -> Sequence[Written]:
        """Files written by the companion."""
        return ()

    def around(self, run: Run) -> AbstractContextManager[None]:
        """A context around the whole run, entered before the output place is locked."""
        return nullcontext()

    def refuse(self, run: Run) -> None:
        """Raise an error if the job, or the content of the output place, does not allow the run.

        It is called after the target was prepared, and before the first row of the source is read.
        """

    def keeps_running(self, run: Run) -> bool:
        """True if the release has to be made again although its inputs are unchanged."""
        return False

    def settled(self, run: Run) -> Result | None:
        """The result of the existing release, if the run can end without a new one; None if the run has to go on."""
        return None

    def propose(self, run: Run) -> Proposal | None:
        """A recoding in place of a search; None to leave it to another companion or to the search."""
        return None

    def claims(self, run: Run, source: Source) -> Claims:
        """Further conditions to verify on the release staged from the rows of ``source``."""
        return Claims()

    def examine(self, run: Run, reading: Reading) -> Addition:
        """Additions to the result of a verified release, before the source is locked."""
        return Addition()

    def kept(self, run: Run) -> Remembered:
        """Data that the companion saves with the recoding for later runs."""
        return Remembered()

    def before_publish(self, run: Run, reading: Reading) -> Addition:
        """Additions to the result while the source is locked. Raises an error to refuse the release."""
        return Addition()

    def publishing(self, run: Run) -> AbstractContextManager[None]:
        """A context around the publication, while the source is locked; it has to roll back on failure."""
        return nullcontext()

    def after_publish(self, run: Run, result: Result) -> None:
        """Called at the end of a run, after the release was published or was found unchanged."""

    def notes(self, run: Run, result: Result) -> Sequence[str]:
        """Warnings on an existing release that was found unchanged; ``result`` is its result."""
        return ()


def active(job: Job, options: Mapping[str, Any]) -> list[Companion]:
    """New instances of the companions active in a run of the job, sorted by ``order`` and name.

    Raises :class:`~starcloak.base.errors.JobError` for a key or a companion unknown to every installed companion.
    """
    kinds = installed()
    keys = {key for kind in kinds for key in kind.keys}
    for key in job.optional_keys:
        if key in job.model_fields_set and key not in keys:
            raise JobError(
                f"the job has the key {key}, which no installed companion (optional feature) supports: install its "
                f"package, or leave {key} out"
            )
    for name in job.companions:
        if name not in {kind.name for kind in kinds}:
            raise JobError(
                f"companions.{name}: no companion (optional feature) of this name is installed: install its package, "
                f"or correct the name.{hint(name, [k.name for k in kinds])}"
            )
    active_kinds = [kind for kind in kinds if issubclass(kind, Companion) and kind.is_active(job, options)]
    companions = [kind(job, options) for kind in active_kinds]
    for companion in companions:
        companion.own_settings(job)
    return companions


#: Fields that a companion may keep with a recoding: later runs recognize rows or persons by them.
_KEPT = {"chain", "columns", "holds", "identity"}


def kept_of(run: Run) -> Remembered:
    """The data that all companions of a run save with its recoding, merged.

    Raises :class:`ValueError` if a companion gives another field than those in _KEPT.
    """
    about: dict[str, Any] = {}
    shown_rows, required = None, False
    for companion in run.companions:
        remembered = companion.kept(run)
        if not {*remembered.about} <= _KEPT:
            raise ValueError(
                f"companion {companion.name} may save only {', '.join(sorted(_KEPT))}: leave other fields out of kept()"
            )
        about |= remembered.about
        shown_rows, required = remembered.shown or shown_rows, required or remembered.required
    return Remembered(about, shown_rows, required)


_Value = TypeVar("_Value")


def first(companions: Iterable[Companion], call: Callable[[Companion], _Value | None]) -> _Value | None:
    """The first result of ``call`` that is not None, over the companions in order; None if there is none."""
    return next((answer for companion in companions if (answer := call(companion)) is not None), None)
