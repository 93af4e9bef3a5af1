"""Anonymize."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from starcloak.commands.cli import say
from starcloak.commands.cli.options import (
    FileOption,
    expect_as_before,
    job_with_output,
    resources_of,
    with_job,
    with_json,
    with_resources,
)

if TYPE_CHECKING:
    from starcloak.job.persons_result import JoinedKey
    from starcloak.job.result import Joint, JointTogether, Result, Search


@click.command("run")
@with_job
@click.option("--force", is_flag=True, help="Run even if nothing has changed since the last release.")
@click.option("--keep-going", is_flag=True, help="On Ctrl-C, release the best recoding found so far, if there is one.")
@click.option(
    "--no-joint",
    is_flag=True,
    help="Do not count joint k with earlier releases of the source.",
)
@click.option(
    "--openlineage",
    "lineage",
    type=FileOption(),
    help="Write OpenLineage events: the last event to .json, all events to .jsonl.",
)
@with_json
@with_resources
def command(
    job: Path,
    changes: tuple[str, ...],
    force: bool,
    keep_going: bool,
    no_joint: bool,
    lineage: Path | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Anonymize as JOB says (YAML; - is standard input), verify the release and publish it."""
    from starcloak.commands import pipeline

    with resources_of(options, keep_going=keep_going) as resources:
        loaded = job_with_output(job, changes)
        expect_as_before(loaded)
        release = pipeline.run(
            loaded,
            resources=resources,
            force=force,
            lineage=lineage,
            joint=not no_joint,
            keep_script=False,
        )
    if as_json or not options["quiet"]:
        say(release.result.model_dump_json(indent=2) if as_json else _summary(release.result))
    for warning in release.result.warnings:  # last, where they are read
        say(f"starcloak: warning: {warning}", err=True)


def _summary(result: Result) -> str:
    from starcloak.releases.disclosure import is_joint_below, next_step

    measured = result.measures
    unchanged = ["unchanged   nothing has changed since the last release, so the run did nothing; --force runs anyway"]
    return "\n".join(
        [
            *(unchanged if result.unchanged else []),
            f"released    {result.released_rows:,} of {result.rows:,} rows to {result.output}",
            f"suppressed  {result.suppressed_rows:,} rows",
            *_certificate_lines(result),
            *(
                f"implied     k = {qid.k} over ({', '.join(qid.attributes)}), by the other QIDs"
                for qid in result.requirement.redundant_qids
            ),
            f"levels      {', '.join(_levels(result))}",
            *([f"kept        {', '.join(result.kept_by_patterns)}: by patterns"] if result.kept_by_patterns else []),
            *(f"cleaned     {line}" for line in _cleaned(result)),
            *(
                f"no leaf     {part.column}: {part.cells:,} cells, nonconforming: {part.become}"
                for part in result.nonconforming
                if part.cells
            ),
            f"search      {_search_line(result.search)}",
            (
                f"measures    {_classes(result)}, precision {measured.precision:.4f}, loss "
                f"{measured.loss:.4f}{' over the leaves that occur' if result.domain == 'occurring' else ''}, "
                f"discernibility {measured.discernibility:,}, distortion ratio {measured.distortion_ratio:.4f}"
            ),
            *_refresh(result),
            *_joint(result),
            *(f"insight     {remark}" for remark in _remarks(result)),
            *(f"joined      {line}" for line in _joined(result)),
            f"seconds     {result.seconds.total:.2f}",
            f"next        {next_step(result, joint_below=is_joint_below(result))}",
        ]
    )


def _remarks(result: Result) -> list[str]:
    insight = result.insight
    return [] if insight is None else insight.lines


def _levels(result: Result) -> Iterator[str]:
    """The recoding of each attribute: one level of its levels or, if rows differ, the share of rows at each level."""
    for name, level in result.recoding.levels.items():
        shares = result.measures.level_shares.get(name, {})
        if len(shares) > 1:
            levels = " + ".join(f"{share:.1%} {result.level_label(name, int(at))}" for at, share in shares.items())
            yield f"{name} {levels}"
        else:
            yield f"{name} {result.level_label(name, int(next(iter(shares), level)))}"


def _cleaned(result: Result) -> Iterator[str]:
    """Per column how many cells each rule changed."""
    for column in dict.fromkeys(part.column for part in result.cleaned):
        rules = (part for part in result.cleaned if part.column == column)
        yield f"{column}: " + ", ".join(f"{part.rule} {part.cells or 0:,} cells" for part in rules)


