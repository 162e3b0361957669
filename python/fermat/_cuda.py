"""Arrays on a CUDA device: models of them, their streams, and results of the library they came from."""

from __future__ import annotations

from contextlib import contextmanager
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from ._cuda_memory import DeviceFloats

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from ._arguments import Device
    from ._core import CudaModel, Model

__all__ = [
    "address_of",
    "empty",
    "given_back",
    "library_of",
    "on_host",
    "placed",
    "refuse",
    "row_sums",
    "shared_by",
    "stream_of",
    "transposed",
]


def on_host(model: Model | CudaModel) -> Model:
    """The model in host memory: the model itself, or a copy that is made once."""
    return model.to_host() if isinstance(model, _core.CudaModel) else model


def given_back(model: CudaModel, result: Any) -> Any:
    """An array that C++ made on the device, without a copy."""
    array: Any = model.velocity
    library = library_of(array)
    if library.__name__ == "jax.numpy":
        result = _Handed(result, array.__dlpack_device__())
    return library.from_dlpack(result)


class _Handed:
    """A capsule of DLPack as JAX wants to be given it: by an object."""

    def __init__(self, capsule: Any, device: Any) -> None:
        self.capsule, self.device = capsule, device

    def __dlpack__(self, **_: Any) -> Any:
        return self.capsule

    def __dlpack_device__(self) -> Any:
        return self.device


def library_of(array: Any) -> Any:
    """The module that an array is of: torch, cupy or another one that knows DLPack."""
    return _library_of_module(type(array).__module__)


@cache
def _library_of_module(module: str) -> Any:
    name = module.partition(".")[0]
    return import_module("jax.numpy" if name in ("jax", "jaxlib") else name)


def stream_of(array: Any) -> int:
    """The stream on which the array's library computes on its device; 0 is the default one."""
    if isinstance(array, DeviceFloats):
        return array.stream
    library = library_of(array)
    if library.__name__ == "torch":
        return int(library.cuda.current_stream(array.device).cuda_stream)
    if library.__name__ == "cupy":
        return int(library.cuda.get_current_stream().ptr)
    return 0


def address_of(array: Any) -> int:
    """Where the values of a float32 array in C order lie on its device."""
    if isinstance(array, DeviceFloats):
        return array.buffer.address
    library = library_of(array)
    if library.__name__ == "torch":
        return int(array.data_ptr())
    if library.__name__ == "cupy":
        return int(array.data.ptr)
    return _core.address_on_cuda(array)


def empty(like: Any, shape: tuple[int, ...]) -> Any:
    """A float32 array of the same library on the same device, with room for results."""
    if isinstance(like, DeviceFloats):
        return DeviceFloats.room(shape, like)
    library = library_of(like)
    if library.__name__ == "torch":
        return library.empty(shape, dtype=library.float32, device=like.device)
    if library.__name__ == "jax.numpy":
        raise ValueError(
            "velocity is an array of JAX, which nobody may write into (for derivatives use "
            "fermat.jax.traveltimes with jax.grad, or model.to_host())"
        )
    return library.empty(shape, dtype="float32")


def placed(like: Any, values: Any) -> Any:
    """Values as float32 in C order on the device of an array; what lies there is not copied."""
    if isinstance(like, DeviceFloats):
        return values
    library = library_of(like)
    if library.__name__ == "torch":
        tensor = library.as_tensor(values, dtype=library.float32, device=like.device)
        return tensor.detach().contiguous()
    return library.ascontiguousarray(library.asarray(values, dtype="float32"))


def transposed(array: Any, plus: NDArray[np.float64] | None = None, out: Any = None) -> Any:
    """An array (m, n) as (n, m) in C order, plus a number per row of the result."""
    if isinstance(array, DeviceFloats):
        host = array.to_host().T
        return DeviceFloats.of(host if plus is None else host + plus[:, None], array, out)
    turned = array.T if plus is None else array.T + placed(array, plus)[:, None]
    return placed(array, turned)


def row_sums(array: Any) -> NDArray[np.float64]:
    """The sum of each row, on the host."""
    if isinstance(array, DeviceFloats):
        return np.asarray(array.to_host().sum(axis=1, dtype=np.float64))
    sums = array.sum(1)
    return np.asarray(sums.get() if hasattr(sums, "get") else sums.cpu(), dtype=float)


@contextmanager
def shared_by(devices: Sequence[int] | None, device: Device) -> Iterator[Device]:
    """Lets CUDA devices share the sources of calls inside it; gives the device to compute on."""
    if devices is None:
        yield device
        return
    if device not in ("auto", "cuda"):
        raise ValueError(
            f"devices is {devices!r} and device {device!r} (several devices are of CUDA: use "
            "device='cuda', or leave devices out)"
        )
    with _core.UseDevices([int(number) for number in devices]):
        yield "cuda"


def refuse(devices: Sequence[int] | None, what: str) -> None:
    """Raises ValueError if several devices are to share what one computes."""
    if devices is not None:
        raise ValueError(
            f"devices is {devices!r} (it shares sources of plain times, rays and gradients, not "
            f"{what}: leave it out)"
        )
