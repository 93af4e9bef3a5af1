"""The command line of the benchmarks."""

from __future__ import annotations

import itertools
import secrets
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from benchmarks import attacks, gate, insight, lines, memory, nights, papers, peers, speed, studio, trace
from benchmarks.arx_tests import command as arx_tests
from benchmarks.classification import sections as classification
from benchmarks.databases import sections as databases
from benchmarks.falsifier import command as falsifier
from benchmarks.falsifier.pairs import command as pairs
from benchmarks.falsifier.pairs.features import BY_NAME
from benchmarks.incognito import sections as incognito
from benchmarks.kaca import sections as kaca
from benchmarks.local import sections as local
from benchmarks.models import sections as models
from benchmarks.mutants import campaign, places
from benchmarks.shared import result, sections
from benchmarks.shared.process import BenchmarkError
from benchmarks.shared.settings import Settings
from benchmarks.spark import sections as spark

_folder = click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder for the JSON file: benchmarks/results for a whole benchmark, none for a part or a quick one.",
)
_largest = click.option("--largest", type=click.IntRange(min=1), help="Growth: rows of the largest table, 1000000.")
_resume = click.option("--resume", is_flag=True, help="Growth: go on with the result in the folder, size by size.")
_quick = click.option("--quick", is_flag=True, help="A small version that only shows that the benchmark works.")


