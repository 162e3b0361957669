#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>

#include "cli/commands.hpp"
#include "cli/flags.hpp"
#include "cli/layered_flags.hpp"
#include "cli/option_flags.hpp"
#include "cli/ray_survey.hpp"
#include "cli/survey.hpp"
#include "cli/tell.hpp"
#include "core/error.hpp"
#include "io/csv.hpp"
#include "io/layered_io.hpp"
#include "io/vtkhdf_rays.hpp"
#include "phases/phases.hpp"

namespace fermat::cli {
namespace {

namespace fs = std::filesystem;

struct PhasesFlags {
    fs::path model;
    LayeredFlags reading;
    AxisNumbers spacing;
    std::vector<std::string> phases;
    std::vector<std::string> source;
    std::optional<fs::path> sources;
    fs::path receivers;
    std::optional<fs::path> pairs;
    PhaseOptions options;
    AxisFlags axes;
    std::optional<fs::path> output;
    std::optional<fs::path> table;
};

void add_flags(CLI::App& app, PhasesFlags& flags) {
    add_path(app, "--model", flags.model,
             "layered medium: .h5 of `fermat model layers --interface`, rayinvr's v.in, tomo2d's "
             "smesh or FMTOMO's vgrids.in")
        ->required();
    add_layered_flags(app, flags.reading, "");
    add_value(app, "--spacing", "H", flags.spacing,
              "of the grid, for v.in, smesh and vgrids.in; or one per axis", parse_axes);
    add_repeated(
        app, "--phase", "NAME", flags.phases,
        "Pg, PmP, Pn, PmS, P2P, pP, ..., a rayinvr code such as 2.2, a description such "
        "as 'P moho reflect S', or one with a name of yours, 'PX=P moho reflect S'; once per "
        "phase")
        ->required();
    add_repeated(app, "--source", "X,Y,Z", flags.source, "a source; X,Z in 2-D; once per source");
    add_path(app, "--sources", flags.sources,
             "sources: CSV with columns x,y,z (no y in 2-D), or .sgt");
    add_path(app, "--receivers", flags.receivers,
             "receivers: CSV with columns x,y,z (no y in 2-D), or .sgt")
        ->required();
    add_path(app, "--pairs", flags.pairs,
             "CSV with columns source,receiver, numbered from 0 (default: all pairs)");
    add_option_flags(app, flags.options, flags.axes);
    add_output(app, "-o,--output", flags.output, "rays to write: .h5");
    add_text_output(app, "--table", flags.table,
                    "CSV to write (-: standard output): "
                    "source,receiver,phase,time,length,points,status,arrival");
}

/// Where the rays of all phases go.
class PhaseOutputs {
  public:
    explicit PhaseOutputs(const PhasesFlags& flags) {
        if (flags.output) rays_.emplace(*flags.output);
        if (flags.table) {
            table_.emplace(*flags.table,
                           std::vector<std::string>{"source", "receiver", "phase", "time", "length",
                                                    "points", "status", "arrival"});
        }
    }

    void take(const LayeredMedium& medium, const Branch& branch, std::span<const RayPair> pairs,
              const std::vector<std::vector<BranchRay>>& found) {
        RaySet set;
        for (std::size_t i = 0; i < pairs.size(); ++i) {
            for (std::size_t n = 0; n < found[i].size(); ++n) {
                const BranchRay& ray = found[i][n];
                ++counts_[static_cast<std::size_t>(ray.status)];
                ++taken_;
                add(medium, branch, pairs[i], ray, n, set);
            }
        }
        if (rays_) rays_->append(set);
        names_.push_back(branch.name);
    }

    void commit() {
        if (rays_) {
            std::vector<std::string> statuses;
            for (const auto& [name, status] : choices<BranchStatus>.entries) {
                statuses.emplace_back(name);
            }
            rays_->add_ray_numbers("branch", branches_, names_);
            rays_->add_ray_numbers("branch_status", statuses_, statuses);
            rays_->commit();
        }
        if (table_) table_->commit();
    }

    std::string summary() const {
        std::string text = fmt::format("{} ray{}", taken_, taken_ == 1 ? "" : "s");
        const char* between = ": ";
        for (const auto& [name, status] : choices<BranchStatus>.entries) {
            const std::size_t count = counts_[static_cast<std::size_t>(status)];
            if (count == 0) continue;
            text += fmt::format("{}{} {}", between, count, name);
            between = ", ";
        }
        return text;
    }

