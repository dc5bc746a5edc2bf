// Where the buffers of a graph lie: those that are never needed at the same time share memory.
#pragma once

#include "model/graph.h"

#include <cstddef>
#include <span>
#include <vector>

namespace llm {

struct BufferLayout {
    std::vector<size_t> offsets;  // by Buffer::index
    size_t bytes = 0;             // of all together
};

// `sizes` has the bytes of each buffer, multiples of the wanted alignment.
BufferLayout lay_out_buffers(const Graph &graph, std::span<const size_t> sizes);

}  // namespace llm
