#include "cli/paper_command.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "cli/eikonal_flags.hpp"
#include "cli/flags.hpp"
#include "cli/python_package.hpp"
#include "core/error.hpp"
#include "core/parallel.hpp"

namespace fermat::cli {
namespace {

namespace fs = std::filesystem;

/// A folder that is gone when the object is.
class ScratchFolder {
  public:
    ScratchFolder() {
        std::string name = (fs::temp_directory_path() / "fermat-paper-XXXXXX").string();
        if (mkdtemp(name.data()) == nullptr) {
            throw ComputeError(
                fmt::format("cannot make a folder in '{}' (set TMPDIR to one that can be written)",
                            fs::temp_directory_path().string()));
        }
        path_ = name;
    }
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;
    ~ScratchFolder() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    const fs::path& path() const { return path_; }

  private:
    fs::path path_;
};

/// Before minutes are spent on what cannot be drawn.
void require_drawing() {
    const std::string code =
        "import importlib.util as u, sys; "
        "sys.exit(0 if u.find_spec('fermat') and u.find_spec('matplotlib') else 1)";
    if (run_program({python(), "-c", code}) == 0) return;
    throw InputError(fmt::format(
        "--figure needs the Python package with matplotlib, and '{}' has not both (pip install "
        "'fermat-rays[plot]', or name another Python in FERMAT_PYTHON)",
        python()));
}

std::vector<std::string> parse_names(std::string_view, std::string_view text) {
    std::vector<std::string> names;
    for (;;) {
        const std::size_t comma = text.find(',');
        names.emplace_back(text.substr(0, comma));
        if (comma == std::string_view::npos) return names;
        text.remove_prefix(comma + 1);
    }
}

/// Whole numbers with commas between them.
std::vector<int> parse_wholes(std::string_view flag, std::string_view text, int low, int high) {
    std::vector<int> numbers;
    for (const std::string& word : parse_names(flag, text)) {
        numbers.push_back(parse_whole(flag, word, low, high));
    }
    return numbers;
}

Device device_of(const CommonOptions& common) {
    if (common.device == Device::opengl) return Device::opengl;
    if (common.device == Device::automatic)
        return on_cuda(common.device) ? Device::cuda : Device::cpu;
    return usable_device(common);
}

}  // namespace

void add_paper_flags(CLI::App& app, PaperFlags& flags) {
    add_whole(app, "number,--paper", "N", flags.bench.paper, "number of the paper, 1 to 5", 1, 5)
        ->required();
    app.add_flag("--quick", flags.bench.quick, "few sizes and one run each: seconds, not minutes");
    add_whole(app, "--repeat", "R", flags.bench.repeats,
              "runs of each, of which the median is told (default: 3; 1 with --quick)", 1, 1000);
    add_value(app, "--tables", "NAME,...", flags.bench.tables,
              "tables to measure, by the names that are printed (default: all)", &parse_names);
    add_value(app, "--sizes", "N,...", flags.bench.sizes,
              "of paper 1: sizes to measure, for its table in parts (default: all 16)",
              [](std::string_view flag, std::string_view text) {
                  return parse_wholes(flag, text, 16, 8192);
              });
    add_value(app, "--radii", "R,...", flags.bench.radii,
              "of paper 1: radii to measure (default: 1 to 6)",
              [](std::string_view flag, std::string_view text) {
                  return parse_wholes(flag, text, 1, 6);
              });
    add_output(app, "--csv", flags.bench.csv,
               "CSV to write: paper, table, case, quantity, unit, published, ours, ratio");
    add_path(app, "--host", flags.bench.host,
             "CSV of the same paper by --device cpu on this machine, whose columns of the CPU are "
             "taken over (default: they are measured again)");
    add_output_folder(
        app, "--scenes", flags.bench.scenes,
        "folder that is there, to keep the models, sources, receivers and rays of the "
        "paper's pictures in (default: none are kept)");
    add_output(app, "--figure", flags.figure,
               "picture of the paper's figures to write, by the Python package");
}

void run_paper(const PaperFlags& flags, const Run& run) {
    bench::PaperBench bench = flags.bench;
    bench.threads = resolve_threads(run.common.threads);
    bench.device = device_of(run.common);
    // No progress bar: it would draw between the rows and slow down what is measured.
    Monitor stop_only({}, [&] { return run.monitor.stop_requested(); });
    if (!flags.figure) {
        bench_paper(bench, stop_only);
        return;
    }
    require_drawing();
    const ScratchFolder scratch;
    if (!bench.scenes) bench.scenes = scratch.path();
    if (!bench.csv) bench.csv = scratch.path() / "paper.csv";
    bench_paper(bench, stop_only);
    const int status =
        run_program({python(), "-m", "fermat.papers", "--csv", bench.csv->string(), "--scenes",
                     bench.scenes->string(), "--device", std::string(name_of(bench.device)),
                     "--out", flags.figure->string()});
    if (status != 0) {
        throw ComputeError(fmt::format("'{} -m fermat.papers' could not draw '{}' (status {})",
                                       python(), flags.figure->string(), status));
    }
}

}  // namespace fermat::cli
