// A list of phases that can tell whether it was run as promised.
#pragma once

#include "base/thread_team.h"

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <thread>
#include <tuple>
#include <type_traits>
#include <vector>

namespace llm::test {

// Numbers of participants that every test goes through.
using TeamSizes = std::tuple<std::integral_constant<uint32_t, 1>, std::integral_constant<uint32_t, 2>,
                             std::integral_constant<uint32_t, 3>, std::integral_constant<uint32_t, 8>>;

// Repetitions of a stress test; fewer where every access is checked.
constexpr int scaled(int repetitions) {
#ifdef __SANITIZE_THREAD__
    return repetitions / 10;
#else
    return repetitions;
#endif
}

// Each chunk adds one to a plain counter of its own, after it has seen that all chunks of the phase before have done
// so. The counters are not atomic: the team alone keeps the threads apart, and ThreadSanitizer would see a gap.
class Chain {
public:
    Chain(std::initializer_list<uint32_t> chunk_counts, uint32_t slot_count, uint32_t most_together = 1,
          bool from_ends = false)
        : most_together_(most_together), slots_(slot_count) {
        steps_.reserve(chunk_counts.size());
        for (const uint32_t count : chunk_counts) {
            steps_.push_back({this, steps_.empty() ? nullptr : &steps_.back(), std::vector<uint32_t>(count)});
            phases_.push_back({&Chain::run, &steps_.back(), count, most_together, from_ends});
        }
    }

    Chain(const Chain &) = delete;

    std::span<const Phase> phases() const { return phases_; }

    void set_sleep(std::function<std::chrono::microseconds(uint32_t chunk)> sleep) { sleep_ = std::move(sleep); }

    uint32_t chunks_of_slot(uint32_t slot) const { return slots_[slot].chunks; }

    uint32_t chunks_run() const {
        uint32_t sum = 0;
        for (const Slot &slot : slots_) sum += slot.chunks;
        return sum;
    }

    // Every chunk ran `runs` times in all, the phases in order, and no slot was used by two threads at once.
    void check(uint32_t runs = 1) const {
        for (const Step &step : steps_)
            for (const uint32_t count : step.counts)
                if (count != runs) BOOST_ERROR("a chunk ran " << count << " times, not " << runs);
        if (out_of_order_ != 0) BOOST_ERROR(out_of_order_ << " chunks ran before the phase before them was done");
        if (too_many_together_ != 0) BOOST_ERROR(too_many_together_ << " calls had too many chunks or none");
        if (slots_shared_ != 0) BOOST_ERROR(slots_shared_ << " times a slot was in use or out of range");
    }

private:
    struct Step {
        Chain *chain;
        const Step *before;
        std::vector<uint32_t> counts;

        void run(uint32_t chunk) {
            if (chain->sleep_) std::this_thread::sleep_for(chain->sleep_(chunk));
            const uint32_t count = ++counts[chunk];
            if (before == nullptr) return;
            for (const uint32_t count_before : before->counts)
                if (count_before != count) ++chain->out_of_order_;
        }
    };
    struct alignas(64) Slot {
        std::atomic<bool> used{false};
        uint32_t chunks = 0;
    };

    static void run(const void *pointer, Chunks chunks, uint32_t slot) {
        Step &step = *static_cast<Step *>(const_cast<void *>(pointer));
        Chain &chain = *step.chain;
        if (chunks.count == 0 || chunks.count > chain.most_together_) ++chain.too_many_together_;
        if (slot >= chain.slots_.size() || chain.slots_[slot].used.exchange(true, std::memory_order_relaxed)) {
            ++chain.slots_shared_;
            return;
        }
        chain.slots_[slot].chunks += chunks.count;
        for (uint32_t i = 0; i < chunks.count; ++i) step.run(chunks.first + i);
        chain.slots_[slot].used.store(false, std::memory_order_relaxed);
    }

    uint32_t most_together_;
    std::vector<Step> steps_;
    std::vector<Phase> phases_;
    std::vector<Slot> slots_;
    std::function<std::chrono::microseconds(uint32_t)> sleep_;
    std::atomic<uint32_t> out_of_order_{0};
    std::atomic<uint32_t> slots_shared_{0};
    std::atomic<uint32_t> too_many_together_{0};
};

}  // namespace llm::test
