// One pass of the fast iterative method over the active tiles of one parity: a work group takes a
// tile, sweeps it in shared memory until it rests, and wakes the tiles that can see a change. It is
// tile_visit.hpp and tile_queue.hpp in GLSL; the equation is that of stencil.hpp, which stands
// before this text as stencil.glsl (scripts/stencil_glsl.py makes it).
//
// A sweep goes over the diagonals of the tile. Lane l has the line of nodes (l / across, l % across)
// along the run axis; at step s its node is the one whose indices add up to s.

layout(local_size_x = LANES) in;

layout(location = 0) uniform int pass;

layout(std430, binding = 0) readonly buffer Velocity { float velocity[]; };
layout(std430, binding = 1) coherent buffer Tau { float tau[]; };
layout(std430, binding = 2) coherent buffer States {
    uint states[];  // [tile]: bits of the earliest unseen arrival, faces it comes through, visits
};
layout(std430, binding = 3) coherent buffer Lists { uint lists[]; };  // [4 passes][tile]
layout(std430, binding = 4) coherent buffer Counters {
    uint counters[];  // [4 passes][groups to start, 1, 1, length of the list],
                      // [4 passes] least key given to neighbours, [4 passes] that of tiles that wait
};

layout(std430, binding = 5) readonly buffer Source {
    int source_node[3];    // the node below the source
    float source_rest[3];  // how far it lies from there, in the unit of SPACING
    float inverse_slowness;
};

const float never = uintBitsToFloat(0x7f800000u);
const uint by_itself = 64u;
const int tile_count = TILES.x * TILES.y * TILES.z;
const int tile_nodes = TILE.x * TILE.y * TILE.z;
const int first_axis = DIM == 3 ? 0 : 1;
const ivec3 halo = ivec3(DIM == 3 ? 2 : 0, 2, 2);
const ivec3 room = TILE + 2 * halo;
const ivec3 pitch = ivec3(room.y * room.z, room.z, 1);
const ivec3 stride = ivec3(TILE.y * TILE.z, TILE.z, 1);

shared float here[room.x * room.y * room.z];
shared float f_of[tile_nodes];
shared uint moved[tile_nodes];  // 1: in this visit, 2: in this sweep
shared uint earliest[6];
shared uint against;
shared bool waits;
shared uint visit_faces;
shared uint visit_number;

void meet() {
    memoryBarrierShared();
    barrier();
}

uint slot(int of_pass) { return uint(of_pass) & 3u; }
uint woken_at(int of_pass) { return 16u + slot(of_pass); }
uint waiting_at(int of_pass) { return 20u + slot(of_pass); }

void push(int of_pass, uint tile) {
    uint place = atomicAdd(counters[4u * slot(of_pass) + 3u], 1u);
    atomicMax(counters[4u * slot(of_pass)], min(place + 1u, MOST_GROUPS));
    lists[slot(of_pass) * uint(tile_count) + place] = tile;
}
void wake(uint tile, uint faces, uint key) {
    atomicMin(states[3u * tile], key);
    atomicMin(counters[woken_at(pass)], key);
    if (atomicOr(states[3u * tile + 1u], faces) == 0u) push(pass + 1, tile);
}
void wait(uint tile, uint key) {
    atomicMin(counters[waiting_at(pass)], key);
    push(pass + 2, tile);
}

ivec3 begin;

int room_at(ivec3 node) {
    ivec3 at = node + halo;
    return at.x * pitch.x + at.y * pitch.y + at.z;
}
int code_of(ivec3 node) { return node.x * stride.x + node.y * stride.y + node.z; }
ivec3 node_of(int code) {
    int column = code / TILE.z;
    return ivec3(column / TILE.y, column % TILE.y, code % TILE.z);
}
bool in_grid(ivec3 node) {
    ivec3 at = begin + node;
    return all(greaterThanEqual(at, ivec3(0))) && all(lessThan(at, SHAPE));
}
uint offset_of(ivec3 node) {
    uvec3 at = uvec3(begin + node);
    return (at.x * uint(SHAPE.y) + at.y) * uint(SHAPE.z) + at.z;
}
/// Distance from the source along an axis. Whole numbers are subtracted first, which is exact.
float coordinate(int axis, int n) {
    return float(begin[axis] + n - source_node[axis]) * SPACING[axis] - source_rest[axis];
}
float r2(ivec3 node) {
    float sum = 0.0;
    for (int axis = first_axis; axis < 3; ++axis) {
        float x = coordinate(axis, node[axis]);
        sum += x * x;
    }
    return sum;
}

