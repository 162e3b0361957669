#include "core/ranks.hpp"

#include <chrono>
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
    std::optional<Message> poll() override { return std::nullopt; }
    void broadcast(std::span<std::byte>) override {}
};

enum class ErrorKind : char { none, input, compute, cancelled };

}  // namespace

Ranks& serial_ranks() {
    static SerialRanks ranks;
    return ranks;
}

Ranks::Message receive(Ranks& ranks) {
    for (;;) {
        if (auto message = ranks.poll()) return std::move(*message);
        std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
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
        std::vector<Bytes> outcomes(static_cast<std::size_t>(ranks.size()));
        outcomes[0] = verdict;
        for (int n = 1; n < ranks.size(); ++n) {
            Ranks::Message message = receive(ranks);
            outcomes[static_cast<std::size_t>(message.from)] = std::move(message.bytes);
        }
        for (const Bytes& outcome : outcomes) {
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

}  // namespace fermat
