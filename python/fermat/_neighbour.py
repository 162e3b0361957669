"""PyPI's `fermat` (distances between points of a sample) is another project with a module `fermat`."""

from __future__ import annotations

import os
import warnings

#: Files of that project; pip writes them into our folder, and its `__init__.py` over ours.
ITS_FILES = ("clusterize.py", "kmedoids.py")


def tell_of_namesake(folder: str = os.path.dirname(__file__)) -> None:
    """Warns if the other project lies in the same folder: ours was installed last, and works.

    `import fermat_rays` tells the other case, in which its files replaced ours.
    """
    if all(os.path.exists(os.path.join(folder, file)) for file in ITS_FILES):
        warnings.warn(
            f"PyPI's project 'fermat' is installed in '{folder}' too, and its `import fermat` now "
            "gives fermat-rays (keep the two in different environments; uninstalling one takes a "
            "file of the other: pip uninstall -y fermat fermat-rays, then install one again)",
            UserWarning,
            stacklevel=3,
        )
