// One pass of Bellman and Ford's method with an update map (paper 2, Algorithm 1): a work group
// takes tiles of the pass's list, relaxes each until it rests, and wakes the tiles that can see a
// change. It is node_tile.hpp and node_tile_queue.hpp with two differences that GLSL asks for: keys
// and lists of this pass and of the next are apart, so that a tile that is woken is always visited
// once more; and FOR_EACH_EDGE(X), which writes X(edge, step in the copy) out for each edge of small
// stars and is a loop over those of large ones, takes the place of a template's argument.

layout(location = 0) uniform int pass;
layout(location = 1) uniform uint shots;

layout(std430, binding = 5) coherent buffer Keys {
    uint keys[];  // [pass & 1][entry]: bits of the earliest unseen change; infinite: in no list
};
layout(std430, binding = 6) coherent buffer Lists { uint lists[]; };  // [pass & 1][entry]
layout(std430, binding = 7) coherent buffer Counters {
    uint counters[];  // [4 passes][groups to start, 1, 1, length of the list], last pass, 3 unused,
                      // [4 passes][shot] least of the keys, [entry] rounds, [entry] visits
};

const uint ring = 4u;
const uint last_pass = 4u * ring;
const uint least_of_pass = last_pass + 4u;

uint entry_count() { return shots * tile_count; }
uint groups_at(int of_pass) { return 4u * (uint(of_pass) & (ring - 1u)); }
uint length_at(int of_pass) { return groups_at(of_pass) + 3u; }
uint least_at(int of_pass, uint shot) {
    return least_of_pass + (uint(of_pass) & (ring - 1u)) * shots + shot;
}
uint key_at(int of_pass, uint entry) { return (uint(of_pass) & 1u) * entry_count() + entry; }
uint rounds_at(uint entry) { return least_of_pass + ring * shots + entry; }

shared float copy[COPY.x * COPY.y * COPY.z];
shared uint earliest[directions];
shared uint changed[ROUNDS];
shared bool waits;

/// Puts an entry into the list of the next pass, if it is not there.
void wake(uint shot, uint entry, float time) {
    uint bits = floatBitsToUint(time);
    atomicMin(counters[least_at(pass + 1, shot)], bits);
    if (atomicMin(keys[key_at(pass + 1, entry)], bits) == floatBitsToUint(never)) {
        uint place = atomicAdd(counters[length_at(pass + 1)], 1u);
        atomicMax(counters[groups_at(pass + 1)], place + 1u);
        lists[key_at(pass + 1, place)] = entry;
    }
}

void meet() {
    memoryBarrierShared();
    barrier();
}

/// Whether an edge may lead from node n of a tile into the tile `to` further, along an axis.
bool sees(int axis, int n, int to) {
    int first = to * TILE[axis];
    return n + BORDER[axis] >= first && n - BORDER[axis] < first + TILE[axis];
}
ivec3 direction(int d) {
    int across = 2 * REACH.z + 1;
    int row = d / across;
    int deep = 2 * REACH.y + 1;
    return ivec3(row / deep, row % deep, d % across) - REACH;
}

/// Waits, or visits the tile; each invocation of the group calls it.
void take(uint entry, int lane) {
    uint shot = entry / tile_count;
    uint tile = entry % tile_count;
    if (lane == 0) {
        float key = uintBitsToFloat(keys[key_at(pass, entry)]);
        float least = uintBitsToFloat(counters[least_at(pass, shot)]);
        keys[key_at(pass, entry)] = floatBitsToUint(never);
        // Without an update map, only shots at rest are left out.
        waits = ALL ? least == never : key > least + WINDOW;
        if (waits && !ALL) wake(shot, entry, key);
    }
    meet();
    bool later = waits;
    meet();
    if (later) return;

    ivec3 first = tile_index(tile) * TILE;
    for (int n = lane; n < COPY.x * COPY.y * COPY.z; n += lanes) {
        int row = n / COPY.z;
        ivec3 at = first + ivec3(row / COPY.y, row % COPY.y, n % COPY.z);
        copy[n] = all(lessThan(at, MEMORY)) ? times[shot * stride + uint(offset_in(MEMORY, at))]
                                            : never;
    }
    for (int n = lane; n < ROUNDS; n += lanes) changed[n] = 0u;
    for (int n = lane; n < directions; n += lanes) earliest[n] = floatBitsToUint(never);
    ivec3 node = node_of(lane);
    bool mine = inside(first + node);
    int place = place_of(first + node);
    int here = offset_in(COPY, node + BORDER);
    // Weights of the invocation's own node, in registers where the edges are written out.
    float held[EDGES];
#define HOLD(e, step) held[e] = weight_of(tile, place, e, lane);
    FOR_EACH_EDGE(HOLD)
    meet();

    float before = copy[here];
    int round = 0;
    bool resting = false;
    while (round < ROUNDS && !resting) {
        float best = copy[here];
        precise float arrival;
#define PULL(e, step)                   \
    arrival = copy[here + step] + held[e]; \
    best = arrival < best ? arrival : best;
        FOR_EACH_EDGE(PULL)
        meet();
        if (mine && best < copy[here]) {
            copy[here] = best;
            changed[round] = 1u;
        }
        meet();
        resting = changed[round] == 0u;
        ++round;
    }

    float time = copy[here];
    if (mine && time < before) {
        times[shot * stride + uint(place)] = time;
        for (int d = 0; d < directions; ++d) {
            ivec3 to = direction(d);
            if (sees(0, node.x, to.x) && sees(1, node.y, to.y) && sees(2, node.z, to.z)) {
                atomicMin(earliest[d], floatBitsToUint(time));
            }
        }
    }
    memoryBarrierBuffer();
    meet();
    if (lane == 0) {
        counters[rounds_at(entry)] += uint(round);
        counters[rounds_at(entry) + entry_count()] += 1u;
    }
    for (int d = lane; d < directions; d += lanes) {
        bool own = d == directions / 2;
        float change = uintBitsToFloat(earliest[d]);
        ivec3 to = tile_index(tile) + direction(d);
        bool there = all(greaterThanEqual(to, ivec3(0))) && all(lessThan(to, TILES));
        if (!(change < never) || !there || (own && resting)) continue;
        wake(shot, shot * tile_count + uint(offset_in(TILES, to)), change);
    }
    meet();
}

void main() {
    int lane = int(gl_LocalInvocationIndex);
    uint found = counters[length_at(pass)];
    if (gl_WorkGroupID.x == 0u) {
        // Clears what the pass after the next will fill; nobody reads or writes it now. One group
        // is started even for an empty list, so that this is done in every pass.
        for (uint shot = uint(lane); shot < shots; shot += uint(lanes)) {
            counters[least_at(pass + 2, shot)] = floatBitsToUint(never);
        }
        if (lane == 0) {
            counters[groups_at(pass + 2)] = 1u;
            counters[length_at(pass + 2)] = 0u;
            if (found > 0u) counters[last_pass] = uint(pass + 1);
        }
    }
    uint count = ALL && found > 0u ? entry_count() : found;
    for (uint n = gl_WorkGroupID.x; n < count; n += gl_NumWorkGroups.x) {
        take(ALL ? n : lists[key_at(pass, n)], lane);
    }
}
