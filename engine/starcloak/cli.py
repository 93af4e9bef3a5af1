"""The command line. Exit codes: 0 done, 1 the requirement does not hold or cannot be met, 2 bad input, 3 a defect."""

from __future__ import annotations

import json
import logging
import os
import pkgutil
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import shell_complete

from starcloak import few, privacy
from starcloak.ending import Ending
from starcloak.errors import StarcloakError

if TYPE_CHECKING:
    from starcloak.job import Job, Qid, Source
    from starcloak.preview import Dialect
    from starcloak.privacy.model import Model
    from starcloak.release.resources import Resources
    from starcloak.result import ModelVerdict, QidVerdict, Result, Search, Verdict


_COMPLETION = "_STARCLOAK_COMPLETE"  # the variable by which click's completion asks

_EXIT_CODES = (
    "Exit codes: 0 done; 1 the requirement does not hold or cannot be met; 2 bad input; 3 the verifier or a database "
    "refused; 129, 130, 142 and 143 ended by SIGHUP, Ctrl-C, --timeout and SIGTERM."
)


_PROGRESS = 30.0  # seconds between two lines of progress, where standard error is no terminal


@click.group(context_settings={"help_option_names": ["-h", "--help"]}, epilog=_EXIT_CODES, invoke_without_command=True)
@click.version_option(package_name="starcloak")
@click.pass_context
def cli(context: click.Context) -> None:
    """k-anonymity in SQL: generalize a table, prove the release, publish it whole or not at all."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


def _resources(command: Callable[..., None]) -> Callable[..., None]:
    for option in (
        click.option("--memory-limit", metavar="SIZE", help="Memory that the working store may use, such as 4GB."),
        click.option("--threads", type=click.IntRange(min=1), help="Threads that the working store may use."),
        click.option("--trace", is_flag=True, help="Show every SQL statement on standard error."),
        click.option("--verbose", "-v", is_flag=True, help="Show what each stage took on standard error."),
        click.option("--quiet", "-q", is_flag=True, help="Say nothing but warnings, errors and what --json prints."),
        click.option(
            "--timeout", metavar="SECONDS", type=click.FloatRange(min=0, min_open=True), help="End the run after that."
        ),
    ):
        command = option(command)
    return command


def _job(command: Callable[..., None]) -> Callable[..., None]:
    """The argument JOB, and what changes it."""
    changes = click.option("--set", "changes", multiple=True, metavar="KEY=VALUE", help="Such as requirement.k=10.")
    return click.argument("job", type=click.Path(path_type=Path, allow_dash=True))(changes(command))


_READ_AS = ("delimiter", "null", "encoding")


def _read_as(command: Callable[..., None]) -> Callable[..., None]:
    """How a CSV file is read, where that is not to be found."""
    for option in (
        click.option("--encoding", help="That of a CSV file, such as windows-1252."),
        click.option("--null", help="The text of a missing value in a CSV file."),
        click.option("--delimiter", help="That of a CSV file."),
    ):
        command = option(command)
    return command


_as_json = click.option("--json", "as_json", is_flag=True, help="Print the machine-readable result.")


@cli.command()
@_job
@click.option("--force", is_flag=True, help="Run also where nothing has changed since the last release.")
@click.option("--keep-going", is_flag=True, help="On Ctrl-C, release what a search by tdr has reached.")
@click.option("--openlineage", "lineage", type=click.Path(path_type=Path), help="Write an OpenLineage event, as JSON.")
@_as_json
@_resources
def run(
    job: Path,
    changes: tuple[str, ...],
    force: bool,
    keep_going: bool,
    lineage: Path | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Anonymize as JOB says (YAML; - is standard input), verify the release and publish it."""
    from starcloak import pipeline

    with _resourced(options, keep_going=keep_going) as resources:
        release = pipeline.run(_with_output(job, changes), resources=resources, force=force, lineage=lineage)
    for warning in release.result.warnings:
        click.echo(f"starcloak: warning: {warning}", err=True)
    if as_json or not options["quiet"]:
        click.echo(release.result.model_dump_json(indent=2) if as_json else _summary(release.result))


