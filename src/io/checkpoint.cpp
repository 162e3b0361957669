#include "io/checkpoint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/fingerprint.hpp"
#include "core/version.hpp"
#include "io/hdf5_column.hpp"
#include "io/hdf5_output.hpp"
#include "io/metric_io.hpp"
#include "io/run_mark.hpp"
#include "model/placement.hpp"

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

/// Calls visit(name, member) for the arrays that a checkpoint keeps of a run.
template <class State, class Visit>
void for_each_list(State& s, Visit visit) {
    visit("initial_residual", s.initial_residual);
    visit("unknowns", s.unknowns);
    for_each_array(s.method, visit);
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
    Columns lists;
    std::vector<double> grid;  ///< shape, origin and spacing
    std::string system;        ///< of coordinates; empty on a plain grid
    Columns coordinates;
    std::span<const float> velocity;

    /// Hash of the content, which reveals damage.
    std::string digest(const std::string& fingerprint) const {
        Fingerprint print;
        print.add(std::string_view(fingerprint));
        for (const Columns* columns : {&state, &reports, &lists}) {
            for (const auto& [name, values] : *columns) {
                print.add(std::string_view(name));
                print.add(values);
            }
        }
        print.add(grid);
        if (!system.empty()) print.add(std::string_view(system));
        for (const auto& [name, values] : coordinates) {
            print.add(std::string_view(name));
            print.add(values);
        }
        print.add(velocity);
        return print.text();
    }
};

std::vector<double> numbers_of(const Grid& grid) {
    std::vector<double> numbers;
    for (int axis = 0; axis < 3; ++axis) numbers.push_back(grid.shape[axis]);
    for (int axis = 0; axis < 3; ++axis) numbers.push_back(grid.origin[axis]);
    for (int axis = 0; axis < 3; ++axis) numbers.push_back(grid.spacing[axis]);
    return numbers;
}

/// The grid of nine numbers; one without nodes where they are none of a grid.
Grid grid_of(const std::vector<double>& numbers) {
    constexpr double most = 1 << 30;
    const auto is_size = [&](double n) { return n >= 1 && n <= most; };
    if (numbers.size() != 9 || !std::all_of(numbers.begin(), numbers.begin() + 3, is_size) ||
        numbers[0] * numbers[1] * numbers[2] > 1e15) {
        return {{0, 0, 0}, {}, {}};
    }
    const auto size = [&](std::size_t n) { return static_cast<int>(numbers[n]); };
    return {{size(0), size(1), size(2)},
            {numbers[3], numbers[4], numbers[5]},
            {numbers[6], numbers[7], numbers[8]}};
}

void write_columns(hdf5::NewFile& file, const char* group, const Columns& columns) {
    const hdf5::Handle parent = hdf5::create_group(file.id(), group, file.path());
    for (const auto& [name, values] : columns) {
        hdf5::write_array<double>(parent, name.c_str(), file.path(), values);
    }
}

InputError damaged(const fs::path& path, std::string_view why) {
    return InputError(
        fmt::format("'{}' is damaged: {} (start again without `resume`)", path.string(), why));
}

}  // namespace

void write_checkpoint(const fs::path& path, const Place& place, const InversionState& state,
                      const std::string& fingerprint) {
    Arrays arrays;
    arrays.grid = numbers_of(place.grid());
    const CoordinateNumbers& numbers = place.mapping().numbers();
    if (!(numbers == CoordinateNumbers{})) {
        arrays.system = std::string(name_of(numbers.system));
        arrays.coordinates = number_lists(numbers);
    }
    for_each_number(state.method, [&](const char* name, const auto& value) {
        arrays.state[name] = {static_cast<double>(value)};
    });
    for_each_list(state, [&](const char* name, const auto& values) {
        arrays.lists[name].assign(values.begin(), values.end());
    });
    for (const IterationReport& report : state.history) add_row(arrays.reports, report);
    add_row(arrays.reports, state.next);
    arrays.velocity = {state.velocity.data(), state.velocity.size()};

    hdf5::NewFile file(path);
    const hdf5::Session session;
    hdf5::write_attribute(file.id(), "fermat_version", std::string(version), path);
    hdf5::write_attribute(file.id(), run_mark, fingerprint, path);
    hdf5::write_attribute(file.id(), "digest", arrays.digest(fingerprint), path);
    write_columns(file, "state", arrays.state);
    write_columns(file, "reports", arrays.reports);
    for (const auto& [name, values] : arrays.lists) {
        hdf5::write_array<double>(file.id(), name.c_str(), file.path(), values);
    }
    hdf5::write_array<double>(file.id(), "grid", file.path(), arrays.grid);
    if (!arrays.system.empty()) {
        hdf5::write_attribute(file.id(), "coordinates", arrays.system, path);
        write_columns(file, "coordinates", arrays.coordinates);
    }
    hdf5::write_array<float>(file.id(), "velocity", file.path(), arrays.velocity);
    file.commit();
}

