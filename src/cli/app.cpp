#include "cli/app.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <exception>
#include <new>

#include "cli/config.hpp"
#include "cli/flags.hpp"
#include "cli/help.hpp"
#include "cli/outputs.hpp"
#include "cli/progress_bar.hpp"
#include "cli/suggest.hpp"
#include "cli/tell.hpp"
#include "cli/terminal.hpp"
#include "core/cancel.hpp"
#include "core/crew.hpp"
#include "core/error.hpp"
#include "core/version.hpp"
#include "io/temporary_file.hpp"
#include "io/text.hpp"

namespace fermat::cli {
namespace {

constexpr int status_failed = 1;
constexpr int status_wrong_input = 2;
constexpr int status_stopped = 130;

/// Reports the error. If all ranks ended with the same error, only rank 0 reports it. If the others
/// do not know of it, they are ended too.
int fail(int status, const std::string& message, RankSession& session, const Ranks& ranks,
         bool known) {
    if (ranks.is_root()) {
        print_line_to_stderr("fermat: error: " + message);
    } else if (!known) {
        print_line_to_stderr(fmt::format("fermat: error: rank {}: {}", ranks.rank(), message));
    }
    if (!known) {
        // abort() runs no destructors.
        remove_temporary_files();
        session.abort(status);
    }
    return status;
}

double parse_timeout(std::string_view flag, std::string_view text) {
    const double seconds = parse_real(flag, text);
    if (seconds <= 0) throw InputError(flag_message(flag, text, "must be seconds > 0"));
    return seconds;
}

/// The command as the user typed it: "fermat model gradient".
std::string command_words(const CLI::App& root) {
    std::string words = "fermat";
    for (const CLI::App* command : running_commands(root)) words += " " + command->get_name();
    return words;
}

/// For a missing argument that also stands without its flag, how to give it: "fermat invert FILE,
/// or
/// --picks FILE; ".
std::string ways_to_give(const CLI::App& command, const std::string& words,
                         const CLI::ParseError& error) {
    if (dynamic_cast<const CLI::RequiredError*>(&error) == nullptr) return "";
    const std::string message = error.what();
    const std::string flag = message.substr(0, message.find(' '));
    const CLI::Option* option =
        flag.starts_with("--") ? command.get_option_no_throw(flag) : nullptr;
    if (option == nullptr || !option->get_positional()) return "";
    const std::string type = option->get_type_name();
    return fmt::format("{} {}, or {} {}; ", words, type, flag, type);
}

/// What is wrong with the arguments, and in parentheses where to look. CLI11 reports a missing
/// argument before an unknown one; a mistyped flag or command is both.
std::string parse_message(const CLI::App& root, const CLI::ParseError& error) {
    const std::string see = fmt::format("see {} --help", command_words(root));
    const std::vector<std::string> unknown = root.remaining(true);
    const std::vector<CLI::App*> running = running_commands(root);
    const CLI::App& last = running.empty() ? root : *running.back();
    if (unknown.empty()) {
        const std::string ways = ways_to_give(last, command_words(root), error);
        return fmt::format("{} ({}{})", error.what(), ways, see);
    }
    const std::string& word = unknown.front();
    const bool is_flag = word.starts_with('-');
    const std::vector<std::string> known = is_flag ? flag_names(last) : command_names(last);
    const bool needs_command = last.get_require_subcommand_min() > 0;
    return fmt::format("unknown {} {} ({}{})", !is_flag && needs_command ? "command" : "argument",
                       in_quotes(word), did_you_mean(word, known), see);
}

void set_up_log(const CommonOptions& common) {
    auto logger = std::make_shared<spdlog::logger>("fermat", stderr_sink());
    logger->set_pattern("fermat: %l: %v");
    const LogLevel level = common.quiet ? LogLevel::error : common.log_level;
    logger->set_level(spdlog::level::from_str(std::string(name_of(level))));
    spdlog::set_default_logger(std::move(logger));
}

/// What all ranks must be given alike: the command and its flags, but for those that say how a rank
/// works and not what it computes.
std::vector<RankInput> inputs_of_rank(const CLI::App& root, const std::string& command) {
    std::vector<RankInput> inputs{{"another command", command}};
    for (const GivenFlag& flag : given_flags(root)) {
        if (flag.name == "threads" || flag.name == "quiet" || flag.name == "log-level") continue;
        inputs.push_back({"another --" + flag.name, flag.value});
    }
    return inputs;
}

ProgressStyle progress_style(const CommonOptions& common) {
    if (common.quiet) return ProgressStyle::silent;
    return ::isatty(STDERR_FILENO) != 0 ? ProgressStyle::bar : ProgressStyle::lines;
}

}  // namespace

Program::Program()
    : app_("First-arrival traveltimes, seismic rays and traveltime tomography", "fermat") {
    app_.formatter(std::make_shared<HelpFormatter>());
    app_.require_subcommand(1);
    app_.fallthrough();
    app_.set_version_flag("--version", "fermat " + std::string(version), "show the version");
    app_.footer(example_text("fermat info\nfermat help times"));

    add_whole(app_, "--threads", "N", common_.threads, "threads to use (default: all cores)", 1,
              most_threads);
    add_choice(app_, "--device", common_.device, "where to compute");
    app_.add_flag("--quiet", common_.quiet, "no progress and no log; errors are still told");
    add_choice(app_, "--log-level", common_.log_level, "least important messages to show");
    add_value(
        app_, "--rank-timeout", "S", common_.rank_timeout,
        "with mpirun: end all ranks once one has been silent for S seconds, which must be more "
        "than a step of one rank alone takes (default: never)",
        parse_timeout);
    mark_file(app_.set_config("--config", "", "TOML file with flags; the command line wins over it")
                  ->type_name("FILE")
                  ->check(&check_config_file),
              FileRole::input);
    app_.config_formatter(std::make_shared<CommandConfig>(app_));
}

CLI::App& Program::add(CLI::App& parent, const std::string& name, const std::string& description,
                       const std::string& example) {
    CLI::App& command = *parent.add_subcommand(name, description);
    // Common flags may also follow the command.
    command.fallthrough();
    command.footer(example_text(example));
    return command;
}

CLI::App& Program::add_group(const std::string& name, const std::string& description,
                             const std::string& example) {
    CLI::App& group = add(app_, name, description, example);
    group.require_subcommand(1);
    return group;
}

void Program::parse(int argc, const char* const* argv, Ranks& ranks) {
    std::exception_ptr error;
    std::string outcome;
    try {
        app_.parse(argc, argv);
        outcome = command_words(app_);
    } catch (const CLI::ParseError& wrong) {
        error = std::current_exception();
        outcome = parse_message(app_, wrong);
    } catch (const std::exception& wrong) {
        error = std::current_exception();
        outcome = wrong.what();
    }
    ranks.set_patience(common_.rank_timeout);
    require_same(ranks, inputs_of_rank(app_, in_quotes(outcome)));
    if (error) std::rethrow_exception(error);
}

void Program::do_work(Ranks& ranks) const {
    CommonOptions common = common_;
    if (!ranks.is_root()) {
        if (use_ == RankUse::root) return;
        common.quiet = true;
    }
    set_up_log(common);
    if (use_ == RankUse::root && ranks.size() > 1) {
        spdlog::warn(
            "rank 0 of {} computes all: {} shares no work among ranks (fermat invert does; "
            "--threads uses more cores)",
            ranks.size(), command_words(app_));
    }
    const SignalGuard guard;
    ProgressBar bar(progress_style(common));
    Monitor monitor([&bar](const ProgressEvent& event) { bar.show(event); },
                    &SignalGuard::stop_requested);
    work_({common, monitor, ranks, given_settings(app_), files_.inputs});
}

int Program::run(int argc, const char* const* argv, RankSession& session) {
    Ranks* ranks = &serial_ranks();
    // Before the work, errors in the arguments occur on every rank, or all ranks get them.
    bool shared_work = false;
    const auto end = [&](int status, const std::string& message) {
        const bool known = !shared_work || ranks->ended_together();
        return fail(status, message, session, *ranks, known);
    };
    try {
        ranks = &session.ranks();
        parse(argc, argv, *ranks);
        files_ = given_files(app_);
        check_different(files_.inputs, files_.outputs);
        together(*ranks, [&] {
            if (ranks->is_root()) check_writable(files_.outputs);
        });
        shared_work = ranks->size() > 1 && use_ == RankUse::all;
        do_work(*ranks);
        // A rank that leaves waits for the others without a time limit. Meet them here, where there
        // is one.
        if (shared_work) together(*ranks, [] {});
        return 0;
    } catch (const CLI::ParseError& error) {
        // CLI11 reports help and version as an "error" of status 0.
        if (error.get_exit_code() == 0) return ranks->is_root() ? app_.exit(error) : 0;
        return end(status_wrong_input, parse_message(app_, error));
    } catch (const InputError& error) {
        return end(status_wrong_input, with_flags(error.what()));
    } catch (const Cancelled& error) {
        return end(status_stopped, error.what());
    } catch (const std::bad_alloc&) {
        return end(status_failed, "out of memory (a smaller grid or fewer --threads need less)");
    } catch (const std::exception& error) {
        return end(status_failed, with_flags(error.what()));
    }
}

}  // namespace fermat::cli