  private:
    void add(const LayeredMedium& medium, const Branch& branch, RayPair pair, const BranchRay& ray,
             std::size_t arrival, RaySet& set) {
        const bool arrived = has_arrived(ray.status);
        constexpr double none = std::numeric_limits<double>::quiet_NaN();
        std::vector<Vec3> points;
        if (arrived) points = points_of(medium, ray);
        if (table_) {
            table_->add_row({std::int64_t{pair.source}, std::int64_t{pair.receiver},
                             std::string_view(branch.name), arrived ? ray.time : none,
                             arrived ? ray.length : none, static_cast<std::int64_t>(points.size()),
                             name_of(ray.status), static_cast<std::int64_t>(arrival)});
        }
        if (!rays_) return;
        // Files of rays have them from receiver to source.
        std::reverse(points.begin(), points.end());
        RayInfo info;
        info.source = pair.source;
        info.receiver = pair.receiver;
        info.time = arrived ? ray.time : none;
        info.field_time = info.time;
        info.length = arrived ? ray.length : none;
        info.status = arrived ? RayStatus::ok : RayStatus::unreachable;
        info.phase = branch.last;
        set.append(info, points);
        branches_.push_back(static_cast<std::int32_t>(names_.size()));
        statuses_.push_back(static_cast<std::int32_t>(ray.status));
    }

    std::optional<RayWriter> rays_;
    std::optional<CsvWriter> table_;
    std::array<std::size_t, choices<BranchStatus>.entries.size()> counts_{};
    std::size_t taken_ = 0;
    std::vector<std::string> names_;  ///< of the branches that are done
    std::vector<std::int32_t> branches_;
    std::vector<std::int32_t> statuses_;
};

void trace(const PhasesFlags& flags, const Run& run) {
    if (!flags.output && !flags.table) {
        throw InputError("nothing to write (use -o rays.h5 or --table)");
    }
    if (flags.output) check_hdf5_output({"--output", flags.output});
    Notes notes;
    const LayeredMedium medium =
        read_layered(flags.model, notes, flags.reading.options(flags.spacing));
    std::vector<Branch> branches;
    for (const std::string& text : flags.phases) {
        branches.push_back(branch_of(medium, text));
        note_doubts(branches.back(), medium, notes);
    }
    const Model& model = medium.layers().front().p;
    std::vector<Vec3> sources;
    for (const PointSource& source :
         read_survey_sources(model, flags.source, flags.sources, AirPoints::allowed, notes)) {
        sources.push_back(source.position);
    }
    const std::vector<Vec3> receivers =
        read_survey_receivers(model, flags.receivers, AirPoints::allowed, notes);
    const std::vector<RayPair> pairs =
        flags.pairs ? read_pairs(*flags.pairs, sources.size(), receivers.size(), notes)
                    : all_pairs(sources.size(), receivers.size());
    for (const Branch& branch : branches) {
        note_missing_ways(branch, medium, sources, receivers, pairs, notes);
    }
    tell(notes);
    PhaseOutputs outputs(flags);
    const auto start = std::chrono::steady_clock::now();
    for (const Branch& branch : branches) {
        outputs.take(medium, branch, pairs,
                     trace_branch(medium, branch, sources, receivers, pairs, flags.options,
                                  run.execution()));
        run.monitor.check();
    }
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    outputs.commit();
    if (!is_standard_output(flags.table)) {
        say(run, fmt::format("{} in {:.3g} s", outputs.summary(), spent.count()));
    }
}

}  // namespace

void add_phases_command(Program& program) {
    program.add_command<PhasesFlags>(
        program.root(), "phases", "Times and rays of later phases in a layered medium",
        "fermat model layers --shape 241,81 --spacing 0.5 --interface moho=30 --layer 5.8,0.02 "
        "--layer 8 -o layered.h5\n"
        "printf 'x,z\\n10,0\\n' > sources.csv\n"
        "printf 'x,z\\n40,0\\n80,0\\n110,0\\n' > receivers.csv\n"
        "fermat phases --model layered.h5 --phase Pg --phase PmP --phase Pn --sources sources.csv "
        "--receivers receivers.csv -o rays.h5 --table times.csv",
        &add_flags, &trace);
}

}  // namespace fermat::cli
