"""Access control of the studio: only the browser that opened the address with the token, and only from its pages."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

#: Nothing but the server's own scripts and styles, and no script in a page.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
#: Where the token is exchanged for the cookie.
ENTRANCE = "/enter/"
_ENTERED = """<!doctype html>
<meta charset="utf-8"><meta http-equiv="refresh" content="0; url=/"><title>starcloak studio</title>
<link rel="icon" href="/assets/icon.svg" type="image/svg+xml">
<p><a href="/">Open the studio</a></p>
"""
_HEADERS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",  # without any, a form's Origin would be null
    "cache-control": "no-store",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}


class Guard:
    """ASGI middleware that answers 403 unless a request is to this host, from its own pages, and has the session
    cookie.

    A browser receives the cookie for the token in the address; the token is accepted once.
    """

    def __init__(self, app: ASGIApp, port: int) -> None:
        self._app = app
        self._hosts = {f"127.0.0.1:{port}", f"localhost:{port}"}
        self._cookie, self._session = f"starcloak_studio_{port}", secrets.token_urlsafe(32)
        self.token: str | None = secrets.token_urlsafe(32)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        headers = {name.decode("latin1"): value.decode("latin1") for name, value in scope["headers"]}
        if not self._is_own(scope["method"], headers):
            await _answer(send, 403, {}, "This is not the address of this studio.")
        elif scope["path"].startswith(ENTRANCE):
            await self._enter(scope["path"].removeprefix(ENTRANCE), send)
        elif not secrets.compare_digest(_cookie_of(headers, self._cookie), self._session):
            await _answer(
                send, 403, {}, "Open the address that starcloak studio has printed; it works once, in one browser."
            )
        else:
            await self._app(scope, receive, lambda message: send(_with_headers(message)))

    def _is_own(self, method: str, headers: dict[str, str]) -> bool:
        host, origin = headers.get("host", ""), headers.get("origin")
        if host not in self._hosts:
            return False
        return origin == f"http://{host}" if origin is not None or method not in ("GET", "HEAD") else True

    async def _enter(self, given: str, send: Send) -> None:
        if self.token is None or not secrets.compare_digest(given.encode(), self.token.encode()):
            await _answer(
                send,
                403,
                {},
                "This address was used before, or belongs to another studio: start starcloak studio anew.",
            )
            return
        self.token = None
        cookie = f"{self._cookie}={self._session}; HttpOnly; SameSite=Strict; Path=/"
        # A page of its own, and no redirect: the cookie goes with a request that a page of this site makes, not with
        # one that a file of the browser's began.
        await _answer(send, 200, {"content-type": "text/html; charset=utf-8", "set-cookie": cookie}, _ENTERED)


def _cookie_of(headers: dict[str, str], name: str) -> str:
    try:
        cookie = SimpleCookie(headers.get("cookie", "")).get(name)
    except CookieError:
        return ""
    return cookie.value if cookie is not None and cookie.value.isascii() else ""


def _with_headers(message: Message) -> Message:
    if message["type"] == "http.response.start":
        own = {name for name, _ in message["headers"]}
        more = {"content-security-policy": POLICY, **_HEADERS}
        message["headers"] = [*message["headers"], *(pair for pair in _encoded(more.items()) if pair[0] not in own)]
    return message


def _encoded(headers: Iterable[tuple[str, str]]) -> list[tuple[bytes, bytes]]:
    return [(name.encode("latin1"), value.encode("latin1")) for name, value in headers]


async def _answer(send: Send, status: int, headers: dict[str, str], text: str) -> None:
    sent = _encoded({"content-type": "text/plain; charset=utf-8", **headers}.items())
    await send(_with_headers({"type": "http.response.start", "status": status, "headers": sent}))
    await send({"type": "http.response.body", "body": text.encode()})
