"""If a rank is stopped, the run ends after --rank-timeout."""

import pytest


@pytest.mark.parametrize("stopped", [0, 1])
def test_a_stopped_rank_ends_the_job(fermat, mpirun, stopped):
    fermat("model", "gradient", "--shape", "41,21", "--spacing", "0.25", "--v0", "2", "--gradient",
           "0.5", "-o", "m.h5")
    fermat.write("s.csv", "x,z\n0,0\n5,0\n10,0\n")
    fermat.write("r.csv", "x,z\n1,5\n4,5\n9,5\n")
    fermat("picks", "--model", "m.h5", "--sources", "s.csv", "--receivers", "r.csv", "-o", "p.csv")
    # So many iterations that a rank can be stopped while they run.
    fermat.write("schedule.csv",
                 "iterations,cell_x,cell_z,vertex_x,vertex_z\n1000000,4,4,3,3\n")
    fermat.write("stop.sh", "for n in $(seq 600); do\n"
                            "  [ -e run/history.csv ] && kill -STOP $PPID && exit\n"
                            "  sleep 0.1\ndone\n")
    fermat.write("rank.sh", 'sh stop.sh >/dev/null 2>&1 & exec "$@"\n')
    command = [fermat.program, "invert", "--model", "m.h5", "--picks", "p.csv", "--schedule",
               "schedule.csv", "--threads", "1", "--quiet", "-o", "run", "--rank-timeout", "3"]
    ranks = [command, command, command]
    ranks[stopped] = ["sh", "rank.sh", *command]
    done = mpirun(*ranks)
    assert done.returncode == 1, done.stderr
    assert done.stderr.count("fermat: error: ") == 1, done.stderr
    assert "not been heard of for 3 s (stopped, lost, or slower than" in done.stderr


def test_seconds_must_be_positive(section):
    error = section.error("info", "--rank-timeout", "0")
    assert "--rank-timeout is '0' (must be seconds > 0)" in error
