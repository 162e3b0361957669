#include "differences.hpp"

#include <cstdint>
#include <utility>

#include "numpy.hpp"
#include "points.hpp"
#include "survey_columns.hpp"
#include "warn.hpp"

namespace fermat::python {

namespace nb = nanobind;

std::vector<TimeDifference> differences_from(const nb::dict& given) {
    const auto whole = [&](const char* name) { return nb::cast<Indices>(given[name]); };
    const Indices first = whole("first"), second = whole("second"), station = whole("station"),
                  phase = whole("phase"), kind = whole("kind");
    const auto time = nb::cast<Numbers>(given["time"]);
    const auto weight = nb::cast<Numbers>(given["weight"]);
    const std::size_t rows = time.shape(0);
    const std::int32_t* const firsts = column_of(first, rows, "first");
    const std::int32_t* const seconds = column_of(second, rows, "second");
    const std::int32_t* const stations = column_of(station, rows, "station");
    const std::int32_t* const phases = column_of(phase, rows, "phase");
    const std::int32_t* const kinds = column_of(kind, rows, "kind");
    const double* const weights = column_of(weight, rows, "weight");
    std::vector<TimeDifference> out;
    for (std::size_t n = 0; n < rows; ++n) {
        out.push_back({firsts[n], seconds[n], stations[n], phases[n] == 1 ? Phase::S : Phase::P,
                       kinds[n] == 1 ? DifferenceKind::correlation : DifferenceKind::catalogue,
                       time.data()[n], weights[n]});
    }
    return out;
}

nb::dict columns_of(const std::vector<TimeDifference>& differences, const Notes& notes) {
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
    nb::dict out;
    out["first"] = array_from(std::move(first));
    out["second"] = array_from(std::move(second));
    out["station"] = array_from(std::move(station));
    out["phase"] = array_from(std::move(phase));
    out["kind"] = array_from(std::move(kind));
    out["time"] = array_from(std::move(time));
    out["weight"] = array_from(std::move(weight));
    out["notes"] = sentences_of(notes);
    return out;
}

void put_fits(DifferenceFits&& fits, nb::dict& out) {
    out["residual"] = array_from(std::move(fits.residuals));
    out["weight"] = array_from(std::move(fits.weights));
    out["rms"] = nb::make_tuple(fits.rms[0], fits.rms[1]);
    out["rms_before"] = nb::make_tuple(fits.rms_before[0], fits.rms_before[1]);
}

}  // namespace fermat::python
