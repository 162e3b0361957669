#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>
#include <vector>

#include "bindings.hpp"
#include "core/error.hpp"
#include "points.hpp"
#include "rays/ray_set.hpp"

namespace fermat::python {

namespace nb = nanobind;

namespace {

template <class T>
using Column = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T, class Get>
nb::object column_of(const RaySet& set, Get get) {
    std::vector<T> values;
    values.reserve(set.size());
    for (const RayInfo& ray : set.rays) values.push_back(static_cast<T>(get(ray)));
    return nb::cast(array_from(std::move(values)));
}

/// Returns source, receiver, field time, time, length, status and start per ray, then offsets and
/// points. All are arrays, so pickles of protocol 5 need not copy their bytes.
nb::tuple state_of(const RaySet& set) {
    return nb::make_tuple(
        column_of<std::int32_t>(set, [](auto& r) { return r.source; }),
        column_of<std::int32_t>(set, [](auto& r) { return r.receiver; }),
        column_of<double>(set, [](auto& r) { return r.field_time; }),
        column_of<double>(set, [](auto& r) { return r.time; }),
        column_of<double>(set, [](auto& r) { return r.length; }),
        column_of<std::uint8_t>(set, [](auto& r) { return r.status; }),
        column_of<std::uint8_t>(set, [](auto& r) { return r.start; }),
        nb::cast(array_from(std::vector(set.first_point))), nb::cast([&] {
            const auto* first = set.points.empty() ? nullptr : &set.points.front().x;
            return array_from(std::vector<double>(first, first + 3 * set.points.size()));
        }()));
}

template <class Enum>
Enum member(std::uint8_t value) {
    if (value >= choices<Enum>.entries.size()) {
        throw InputError("the state of these rays is damaged (a value has no name)");
    }
    return static_cast<Enum>(value);
}

RaySet rays_of(const nb::tuple& state) {
    if (state.size() != 9) throw InputError("the state of these rays is of another version");
    const auto source = nb::cast<Column<std::int32_t>>(state[0]);
    const auto receiver = nb::cast<Column<std::int32_t>>(state[1]);
    const auto field_time = nb::cast<Column<double>>(state[2]);
    const auto time = nb::cast<Column<double>>(state[3]);
    const auto length = nb::cast<Column<double>>(state[4]);
    const auto status = nb::cast<Column<std::uint8_t>>(state[5]);
    const auto start = nb::cast<Column<std::uint8_t>>(state[6]);
    const auto offsets = nb::cast<Column<std::int64_t>>(state[7]);
    const auto points = nb::cast<Column<double>>(state[8]);

    const std::size_t count = source.shape(0);
    bool whole = receiver.shape(0) == count && field_time.shape(0) == count &&
                 time.shape(0) == count && length.shape(0) == count && status.shape(0) == count &&
                 start.shape(0) == count && offsets.shape(0) == count + 1 &&
                 points.shape(0) % 3 == 0 && offsets.data()[0] == 0 &&
                 offsets.data()[count] == static_cast<std::int64_t>(points.shape(0) / 3);
    for (std::size_t n = 0; whole && n < count; ++n) {
        whole = offsets.data()[n] <= offsets.data()[n + 1];
    }
    if (!whole) throw InputError("the state of these rays is damaged (its parts do not fit)");

    RaySet set;
    set.rays.reserve(count);
    for (std::size_t n = 0; n < count; ++n) {
        set.rays.push_back({source.data()[n], receiver.data()[n], field_time.data()[n],
                            time.data()[n], length.data()[n], member<RayStatus>(status.data()[n]),
                            member<RayStart>(start.data()[n])});
    }
    set.first_point.assign(offsets.data(), offsets.data() + count + 1);
    set.points.reserve(points.shape(0) / 3);
    for (std::size_t n = 0; n < points.shape(0); n += 3) {
        set.points.push_back({points.data()[n], points.data()[n + 1], points.data()[n + 2]});
    }
    return set;
}

}  // namespace

void bind_ray_state(nb::class_<RaySet>& type) {
    type.def("__getstate__", &state_of,
             nb::sig("def __getstate__(self) -> tuple[typing.Any, ...]"));
    type.def(
        "__setstate__",
        [](RaySet& self, const nb::tuple& state) { new (&self) RaySet(rays_of(state)); },
        nb::sig("def __setstate__(self, state: tuple[typing.Any, ...]) -> None"));
}

}  // namespace fermat::python
