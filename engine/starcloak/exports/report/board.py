"""Facts of the first page of a report: a page of A4 for the people who decide on the release."""

from __future__ import annotations

from dataclasses import dataclass

from starcloak.job.changed_cells import CellsCleaned, CellsNonconforming
from starcloak.job.result import Decision, Result
from starcloak.releases.disclosure import CONFIRM, MOST_ALONE

_SHOWN, _LONGEST = 3, 240  # remarks on the page, and characters of one


@dataclass(frozen=True)
class Board:
    """Facts of a disclosed release for its first page.

    ``coarse`` has, by quasi-identifier, the label of its most frequent level and the share (0 … 1) of released cells at
    this level. ``unchanged`` has the quasi-identifiers at level 0 in all rows. ``decided`` has the columns by decision
    on their roles. ``cleaned`` has, by column, the cleaning rules with changed cells; ``nonconforming`` has the other
    quasi-identifiers with cells without a leaf. ``remarks`` are the first remarks
    on the result, without the page's decision; ``further`` are remarks not shown in full on the page. ``unconfirmed``
    is the number of proposed roles without confirmation, or 0 if the page's decision is to confirm them. ``joint`` has
    the rows of the table on the joint risk with earlier releases.
    """

    coarse: dict[str, tuple[str, float]]
    unchanged: list[str]
    decided: dict[Decision, list[str]]
    cleaned: dict[str, list[str]]
    nonconforming: list[CellsNonconforming]
    remarks: list[str]
    further: list[str]
    alone_before: str
    joint: list[tuple[str, str, str, str, str, str]]
    is_joint_below: bool
    is_joint_unknown: bool
    unconfirmed: int


def board_of(
    result: Result,
    *,
    decision: str,
    alone_before: str,
    joint: list[tuple[str, str, str, str, str, str]],
    is_joint_below: bool,
) -> Board:
    """Collect the facts of a ``result`` safe to publish; ``decision`` is the sentence on the reader's next decision."""
    lines = [] if result.insight is None else [*result.insight.lines]
    if result.insight is not None and result.insight.alone is not None and MOST_ALONE in decision:
        rows, k = result.released_rows, max(qid.k for qid in result.requirement.qids)
        alone = result.insight.alone.sentence(rows, k)
        lines = [line for line in lines if line != alone]
    lines = [line for line in lines if line not in decision]
    remarks, further = lines[:_SHOWN], lines[_SHOWN:]
    at_zero = unchanged(result)
    return Board(
        coarse=_coarse(result),
        unchanged=at_zero,
        decided=_decided(result),
        cleaned=_cleaned(result.cleaned),
        nonconforming=[part for part in result.nonconforming if part.cells != 0 and part.column not in at_zero],
        remarks=[line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…" for line in remarks],
        further=[*(line for line in remarks if len(line) > _LONGEST), *further],
        alone_before=alone_before,
        joint=joint,
        is_joint_below=is_joint_below,
        is_joint_unknown=any(pair.unknown is not None for pair in result.joint),
        unconfirmed=0 if decision.startswith(CONFIRM) else [*result.decided.values()].count("proposed"),
    )


def unchanged(result: Result) -> list[str]:
    """The quasi-identifiers with level 0, the values of the source, in all rows of the release."""
    levels_in_use = result.measures.level_shares
    return [name for name in result.roles.get("quasi_identifiers", []) if set(levels_in_use[name]) == {"0"}]


def _coarse(result: Result) -> dict[str, tuple[str, float]]:
    coarse = {}
    for name in result.roles.get("quasi_identifiers", []):
        shares = result.measures.level_shares[name]
        if shares:
            level = max(shares, key=lambda level: shares[level])
            coarse[name] = (result.level_label(name, int(level)), shares[level])
    return coarse


def _decided(result: Result) -> dict[Decision, list[str]]:
    columns: dict[Decision, list[str]] = {}
    for name, decision in result.decided.items():
        columns.setdefault(decision, []).append(name)
    return columns


def _cleaned(rules: list[CellsCleaned]) -> dict[str, list[str]]:
    columns: dict[str, list[str]] = {}
    for rule in rules:
        if rule.cells != 0:
            columns.setdefault(rule.column, []).append(rule.rule)
    return columns
