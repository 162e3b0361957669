#include "core/deal.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace fermat {
namespace {

/// Threads that do the jobs they are given. Destruction waits for those under way and drops the
/// rest.
class Team {
  public:
    struct Done {
        std::int64_t job = 0;
        Bytes bytes;
        std::exception_ptr error;
    };

    Team(int threads, const std::function<Bytes(std::int64_t)>& work) : work_(work) {
        for (int t = 0; t < threads; ++t) threads_.emplace_back([this] { serve(); });
    }
    ~Team() {
        {
            const std::lock_guard lock(mutex_);
            closed_ = true;
        }
        wake_.notify_all();
        for (std::thread& thread : threads_) thread.join();
    }
    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;

    void give(std::int64_t job) {
        {
            const std::lock_guard lock(mutex_);
            jobs_.push_back(job);
        }
        wake_.notify_one();
    }

    /// A finished job; waits for one, but not for long.
    std::optional<Done> take(std::chrono::milliseconds patience) {
        std::unique_lock lock(mutex_);
        if (!finished_.wait_for(lock, patience, [this] { return !done_.empty(); })) {
            return std::nullopt;
        }
        Done done = std::move(done_.front());
        done_.pop_front();
        return done;
    }

  private:
    void serve() {
        for (;;) {
            Done done;
            {
                std::unique_lock lock(mutex_);
                wake_.wait(lock, [this] { return closed_ || !jobs_.empty(); });
                if (closed_) return;
                done.job = jobs_.front();
                jobs_.pop_front();
            }
            try {
                done.bytes = work_(done.job);
            } catch (...) {
                done.error = std::current_exception();
            }
            {
                const std::lock_guard lock(mutex_);
                done_.push_back(std::move(done));
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
    bool closed_ = false;
    std::vector<std::thread> threads_;
};

// How long to wait for a thread before looking at what else there is: a wish to stop, and messages.
constexpr std::chrono::milliseconds alone{50};
constexpr std::chrono::milliseconds among_others{1};

/// What ranks say to each other. A worker's last word is `bye`, rank 0's last word is `end` or
/// `stop`: nothing of one deal is left for what follows it.
enum class Word : char { ready, result, failed, bye, job, end, stop };

struct Letter {
    Word word;
    std::int64_t job = 0;
};

void post(Ranks& ranks, int to, Letter letter, const Bytes& content = {}) {
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

std::optional<Received> next_letter(Ranks& ranks) {
    auto message = ranks.poll();
    if (!message) return std::nullopt;
    ByteReader in(message->bytes);
    const auto letter = in.take<Letter>();
    return Received{message->from, letter, in.take_vector<std::byte>()};
}

/// Nobody goes on before rank 0 has heard everyone's `bye`: it would take a later message for one
/// of this deal.
void part(Ranks& ranks) { broadcast_value(ranks, char{}); }

/// Rank 0: keeps the order.
class Dealer {
  public:
    Dealer(Ranks& ranks, std::int64_t count, int threads,
           const std::function<Bytes(std::int64_t)>& work,
           const std::function<void(std::int64_t, const Bytes&)>& consume, Monitor& monitor)
        : ranks_(ranks), count_(count), consume_(consume), monitor_(monitor), team_(threads, work) {
        // Results that wait for an earlier one: a few for each thread, wherever it is.
        window_ = 4 * static_cast<std::int64_t>(threads) * ranks.size() + 4;
        for (int t = 0; t < threads; ++t) idle_.push_back(0);
    }

    void run() {
        while (consumed_ < count_) {
            deal();
            if (ranks_.size() > 1) {
                for (auto got = next_letter(ranks_); got; got = next_letter(ranks_)) hear(*got);
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

    /// Tells the others how it ended and waits until each has heard it.
    void dismiss(Word word, const Bytes& content = {}) {
        for (int r = 1; r < ranks_.size(); ++r) post(ranks_, r, {word}, content);
        for (int gone = 1; gone < ranks_.size();) {
            const auto got = next_letter(ranks_);
            if (got && got->letter.word == Word::bye) ++gone;
            if (!got) std::this_thread::sleep_for(std::chrono::microseconds(200));
        }
        part(ranks_);
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
    std::int64_t count_;
    const std::function<void(std::int64_t, const Bytes&)>& consume_;
    Monitor& monitor_;
    std::int64_t window_ = 0;
    std::int64_t next_ = 0;
    std::int64_t consumed_ = 0;
    std::deque<int> idle_;  ///< ranks of the threads without a job
    std::map<std::int64_t, Bytes> waiting_;
    Team team_;
};

void serve_as_root(Ranks& ranks, std::int64_t count, int threads,
                   const std::function<Bytes(std::int64_t)>& work,
                   const std::function<void(std::int64_t, const Bytes&)>& consume,
                   Monitor& monitor) {
    Dealer dealer(ranks, count, threads, work, consume, monitor);
    try {
        dealer.run();
    } catch (...) {
        dealer.dismiss(Word::stop, pack_error(std::current_exception()));
        ranks.end_together();
        throw;
    }
    dealer.dismiss(Word::end);
}

/// The others: ask for a job for every thread, and pass results on.
void serve_as_worker(Ranks& ranks, int threads, const std::function<Bytes(std::int64_t)>& work,
                     Monitor& monitor) {
    Bytes stop_reason;
    bool told_to_stop = false;
    {
        Team team(threads, work);
        for (int t = 0; t < threads; ++t) post(ranks, 0, {Word::ready});
        for (;;) {
            const auto got = next_letter(ranks);
            if (got && got->letter.word == Word::job) team.give(got->letter.job);
            if (got && got->letter.word == Word::stop) stop_reason = got->content;
            if (got && got->letter.word != Word::job) break;
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
    }
    post(ranks, 0, {Word::bye});
    part(ranks);
    if (stop_reason.empty()) return;
    ranks.end_together();
    throw_packed_error(stop_reason);
}

}  // namespace

void deal_in_order(Ranks& ranks, std::int64_t count, int threads,
                   const std::function<Bytes(std::int64_t)>& work,
                   const std::function<void(std::int64_t, const Bytes&)>& consume,
                   Monitor& monitor) {
    if (ranks.is_root()) {
        serve_as_root(ranks, count, threads, work, consume, monitor);
    } else {
        serve_as_worker(ranks, threads, work, monitor);
    }
}

}  // namespace fermat