def _classes(result: Result) -> str:
    classes, average = result.measures.classes, result.measures.rows_per_class
    if classes == 1:
        return "1 class" + (f" of {average:,.0f} rows" if average is not None else "")
    return f"{classes:,} classes" + (f" of {average:,.1f} rows on average" if average is not None else "")


def _certificate_lines(result: Result) -> Iterator[str]:
    qids = result.requirement.qids
    for qid in qids:
        over = f" over ({', '.join(qid.attributes)})" if len(qids) > 1 else ""
        yield f"verified    k = {qid.achieved_k}{over}, counted on the release; required {qid.k}"
        for model in qid.models:
            required = ", ".join(f"{key} = {value}" for key, value in model.told.items())
            has = "" if model.achieved is None else f"; the release has {model.achieved:g}"
            yield f"verified    {model.model.replace('_', '-')}{over}: {required}{has}"
    for identifier in result.by_identifier:
        if not identifier.holds:
            yield f"not of      persons, if {identifier.identifier!r} identifies persons: see the warning below"
    if (people := result.population) is not None:
        yield f"population  {people.people:,} people of {people.source}, fingerprint {people.fingerprint[:16]}"
    if len(qids) > 1:
        yield f"together    k = {result.k} over all quasi-identifiers at once"


def _refresh(result: Result) -> Iterator[str]:
    """Counts of a refresh: rows of the last release, and new ones."""
    if (done := result.refresh) is not None:
        yield (
            f"refresh     {done.stayed:,} rows stay as they were, {done.new:,} are new, {done.waiting:,} wait, "
            f"{done.gone:,} are gone"
            + (f"; {done.held:,} removed from the source are held" if done.held else "")
            + (f"; {done.left:,} persons left for good" if done.left else "")
        )


def _joined(result: Result) -> Iterator[str]:
    """k of joined rows per quasi-identifier, and the number of persons below k by columns."""
    several = len(result.joined_rows) > 1
    for joined in result.joined_rows:
        if joined.columns:
            yield "; ".join([joined.sentence(several=several), *map(_joined_by, joined.keys)])
        else:
            yield f"{joined.sentence(several=several)}: no released column joins the rows of one person"


def _joined_by(key: JoinedKey) -> str:
    below, alone = (
        "a number withheld" if count is None else f"{count:,}" for count in (key.persons_below, key.persons_alone)
    )
    return f"by {', '.join(key.columns)}: {below} below k, {alone} alone"


def _joint(result: Result) -> Iterator[str]:
    """Joint risk with earlier releases, and the one or two worst of them. Releases not under ``against`` only warn."""
    from starcloak.releases.disclosure import worst

    several = len({tuple(pair.attributes) for pair in result.joint if pair.attributes}) > 1
    for together in result.joint_together:
        pairs = [pair for pair in result.joint if pair.run in together.runs and pair.attributes == together.attributes]
        if len(together.runs) > 1 or not pairs:
            under = " under against" if together.required else ""
            count = len(together.runs)
            named = f"all {count} earlier releases{under} together" if count > 1 else f"the earlier release{under}"
            yield _joint_line(together, named, several=several)
            pairs = worst(together, pairs)
        yield from (_joint_line(pair, f"{pair.release} of {pair.released_at[:10]}", several=several) for pair in pairs)
    if result.never_given:
        yield f"joint       earlier releases left out, as nobody received them: {result.never_given}"


def _joint_line(joint: Joint | JointTogether, named: str, *, several: bool) -> str:
    over = f" over ({', '.join(joint.attributes)})" if several else ""
    return (
        f"joint       k = {'' if joint.exact else 'about '}{joint.k}{over} with {named}: {joint.rows_below:,} "
        f"of {joint.rows:,} rows in smaller groups than k, {joint.rows_gone:,} gone, {joint.rows_new:,} new"
    )


def _search_line(search: Search) -> str:
    if search.told is not None:
        verdict = search.told.summary
        if not search.checked:
            return verdict
    elif search.complete:
        verdict = f"{search.anonymous_nodes:,} k-anonymous, {len(search.minimal):,} minimal"
    elif search.anonymous_nodes > 1:
        verdict = f"the best of at least {search.anonymous_nodes:,} k-anonymous nodes is taken"
    else:
        verdict = "one k-anonymous node taken"
    return f"{search.checked:,} nodes checked of a lattice of {search.lattice_nodes:,}; {verdict}"
