#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/papers/paper_bench.hpp"
#include "io/csv.hpp"

namespace fermat::bench {

/// A column of a paper's table.
struct Quantity {
    std::string name;
    std::string unit;        ///< "s", "ms", "%"; empty for plain numbers
    bool published = false;  ///< the paper has it too: its value stands beside ours, and of seconds
                             ///< the ratio
};

/// Our value of a quantity, and the paper's as a number or in words ("2 to 3").
struct Compared {
    Compared() = default;
    Compared(double value) : ours(value) {}
    Compared(std::optional<double> value) : ours(value) {}
    Compared(std::optional<double> value, double theirs) : ours(value), published(theirs) {}
    Compared(std::optional<double> value, std::string_view theirs) : ours(value), words(theirs) {}

    std::optional<double> ours;
    std::optional<double> published;
    std::string_view words;
};

/// The tables of one paper, printed while they are measured. The CSV file has one line per value:
/// paper, table, case ("radius=3;nodes=512"), quantity, unit, published, ours, ratio (published
/// over ours), device and date.
class PaperReport {
  public:
    explicit PaperReport(const PaperBench& bench);

    /// Whether a table is to be measured. Papers ask for each that they have on this device.
    bool wants(std::string_view table);
    /// Throws InputError where a table was named that the paper has not.
    void require_tables() const;
    /// Begins a table, named as in the paper ("Table 5"). `labels` name what tells its rows apart.
    void begin(std::string_view table, std::string_view title, std::vector<std::string> labels,
               std::vector<Quantity> quantities);
    /// Adds a row: one text per label, one value per quantity.
    void add(const std::vector<std::string>& labels, const std::vector<Compared>& values);
    /// A value of the CPU in a row of the present table: that of the table of the CPU's columns if
    /// one is given and has it, else what measure() returns.
    template <class Measure>
    double host_value(const std::vector<std::string>& labels, std::string_view quantity,
                      Measure measure) const {
        const auto known = host_.find(host_key(table_, case_of(labels), quantity));
        return known != host_.end() ? known->second : measure();
    }
    void say(std::string_view line) const;
    /// Writes the CSV file.
    void commit();
    /// Writes the CSV file of a bench that ended early, if there are rows.
    void keep_rows();

  private:
    static std::string host_key(std::string_view table, std::string_view row,
                                std::string_view quantity);
    /// "radius=3;nodes=512".
    std::string case_of(const std::vector<std::string>& labels) const;
    void read_host(const PaperBench& bench);

    std::map<std::string, double> host_;  ///< values of the CPU that need not be measured
    std::vector<std::string> asked_;      ///< tables that the user named
    std::vector<std::string> known_;      ///< tables that the paper has
    int paper_;
    std::string device_;
    std::string date_;
    std::string table_;
    std::vector<std::string> labels_;
    std::vector<Quantity> quantities_;
    std::vector<std::size_t> widths_;
    std::optional<CsvWriter> csv_;
    std::string csv_name_;  ///< empty where nobody keeps the file
    int rows_ = 0;
};

/// The processor's name and the number of threads, or the device's name; of OpenGL the renderer's.
std::string machine_words(const PaperBench& bench);

}  // namespace fermat::bench
