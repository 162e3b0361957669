#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "core/bytes.hpp"
#include "core/error.hpp"

namespace fermat {

/// The processes ("ranks") that share a computation. The library computes with this interface
/// alone; who starts the processes (MPI, or nobody) is the program's business.
class Ranks {
  public:
    struct Message {
        int from = 0;
        Bytes bytes;
    };

    virtual ~Ranks() = default;

    virtual int rank() const = 0;
    virtual int size() const = 0;
    /// Place among the ranks on the same machine: which of its devices is whose.
    virtual int local_rank() const { return rank(); }
    bool is_root() const { return rank() == 0; }

    /// Returns once `bytes` may be used again. Messages between two ranks arrive in order.
    virtual void send(int to, std::span<const std::byte> bytes) = 0;
    /// A message that has come, if there is one.
    virtual std::optional<Message> poll() = 0;
    /// Rank 0's bytes to all. Every rank calls it with as many bytes.
    virtual void broadcast(std::span<std::byte> bytes) = 0;

    /// Seconds of silence after which a rank that is waited for counts as stopped; 0: never.
    double patience() const { return patience_; }
    void set_patience(double seconds) { patience_ = seconds; }

    /// True once an error was thrown on every rank alike: nobody waits for this one any more.
    bool ended_together() const { return ended_together_; }
    void end_together() { ended_together_ = true; }

  private:
    bool ended_together_ = false;
    double patience_ = 0;
};

/// A rank that is waited for was silent for longer than the ranks' patience. The others cannot be
/// told in the usual way: whoever started the ranks must end them.
class SilentRank : public ComputeError {
  public:
    SilentRank(const std::string& who, double seconds);
};

/// How long one waits for others, held against the ranks' patience. Only time in which this rank
/// looks out for them counts: one that was stopped itself does not take that for the others'
/// silence.
class Wait {
  public:
    using Clock = std::chrono::steady_clock;

    explicit Wait(const Ranks& ranks);
    /// They were heard of.
    void restart() { since_ = looked_ = Clock::now(); }
    /// Throws SilentRank once the patience is over; `who` begins its sentence.
    void check(const std::string& who);

  private:
    double seconds_;  ///< 0: no end
    Clock::time_point since_;
    Clock::time_point looked_;
};

/// A process on its own.
Ranks& serial_ranks();

/// Rank 0's value on every rank.
template <class T>
requires std::is_trivially_copyable_v<T> T broadcast_value(Ranks& ranks, T value) {
    ranks.broadcast(std::as_writable_bytes(std::span(&value, 1)));
    return value;
}

/// On rank 0: what each rank gave, by rank; nothing on the others. Bytes must not be empty, and all
/// ranks must call it.
std::vector<Bytes> gather(Ranks& ranks, const Bytes& own);

/// What every rank must have alike: how a message calls it ("other picks"), and its text or
/// fingerprint.
struct RankInput {
    std::string name;
    std::string value;
};
/// Throws InputError on all ranks where one has another value than rank 0. All ranks must call it.
void require_same(Ranks& ranks, const std::vector<RankInput>& inputs);

/// An error on its way to another rank, where it is thrown with the same type and sentence.
Bytes pack_error(const std::exception_ptr& error);
[[noreturn]] void throw_packed_error(std::span<const std::byte> bytes);

/// Does `work` on every rank and ends the same way on all of them: where it threw on some, the
/// error of the lowest of these is thrown on every rank. All ranks must call it.
void together(Ranks& ranks, const std::function<void()>& work);

}  // namespace fermat
