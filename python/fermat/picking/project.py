"""A project: picks, places, statics and settings of a folder of records, kept so that none is lost.

Each change is a line of `history.jsonl`, written to the disk before anything else; then the whole
state is written anew under another name and renamed to `project.json`. What dies between the two is
found again when the project is opened. The history makes undo endless, also over restarts.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterable, Mapping
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from .._files import renamed_to

__all__ = ["Project", "ProjectOpen"]

VERSION = 1
KINDS = ("pick", "static", "place", "setting")


class ProjectOpen(ValueError):
    """Another process has the project open."""


class Project:
    """The state of a folder's picking: a mapping of kind and key to a value, and its history.

    Kinds are "pick" (key `record/trace/phase`, value with time, error, quality, by, note), "static"
    (key `record`, value time and by), "place" (key `shot/record` or `receiver/number`, value x, y, z)
    and "setting".
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._lock = (self.folder / "lock").open("a+")
        except OSError as error:
            raise ValueError(
                f"cannot keep a project in '{self.folder}' ({error.strerror}; name another with `project`)"
            ) from None
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._lock.seek(0)
            owner = self._lock.read().strip() or "unknown"
            self._lock.close()
            raise ProjectOpen(
                f"'{self.folder}' is open in process {owner} (close that one, or name another folder with `project`)"
            ) from None
        self._lock.truncate(0)
        self._lock.write(str(os.getpid()))
        self._lock.flush()
        self.state: dict[str, dict[str, Any]] = {kind: {} for kind in KINDS}
        self.revision = 0  # changes that the state holds, undone ones too
        self.done: list[dict[str, Any]] = []
        self.undone: list[dict[str, Any]] = []
        self.notes: list[str] = []
        self._load()
        self._journal = (self.folder / "history.jsonl").open("a")

    def __enter__(self) -> Project:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the folder."""
        self._journal.close()
        self._lock.close()

    def get(self, kind: str, key: str) -> Any:
        """A value, or None."""
        return self.state[kind].get(key)

    def change(self, items: Iterable[tuple[str, str, Any]], what: str) -> int:
        """Set values (None: remove) of (kind, key); one step of undo. Returns the new revision."""
        steps = []
        for kind, key, after in items:
            if kind not in KINDS:
                raise ValueError(f"a change is of '{kind}' (must be {', '.join(KINDS)})")
            before = self.state[kind].get(key)
            if before != after:
                steps.append([kind, key, before, after])
        if not steps:
            return self.revision
        change = {"what": what, "when": _now(), "steps": steps}
        self._record({"do": change})
        return self.revision

    def keep(self, name: str, value: Any) -> None:
        """A setting of the page, which undo leaves alone."""
        if self.state["setting"].get(name) != value:
            self._record({"set": [name, value]})

    def undo(self) -> str | None:
        """Take the last change back; says what it was, None if there is none."""
        if not self.done:
            return None
        what = str(self.done[-1]["what"])
        self._record({"undo": what})
        return what

    def redo(self) -> str | None:
        """Make the last change that was taken back again."""
        if not self.undone:
            return None
        what = str(self.undone[-1]["what"])
        self._record({"redo": what})
        return what

    def _record(self, entry: dict[str, Any]) -> None:
        self._journal.write(json.dumps(entry, allow_nan=False) + "\n")
        self._journal.flush()
        os.fsync(self._journal.fileno())
        self._apply(entry)
        self._save()

    def _apply(self, entry: Mapping[str, Any]) -> None:
        if "do" in entry:
            self.done.append(entry["do"])
            self.undone.clear()
            self._set(entry["do"], 3)
        elif "undo" in entry and self.done:
            change = self.done.pop()
            self.undone.append(change)
            self._set(change, 2)
        elif "redo" in entry and self.undone:
            change = self.undone.pop()
            self.done.append(change)
            self._set(change, 3)
        elif "set" in entry:
            name, value = entry["set"]
            self.state["setting"][name] = value
        self.revision += 1

    def _set(self, change: Mapping[str, Any], which: int) -> None:
        for step in change["steps"]:
            kind, key, value = step[0], step[1], step[which]
            if value is None:
                self.state[kind].pop(key, None)
            else:
                self.state[kind][key] = value

    def _save(self) -> None:
        with renamed_to(self.folder / "project.json") as file:
            file.write_text(json.dumps({"version": VERSION, "revision": self.revision, "state": self.state}))

    def _load(self) -> None:
        """From the history; a last line that a kill cut off was never answered for, and is dropped.
        Where the history is damaged before its end, it is kept aside and the saved state counts."""
        file, saved = self.folder / "history.jsonl", self._saved()
        if not file.exists():
            self._take(saved)
            return
        lines = file.read_bytes().splitlines(keepends=True)
        good = 0
        for line in lines:
            try:
                if not line.endswith(b"\n"):
                    raise ValueError
                self._apply(json.loads(line))
            except (ValueError, KeyError, TypeError):
                break
            good += 1
        if good == len(lines):
            return
        if good == len(lines) - 1 and not lines[-1].endswith(b"\n"):
            with file.open("r+b") as opened:
                opened.truncate(sum(map(len, lines[:good])))
            self.notes.append("the last change was cut off while it was written and is dropped; all before is there")
            return
        os.replace(file, self.folder / "history.damaged.jsonl")
        self.notes.append(
            f"line {good + 1} of the history is damaged: it is kept as history.damaged.jsonl, and the saved picks count"
        )
        self.done, self.undone, self.revision = [], [], 0
        self.state = {kind: {} for kind in KINDS}
        self._take(saved)

    def _saved(self) -> dict[str, Any]:
        file = self.folder / "project.json"
        if not file.exists():
            return {}
        try:
            saved: dict[str, Any] = json.loads(file.read_text())
            version = saved["version"]
        except (ValueError, KeyError, TypeError):
            raise ValueError(f"'{file}' is damaged (name another folder with `project`, or remove it)") from None
        if version != VERSION:
            raise ValueError(f"'{file}' is of version {version} (this program knows {VERSION})")
        return saved

    def _take(self, saved: Mapping[str, Any]) -> None:
        """The state of a file as the first step of a new history."""
        steps = [
            [kind, key, None, value]
            for kind, rows in saved.get("state", {}).items() if kind in KINDS for key, value in rows.items()
        ]
        if steps:
            entry = {"do": {"what": "saved state", "when": _now(), "steps": steps}}
            (self.folder / "history.jsonl").write_text(json.dumps(entry) + "\n")
            self._apply(entry)


def _now() -> str:
    return datetime.now(timezone.utc).isoformat(timespec="seconds")