@cli.command("compile")
@_job
@click.option("--format", "kind", type=click.Choice(["sql", "dbt"]), default="sql", help="A script, or a dbt model.")
@click.option("--into", type=click.Path(path_type=Path), help="The folder of the dbt project, for --format dbt.")
@click.option("--upstream", metavar="NAME", help="The source in the dbt project: a model, or SOURCE.TABLE.")
@click.option(
    "--dialect",
    type=click.Choice(["snowflake", "bigquery", "trino", "databricks"]),
    help="Translate the script by sqlglot: a preview, never run there.",
)
@_resources
def compile_(
    job: Path,
    changes: tuple[str, ...],
    kind: str,
    into: Path | None,
    upstream: str | None,
    dialect: Dialect | None,
    **options: Any,
) -> None:
    """Print the SQL of the release that JOB would publish; write nothing, but the files of a dbt model."""
    from starcloak import pipeline

    if (kind == "dbt") != (into is not None):
        raise click.UsageError("--format dbt and --into go together")
    if upstream is not None and kind != "dbt":
        raise click.UsageError("--upstream is for --format dbt")
    if dialect is not None and kind == "dbt":
        raise click.UsageError("--dialect is for --format sql")
    with _resourced(options) as resources:
        if into is None:
            text = pipeline.compile(_with_output(job, changes), dialect=dialect, resources=resources)
        else:
            files = pipeline.compile_dbt(_with_output(job, changes), into, upstream=upstream, resources=resources)
            text = "".join(f"{path}\n" for path in files)
    click.echo(text, nl=False)


class _OfSource(click.Command):
    """A command on a file or a URL: its help tells the URLs, of which only it imports the kinds."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        from starcloak.hosts.registry import examples

        self.epilog = f"A URL is one such as {', '.join(examples())}."
        super().format_epilog(ctx, formatter)


def _by_models(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options of privacy models, read from their rooms without importing more."""
    for folder in sorted(pkgutil.iter_modules(privacy.__path__), key=lambda folder: folder.name, reverse=True):
        if folder.ispkg:
            room = import_module(f"{privacy.__name__}.{folder.name}")
            if hasattr(room, "OPTION"):
                flag, form, example = room.OPTION
                said = f"{(room.__doc__ or '').rstrip('.')}: {example}."
                command = click.option(flag, multiple=True, metavar=form, help=said)(command)
    return command


