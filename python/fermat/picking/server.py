"""`fermat pick`: the page's server, on this machine only."""

from __future__ import annotations

import asyncio
import os
import secrets
import signal
import socket
import sys
import webbrowser
from pathlib import Path
from typing import Any

from .extras import need
from .guard import Guard
from .network_session import NetworkSession
from .project import Project
from .records import Records
from .routes import Desk, routes_of
from .session import Session

__all__ = ["serve"]


def serve(
    records: Records, project: str | os.PathLike[str], *, port: int = 0, browser: bool = True, **network: Any,
) -> str:
    """Serve the page until Ctrl-C; returns the line to say at the end. `network` are the model, `vp_vs` and
    the picker of `NetworkSession`."""
    starlette = need("starlette.applications", "the page of `fermat pick`")
    uvicorn = need("uvicorn", "the page of `fermat pick`")
    if not 0 <= port < 65536:
        raise ValueError(f"port is {port} (must be 0 to 65535)")
    with Project(project) as kept:
        desk = Desk(NetworkSession(records, kept, **network) if records.network else Session(records, kept))
        guard = Guard(starlette.Starlette(routes=routes_of(desk)), secrets.token_urlsafe(24))
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(("127.0.0.1", port))
        except OSError as error:
            raise ValueError(f"port {port} cannot be used ({error.strerror}; leave it out for a free one)") from None
        listener.listen(64)  # who reads the address may call at once
        guard.port = listener.getsockname()[1]
        address = f"http://127.0.0.1:{guard.port}/{guard.secret}/"
        server = uvicorn.Server(uvicorn.Config(
            guard, log_level="error", access_log=False, lifespan="off", server_header=False, timeout_graceful_shutdown=1,
        ))
        print(f"picking at {address}\nCtrl-C ends it; every change is kept in {Path(project)}", flush=True)
        for note in (*records.notes, *kept.notes):
            print(f"fermat: warning: {note}", file=sys.stderr, flush=True)
        if browser:
            webbrowser.open(address)
        try:
            asyncio.run(_until_stopped(server, listener, desk))
        except KeyboardInterrupt:
            pass
        finally:
            desk.end()
            listener.close()
        return f"{len(kept.state['pick'])} picks are kept in {Path(project)}"


async def _until_stopped(server: Any, listener: Any, desk: Desk) -> None:
    loop = asyncio.get_running_loop()
    serving = asyncio.ensure_future(server.serve(sockets=[listener]))
    await asyncio.sleep(0)

    def stop() -> None:
        server.should_exit = True
        desk.wake()

    for one in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(one, stop)
    await serving
