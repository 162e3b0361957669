#include "core/deal.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/crew.hpp"
#include "core/deal_talk.hpp"

namespace fermat {
namespace {

using detail::post;
using detail::Received;
using detail::Talk;
using detail::Word;

/// Threads that do the jobs they are given. The destructor waits for running jobs and drops the
/// rest.
class Team {
  public:
    struct Done {
        std::int64_t job = 0;
        Bytes bytes;
        std::exception_ptr error;
    };

    Team(int threads, const std::function<Bytes(std::int64_t)>& work) : work_(work) {
        try {
            for (int t = 1; t <= threads; ++t) {
                threads_.push_back(start_thread(t, threads, [this] { serve(); }));
            }
        } catch (...) {
            close();
            throw;
        }
    }
    ~Team() { close(); }
    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;

    void give(std::int64_t job) {
        {
            const std::lock_guard lock(mutex_);
            jobs_.push_back(job);
        }
        wake_.notify_one();
    }

    /// Returns a finished job; waits for one at most as long as `patience`.
    std::optional<Done> take(std::chrono::milliseconds patience) {
        std::unique_lock lock(mutex_);
        if (!finished_.wait_for(lock, patience, [this] { return !done_.empty(); })) {
            return std::nullopt;
        }
        Done done = std::move(done_.front());
        done_.pop_front();
        return done;
    }

    /// Starts no further job. True once none is running.
    bool wind_up() {
        const std::lock_guard lock(mutex_);
        closed_ = true;
        return working_ == 0;
    }

  private:
    void close() {
        {
            const std::lock_guard lock(mutex_);
            closed_ = true;
        }
        wake_.notify_all();
        for (std::thread& thread : threads_) thread.join();
    }

    void serve() {
        for (;;) {
            Done done;
            {
                std::unique_lock lock(mutex_);
                wake_.wait(lock, [this] { return closed_ || !jobs_.empty(); });
                if (closed_) return;
                done.job = jobs_.front();
                jobs_.pop_front();
                ++working_;
            }
            try {
                done.bytes = work_(done.job);
            } catch (...) {
                done.error = std::current_exception();
            }
            {
                const std::lock_guard lock(mutex_);
                done_.push_back(std::move(done));
                --working_;
            }
            finished_.notify_one();
        }
    }

    const std::function<Bytes(std::int64_t)>& work_;
    std::mutex mutex_;
    std::condition_variable wake_;
    std::condition_variable finished_;
    std::deque<std::int64_t> jobs_;
    std::deque<Done> done_;
    int working_ = 0;
    bool closed_ = false;
    std::vector<std::thread> threads_;
};

// How long to wait for a thread before checking for messages and for a request to stop.
constexpr std::chrono::milliseconds alone{50};
constexpr std::chrono::milliseconds among_others{1};

void wait_a_little() { std::this_thread::sleep_for(std::chrono::microseconds(200)); }

/// Rank 0: deals out jobs and keeps their order.
class Dealer {
  public:
    Dealer(Ranks& ranks, std::int64_t count, int threads, Team& team,
           const std::function<void(std::int64_t, const Bytes&)>& consume, Monitor& monitor)
        : ranks_(ranks),
          talk_(ranks),
          team_(team),
          count_(count),
          consume_(consume),
          monitor_(monitor) {
        // Results that may wait for an earlier one: a few per thread of all ranks.
        window_ = 4 * static_cast<std::int64_t>(threads) * ranks.size() + 4;
        for (int t = 0; t < threads; ++t) idle_.push_back(0);
    }

    void run() {
        while (consumed_ < count_) {
            deal();
            if (ranks_.size() > 1) {
                for (auto got = talk_.next(); got; got = talk_.next()) hear(*got);
                talk_.keep();
            }
            if (consumed_ == count_) break;
            monitor_.check();
            auto done = team_.take(ranks_.size() == 1 ? alone : among_others);
            if (!done) continue;
            if (done->error) std::rethrow_exception(done->error);
            idle_.push_back(0);
            put(done->job, std::move(done->bytes));
        }
    }

    /// Tells the other ranks how the deal ended and waits until each has answered.
    void dismiss(Word word, const Bytes& content = {}) {
        talk_.say({word}, content);
        while (!talk_.all_gone()) {
            if (talk_.next()) continue;
            talk_.keep();
            wait_a_little();
        }
        talk_.say({Word::parted});
    }

