#include "bench/papers/paper_report.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <fstream>
#include <utility>

#include "bench/table.hpp"
#include "core/error.hpp"
#include "core/gl_context.hpp"
#include "core/platform.hpp"
#include "core/printable.hpp"
#include "core/version.hpp"

namespace fermat::bench {
namespace {

/// As a cell of a CSV file.
std::string in_one_cell(std::string words) {
    std::replace(words.begin(), words.end(), ',', ';');
    return words;
}

std::string today() {
    const std::time_t now = std::time(nullptr);
    return fmt::format("{:%Y-%m-%d}", fmt::gmtime(now));
}

std::string number_words(const std::optional<double>& value) {
    return value ? cell_text(CsvCell(*value)) : "-";
}

std::string published_words(const Compared& value) {
    if (!value.words.empty()) return std::string(value.words);
    return number_words(value.published);
}

/// Only seconds have a ratio: how many times ours are fewer.
bool has_ratio(const Quantity& quantity) {
    return quantity.unit == "s" || quantity.unit == "ms" || quantity.unit == "us";
}

std::optional<double> ratio_of(const Quantity& quantity, const Compared& value) {
    if (!has_ratio(quantity)) return std::nullopt;
    if (!value.ours || !value.published || *value.ours == 0) return std::nullopt;
    return *value.published / *value.ours;
}

constexpr std::size_t least_width = 9;

}  // namespace

std::string machine_words(const PaperBench& bench) {
    std::string words;
    if (bench.device == Device::cuda) {
        words = device_info(device_in_use()).name;
    } else if (bench.device == Device::opengl) {
        words = fmt::format("{} on {}", GlContext().info().renderer, processor_name());
    } else {
        words = fmt::format("{} ({} thread{})", processor_name(), bench.threads,
                            bench.threads == 1 ? "" : "s");
    }
    return in_one_cell(std::move(words));
}

PaperReport::PaperReport(const PaperBench& bench)
    : asked_(bench.tables), paper_(bench.paper), device_(machine_words(bench)), date_(today()) {
    if (bench.host) read_host(bench);
    if (bench.csv) {
        // Beside the scenes it is for the picture alone, and goes with them.
        if (bench.csv->parent_path() != bench.scenes) csv_name_ = bench.csv->string();
        csv_.emplace(*bench.csv,
                     std::vector<std::string>{"paper", "table", "case", "quantity", "unit",
                                              "published", "ours", "ratio", "device", "date"});
    }
    say(fmt::format("fermat {}: paper {} on {}; {}, {}", version, paper_, device_,
                    bench.runs() == 1 ? "one run each" : fmt::format("median of {}", bench.runs()),
                    date_));
}

std::string PaperReport::host_key(std::string_view table, std::string_view row,
                                  std::string_view quantity) {
    return fmt::format("{}|{}|{}", table, row, quantity);
}

std::string PaperReport::case_of(const std::vector<std::string>& labels) const {
    std::string name;
    for (std::size_t n = 0; n < labels.size(); ++n) {
        name += fmt::format("{}{}={}", n == 0 ? "" : ";", labels_[n], labels[n]);
    }
    return name;
}

void PaperReport::read_host(const PaperBench& bench) {
    const CsvTable table(*bench.host);
    const std::size_t paper = table.column("paper");
    const std::size_t name = table.column("table");
    const std::size_t row = table.column("case");
    const std::size_t quantity = table.column("quantity");
    const std::size_t ours = table.column("ours");
    const std::size_t device = table.column("device");
    const std::string here = in_one_cell(processor_name());
    for (std::size_t n = 0; n < table.rows(); ++n) {
        if (table.integer(n, paper) != paper_) {
            throw InputError(fmt::format("{}is of paper {} (must be of paper {})", table.where(n),
                                         table.text(n, paper), paper_));
        }
        if (!table.text(n, device).starts_with(here)) {
            throw InputError(
                fmt::format("{}was measured on '{}' and this machine is '{}' (columns of a table "
                            "must be of one machine: measure it here by `device=cpu`)",
                            table.where(n), table.text(n, device), here));
        }
        if (table.text(n, ours).empty()) continue;
        host_[host_key(table.text(n, name), table.text(n, row), table.text(n, quantity))] =
            table.number(n, ours);
    }
}

bool PaperReport::wants(std::string_view table) {
    known_.emplace_back(table);
    return asked_.empty() || std::find(asked_.begin(), asked_.end(), table) != asked_.end();
}

void PaperReport::require_tables() const {
    for (const std::string& table : asked_) {
        if (std::find(known_.begin(), known_.end(), table) != known_.end()) continue;
        throw InputError(fmt::format("paper {} has no table '{}' on this device (it has {})",
                                     paper_, table, fmt::join(known_, ", ")));
    }
}

void PaperReport::begin(std::string_view table, std::string_view title,
                        std::vector<std::string> labels, std::vector<Quantity> quantities) {
    table_ = table;
    labels_ = std::move(labels);
    quantities_ = std::move(quantities);
    widths_.clear();
    fmt::print("\n{}: {}\n", table_, title);
    for (std::size_t n = 0; n < labels_.size(); ++n) {
        widths_.push_back(std::max<std::size_t>(labels_[n].size(), n == 0 ? 14 : 8));
        fmt::print("{}{:<{}}", n == 0 ? "" : "  ", labels_[n], widths_.back());
    }
    for (const Quantity& quantity : quantities_) {
        const bool plain = quantity.unit.empty() || quantity.name == "seconds";
        const std::string name = plain ? quantity.name : quantity.name + "_" + quantity.unit;
        widths_.push_back(std::max(name.size(), least_width));
        fmt::print("  {:>{}}", name, widths_.back());
        if (quantity.published) fmt::print("  {:>8}", "paper");
        if (quantity.published && has_ratio(quantity)) fmt::print("  {:>10}", "paper/ours");
    }
    end_bench_line();
}

void PaperReport::add(const std::vector<std::string>& labels, const std::vector<Compared>& values) {
    const std::string name = case_of(labels);
    for (std::size_t n = 0; n < labels.size(); ++n) {
        fmt::print("{}{:<{}}", n == 0 ? "" : "  ", labels[n], widths_[n]);
    }
    for (std::size_t n = 0; n < values.size(); ++n) {
        const Quantity& quantity = quantities_[n];
        const Compared& value = values[n];
        const auto ratio = ratio_of(quantity, value);
        fmt::print("  {:>{}}", number_words(value.ours), widths_[labels.size() + n]);
        if (quantity.published) {
            fmt::print("  {:>8}", published_words(value));
            if (has_ratio(quantity)) fmt::print("  {:>10}", number_words(ratio));
        }
        if (!csv_ || (!value.ours && !value.published && value.words.empty())) continue;
        const auto cell = [](const std::optional<double>& number) {
            return number ? CsvCell(*number) : CsvCell(std::string_view());
        };
        csv_->add_row({std::int64_t{paper_}, std::string_view(table_), std::string_view(name),
                       std::string_view(quantity.name), std::string_view(quantity.unit),
                       value.words.empty() ? cell(value.published) : CsvCell(value.words),
                       cell(value.ours), cell(ratio), std::string_view(device_),
                       std::string_view(date_)});
    }
    end_bench_line();
    ++rows_;
}

void PaperReport::say(std::string_view line) const {
    fmt::print("{}", line);
    end_bench_line();
}

void PaperReport::commit() {
    if (csv_) csv_->commit();
}

void PaperReport::keep_rows() {
    if (csv_name_.empty() || rows_ == 0) return;
    commit();
    say(fmt::format("stopped: {} kept in {}",
                    rows_ == 1 ? "1 row is" : fmt::format("{} rows are", rows_),
                    printable(csv_name_)));
}

}  // namespace fermat::bench
