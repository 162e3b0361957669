#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "bindings.hpp"
#include "core/device.hpp"
#include "core/device_copy.hpp"
#include "core/stream.hpp"
#include "cuda_array.hpp"

namespace fermat::python {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

/// Addresses are numbers: those who call have them from C.
using Address = std::uintptr_t;
using Bytes = nb::ndarray<std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using ReadBytes = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

void* pointer(Address address) { return reinterpret_cast<void*>(address); }

Address address_of(nb::handle array) {
    return reinterpret_cast<Address>(floats_on_cuda(array, "the array").data());
}

/// New memory on the device of `like`: what keeps it, and its address.
nb::tuple room(std::size_t count, Address like, StreamHandle stream) {
    using Memory = std::shared_ptr<float>;
    auto* const kept = [&] {
        const nb::gil_scoped_release release;
        const StreamScope scope(device_of(pointer(like)), stream);
        return new Memory(allocate_on_device(count));
    }();
    const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<Memory*>(p); });
    return nb::make_tuple(owner, reinterpret_cast<Address>(kept->get()));
}

void fetch(Address from, const Bytes& to, StreamHandle stream) {
    const nb::gil_scoped_release release;
    const StreamScope scope(device_of(pointer(from)), stream);
    fetch_from_device({reinterpret_cast<std::byte*>(to.data()), to.size()}, pointer(from));
}

void send(const ReadBytes& from, Address to, StreamHandle stream) {
    const nb::gil_scoped_release release;
    const StreamScope scope(device_of(pointer(to)), stream);
    send_to_device(pointer(to), {reinterpret_cast<const std::byte*>(from.data()), from.size()});
}

}  // namespace

void bind_cuda_memory(nb::module_& module) {
    module.def("address_on_cuda", &address_of, "array"_a,
               nb::sig("def address_on_cuda(array: object) -> int"),
               "Where an array of float32 in C order, handed over by DLPack, lies on its device.");
    module.def("room_on_cuda", &room, "count"_a, "like"_a, "stream"_a,
               nb::sig("def room_on_cuda(count: int, like: int, stream: int) -> "
                       "tuple[typing.Any, int]"),
               "New float32 memory on the device that has the address `like`: an object that keeps "
               "it, and its address.");
    module.def("fetch_from_cuda", &fetch, "address"_a, "to"_a, "stream"_a,
               nb::sig("def fetch_from_cuda(address: int, to: "
                       "numpy.typing.NDArray[numpy.uint8], stream: int) -> None"),
               "Copies bytes of a CUDA device into an array of the host.");
    module.def("send_to_cuda", &send, "values"_a, "address"_a, "stream"_a,
               nb::sig("def send_to_cuda(values: numpy.typing.NDArray[numpy.uint8], address: int, "
                       "stream: int) -> None"),
               "Copies bytes of the host to an address of a CUDA device.");
}

}  // namespace fermat::python
