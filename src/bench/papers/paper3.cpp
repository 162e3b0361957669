// Paper 3 (parallel pseudo-bending): Figure 7, seconds by sources, threads and what is dealt out to
// threads, on a survey like the paper's. The paper has curves instead of numbers.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "bench/costa_rica.hpp"
#include "bench/measure.hpp"
#include "bench/papers/paper_report.hpp"
#include "rays/bending/rays.hpp"
#include "rays/rays.hpp"

namespace fermat::bench {
namespace {

/// What the paper deals out to threads.
struct Panel {
    std::string_view figure;
    std::string_view what;
    BendingTasks tasks;
    std::string_view published;
};
constexpr std::array panels = {
    Panel{"Figure 7a", "sections of a ray", BendingTasks::sections,
          "faster up to four cores, slower with five and six"},
    Panel{"Figure 7b", "sources", BendingTasks::sources, "faster with every core"},
    Panel{"Figure 7c", "paths", BendingTasks::pairs, "faster with every core"},
};

/// The paper's algorithm, and ours.
struct Algorithm {
    std::string name;
    BendingOptions options;
};

std::vector<Algorithm> algorithms() {
    BendingOptions paper;
    paper.starts = {RayStart::straight};
    paper.relaxations = 0;
    return {{"paper", paper}, {"fermat", {}}};
}

struct MeanSeconds {
    double seconds = 0;
    int runs = 0;
};

/// The paper took the mean of 100 runs. Here a row has as many as fit into this many seconds.
constexpr int paper_runs = 100;
double allowed_seconds(const PaperBench& bench, bool paper) {
    if (bench.quick) return 0;
    return paper ? 1.0 : 0.2;
}

/// The paper's survey, and parts of it.
class PaperSurvey {
  public:
    /// The arrivals of `count` events, which are spread evenly over the list.
    Survey of_sources(std::size_t count) const {
        const std::size_t events = local_.survey.events.size();
        return part([&](const Arrival& arrival) {
            const auto n = static_cast<std::size_t>(arrival.event);
            return (n + 1) * count / events > n * count / events;
        });
    }
    /// Events and stations that are at least so far apart, `most` pairs of them.
    Survey beyond(double length, std::size_t most) const {
        Survey far = local_.survey;
        far.arrivals.clear();
        for (std::int32_t e = 0; e < static_cast<std::int32_t>(far.events.size()); ++e) {
            for (std::int32_t s = 0; s < static_cast<std::int32_t>(far.stations.size()); ++s) {
                const Arrival arrival{e, s};
                const bool is_far = distance(far.event_of(arrival).position,
                                             far.station_of(arrival).position) >= length;
                if (is_far && far.arrivals.size() < most) far.arrivals.push_back(arrival);
            }
        }
        return far;
    }
    /// Mean seconds of `runs` runs after one that is not counted, or of as many as the time allows.
    MeanSeconds seconds(const Survey& survey, const BendingOptions& bending, int runs,
                        double allowed, const Execution& execution) const {
        RayOptions options;
        options.tracer = Tracer::bending;
        options.bending = bending;
        MeanSeconds mean;
        const auto run = [&] {
            const Stopwatch watch;
            trace_rays(local_.model, survey, options, execution);
            return watch.seconds();
        };
        if (const double first = run(); first > allowed) return {first, 1};
        for (double sum = 0; mean.runs < runs && sum < allowed;) {
            sum += run();
            mean.seconds = sum / ++mean.runs;
        }
        return mean;
    }
    double cuda_seconds(const Survey& survey, const BendingOptions& bending,
                        Monitor& monitor) const {
        return bend_rays_cuda(local_.model, survey, bending, monitor, [](RaySet&&) {});
    }

  private:
    template <class Taken>
    Survey part(Taken taken) const {
        std::vector<std::int32_t> numbers;
        for (std::size_t a = 0; a < local_.survey.arrivals.size(); ++a) {
            if (taken(local_.survey.arrivals[a])) numbers.push_back(static_cast<std::int32_t>(a));
        }
        return subset(local_.survey, numbers);
    }

