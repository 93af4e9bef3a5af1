"""Texts for display: names in the data may contain any character, and must not control a terminal."""

from __future__ import annotations

import codecs
import json
import re
from typing import IO

# The user of a URL and the text after it, also with a URL's slashes reduced as in a path, and options of a URL.
_OF_USER = re.compile(r"\b([A-Za-z][A-Za-z0-9+.-]*:/{1,2}[^\s/:@]*):\S*@")
_OF_OPTIONS = re.compile(r"([?&;](?:[a-z_]*passw(?:or)?d|pwd|passwd|token|secret)=)[^&;\s'\"]*", re.IGNORECASE)


def without_passwords(text: str) -> str:
    """A text without the passwords of the URLs in it.

    >>> without_passwords("postgresql:/clerk:7@8@host/db is not there, nor a://b/c?password=x&y=z")
    'postgresql:/clerk:***@host/db is not there, nor a://b/c?password=***&y=z'
    """
    if ":/" not in text:
        return text
    return _OF_OPTIONS.sub(r"\1***", _OF_USER.sub(r"\1:***@", text))


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


_ESCAPED = "starcloak-escaped"


def _escape_part(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(map(_escape, error.object[error.start : error.end])), error.end


def _escape(character: str) -> str:
    return json.dumps(character)[1:-1] if ord(character) > 0xFFFF else f"\\u{ord(character):04x}"
