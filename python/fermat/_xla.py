"""Functions of Python as custom calls of XLA, which hands them the memory of its arrays.

XLA calls a C function of one argument, the frame of the call (`XLA_FFI_CallFrame` in the header
`xla/ffi/api/c_api.h`, which comes with jaxlib). The structures below are those parts of it that have
been the same in every version since 0.1 (jaxlib 0.4.36); within version 0, fields are only
added behind them. So nothing of XLA is needed to build fermat, and nothing is copied.
"""

from __future__ import annotations

import ctypes
import json
from ctypes import POINTER, Structure, c_char_p, c_int, c_int64, c_size_t, c_uint32, c_void_p
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

__all__ = ["Buffer", "buffer_of", "capsule", "on_host"]

MAJOR, LEAST_MINOR = 0, 1
"""Version of the interface: this one, from the least minor on."""
METADATA = 1
"""Type of the extension by which XLA asks a function for its version."""
INVALID_ARGUMENT, CANCELLED, INTERNAL = 3, 1, 13
TYPES: dict[int, np.dtype[Any]] = {4: np.dtype("int32"), 11: np.dtype("float32"), 12: np.dtype("float64")}


class Buffer(NamedTuple):
    """An array of XLA, in C order, where its device has it."""

    address: int
    shape: tuple[int, ...]
    dtype: np.dtype[Any]

    @property
    def nbytes(self) -> int:
        return int(np.prod(self.shape, dtype=np.int64)) * self.dtype.itemsize

    def part(self, number: int, shape: tuple[int, ...]) -> Buffer:
        """One of equal parts that follow each other."""
        size = int(np.prod(shape, dtype=np.int64)) * self.dtype.itemsize
        return Buffer(self.address + number * size, shape, self.dtype)


def on_host(buffer: Buffer) -> NDArray[Any]:
    """The memory of a buffer on the host, as an array."""
    if buffer.nbytes == 0:
        return np.empty(buffer.shape, buffer.dtype)
    memory = memoryview((ctypes.c_char * buffer.nbytes).from_address(buffer.address)).cast("B")
    return np.frombuffer(memory, dtype=buffer.dtype).reshape(buffer.shape)


def buffer_of(array: NDArray[Any]) -> Buffer:
    """A NumPy array in C order as a buffer; the array must outlive it."""
    return Buffer(array.ctypes.data, array.shape, array.dtype)


class _Version(Structure):
    _fields_ = [("size", c_size_t), ("next", c_void_p), ("major", c_int), ("minor", c_int)]


class _Metadata(Structure):
    _fields_ = [("size", c_size_t), ("version", _Version), ("traits", c_uint32)]


class _Extension(Structure):
    """Its last field is there where the type is METADATA."""

    _fields_ = [
        ("size", c_size_t),
        ("type", c_int),
        ("next", c_void_p),
        ("metadata", POINTER(_Metadata)),
    ]


class _ErrorOf(Structure):
    _fields_ = [("size", c_size_t), ("next", c_void_p), ("message", c_char_p), ("code", c_int)]


class _StreamOf(Structure):
    _fields_ = [("size", c_size_t), ("next", c_void_p), ("context", c_void_p), ("stream", c_void_p)]


class _Api(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("next", c_void_p),
        ("version", _Version),
        ("internal", c_void_p),
        ("error_create", ctypes.CFUNCTYPE(c_void_p, POINTER(_ErrorOf))),
        ("error_message", c_void_p),
        ("error_destroy", c_void_p),
        ("handler_register", c_void_p),
        ("stream_get", ctypes.CFUNCTYPE(c_void_p, POINTER(_StreamOf))),
    ]


class _Array(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("next", c_void_p),
        ("dtype", c_int),
        ("data", c_void_p),
        ("rank", c_int64),
        ("dims", POINTER(c_int64)),
    ]


class _Arrays(Structure):
    """The arguments, or the results."""

    _fields_ = [
        ("size", c_size_t),
        ("next", c_void_p),
        ("count", c_int64),
        ("types", c_void_p),
        ("arrays", POINTER(POINTER(_Array))),
    ]


