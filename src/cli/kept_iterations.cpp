#include "cli/kept_iterations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "cli/values.hpp"
#include "core/error.hpp"
#include "core/printable.hpp"
#include "io/atomic_file.hpp"
#include "io/model_io.hpp"
#include "io/text.hpp"
#include "io/vector_coverage.hpp"
#include "io/vtkhdf_image.hpp"
#include "rays/sensitivity.hpp"

namespace fermat::cli {
namespace {

namespace fs = std::filesystem;

Field<float> in_float(FieldView<const double> values) {
    Field<float> out(values.shape());
    std::transform(values.begin(), values.end(), out.begin(),
                   [](double v) { return static_cast<float>(v); });
    return out;
}

std::vector<std::string_view> split_at_commas(std::string_view text) {
    std::vector<std::string_view> parts;
    for (;;) {
        const std::size_t comma = text.find(',');
        parts.push_back(text.substr(0, comma));
        if (comma == std::string_view::npos) return parts;
        text.remove_prefix(comma + 1);
    }
}

}  // namespace

bool IterationChoice::has(int iteration) const {
    return std::any_of(ranges_.begin(), ranges_.end(), [&](const auto& range) {
        return iteration >= range.first && iteration <= range.second;
    });
}

bool IterationChoice::names_beyond(int last) const {
    return std::any_of(ranges_.begin(), ranges_.end(), [&](const auto& range) {
        return range.second > last && range.second != no_end;
    });
}

IterationChoice parse_iterations(std::string_view flag, std::string_view text) {
    IterationChoice choice;
    if (text == "all") {
        choice.add(0, IterationChoice::no_end);
        return choice;
    }
    for (const std::string_view part : split_at_commas(text)) {
        const std::size_t dash = part.find('-');
        const auto first = parse_integer(part.substr(0, dash));
        const auto last =
            dash == std::string_view::npos ? first : parse_integer(part.substr(dash + 1));
        constexpr std::int64_t most = 1000000;
        if (!first || !last || *first < 0 || *last < *first || *last > most) {
            throw InputError(flag_message(
                flag, text, "must be all, or numbers and ranges from 0 on such as 0,5,10-12"));
        }
        choice.add(static_cast<int>(*first), static_cast<int>(*last));
    }
    return choice;
}

IterationKeeper::IterationKeeper(const Survey& picks, const InversionOptions& options,
                                 const RunFolder& folder, const std::string& identity,
                                 const Run& run)
    : picks_(picks), options_(options), folder_(folder), identity_(identity), run_(run) {}

void IterationKeeper::listen(InversionListener& listener, const IterationChoice& choice) {
    listener.keeps = [&choice](int iteration) { return choice.has(iteration); };
    listener.keep = [this](const KeptIteration& kept) { write(kept); };
}

fs::path IterationKeeper::file(int iteration, std::string_view name) const {
    return folder_.file("iterations") / fmt::format("{:04}-{}", iteration, name);
}

void IterationKeeper::write(const KeptIteration& kept) {
    std::error_code error;
    fs::create_directories(folder_.file("iterations"), error);
    if (error) throw ComputeError(write_failure(folder_.file("iterations"), error.value()));
    write_model(file(kept.iteration, "model.h5"), kept.model, identity_);
    if (kept.sums.count.size() > 0) write_perturbation(kept);
    if (options_.method != InversionMethod::adjoint) write_rays(kept);
    ++written_;
}

void IterationKeeper::write_perturbation(const KeptIteration& kept) const {
    ImageWriter image(file(kept.iteration, "perturbation.h5"), kept.model.grid(), identity_);
    if (kept.nodes.size() > 0) {
        image.add_point_array("perturbation_nodes", in_float(kept.nodes));
        image.add_point_array("perturbation_nodes_smoothed", in_float(kept.smooth_nodes));
    }
    image.add_cell_array("perturbation", in_float(kept.sums.perturbation));
    image.add_cell_array("coverage", in_float(kept.sums.weight));
    image.add_cell_array("rays", kept.sums.count);
    if (kept.cells.size() > 0) image.add_cell_array("perturbation_smoothed", in_float(kept.cells));
    image.commit();
}

void IterationKeeper::write_rays(const KeptIteration& kept) const {
    RayOptions options = ray_options(options_);
    const bool boxes = kept.sums.count.size() > 0;
    // Those of the iteration itself: from source to receiver with boxes.
    if (boxes) options.reciprocity = Reciprocity::off;
    const std::vector<std::int32_t> order = ray_order(picks_);
    VectorCoverageWriter xml(file(kept.iteration, "rays.xml"), identity_);
    CoverageSum sum(kept.model, run_.common.threads);
    std::size_t taken = 0;
    for_each_event_rays(kept.model, picks_, options, run_.execution().alone(), [&](RaySet&& rays) {
        std::vector<double> times;
        for (std::size_t r = 0; r < rays.size(); ++r) {
            times.push_back(picks_.arrivals[static_cast<std::size_t>(order[taken++])].time);
        }
        xml.append(rays, times);
        if (!boxes) sum.add(rays);
    });
    xml.commit();
    if (boxes) return;
    const Coverage cover = sum.result();
    ImageWriter image(file(kept.iteration, "coverage.h5"), kept.model.grid(), identity_);
    image.add_cell_array("coverage", cover.count);
    image.add_cell_array("ray_length", cover.length);
    image.commit();
}

std::string IterationKeeper::summary(const IterationChoice& choice, int last) const {
    std::string text = fmt::format("kept {} iteration{} in {}", written_, written_ == 1 ? "" : "s",
                                   printable(folder_.file("iterations").string()));
    if (choice.names_beyond(last)) {
        text += fmt::format(" (--keep names iterations after the last one, {})", last);
    }
    return text;
}

}  // namespace fermat::cli
