"""A run from its job to its release, as the core and its companions see it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from starcloak.base.interrupts import NOTHING, Ending
from starcloak.job import Job
from starcloak.releases import companion
from starcloak.releases.clock import Clock
from starcloak.releases.companion import Companion
from starcloak.releases.manifest import Inputs
from starcloak.releases.proposal import Proposal, compress, open_for, propose, refuse_places
from starcloak.releases.recodings.registration import settle
from starcloak.releases.resolved_job import ResolvedJob, resolve
from starcloak.releases.targets import registry
from starcloak.releases.targets.target import Target
from starcloak.store.resources import Resources
from starcloak.store.session import Session, new_run_id
from starcloak.store.source import Source

if TYPE_CHECKING:
    from starcloak.base.frames import Frame
    from starcloak.releases.recodings.recoded_tuples import Relations
    from starcloak.releases.recodings.saved_recodings import About, Recoded
    from starcloak.verify.classes import Sizes
    from starcloak.verify.population import PopulationSource


@dataclass
class Run:
    """One run. What is declared without a value is there from its stage on.

    ``job`` is resolved once the place is locked, and has the columns of its patterns once the ``source`` is ``open``.
    ``about`` and ``made`` are the recoding of the verified release, ``made`` None if its combinations did not come
    home; ``sizes`` are those of its classes.
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
    #: Hash of the script of the release.
    statements: str = field(init=False)
    sizes: Sizes = field(init=False)
    made: Relations | None = field(init=False)
    about: About = field(init=False)
    recoded: Recoded | None = field(init=False, default=None)

    @classmethod
    def of(cls, job: Job, resources: Resources, options: Mapping[str, Any], *, framed: bool) -> Run:
        """The run of a job, whose source may be a data frame; refuses places that would be written over."""
        goal, companions = registry.target(job, framed=framed), companion.active(job, options)
        refuse_places(job, goal, *(place for each in companions for place in each.places(job)))
        ending = resources.ending or Ending()
        return cls(job, goal, options, companions, replace(resources, ending=ending), ending)

    @property
    def warnings(self) -> list[str]:
        """Warnings on the database of the rows, and on whatever failed without harm."""
        return self.source.host.warnings

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Lock the place of the release, and resolve the job. An interrupt says what was written until then."""
        self.ending.written = NOTHING
        try:
            with ExitStack() as stack:
                for each in self.companions:
                    stack.enter_context(each.around(self))
                with self.ending.undisturbed():
                    stack.enter_context(self.goal.lock_place())
                self.resolved = resolve(self.job, self.goal)
                self.job = self.resolved.job
                self.store = stack.enter_context(open_for(self.job, self.resources, self.goal, self.id))
                yield
        except KeyboardInterrupt:
            raise KeyboardInterrupt(self.ending.written) from None

    def open(self, frame: Frame | None, people: PopulationSource | None) -> None:
        """Open the source and compress its rows. Runs that were ended in this place are settled first."""
        self.source = compress(self.store, self.job, frame, self.clock, self.goal, people=people, whole=False)
        self.warnings.extend(self.resolved.warnings)
        if self.goal.lasts:
            settle(self.goal, self.warnings)
        self.job = self.resolved.of_source(self.source)
        with self.clock.stage(self.store, "compare"):
            self.inputs = Inputs.of(self.store, self.resolved.job, self.source)

    def propose(self) -> None:
        """Have a companion propose a recoding, or search one."""
        found = companion.first(self.companions, lambda each: each.propose(self))
        self.proposal = propose(self.store, self.job, self.source, self.clock) if found is None else found
        self.source = self.proposal.source
