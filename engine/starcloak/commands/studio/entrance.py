"""A private HTML file by which a browser opens the studio's address, hidden from other users of the machine.

Every user can read the arguments of all processes. So the address, which has a secret token, is no argument of the
browser's process: the browser opens a file that only its owner can read, and the file redirects to the address.
"""

from __future__ import annotations

import html
import os
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager

from starcloak.base.interrupts import Ending
from starcloak.store import session

_PAGE = """<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url={address}">
<title>starcloak studio</title>
<p><a href="{address}">Open the studio</a></p>
"""


class EntrancePage:
    """An HTML file that redirects to an address: mode 0600, in a folder of mode 0700.

    The end of the process removes the file, too. Raises :class:`~starcloak.base.errors.OutputError` if the temporary
    folder is not private.
    """

    statements = 0  # none of them is to be interrupted

    def __init__(self, address: str) -> None:
        session.sweep()
        self._folder = session.RunFolder()
        self.path = self._folder.path / "studio.html"
        with open(os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            file.write(_PAGE.format(address=html.escape(address)))

    def interrupt(self) -> None:
        """Nothing is under way."""

    def abandon(self) -> None:
        """Remove the file and its folder."""
        self._folder.remove()

    def browse(self) -> None:
        """Open the page in the user's browser, if there is one."""
        webbrowser.open(self.path.as_uri())


@contextmanager
def page_to(address: str, ending: Ending) -> Iterator[EntrancePage]:
    """Context with a private HTML file that leads a browser to an address, deleted at the end or with the process."""
    page = EntrancePage(address)
    ending.watch(page)
    try:
        yield page
    finally:
        page.abandon()
        ending.forget(page)
