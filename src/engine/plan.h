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

// What the memory of a plan depends on, beside the graph.
struct PlanShape {
    uint32_t context_length, batch_size, thread_count;
};

class Plan {
public:
    // `batch_size` is the largest number of tokens at once. All that is passed by reference must outlive the plan.
    Plan(const Graph &graph, KvCache &cache, const KernelTable &kernels, ThreadTeam &team, uint32_t batch_size,
         MemoryProvider &memory);

    // What memory_bytes() of such a plan will be; the weights need not be loaded.
    static uint64_t memory_bytes(const Graph &graph, const KernelTable &kernels, const PlanShape &shape);

    uint32_t batch_size() const { return shape_.batch_size; }
    uint64_t memory_bytes() const { return memory_.size() + scratch_memory_.size(); }

    // Another team from now on. LLM_ERROR_NO_MEMORY, with nothing changed.
    void set_team(ThreadTeam &team, MemoryProvider &memory);

    // The batch to fill before run().
    Batch &batch() { return workspace_.batch; }

    // Computes the batch; false when `cancel` became true: what the batch should have written is then undefined.
    bool run(const std::atomic<bool> *cancel);

    // The first rows of the buffer that the last step has written.
    std::span<const float> rows(Buffer buffer, uint32_t count) const {
        return {workspace_[buffer].values, size_t{workspace_[buffer].width} * count};
    }

private:
    // All but the memory and what it is for.
    Plan(const Graph &graph, const KernelTable &kernels, const PlanShape &shape);
    void mark_buffer_forms(const Graph &graph);
    void make_steps(const Graph &graph);
    size_t lay_out(const Graph &graph, bool taking);
    size_t scratch_bytes(uint32_t thread_count) const;

    PlanShape shape_;
    ThreadTeam *team_ = nullptr;
    Workspace workspace_;
    Arena memory_;
    Arena scratch_memory_;  // of the threads
    std::vector<std::unique_ptr<PlanStep>> steps_;
    std::vector<Phase> phases_;
};

}  // namespace llm
