#pragma once

#include <filesystem>
#include <optional>

#include "bench/papers/paper_bench.hpp"
#include "cli/app.hpp"

namespace fermat::cli {

/// Flags of `fermat bench paper`.
struct PaperFlags {
    bench::PaperBench bench;
    std::optional<std::filesystem::path> figure;
};

void add_paper_flags(CLI::App& app, PaperFlags& flags);
void run_paper(const PaperFlags& flags, const Run& run);

}  // namespace fermat::cli
