// The plan of an evaluation: the steps of a graph, bound to memory and cut into chunks for the thread team.
#pragma once

#include "base/arena.h"
#include "base/thread_team.h"
#include "engine/workspace.h"
#include "model/graph.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace llm {

class Plan {
public:
    // `batch_size` is the largest number of tokens at once. The graph, the cache and the team must outlive the plan.
    Plan(const Graph &graph, KvCache &cache, const KernelTable &kernels, ThreadTeam &team, uint32_t batch_size);

    uint32_t batch_size() const { return batch_size_; }
    uint64_t memory_bytes() const { return memory_.size(); }

    // The batch to fill before run().
    Batch &batch() { return workspace_.batch; }

    // Computes the batch; false when `cancel` became true: what the batch should have written is then undefined.
    bool run(const std::atomic<bool> *cancel);

    // The first rows of the buffer that the last step has written.
    std::span<const float> rows(Buffer buffer, uint32_t count) const {
        return {workspace_[buffer].values, size_t{workspace_[buffer].width} * count};
    }

private:
    void mark_quantized_buffers(const Graph &graph);
    void make_steps(const Graph &graph);
    void allocate(const Graph &graph);

    uint32_t batch_size_;
    ThreadTeam &team_;
    Workspace workspace_;
    Arena memory_;
    std::vector<std::unique_ptr<PlanStep>> steps_;
    std::vector<Phase> phases_;
};

}  // namespace llm
