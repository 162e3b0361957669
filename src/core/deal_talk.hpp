#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/ranks.hpp"

namespace fermat::detail {

/// The messages between ranks. The last message of a worker is `bye`. Rank 0 reports the end by
/// `end` or `stop`, and its last message is `parted`, so that no message of one deal remains for
/// the next. With a patience, each rank sends `alive` at intervals, so that a long job is not taken
/// for silence.
enum class Word : char { ready, result, failed, bye, job, end, stop, parted, alive };

struct Letter {
    Word word;
    std::int64_t job = 0;
};

inline void post(Ranks& ranks, int to, Letter letter, const Bytes& content = {}) {
    ByteWriter out;
    out.add(letter);
    out.add(content);
    ranks.send(to, out.take());
}

struct Received {
    int from;
    Letter letter;
    Bytes content;
};

/// This rank's messages with its partners: rank 0 with all others, the others with rank 0.
class Talk {
  public:
    explicit Talk(Ranks& ranks) : ranks_(ranks) {
        const int others = ranks.is_root() ? ranks.size() - 1 : 1;
        for (int n = 0; n < others; ++n)
            partners_.push_back({ranks.is_root() ? n + 1 : 0, Wait(ranks)});
    }

    std::optional<Received> next() {
        auto message = ranks_.poll();
        if (!message) return std::nullopt;
        ByteReader in(message->bytes);
        const auto letter = in.take<Letter>();
        const auto from = std::find_if(partners_.begin(), partners_.end(),
                                       [&](auto& p) { return p.rank == message->from; });
        if (from != partners_.end()) {
            from->wait.restart();
            from->gone = letter.word == Word::bye;
        }
        return Received{message->from, letter, in.take_vector<std::byte>()};
    }
    /// Throws SilentRank if a partner has been silent for too long.
    void check() {
        if (ranks_.patience() <= 0) return;
        for (Partner& partner : partners_) {
            if (!partner.gone) partner.wait.check("rank " + std::to_string(partner.rank) + " has");
        }
    }
    /// Checks the partners and lets them know that this rank is alive.
    void keep() {
        if (ranks_.patience() <= 0) return;
        check();
        const std::chrono::duration<double> since = Wait::Clock::now() - greeted_;
        if (since.count() < ranks_.patience() / 4) return;
        say({Word::alive});
        greeted_ = Wait::Clock::now();
    }
    /// Sends a message to all partners.
    void say(Letter letter, const Bytes& content = {}) {
        for (const Partner& partner : partners_) post(ranks_, partner.rank, letter, content);
    }
    bool all_gone() const {
        return std::all_of(partners_.begin(), partners_.end(), [](auto& p) { return p.gone; });
    }

  private:
    struct Partner {
        int rank;
        Wait wait;
        bool gone = false;
    };

    Ranks& ranks_;
    std::vector<Partner> partners_;
    Wait::Clock::time_point greeted_ = Wait::Clock::now();
};

}  // namespace fermat::detail
