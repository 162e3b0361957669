// Papers 1 and 2 to the letter: work_group.hpp in a shader. TILE is a work group, LANES its
// invocations, of which each has one node or, in groups of more than the device's most, several.
// One text makes three shaders: PRECALCULATE, RELAXATION and WRITE_BACK say which.

layout(location = 0) uniform int pass;

layout(std430, binding = 5) coherent buffer AuxTimes { float aux_times[]; };
layout(std430, binding = 6) coherent buffer Predecessors {
    uint predecessors[];  // [tt's, then auxtt's][node]
};
layout(std430, binding = 7) coherent buffer Marks {
    uint marks[];  // whether anything changed, [pass & 1][group], [group] visits
};

const uint groups = tile_count;
const uint go_on = 0u;
const uint visits = 1u + 2u * groups;

uint mark_at(int of_pass, uint group) { return 1u + uint(of_pass & 1) * groups + group; }
const int copied = COPY.x * COPY.y * COPY.z;

shared float copied_times[RELAXATION == 1 ? copied : 1];
shared float copied_slowness[WRITE_BACK == 1 ? 1 : copied];
shared uint near_marks[directions];
shared uint updated;

void meet() {
    memoryBarrierShared();
    barrier();
}

/// Whether one of the groups round a group was marked in the last pass.
bool is_active(uint group) {
#if MAP
    for (int n = int(gl_LocalInvocationIndex); n < directions; n += LANES) {
        int across = 2 * REACH.z + 1;
        int deep = 2 * REACH.y + 1;
        ivec3 at =
            tile_index(group) + ivec3(n / across / deep, n / across % deep, n % across) - REACH;
        bool there = all(greaterThanEqual(at, ivec3(0))) && all(lessThan(at, TILES));
        near_marks[n] =
            there ? marks[mark_at(pass, uint(offset_in(TILES, at)))] : 0u;
    }
    meet();
    uint found = 0u;
    for (int n = 0; n < directions; ++n) found |= near_marks[n];
    return found != 0u;
#else
    return true;
#endif
}

/// Where number n of a group's copy lies in the graph's memory; -1 beyond its end.
int copied_place(uint group, int n) {
    int row = n / COPY.z;
    ivec3 at = tile_index(group) * TILE + ivec3(row / COPY.y, row % COPY.y, n % COPY.z);
    return all(lessThan(at, MEMORY)) ? offset_in(MEMORY, at) : -1;
}

#if !WRITE_BACK
void copy_slowness(uint group) {
    for (int n = int(gl_LocalInvocationIndex); n < copied; n += LANES) {
        int place = copied_place(group, n);
        copied_slowness[n] = place < 0 ? never : slowness[place];
    }
}

/// Terms have steps in the copy here.
float summed_weight(int here, int edge) {
    precise float sum = 0.0;
    int end = first_term(edge + 1) - 1;
    for (int n = first_term(edge); n < end; ++n) {
        sum = fma(terms[n].weight, copied_slowness[here + terms[n].step], sum);
    }
    return sum;
}

/// Algorithm A-1 of paper 2 (edge_walk.hpp). The star's offsets and lengths follow its first terms.
float walked_weight(int here, int edge) {
    int base = 3 * EDGES + 1 + 4 * edge;
    ivec3 neighbour = ivec3(star[base], star[base + 1], star[base + 2]);
    ivec3 along = ivec3(COPY.y * COPY.z, COPY.z, 1);
    ivec3 crossings = abs(neighbour);
    vec3 dl = vec3(crossings.x == 0 ? 4.0 : 1.0 / float(crossings.x),
                   crossings.y == 0 ? 4.0 : 1.0 / float(crossings.y),
                   crossings.z == 0 ? 4.0 : 1.0 / float(crossings.z));
    vec3 l = 1.0 - 0.5 * dl;
    float w = 0.0;
    float pl = 1.0;
    while (crossings != ivec3(0)) {
        int i = l.x < l.y ? 1 : 0;
        i = l[i] < l.z ? 2 : i;
        if (pl - l[i] > 1e-6) {
            ivec3 cell = ivec3(round(0.5 * (pl + l[i]) * vec3(neighbour)));
            w += copied_slowness[here + cell.x * along.x + cell.y * along.y + cell.z] * (pl - l[i]);
            pl = l[i];
        }
        l[i] -= dl[i];
        --crossings[i];
    }
    w += copied_slowness[here] * pl;
    return w * intBitsToFloat(star[base + 3]);
}
#endif