def _measured(names: Sequence[str], runs: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """The options of a benchmark of named entries, with what it says of how many ``runs`` each has."""

    def optional(command: Callable[..., None]) -> Callable[..., None]:
        of_runs = click.option("--runs", type=click.IntRange(min=1), help=f"Runs of each entry: {runs}.")
        only = click.option(
            "--only", multiple=True, type=click.Choice(names), help="An entry; may be given several times."
        )
        return of_runs(only(_quick(_folder(command))))

    return optional


@click.group(invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.pass_context
def benchmarks(context: click.Context) -> None:
    """Benchmarks of starcloak, run from the top of a checkout."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


@benchmarks.command("speed")
@_measured(speed.NAMES, "5, or 1 with --quick")
def speed_(runs: int | None, only: tuple[str, ...], quick: bool, out: Path | None) -> None:
    """Whole processes and the compress step, against the goals of speed and memory."""
    _entries("speed", speed.NAMES, speed.measure, runs or (1 if quick else 5), only, quick, out)


@benchmarks.command("insight")
@_measured(insight.NAMES, "3, or 1 with --quick")
def insight_(runs: int | None, only: tuple[str, ...], quick: bool, out: Path | None) -> None:
    """init of a wide table, audit of a long one beside the bare GROUP BY, compare of Adult, against their goals."""
    _entries("insight", insight.NAMES, insight.measure, runs or (1 if quick else 3), only, quick, out)


@benchmarks.command("peers")
@_measured(peers.NAMES, "3, or 1 with --quick")
def peers_(runs: int | None, only: tuple[str, ...], quick: bool, out: Path | None) -> None:
    """anjana, ARX, pyCANON and sdcMicro beside starcloak: seconds, and figures counted from the releases."""
    _entries("peers", peers.NAMES, peers.measure, runs or (1 if quick else 3), only, quick, out)


@benchmarks.command("memory")
@click.option("--runs", type=click.IntRange(min=1), default=1, show_default=True, help="Runs of each table.")
@click.option(
    "--only",
    multiple=True,
    type=click.Choice(memory.NAMES),
    help=f"A section; may be given several times. Without: all but {', '.join(memory.APART)}.",
)
@click.option("--largest", type=click.IntRange(min=1), help="Growth: rows of the largest table, 100000000.")
@_resume
@_quick
@_folder
def memory_(runs: int, only: tuple[str, ...], largest: int | None, resume: bool, quick: bool, out: Path | None) -> None:
    """Peak memory of runs on 10 and 50 million rows of several kinds, and growth beside a release by hand."""
    before = out or result.RESULTS if resume else None
    settings = Settings(runs=runs, limit=0, quick=quick, largest=largest, resume=before)
    _measure("memory", memory.SECTIONS, memory.APART, only, settings, out)


@benchmarks.command("studio")
@_measured(studio.NAMES, "3, or 1 with --quick")
def studio_(runs: int | None, only: tuple[str, ...], quick: bool, out: Path | None) -> None:
    """A lattice is counted once; then what an answer takes when a slider moves, against its goals."""
    _entries("studio", studio.NAMES, studio.measure, runs or (1 if quick else 3), only, quick, out)


@benchmarks.command("gate")
@click.option("--runs", type=click.IntRange(min=1), help="Pairs of each job: 3, or 1 with --quick.")
@click.option("--only", multiple=True, type=click.Choice(gate.NAMES), help="A job; may be given several times.")
@_quick
@_folder
def gate_(runs: int | None, only: tuple[str, ...], quick: bool, out: Path | None) -> None:
    """CPU of seven jobs as a ratio to DuckDB's client; exit code 1 where one rose by a tenth. Writes with --out."""
    names = [name for name in gate.NAMES if not only or name in only]
    stamp = result.stamp("gate", _flag(quick))
    entries = gate.measure(names, runs=runs or (1 if quick else gate.PAIRS), quick=quick)
    click.echo(result.table(entries))
    _write({**stamp, "quick": quick, "entries": [entry.to_dict() for entry in entries]}, out, whole=False)
    if risen := gate.dearer(entries):
        click.echo(f"dearer by a tenth than benchmarks/results/gate.json has it: {', '.join(risen)}", err=True)
        sys.exit(1)


@benchmarks.command("speed-trace")
@click.option("--runs", type=click.IntRange(min=1), default=5, show_default=True, help="Runs; medians count.")
@_quick
@_folder
def trace_(runs: int, quick: bool, out: Path | None) -> None:
    """CPU of a run of Adult by part and by statement, with what each statement is for, beside DuckDB's client."""
    stamp = result.stamp("speed-trace", ["--runs", str(runs), *_flag(quick)])
    found = trace.measure(runs=runs, quick=quick)
    click.echo(found.get("table", found.get("skipped")))
    _write({**stamp, "quick": quick, **found}, out, whole=not quick and "table" in found)


@benchmarks.command("attacks")
@_quick
@_folder
def attacks_(quick: bool, out: Path | None) -> None:
    """What whoever has a release of Adult, or two, can tell of single rows; planted victims are all found."""
    stamp = result.stamp("attacks", _flag(quick))
    victims = attacks.planted()
    found = list(attacks.measure(quick=quick))
    click.echo(attacks.table(found, victims))
    criteria = list(attacks.criteria(quick=quick))
    click.echo(attacks.criteria_table(criteria))
    all_found = {"planted": victims, "releases": found, "criteria": criteria}
    _write({**stamp, "quick": quick, **all_found}, out, whole=not quick)


@benchmarks.command("nights")
@click.option("--nights", "count", type=click.IntRange(min=1), default=nights.NIGHTS, show_default=True, help="Nights.")
@click.option("--rows", type=click.IntRange(min=100), help="Rows of Adult, drawn at random: all, without.")
@_quick
@_folder
def nights_(count: int, rows: int | None, quick: bool, out: Path | None) -> None:
    """A source that changes every night, refreshed, beside a release afresh: joint k, loss, and who waits."""
    stamp = result.stamp("nights", ["--nights", str(count), *(["--rows", str(rows)] if rows else []), *_flag(quick)])
    found = list(nights.measure(nights=count, rows=rows, quick=quick))
    click.echo(nights.table(found))
    _write({**stamp, "quick": quick, "sources": found}, out, whole=not quick and not rows and count == nights.NIGHTS)


@benchmarks.command("incognito")
@click.option("--runs", type=click.IntRange(min=1), help="Runs of each figure: 3, or 1 with --quick.")
@click.option(
    "--limit",
    type=click.FloatRange(min=1),
    default=30,
    show_default=True,
    help="Seconds that one process of the compared algorithms may take, twenty times that for figures; a longer one "
    "is reported as that.",
)
@click.option(
    "--only",
    multiple=True,
    type=click.Choice(incognito.NAMES),
    help=f"A section; may be given several times. Without: all but {', '.join(incognito.APART)}.",
)
@click.option("--resume", is_flag=True, help="Figures: go on with the result in the folder, cell by cell.")
@click.option(
    "--minutes", type=click.FloatRange(min=0), help="Figures and further taxonomies: begin no other after that."
)
@_quick
@_folder
def incognito_(
    runs: int | None,
    limit: float,
    only: tuple[str, ...],
    resume: bool,
    minutes: float | None,
    quick: bool,
    out: Path | None,
) -> None:
    """The experiments of the Incognito paper, goals beside plain SQL, and scale: JSON, Markdown and plots."""
    before = out or result.RESULTS if resume else None
    settings = Settings(runs=runs or (1 if quick else 3), limit=limit, quick=quick, resume=before, minutes=minutes)
    _measure("incognito", incognito.SECTIONS, incognito.APART, only, settings, out)


@benchmarks.command("paper")
@click.argument("name", type=click.Choice(list(papers.PAGES)))
def paper_(name: str) -> None:
    """Print a paper's tables and figures beside its own numbers, from the committed results; nothing is measured."""
    click.echo(papers.pages(name))


@benchmarks.command("lines")
@click.option("--commit", default="HEAD", show_default=True, help="Count those of this commit.")
@click.option("--before", help="And those of this one beside them.")
def lines_(commit: str, before: str | None) -> None:
    """Lines of code by layer, without blank lines, comments and docstrings; nothing is measured."""
    click.echo(lines.markdown(lines.by_layer(commit), lines.by_layer(before) if before else None))


@benchmarks.command("kaca")
@click.option("--runs", type=click.IntRange(min=1), help="Runs of each figure: 3, or 1 with --quick.")
@click.option(
    "--limit",
    type=click.FloatRange(min=1),
    default=120,
    show_default=True,
    help="Seconds that one process may take; ten times that for KACA by joins and for a million rows.",
)
@click.option(
    "--only",
    multiple=True,
    type=click.Choice(kaca.NAMES),
    help=f"A section; may be given several times. Without: all but {', '.join(kaca.APART)}.",
)
@_largest
@_resume
@_quick
@_folder
def kaca_(
    runs: int | None,
    limit: float,
    only: tuple[str, ...],
    largest: int | None,
    resume: bool,
    quick: bool,
    out: Path | None,
) -> None:
    """The experiments of the papers on local recoding, goals of speed, and growth: JSON, Markdown and plots."""
    before = out or result.RESULTS if resume else None
    settings = Settings(runs=runs or (1 if quick else 3), limit=limit, quick=quick, largest=largest, resume=before)
    _measure("kaca", kaca.SECTIONS, kaca.APART, only, settings, out)


@benchmarks.command("local")
@click.option("--runs", type=click.IntRange(min=1), help="Seeds of each figure: 5, or 1 with --quick.")
@click.option(
    "--limit",
    type=click.FloatRange(min=1),
    default=120,
    show_default=True,
    help="Seconds that one process may take; ten times that for a million rows.",
)
@click.option("--only", multiple=True, type=click.Choice(local.NAMES), help="A section; may be given several times.")
@_largest
@_resume
@_quick
@_folder
def local_(
    runs: int | None,
    limit: float,
    only: tuple[str, ...],
    largest: int | None,
    resume: bool,
    quick: bool,
    out: Path | None,
) -> None:
    """What each recoding loses and takes, by k, on two Adults, and the sweep's growth: JSON, Markdown and plots."""
    before = out or result.RESULTS if resume else None
    settings = Settings(runs=runs or (1 if quick else 5), limit=limit, quick=quick, largest=largest, resume=before)
    _measure("local", local.SECTIONS, (), only, settings, out)


@benchmarks.command("models")
@click.option("--runs", type=click.IntRange(min=1), help="Runs of each figure: 3, or 1 with --quick.")
@click.option("--limit", type=click.FloatRange(min=1), default=120, show_default=True, help="Seconds of a process.")
@click.option("--tables", type=click.IntRange(min=1), help="Random tables, of the sections that draw some.")
@click.option("--only", multiple=True, type=click.Choice(models.NAMES), help="A section; may be repeated.")
@_quick
@_folder
def models_(
    runs: int | None, limit: float, tables: int | None, only: tuple[str, ...], quick: bool, out: Path | None
) -> None:
    """Privacy models: verdicts against plain Python, what is monotone, and what they cost on Adult: JSON, Markdown."""
    settings = Settings(runs=runs or (1 if quick else 3), limit=limit, quick=quick, tables=tables)
    _measure("models", models.SECTIONS, (), only, settings, out)


@benchmarks.command("classification")
@click.option("--runs", type=click.IntRange(min=1), help="Runs of each size of the scale: 3, or 1 with --quick.")
@click.option("--limit", type=click.FloatRange(min=1), default=120, show_default=True, help="Seconds, times ten.")
@click.option(
    "--weka", type=click.Path(exists=True, path_type=Path), help="Weka's JAR file: C4.5 as a third classifier."
)
@click.option("--only", multiple=True, type=click.Choice(classification.NAMES), help="A section; may be repeated.")
@_quick
@_folder
def classification_(
    runs: int | None, limit: float, weka: Path | None, only: tuple[str, ...], quick: bool, out: Path | None
) -> None:
    """What a release is worth to a classifier, by algorithm and k, and TDR's growth: JSON, Markdown and plots."""
    settings = Settings(runs=runs or (1 if quick else 3), limit=limit, quick=quick, weka=weka)
    _measure("classification", classification.SECTIONS, (), only, settings, out)


@benchmarks.command("databases")
@click.option("--runs", type=click.IntRange(min=1), help="Runs of each figure: 5, or 1 with --quick.")
@click.option("--only", multiple=True, type=click.Choice(databases.NAMES), help="A section; may be repeated.")
@_quick
@_folder
def databases_(runs: int | None, only: tuple[str, ...], quick: bool, out: Path | None) -> None:
    """Releases of five million rows that stay in their database, against its own statements: JSON and Markdown."""
    settings = Settings(runs=runs or (1 if quick else 5), limit=0, quick=quick)
    _measure("databases", databases.SECTIONS, (), only, settings, out)


@benchmarks.command("spark")
@click.option("--limit", type=click.FloatRange(min=1), default=3600, show_default=True, help="Seconds of one run.")
@click.option("--only", multiple=True, type=click.Choice(spark.NAMES), help="A table; may be repeated.")
@_largest
@_resume
@_quick
@_folder
def spark_(
    limit: float, only: tuple[str, ...], largest: int | None, resume: bool, quick: bool, out: Path | None
) -> None:
    """Whole runs on a Spark of two cores, as the table grows: seconds, statements, bytes: JSON and Markdown."""
    before = out or result.RESULTS if resume else None
    settings = Settings(runs=1, limit=limit, quick=quick, largest=largest, resume=before)
    _measure("spark", spark.SECTIONS, (), only, settings, out)


@benchmarks.command("falsify")
@click.option("--jobs", type=click.IntRange(min=1), default=falsifier.WHOLE, show_default=True, help="How many jobs.")
@click.option("--minutes", type=click.FloatRange(min=0), help="As many jobs as fit into so many minutes, instead.")
@click.option("--seed", type=int, help="Job i of a seed is always the same; without, a new seed.")
@click.option("--only", type=click.IntRange(min=0), multiple=True, help="The job of this number; may be repeated.")
@click.option("--servers", "served", is_flag=True, help="Jobs of PostgreSQL and MariaDB, which are started for it.")
@click.option("--processes", type=click.IntRange(min=1), default=1, show_default=True, help="So many at a time.")
@click.option("--resume", is_flag=True, help="Go on with the jobs of this seed and commit that were ended.")
@click.option("--pairs", "paired", is_flag=True, help="Jobs of every pair of features, the rarest pair first.")
@click.option("--times", type=click.IntRange(min=1), default=pairs.TIMES, show_default=True, help="Of each pair.")
@click.option("--case", help="With --pairs and --seed: one job, as a finding names it.")
@click.option("--until-found", is_flag=True, help="With --pairs: end with the first finding.")
@click.option("--cures", is_flag=True, help="With --pairs: take back one cure after the other, until it is found.")
@click.option(
    "--refusals",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="With --pairs: begin with the list of refusals of an earlier campaign.",
)
@click.option(
    "--feature",
    "named",
    type=click.Choice(sorted(BY_NAME)),
    multiple=True,
    metavar="NAME",
    help="With --pairs: only pairs with this feature; may be repeated.",
)
@click.option("--without", default="", help="With --cures: only those that have this in their names.")
@_folder
def falsify_(
    jobs: int,
    minutes: float | None,
    seed: int | None,
    only: tuple[int, ...],
    served: bool,
    processes: int,
    resume: bool,
    paired: bool,
    times: int,
    case: str | None,
    until_found: bool,
    cures: bool,
    refusals: Path | None,
    named: tuple[str, ...],
    without: str,
    out: Path | None,
) -> None:
    """Random jobs against an oracle in plain Python; a failing one is shrunk and printed as a test."""
    seed = secrets.randbelow(10**9) if seed is None else seed
    if paired:
        asked = pairs.Asked(seed, times, jobs, minutes, processes, served, case, until_found, refusals, named)
        if cures:
            sys.exit(pairs.prove(asked, out, say=click.echo, only=without))
        sys.exit(pairs.run(asked, out, say=click.echo))
    options = ["--seed", str(seed), *(["--minutes", f"{minutes:g}"] if minutes else ["--jobs", str(jobs)])]
    options += ["--servers"] if served else []
    options += ["--processes", str(processes)] if processes > 1 else []
    stamp = result.stamp("falsify-servers" if served else "falsify", options)
    seconds = minutes * 60 if minutes else None
    # Each has the numbers that are one process further than another's: so many minutes leave out few.
    every = itertools.count if minutes else lambda first, step: range(first, jobs, step)
    shares = [only] if only else [every(first, processes) for first in range(processes)]
    kept = None if only else falsifier.Kept.of(seed, str(stamp["commit"]), served=served)
    campaign = falsifier.Campaign(seed)
    if kept is not None and resume:
        campaign = kept.read(seed, processes)
    elif kept is not None:
        kept.path.unlink(missing_ok=True)
    campaign.follow(falsifier.together(seed, shares, seconds, served, kept))
    click.echo(f"seed {seed}: {campaign.jobs} jobs in {campaign.seconds:.0f} s, {len(campaign.failures)} failing")
    if not only:
        _write({**stamp, **campaign.to_dict()}, out, whole=campaign.jobs >= falsifier.WHOLE)
    if campaign.interrupted:
        sys.exit(130)
    if campaign.failures:
        sys.exit(1)


@benchmarks.command("arx-tests")
@click.option("--only", multiple=True, help="Cases whose names begin so, such as TCloseness; may be repeated.")
@_folder
def arx_tests_(only: tuple[str, ...], out: Path | None) -> None:
    """The cases that ARX's own tests assert on Adult: nodes, figures and the optimum; exit code 1 if one differs."""
    stamp = result.stamp("arx-tests", [word for each in only for word in ("--only", each)])
    found: list[dict[str, Any]] = []
    for each in arx_tests.measure(only, lambda told: click.echo(told, err=True)):
        if "skipped" in each:
            raise BenchmarkError(each["skipped"])
        found.append(each)
        click.echo(f"{each['case']:28} {each['verdict']:14} {each['why']}")
    counted = arx_tests.totals(found)
    click.echo(", ".join(f"{cases} {verdict}" for verdict, cases in counted.items()))
    _write({**stamp, "counted": counted, "cases": found}, out, whole=not only)
    if not arx_tests.holds(found, whole=not only):
        sys.exit(1)


@benchmarks.command("mutants")
@click.option(
    "--only", multiple=True, type=click.Choice([*places.GROUPS, places.REST]), help="A group; may be repeated."
)
@click.option("--file", "files", multiple=True, help="Files whose path has this in it; may be repeated.")
@click.option(
    "--tests", multiple=True, help="Such as tests/commands/cli/test_wheel.py: try no other tests; may be repeated."
)
@click.option("--sample", type=click.IntRange(min=0), default=campaign.SAMPLE, show_default=True, help="Of the rest.")
@click.option("--seed", type=int, default=1, show_default=True, help="Decides the sample.")
@click.option(
    "--patience", type=click.FloatRange(min=1), default=30, show_default=True, help="Seconds of tests per mutant."
)
@click.option("--minutes", type=click.FloatRange(min=0), help="Try no other one after that; the result tells how many.")
@click.option("--again", is_flag=True, help="Try those that survived before once more, such as after a test was added.")
@click.option("--retrace", is_flag=True, help="Find out anew which tests reach what, such as after the engine changed.")
@click.option("--processes", type=click.IntRange(min=1), default=result.cores(), help="At a time: the cores.")
@click.option("--list", "only_list", is_flag=True, help="Print the mutants, and try none.")
@_folder
def mutants_(
    only: tuple[str, ...],
    files: tuple[str, ...],
    tests: tuple[str, ...],
    sample: int,
    seed: int,
    patience: float,
    minutes: float | None,
    again: bool,
    retrace: bool,
    processes: int,
    only_list: bool,
    out: Path | None,
) -> None:
    """One small change of the code at a time, and whether a test sees it. Ended, it goes on where it was."""
    groups = only or (*places.GROUPS, places.REST)
    asked = campaign.Asked(groups, files, tests, sample, seed, patience, again, retrace, processes, minutes)
    if only_list:
        for mutant in campaign.chosen(asked):
            click.echo(f"{mutant.id} {mutant.told}")
        return
    words = [word for group in only for word in ("--only", group)] + [
        word for file in files for word in ("--file", file)
    ]
    stamp = result.stamp("mutants", [*words, "--sample", str(sample), "--seed", str(seed)])
    document = {**stamp, **campaign.run(asked, tell=click.echo)}
    click.echo(campaign.markdown(document))
    whole = not (only or files or tests) and sample >= campaign.SAMPLE
    _write(document, out, whole=whole)
    if folder := out or (result.RESULTS if whole else None):
        (folder / "mutants.md").write_text(campaign.markdown(document), encoding="utf-8")
    if not campaign.holds(document):
        sys.exit(1)


def _entries(
    name: str,
    known: Sequence[str],
    measured: Callable[..., list[result.Entry]],
    runs: int,
    only: Sequence[str],
    quick: bool,
    out: Path | None,
) -> None:
    """Measure the entries that were asked for, else all; print and write them together."""
    names = [each for each in known if not only or each in only]
    options = ["--runs", str(runs), *(word for each in names if only for word in ("--only", each))]
    stamp = result.stamp(name, [*options, *_flag(quick)])
    entries = measured(names, runs=runs, quick=quick)
    click.echo(result.table(entries))
    document = {**stamp, "quick": quick, "entries": [entry.to_dict() for entry in entries]}
    _write(document, out, whole=not quick and not only)


def _measure(
    name: str,
    measured: Mapping[str, sections.Measured],
    apart: Sequence[str],
    only: Sequence[str],
    settings: Settings,
    out: Path | None,
) -> None:
    """Measure the sections that were asked for, else all but those apart; print and write each as soon as it is."""
    names = [section for section in measured if section in only or (not only and section not in apart)]
    folder = out or (None if settings.quick else result.RESULTS)
    for section in sections.measure(name, measured, names, settings):
        click.echo(f"{section.markdown}\n")
        if folder:
            for path in section.write(folder):
                click.echo(f"wrote {path}", err=True)


def _flag(quick: bool) -> list[str]:
    return ["--quick"] if quick else []


def _write(document: dict[str, object], out: Path | None, *, whole: bool) -> None:
    """Write the result; one that is not whole only where a folder is named, never over one that is quoted."""
    document["clean"] = result.still_clean(document)
    folder = out or (result.RESULTS if whole else None)
    if folder:
        click.echo(f"wrote {result.write(folder, document)}", err=True)


if __name__ == "__main__":
    try:
        benchmarks(prog_name="python -m benchmarks")
    except BenchmarkError as error:
        click.echo(f"benchmarks: {error}", err=True)
        sys.exit(1)