namespace {

/// All that a checkpoint holds.
struct Content {
    InversionState state;
    Grid grid;
    CoordinateNumbers coordinates;
    std::string run;
};

/// `fingerprint` names the run that the file must belong to; empty: any.
Content read_content(const fs::path& path, const std::string& fingerprint) {
    const hdf5::Session session;
    const hdf5::Handle file = hdf5::open_file(path);
    const std::string run =
        H5Aexists(file, run_mark) > 0 ? hdf5::read_text_attribute(file, run_mark, path) : "";
    if (!fingerprint.empty() && run != fingerprint) {
        throw InputError(
            fmt::format("'{}' belongs to another run (its version, model, picks or options differ; "
                        "start again without `resume`)",
                        path.string()));
    }
    Arrays arrays;
    InversionState state;
    for_each_number(state.method, [&](const char* name, const auto&) {
        arrays.state[name] = hdf5::read_column<double>(file, fmt::format("state/{}", name), path);
    });
    for_each_column(state.next, [&](const char* name, const auto&) {
        arrays.reports[name] =
            hdf5::read_column<double>(file, fmt::format("reports/{}", name), path);
    });
    for_each_list(state, [&](const char* name, const auto&) {
        arrays.lists[name] = hdf5::read_column<double>(file, name, path);
    });
    arrays.grid = hdf5::read_column<double>(file, "grid", path);
    if (H5Aexists(file, "coordinates") > 0) {
        arrays.system = hdf5::read_text_attribute(file, "coordinates", path);
        for (const std::string& name : hdf5::dataset_names(file, "coordinates", path)) {
            arrays.coordinates[name] =
                hdf5::read_column<double>(file, fmt::format("coordinates/{}", name), path);
        }
    }
    const std::vector<float> velocity = hdf5::read_column<float>(file, "velocity", path);
    arrays.velocity = velocity;
    if (arrays.digest(run) != hdf5::read_text_attribute(file, "digest", path)) {
        throw damaged(path, "its values are not those that were written");
    }
    const std::size_t rows = arrays.reports.at("iteration").size();
    const Grid grid = grid_of(arrays.grid);
    bool fits =
        rows > 0 && !velocity.empty() &&
        (velocity.size() == grid.node_count() || velocity.size() == grid.cell_shape().count());
    for (const auto& [name, values] : arrays.state) fits = fits && values.size() == 1;
    for (const auto& [name, values] : arrays.reports) fits = fits && values.size() == rows;
    if (!fits) throw damaged(path, "its arrays have wrong lengths");

    for_each_number(state.method, [&](const char* name, auto& value) {
        value = static_cast<std::remove_reference_t<decltype(value)>>(arrays.state.at(name)[0]);
    });
    for (std::size_t row = 0; row + 1 < rows; ++row) {
        state.history.push_back(row_of(arrays.reports, row));
    }
    state.next = row_of(arrays.reports, rows - 1);
    for_each_list(state, [&](const char* name, auto& values) {
        using Value = typename std::remove_reference_t<decltype(values)>::value_type;
        for (const double one : arrays.lists.at(name)) values.push_back(static_cast<Value>(one));
    });
    state.velocity =
        Field<float>(velocity.size() == grid.node_count() ? grid.shape : grid.cell_shape());
    std::copy(velocity.begin(), velocity.end(), state.velocity.begin());
    CoordinateNumbers coordinates;
    if (!arrays.system.empty()) {
        coordinates = coordinates_from(arrays.system, [&](const std::string& name) {
            const auto found = arrays.coordinates.find(name);
            return found == arrays.coordinates.end() ? std::vector<double>{} : found->second;
        });
    }
    return {std::move(state), grid, std::move(coordinates), run};
}

Content read_quietly(const fs::path& path, const std::string& fingerprint) {
    try {
        return read_content(path, fingerprint);
    } catch (const InputError&) {
        // After damage, HDF5 1.10 prints errors to stderr when the process ends; see fail_read.
        H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
        throw;
    }
}

}  // namespace

InversionState read_checkpoint(const fs::path& path, const Grid& grid,
                               const std::string& fingerprint) {
    Content content = read_quietly(path, fingerprint);
    if (!(content.grid == grid)) throw damaged(path, "its grid is not that of the run");
    return std::move(content.state);
}

RunSnapshot read_snapshot(const fs::path& path) {
    Content content = read_quietly(path, "");
    InversionState& state = content.state;
    if (state.history.empty()) throw damaged(path, "it has no iteration");
    const bool on_nodes = state.velocity.shape() == content.grid.shape;
    const int iteration = state.iteration();
    Model model = make_model(content.grid, std::move(state.velocity),
                             on_nodes ? Placement::nodes : Placement::cells);
    if (!(content.coordinates == CoordinateNumbers{})) {
        model = model.with_metric(
            std::make_shared<const Metric>(content.grid, std::move(content.coordinates)));
    }
    return {std::move(model), iteration, std::move(content.run)};
}

}  // namespace fermat
