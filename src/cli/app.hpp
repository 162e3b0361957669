#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cli/outputs.hpp"
#include "cli/rank_session.hpp"
#include "core/choice.hpp"
#include "core/execution.hpp"

namespace fermat::cli {

enum class LogLevel { error, warning, info, debug };

}  // namespace fermat::cli

namespace fermat {

template <>
inline constexpr auto choices<cli::LogLevel> =
    choice_table<cli::LogLevel>("log level", {{"error", cli::LogLevel::error},
                                              {"warning", cli::LogLevel::warning},
                                              {"info", cli::LogLevel::info},
                                              {"debug", cli::LogLevel::debug}});

}  // namespace fermat

namespace fermat::cli {

/// Flags of every command.
struct CommonOptions {
    int threads = 0;  ///< 0: all cores
    Device device = Device::automatic;
    bool quiet = false;
    LogLevel log_level = LogLevel::warning;
    double rank_timeout = 0;  ///< seconds that ranks wait for each other; 0: no limit
};

/// What a command gets in addition to its own options.
struct Run {
    const CommonOptions& common;
    Monitor& monitor;
    Ranks& ranks;
    std::string settings;          ///< the flags that were given, as TOML
    std::vector<FlagFile> inputs;  ///< the input files that flags name

    Execution execution() const { return {common.threads, common.device, monitor, ranks}; }
};

/// Which ranks do the work of a command if several were started.
enum class RankUse { root, all };

/// The program. Commands are added to it; then it runs once.
class Program {
  public:
    Program();

    CLI::App& root() { return app_; }

    /// Adds a command that only groups others, such as `fermat model`.
    CLI::App& add_group(const std::string& name, const std::string& description,
                        const std::string& example);

    /// Adds a command with its flags and its work. `example` is shell commands that run as they
    /// stand.
    template <class Options>
    void add_command(CLI::App& parent, const std::string& name, const std::string& description,
                     const std::string& example, void (*add_flags)(CLI::App&, Options&),
                     void (*work)(const Options&, const Run&), RankUse use = RankUse::root) {
        CLI::App& command = add(parent, name, description, example);
        const auto options = std::make_shared<Options>();
        add_flags(command, *options);
        command.callback([this, options, work, use] {
            use_ = use;
            work_ = [options, work](const Run& run) { work(*options, run); };
        });
    }

    /// Does what the arguments say and returns the exit status: 0 success; 1 the computation
    /// failed; 2 the call or its input is wrong; 130 stopped by the user. Errors are one line on
    /// stderr. With several ranks, only rank 0 prints.
    int run(int argc, const char* const* argv, RankSession& session);

  private:
    CLI::App& add(CLI::App& parent, const std::string& name, const std::string& description,
                  const std::string& example);
    /// Parses the arguments on every rank; all ranks must have the same command and flags.
    void parse(int argc, const char* const* argv, Ranks& ranks);
    void do_work(Ranks& ranks) const;

    CLI::App app_;
    CommonOptions common_;
    GivenFiles files_;
    std::function<void(const Run&)> work_;
    RankUse use_ = RankUse::root;
};

}  // namespace fermat::cli
