"""Facts of the first page of a report: a page of A4 for the people who decide on the release."""

from __future__ import annotations

from dataclasses import dataclass

from starcloak.job.drafted import Decision
from starcloak.job.result import CellsCleaned, CellsNonconforming, Result
from starcloak.releases.disclosure import CONFIRM, MOST_ALONE

_SHOWN, _LONGEST = 3, 240  # remarks on the page, and characters of one


@dataclass(frozen=True)
class Board:
    """Facts of a disclosed release for its first page.

    ``coarse`` has the label of most cells by quasi-identifier, and the share (0 … 1) of the released cells with it.
    ``decided`` has the columns by decision. ``cleaned`` has the rules with changed cells by column, and
    ``nonconforming`` the columns with cells without a leaf. ``remarks`` are the first ones except the one decision, and
    ``further`` the ones that the page does not show in full. ``unconfirmed`` counts the proposed roles that nobody has
    confirmed, if the one decision is another one. ``joint`` has the rows of the table on earlier releases.
    """

    coarse: dict[str, tuple[str, float]]
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
    """The facts of a disclosed ``result``; ``decision`` is the one decision of the page."""
    lines = [] if result.insight is None else [*result.insight.lines]
    if result.insight is not None and result.insight.alone is not None and MOST_ALONE in decision:
        rows, k = result.released_rows, max(qid.k for qid in result.requirement.qids)
        alone = [result.insight.alone.sentence(rows, k, about=about) for about in (False, True)]
        lines = [line for line in lines if line not in alone]
    lines = [line for line in lines if line not in decision]
    remarks, further = lines[:_SHOWN], lines[_SHOWN:]
    return Board(
        coarse=_coarse(result),
        decided=_decided(result),
        cleaned=_cleaned(result.cleaned),
        nonconforming=[part for part in result.nonconforming if part.cells != 0],
        remarks=[line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…" for line in remarks],
        further=[*(line for line in remarks if len(line) > _LONGEST), *further],
        alone_before=alone_before,
        joint=joint,
        is_joint_below=is_joint_below,
        is_joint_unknown=any(pair.unknown is not None for pair in result.joint),
        unconfirmed=0 if decision.startswith(CONFIRM) else [*result.decided.values()].count("proposed"),
    )


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
