#include "cli/run_lines.hpp"

#include <fmt/format.h>

#include <cmath>

#include "cli/tell.hpp"
#include "core/median.hpp"

namespace fermat::cli {

std::string line_of(const IterationReport& report, int planned) {
    const Misfit& fit = report.misfit;
    std::string line =
        fmt::format("iteration {}/{}: rms {:.5g}", report.iteration, planned, fit.rms);
    if (!std::isnan(fit.chi2)) line += fmt::format(", chi2 {:.4g}", fit.chi2);
    line += fmt::format(", {} rays, {} lost", fit.used, fit.lost);
    if (fit.rejected > 0) line += fmt::format(", {} outliers", fit.rejected);
    if (report.stage > 0) {
        line += fmt::format(", update {:.3g} %, cells {}, vertices {}", 100 * report.max_update,
                            to_string(report.cell), to_string(report.vertex));
    }
    const IterationSeconds& s = report.seconds;
    if (report.passes > 0) {
        if (report.lambda > 0) {
            line += fmt::format(", smoothing {:.3g}, update {:.3g} %", report.lambda,
                                100 * report.max_update);
        }
        return line + fmt::format(", {:.3g} s (times {:.3g}, rays {:.3g}, step {:.3g})", s.total(),
                                  s.times, s.rays, s.update);
    }
    return line + fmt::format(", {:.3g} s (times {:.3g}, rays {:.3g}, smoothing {:.3g})", s.total(),
                              s.times, s.rays, s.cell_smoothing + s.vertex_smoothing);
}

std::string ending_of(const InversionResult& result) {
    double seconds = 0;
    for (const IterationReport& report : result.history) seconds += report.seconds.total();
    std::string why = result.reason == StopReason::schedule_end  ? "the last iteration"
                      : result.reason == StopReason::target_rms  ? "the target RMS"
                      : result.reason == StopReason::target_chi2 ? "the target chi2"
                                                                 : "stagnation";
    const Misfit& last = result.history.back().misfit;
    std::string text =
        fmt::format("rms {:.5g} -> {:.5g}", result.history.front().misfit.rms, last.rms);
    if (!std::isnan(last.chi2)) {
        text +=
            fmt::format(", chi2 {:.4g} -> {:.4g}", result.history.front().misfit.chi2, last.chi2);
    }
    if (last.rejected > 0) {
        why += fmt::format("; {} of {} picks left out as outliers (--outliers 0 keeps all)",
                           last.rejected, last.rejected + last.used + last.lost);
    }
    return fmt::format("{} in {} iterations, {:.3g} s; stopped at {}", text,
                       result.history.back().iteration, seconds, why);
}

std::string relocation_of(const InversionResult& result) {
    std::vector<double> ways;
    std::vector<double> times;
    for (const JointEvent& event : result.events) {
        if (event.use != EventUse::moved && event.use != EventUse::bounded) continue;
        ways.push_back(norm(event.shift));
        times.push_back(std::abs(event.time_shift));
    }
    const std::size_t moved = ways.size();
    return fmt::format("{} of {} events moved, by {:.3g} in place and {:.3g} in time (medians)",
                       moved, result.events.size(), moved == 0 ? 0 : upper_median(std::move(ways)),
                       moved == 0 ? 0 : upper_median(std::move(times)));
}

void warn(const std::vector<std::string>& sentences) {
    Notes notes;
    for (const std::string& sentence : sentences) notes.add(sentence);
    tell(notes);
}

}  // namespace fermat::cli
