"""The process of the command line: signals wait from its first line on, until there is somebody to hear them."""

# The part of signal that is there already: while others are imported, Ctrl-C would print a traceback.
import _signal  # type: ignore[import-not-found]


def main() -> None:
    """Run the command line and exit."""
    signals = [
        number
        for number in (_signal.SIGINT, _signal.SIGTERM, _signal.SIGHUP, _signal.SIGALRM)
        if _signal.getsignal(number) != _signal.SIG_IGN  # as nohup and shells have it, for background jobs
    ]
    _signal.pthread_sigmask(_signal.SIG_BLOCK, signals)

    from starcloak.ending import Ending

    ending = Ending()
    with ending.listening(signals):
        from starcloak import cli

        cli.main(ending)


if __name__ == "__main__":
    main()
