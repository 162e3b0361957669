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

/// The processes ("ranks") that share a computation. The library uses this interface only; the
/// program decides who starts the processes (MPI, or nobody).
class Ranks {
  public:
    struct Message {
        int from = 0;
        Bytes bytes;
    };

    virtual ~Ranks() = default;

    virtual int rank() const = 0;
    virtual int size() const = 0;
    /// Index among the ranks on the same machine. It selects the rank's device.
    virtual int local_rank() const { return rank(); }
    bool is_root() const { return rank() == 0; }

    /// Returns once `bytes` may be reused. Messages between two ranks arrive in order.
    virtual void send(int to, std::span<const std::byte> bytes) = 0;
    static constexpr int any_rank = -1;
    /// The next message of a rank, or of any, that has arrived, if any.
    virtual std::optional<Message> poll(int from) = 0;
    std::optional<Message> poll() { return poll(any_rank); }
    /// Copies rank 0's bytes to all ranks. Every rank calls it with the same number of bytes.
    virtual void broadcast(std::span<std::byte> bytes) = 0;

    /// Seconds of silence after which a rank counts as dead; 0 means never.
    double patience() const { return patience_; }
    void set_patience(double seconds) { patience_ = seconds; }

    /// True once an error was thrown on all ranks: no rank waits for this one any more.
    bool ended_together() const { return ended_together_; }
    void end_together() { ended_together_ = true; }

  private:
    bool ended_together_ = false;
    double patience_ = 0;
};

/// A rank was silent for longer than the patience. The error cannot be sent to the other ranks, so
/// whoever started the ranks must end them.
class SilentRank : public ComputeError {
  public:
    SilentRank(const std::string& who, double seconds);
};

/// Measures how long this rank has waited for others and compares it with the patience. Only time
/// in which this rank polls counts: a rank that was suspended does not take that time for silence
/// of the others.
class Wait {
  public:
    using Clock = std::chrono::steady_clock;

    explicit Wait(const Ranks& ranks);
    /// Called when the others were heard.
    void restart() { since_ = looked_ = Clock::now(); }
    /// Throws SilentRank once the patience is exceeded; `who` begins the message.
    void check(const std::string& who);

  private:
    double seconds_;  ///< 0: wait without limit
    Clock::time_point since_;
    Clock::time_point looked_;
};

/// The ranks of a process on its own: one.
Ranks& serial_ranks();

/// Returns rank 0's value on every rank.
template <class T>
requires std::is_trivially_copyable_v<T> T broadcast_value(Ranks& ranks, T value) {
    ranks.broadcast(std::as_writable_bytes(std::span(&value, 1)));
    return value;
}

/// On rank 0: what each rank gave, by rank; nothing on the others, which do not wait: what they
/// send next stays until rank 0 asks for it. Bytes must not be empty, and all ranks must call it.
std::vector<Bytes> gather(Ranks& ranks, const Bytes& own);

/// What every rank must have alike: how a message calls it ("other picks"), and its text or
/// fingerprint.
struct RankInput {
    std::string name;
    std::string value;
};
/// Throws InputError on all ranks if one has another value than rank 0. All ranks must call it.
void require_same(Ranks& ranks, const std::vector<RankInput>& inputs);

/// Packs an error for another rank, which throws it with the same type and message.
Bytes pack_error(const std::exception_ptr& error);
[[noreturn]] void throw_packed_error(std::span<const std::byte> bytes);

/// Calls `work` on every rank and ends the same way on all of them: if it threw on some ranks, the
/// error of the lowest is thrown on every rank. All ranks must call it.
void together(Ranks& ranks, const std::function<void()>& work);

}  // namespace fermat
