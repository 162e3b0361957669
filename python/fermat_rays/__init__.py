"""The package `fermat` under the name of its distribution: `import fermat_rays as fm`.

PyPI's `fermat` is another project, which installs a module `fermat` too. Where that one was
installed later into the same environment, `import fermat` gives theirs, and this module says so.
"""

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import sys
from types import ModuleType

_found = importlib.util.find_spec("fermat")
if _found is None or _found.origin is None:
    raise ImportError("fermat_rays has lost its package fermat (pip install --force-reinstall fermat-rays)")
with open(_found.origin, encoding="utf-8") as _file:
    # Without running it: theirs may need what is not installed.
    if "traveltimes" not in _file.read():
        raise ImportError(
            f"'{_found.origin}' is of PyPI's project fermat, which replaced that of fermat-rays (pip "
            "uninstall -y fermat fermat-rays; pip install fermat-rays; keep the two in different "
            "environments)"
        )
import fermat  # noqa: E402


class _Alias(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """`fermat_rays.plot` is `fermat.plot`, never a second copy of it."""

    def find_spec(
        self, name: str, path: object = None, target: object = None
    ) -> importlib.machinery.ModuleSpec | None:
        if not name.startswith(__name__ + "."):
            return None
        return importlib.machinery.ModuleSpec(name, self)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        module = importlib.import_module("fermat" + spec.name[len(__name__) :])
        self._own = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self._own  # the import system has set the alias's


sys.meta_path.insert(0, _Alias())
sys.modules[__name__] = fermat
