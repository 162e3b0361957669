"""What the page may ask: a table of paths, each of which names one function. No path is ever joined
to a folder; what is served lies in this package, and what is written has a name of ours."""

from __future__ import annotations

import asyncio
import base64
import io
import tempfile
import threading
import time
import warnings
import zipfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from .extras import need
from .foreign import match_picks
from .live import LiveModel
from .session import Session

__all__ = ["Desk", "routes_of"]

PAGE = Path(__file__).with_name("page")
FILES = {
    "/": ("page.html", "text/html"), "/page.css": ("page.css", "text/css"),
    **{f"/{name}.js": (f"{name}.js", "text/javascript")
       for name in ("scale", "traces", "gather", "curves", "section", "network", "server", "page")},
}
SETTINGS = ("look", "gain", "low", "high", "component")
LARGEST = 64 << 20  # bytes of an export that go to the browser; more stay in the folder
IMPORTS = (".csv", ".sgt", ".gtt", ".vs", ".in", ".txt", ".dat", ".gp", ".tom")
WAIT = 20.0  # s until a poll answers that nothing is new
ABSENT = 45.0  # s without a poll after which a tab counts as closed


class Desk:
    """The session, its live model, and who is looking at it."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.lock = threading.RLock()
        self.live = LiveModel(session, self.lock)
        self.live.changed()
        self.tabs: dict[str, float] = {}
        self.work: str | None = None  # what runs in the background
        self.said: str | None = None
        self.ended = False
        self.awake = 0

    def end(self) -> None:
        """No more work."""
        self.ended = True
        self.live.end()

    def wake(self) -> None:
        """Polls answer now."""
        self.ended = True

    def seen(self, tab: str) -> int:
        """Notes a tab; returns how many are open."""
        now = time.monotonic()
        self.tabs[tab] = now
        self.tabs = {name: at for name, at in self.tabs.items() if now - at < ABSENT}
        return len(self.tabs)

    def state(self) -> dict[str, Any]:
        """State with what the desk knows."""
        with self.lock:
            found = self.session.state()
            found["reciprocal"] = self.session.reciprocal()
        return found | {"work": self.work, "said": self.said, "tabs": len(self.tabs),
                        "model": self.live.number, "inverting": self.live.busy}

    def changed(self) -> None:
        """After each change."""
        self.live.changed()

    def start_auto(self, rounds: int) -> None:
        """Pick everything in a thread."""
        if self.work:
            raise ValueError(f"{self.work} is still going on")
        self.work, self.said = "picking", None

        def run() -> None:
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    found = self.session.find(rounds, lambda text: setattr(self, "work", f"picking: {text}"))
                with self.lock:
                    self.said = self.session.take(found)
            except Exception as error:  # told on the page, which goes on
                self.said = str(error)
            finally:
                self.work = None
                self.changed()

        threading.Thread(target=run, name="automatic picks", daemon=True).start()


def routes_of(desk: Desk) -> list[Any]:
    """The table."""
    routing = need("starlette.routing", "the page of `fermat pick`")
    answers = need("starlette.responses", "the page of `fermat pick`")
    session = desk.session

    def page(name: str, kind: str) -> Callable[[Any], Awaitable[Any]]:
        async def answer(_: Any) -> Any:
            return answers.Response((PAGE / name).read_bytes(), media_type=kind)

        return answer

    def asked(work: Callable[[Any], Any]) -> Callable[[Any], Awaitable[Any]]:
        """A JSON answer of a function of the body; a ValueError is a sentence with status 400."""

        async def answer(request: Any) -> Any:
            try:
                body = await request.json() if request.method == "POST" else dict(request.query_params)
                if not isinstance(body, dict):
                    raise ValueError("the request is no object")
                found = await asyncio.to_thread(work, body)
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                said = str(error) if isinstance(error, ValueError) else f"the request is not understood ({error!r})"
                return answers.JSONResponse({"error": said}, status_code=400)
            if isinstance(found, answers.Response):
                return found
            return answers.JSONResponse(found)

        return answer

    def changing(work: Callable[[Any], Any]) -> Callable[[Any], Awaitable[Any]]:
        def done(body: Any) -> Any:
            with desk.lock:
                work(body)
            desk.changed()
            return desk.state()

        return asked(done)

    def samples(body: Any) -> Any:
        n = int(body["record"])
        if not 0 <= n < len(session.records):
            raise ValueError(f"record is {n} (must be 0 to {len(session.records) - 1})")
        band = [float(body[name]) if body.get(name) else None for name in ("low", "high")]
        data = session.samples(n, band[0], band[1])
        return answers.Response(data.tobytes(), media_type="application/octet-stream")

    async def poll(request: Any) -> Any:
        """Answers when something is newer than what the tab has, or after a while."""
        query = request.query_params
        desk.seen(query.get("tab", "")[:40])
        known = (query.get("revision"), query.get("model"), query.get("work"), query.get("tabs"))
        until = time.monotonic() + WAIT
        while time.monotonic() < until and not desk.ended:
            now = (session.project.revision, desk.live.number, desk.work or "", len(desk.tabs))
            if tuple(map(str, now)) != known or await request.is_disconnected():
                break
            await asyncio.sleep(0.1)
        return answers.JSONResponse(desk.state())

    def start_auto(body: Any) -> Any:
        desk.start_auto(int(body.get("rounds", 3)))
        return desk.state()

    def leave(body: Any) -> Any:
        desk.tabs.pop(str(body.get("tab", "")), None)
        return {}

    def places(body: Any) -> None:
        session.set_place(str(body["kind"]), str(body["key"]), body["place"])

    def setting(body: Any) -> None:
        name, value = str(body["name"]), body["value"]
        if name not in SETTINGS or not isinstance(value, str) or len(value) > 40:
            raise ValueError(f"setting {name!r} is {value!r} (must be a word of {', '.join(SETTINGS)})")
        session.project.keep(name, value)

    def export(body: Any) -> Any:
        form = str(body.get("format"))
        if form not in session.exports:
            raise ValueError(f"format is {body.get('format')!r} (must be {', '.join(session.exports)})")
        folder = session.project.folder / "exports"
        folder.mkdir(exist_ok=True)
        with desk.lock, warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            place = session.write(form, folder)
        parts = sorted(place.iterdir()) if place.is_dir() else [place]
        found = {"name": f"{place.name}.zip" if place.is_dir() else place.name, "file": None,
                 "notes": [str(one.message) for one in told]}
        if sum(one.stat().st_size for one in parts) <= LARGEST:
            content = _zipped(place) if place.is_dir() else place.read_bytes()
            found["file"] = base64.b64encode(content).decode()
        return found

    def bring(body: Any) -> Any:
        """Picks of a file: its content comes with the request, and only its suffix is used."""
        suffix = Path(str(body.get("name", ""))).suffix.lower()
        if suffix not in IMPORTS:
            raise ValueError(f"a file that ends in '{suffix}' is not read here (must be {', '.join(IMPORTS)})")
        try:
            content = base64.b64decode(body["file"], validate=True)
        except ValueError:
            raise ValueError("the file did not arrive whole") from None
        with tempfile.TemporaryDirectory() as folder:
            name = "tx.in" if suffix == ".in" else f"picks{suffix}"
            (Path(folder) / name).write_bytes(content)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found, lost = match_picks(session.records, Path(folder) / name)
        with desk.lock:
            statics = [static.time for static in session.picked().statics]
            rows = [
                {"record": n, "trace": trace, "time": t + statics[n], "error": e if e > 0 else None, "by": "file"}
                for n, trace, t, e in found
            ]
            session.change(rows, f"{len(rows)} picks of {name}")
            desk.said = f"{len(rows)} picks of the file stand on traces; {lost} have none at their places"
        desk.changed()
        return desk.state()

    table: list[Any] = [routing.Route(path, page(*file), methods=["GET"]) for path, file in FILES.items()]
    table.append(routing.Route("/poll", poll, methods=["GET"]))
    for path, work in {
        "/meta": lambda _: session.meta() | {
            "frequency": session.frequency, "project": str(session.project.folder), "exports": list(session.exports)},
        "/state": lambda _: desk.state(), "/samples": samples,
        "/model": lambda _: {"model": desk.live.result, "said": desk.live.said, "number": desk.live.number},
    }.items():
        table.append(routing.Route(path, asked(work), methods=["GET"]))
    for path, work in {
        "/change": lambda body: session.change(body["picks"], str(body.get("what", "picks"))[:80]),
        "/undo": lambda _: session.turn_back(), "/redo": lambda _: session.turn_on(),
        "/static": lambda body: session.set_static(body["record"], body["time"]),
        "/place": places, "/setting": setting,
    }.items():
        table.append(routing.Route(path, changing(work), methods=["POST"]))
    for path, work in {
        "/snap": lambda body: {"pick": session.snap(body["record"], body["trace"], body["time"], str(body.get("phase", "P")))},
        "/auto": start_auto,
        "/export": export, "/import": bring, "/leave": leave,
    }.items():
        table.append(routing.Route(path, asked(work), methods=["POST"]))
    return table


def _zipped(folder: Path) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as file:
        for one in sorted(folder.iterdir()):
            file.writestr(one.name, one.read_bytes())
    return held.getvalue()
