"""Options shared by several commands, and the objects made of them: a source, a job, the resources."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from starcloak.base.interrupts import Ending
from starcloak.commands.cli import listen, progress_shown, say

if TYPE_CHECKING:
    from starcloak.job import Job, Place
    from starcloak.store.resources import Resources


_PROGRESS = "starcloak.progress"
READ_AS = ("delimiter", "quote", "null", "encoding", "sheet", "header")


class FileOption(click.Path):
    """A path as an option's value. A URL is refused, because messages with the path would show its password."""

    def __init__(self, **options: bool) -> None:
        super().__init__(path_type=Path, **options)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if "://" in str(value):
            self.fail("a URL is given in place of a file: give the path of a file", param, ctx)
        return super().convert(value, param, ctx)


with_json = click.option("--json", "as_json", is_flag=True, help="Print the machine-readable result.")


def with_resources(command: Callable[..., None]) -> Callable[..., None]:
    """Decorator that adds the options for resources and output to a command."""
    for option in (
        click.option("--memory-limit", metavar="SIZE", help="Memory that the working store may use, such as 4GB."),
        click.option("--threads", type=click.IntRange(min=1, max=256), help="Threads that the working store may use."),
        click.option("--trace", is_flag=True, help="Show every SQL statement on standard error."),
        click.option("--verbose", "-v", is_flag=True, help="Show the duration of each stage on standard error."),
        click.option("--quiet", "-q", is_flag=True, help="Print only warnings, errors and the output of --json."),
        click.option(
            "--timeout",
            metavar="SECONDS",
            type=click.FloatRange(min=0, min_open=True),
            help=("End the run after so many seconds."),
        ),
    ):
        command = option(command)
    return command


def with_job(command: Callable[..., None]) -> Callable[..., None]:
    """Decorator that adds the argument JOB and the option --set, for changes of the job, to a command."""
    changes = click.option(
        "--set",
        "changes",
        multiple=True,
        metavar="KEY=VALUE",
        help=("Change a value of the job, such as requirement.k=10."),
    )
    return click.argument("job", type=FileOption(allow_dash=True))(changes(command))


def with_source(command: Callable[..., None]) -> Callable[..., None]:
    """Decorator that adds the options for SOURCE: its table or query, and the format of a CSV file or workbook."""
    for option in (
        click.option("--header", type=int, help="The number of a workbook's row with the columns' names."),
        click.option("--sheet", help="The sheet of a workbook (.xlsx)."),
        click.option("--encoding", help="The encoding of a CSV file, such as windows-1252."),
        click.option(
            "--null", multiple=True, help=("The text of a missing value in a CSV file; may be given several times.")
        ),
        click.option("--quote", help="The quote around cells of a CSV file: \" or '."),
        click.option("--delimiter", help="The delimiter of a CSV file."),
        click.option("--query", help="A query, if SOURCE is a URL."),
        click.option("--table", help="The table, if SOURCE is a URL."),
    ):
        command = option(command)
    return command


def with_population(command: Callable[..., None]) -> Callable[..., None]:
    """Decorator that adds the options for the population of a table to a command."""
    for option in (
        click.option("--population-count", help="Column of the population with the number of people of a row."),
        click.option("--population-table", help="The table, if the population is a URL."),
        click.option(
            "--population",
            help=("The population, a file or a URL, with the columns of the quasi-identifier written as in SOURCE."),
        ),
    ):
        command = option(command)
    return command


class OfSource(click.Command):
    """A command on a file or a URL. Its help lists the URLs; only this help imports the kinds of databases."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        from starcloak.store.databases.registry import examples

        self.epilog = f"Examples of a URL: {', '.join(examples())}."
        super().format_epilog(ctx, formatter)


def source_of(source: str, table: str | None, query: str | None, options: Mapping[str, Any]) -> Place:
    """The place named by SOURCE: a file, or a table or query of the database of a URL."""
    from starcloak.job import load_source

    where = {"url": source} if "://" in source else {"path": source}
    named = {"table": table, "query": query, **{key: options.get(key) for key in READ_AS}}
    named["null"] = [*options.get("null", ())] or None
    return load_source(where | {key: value for key, value in named.items() if value is not None})


def job_with_output(path: Path, changes: Sequence[str]) -> Job:
    """The job of a file, or of standard input for ``-``, with its changes. Raises :class:`JobError` without output."""
    from starcloak.base.errors import JobError
    from starcloak.job import document, load

    if str(path) == "-":
        where = "standard input"
        job = load(document.parse(_standard_input(), where=where), changes=changes, where=where)
    else:
        where, job = str(path), load(path, changes=changes)
    if job.output is None:
        raise JobError(f"{where}: the job has no place for the release: give output.path or output.table")
    return job


def _standard_input() -> str:
    from starcloak.base.errors import JobError

    try:
        return sys.stdin.buffer.read().decode()
    except (OSError, UnicodeDecodeError) as error:
        raise JobError(
            f"the job on standard input cannot be read ({type(error).__name__}): write it in UTF-8"
        ) from None


@contextmanager
def resources_of(options: dict[str, Any], *, keep_going: bool = False) -> Iterator[Resources]:
    """Context with the memory, threads, progress and time limit of a command, from its options.

    Progress is a line on standard error; see :func:`starcloak.commands.cli.progress_shown`.
    """
    from starcloak.store.resources import Resources

    listen(verbose=options["verbose"])
    if not gc.isenabled():  # see __main__: imported modules are no garbage
        gc.freeze()
        gc.enable()
    ending = click.get_current_context().ensure_object(Ending)
    ending.keep_going = keep_going
    trace = (lambda sql: say(f"{sql};\n", err=True, exact=True)) if options["trace"] else None
    settings: dict[str, Any] = {
        "memory_limit": options["memory_limit"],
        "threads": options["threads"],
        "trace": trace,
        "notice": lambda text: say(f"starcloak: warning: {text}", err=True),
        "ending": ending,
    }
    with ending.limited(options["timeout"]):
        if trace or options["quiet"]:
            yield Resources(**settings)
        else:
            with progress_shown() as shown:
                click.get_current_context().meta[_PROGRESS] = shown
                yield Resources(**settings, progress=shown.update)


def expect_as_before(job: Job) -> None:
    """Show an estimate of a run's time by the seconds of the job's last run, if its release is still published."""
    from starcloak.base.errors import InputError
    from starcloak.releases.proposal import resolve

    shown = click.get_current_context().meta.get(_PROGRESS)
    if shown is None:
        return
    with suppress(InputError):  # the run itself says what is wrong
        if (last := resolve(job).released()) is not None:
            shown.expect(last)
