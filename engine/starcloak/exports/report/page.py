"""Text of the report on a release. It has no value of any row, and no count between 1 and k - 1."""

from __future__ import annotations

import base64
import hashlib
import math
from collections.abc import Mapping
from typing import Any

from starcloak.base import small_counts
from starcloak.base.drawing.render import renderer
from starcloak.base.drawing.scale import segments
from starcloak.exports.report import attacked, lattice, profiles
from starcloak.exports.report.board import board_of, unchanged
from starcloak.job.attack_result import Attacks
from starcloak.job.result import ColumnSeen, Insight, Joint, JointTogether, ModelReleased, Result, ThresholdSeen
from starcloak.releases.disclosure import PUBLIC, Disclosure, disclosure_of, is_joint_below, next_step, parts, verdict
from starcloak.releases.release_measures import risk_in_words

MARK = "<!-- starcloak report -->"
_BAR = 300  # pixels of a whole column's rows
_render = renderer("starcloak.exports.report")
_DECIDED = {
    "proposed": "The program proposed, nobody changed",
    "changed": "The program proposed, a person changed",
    "person": "A person",
    "": "Not known",
}
_RULES = {
    "trim": "spaces at the ends were removed",
    "missing": "texts that mean a missing value became missing",
    "case": "letters became small or capital",
    "map": "texts were replaced",
    "pad": "codes got their leading zeros",
    "unit": "the unit behind a number was removed",
    "number": "the marks of thousands and decimals were changed",
    "valid": "numbers outside the valid range became missing",
}
_NONCONFORMING = {
    "missing": "a value without a place in the hierarchy became missing, except at level 0",
    "suppress": "a value without a place in the hierarchy was suppressed (* or missing), except at level 0",
}


