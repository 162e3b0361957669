// The grid graph in a shader: what graph_view.hpp and node_tile.hpp are to C++. The numbers of one
// graph (SHAPE, MEMORY, BORDER, TILE, TILES, COPY, REACH, EDGES, ROUNDS, STORED, ALL) are defined
// before this text; bellman_ford_opengl.cpp takes them from NodeTiles.

const int lanes = TILE.x * TILE.y * TILE.z;
const uint tile_count = uint(TILES.x * TILES.y * TILES.z);
const uint stride = uint(MEMORY.x * MEMORY.y * MEMORY.z);  // of a shot's times
const int directions = (2 * REACH.x + 1) * (2 * REACH.y + 1) * (2 * REACH.z + 1);
const float never = uintBitsToFloat(0x7f800000u);

layout(local_size_x = LANES) in;

struct Term {
    int step;
    float weight;
};
layout(std430, binding = 0) coherent buffer Times { float times[]; };
layout(std430, binding = 1) readonly buffer Slowness { float slowness[]; };
layout(std430, binding = 2) readonly buffer Star {
    int star[];  // steps of the edges in memory, their steps in a tile's copy, their first terms
};
layout(std430, binding = 3) readonly buffer Terms { Term terms[]; };
layout(std430, binding = 4) buffer Weights {
    float weights[];  // [tile][edge][lane], or unused
};

int memory_step(int edge) { return star[edge]; }
int copy_step(int edge) { return star[EDGES + edge]; }
int first_term(int edge) { return star[2 * EDGES + edge]; }

ivec3 tile_index(uint tile) {
    int n = int(tile);
    int row = n / TILES.z;
    return ivec3(row / TILES.y, row % TILES.y, n % TILES.z);
}
/// Node `lane` of a tile, from its first one.
ivec3 node_of(int lane) {
    int row = lane / TILE.z;
    return ivec3(row / TILE.y, row % TILE.y, lane % TILE.z);
}
bool inside(ivec3 node) { return all(lessThan(node, SHAPE)); }
int offset_in(ivec3 shape, ivec3 at) { return (at.x * shape.y + at.y) * shape.z + at.z; }
/// Place of a node in memory; that of the first one, for nodes beyond the grid.
int place_of(ivec3 node) { return offset_in(MEMORY, (inside(node) ? node : ivec3(0)) + BORDER); }

/// computed_weight of graph_view.hpp: time along an edge, infinite where it meets air.
float computed_weight(int place, int edge) {
    precise float sum = 0.0;
    int end = first_term(edge + 1) - 1;
    for (int n = first_term(edge); n < end; ++n) {
        sum = fma(terms[n].weight, slowness[place + terms[n].step], sum);
    }
    return sum;
}
uint weight_index(uint tile, int edge, int lane) {
    return (tile * uint(EDGES) + uint(edge)) * uint(lanes) + uint(lane);
}
float weight_of(uint tile, int place, int edge, int lane) {
#if STORED
    return weights[weight_index(tile, edge, lane)];
#else
    return computed_weight(place, edge);
#endif
}