AxisStencil stencil(ivec3 node, int axis, float inverse_r2) {
    int at = room_at(node);
    int step = pitch[axis];
    float h = SPACING[axis];
    return AxisStencil(here[at - step], here[at + step], here[at - 2 * step], here[at + 2 * step],
                       h * coordinate(axis, node[axis]) * inverse_r2, h * h * inverse_r2, 1.0 / h);
}

/// update_tau of stencil.hpp and its parts, whose templates for any number of axes GLSL has not.
const int most_turns = 12;

#if DIM == 3
float update_tau(float f, float inverse_r2, AxisStencil a, AxisStencil b, AxisStencil c) {
    UpwindSide p = factored_side(a), q = factored_side(b), r = factored_side(c);
    float factored = solve_upwind(upwind_term(p), upwind_term(q), upwind_term(r), f);
    float nearest2 = least(p.near * p.near * p.near_ratio2, q.near * q.near * q.near_ratio2,
                           r.near * r.near * r.near_ratio2);
    bool late = may_be_late(factored, nearest2, f, inverse_r2);
    bool careful = late || both_upwind(p, factored) || both_upwind(q, factored) ||
                   both_upwind(r, factored);
    if (ORDER == 2) {
        careful = careful || fades_out(p, factored) || fades_out(q, factored) ||
                  fades_out(r, factored);
    }
    if (!careful || !(factored < reached_limit)) return factored;
    if (ORDER == 2) {
        for (int turn = 0; turn < most_turns; ++turn) {
            float next = solve_upwind(factored_term(a, factored), factored_term(b, factored),
                                      factored_term(c, factored), f);
            if (!(next < factored)) break;
            factored = next;
        }
        if (!late) return factored;
    } else {
        float godunov = solve_upwind(upwind_term(godunov_side(a, factored)),
                                     upwind_term(godunov_side(b, factored)),
                                     upwind_term(godunov_side(c, factored)), f);
        factored = least(factored, godunov);
    }
    float plain = solve_upwind(upwind_term(plain_side(a)), upwind_term(plain_side(b)),
                               upwind_term(plain_side(c)), f);
    if (ORDER == 2) {
        for (int turn = 0; turn < most_turns; ++turn) {
            float next = solve_upwind(plain_term(a, plain), plain_term(b, plain),
                                      plain_term(c, plain), f);
            if (!(next < plain)) break;
            plain = next;
        }
    }
    return plain_where_late(factored, plain, f, inverse_r2);
}
#else
float update_tau(float f, float inverse_r2, AxisStencil a, AxisStencil b) {
    UpwindSide p = factored_side(a), q = factored_side(b);
    float factored = solve_upwind(upwind_term(p), upwind_term(q), f);
    float nearest2 =
        least(p.near * p.near * p.near_ratio2, q.near * q.near * q.near_ratio2);
    bool late = may_be_late(factored, nearest2, f, inverse_r2);
    bool careful = late || both_upwind(p, factored) || both_upwind(q, factored);
    if (ORDER == 2) careful = careful || fades_out(p, factored) || fades_out(q, factored);
    if (!careful || !(factored < reached_limit)) return factored;
    if (ORDER == 2) {
        for (int turn = 0; turn < most_turns; ++turn) {
            float next = solve_upwind(factored_term(a, factored), factored_term(b, factored), f);
            if (!(next < factored)) break;
            factored = next;
        }
        if (!late) return factored;
    } else {
        float godunov = solve_upwind(upwind_term(godunov_side(a, factored)),
                                     upwind_term(godunov_side(b, factored)), f);
        factored = least(factored, godunov);
    }
    float plain = solve_upwind(upwind_term(plain_side(a)), upwind_term(plain_side(b)), f);
    if (ORDER == 2) {
        for (int turn = 0; turn < most_turns; ++turn) {
            float next = solve_upwind(plain_term(a, plain), plain_term(b, plain), f);
            if (!(next < plain)) break;
            plain = next;
        }
    }
    return plain_where_late(factored, plain, f, inverse_r2);
}
#endif

void update(ivec3 node, bool only_earlier) {
    int code = code_of(node);
    float f = f_of[code];
    if (!(f < reached_limit)) return;
    int at = room_at(node);
    float old = here[at];
    float inverse_r2 = 1.0 / r2(node);
#if DIM == 3
    float now = update_tau(f, inverse_r2, stencil(node, 1, inverse_r2),
                           stencil(node, 2, inverse_r2), stencil(node, 0, inverse_r2));
#else
    float now =
        update_tau(f, inverse_r2, stencil(node, 1, inverse_r2), stencil(node, 2, inverse_r2));
#endif
    if (!(now < reached_limit) || (only_earlier && now >= old)) return;
    here[at] = now;
    if (abs(now - old) > TOLERANCE * now) moved[code] = 3u;
}