    LocalSurvey local_ = costa_rica_survey();
};

/// 1, 2, 3, 4, 5, 6 as in the paper, then doubled, up to `most`.
std::vector<int> thread_counts(int most) {
    std::vector<int> counts;
    for (int threads = 1; threads <= most; threads = threads < 6 ? threads + 1 : 2 * threads) {
        counts.push_back(threads);
    }
    if (counts.back() != most) counts.push_back(most);
    return counts;
}

void figure_7(const PaperBench& bench, const PaperSurvey& survey, PaperReport& report,
              Monitor& monitor) {
    const std::vector<std::size_t> counts =
        bench.quick ? std::vector<std::size_t>{3, 30}
                    : std::vector<std::size_t>{3, 10, 30, 100, 300, 1079};
    const int most_runs = bench.repeats > 0 ? bench.repeats : bench.quick ? 1 : paper_runs;
    for (const Panel& panel : panels) {
        if (!report.wants(panel.figure)) continue;
        report.begin(panel.figure,
                     fmt::format("{} are dealt out to threads; the paper: {}\n"
                                 "  paper   straight start, no relaxation: the paper's algorithm\n"
                                 "  fermat  three starts and relaxation: the default\n"
                                 "  seconds are means of up to {} runs, as in the paper, or of as "
                                 "many as fit into a second (of fermat 0.2 s)",
                                 panel.what, panel.published, most_runs),
                     {"algorithm", "sources", "threads"},
                     {{"seconds", "s", false},
                      {"rays", "", false},
                      {"speed-up", "", false},
                      {"runs", "", false}});
        for (const Algorithm& algorithm : algorithms()) {
            BendingOptions options = algorithm.options;
            options.tasks = panel.tasks;
            for (const std::size_t count : counts) {
                const Survey part = survey.of_sources(count);
                double serial = 0;
                for (const int threads : thread_counts(bench.threads)) {
                    const MeanSeconds mean = survey.seconds(
                        part, options, most_runs, allowed_seconds(bench, algorithm.name == "paper"),
                        on_cpu(threads, monitor));
                    if (threads == 1) serial = mean.seconds;
                    report.add({algorithm.name, std::to_string(count), std::to_string(threads)},
                               {mean.seconds, static_cast<double>(part.arrivals.size()),
                                serial / mean.seconds, static_cast<double>(mean.runs)});
                }
            }
        }
    }
}

/// Task parallelism where it has most to do: rays of 200 km and more, with 128 segments.
void long_rays(const PaperBench& bench, const PaperSurvey& survey, PaperReport& report,
               Monitor& monitor) {
    constexpr double length = 200;
    const Survey part = survey.beyond(length, bench.quick ? 50 : 1000);
    report.begin("Long rays",
                 fmt::format("sections of rays over {:g} km dealt out to threads", length),
                 {"algorithm", "rays", "threads"},
                 {{"seconds", "s", false}, {"us_per_ray", "", false}, {"speed-up", "", false}});
    for (const Algorithm& algorithm : algorithms()) {
        BendingOptions options = algorithm.options;
        options.tasks = BendingTasks::sections;
        double serial = 0;
        for (const int threads : thread_counts(bench.threads)) {
            const double seconds =
                survey
                    .seconds(part, options, bench.runs(), allowed_seconds(bench, true),
                             on_cpu(threads, monitor))
                    .seconds;
            if (threads == 1) serial = seconds;
            report.add(
                {algorithm.name, std::to_string(part.arrivals.size()), std::to_string(threads)},
                {seconds, 1e6 * seconds / static_cast<double>(part.arrivals.size()),
                 serial / seconds});
        }
    }
}

void on_the_device(const PaperBench& bench, const PaperSurvey& survey, PaperReport& report,
                   Monitor& monitor) {
    report.begin("CUDA", "eight lanes per ray, all rays at once; seconds of the kernels and in all",
                 {"algorithm", "sources"},
                 {{"kernels", "s", false}, {"seconds", "s", false}, {"rays", "", false}});
    for (const Algorithm& algorithm : algorithms()) {
        for (const std::size_t count : {std::size_t{3}, std::size_t{30}, std::size_t{1079}}) {
            if (bench.quick && count > 30) continue;
            const Survey part = survey.of_sources(count);
            survey.cuda_seconds(part, algorithm.options, monitor);
            std::vector<double> kernels;
            const double seconds = median_seconds(bench.runs(), [&] {
                kernels.push_back(survey.cuda_seconds(part, algorithm.options, monitor));
            });
            report.add({algorithm.name, std::to_string(count)},
                       {median(kernels), seconds, static_cast<double>(part.arrivals.size())});
        }
    }
}

}  // namespace

void bench_paper3(const PaperBench& bench, PaperReport& report, Monitor& monitor) {
    const PaperSurvey survey;
    if (bench.device == Device::cuda) {
        if (report.wants("CUDA")) on_the_device(bench, survey, report, monitor);
        return;
    }
    figure_7(bench, survey, report, monitor);
    if (report.wants("Long rays")) long_rays(bench, survey, report, monitor);
}

}  // namespace fermat::bench
