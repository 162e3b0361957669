#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <fstream>
#include <stdexcept>

#include "cli/config.hpp"
#include "cli/ray_survey.hpp"
#include "cli/report_data.hpp"
#include "cli/toml.hpp"
#include "cli/values.hpp"
#include "core/error.hpp"
#include "fuzz/seeds.hpp"
#include "io/input_file.hpp"
#include "io/model_io.hpp"
#include "io/run_io.hpp"
#include "io/text.hpp"
#include "model/makers.hpp"

namespace fermat::fuzz {
namespace {

namespace fs = std::filesystem;

const Grid section{{5, 1, 4}, {}, {1, 1, 1}};

/// The settings that a run writes must be readable again.
void read_again(const std::string& flags) {
    try {
        cli::parse_toml(flags);
    } catch (const InputError& error) {
        throw std::logic_error("flags that were taken are not read again: " +
                               std::string(error.what()));
    }
}

/// Parses a command line with --config as the program does; turns errors of CLI11 into ours.
void read_config(const fs::path& file) {
    CLI::App app("fuzz", "fermat");
    app.fallthrough();
    app.set_config("--config");
    app.config_formatter(std::make_shared<cli::CommandConfig>(app));
    bool quiet = false;
    std::vector<std::string> sources;
    double v0 = 0;
    app.add_flag("--quiet", quiet);
    CLI::App* times = app.add_subcommand("times");
    times->add_option("--source", sources);
    times->add_option("--v0", v0);
    CLI::App* model = app.add_subcommand("model");
    model->add_subcommand("gradient")->add_option("--gradient", v0);
    try {
        const std::string name = file.string();
        const std::array<const char*, 4> words = {"fermat", "times", "--config", name.c_str()};
        app.parse(static_cast<int>(words.size()), words.data());
        read_again(cli::given_settings(app));
    } catch (const CLI::ParseError& error) {
        std::string text = error.what();
        std::replace(text.begin(), text.end(), '\n', ' ');
        throw InputError(text);
    }
}

/// Parses a text as every kind of value that a flag takes. A text that is no such value must be
/// refused.
void read_flags(const fs::path& file) {
    const std::string text = read_whole_file(file);
    int taken = 0;
    const auto attempt = [&](auto parse) {
        try {
            parse();
            ++taken;
        } catch (const InputError& error) {
            if (std::string_view(error.what()).find('\n') != std::string_view::npos) {
                throw std::logic_error("a message of several lines");
            }
        }
    };
    attempt([&] { cli::parse_real("--v", text); });
    attempt([&] { cli::parse_whole("--n", text, 1, 9); });
    attempt([&] { cli::parse_seed("--seed", text); });
    attempt([&] { cli::parse_shape("--shape", text); });
    attempt([&] { cli::parse_layer("--layer", text); });
    attempt([&] { cli::to_block(cli::parse_axes("--block", text), true); });
    attempt([&] { cli::to_point(cli::parse_axes("--source", text), section); });
    attempt([&] { cli::to_axes(cli::parse_lengths("--size", text), false, 1); });
    if (taken == 0) throw InputError("no value of a flag");
}

void read_pairs(const fs::path& file, Notes& notes) {
    cli::RaySurveyFlags flags;
    flags.source = {"0,0", "1,2"};
    flags.receivers = fs::path(file).replace_extension(".receivers.csv");
    flags.pairs = file;
    cli::read_ray_survey(constant_model(section, 2), flags, notes);
}

/// A folder as fermat invert writes it; one of its files is replaced by the file under test.
std::function<void(const fs::path&)> report_with(const fs::path& run, const std::string& name) {
    return [=](const fs::path& file) {
        const std::string whole = read_whole_file(run / name);
        const auto put = [&](const std::string& bytes) {
            std::ofstream(run / name, std::ios::binary | std::ios::trunc) << bytes;
        };
        put(read_whole_file(file));
        try {
            cli::ReportOptions options;
            options.run = run;
            cli::report_data(options);
        } catch (const Error&) {
            put(whole);
            throw;
        }
        put(whole);
    };
}

/// One table as the events, the stations and the residuals of a catalogue's page.
void report_catalogue(const fs::path& file) {
    cli::ReportOptions options;
    options.run = file;
    cli::report_data(options);
    options.stations = options.fits = file;
    cli::report_data(options);
}

void make_run(const fs::path& run, const std::string& history, const std::string& residuals) {
    fs::create_directory(run);
    write_model(run / "model.h5", constant_model(section, 2));
    write_coverage(run / "coverage.h5", section, Field<float>(section.cell_shape(), 3.0F));
    std::ofstream(run / "history.csv") << history;
    std::ofstream(run / "residuals.csv") << residuals;
    std::ofstream(run / "settings.toml") << "[invert]\nmodel = \"m.h5\"\n";
}

}  // namespace

std::vector<Target> program_targets(const fs::path& folder) {
    const std::string history =
        "iteration,rms,picks,max_update,cell_size,vertex_size,seconds,chi2,lost,rejected,stage\n"
        "0,0.4,3,0,,,0.1,,0,0,0\n1,0.2,3,0.05,9x9,3x3,0.2,1.5,0,0,1\n";
    const std::string residuals =
        "source,receiver,source_x,source_z,receiver_x,receiver_z,time,error,initial_residual,"
        "final_residual,use\n0,0,0,0,3,0,1,,0.5,0.2,used\n1,1,1,0,4,0,2,,0.1,,lost\n";
    const fs::path run = folder / "run";
    make_run(run, history, residuals);
    return {
        {"toml",
         ".toml",
         {"a = 1\nb.c = \"x # y\" # remark\n[t.\"u v\"]\nd = [1, 2.5,\n -3e2]\ne = ['a', 'b']\n"
          "f = true\ng = [[1, 2], [3, 4]]\n"},
         [](const fs::path& file) { cli::parse_toml(read_whole_file(file)); }},
        {"config",
         ".toml",
         {"quiet = true\n[times]\nsource = [\"1,2\", \"3,4\"]\nv0 = 2.5\n[model.gradient]\n"
          "gradient = 1\n"},
         read_config},
        {"flags", ".txt", {"129,129,129", "0.5", "7", "250:5", "1e3,inf,2"}, read_flags},
        {"pairs",
         ".csv",
         {"source,receiver\n0,0\n1,2\n0,1\n", "receiver,source,weight\r\n0,0,1\r\n"},
         noting(read_pairs),
         ".receivers.csv",
         "x,z\n0,0\n1,1\n4,3\n"},
        {"history", ".csv", {history}, report_with(run, "history.csv")},
        {"misfit", ".csv", {residuals}, report_with(run, "residuals.csv")},
        {"events",
         ".csv",
         {"event,cluster,station,x,y,z,shift_x,shift_y,shift_z,rms,phase,residual,weight\n"
          "1,1,A,2,3,4,0.1,0,0.2,0.03,P,0.01,1\n2,,B,3,3,5,0,0,0,,S,-0.01,0\n",
          "event,status,station,longitude,latitude,depth,x,y,z,residual\n"
          "1,located,A,10,45,3,1,2,3,0.1\n",
          "event,use,station,x,z,residual\nq,moved,A,1,2,0.1\n"},
         report_catalogue},
    };
}

}  // namespace fermat::fuzz
