#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>

#include "cli/rank_session.hpp"
#include "core/error.hpp"

namespace fermat::cli {
namespace {

constexpr int length_tag = 1;
constexpr int content_tag = 2;
constexpr std::size_t most_bytes = std::size_t{1} << 30;  // MPI counts with int

/// Ranks of MPI_COMM_WORLD. A message is its length, then its bytes in parts that MPI can count. An
/// MPI error ends the job, which is MPI's default; a lost rank cannot be recovered. Without a
/// patience, calls block in MPI; with one, they are started and polled.
class MpiRanks : public Ranks {
  public:
    MpiRanks() {
        MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
        MPI_Comm_size(MPI_COMM_WORLD, &size_);
        MPI_Comm machine;
        MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &machine);
        MPI_Comm_rank(machine, &local_rank_);
        MPI_Comm_free(&machine);
    }

    int rank() const override { return rank_; }
    int size() const override { return size_; }
    int local_rank() const override { return local_rank_; }

    void send(int to, std::span<const std::byte> bytes) override {
        const std::uint64_t length = bytes.size();
        send_values(&length, 1, MPI_UINT64_T, to, length_tag);
        for_each_part(bytes, [&](auto part) {
            send_values(part.data(), static_cast<int>(part.size()), MPI_BYTE, to, content_tag);
        });
    }

    std::optional<Message> poll(int from) override {
        int there = 0;
        MPI_Status status;
        const int source = from == any_rank ? MPI_ANY_SOURCE : from;
        MPI_Iprobe(source, length_tag, MPI_COMM_WORLD, &there, &status);
        if (there == 0) return std::nullopt;
        Message message;
        message.from = status.MPI_SOURCE;
        std::uint64_t length = 0;
        MPI_Recv(&length, 1, MPI_UINT64_T, message.from, length_tag, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        message.bytes.resize(length);
        for_each_part(std::span(message.bytes), [&](auto part) {
            MPI_Request request;
            MPI_Irecv(part.data(), static_cast<int>(part.size()), MPI_BYTE, message.from,
                      content_tag, MPI_COMM_WORLD, &request);
            finish(request, "rank " + std::to_string(message.from) + " has");
        });
        return message;
    }

    void broadcast(std::span<std::byte> bytes) override {
        for_each_part(bytes, [this](auto part) {
            const int size = static_cast<int>(part.size());
            if (patience() <= 0) {
                MPI_Bcast(part.data(), size, MPI_BYTE, 0, MPI_COMM_WORLD);
                return;
            }
            MPI_Request request;
            MPI_Ibcast(part.data(), size, MPI_BYTE, 0, MPI_COMM_WORLD, &request);
            finish(request, "other ranks have");  // any of the ranks may forward it
        });
    }

  private:
    void send_values(const void* values, int count, MPI_Datatype type, int to, int tag) {
        if (patience() <= 0) {
            MPI_Send(values, count, type, to, tag, MPI_COMM_WORLD);
            return;
        }
        MPI_Request request;
        MPI_Isend(values, count, type, to, tag, MPI_COMM_WORLD, &request);
        finish(request, "rank " + std::to_string(to) + " has");
    }

    /// Waits for a request. Throws SilentRank if it does not complete in time.
    void finish(MPI_Request& request, const std::string& who) const {
        if (patience() <= 0) {
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            return;
        }
        Wait wait(*this);
        int done = 0;
        for (MPI_Test(&request, &done, MPI_STATUS_IGNORE); done == 0;
             MPI_Test(&request, &done, MPI_STATUS_IGNORE)) {
            wait.check(who);
            std::this_thread::sleep_for(std::chrono::microseconds(200));
        }
    }

    template <class Byte, class Transfer>
    static void for_each_part(std::span<Byte> bytes, Transfer transfer) {
        for (std::size_t at = 0; at < bytes.size(); at += most_bytes) {
            transfer(bytes.subspan(at, std::min(most_bytes, bytes.size() - at)));
        }
    }

    int rank_ = 0;
    int size_ = 1;
    int local_rank_ = 0;
};

}  // namespace

struct RankSession::Impl {
    MpiRanks ranks;
};

RankSession::RankSession() {
    if (launched_ranks() == 0) return;
    // Only the main thread calls MPI; other threads compute.
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
    impl_ = std::make_unique<Impl>();
}

RankSession::~RankSession() {
    if (impl_) MPI_Finalize();
}

Ranks& RankSession::ranks() {
    if (impl_) return impl_->ranks;
    return serial_ranks();
}

void RankSession::abort(int status) {
    if (impl_) MPI_Abort(MPI_COMM_WORLD, status);
    std::exit(status);
}

}  // namespace fermat::cli
