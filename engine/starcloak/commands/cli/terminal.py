"""What the command line says: all goes through here, so that no name of the data's own is a command to a terminal."""

from __future__ import annotations

import logging
import sys

import click

from starcloak.base.printable import escaped, without_passwords


def say(text: str, *, err: bool = False, nl: bool = True, exact: bool = False) -> None:
    """Print a text, its control characters written out; an ``exact`` one as it is where no terminal shows it.

    JSON stays what it is. No password of a URL is shown.
    """
    stream = sys.stderr if err else sys.stdout
    if not exact or stream.isatty():
        text = escaped(without_passwords(text))
    click.echo(text, err=err, nl=nl, color=True)  # else what reads as colors would be taken out of a script's names


def listen(*, verbose: bool) -> None:
    """Say what the program logs: warnings or, if ``verbose``, the stages as well."""
    form = "%(name)s: %(message)s" if verbose else "%(message)s"
    logging.basicConfig(handlers=[_Said()], level=logging.INFO if verbose else logging.WARNING, format=form)


class _Said(logging.Handler):
    """What is logged, said on standard error; what is logged again at once, as a file is opened again, is not."""

    _last: str | None = None

    def emit(self, record: logging.LogRecord) -> None:
        line = self.format(record)
        if line != self._last:
            say(line, err=True)
        self._last = line
