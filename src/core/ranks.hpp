#pragma once

#include <functional>
#include <optional>
#include <span>
#include <type_traits>

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

    /// True once an error was thrown on every rank alike: nobody waits for this one any more.
    bool ended_together() const { return ended_together_; }
    void end_together() { ended_together_ = true; }

  private:
    bool ended_together_ = false;
};

/// A process on its own.
Ranks& serial_ranks();

/// Waits for a message.
Ranks::Message receive(Ranks& ranks);

/// Rank 0's value on every rank.
template <class T>
requires std::is_trivially_copyable_v<T> T broadcast_value(Ranks& ranks, T value) {
    ranks.broadcast(std::as_writable_bytes(std::span(&value, 1)));
    return value;
}

/// An error on its way to another rank, where it is thrown with the same type and sentence.
Bytes pack_error(const std::exception_ptr& error);
[[noreturn]] void throw_packed_error(std::span<const std::byte> bytes);

/// Does `work` on every rank and ends the same way on all of them: where it threw on some, the
/// error of the lowest of these is thrown on every rank. All ranks must call it.
void together(Ranks& ranks, const std::function<void()>& work);

}  // namespace fermat