@cli.command(cls=_OfSource)
@click.argument("source")
@click.option("--qi", metavar="A,B,…", help="The quasi-identifier: columns, separated by commas.")
@click.option("--k", type=click.IntRange(min=1), help="The smallest allowed equivalence class.")
@click.option("--qid", "qids", multiple=True, metavar="A,B,…:K", help="Instead: one of several, each with its own k.")
@_by_models
@click.option("--requirement", type=click.Path(path_type=Path), help="YAML with the requirement, as a job has it.")
@click.option("--table", help="The table, where SOURCE is a URL.")
@click.option("--query", help="A query, where SOURCE is a URL.")
@_read_as
@_as_json
@_resources
def check(
    source: str,
    qi: str | None,
    k: int | None,
    qids: tuple[str, ...],
    requirement: Path | None,
    table: str | None,
    query: str | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Tell whether SOURCE, a file or a URL, satisfies a requirement as it stands: exit code 0 or 1."""
    from starcloak import pipeline

    place = _source(source, table, query, options)
    with _resourced(options) as resources:
        asked, models = _asked(qi, k, qids, requirement, options)
        verdict = pipeline.check(place, asked, models=models, resources=resources)
    if as_json or not options["quiet"]:
        click.echo(verdict.model_dump_json(indent=2) if as_json else _verdict(verdict))
    if not verdict.holds:
        sys.exit(1)


@cli.command(cls=_OfSource)
@click.argument("source")
@click.option("--qi", "quasi_identifiers", multiple=True, required=True, metavar="A,B,…", help="The quasi-identifier.")
@click.option("--sensitive", multiple=True, metavar="A,B,…", help="Sensitive columns.")
@click.option("--threshold", default="0.2", show_default=True, help="The chance above which a record is at risk.")
@click.option("--distinction", default="0.95", show_default=True, help="From which on a set of columns is named.")
@click.option("--sampling-fraction", type=float, help="The table's share of its population, which is then estimated.")
@click.option("--table", help="The table, where SOURCE is a URL.")
@click.option("--query", help="A query, where SOURCE is a URL.")
@_read_as
@_as_json
@_resources
def audit(
    source: str,
    quasi_identifiers: tuple[str, ...],
    sensitive: tuple[str, ...],
    threshold: str,
    distinction: str,
    sampling_fraction: float | None,
    table: str | None,
    query: str | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Tell the risk of SOURCE, a file or a URL, raw or released: who is at risk, and what tells rows apart."""
    from starcloak.risk import audit as auditing
    from starcloak.risk import text

    asked = auditing.Asked(
        auditing.names_of(quasi_identifiers),
        auditing.names_of(sensitive),
        auditing.share(threshold, "--threshold"),
        auditing.share(distinction, "--distinction"),
        sampling_fraction,
    )
    place = _source(source, table, query, options)
    with _resourced(options) as resources:
        found = auditing.audit(place, asked, resources=resources)
    click.echo(found.model_dump_json(indent=2) if as_json else text.of(found))


@cli.command(cls=_OfSource)
@click.argument("source")
@click.option("--into", type=click.Path(path_type=Path), default="job.yaml", show_default=True, help="The job's file.")
@click.option("--ask", is_flag=True, help="Ask what each column is; Enter takes what is proposed.")
@click.option("--table", help="The table, where SOURCE is a URL.")
@click.option("--query", help="A query, where SOURCE is a URL.")
@_read_as
@_resources
def init(source: str, into: Path, ask: bool, table: str | None, query: str | None, **options: Any) -> None:
    """Profile SOURCE, a file or a URL, and write a first job for it, which runs as it is."""
    from starcloak.profile import init as profiling
    from starcloak.profile.roles import ROLES, Decided, Role

    def asked(decided: Decided) -> Role:
        said: Role = click.prompt(
            f"{decided.profile.name} ({decided.evidence})", default=decided.role, type=click.Choice(ROLES)
        )
        return said

    profiling.refuse(into)
    place = _source(source, table, query, options)
    with _resourced(options) as resources:
        more: dict[str, Any] = {"ask": asked} if ask else {}
        drafted = profiling.draft(place, into=into, resources=resources, **more)
        files = profiling.write(drafted, into)
    for file in files:
        click.echo(f"wrote       {file}")
    for role in ROLES:
        click.echo(f"{role.replace('_', '-'):<18}{', '.join(each.profile.name for each in drafted.of(role)) or '-'}")
    click.echo(f"next        read {into}, then: starcloak run {into}")


@cli.command()
@click.argument("job", type=click.Path(path_type=Path))
@click.option("--k", "ks", default="2,5,10,20,50", show_default=True, metavar="K,K,…", help="The ks.")
@click.option("--algorithm", "algorithms", multiple=True, metavar="NAME", help="The algorithms; else the job's own.")
@click.option("--suppression", "suppressions", metavar="S,S,…", help="Shares of rows to leave out; else the job's own.")
@click.option("--csv", "table", type=click.Path(path_type=Path), help="Write the points as CSV.")
@click.option("--plot", type=click.Path(path_type=Path), help="Draw loss against risk: a path to .svg or .png.")
@_as_json
@_resources
def compare(
    job: Path,
    ks: str,
    algorithms: tuple[str, ...],
    suppressions: str | None,
    table: Path | None,
    plot: Path | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Put algorithms, k and suppression of JOB side by side: each verified like a release, none published."""
    from starcloak.comparison import compare as comparing
    from starcloak.comparison import text, write

    asked = comparing.asked(ks, algorithms, suppressions)
    beside = write.files(table, plot)
    with _resourced(options) as resources:
        found = comparing.compare(job, asked, resources=resources, beside=beside)
    write.write(found, table, plot)
    click.echo(found.model_dump_json(indent=2) if as_json else text.of(found))
    if not any(point.released for point in found.points):
        sys.exit(1)


@cli.command()
@click.argument("release")
@click.option("--into", type=click.Path(path_type=Path), required=True, help="The HTML file.")
@click.option("--table", help="The table, where RELEASE is a URL.")
@_resources
def report(release: str, into: Path, table: str | None, **options: Any) -> None:
    """Write the report on RELEASE as one HTML file: a released file, a URL with --table, or the job (YAML).

    Of a job that has released nothing here, it tells what a run would release.
    """
    from starcloak.report import find, write

    write.refuse(into)
    if release.lower().endswith((".yaml", ".yml")):
        with _resourced(options) as resources:
            result, published = find.of_job(Path(release), into, resources=resources)
    else:
        result, published = find.of_place(_source(release, table, None, {})), True
    write.write(result, into, published=published)
    click.echo(f"wrote       {into}")


@cli.command()
@click.argument("job", type=click.Path(path_type=Path))
@_as_json
@_resources
def explain(job: Path, as_json: bool, **options: Any) -> None:
    """Tell why the release of JOB is as it is: what blocks a lower level, what costs most. Nothing is written."""
    from starcloak.explanation import explain as explaining
    from starcloak.explanation import text

    with _resourced(options) as resources:
        found = explaining.explain(job, resources=resources)
    click.echo(found.model_dump_json(indent=2) if as_json else text.of(found))


@cli.command("algorithms")
@_as_json
def algorithms_(as_json: bool) -> None:
    """The map of recoding models: model, algorithm, source, guarantee, options."""
    from starcloak.algorithms import algorithms

    known = algorithms()
    if as_json:
        click.echo(json.dumps([algorithm.model_dump(mode="json") for algorithm in known], indent=2))
        return
    for algorithm in known:
        click.echo(f"{algorithm.name}  ({algorithm.model})")
        click.echo(f"    when       {algorithm.when}")
        click.echo(f"    source     {algorithm.source}")
        click.echo(f"    guarantee  {algorithm.guarantee}")
        click.echo(f"    QIDs       {'several, each with its own k' if algorithm.several_qids else 'one'}")
        options = [f"{name}: {value}" for name, value in algorithm.options.items()] or ["none"]
        click.echo("    options    " + ("\n" + " " * 15).join(options))


@cli.command()
@click.argument("name", required=False)
@click.option("--dialect", default="", metavar="DIALECT", help="Its text for postgresql, mariadb or sqlite.")
def sql(name: str | None, dialect: str) -> None:
    """Print the statement NAME with its holes filled; without it, list all statements and what they yield."""
    from starcloak import sample

    click.echo(sample.listed() if name is None else sample.text(name, dialect), nl=False)


@cli.command()
@click.option("--data", type=click.Path(path_type=Path), help="Folder with adult.data and adult.test.")
@click.option("--into", type=click.Path(path_type=Path), help="The folder of the reports; else a temporary one.")
@_resources
def demo(data: Path | None, into: Path | None, **options: Any) -> None:
    """The whole story on embedded data: the Patients table of the Incognito paper, then a census."""
    from starcloak import demo as story

    with _resourced(options) as resources:
        story.tell(click.echo, data=data, into=into, resources=resources)


@contextmanager
def _resourced(options: dict[str, Any], *, keep_going: bool = False) -> Iterator[Resources]:
    """The resources of a command.

    Progress is a line on standard error that goes away; where that is no terminal, a line now and then.
    """
    from starcloak.release.resources import Resources

    if options["verbose"]:
        logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(name)s: %(message)s")
    ending = click.get_current_context().ensure_object(Ending)
    ending.keep_going = keep_going
    trace = (lambda sql: click.echo(f"{sql};\n", err=True)) if options["trace"] else None
    given: dict[str, Any] = {
        "memory_limit": options["memory_limit"],
        "threads": options["threads"],
        "trace": trace,
        "ending": ending,
    }
    with ending.limited(options["timeout"]):
        if trace or options["quiet"]:
            yield Resources(**given)
        elif sys.stderr.isatty():
            from rich.console import Console

            with Console(stderr=True).status("open") as status:
                yield Resources(**given, progress=status.update)
        else:
            with _now_and_then() as progress:
                yield Resources(**given, progress=progress)


@contextmanager
def _now_and_then() -> Iterator[Callable[[str], None]]:
    """What tells a long run's stages to a log: a line now and then, whatever the main thread does."""
    began, done, stage = time.monotonic(), threading.Event(), ["open"]

    def tell() -> None:
        while not done.wait(_PROGRESS):
            click.echo(f"starcloak: {stage[0]}, {time.monotonic() - began:.0f} s", err=True)

    # A daemon: nothing waits for it at the end of the process.
    teller = threading.Thread(target=tell, daemon=True)
    teller.start()
    try:
        yield lambda text: stage.__setitem__(0, text)
    finally:
        done.set()


def _source(source: str, table: str | None, query: str | None, options: Mapping[str, Any]) -> Source:
    """The place that SOURCE names: a file, or a table or query of the database of a URL."""
    from starcloak.job import load_source

    where = {"url": source} if "://" in source else {"path": source}
    named = {"table": table, "query": query, **{key: options.get(key) for key in _READ_AS}}
    return load_source(where | {key: value for key, value in named.items() if value is not None})


def _with_output(path: Path, changes: Sequence[str]) -> Job:
    from starcloak import job_file
    from starcloak.errors import JobError
    from starcloak.job import load

    if str(path) == "-":
        where = "standard input"
        job = load(job_file.parsed(_standard_input(), where=where), changes=changes, where=where)
    else:
        where, job = str(path), load(path, changes=changes)
    if job.output is None:
        raise JobError(f"{where}: the job has no output: give output.path or output.table")
    return job


def _standard_input() -> str:
    from starcloak.errors import JobError

    try:
        return sys.stdin.buffer.read().decode()
    except (OSError, UnicodeDecodeError) as error:
        raise JobError(f"standard input cannot be read ({type(error).__name__}): write the job in UTF-8") from None


def _summary(result: Result) -> str:
    measured = result.measures
    unchanged = ["unchanged   this release is there already: nothing was done; --force runs anyway"]
    return "\n".join(
        [
            *(unchanged if result.unchanged else []),
            f"released    {result.released_rows:,} of {result.rows:,} rows to {result.output}",
            f"suppressed  {result.suppressed_rows:,} rows",
            *_verified(result),
            *(
                f"implied     k = {qid.k} over ({', '.join(qid.attributes)}), by the others"
                for qid in result.requirement.redundant_qids
            ),
            f"levels      {', '.join(_levels(result))}",
            *([f"kept        {', '.join(result.kept_by_patterns)}: by patterns"] if result.kept_by_patterns else []),
            f"search      {_searched(result.search)}",
            f"measures    {_classes(result)}, precision {measured.precision:.4f}, loss {measured.loss:.4f}, "
            f"discernibility {measured.discernibility:,}, distortion ratio {measured.distortion_ratio:.4f}",
            *(f"insight     {remark}" for remark in (result.insight.remarks if result.insight else [])),
            *(f"insight     {left}" for left in (result.insight.left_out if result.insight else [])),
            f"seconds     {result.seconds.total:.2f}",
        ]
    )


def _levels(result: Result) -> Iterator[str]:
    """What was done to each attribute: one level of so many or, where rows differ, the share of rows at each."""
    for name, level in result.recoding.levels.items():
        shares = result.measures.level_shares.get(name, {})
        if len(shares) > 1:
            told = " + ".join(f"{share:.1%} at {at}" for at, share in shares.items())
            yield f"{name} {told} of {result.recoding.heights[name]}"
        else:
            yield f"{name} {next(iter(shares), level)}/{result.recoding.heights[name]}"


def _classes(result: Result) -> str:
    each = result.measures.rows_per_class
    return f"{result.measures.classes:,} classes" + (f" of {each:,.1f} rows on average" if each is not None else "")


def _verified(result: Result) -> Iterator[str]:
    qids = result.requirement.qids
    for qid in qids:
        over = f" over ({', '.join(qid.attributes)})" if len(qids) > 1 else ""
        yield f"verified    k = {qid.achieved_k}{over}, counted on the release; required {qid.k}"
        for model in qid.models:
            required = ", ".join(f"{key} = {value}" for key, value in model.required.items())
            has = "" if model.achieved is None else f"; the release has {model.achieved:g}"
            yield f"verified    {model.model.replace('_', '-')}{over}: {required}{has}"
    if len(qids) > 1:
        yield f"together    k = {result.k} over all quasi-identifiers at once"


def _searched(search: Search) -> str:
    if search.told is not None:
        return search.told.summary
    if not search.complete:
        return f"{search.checked:,} nodes checked of a lattice of {search.lattice_nodes:,}; one k-anonymous node taken"
    return (
        f"{search.checked:,} nodes checked of a lattice of {search.lattice_nodes:,}; "
        f"{search.anonymous_nodes:,} k-anonymous, {len(search.minimal):,} minimal"
    )


def _asked(
    qi: str | None, k: int | None, qids: tuple[str, ...], file: Path | None, options: Mapping[str, Any]
) -> tuple[Sequence[Qid], Sequence[Model]]:
    """The QIDs of a check, --qi with --k or each --qid as columns:k, and the models, of options or of a file."""
    from starcloak.job import Qid, load_requirement
    from starcloak.privacy.model import optional

    named = [name.strip() for name in (qi or "").split(",")]
    given: dict[str, Any] = {}
    for flag, (model, form, example) in optional().items():
        values = options[flag.lstrip("-").replace("-", "_")]
        read = [_parts(value, flag, form, example, model) for value in values]
        if len({item["attribute"] for item in read}) < len(read):
            raise click.UsageError(f"{flag} names an attribute twice: give each one once")
        given.setdefault(model.key, []).extend(read)
    given = {key: items for key, items in given.items() if items}
    if file is not None:
        if given or k is not None or qids:
            raise click.UsageError("--requirement says it all: of the others, give --qi at most")
        asked = load_requirement(file)
        if (asked.qids is None) == (qi is None):
            raise click.UsageError(
                "give --qi, the quasi-identifier, where the requirement has k, and not where it has qids"
            )
        return asked.qids or [Qid(attributes=named, k=asked.k or 1)], asked.models
    if bool(qids) == (qi is not None) or (qi is None) != (k is None):
        raise click.UsageError("give --qi and --k, or one or more --qid such as age,sex:4")
    described = [_numbered(qid, "--qid", "age,sex:4") for qid in qids] or [(qi or "", k or 0)]
    asked = load_requirement(
        {
            "qids": [{"attributes": [name.strip() for name in names.split(",")], "k": k} for names, k in described],
            **given,
        }
    )
    return asked.qids or (), asked.models


def _parts(value: str, flag: str, form: str, example: str, model: type[Model]) -> dict[str, Any]:
    """One item of a model's key, as the option gives it."""
    parts = [part.strip() for part in value.rsplit(":", form.count(":"))]
    try:
        if len(parts) == form.count(":") + 1 and all(parts):
            return model.told(parts)
    except ValueError:
        pass
    raise click.UsageError(f"{flag} takes {form}, such as {example}")


def _numbered(given: str, option: str, example: str) -> tuple[str, int]:
    """A name and its number, as in disease:3."""
    name, _, number = given.rpartition(":")
    if not (name and number.isascii() and number.isdigit()):
        raise click.UsageError(f"{option} takes a name and a number, such as {example}")
    return name.strip(), int(number)


def _verdict(verdict: Verdict) -> str:
    failing = [qid for qid in verdict.qids if not qid.holds]
    lines = [line for qid in verdict.qids for line in _qid_verdict(verdict, qid)]
    return "\n".join([*lines, *(_remedies(verdict, failing) if failing else [])])


def _qid_verdict(verdict: Verdict, qid: QidVerdict) -> Iterator[str]:
    names = ", ".join(qid.attributes)
    if qid.k is not None:
        yield f"holds: {verdict.source} is {qid.k}-anonymous over ({names}): {qid.classes:,} classes"
    elif qid.classes is None:
        yield f"does not hold: {verdict.source} has fewer than {qid.required_k} rows in all"
    else:
        yield f"does not hold: {_violations(verdict, qid, qid)} fewer than {qid.required_k} rows"
    for each in qid.models:
        if each.holds:
            yield f"holds: every class over ({names}) has {each.described}"
        elif qid.classes is not None:
            yield f"does not hold: {_violations(verdict, qid, each)} not {each.described}"


def _violations(verdict: Verdict, qid: QidVerdict, found: QidVerdict | ModelVerdict) -> str:
    classes = few.worded(found.violating_classes, qid.required_k)
    rows = few.worded(found.violating_rows, qid.required_k)
    of = "" if verdict.rows is None else f" of {verdict.rows:,}"
    names = ", ".join(qid.attributes)
    return f"{classes} of {qid.classes:,} classes of {verdict.source} over ({names}), {rows}{of} rows in all, have"


def _remedies(verdict: Verdict, failing: list[QidVerdict]) -> Iterator[str]:
    """What to do next."""
    for qid in failing:
        names = ", ".join(qid.attributes)
        if qid.holds_without:
            alone = " or ".join(qid.holds_without)
            yield f"next: ({names}) would do without {alone}: drop it, or generalize it to *"
    small = [qid for qid in failing if qid.k is None]
    if small:
        left_out = ", or leave those rows out by requirement.suppression" if len(verdict.qids) == 1 else ""
        yield f"next: let `starcloak run JOB.yaml` generalize{left_out}"
    else:
        yield "next: generalize further, by a job of a larger k, or leave those rows out in a query"
    for qid in small:
        if qid.classes is not None:
            names = ", ".join(f'"{name.replace(chr(34), chr(34) * 2)}"' for name in qid.attributes)
            yield f"next: see them: select {names}, count(*) from … group by {names} having count(*) < {qid.required_k}"


def main(ending: Ending | None = None) -> None:
    """Run the command line and exit; what ends by the ``ending`` is for that to tell."""
    ending = ending or Ending()
    ending.tells = _error if "--json" in sys.argv[1:] else None
    try:
        if asked := os.environ.get(_COMPLETION):
            sys.exit(shell_complete(cli, {}, "starcloak", _COMPLETION, asked))
        # Not cli.main(): on an interrupt that prints a line of its own.
        with cli.make_context("starcloak", sys.argv[1:], obj=ending) as context:
            cli.invoke(context)
    except click.exceptions.Exit as done:
        sys.exit(done.exit_code)
    except (click.exceptions.Abort, KeyboardInterrupt):
        _fail(f"interrupted: {ending.written}", 128 + signal.SIGINT, ending, kind="Interrupted")
    except BrokenPipeError:
        # Whoever read the output has enough; nor may the interpreter say more of it at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(128 + signal.SIGPIPE)
    except click.ClickException as error:
        _fail(error.format_message(), 2, ending, kind=type(error).__name__)
    except StarcloakError as error:
        _fail(str(error), error.exit_code, ending, kind=type(error).__name__)
    except Exception as error:  # a defect: one line, too, which has no value of any row
        _fail(
            f"a defect of starcloak: {type(error).__name__} in {_place(error)}: please report it",
            3,
            ending,
            kind="Defect",
        )


def _place(error: BaseException) -> str:
    """The function of starcloak in which an error came up."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if Path(frame.filename).is_relative_to(Path(__file__).parent)]
    return f"{Path(own[-1].filename).name}, line {own[-1].lineno}" if own else "a library"


def _fail(message: str, code: int, ending: Ending, *, kind: str) -> None:
    if ending.signal is None:  # else whatever came of that is not worth a line
        told = " ".join(message.split())
        click.echo(f"starcloak: {told}", err=True)
        if ending.tells is not None:
            with suppress(OSError):
                click.echo(ending.tells(kind, told, code))
    sys.exit(code)


def _error(kind: str, message: str, code: int) -> str:
    """A failure as JSON, valid under schemas/error.json."""
    return json.dumps({"error": {"kind": kind, "message": message, "exit_code": code}}, indent=2)
