"""A picking project: no change is lost, whatever ends the program and whatever lies on the disk."""

import json
import os
import subprocess
import sys

import pytest
from fermat.picking import Project


def put(project, n, value=1.0):
    return project.change([("pick", f"shot/{n}/P", {"time": value, "error": 0.1, "by": "hand"})], f"pick {n}")


def test_undo_and_redo_have_no_limit_and_outlive_the_program(tmp_path):
    with Project(tmp_path) as project:
        for n in range(300):
            put(project, n)
        assert project.undo() == "pick 299"
    with Project(tmp_path) as project:
        assert len(project.state["pick"]) == 299 and project.redo() == "pick 299"
        for _ in range(300):
            project.undo()
        assert project.state["pick"] == {} and project.undo() is None
        put(project, 7)
        assert project.redo() is None, "a new change ends what could be redone"


def test_a_change_that_changes_nothing_is_none(tmp_path):
    with Project(tmp_path) as project:
        assert put(project, 1) == 1 and put(project, 1) == 1 and len(project.done) == 1


def test_a_setting_is_kept_and_not_undone(tmp_path):
    with Project(tmp_path) as project:
        put(project, 1)
        project.keep("gain", "agc")
        assert project.undo() == "pick 1"
    with Project(tmp_path) as project:
        assert project.get("setting", "gain") == "agc"


@pytest.mark.parametrize("cut", range(1, 60, 7))
def test_a_history_cut_off_anywhere_keeps_what_is_whole(tmp_path, cut):
    with Project(tmp_path) as project:
        for n in range(3):
            put(project, n)
    file = tmp_path / "history.jsonl"
    file.write_bytes(file.read_bytes()[:-cut])
    with Project(tmp_path) as project:
        assert len(project.state["pick"]) == 2 and "cut off" in project.notes[0]
        put(project, 9)
    with Project(tmp_path) as project:
        assert len(project.state["pick"]) == 3 and not project.notes


def test_a_damaged_history_is_kept_aside_and_the_state_counts(tmp_path):
    with Project(tmp_path) as project:
        for n in range(4):
            put(project, n)
    file = tmp_path / "history.jsonl"
    lines = file.read_text().splitlines(keepends=True)
    file.write_text("".join([lines[0], "{broken\n", *lines[2:]]))
    with Project(tmp_path) as project:
        assert len(project.state["pick"]) == 4 and "line 2 of the history is damaged" in project.notes[0]
        assert (tmp_path / "history.damaged.jsonl").is_file()
        put(project, 8)
    with Project(tmp_path) as project:
        assert len(project.state["pick"]) == 5


def test_other_versions_and_damaged_states_are_refused(tmp_path):
    (tmp_path / "project.json").write_text(json.dumps({"version": 99, "state": {}}))
    with pytest.raises(ValueError, match="is of version 99"):
        Project(tmp_path)
    (tmp_path / "project.json").write_text("{")
    with pytest.raises(ValueError, match="is damaged"):
        Project(tmp_path)


def test_a_second_process_is_told_and_a_killed_one_lets_go(tmp_path):
    program = ("import os, sys\nfrom fermat.picking import Project\np = Project(sys.argv[1])\n"
               "print('open', flush=True)\nsys.stdin.read()\n")
    other = subprocess.Popen([sys.executable, "-c", program, str(tmp_path)], stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE, text=True)
    assert other.stdout.readline() == "open\n"
    with pytest.raises(ValueError, match=f"is open in process {other.pid}"):
        Project(tmp_path)
    other.kill()
    other.wait()
    other.stdin.close()
    other.stdout.close()
    Project(tmp_path).close()


def test_a_folder_that_cannot_be_is_one_sentence(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ValueError, match="cannot keep a project in"):
        Project(tmp_path / "file" / "project")


def test_the_state_on_the_disk_is_always_whole(tmp_path):
    with Project(tmp_path) as project:
        for n in range(20):
            put(project, n)
            saved = json.loads((tmp_path / "project.json").read_text())
            assert saved["revision"] == n + 1 and len(saved["state"]["pick"]) == n + 1
    assert sorted(os.listdir(tmp_path)) == ["history.jsonl", "lock", "project.json"]
