#include "differences.hpp"

#include <cstdint>
#include <utility>

#include "numpy.hpp"
#include "points.hpp"
#include "warn.hpp"

namespace fermat::python {

namespace nb = nanobind;

namespace {

using Indices = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

}  // namespace

std::vector<TimeDifference> differences_from(const nb::dict& given) {
    const auto whole = [&](const char* name) { return nb::cast<Indices>(given[name]); };
    const Indices first = whole("first"), second = whole("second"), station = whole("station"),
                  phase = whole("phase"), kind = whole("kind");
    const auto time = nb::cast<Numbers>(given["time"]);
    const auto weight = nb::cast<Numbers>(given["weight"]);
    std::vector<TimeDifference> out;
    for (std::size_t n = 0; n < time.shape(0); ++n) {
        out.push_back(
            {first.data()[n], second.data()[n], station.data()[n],
             phase.data()[n] == 1 ? Phase::S : Phase::P,
             kind.data()[n] == 1 ? DifferenceKind::correlation : DifferenceKind::catalogue,
             time.data()[n], weight.data()[n]});
    }
    return out;
}

nb::tuple columns_of(const std::vector<TimeDifference>& differences, const Notes& notes) {
    std::vector<std::int32_t> first, second, station, phase, kind;
    std::vector<double> time, weight;
    for (const TimeDifference& one : differences) {
        first.push_back(one.first);
        second.push_back(one.second);
        station.push_back(one.station);
        phase.push_back(static_cast<std::int32_t>(one.phase));
        kind.push_back(static_cast<std::int32_t>(one.kind));
        time.push_back(one.time);
        weight.push_back(one.weight);
    }
    return nb::make_tuple(array_from(std::move(first)), array_from(std::move(second)),
                          array_from(std::move(station)), array_from(std::move(phase)),
                          array_from(std::move(kind)), array_from(std::move(time)),
                          array_from(std::move(weight)), sentences_of(notes));
}

void put_fits(DifferenceFits&& fits, nb::dict& out) {
    out["residual"] = array_from(std::move(fits.residuals));
    out["weight"] = array_from(std::move(fits.weights));
    out["rms"] = nb::make_tuple(fits.rms[0], fits.rms[1]);
    out["rms_before"] = nb::make_tuple(fits.rms_before[0], fits.rms_before[1]);
}

}  // namespace fermat::python
