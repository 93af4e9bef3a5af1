"""The text of a drafted job: every column with its role and the reason, without values of rows."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from starcloak.base.column_names import Role
from starcloak.commands.profile.cleaning import CleaningProposal
from starcloak.commands.profile.costs import Costs
from starcloak.commands.profile.fitting import Fitted
from starcloak.commands.profile.fitting import flow as flow
from starcloak.commands.profile.misspellings import Misspelling
from starcloak.commands.profile.roles import SAID, Decided, persons_of, records_of
from starcloak.commands.profile.selection import Exposure
from starcloak.commands.profile.trials import Choice
from starcloak.job import document, load
from starcloak.job.cleaning import Cleaning
from starcloak.star.fingerprint import columns_as_written

_ROLES: dict[Role, str] = {
    "identifiers": "never released",
    "quasi_identifiers": "generalized until every combination stands for k people",
    "sensitive": "released unchanged; a reader who finds a person's class learns its values",
    "keep": "released unchanged: only columns that others cannot know of a person",
}
_AS: dict[Role, str] = {
    "identifiers": "left out",
    "quasi_identifiers": "a quasi-identifier",
    "sensitive": "sensitive",
    "keep": "released as it is",
}
_SETS = 8  # the largest number listed
_MARK = "# A first job for "


def is_as_drafted(text: str) -> bool:
    """True if a text is a drafted job that nobody changed, by the checksum in its first line."""
    about, _, job = text.partition("\n")
    return about.startswith(_MARK) and about.endswith(f"({_sum(job)})")


def _sum(job: str) -> str:
    return hashlib.sha256(job.encode()).hexdigest()[:12]


@dataclass(frozen=True)
class Tellings:
    """Distinguishing power of the quasi-identifiers over all rows, or over a sample with one row per person.

    All shares are from 0 to 1. ``singles``: for each column the share of the pairs of rows with different values in it.
    ``lost``: for each column the share of the rows unique in all columns that are no longer unique without it.
    ``sets``: minimal sets of columns that distinguish nearly all rows.
    """

    singles: Mapping[str, float]
    lost: Mapping[str, float]
    sets: Sequence[tuple[str, ...]]


@dataclass(frozen=True)
class Draft:
    """A job and the findings behind it.

    ``source`` and ``output`` are as in a job; ``fitted`` are the hierarchies of the quasi-identifiers, with names of
    files in ``files``; ``tellings`` is the distinguishing power of the quasi-identifiers, ``exposure`` that of kept
    columns, ``costs`` the loss by further quasi-identifiers. ``person`` is the identifier of a row's person, if a
    person has several rows. ``cleaning`` is the proposed cleaning, ``cleaned`` the cleaning applied to the cells behind
    all figures. ``misspelled`` are rare values that look like misspellings, by column.
    """

    label: str
    rows: int
    source: Mapping[str, Any]
    output: Mapping[str, Any]
    decided: Sequence[Decided]
    fitted: Mapping[str, Fitted]
    files: Mapping[str, str]
    tellings: Tellings
    exposure: Exposure | None
    cleaning: Mapping[str, CleaningProposal]
    choice: Choice
    costs: Costs
    notes: Sequence[str]
    person: Decided | None = None
    cleaned: Mapping[str, Cleaning] = field(default_factory=dict)
    misspelled: Mapping[str, Sequence[Misspelling]] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The job as YAML, with remarks. Its first line has a checksum of the others, so that changes are noticed."""
        about = f"{_MARK}{_plain(self.label)}, of {self.rows:,} rows: read every role before you run it."
        job = "\n".join(self._lines()) + "\n"
        job = "\n".join([job, *self._proposals(job)]) + "\n"
        return f"{about} ({_sum(job)})\n{job}"

    def of(self, role: Role) -> list[Decided]:
        """The columns of a role; the column that identifies persons has a role of its own."""
        return [column for column in self.decided if column.role == role and column.name != self._person_name]

    @property
    def persons(self) -> str | None:
        """The number of persons behind the rows, in words; None if each row is a person."""
        if self.person is None:
            return None
        its = self.person.profile
        return f"{its.rows:,} rows of {its.distinct:,} {persons_of(its.name)}: k counts {persons_of(its.name)}"

    @property
    def records(self) -> str:
        """The word for the records that the remarks count: rows, or persons with one row each."""
        return records_of(self.person)

    @property
    def _person_name(self) -> str | None:
        return None if self.person is None else self.person.name

    @property
    def doubted(self) -> dict[str, str]:
        """Decisions that the user must take, in words, by column: doubtful roles, cleaning, misspellings."""
        roles = {
            column.name: f"{_AS[column.role]}: {column.evidence}{self._exposed(column.name)}"
            for column in self.decided
            if column.is_doubted
        }
        if self.person is not None and self.person.is_doubted:
            roles[self.person.name] = f"the persons of the rows: {self.person.evidence}"
        cells = {name: proposal.open for name, proposal in self.cleaning.items() if proposal.open}
        words = {
            name: f"{len(found)} rare values look like misspellings of frequent values: see the remark below clean"
            for name, found in self.misspelled.items()
        }
        return {
            name: "; ".join(filter(None, (roles.get(name), cells.get(name), words.get(name))))
            for name in {**roles, **cells, **words}
        }

    @property
    def rules(self) -> dict[str, CleaningProposal]:
        """The proposed cleaning with rules, by column."""
        return {name: proposal for name, proposal in self.cleaning.items() if proposal.rules}

    @property
    def summary(self) -> dict[str, str]:
        """Summary for the user beside the roles, text by heading; all of it is in the job as well."""
        words = {
            "person": self.person and f"{self.person.name}; {self.persons}",
            "clean": ", ".join(self.rules),
            "to decide": ", ".join(self.doubted),
            "compared": self.choice.comparison,
        }
        return {what: text for what, text in words.items() if text}

    def _lines(self) -> Iterator[str]:
        for note in self.notes:
            yield f"# {_plain(note)}"
        if self.person is not None:
            yield f"# Shares of {self.records}, and of pairs of {self.records}, count one row of each of them."
        if self.doubted:
            yield "# To decide, as only somebody who knows the table can:"
            yield from (f"#   {_plain(flow(name))}: {_plain(why)}" for name, why in self.doubted.items())
        if self.source:
            yield f"source: {flow(self.source)}"
        if self.rules:
            yield ""
            yield "clean:  # done before all other steps; remove rules that are wrong"
            for name, proposal in self.rules.items():
                yield f"  {flow(name)}: {flow(proposal.rules)}  # {_plain(proposal.why)}"
        if self.misspelled:
            yield "# Rare values that look like misspellings. To read them as the frequent values, put under clean:"
            yield from map(self._respelled, self.misspelled)
        yield ""
        yield from self._list("identifiers")
        if self.person is not None:
            yield f"person: {flow(self.person.name)}  # never released; {self.persons}"
        yield ""
        yield f"quasi_identifiers:  # {_ROLES['quasi_identifiers']}"
        yield from map(self._generalized, self.of("quasi_identifiers"))
        if self.costs.loss is not None:
            known = _plain(", ".join(self.costs.known))
            yield f"  # {known} alone: loss {self.costs.loss:.2f}, of {self.choice.rows:,} rows"
        if self.tellings.sets:
            yield f"  # The smallest sets of columns that distinguish nearly all {self.records}:"
            for names in self.tellings.sets[:_SETS]:
                yield f"  #   {_plain(', '.join(names))}"
        yield ""
        yield from self._list("sensitive")
        yield from self._list("keep")
        if self.exposure is not None:
            yield (
                f"# By all columns released unchanged together, {self.exposure.together:.0%} of the {self.records} are "
                f"unique{self._sampled(self.exposure.rows)}."
            )
        yield ""
        if self.choice.comparison:
            yield f"# {self.choice.comparison}"
        yield f"requirement: {flow(self.choice.requirement)}  # at most this share of the rows is suppressed"
        yield "objective: {minimize: loss}"
        yield f"algorithm: {{name: {self.choice.algorithm}}}"
        if self.output:
            yield f"output: {flow(self.output)}"

    def _proposals(self, job: str) -> Iterator[str]:
        """Lines of the job's key ``drafted``: fingerprints of the proposals, except for columns with a role set by the
        user.
        """
        loaded = load(document.parse(job, where="the draft"), where="the draft")
        files = {name: self.fitted[name].file or "" for name in self.files}
        given = {column.name for column in self.decided if column.evidence == SAID}
        yield "# The report says who decided on a column. Remove a column here to confirm the proposal of the program."
        yield (
            "drafted:  # keep this line even if you confirm all columns: without it, the report cannot say who decided"
        )
        for name, fingerprint in columns_as_written(loaded, files).items():
            if name not in given:
                yield f"  {flow(name)}: {flow(fingerprint)}"

    def _respelled(self, name: str) -> str:
        """A remark with the rules of a column that would map its misspelled values."""
        found = self.misspelled[name]
        rules = self.rules[name].rules if name in self.rules else {}
        respelled = {**rules.get("map", {}), **{word.text: word.likely for word in found}}
        rows = ", ".join(f"{word.rows:,} beside {word.likely_rows:,}" for word in found)
        return f"#   {_plain(flow(name))}: {_plain(flow({**rules, 'map': respelled}))}  # rows: {rows}"

    def _generalized(self, column: Decided) -> str:
        """The line of a quasi-identifier in the job, with its hierarchy and remarks."""
        name, fitted = column.name, self.fitted[column.name]
        by_itself, lost = self.tellings.singles.get(name), self.tellings.lost.get(name)
        share = "" if by_itself is None else f"; alone it distinguishes {by_itself:.0%} of the pairs of {self.records}"
        share += "" if lost is None else f"; {lost:.0%} of the unique {self.records} are unique only by it"
        further = self.costs.further.get(name)
        share += f"; costs: {further.sentence}" if further is not None else ""
        missing = "; some are missing" if column.profile.is_missing else ""
        missing += f"; values of another kind: {column.profile.strange}" if column.profile.strange else ""
        settings = {"csv": self.files[name]} if name in self.files else fitted.given
        why = _plain("; ".join(dict.fromkeys((column.evidence, fitted.why))))
        return f"  {flow(name)}: {flow(settings)}  # {why}{share}{missing}"

    def _list(self, role: Role) -> Iterator[str]:
        columns = self.of(role)
        if not columns:
            yield f"{role}: []  # {_ROLES[role]}"
            return
        yield f"{role}:  # {_ROLES[role]}"
        for column in columns:
            yield f"  - {flow(column.name)}  # {_plain(column.evidence)}{self._exposed(column.name)}"

    def _exposed(self, name: str) -> str:
        """The share of rows unique only by a kept column, in words; empty below half a percent."""
        if self.exposure is None or name not in self.exposure.without:
            return ""
        lost = self.exposure.together - self.exposure.without[name]
        return f"; {lost:.0%} of the {self.records} are unique only by it" if lost >= 0.005 else ""

    def _sampled(self, counted: int) -> str:
        """The records behind a share, in words; empty if all rows are counted."""
        if self.person is not None:
            return f" (one row of each of {counted:,} {self.records})"
        return f" (of a sample of {counted:,} rows)" if counted < self.rows else ""


def _plain(text: str) -> str:
    """A remark on one line, without control characters."""
    return "".join(character if character.isprintable() else "?" for character in text)
