"""Who may talk to the page's server: this machine, by the address that the program told, from the page
itself. A wrapper of the ASGI application, so that nothing behind it can be reached past it."""

from __future__ import annotations

import hmac
from typing import Any

__all__ = ["Guard"]

HEADERS = [
    (b"content-security-policy",
     b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
     b"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
]
LARGEST_BODY = 64 << 20


class Guard:
    """Passes requests with the secret as the first part of their path, a Host of this server and no
    other origin; all others get a status and no more. The rest of the path goes on without the secret."""

    def __init__(self, app: Any, secret: str) -> None:
        self.app = app
        self.secret = secret
        self.port = 0  # known once the server listens

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            return
        status = self.refusal(scope)
        if status:
            await send({"type": "http.response.start", "status": status, "headers": HEADERS})
            await send({"type": "http.response.body", "body": b""})
            return
        path = scope["path"][len(self.secret) + 1 :] or "/"
        inner = dict(scope, path=path, raw_path=path.encode())

        async def guarded(message: Any) -> None:
            if message["type"] == "http.response.start":
                message = dict(message, headers=[*message["headers"], *HEADERS])
            await send(message)

        await self.app(inner, receive, guarded)

    def refusal(self, scope: Any) -> int:
        """The status that says no, or 0."""
        headers: dict[bytes, bytes] = {}
        for name, value in scope["headers"]:
            if name in headers and name in (b"host", b"origin"):
                return 400
            headers[name] = value
        own = {f"{name}:{self.port}".encode() for name in ("127.0.0.1", "localhost")}
        if headers.get(b"host") not in own:
            return 421
        origin = headers.get(b"origin")
        if origin is not None and origin not in {b"http://" + host for host in own}:
            return 403
        if headers.get(b"sec-fetch-site", b"none") not in (b"none", b"same-origin"):
            return 403
        first = scope["path"].lstrip("/").partition("/")[0]
        if not hmac.compare_digest(first.encode(), self.secret.encode()) or scope["path"][1:2] == "/":
            return 404
        if scope["method"] == "POST":
            if not headers.get(b"content-type", b"").startswith(b"application/json"):
                return 415
            if origin is None:
                return 403
            try:
                if int(headers.get(b"content-length", b"-1")) not in range(LARGEST_BODY):
                    return 413
            except ValueError:
                return 400
        elif scope["method"] not in ("GET", "HEAD"):
            return 405
        return 0
