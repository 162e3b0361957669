#include "io/checkpoint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <type_traits>
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

/// Calls visit(name, member) for all that a checkpoint keeps of an iteration, one column each.
template <class Report, class Visit>
void for_each_column(Report& r, Visit visit) {
    visit("iteration", r.iteration);
    visit("rms", r.misfit.rms);
    visit("chi2", r.misfit.chi2);
    visit("weighted_rms", r.misfit.weighted_rms);
    visit("used", r.misfit.used);
    visit("lost", r.misfit.lost);
    visit("rejected", r.misfit.rejected);
    visit("max_update", r.max_update);
    visit("stage", r.stage);
    visit("cell_x", r.cell.x);
    visit("cell_y", r.cell.y);
    visit("cell_z", r.cell.z);
    visit("vertex_x", r.vertex.x);
    visit("vertex_y", r.vertex.y);
    visit("vertex_z", r.vertex.z);
    visit("lambda", r.lambda);
    visit("roughness", r.roughness);
    visit("passes", r.passes);
    visit("seconds_times", r.seconds.times);
    visit("seconds_rays", r.seconds.rays);
    visit("seconds_cell_smoothing", r.seconds.cell_smoothing);
    visit("seconds_vertex_smoothing", r.seconds.vertex_smoothing);
    visit("seconds_update", r.seconds.update);
}

/// Calls visit(name, member) for what a checkpoint keeps of the run beside arrays.
template <class State, class Visit>
void for_each_value(State& s, Visit visit) {
    visit("stage", s.stage);
    visit("stage_iterations", s.stage_iterations);
    visit("limit_low", s.limits.low);
    visit("limit_high", s.limits.high);
}

/// Columns by name. Integers are stored as double too: all of them are far below 2^53.
using Columns = std::map<std::string, std::vector<double>>;

void add_row(Columns& columns, const IterationReport& report) {
    for_each_column(report, [&](const char* name, const auto& value) {
        columns[name].push_back(static_cast<double>(value));
    });
}

IterationReport row_of(const Columns& columns, std::size_t row) {
    IterationReport report;
    for_each_column(report, [&](const char* name, auto& value) {
        value = static_cast<std::remove_reference_t<decltype(value)>>(columns.at(name)[row]);
    });
    return report;
}

/// The arrays in which a file stores a state.
struct Arrays {
    Columns state;
    Columns reports;  ///< rows of the history, then of the next model
    std::vector<double> initial_residual;
    std::vector<double> unknowns;
    std::vector<double> method_state;
    std::span<const float> velocity;

    /// Hash of the content, which reveals damage.
    std::string digest(const std::string& fingerprint) const {
        Fingerprint print;
        print.add(std::string_view(fingerprint));
        for (const Columns* columns : {&state, &reports}) {
            for (const auto& [name, values] : *columns) {
                print.add(std::string_view(name));
                print.add(values);
            }
        }
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

void write_columns(hdf5::NewFile& file, const char* group, const Columns& columns) {
    const hdf5::Handle parent = hdf5::create_group(file.id(), group, file.path());
    for (const auto& [name, values] : columns) {
        hdf5::Column<double> column(parent, name.c_str(), file.path());
        column.append(values.data(), values.size());
        if (!column.close()) hdf5::fail_write(file.path());
    }
}

InputError damaged(const fs::path& path, std::string_view why) {
    return InputError(
        fmt::format("'{}' is damaged: {} (start again without `resume`)", path.string(), why));
}

}  // namespace

void write_checkpoint(const fs::path& path, const InversionState& state,
                      const std::string& fingerprint) {
    Arrays arrays;
    for_each_value(state, [&](const char* name, const auto& value) {
        arrays.state[name] = {static_cast<double>(value)};
    });
    for (const IterationReport& report : state.history) add_row(arrays.reports, report);
    add_row(arrays.reports, state.next);
    arrays.initial_residual = state.initial_residual;
    arrays.unknowns = state.unknowns;
    arrays.method_state = state.method_state;
    arrays.velocity = {state.velocity.data(), state.velocity.size()};

    hdf5::NewFile file(path);
    const hdf5::Session session;
    hdf5::write_attribute(file.id(), "fermat_version", std::string(version), path);
    hdf5::write_attribute(file.id(), run_mark, fingerprint, path);
    hdf5::write_attribute(file.id(), "digest", arrays.digest(fingerprint), path);
    write_columns(file, "state", arrays.state);
    write_columns(file, "reports", arrays.reports);
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
    InversionState state;
    for_each_value(state, [&](const char* name, const auto&) {
        arrays.state[name] = hdf5::read_column<double>(file, fmt::format("state/{}", name), path);
    });
    for_each_column(state.next, [&](const char* name, const auto&) {
        arrays.reports[name] =
            hdf5::read_column<double>(file, fmt::format("reports/{}", name), path);
    });
    arrays.initial_residual = hdf5::read_column<double>(file, "initial_residual", path);
    arrays.unknowns = hdf5::read_column<double>(file, "unknowns", path);
    arrays.method_state = hdf5::read_column<double>(file, "method_state", path);
    const std::vector<float> velocity = hdf5::read_column<float>(file, "velocity", path);
    arrays.velocity = velocity;
    if (arrays.digest(fingerprint) != hdf5::read_text_attribute(file, "digest", path)) {
        throw damaged(path, "its values are not those that were written");
    }
    const std::size_t rows = arrays.reports.at("iteration").size();
    bool fits = rows > 0 && (velocity.size() == grid.node_count() ||
                             velocity.size() == grid.cell_shape().count());
    for (const auto& [name, values] : arrays.state) fits = fits && values.size() == 1;
    for (const auto& [name, values] : arrays.reports) fits = fits && values.size() == rows;
    if (!fits) throw damaged(path, "its arrays have wrong lengths");

    for_each_value(state, [&](const char* name, auto& value) {
        value = static_cast<std::remove_reference_t<decltype(value)>>(arrays.state.at(name)[0]);
    });
    for (std::size_t row = 0; row + 1 < rows; ++row) {
        state.history.push_back(row_of(arrays.reports, row));
    }
    state.next = row_of(arrays.reports, rows - 1);
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