class _Bytes(Structure):
    _fields_ = [("data", c_void_p), ("count", c_size_t)]


class _Attributes(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("next", c_void_p),
        ("count", c_int64),
        ("types", c_void_p),
        ("names", POINTER(POINTER(_Bytes))),
        ("values", POINTER(POINTER(_Bytes))),
    ]


class _Frame(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("next", POINTER(_Extension)),
        ("api", POINTER(_Api)),
        ("context", c_void_p),
        ("stage", c_int),
        ("arguments", _Arrays),
        ("results", _Arrays),
        ("attributes", _Attributes),
    ]


_Handler = ctypes.CFUNCTYPE(c_void_p, POINTER(_Frame))
_alive: list[Any] = []
"""What XLA may call as long as the process lives."""


def capsule(
    work: Callable[[list[Buffer], list[Buffer], dict[str, Any], int], None], *, streams: bool
) -> Any:
    """A C function around `work`, in a capsule as jax.ffi.register_ffi_target takes it.

    work(arguments, results, options, stream) fills in the results. Options are the attribute
    `options` of the call, a JSON object. The stream is that of the call where the device has
    `streams`, and otherwise 0. What `work` raises becomes an error of JAX with its message.
    """

    def handle(frame: Any) -> int | None:
        asked = frame.contents.next
        if asked and asked.contents.type == METADATA:
            _tell_version(frame.contents)
            return None
        api = frame.contents.api.contents
        try:
            stream = _stream(frame.contents) if streams else 0
            work(
                _buffers(frame.contents.arguments),
                _buffers(frame.contents.results),
                _options(frame.contents.attributes),
                stream,
            )
        except KeyboardInterrupt:
            return _error(api, CANCELLED, "interrupted")
        except ValueError as error:
            return _error(api, INVALID_ARGUMENT, str(error))
        except BaseException as error:
            return _error(api, INTERNAL, f"{type(error).__name__}: {error}")
        return None

    function = _Handler(handle)
    _alive.append(function)
    make = ctypes.pythonapi.PyCapsule_New
    make.restype = ctypes.py_object
    make.argtypes = (c_void_p, c_char_p, c_void_p)
    return make(ctypes.cast(function, c_void_p), None, None)


def _tell_version(frame: _Frame) -> None:
    """Answers with XLA's own version where its frame has what is used here; XLA refuses others."""
    metadata = frame.next.contents.metadata.contents
    minor = LEAST_MINOR
    if frame.api and frame.api.contents.version.major == MAJOR:
        minor = max(minor, frame.api.contents.version.minor)
    metadata.version.major, metadata.version.minor = MAJOR, minor
    metadata.traits = 0


def _buffers(arrays: _Arrays) -> list[Buffer]:
    found = []
    for n in range(arrays.count):
        array = arrays.arrays[n].contents
        shape = tuple(int(array.dims[i]) for i in range(array.rank))
        found.append(Buffer(array.data or 0, shape, TYPES[array.dtype]))
    return found


def _options(attributes: _Attributes) -> dict[str, Any]:
    for n in range(attributes.count):
        name = attributes.names[n].contents
        if ctypes.string_at(name.data, name.count) == b"options":
            value = attributes.values[n].contents
            found: dict[str, Any] = json.loads(ctypes.string_at(value.data, value.count))
            return found
    return {}


def _stream(frame: _Frame) -> int:
    asked = _StreamOf(ctypes.sizeof(_StreamOf), None, frame.context, None)
    if frame.api.contents.stream_get(ctypes.byref(asked)):
        raise RuntimeError("XLA gives no stream for its call")
    return asked.stream or 0


def _error(api: _Api, code: int, message: str) -> int | None:
    made = _ErrorOf(ctypes.sizeof(_ErrorOf), None, message.encode(), code)
    found: int | None = api.error_create(ctypes.byref(made))
    return found
