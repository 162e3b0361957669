#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/device.hpp"
#include "core/execution.hpp"
#include "core/monitor.hpp"

namespace fermat::bench {

/// `fermat bench paper N`: the tables and figures of one of the five papers, with its own settings,
/// beside the published values.
struct PaperBench {
    int paper = 0;
    bool quick = false;  ///< few sizes and one run each: seconds, not minutes
    int repeats = 0;     ///< 0: 3, or 1 with `quick`
    int threads = 1;
    std::vector<std::string> tables;  ///< names of those to measure; empty: all
    /// Of paper 1: the sizes and radii to measure, for a long table in parts; empty: all.
    std::vector<int> sizes;
    std::vector<int> radii;
    Device device = Device::cpu;  ///< of the papers' device columns; never automatic
    std::optional<std::filesystem::path> csv;
    /// Table of the same paper by `device=cpu` on this machine, from which a device's run takes the
    /// columns of the CPU; none: they are measured again.
    std::optional<std::filesystem::path> host;
    /// Folder for the models, sources and receivers of the papers' pictures; none: they are not
    /// written.
    std::optional<std::filesystem::path> scenes;

    int runs() const { return repeats > 0 ? repeats : quick ? 1 : 3; }
};

/// Prints the tables of the paper and writes them. Throws InputError for a number that is not 1 to
/// 5 and for a device that the paper's methods cannot use.
void bench_paper(const PaperBench& bench, Monitor& monitor);

class PaperReport;
void bench_paper1(const PaperBench& bench, PaperReport& report, Monitor& monitor);
void bench_paper2(const PaperBench& bench, PaperReport& report, Monitor& monitor);
void bench_paper3(const PaperBench& bench, PaperReport& report, Monitor& monitor);
void bench_paper4(const PaperBench& bench, PaperReport& report, Monitor& monitor);
void bench_paper5(const PaperBench& bench, PaperReport& report, Monitor& monitor);

}  // namespace fermat::bench
