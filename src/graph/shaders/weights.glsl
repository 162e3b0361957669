// Stores the weights of all edges: a work group per tile.

void main() {
    int lane = int(gl_LocalInvocationIndex);
    for (uint tile = gl_WorkGroupID.x; tile < tile_count; tile += gl_NumWorkGroups.x) {
        int place = place_of(tile_index(tile) * TILE + node_of(lane));
        for (int e = 0; e < EDGES; ++e) {
            weights[weight_index(tile, e, lane)] = computed_weight(place, e);
        }
    }
}
