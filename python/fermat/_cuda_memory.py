"""Memory of a CUDA device that no library of Python has made an array of: XLA's buffers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from ._xla import Buffer

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["DeviceFloats", "fetched", "sent"]


def fetched(buffer: Buffer, stream: int) -> NDArray[Any]:
    """A copy of a buffer of the device on the host."""
    values = np.empty(buffer.shape, buffer.dtype)
    if values.nbytes:
        _core.fetch_from_cuda(buffer.address, values.reshape(-1).view(np.uint8), stream)
    return values


def sent(values: NDArray[Any], buffer: Buffer, stream: int) -> None:
    """Copies values of the host to a buffer of the device."""
    if values.nbytes:
        flat = np.ascontiguousarray(values).reshape(-1).view(np.uint8)
        _core.send_to_cuda(flat, buffer.address, stream)


class DeviceFloats:
    """float32 in C order on the device, with the stream of those who use it: as much of an array
    as `OnDevice` needs."""

    def __init__(self, buffer: Buffer, stream: int, owner: Any = None) -> None:
        self.buffer = buffer
        self.stream = stream
        self.shape = buffer.shape
        self.owner = owner
        """What keeps the memory, if it is nobody else's."""

    @staticmethod
    def room(shape: tuple[int, ...], like: DeviceFloats) -> DeviceFloats:
        """New memory on the device of another one, as long as the object lives."""
        count = int(np.prod(shape, dtype=np.int64))
        owner, address = _core.room_on_cuda(count, like.buffer.address, like.stream)
        return DeviceFloats(Buffer(address, shape, np.dtype("float32")), like.stream, owner)

    @staticmethod
    def of(values: NDArray[Any], like: DeviceFloats, out: DeviceFloats | None) -> DeviceFloats:
        """Values of the host, in `out` or in new memory."""
        found = DeviceFloats.room(values.shape, like) if out is None else out
        sent(values.astype(np.float32), found.buffer, found.stream)
        return found

    def to_host(self) -> NDArray[np.float32]:
        return fetched(self.buffer, self.stream)

    def reshape(self, shape: tuple[int, ...]) -> DeviceFloats:
        return DeviceFloats(self.buffer._replace(shape=shape), self.stream, self.owner)
