"""The command line: its process, its output, its progress.

Exit codes: 0 done, 1 the requirement does not hold or cannot be met, 2 bad input, 3 a defect.

All output goes through :func:`say`, so that no name in the data acts as a command to a terminal.
"""

from __future__ import annotations

import codecs
import errno
import json
import logging
import os
import pkgutil
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import IO, TYPE_CHECKING

import click
from click.shell_completion import shell_complete

from starcloak.base.errors import HierarchyError, OutputError, StarcloakError, hint, without_passwords
from starcloak.base.interrupts import Ending
from starcloak.base.signals import BROKEN_PIPE, INTERRUPT
from starcloak.commands.cli import commands

if TYPE_CHECKING:
    from starcloak.job.result import Result

_COMPLETION = "_STARCLOAK_COMPLETE"  # the variable by which click's completion asks

_ALSO_CALLED = {
    "anonymize": "run",
    "anonymise": "run",
    "start": "run",
    "profile": "init",
    "verify": "check",
    "preview": "explain",
}

_EXIT_CODES = (
    "Exit codes: 0 done; 1 the requirement does not hold or cannot be met; 2 bad input; 3 the verifier or a database "
    "refused; 129, 130, 142 and 143 ended by SIGHUP, Ctrl-C, --timeout and SIGTERM."
)
_LESS = (
    "free memory, raise the memory limit of the process (ulimit -v, or the limit of the container), or take fewer "
    "or coarser quasi-identifiers"
)
#: The steps of a run, in their order.
STEPS = {
    "open": "opening the source",
    "compress": "counting equal rows",
    "compare": "comparing with the previous release",
    "star": "preparing the hierarchies",
    "search": "searching for a generalization",
    "recode": "writing the release to a temporary place",
    "verify": "reading the release back and counting it",
    "insight": "looking for advice",
    "joint": "counting the release together with earlier releases",
    "fingerprint": "checking that the source has not changed",
    "publish": "publishing the release",
}
_STEP_NAMES = [*STEPS]
#: From this step on, a run makes a release; before it, a run may find that nothing has changed.
_CERTAIN = "star"
_ESCAPED = "starcloak-escaped"  # the name of a way to encode
PAUSE = 30.0  # seconds between two lines, where standard error is no terminal


def say(text: str, *, err: bool = False, nl: bool = True, exact: bool = False) -> None:
    """Print a text with escaped control characters and without passwords of URLs; JSON stays unchanged.

    An ``exact`` text is printed unchanged unless the output is a terminal. ``err`` selects standard error, ``nl`` ends
    the line. Raises :class:`OutputError` if the encoding of the output lacks characters of an ``exact`` text.
    """
    stream = sys.stderr if err else sys.stdout
    if not exact or stream.isatty():
        text = escaped(without_passwords(text))
    elif not _has(stream.encoding, text):
        raise OutputError(
            f"the output cannot show this text, as its encoding {stream.encoding} lacks some of the characters: set "
            "PYTHONIOENCODING=utf-8"
        )
    if not err and (context := click.get_current_context(silent=True)):
        context.ensure_object(Ending).tells = None  # no other answer follows
    click.echo(text, err=err, nl=nl, color=True)  # else text like colors would be cut from a script's names


def _has(encoding: str | None, text: str) -> bool:
    try:
        text.encode(encoding or "utf-8")
    except UnicodeEncodeError:
        return False
    return True


def listen(*, verbose: bool) -> None:
    """Print log records on standard error: warnings and, if ``verbose``, the stages of a run."""
    form = "%(name)s: %(message)s" if verbose else "%(message)s"
    logging.basicConfig(handlers=[_Said()], level=logging.INFO if verbose else logging.WARNING, format=form)


class _Said(logging.Handler):
    """Log handler that prints on standard error, each warning only once: a command may open a file twice."""

    def __init__(self) -> None:
        super().__init__()
        self._warnings: set[str] = set()

    def emit(self, record: logging.LogRecord) -> None:
        line = self.format(record)
        if record.levelno >= logging.WARNING:
            if line in self._warnings:
                return
            self._warnings.add(line)
        say(line, err=True)


def escaped(text: str, *, but: str = "\n\t") -> str:
    r"""A text with control characters, and other invisible ones, escaped as in JSON.

    >>> print(escaped('{"name": "red \x9b31m"}'))
    {"name": "red \u009b31m"}
    """
    if text.translate(dict.fromkeys(map(ord, but))).isprintable():  # as nearly all are, some of them long
        return text
    return "".join(
        character if character.isprintable() or character in but else _escape(character) for character in text
    )


