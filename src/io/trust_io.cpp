#include "io/trust_io.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <system_error>

#include "core/error.hpp"
#include "core/fingerprint.hpp"
#include "io/csv.hpp"
#include "io/hdf5_column.hpp"
#include "io/hdf5_output.hpp"
#include "io/metric_io.hpp"
#include "io/run_mark.hpp"
#include "io/vtkhdf_image.hpp"

namespace fermat {
namespace {

namespace fs = std::filesystem;

constexpr auto ensemble_mark = "fermat_ensemble";

std::string digest(std::span<const float> velocity, std::span<const float> weight,
                   const std::vector<double>& numbers) {
    Fingerprint print;
    print.add(velocity);
    print.add(weight);
    print.add(numbers);
    return print.text();
}

Field<float> field_of(const std::vector<float>& values, Shape shape) {
    if (values.empty()) return {};
    Field<float> field(shape);
    std::copy(values.begin(), values.end(), field.begin());
    return field;
}

std::optional<EnsembleMember> read_whole(const fs::path& path, Shape shape,
                                         const std::string& ensemble) {
    const hdf5::Session session;
    const hdf5::Handle file = hdf5::open_file(path);
    if (H5Aexists(file, ensemble_mark) <= 0 ||
        hdf5::read_text_attribute(file, ensemble_mark, path) != ensemble) {
        return std::nullopt;
    }
    const auto velocity = hdf5::read_column<float>(file, "velocity", path);
    const auto weight = hdf5::read_column<float>(file, "weight", path);
    const auto numbers = hdf5::read_column<double>(file, "numbers", path);
    if (digest(velocity, weight, numbers) != hdf5::read_text_attribute(file, "digest", path)) {
        return std::nullopt;
    }
    const bool fits = velocity.size() == shape.count() && numbers.size() == 4 &&
                      (weight.empty() || weight.size() == velocity.size());
    if (!fits) return std::nullopt;
    EnsembleMember member;
    member.velocity = field_of(velocity, shape);
    member.weight = field_of(weight, shape);
    member.rms = numbers[0];
    member.chi2 = numbers[1];
    member.picks = static_cast<std::int64_t>(numbers[2]);
    member.iterations = static_cast<int>(numbers[3]);
    return member;
}

}  // namespace

void write_trust(const fs::path& path, const Model& model, const std::vector<TrustField>& fields,
                 const std::string& run) {
    ImageWriter image(path, model.grid(), run);
    write_coordinates(image, model);
    for (const TrustField& field : fields) {
        if (field.values->size() == 0) continue;
        if (model.cells() != nullptr) {
            image.add_cell_array(field.name, *field.values);
        } else {
            image.add_point_array(field.name, *field.values);
        }
    }
    image.commit();
}

void write_ensemble_table(const fs::path& path, const Ensemble& ensemble, const std::string& run) {
    CsvWriter table(path, {"member", "rms", "chi2", "picks", "iterations"}, run);
    for (std::size_t n = 0; n < ensemble.members.size(); ++n) {
        const EnsembleMember& member = ensemble.members[n];
        const std::string chi2 = std::isnan(member.chi2) ? "" : fmt::format("{}", member.chi2);
        table.add_row({static_cast<std::int64_t>(n), member.rms, std::string_view(chi2),
                       member.picks, static_cast<std::int64_t>(member.iterations)});
    }
    table.commit();
}

void write_member(const fs::path& path, const EnsembleMember& member, const std::string& run,
                  const std::string& ensemble) {
    const std::span<const float> velocity(member.velocity.data(), member.velocity.size());
    const std::span<const float> weight(member.weight.data(), member.weight.size());
    const std::vector<double> numbers = {member.rms, member.chi2, static_cast<double>(member.picks),
                                         static_cast<double>(member.iterations)};
    hdf5::NewFile file(path);
    const hdf5::Session session;
    hdf5::write_attribute(file.id(), run_mark, run, path);
    hdf5::write_attribute(file.id(), ensemble_mark, ensemble, path);
    hdf5::write_attribute(file.id(), "digest", digest(velocity, weight, numbers), path);
    hdf5::write_array(file.id(), "velocity", file.path(), velocity);
    hdf5::write_array(file.id(), "weight", file.path(), weight);
    hdf5::write_array<double>(file.id(), "numbers", file.path(), numbers);
    file.commit();
}

std::optional<EnsembleMember> read_member(const fs::path& path, Shape shape,
                                          const std::string& ensemble) {
    std::error_code ignored;
    if (!fs::exists(path, ignored)) return std::nullopt;
    try {
        return read_whole(path, shape, ensemble);
    } catch (const InputError&) {
        // HDF5 1.10 complains on stderr at the end of a process that has met damage; see fail_read.
        H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
        return std::nullopt;
    }
}

void write_smoothing_table(const fs::path& path, const SmoothingChoice& choice,
                           const std::string& run) {
    CsvWriter table(path, {"smoothing", "held_out", "fitted"}, run);
    for (const SmoothingScore& row : choice.table) {
        table.add_row({row.lambda, row.score.held_out, row.score.fitted});
    }
    table.commit();
}

void write_schedule_table(const fs::path& path, const ScheduleChoice& choice,
                          const std::string& run) {
    CsvWriter table(path, {"stage", "iterations", "cell_size", "vertex_size", "held_out", "taken"},
                    run);
    for (const StageScore& row : choice.table) {
        const std::string cell = to_string(row.tried.cell);
        const std::string vertex = to_string(row.tried.vertex);
        table.add_row({static_cast<std::int64_t>(row.stage),
                       static_cast<std::int64_t>(row.tried.iterations), std::string_view(cell),
                       std::string_view(vertex), row.held_out,
                       static_cast<std::int64_t>(row.taken ? 1 : 0)});
    }
    table.commit();
}

void write_schedule(const fs::path& path, const std::vector<Stage>& schedule,
                    const std::string& run) {
    CsvWriter table(path,
                    {"iterations", "cell_x", "cell_y", "cell_z", "vertex_x", "vertex_y", "vertex_z",
                     "cell_passes", "vertex_passes"},
                    run);
    for (const Stage& stage : schedule) {
        const auto whole = [](int value) { return static_cast<std::int64_t>(value); };
        table.add_row({whole(stage.iterations), whole(stage.cell.x), whole(stage.cell.y),
                       whole(stage.cell.z), whole(stage.vertex.x), whole(stage.vertex.y),
                       whole(stage.vertex.z), whole(stage.cell_passes),
                       whole(stage.vertex_passes)});
    }
    table.commit();
}

}  // namespace fermat
