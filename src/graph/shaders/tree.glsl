// Predecessors from times that are at rest, as in shortest_tree.hpp: a work group per tile.

// -1: marks the nodes that the source itself reaches; 0: earlier neighbours; later: equal ones
layout(location = 0) uniform int level;
layout(location = 1) uniform uint shots;

layout(std430, binding = 5) coherent buffer Predecessors {
    uint predecessors[];  // [level & 1][shot][node]
};
layout(std430, binding = 6) readonly buffer Sources {
    uint links[];  // of all shots: place in the times, and bits of the time
};
layout(std430, binding = 7) coherent buffer Left { uint left[]; };  // nodes that still have none

const uint from_source = 0x7ffeu;
const uint from_nowhere = 0x7fffu;

uint earlier_neighbour(uint shot, uint tile, int place, int lane) {
    float time = times[shot * stride + uint(place)];
    for (int e = 0; e < EDGES; ++e) {
        float other = times[shot * stride + uint(place + memory_step(e))];
        if (!(other < time)) continue;
        precise float arrival = other + weight_of(tile, place, e, lane);
        if (arrival == time) return uint(e);
    }
    return from_nowhere;
}

uint equal_neighbour(uint shot, uint tile, int place, int lane, uint before) {
    float time = times[shot * stride + uint(place)];
    for (int e = 0; e < EDGES; ++e) {
        uint other = shot * stride + uint(place + memory_step(e));
        if (times[other] != time || predecessors[before + other] == from_nowhere) continue;
        precise float arrival = time + weight_of(tile, place, e, lane);
        if (arrival == time) return uint(e);
    }
    return from_nowhere;
}

void mark_sources() {
    uint step = gl_NumWorkGroups.x * gl_WorkGroupSize.x;
    for (uint n = gl_GlobalInvocationID.x; 2u * n < uint(links.length()); n += step) {
        if (floatBitsToUint(times[links[2u * n]]) == links[2u * n + 1u]) {
            predecessors[links[2u * n]] = from_source;
        }
    }
}

void main() {
    if (level < 0) {
        mark_sources();
        return;
    }
    int lane = int(gl_LocalInvocationIndex);
    uint now = uint(level & 1) * shots * stride;
    uint before = uint((level + 1) & 1) * shots * stride;
    for (uint n = gl_WorkGroupID.x; n < tile_count * shots; n += gl_NumWorkGroups.x) {
        uint shot = n / tile_count;
        uint tile = n % tile_count;
        ivec3 node = tile_index(tile) * TILE + node_of(lane);
        if (!inside(node)) continue;
        int place = place_of(node);
        uint at = shot * stride + uint(place);
        if (level == 0) {
            if (!(times[at] < never) || predecessors[at] == from_source) continue;
            predecessors[at] = earlier_neighbour(shot, tile, place, lane);
            if (predecessors[at] == from_nowhere) atomicAdd(left[0], 1u);
        } else {
            uint found = predecessors[before + at];
            if (found == from_nowhere && times[at] < never) {
                found = equal_neighbour(shot, tile, place, lane, before);
                if (found == from_nowhere) atomicAdd(left[level & 1], 1u);
            }
            predecessors[now + at] = found;
        }
    }
}
