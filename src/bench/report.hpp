#pragma once

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/grid.hpp"
#include "eikonal/eikonal.hpp"
#include "io/csv.hpp"

namespace fermat::bench {

/// One measurement. Values that do not apply are empty, and '-' in tables.
struct BenchRow {
    std::string table;
    std::string scenario;
    Shape shape;
    Solver solver = Solver::fim;
    int order = 2;
    int threads = 1;
    int shots = 1;
    double seconds = 0;                  ///< of the time fields
    std::optional<double> with_rays{};   ///< seconds of time field and rays
    std::optional<double> mean_error{};  ///< relative, against the closed form
    std::optional<double> max_error{};
    std::optional<std::int64_t> rays_lost{};
    std::optional<double> peak_mib{};        ///< peak memory of the process
    std::optional<double> bytes_per_node{};  ///< memory of the solve without the model
    std::optional<double> growth{};          ///< time per node relative to 128^3
    std::optional<double> speedup{};         ///< relative to one thread
    std::optional<double> ttcrpy{};          ///< published seconds
    std::optional<double> jetson{};          ///< published seconds

    double seconds_per_node() const;
};

/// Prints tables while their rows are measured, and keeps the rows for a CSV file.
class BenchReport {
  public:
    explicit BenchReport(const std::optional<std::filesystem::path>& csv);

    /// Starts a table that shows some columns of the CSV file.
    void begin(std::string_view title, std::initializer_list<std::string_view> columns);
    void add(const BenchRow& row);
    void say(std::string_view line) const;
    void commit();

  private:
    std::optional<CsvWriter> csv_;
    std::vector<std::size_t> shown_;
};

}  // namespace fermat::bench
