"""One row, measured in a process of its own: a job as JSON on stdin, the row as JSON to the file
descriptor given. Whatever a package prints goes elsewhere."""

import importlib
import importlib.metadata
import json
import os
import sys


def installed_as(job):
    """The name of a package on PyPI, where "fermat" is another project."""
    name = job["distribution"]
    return "fermat-rays" if name == "fermat" else name


def main():
    job = json.load(sys.stdin)
    try:
        answer = importlib.import_module(job["kind"]).run(job)
    except ModuleNotFoundError as error:
        answer = {"failed": f"not installed: {error.name}"}
    except Exception as error:  # whatever a peer throws is a row of the table
        lines = str(error).splitlines()
        answer = {"failed": f"{type(error).__name__}: {lines[0][:80] if lines else ''}"}
    if "version" not in answer:
        try:
            answer["version"] = importlib.metadata.version(installed_as(job))
        except importlib.metadata.PackageNotFoundError:
            answer["version"] = None
    with os.fdopen(int(sys.argv[1]), "w") as out:
        json.dump(answer, out)


if __name__ == "__main__":
    main()