def page(result: Result, *, published: bool = True, profile: str | None = None, attacks: Attacks | None = None) -> str:
    """Report on a release as the text of one HTML file; ``published`` is false for a release only planned so far.

    With ``profile``, the report ends with the headings of a rule or a standard, and with the results of ``attacks`` if
    the profile needs them.

    Raises :class:`~starcloak.base.errors.JobError` for an unknown profile.
    """
    chosen_profile = None if profile is None else profiles.profile(profile)
    disclosed, below = disclosure_of(result), is_joint_below(result)
    k, sizes = disclosed.k, _sizes(result, disclosed.result, disclosed.k)
    result = disclosed.result  # nothing else of the run is shown
    decision, risks, joint = next_step(result, joint_below=below), _risks(result, k), _joint(result, k)
    style, script = _render("page.css"), _render("lattice.js")
    drawing = lattice.drawing_of(result)
    # Nothing but the page's own style and, where there is something to operate, its own script is let in.
    policy = "; ".join(
        [
            "default-src 'none'",
            f"style-src 'sha256-{_digest(style)}'",
            f"script-src 'sha256-{_digest(script)}'" if drawing else "script-src 'none'",
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )
    return _render(
        "report.html",
        mark=MARK,
        policy=policy,
        style=style,
        script=script,
        result=result,
        published=published,
        verdict=verdict(result, published=published, joint_below=below),
        sure=published and not below and all(identifier.holds for identifier in result.by_identifier)
        and not any(joined.is_below or joined.not_counted for joined in result.joined_rows),
        next_step=decision,
        board=board_of(
            result, decision=decision, alone_before=risks[0][2] if risks else "", joint=joint, is_joint_below=below
        ),
        unit=result.counted.removesuffix("s"),
        public_k=PUBLIC,
        decided_words=_DECIDED,
        roles=_roles(result, k),
        cleaned=_cleaned(result, whole=disclosed.whole),
        k=k,
        shown=disclosed,
        models=[_model(model, result) for qid in result.requirement.qids for model in qid.models],
        columns=_columns(result, result.insight, disclosed) if result.insight else [],
        sizes=sizes,
        insight=result.insight,
        risks=risks,
        joint=joint,
        drawing=drawing,
        data=drawing.data if drawing else {},
        classes=small_counts.words(small_counts.mask(result.measures.classes, k), k),
        measures=_measures(result, disclosed),
        told=result.search.told.summary if result.search.told else None,
        profile=chosen_profile,
        how=attacked.how(attacks) if chosen_profile is not None and chosen_profile.attacked else [],
        asked=[] if chosen_profile is None else [
            (part.name, [*part.known(result), *attacked.lines(attacks, part.name, k=k)], part.questions)
            for part in chosen_profile.headings
        ],
        hashes=[(name, getattr(result.hashes, name)) for name in ("program", "release")],
        seconds=[(name, value) for name, value in result.seconds.model_dump().items() if value],
    )  # fmt: skip


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _model(model: ModelReleased, result: Result) -> tuple[str, str, str]:
    """Row of the table of privacy models: name, attribute with parameters, achieved value.

    Values of rows are not shown.
    """
    attribute = str(model.required.get("attribute", ""))
    numbers = ", ".join(
        f"{name} = {value}" for name, value in model.required.items() if isinstance(value, (int, float))
    )
    achieved = "none" if model.achieved is None else f"{model.achieved:g}"
    if model.achieved is None and (model.of_source or result.persons is not None):
        achieved = "a figure for the custodian only"
    return model.model.replace("_", "-"), ", ".join(part for part in (attribute, numbers) if part), achieved


def _columns(result: Result, insight: Insight, disclosed: Disclosure) -> list[dict[str, Any]]:
    return [
        {
            "seen": column,
            "height": result.recoding.heights[column.attribute],
            "levels": _levels(column.attribute, result, disclosed.k),
            "bars": _bars(column, result),
            "lost": f"{disclosed.attribute_loss[column.attribute]:.1%}" if disclosed.whole else "not shown",
        }
        for column in insight.columns
    ]


def _levels(attribute: str, result: Result, k: int) -> str:
    """Text on the released levels of an attribute and the number of rows per level; counts below k are not shown."""
    shares, rows = result.measures.level_shares[attribute], result.released_rows
    if len(shares) == 1:
        return f"all {result.level_label(attribute, int(next(iter(shares))))}"
    levels = sorted(shares, key=int)
    counted = parts([round(shares[level] * rows) for level in levels], k)
    return ", ".join(
        f"{result.level_label(attribute, int(level))} ({'not shown' if count is None else f'{count:,} rows'})"
        for level, count in zip(levels, counted, strict=True)
    )


def _bars(column: ColumnSeen, result: Result) -> list[dict[str, Any]]:
    """Bars of a column before and after anonymization: the rows of its most frequent values, in descending order."""
    rows = result.released_rows
    return [
        {"name": name, "values": values, "segments": segments(frequent, rows, _BAR), "at_least": at_least}
        for name, values, frequent, at_least in (
            ("before", column.values, column.frequent, "at least "),
            ("after", column.released_values, column.released_frequent, ""),
        )
    ]


def _sizes(result: Result, original: Result, k: int) -> list[dict[str, Any]]:
    """Bars of the chart of class sizes, with the number of classes as text.

    A small number becomes ``fewer than k``. ``withheld`` replaces a number if another number would follow from it.
    """
    most = max((size.rows for size in original.class_sizes), default=1)
    return [
        {
            "seen": size,
            "height": round(150 * size.rows / most, 2),
            "classes": small_counts.words(size.classes, k) if size.classes == counted.classes else "withheld",
        }
        for counted, size in zip(result.class_sizes, original.class_sizes, strict=True)
    ]


def _cleaned(result: Result, *, whole: bool) -> list[tuple[str, str, str]]:
    """Rows (column, rule, changed cells in words) of all cleaning rules, and of columns with cells without a leaf.

    A column at level 0 in all rows has its cells without a leaf as they are. The words are ``some`` or ``none`` for a
    ``whole`` release; otherwise the cells may be those of suppressed rows alone.
    """
    at_zero = unchanged(result)
    changed = [part for part in result.nonconforming if part.column not in at_zero]
    return [
        (column, rule, "none" if cells == 0 else "some" if whole else "not shown")
        for column, rule, cells in (
            *((rule.column, f"{rule.rule}: {_RULES[rule.rule]}", rule.cells) for rule in result.cleaned),
            *((part.column, f"nonconforming: {_NONCONFORMING[part.become]}", part.cells) for part in changed),
        )
    ]


def _roles(result: Result, k: int) -> list[tuple[str, str, str, str]]:
    """Rows (column, role, form in the release, decision on the role) of all columns named by the job."""
    role_words = {
        "sensitive": ("sensitive", "as it is"),
        "keep": ("kept", "as it is"),
        "person": ("identifies persons", "left out"),
        "identifiers": ("identifier", "left out"),
    }
    roles = [
        *((name, "quasi-identifier", _levels(name, result, k)) for name in result.roles.get("quasi_identifiers", [])),
        *((name, *words) for role, words in role_words.items() for name in result.roles.get(role, [])),
    ]
    return [(name, role, released, result.decided.get(name, "")) for name, role, released in roles]


def _risks(result: Result, k: int) -> list[tuple[str, str, str, str]]:
    """Rows (name, question, answer before, answer after) on the risk; the release is taken for the population."""
    if not result.released_rows or result.insight is None:
        return []
    before, after, unit = result.insight.before, result.insight, result.counted
    average = "not shown" if after.average_risk is None else f"{after.average_risk:.4f}"
    highest = f"{1 / result.k:.4f}" if result.k else f"above 1/{k}"
    was = {"alone": "not shown", "highest": "not shown", "average": "not shown"}
    if before is not None:
        if before.alone is not None:
            was["alone"] = f"at least {before.alone:,} {unit}" if before.alone else "none"
        was["highest"] = f"above 1/{k}" if before.highest is None else f"not above 1/{k}"
        if before.average is not None:
            was["average"] = f"about {before.average:.2f}"
    alone = "not shown"  # over all quasi-identifiers together, of which each QID has some
    if result.k:
        alone = "none" if result.k > 1 else "some"
    rows = [
        ("Alone", f"unique {unit}: nobody else has the same quasi-identifiers", was["alone"], alone),
        ("Prosecutor", "attacker knows that a person is in the release: highest risk", was["highest"], highest),
        (
            "Journalist",
            "attacker does not know it (the release stands for the population): highest risk",
            was["highest"],
            highest,
        ),
        ("Marketer", "attacker wants as many persons as possible: average risk", was["average"], average),
    ]
    earlier = {threshold.name: threshold for threshold in before.thresholds} if before is not None else {}
    for threshold in after.thresholds:
        threshold_before = earlier.get(threshold.name)
        rows.append(
            (
                threshold.name,
                f"{unit} with a risk above {risk_in_words(threshold.k, threshold.probability)}",
                "not shown" if threshold_before is None else _above(threshold_before, "at least "),
                _above(threshold, ""),
            )
        )
    return rows


def _above(threshold: ThresholdSeen, about: str) -> str:
    """Share of records above a threshold of risk, as text; ``about`` precedes the number, such as ``at least``."""
    if threshold.holds:
        return "none"
    share = threshold.records_at_risk
    if share is None:
        return "not shown"
    if about and share < 1:
        share = math.floor(share * 1000) / 1000  # 0.9996 is not "at least 100.0%"
    elif about:
        about = ""
    return f"{about}{share:.1%}" if share >= 0.001 else "some" if about else "less than 0.1%"


def _joint(result: Result, k: int) -> list[tuple[str, str, str, str, str, str]]:
    """Rows of the table on joint risk: with all earlier releases together, and with each earlier release."""
    several = len(result.requirement.qids) > 1
    rows = []
    for together in result.joint_together:
        if len(together.runs) > 1:
            under = " that the job names" if together.required else ""
            rows.append(
                _joint_row(together, f"all {len(together.runs)} releases{under} together", "", k, several=several)
            )
    for pair in result.joint:
        rows.append(_joint_row(pair, pair.release, pair.released_at[:10], k, several=several))
    return rows


def _joint_row(
    joint: Joint | JointTogether, named: str, when: str, k: int, *, several: bool
) -> tuple[str, str, str, str, str, str]:
    if isinstance(joint, Joint) and joint.unknown is not None:
        return named, when, "not known", joint.unknown, "", ""
    over = f" over {', '.join(joint.attributes)}" if several else ""
    counts = (joint.rows_below, joint.rows_gone, joint.rows_new)
    below, gone, new = ("not shown" if count is None else f"{count:,}" for count in counts)
    return (
        named,
        when,
        f"{small_counts.words(joint.k, k)}{over} ({'exact' if joint.exact else 'an estimate'})",
        below,
        gone,
        new,
    )


def _measures(result: Result, disclosed: Disclosure) -> list[tuple[str, str, str]]:
    dumped = result.measures.model_dump()
    values: Mapping[str, Any] = {name: dumped[name] for name in disclosed.measures if name in dumped}
    fields = type(result.measures).model_fields
    return [
        (
            name.replace("_", " "),
            f"{value:,.0f}" if abs(value) >= 1000 else f"{value:,.6g}",
            fields[name].description or "",
        )
        for name, value in values.items()
        if name != "classes" and isinstance(value, (int, float))
    ]
