"""`times -o` with several sources writes the same file every time."""


def test_times_of_several_sources_are_the_same_file(volume):
    volume.write("s.csv", "x,y,z\n" + "".join(f"{n % 5},{n % 4},{n % 3}\n" for n in range(60)))
    files = set()
    for threads in ("1", "2", "3", "4", "8", "8", "8"):
        volume("times", "--model", "model.h5", "--sources", "s.csv", "--threads", threads, "-o",
               "t.h5")
        files.add(volume.files()["t.h5"])
    assert len(files) == 1
    assert volume.names("t.h5") == [f"time_{n:03}" for n in range(60)]