  private:
    void deal() {
        while (!idle_.empty() && next_ < std::min(count_, consumed_ + window_)) {
            const int to = idle_.front();
            idle_.pop_front();
            if (to == 0) {
                team_.give(next_);
            } else {
                post(ranks_, to, {Word::job, next_});
            }
            ++next_;
        }
    }

    void hear(Received& got) {
        if (got.letter.word == Word::failed) throw_packed_error(got.content);
        if (got.letter.word == Word::alive) return;
        idle_.push_back(got.from);
        if (got.letter.word == Word::result) put(got.letter.job, std::move(got.content));
    }

    void put(std::int64_t job, Bytes&& bytes) {
        waiting_.emplace(job, std::move(bytes));
        for (auto it = waiting_.find(consumed_); it != waiting_.end();
             it = waiting_.find(consumed_)) {
            consume_(consumed_, it->second);
            waiting_.erase(it);
            ++consumed_;
        }
    }

    Ranks& ranks_;
    Talk talk_;
    Team& team_;
    std::int64_t count_;
    const std::function<void(std::int64_t, const Bytes&)>& consume_;
    Monitor& monitor_;
    std::int64_t window_ = 0;
    std::int64_t next_ = 0;
    std::int64_t consumed_ = 0;
    std::deque<int> idle_;  ///< one entry per idle thread: its rank
    std::map<std::int64_t, Bytes> waiting_;
};

void serve_as_root(Ranks& ranks, std::int64_t count, int threads, Team& team,
                   const std::function<void(std::int64_t, const Bytes&)>& consume,
                   Monitor& monitor) {
    Dealer dealer(ranks, count, threads, team, consume, monitor);
    try {
        dealer.run();
    } catch (const SilentRank&) {
        throw;
    } catch (...) {
        dealer.dismiss(Word::stop, pack_error(std::current_exception()));
        ranks.end_together();
        throw;
    }
    dealer.dismiss(Word::end);
}

/// The other ranks: ask for one job per thread, and send results to rank 0.
void serve_as_worker(Ranks& ranks, int threads, Team& team, Monitor& monitor) {
    Talk talk(ranks);
    Bytes stop_reason;
    bool told_to_stop = false;
    for (int t = 0; t < threads; ++t) post(ranks, 0, {Word::ready});
    for (;;) {
        const auto got = talk.next();
        const Word word = got ? got->letter.word : Word::alive;
        if (word == Word::job) team.give(got->letter.job);
        if (word == Word::stop) stop_reason = got->content;
        if (word == Word::stop || word == Word::end) break;
        talk.keep();
        if (!told_to_stop && monitor.stop_requested()) {
            told_to_stop = true;
            post(ranks, 0, {Word::failed}, pack_error(std::make_exception_ptr(Cancelled())));
        }
        const auto done = team.take(among_others);
        if (!done) continue;
        if (done->error) {
            post(ranks, 0, {Word::failed}, pack_error(done->error));
        } else {
            post(ranks, 0, {Word::result, done->job}, done->bytes);
        }
    }
    while (!team.wind_up()) {
        talk.keep();
        wait_a_little();
    }
    post(ranks, 0, {Word::bye});
    for (auto got = talk.next(); !got || got->letter.word != Word::parted; got = talk.next()) {
        talk.check();
        if (!got) wait_a_little();
    }
    if (stop_reason.empty()) return;
    ranks.end_together();
    throw_packed_error(stop_reason);
}

}  // namespace

void deal_in_order(Ranks& ranks, std::int64_t count, int threads,
                   const std::function<Bytes(std::int64_t)>& work,
                   const std::function<void(std::int64_t, const Bytes&)>& consume,
                   Monitor& monitor) {
    require_same(ranks, {{"another number of jobs", std::to_string(count)}});
    std::optional<Team> team;
    together(ranks, [&] { team.emplace(threads, work); });
    if (ranks.is_root()) {
        serve_as_root(ranks, count, threads, *team, consume, monitor);
    } else {
        serve_as_worker(ranks, threads, *team, monitor);
    }
}

}  // namespace fermat
