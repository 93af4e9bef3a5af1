"""The process of the command line: signals are blocked from its first line on until a thread listens to them."""

import gc
import os
import sys

from starcloak.base import signals  # imports nothing more: during other imports, Ctrl-C would print a traceback


def main() -> None:
    """Run the command line and exit."""
    gc.disable()  # imported modules stay: garbage collection of them would take a tenth of a short run
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # numpy's threads for matrices spin, and there are no matrices
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")  # else it looks through every installed package
    blocked = signals.block()

    from contextlib import suppress

    from starcloak.base.interrupts import Ending

    ending, code = Ending(), 0
    try:
        with ending.listening(blocked):
            from starcloak.commands import cli

            cli.main(ending)
    except SystemExit as done:
        code = int(done.code or 0)
    for stream in filter(None, (sys.stdout, sys.stderr)):
        with suppress(OSError):  # nobody reads any more
            stream.flush()
    # All is closed and said: to take the interpreter apart would take another tenth of a short run.
    os._exit(code)


if __name__ == "__main__":
    main()
