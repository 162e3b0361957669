#include "io/checkpoint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <vector>

#include "core/error.hpp"
#include "core/fingerprint.hpp"
#include "core/version.hpp"
#include "io/hdf5_column.hpp"
#include "io/hdf5_output.hpp"
#include "io/run_mark.hpp"

namespace fermat {
namespace {

namespace fs = std::filesystem;

// Integers are stored as double too: all of them are far below 2^53.
constexpr std::size_t report_width = 23;
constexpr std::size_t state_width = 4;

std::vector<double> to_row(const IterationReport& r) {
    const auto real = [](auto value) { return static_cast<double>(value); };
    return {real(r.iteration),
            r.misfit.rms,
            r.misfit.chi2,
            real(r.misfit.used),
            real(r.misfit.lost),
            real(r.misfit.rejected),
            r.max_update,
            real(r.stage),
            real(r.cell.x),
            real(r.cell.y),
            real(r.cell.z),
            real(r.vertex.x),
            real(r.vertex.y),
            real(r.vertex.z),
            r.seconds.times,
            r.seconds.rays,
            r.seconds.cell_smoothing,
            r.seconds.vertex_smoothing,
            r.seconds.update,
            r.misfit.weighted_rms,
            r.lambda,
            r.roughness,
            real(r.passes)};
}

IterationReport from_row(std::span<const double> row) {
    const auto whole = [&](std::size_t n) { return static_cast<int>(row[n]); };
    const auto count = [&](std::size_t n) { return static_cast<std::int64_t>(row[n]); };
    IterationReport r;
    r.iteration = whole(0);
    r.misfit = {row[1], row[2], count(3), count(4), count(5), row[19]};
    r.max_update = row[6];
    r.stage = whole(7);
    r.cell = {whole(8), whole(9), whole(10)};
    r.vertex = {whole(11), whole(12), whole(13)};
    r.seconds = {row[14], row[15], row[16], row[17], row[18]};
    r.lambda = row[20];
    r.roughness = row[21];
    r.passes = whole(22);
    return r;
}

/// The arrays in which a file stores a state.
struct Arrays {
    std::vector<double> state;
    std::vector<double> reports;  ///< of the history, then of the next model
    std::vector<double> initial_residual;
    std::vector<double> unknowns;
    std::vector<double> method_state;
    std::span<const float> velocity;

    /// Hash of the content, which reveals damage.
    std::string digest(const std::string& fingerprint) const {
        Fingerprint print;
        print.add(std::string_view(fingerprint));
        print.add(state);
        print.add(reports);
        print.add(initial_residual);
        print.add(unknowns);
        print.add(method_state);
        print.add(velocity);
        return print.text();
    }
};

template <class T>
void write_array(hdf5::NewFile& file, const char* name, std::span<const T> values) {
    hdf5::Column<T> column(file.id(), name, file.path());
    column.append(values.data(), values.size());
    if (!column.close()) hdf5::fail_write(file.path());
}

InputError damaged(const fs::path& path, std::string_view why) {
    return InputError(
        fmt::format("'{}' is damaged: {} (start again without `resume`)", path.string(), why));
}

}  // namespace

void write_checkpoint(const fs::path& path, const InversionState& state,
                      const std::string& fingerprint) {
    Arrays arrays;
    arrays.state = {static_cast<double>(state.stage), static_cast<double>(state.stage_iterations),
                    state.limits.low, state.limits.high};
    for (const IterationReport& report : state.history) {
        const auto row = to_row(report);
        arrays.reports.insert(arrays.reports.end(), row.begin(), row.end());
    }
    const auto next = to_row(state.next);
    arrays.reports.insert(arrays.reports.end(), next.begin(), next.end());
    arrays.initial_residual = state.initial_residual;
    arrays.unknowns = state.unknowns;
    arrays.method_state = state.method_state;
    arrays.velocity = {state.velocity.data(), state.velocity.size()};

    hdf5::NewFile file(path);
    const hdf5::Session session;
    hdf5::write_attribute(file.id(), "fermat_version", std::string(version), path);
    hdf5::write_attribute(file.id(), run_mark, fingerprint, path);
    hdf5::write_attribute(file.id(), "digest", arrays.digest(fingerprint), path);
    write_array<double>(file, "state", arrays.state);
    write_array<double>(file, "reports", arrays.reports);
    write_array<double>(file, "initial_residual", arrays.initial_residual);
    write_array<double>(file, "unknowns", arrays.unknowns);
    write_array<double>(file, "method_state", arrays.method_state);
    write_array<float>(file, "velocity", arrays.velocity);
    file.commit();
}

namespace {

InversionState read_state(const fs::path& path, const Grid& grid, const std::string& fingerprint) {
    const hdf5::Session session;
    const hdf5::Handle file = hdf5::open_file(path);
    if (H5Aexists(file, run_mark) <= 0 ||
        hdf5::read_text_attribute(file, run_mark, path) != fingerprint) {
        throw InputError(
            fmt::format("'{}' belongs to another run (its version, model, picks or options differ; "
                        "start again without `resume`)",
                        path.string()));
    }
    Arrays arrays;
    arrays.state = hdf5::read_column<double>(file, "state", path);
    arrays.reports = hdf5::read_column<double>(file, "reports", path);
    arrays.initial_residual = hdf5::read_column<double>(file, "initial_residual", path);
    arrays.unknowns = hdf5::read_column<double>(file, "unknowns", path);
    arrays.method_state = hdf5::read_column<double>(file, "method_state", path);
    const std::vector<float> velocity = hdf5::read_column<float>(file, "velocity", path);
    arrays.velocity = velocity;
    if (arrays.digest(fingerprint) != hdf5::read_text_attribute(file, "digest", path)) {
        throw damaged(path, "its values are not those that were written");
    }
    const bool fits =
        arrays.state.size() == state_width && !arrays.reports.empty() &&
        arrays.reports.size() % report_width == 0 &&
        (velocity.size() == grid.node_count() || velocity.size() == grid.cell_shape().count());
    if (!fits) throw damaged(path, "its arrays have wrong lengths");

    InversionState state;
    state.stage = static_cast<int>(arrays.state[0]);
    state.stage_iterations = static_cast<int>(arrays.state[1]);
    state.limits = {arrays.state[2], arrays.state[3]};
    for (std::size_t at = 0; at < arrays.reports.size(); at += report_width) {
        state.history.push_back(from_row(std::span(arrays.reports).subspan(at, report_width)));
    }
    state.next = state.history.back();
    state.history.pop_back();
    state.initial_residual = std::move(arrays.initial_residual);
    state.unknowns = std::move(arrays.unknowns);
    state.method_state = std::move(arrays.method_state);
    state.velocity =
        Field<float>(velocity.size() == grid.node_count() ? grid.shape : grid.cell_shape());
    std::copy(velocity.begin(), velocity.end(), state.velocity.begin());
    return state;
}

}  // namespace

InversionState read_checkpoint(const fs::path& path, const Grid& grid,
                               const std::string& fingerprint) {
    try {
        return read_state(path, grid, fingerprint);
    } catch (const InputError&) {
        // After damage, HDF5 1.10 prints errors to stderr when the process ends; see fail_read.
        H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
        throw;
    }
}

}  // namespace fermat
