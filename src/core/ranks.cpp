#include "core/ranks.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <thread>

namespace fermat {
namespace {

class SerialRanks : public Ranks {
  public:
    int rank() const override { return 0; }
    int size() const override { return 1; }
    void send(int, std::span<const std::byte>) override {
        throw ComputeError("a single process has no other rank to send to");
    }
    std::optional<Message> poll(int) override { return std::nullopt; }
    void broadcast(std::span<std::byte>) override {}
};

enum class ErrorKind : char { none, input, compute, cancelled };

std::string short_number(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%g", value);
    return text;
}

std::vector<RankInput> unpack_inputs(const Bytes& bytes) {
    ByteReader in(bytes);
    std::vector<RankInput> inputs(in.take<std::size_t>());
    for (RankInput& input : inputs) {
        input.name = in.take_text();
        input.value = in.take_text();
    }
    return inputs;
}

/// What a rank has under a name; "none" where it has nothing.
std::string value_of(const std::vector<RankInput>& inputs, const std::string& name) {
    for (const RankInput& input : inputs) {
        if (input.name == name) return input.value;
    }
    return "none";
}

/// The error of the first rank that differs from rank 0; null where all are alike.
std::exception_ptr first_difference(const std::vector<Bytes>& all) {
    const std::vector<RankInput> roots = unpack_inputs(all.front());
    for (std::size_t rank = 1; rank < all.size(); ++rank) {
        const std::vector<RankInput> own = unpack_inputs(all[rank]);
        std::vector<RankInput> named = roots;
        named.insert(named.end(), own.begin(), own.end());
        for (const RankInput& input : named) {
            const std::string here = value_of(own, input.name);
            const std::string there = value_of(roots, input.name);
            if (here == there) continue;
            return std::make_exception_ptr(InputError(
                "rank " + std::to_string(rank) + " has " + input.name + " than rank 0 (" + here +
                ", not " + there + "; all ranks must be given the same files and flags)"));
        }
    }
    return nullptr;
}

/// The next message of rank 0, which alone sends to this rank.
Bytes hear_from_root(Ranks& ranks) {
    Wait wait(ranks);
    for (;;) {
        if (auto message = ranks.poll()) return std::move(message->bytes);
        wait.check("rank 0 has");
        std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
}

}  // namespace

Ranks& serial_ranks() {
    static SerialRanks ranks;
    return ranks;
}

SilentRank::SilentRank(const std::string& who, double seconds)
    : ComputeError(who + " not been heard of for " + short_number(seconds) +
                   " s (stopped, lost, or slower than `rank_timeout` allows)") {}

// If rank 0 is silent, rank 1 reports it and ends the other ranks before they report the same.
Wait::Wait(const Ranks& ranks)
    : seconds_(ranks.patience() > 0 && ranks.rank() > 1 ? ranks.patience() + 5 : ranks.patience()),
      since_(Clock::now()),
      looked_(since_) {}

void Wait::check(const std::string& who) {
    if (seconds_ <= 0) return;
    using Seconds = std::chrono::duration<double>;
    const auto now = Clock::now();
    const auto away = now - looked_;
    if (Seconds(away).count() > seconds_ / 2) since_ += away;
    looked_ = now;
    if (Seconds(now - since_).count() > seconds_) throw SilentRank(who, seconds_);
}

std::vector<Bytes> gather(Ranks& ranks, const Bytes& own) {
    std::vector<Bytes> all(static_cast<std::size_t>(ranks.size()));
    if (!ranks.is_root()) {
        ranks.send(0, own);
        return {};
    }
    all[0] = own;
    // One message of each rank: the next one of a rank that is ahead belongs to what follows.
    Wait wait(ranks);
    for (int silent = 1; silent < ranks.size();) {
        if (auto message = ranks.poll(silent)) {
            all[static_cast<std::size_t>(silent++)] = std::move(message->bytes);
            wait.restart();
            continue;
        }
        wait.check("rank " + std::to_string(silent) + " has");
        std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
    return all;
}

Bytes pack_error(const std::exception_ptr& error) {
    ByteWriter out;
    const auto pack = [&](ErrorKind kind, const std::string& text) {
        out.add(kind);
        out.add(text);
    };
    if (!error) {
        pack(ErrorKind::none, "");
        return out.take();
    }
    try {
        std::rethrow_exception(error);
    } catch (const InputError& e) {
        pack(ErrorKind::input, e.what());
    } catch (const Cancelled& e) {
        pack(ErrorKind::cancelled, e.what());
    } catch (const std::bad_alloc&) {
        pack(ErrorKind::compute, "out of memory (a smaller grid or fewer threads need less)");
    } catch (const std::exception& e) {
        pack(ErrorKind::compute, e.what());
    }
    return out.take();
}

void throw_packed_error(std::span<const std::byte> bytes) {
    ByteReader in(bytes);
    const auto kind = in.take<ErrorKind>();
    const std::string text = in.take_text();
    if (kind == ErrorKind::input) throw InputError(text);
    if (kind == ErrorKind::cancelled) throw Cancelled();
    throw ComputeError(text);
}

void together(Ranks& ranks, const std::function<void()>& work) {
    if (ranks.size() == 1) return work();
    std::exception_ptr error;
    try {
        work();
    } catch (...) {
        error = std::current_exception();
    }
    Bytes verdict = pack_error(error);
    if (ranks.is_root()) {
        for (const Bytes& outcome : gather(ranks, verdict)) {
            verdict = outcome;
            if (static_cast<ErrorKind>(verdict.front()) != ErrorKind::none) break;
        }
    } else {
        ranks.send(0, verdict);
    }
    verdict.resize(broadcast_value(ranks, verdict.size()));
    ranks.broadcast(verdict);
    if (static_cast<ErrorKind>(verdict.front()) == ErrorKind::none) return;
    ranks.end_together();
    throw_packed_error(verdict);
}

// It sends messages and broadcasts nothing, so that ranks with different patience, for which MPI's
// broadcasts differ, meet here too. What only one of them has differs as well.
void require_same(Ranks& ranks, const std::vector<RankInput>& inputs) {
    if (ranks.size() == 1) return;
    ByteWriter out;
    out.add(inputs.size());
    for (const RankInput& input : inputs) {
        out.add(input.name);
        out.add(input.value);
    }
    const std::vector<Bytes> all = gather(ranks, out.take());
    Bytes verdict;
    if (ranks.is_root()) {
        std::exception_ptr error;
        try {
            error = first_difference(all);
        } catch (...) {  // of ranks that run another version
            error = std::current_exception();
        }
        verdict = pack_error(error);
        for (int rank = 1; rank < ranks.size(); ++rank) ranks.send(rank, verdict);
    } else {
        verdict = hear_from_root(ranks);
    }
    if (static_cast<ErrorKind>(verdict.front()) == ErrorKind::none) return;
    ranks.end_together();
    throw_packed_error(verdict);
}

}  // namespace fermat
