"""Facts of the first page of a report: a page of A4 for the people who decide on the release."""

from __future__ import annotations

from dataclasses import dataclass

from starcloak.insight import rows_alone
from starcloak.job.drafted import Decision
from starcloak.job.result import CellsCleaned, CellsNonconforming, Result

_SHOWN = 3  # remarks on the page


@dataclass(frozen=True)
class Board:
    """Facts of a disclosed release for its first page.

    ``coarse`` has the label of most cells by quasi-identifier, and False if other cells have other labels. ``decided``
    has the columns by decision. ``cleaned`` has the rules with changed cells by column, and ``nonconforming`` the
    columns with cells without a leaf. Of the ``remarks`` the first ones are shown, except those in another answer.
    ``joint`` has the rows of the table on earlier releases.
    """

    coarse: dict[str, tuple[str, bool]]
    decided: dict[Decision, list[str]]
    cleaned: dict[str, list[str]]
    nonconforming: list[CellsNonconforming]
    remarks: list[str]
    further_remarks: int
    alone_before: str
    joint: list[tuple[str, str, str, str, str, str]]
    is_joint_below: bool


def board_of(
    result: Result,
    *,
    decision: str,
    alone_before: str,
    joint: list[tuple[str, str, str, str, str, str]],
    is_joint_below: bool,
) -> Board:
    """The facts of a disclosed ``result``; ``decision`` is the one decision of the page."""
    lines = [] if result.insight is None else [*result.insight.lines]
    if result.insight is not None and result.insight.alone is not None:  # the page has its figure
        rows, k = result.released_rows, max(qid.k for qid in result.requirement.qids)
        alone = [rows_alone.sentence(result.insight.alone, rows, k, about=about) for about in (False, True)]
        lines = [line for line in lines if line not in alone]
    lines = [line for line in lines if line not in decision]
    return Board(
        coarse=_coarse(result),
        decided=_decided(result),
        cleaned=_cleaned(result.cleaned),
        nonconforming=[part for part in result.nonconforming if part.cells != 0],
        remarks=lines[:_SHOWN],
        further_remarks=len(lines[_SHOWN:]),
        alone_before=alone_before,
        joint=joint,
        is_joint_below=is_joint_below,
    )


def _coarse(result: Result) -> dict[str, tuple[str, bool]]:
    coarse = {}
    for name in result.roles.get("quasi_identifiers", []):
        shares = result.measures.level_shares[name]
        if shares:
            level = max(shares, key=lambda level: shares[level])
            coarse[name] = (result.level_label(name, int(level)), len(shares) == 1)
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