#if PRECALCULATE
void main() {
    for (uint group = gl_WorkGroupID.x; group < groups; group += gl_NumWorkGroups.x) {
        copy_slowness(group);
        meet();
        for (int lane = int(gl_LocalInvocationIndex); lane < lanes; lane += LANES) {
            ivec3 node = tile_index(group) * TILE + node_of(lane);
            if (!inside(node)) continue;
            int here = offset_in(COPY, node_of(lane) + BORDER);
            for (int plane = 0; plane < EDGES / 2; ++plane) {
                weights[uint(plane) * stride + uint(place_of(node))] =
                    summed_weight(here, EDGES / 2 + plane);
            }
        }
        meet();
    }
}
#endif

#if RELAXATION
/// Each edge is stored once, at its lower end.
float edge_weight(int place, int here, int edge) {
#if STORED
    bool upper = edge >= EDGES / 2;
    int plane = upper ? edge - EDGES / 2 : EDGES / 2 - 1 - edge;
    return weights[uint(plane) * stride + uint(place + (upper ? 0 : memory_step(edge)))];
#elif WALK
    return walked_weight(here, edge);
#else
    return summed_weight(here, edge);
#endif
}

void relax(uint group) {
    for (int n = int(gl_LocalInvocationIndex); n < copied; n += LANES) {
        int place = copied_place(group, n);
        copied_times[n] = place < 0 ? never : times[place];
    }
#if !STORED
    copy_slowness(group);
#endif
    meet();
    for (int lane = int(gl_LocalInvocationIndex); lane < lanes; lane += LANES) {
        ivec3 node = tile_index(group) * TILE + node_of(lane);
        if (!inside(node)) continue;
        int place = place_of(node);
        int here = offset_in(COPY, node_of(lane) + BORDER);
        float best = aux_times[place];
        int from = -1;
        for (int e = 0; e < EDGES; ++e) {
            precise float arrival = copied_times[here + copy_step(e)] + edge_weight(place, here, e);
            if (arrival < best) {
                best = arrival;
                from = e;
            }
        }
        if (from >= 0) {
            aux_times[place] = best;
            predecessors[stride + uint(place)] = uint(from);
        }
    }
}

void main() {
    for (uint group = gl_WorkGroupID.x; group < groups; group += gl_NumWorkGroups.x) {
        if (is_active(group)) {
            relax(group);
            if (gl_LocalInvocationIndex == 0u) marks[visits + group] += 1u;
        }
        meet();
    }
}
#endif

#if WRITE_BACK
void main() {
    for (uint group = gl_WorkGroupID.x; group < groups; group += gl_NumWorkGroups.x) {
        bool on = is_active(group);
        if (gl_LocalInvocationIndex == 0u) updated = 0u;
        meet();
        if (on) {
            for (int lane = int(gl_LocalInvocationIndex); lane < lanes; lane += LANES) {
                ivec3 node = tile_index(group) * TILE + node_of(lane);
                if (!inside(node)) continue;
                int place = place_of(node);
                if (times[place] > aux_times[place]) {
                    times[place] = aux_times[place];
                    predecessors[place] = predecessors[stride + uint(place)];
                    updated = 1u;
                }
                aux_times[place] = times[place];
            }
        }
        meet();
        if (gl_LocalInvocationIndex == 0u) {
            marks[mark_at(pass + 1, group)] = updated;
            if (updated != 0u) marks[go_on] = 1u;
        }
        meet();
    }
}
#endif