/// One sweep; bit a of `down` reverses axis a.
void sweep(uint down, bool only_earlier, int lane) {
    const int across = TILE.y;
    ivec3 line = ivec3(lane / across, lane % across, 0);
    const int steps = TILE.x + TILE.y + TILE.z - 2;
    for (int s = 0; s < steps; ++s) {
        ivec3 node = line;
        node.z = s - line.x - line.y;
        if (node.z >= 0 && node.z < TILE.z) {
            for (int axis = first_axis; axis < 3; ++axis) {
                if ((down >> axis & 1u) != 0u) node[axis] = TILE[axis] - 1 - node[axis];
            }
            update(node, only_earlier);
        }
        meet();
    }
}

/// Marks the axes along which a node that changed in this sweep may change the one swept before it.
void find_against(uint down, int lane) {
    for (int code = lane; code < tile_nodes; code += LANES) {
        if ((moved[code] & 2u) == 0u) continue;
        moved[code] = 1u;
        ivec3 node = node_of(code);
        int at = room_at(node);
        float inverse_r2 = 1.0 / r2(node);
        uint axes = 0u;
        for (int axis = first_axis; axis < 3; ++axis) {
            int sense = (down >> axis & 1u) != 0u ? -1 : 1;
            int before = node[axis] - sense;
            if (before < 0 || before >= TILE[axis]) continue;
            float h = SPACING[axis];
            float toward = float(sense) * h * coordinate(axis, node[axis]) * inverse_r2;
            bool stale = may_feed(here[at], here[at - sense * pitch[axis]], toward,
                                  h * h * inverse_r2, TOLERANCE);
            if (stale && f_of[code - sense * stride[axis]] < reached_limit) axes |= 1u << axis;
            if (ORDER == 1 || before - sense < 0 || before - sense >= TILE[axis]) continue;
            float second = here[at - 2 * sense * pitch[axis]];
            if (f_of[code - 2 * sense * stride[axis]] < reached_limit &&
                may_feed_second(here[at], second, toward, h * h * inverse_r2, TOLERANCE)) {
                axes |= 1u << axis;
            }
        }
        if (axes != 0u) atomicOr(against, axes);
    }
}

/// T/s0 of a node at a face, if it or (second order) the node behind it changed and the neighbour
/// across the face may depend on it.
float matters(ivec3 node, int axis, int outward) {
    int at = room_at(node);
    float now = here[at];
    if (!(now < reached_limit)) return never;
    int code = code_of(node);
    bool matter = moved[code] != 0u;
    if (ORDER == 2) matter = matter || moved[code - outward * stride[axis]] != 0u;
    if (!matter) return never;
    float square = r2(node);
    float h = SPACING[axis];
    float toward = -float(outward) * h * coordinate(axis, node[axis]) / square;
    bool feeds = may_feed(now, here[at + outward * pitch[axis]], toward, h * h / square, TOLERANCE);
    if (ORDER == 2) {
        float second = here[at + 2 * outward * pitch[axis]];
        feeds = feeds || may_feed_second(now, second, toward, h * h / square, TOLERANCE);
    }
    return feeds ? now * sqrt(square) : never;
}

void load(int lane) {
    for (int n = lane; n < room.x * room.y * room.z; n += LANES) {
        int column = n / room.z;
        ivec3 node = ivec3(column / room.y, column % room.y, n % room.z) - halo;
        here[n] = in_grid(node) ? tau[offset_of(node)] : unreached;
    }
    for (int code = lane; code < tile_nodes; code += LANES) {
        ivec3 node = node_of(code);
        float v = in_grid(node) ? velocity[offset_of(node)] : 0.0;
        f_of[code] = v > 0.0 ? inverse_slowness / (v * sqrt(r2(node)))
                             : unreached;
        moved[code] = 0u;
    }
    if (lane < 6) earliest[lane] = floatBitsToUint(never);
}

