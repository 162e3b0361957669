#include "graph/jacobi.hpp"

#include <algorithm>
#include <vector>

#include "core/parallel.hpp"
#include "graph/work_group_setup.hpp"

namespace fermat {

void jacobi(const Graph& graph, std::span<const Link> links, int threads, GraphField& field,
            Monitor& monitor) {
    const WorkGroupSetup setup =
        make_work_groups(graph.view(), graph.star(), graph.options().visits);
    const WorkGroups groups = setup.host_groups();
    const unsigned count = groups.group_count();
    std::vector<float> auxtt(field.times.size(), INFINITY);
    std::vector<std::uint16_t> auxpr = field.predecessor;
    std::vector<std::uint8_t> marks(count, 0);
    std::vector<std::uint8_t> next_marks(count, 0);
    for (const Link& link : links) marks[groups.group_of(graph.view().node(link.place))] = 1;
    std::vector<std::vector<float>> rooms(static_cast<std::size_t>(threads));
    for (auto& room : rooms) room.resize(room_bytes(groups) / sizeof(float));
    std::vector<std::int64_t> visits(count, 0);

    // Groups are small; a thread takes a row of them at a time.
    const int rows = groups.groups.x;
    const unsigned row = count / static_cast<unsigned>(rows);
    const auto for_each_group = [&](auto body) {
        parallel_for(rows, threads, [&](std::int64_t n) {
            const GroupRoom room =
                room_in(groups, rooms[static_cast<std::size_t>(thread_index())].data());
            const unsigned first = static_cast<unsigned>(n) * row;
            for (unsigned group = first; group < first + row; ++group) body(group, room);
        });
    };
    bool changed = true;
    while (changed) {
        monitor.check();
        const JacobiState state{field.times.data(), auxtt.data(), field.predecessor.data(),
                                auxpr.data(),       marks.data(), next_marks.data()};
        for_each_group([&](unsigned group, const GroupRoom& room) {
            if (relax_group(HostBlock(), groups, state, group, room)) ++visits[group];
        });
        for_each_group([&](unsigned group, const GroupRoom& room) {
            write_back(HostBlock(), groups, state, group, room);
        });
        std::swap(marks, next_marks);
        changed = std::find(marks.begin(), marks.end(), 1) != marks.end();
        ++field.passes;
    }
    for (unsigned group = 0; group < count; ++group) {
        field.relaxations += visits[group] * groups.nodes_in(group) * graph.view().edges;
    }
}

}  // namespace fermat
