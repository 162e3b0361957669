"""Devices, pipes, wide tables, files being written, few descriptors, hostile names."""

import os
import resource
import subprocess

import h5py
import pytest


def test_a_configuration_is_a_file(section):
    os.mkfifo(section.folder / "pipe")
    for name in ("/dev/zero", "pipe", "."):
        done = section.call("info", "--config", name)
        assert done.returncode == 2 and done.stderr.count("\n") == 1, done
    assert "cannot read '/dev/zero': it is not a regular file" in section.error(
        "info", "--config", "/dev/zero")
    with open(section.folder / "big.toml", "w") as file:
        file.truncate(1 << 40)
    done = section.call("info", "--config", "big.toml")
    assert done.returncode == 2 and "a configuration has at most 16777216" in done.stderr


def test_a_wide_header_takes_no_time(section):
    """Comparing every name with every other took 15 s for 100,000 of them, and 9 times that here."""
    names = ",".join(f"c{n}" for n in range(300_000))
    section.write("wide.csv", f"x,z,{names}\n1,1,{','.join('0' * 300_000)}\n")
    done = section.call("times", "--model", "model.h5", "--sources", "wide.csv", "-o", "t.h5")
    assert done.returncode == 0 and "299994 more are not used" in done.stderr
    section.write("twice.csv", f"x,z,{names},c5\n")
    error = section.error("times", "--model", "model.h5", "--sources", "twice.csv", "-o", "t.h5")
    assert "column 300003 is named 'c5'" in error


@pytest.mark.parametrize("version", ["earliest", "latest"])
def test_a_model_under_work_elsewhere_is_not_called_damaged(section, version):
    with h5py.File(section.folder / "model.h5") as old, \
            h5py.File(section.folder / "open.h5", "w", libver=version) as new:
        old.copy("VTKHDF", new)
        new.flush()
        error = section.error("times", "--model", "open.h5", "--source", "1,1", "-o", "t.h5")
    assert "cannot open 'open.h5': another program has it open for writing" in error
    section("times", "--model", "open.h5", "--source", "1,1", "-o", "t.h5")


def test_few_descriptors_are_told(section):
    """Under every limit, a run with five outputs succeeds or says what it lacks."""
    section.write("r.csv", "x,z\n2,2\n")
    command = [str(section.program), "rays", "--model", "model.h5", "--source", "1,1",
               "--receivers", "r.csv", "-o", "r.h5", "--table", "t.csv", "--sensitivity", "s.h5",
               "--coverage", "c.h5", "--vector-coverage", "v.xml"]
    lacks = 0
    for limit in range(3, 12):
        done = subprocess.run(
            command, cwd=section.folder, capture_output=True, text=True, timeout=60,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit)))
        if done.returncode == 0 or "error while loading shared libraries" in done.stderr:
            continue
        assert done.returncode in (1, 2), done
        assert "Too many open files" in done.stderr, done.stderr
        lacks += 1
    assert lacks > 0 and done.returncode == 0


def test_names_cannot_steer_the_terminal(section):
    for name in ("a\x1b[31mred\x07.h5", "b\u009b31m.h5"):
        error = section.error("times", "--model", name, "--source", "1,1", "-o", "t.h5")
        assert all(character.isprintable() for character in error), error
    done = section.call("times", "--model", "model.h5", "--source", "1,1", "-o", "\x1b[2J.h5",
                        "--log-level", "info")
    assert done.returncode == 0 and "\x1b" not in done.stderr
    broken = [str(section.program).encode(), b"smooth", b"--in", b"\x9b31m\xff.h5", b"--size", b"3",
              b"-o", b"x.h5"]
    done = subprocess.run(broken, cwd=section.folder, capture_output=True)
    assert done.returncode == 2 and b"'?31m?.h5'" in done.stderr