/// Whether the tile rests; each invocation gives the same answer.
bool solve(uint faces, bool only_earlier, int lane) {
    uint down = 0u;
    for (int axis = first_axis; axis < 3; ++axis) {
        uint through = faces >> (2 * axis) & 3u;
        float middle = coordinate(axis, 0) + coordinate(axis, TILE[axis] - 1);
        bool up = through == 1u || (through != 2u && middle >= 0.0);
        if (!up) down |= 1u << axis;
    }
    for (int turn = 0; turn < 32; ++turn) {
        if (lane == 0) against = 0u;
        sweep(down, only_earlier, lane);
        find_against(down, lane);
        meet();
        uint axes = against;
        meet();
        if (axes == 0u) return true;
        // One axis at a time, and each of them in its turn.
        int axis = turn % 3;
        while ((axes >> axis & 1u) == 0u) axis = (axis + 1) % 3;
        down ^= 1u << axis;
    }
    return false;
}

void take(uint tile, int lane) {
    if (lane == 0) {
        uint key = states[3u * tile];
        visit_faces = states[3u * tile + 1u];
        visit_number = states[3u * tile + 2u];
        float first = min(uintBitsToFloat(counters[woken_at(pass - 1)]),
                          min(uintBitsToFloat(counters[waiting_at(pass - 1)]),
                              uintBitsToFloat(counters[waiting_at(pass - 2)])));
        waits = visit_number > 0u && uintBitsToFloat(key) > first + PATIENCE;
        if (waits) {
            wait(tile, key);
        } else {
            states[3u * tile] = floatBitsToUint(never);
            states[3u * tile + 1u] = 0u;
            states[3u * tile + 2u] = visit_number + 1u;
        }
    }
    meet();
    bool leave = waits || visit_number >= MOST_VISITS;
    uint faces = visit_faces;
    bool only_earlier = ORDER == 1 || visit_number >= FREE_VISITS;
    meet();
    if (leave) return;

    ivec3 at = ivec3(int(tile) / (TILES.y * TILES.z), int(tile) / TILES.z % TILES.y,
                     int(tile) % TILES.z);
    begin = at * TILE;
    load(lane);
    meet();
    bool settled = solve(faces, only_earlier, lane);
    for (int axis = first_axis; axis < 3; ++axis) {
        int other = axis == 1 ? 2 : 1;
        int third = 3 - axis - other;  // of one node where the tile is flat
        int count = TILE[other] * TILE[third];
        for (int n = lane; n < 2 * count; n += LANES) {
            int side = n / count;
            ivec3 node;
            node[axis] = side == 0 ? 0 : TILE[axis] - 1;
            node[other] = n % count % TILE[other];
            node[third] = n % count / TILE[other];
            float key = matters(node, axis, side == 0 ? -1 : 1);
            if (key < never) atomicMin(earliest[2 * axis + side], floatBitsToUint(key));
        }
    }
    for (int code = lane; code < tile_nodes; code += LANES) {
        ivec3 node = node_of(code);
        if (f_of[code] < reached_limit) tau[offset_of(node)] = here[room_at(node)];
    }
    memoryBarrierBuffer();
    meet();
    if (lane < 6) {
        int axis = lane / 2;
        int side = lane % 2;
        ivec3 to = at;
        to[axis] += side == 0 ? -1 : 1;
        bool there = to[axis] >= 0 && to[axis] < TILES[axis];
        uint key = earliest[lane];
        if (there && uintBitsToFloat(key) < never) {
            wake(uint((to.x * TILES.y + to.y) * TILES.z + to.z), 1u << (2 * axis + 1 - side), key);
        }
    }
    if (lane == 0 && !settled) {
        uint key = floatBitsToUint(never);
        for (int face = 0; face < 6; ++face) key = min(key, earliest[face]);
        if (!(uintBitsToFloat(key) < never)) key = 0u;
        states[3u * tile] = key;
        states[3u * tile + 1u] = by_itself;
        wait(tile, key);
    }
    meet();
}

void main() {
    int lane = int(gl_LocalInvocationIndex);
    uint count = counters[4u * slot(pass) + 3u];
    if (gl_WorkGroupID.x == 0u && lane == 0) {
        // Clears what later passes fill; nobody reads or writes it now.
        counters[4u * slot(pass + 3)] = 1u;
        counters[4u * slot(pass + 3) + 3u] = 0u;
        counters[woken_at(pass + 1)] = floatBitsToUint(never);
        counters[waiting_at(pass + 1)] = floatBitsToUint(never);
    }
    for (uint n = gl_WorkGroupID.x; n < count; n += gl_NumWorkGroups.x) {
        take(lists[slot(pass) * uint(tile_count) + n], lane);
    }
}