def escape_unknown(stream: IO[str]) -> None:
    r"""Let a stream of any encoding, such as a console in cp1252, show unknown characters escaped as in JSON.

    >>> import io
    >>> console = io.TextIOWrapper(io.BytesIO(), encoding="cp1252")
    >>> escape_unknown(console)
    >>> print("k \u2265 5 \u20ac", file=console, flush=True)
    >>> console.buffer.getvalue()
    b'k \\u2265 5 \x80\n'
    """
    if reconfigure := getattr(stream, "reconfigure", None):
        codecs.register_error(_ESCAPED, _escape_part)
        reconfigure(errors=_ESCAPED)


def _escape_part(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(map(_escape, error.object[error.start : error.end])), error.end


def _escape(character: str) -> str:
    return json.dumps(character)[1:-1] if ord(character) > 0xFFFF else f"\\u{ord(character):04x}"


class _Commands(click.Group):
    """The commands, each imported only when it is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(module.name for module in pkgutil.iter_modules(commands.__path__))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.list_commands(ctx):
            return None
        command: click.Command = import_module(f"{commands.__name__}.{cmd_name}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and not args[0].startswith("-") and args[0] not in (command_names := self.list_commands(ctx)):
            option = f"--{args[0]}"
            near = hint(_ALSO_CALLED.get(args[0], args[0]), command_names)
            near = f" Did you mean '{option}'?" if option in ("--help", "--version") else near
            raise click.UsageError(f"No such command {args[0]!r}.{near} Commands: {', '.join(command_names)}.")
        return super().resolve_command(ctx, args)


def _option_instead(error: click.NoSuchOption) -> str:
    """Message for an unknown option of a command, with the options it has."""
    option_names = [name for param in error.ctx.command.params for name in param.opts] if error.ctx else []
    if error.option_name in ("-k", "--k") and "--k" not in option_names and "--set" in option_names:
        return f"No such option {error.option_name!r}. Write --set requirement.k=5."
    long = f"--{error.option_name.lstrip('-')}"
    long = next((name for name in option_names if long.startswith(f"{name}-")), long)
    near = f" Did you mean {long!r}?" if long in option_names else hint(long, option_names)
    return f"No such option {error.option_name!r}.{near} Options: {', '.join(option_names)}."


def _missing(error: click.MissingParameter) -> str:
    """Message for a missing argument of a command, with its usage."""
    return f"{error.format_message()} {error.ctx.get_usage() if error.ctx else ''}"


def _usage(error: click.ClickException) -> str:
    """Message for any other wrong argument, with the usage of the command if there are too many arguments."""
    message, context = error.format_message(), getattr(error, "ctx", None)
    return f"{message}. {context.get_usage()}" if "extra argument" in message and context else message


def _bad_number(error: click.BadParameter) -> str | None:
    """Message for an option with an invalid number: the right form; None for options of other types."""
    kind = error.param.type if error.param else None
    if error.param and isinstance(kind, click.types.FloatParamType):
        return f"{error.param.opts[0]} takes a number such as 0.1, without % or a unit"
    if not isinstance(kind, click.types.IntParamType):
        return None
    least, most = (kind.min, kind.max) if isinstance(kind, click.IntRange) else (None, None)
    bounds = [f"{word} {bound}" for word, bound in (("from", least), ("to", most)) if bound is not None]
    flag = error.param.opts[0] if error.param else ""
    example = min(5, most) if most is not None else 5
    return f"{flag} takes a whole number {' '.join(bounds)}".rstrip() + f": write {flag} {example}"


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=_EXIT_CODES,
    invoke_without_command=True,
)
@click.version_option(package_name="starcloak")
@click.pass_context
def cli(context: click.Context) -> None:
    """k-anonymity in SQL: generalize a table, prove the release, publish it whole or not at all."""
    if context.invoked_subcommand is None:
        say(context.get_help())


def main(ending: Ending | None = None) -> None:
    """Run the command line and exit the process. An exit caused by the ``ending`` is reported by it."""
    ending = ending or Ending()
    ending.tells = _error if "--json" in sys.argv[1:] else None
    for stream in filter(None, (sys.stdout, sys.stderr)):
        escape_unknown(stream)
    try:
        if completion := os.environ.get(_COMPLETION):
            sys.exit(shell_complete(cli, {}, "starcloak", _COMPLETION, completion))
        # Not cli.main(): on an interrupt that prints a line of its own.
        with cli.make_context("starcloak", sys.argv[1:], obj=ending) as context:
            cli.invoke(context)
    except click.exceptions.Exit as done:
        sys.exit(done.exit_code)
    except (click.exceptions.Abort, KeyboardInterrupt):
        _fail(f"interrupted: {ending.written}", 128 + INTERRUPT, ending, kind="Interrupted")
    except BrokenPipeError:
        # Whoever read the output has enough; nor may the interpreter say more of it at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(128 + BROKEN_PIPE)
    except click.NoSuchOption as error:
        _fail(_option_instead(error), 2, ending, kind=type(error).__name__)
    except click.MissingParameter as error:
        _fail(_missing(error), 2, ending, kind=type(error).__name__)
    except click.BadParameter as error:
        _fail(_bad_number(error) or error.format_message(), 2, ending, kind=type(error).__name__)
    except click.ClickException as error:
        _fail(_usage(error), 2, ending, kind=type(error).__name__)
    except StarcloakError as error:
        sql = error.sql if isinstance(error, HierarchyError) else None
        _fail(str(error), error.exit_code, ending, kind=type(error).__name__, shown=sql)
    except Exception as error:  # one line, too, which has no value of any row
        if isinstance(error, MemoryError) or (isinstance(error, OSError) and error.errno == errno.ENOMEM):
            message = f"the run needs more memory than the system gives it ({_place(error)}): {_LESS}"
            _fail(message, 2, ending, kind="MemoryError")
        _fail(
            f"a defect of starcloak: {type(error).__name__} in {_place(error)}: please report it",
            3,
            ending,
            kind="Defect",
        )


def _place(error: BaseException) -> str:
    """The file name and line of starcloak that raised an error; "a library" if none did."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if Path(frame.filename).is_relative_to(Path(__file__).parents[2])]
    return f"{Path(own[-1].filename).name}, line {own[-1].lineno}" if own else "a library"


def _fail(message: str, code: int, ending: Ending, *, kind: str, shown: str | None = None) -> None:
    if ending.signal is None:  # else whatever came of that is not worth a line
        line = without_passwords(" ".join(message.split()))
        say(f"starcloak: {line}", err=True)
        if ending.tells is not None:
            with suppress(OSError):  # nobody reads any more
                say(_error(kind, line, code, shown))
    sys.exit(code)


def _error(kind: str, message: str, code: int, sql: str | None = None) -> str:
    """A failure as JSON, valid under schemas/error.json."""
    fields = {"kind": kind, "message": message, "exit_code": code} | ({"sql": sql} if sql else {})
    return json.dumps({"error": fields}, indent=2)


class Progress:
    """The progress of one command, updated by the texts of its stages."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._since = self._began
        self._step, self._text = "open", STEPS["open"]
        self.show: Callable[[], None] = lambda: None
        self._last: dict[str, float] = {}
        self._last_run = ""

    def expect(self, last: Result) -> None:
        """Use the seconds of the same job's last run as an estimate of this run."""
        self._last = last.seconds.model_dump()
        self._last_run = f"last run: {_in_words(last.seconds.total)}, {last.rows:,} rows"

    def update(self, text: str) -> None:
        """Set the stage to a text such as ``search: 12 of 40 nodes are not yet judged``."""
        step, _, details = text.partition(": ")
        if step != self._step:
            self._step, self._since = step, time.monotonic()
        self._text = f"{STEPS.get(step, step)}{': ' * bool(details)}{details}"
        self.show()

    @property
    def line(self) -> str:
        """The progress as one line."""
        now = time.monotonic()
        parts = [f"{self._text}, {now - self._since:.0f} s, in all {now - self._began:.0f} s"]
        following = _STEP_NAMES[_STEP_NAMES.index(self._step) + 1 :] if self._step in STEPS else []
        if following:
            parts.append(f"next: {STEPS[following[0]]}")
        if self._last_run:
            parts.append(self._estimate(now - self._since, following))
        return "; ".join(parts)

    def _estimate(self, elapsed: float, following: Sequence[str]) -> str:
        """The estimated remaining time and the last run's time, in words.

        ``elapsed`` are the seconds of the current step, ``following`` the next steps. Only the last run's time is
        returned if this run is much slower, or may still end early.
        """
        last = self._last.get(self._step, 0)
        left = max(last - elapsed, 0) + sum(self._last.get(step, 0) for step in following)
        is_certain = self._step in _STEP_NAMES[_STEP_NAMES.index(_CERTAIN) :]
        if not is_certain or elapsed > 2 * last + 2 or left < 1:
            return self._last_run
        return f"about {_in_words(left)} left ({self._last_run})"


def _in_words(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"


@contextmanager
def progress_shown() -> Iterator[Progress]:
    """Context that shows progress on standard error: one updated line on a terminal, else a new line at intervals."""
    progress = Progress()
    if not sys.stderr.isatty():
        with _shown_again(lambda: say(f"starcloak: {progress.line}", err=True), PAUSE):
            yield progress
        return
    from rich.console import Console
    from rich.markup import escape

    with Console(stderr=True).status(escape(progress.line)) as status:

        def show() -> None:
            status.update(escape(progress.line))

        progress.show = show
        with _shown_again(show, 1.0):
            yield progress


@contextmanager
def _shown_again(show: Callable[[], None], pause: float) -> Iterator[None]:
    """Context with a thread that calls ``show`` every ``pause`` seconds."""
    done = threading.Event()

    def show_lines() -> None:
        while not done.wait(pause):
            show()

    # A daemon: a blocked standard error must not keep the process from its end.
    thread = threading.Thread(target=show_lines, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join(1)  # no line may follow the result
