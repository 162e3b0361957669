"""Arrays on a CUDA device: models of them, their streams, and results of the library they came from."""

from __future__ import annotations

from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any

from . import _core

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ._arguments import Device
    from ._core import CudaModel, Model

__all__ = [
    "empty",
    "given_back",
    "library_of",
    "on_host",
    "placed",
    "refuse",
    "shared_by",
    "stream_of",
]


def on_host(model: Model | CudaModel) -> Model:
    """The model in host memory: the model itself, or a copy that is made once."""
    return model.to_host() if isinstance(model, _core.CudaModel) else model


def given_back(model: CudaModel, result: Any) -> Any:
    """An array that C++ made on the device, without a copy."""
    return library_of(model.velocity).from_dlpack(result)


def library_of(array: Any) -> Any:
    """The module that an array is of: torch, cupy or another one that knows DLPack."""
    return import_module(type(array).__module__.partition(".")[0])


def stream_of(array: Any) -> int:
    """The stream on which the array's library computes on its device; 0 is the default one."""
    library = library_of(array)
    if library.__name__ == "torch":
        return int(library.cuda.current_stream(array.device).cuda_stream)
    if library.__name__ == "cupy":
        return int(library.cuda.get_current_stream().ptr)
    return 0


def empty(like: Any, shape: tuple[int, ...]) -> Any:
    """A float32 array of the same library on the same device, with room for results."""
    library = library_of(like)
    if library.__name__ == "torch":
        return library.empty(shape, dtype=library.float32, device=like.device)
    return library.empty(shape, dtype="float32")


def placed(like: Any, values: Any) -> Any:
    """Values as float32 in C order on the device of an array; what lies there is not copied."""
    library = library_of(like)
    if library.__name__ == "torch":
        tensor = library.as_tensor(values, dtype=library.float32, device=like.device)
        return tensor.detach().contiguous()
    return library.ascontiguousarray(library.asarray(values, dtype="float32"))


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
            f"devices is {devices!r} (it shares sources of plain times and rays, not {what}: "
            "leave it out)"
        )
