#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/ranks.hpp"

namespace fermat::detail {

/// What ranks say to each other. A worker's last word is `bye`; rank 0 tells how it ended by `end`
/// or `stop`, and its last word is `parted`: nothing of one deal is left for what follows it. Where
/// ranks have a patience, each says `alive` now and then, so that a long job is no silence.
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

/// This rank's talk with others: rank 0's with all, theirs with rank 0.
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
    /// Throws SilentRank where one of them is.
    void check() {
        if (ranks_.patience() <= 0) return;
        for (Partner& partner : partners_) {
            if (!partner.gone) partner.wait.check("rank " + std::to_string(partner.rank) + " has");
        }
    }
    /// The same, and lets them know that this rank is there.
    void keep() {
        if (ranks_.patience() <= 0) return;
        check();
        const std::chrono::duration<double> since = Wait::Clock::now() - greeted_;
        if (since.count() < ranks_.patience() / 4) return;
        say({Word::alive});
        greeted_ = Wait::Clock::now();
    }
    /// To all of them.
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
