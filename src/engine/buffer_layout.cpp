#include "engine/buffer_layout.h"

#include <algorithm>
#include <numeric>

namespace llm {

namespace {

// Lives are counted in stages. Steps whose chunks are rows run through one row after the other while other threads are
// at other rows, so consecutive ones are one stage.
struct Life {
    uint32_t first, last;
};

class LifeFinder {
public:
    explicit LifeFinder(size_t buffer_count) : lives_(buffer_count) {}

    void operator()(const EmbedStep &step) { by_rows({}, {step.out}); }
    void operator()(const RmsNormStep &step) { by_rows({step.in}, {step.out}); }
    void operator()(const LayerNormStep &step) { by_rows({step.in}, {step.out}); }
    void operator()(const AddStep &step) { by_rows({step.in, step.out}, {step.out}); }
    void operator()(const GatedProjectStep &step) { together({step.in}, {step.out}); }
    void operator()(const AttendStep &step) { together({step.queries}, {step.out}); }
    void operator()(const RouteStep &step) {
        by_rows({step.logits}, {step.logits});
        together({}, {});  // sorts the choices
    }
    void operator()(const DispatchStep &step) { by_rows({step.in}, {step.out}); }
    void operator()(const ExpertProjectStep &step) { together({step.in}, {step.out}); }
    void operator()(const CombineStep &step) { by_rows({step.in, step.out}, {step.out}); }
    void operator()(const SelectOutputsStep &step) { together(step.buffers, step.buffers); }
    void operator()(const LogitsStep &step) { together({step.in}, {}); }

    void operator()(const ProjectStep &step) {
        std::vector<Buffer> read{step.in}, written;
        for (uint32_t i = 0; i < step.projection_count; ++i) written.push_back(step.projections[i].out);
        if (step.add) read.insert(read.end(), written.begin(), written.end());
        together(read, written);
    }

    void operator()(const RotateStep &step) {
        std::vector<Buffer> used;
        for (const Buffer buffer : {step.queries, step.keys, step.values})
            if (buffer.index != RotateStep::none.index) used.push_back(buffer);
        by_rows(used, used);
    }

    bool overlap(size_t a, size_t b) const {
        for (const Life &life : lives_[a])
            for (const Life &other : lives_[b])
                if (life.first <= other.last && other.first <= life.last) return true;
        return false;
    }

private:
    void by_rows(const std::vector<Buffer> &read, const std::vector<Buffer> &written) {
        if (!in_chain_) ++stage_;
        in_chain_ = true;
        use(read, written);
    }

    void together(const std::vector<Buffer> &read, const std::vector<Buffer> &written) {
        ++stage_;
        in_chain_ = false;
        use(read, written);
    }

    // A buffer that is written without being read is a new value, with a new life. It lives through the next stage at
    // least, in which it may be quantized.
    void use(const std::vector<Buffer> &read, const std::vector<Buffer> &written) {
        for (const Buffer buffer : read) life_of(buffer).last = stage_;
        for (const Buffer buffer : written) {
            const bool is_new = std::none_of(read.begin(), read.end(),
                                             [buffer](const Buffer other) { return other.index == buffer.index; });
            if (is_new) lives_[buffer.index].push_back({stage_, stage_});
            life_of(buffer).last = stage_ + 1;
        }
    }

    Life &life_of(Buffer buffer) {
        std::vector<Life> &lives = lives_[buffer.index];
        if (lives.empty()) lives.push_back({0, 0});  // read before it is written: there from the start
        return lives.back();
    }

    std::vector<std::vector<Life>> lives_;  // by Buffer::index, in order
    uint32_t stage_ = 0;
    bool in_chain_ = false;
};

}  // namespace

BufferLayout lay_out_buffers(const Graph &graph, std::span<const size_t> sizes) {
    LifeFinder lives(sizes.size());
    for (const Step &step : graph.steps) std::visit(lives, step);

    // The largest first, each at the lowest place where it meets no other that is alive at the same time.
    std::vector<size_t> order(sizes.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return sizes[a] > sizes[b]; });
    BufferLayout layout{std::vector<size_t>(sizes.size()), 0};
    std::vector<size_t> placed;  // by ascending offset
    for (const size_t buffer : order) {
        size_t offset = 0;
        for (const size_t other : placed) {
            if (layout.offsets[other] >= offset + sizes[buffer]) break;
            if (lives.overlap(buffer, other)) offset = std::max(offset, layout.offsets[other] + sizes[other]);
        }
        layout.offsets[buffer] = offset;
        layout.bytes = std::max(layout.bytes, offset + sizes[buffer]);
        placed.push_back(buffer);
        std::sort(placed.begin(), placed.end(),
                  [&](size_t a, size_t b) { return layout.offsets[a] < layout.offsets[b]; });
    }
    return layout;
}

}  // namespace llm
