#include "engine/plan.h"

#include "engine/buffer_layout.h"
#include "engine/steps.h"

#include <algorithm>

namespace llm {

namespace {

bool is_quantized_type(TensorType type) {
    return type != TensorType::f32 && type != TensorType::f16 && type != TensorType::bf16;
}

void run_step(const void *step, Chunks chunks, uint32_t slot) {
    static_cast<const PlanStep *>(step)->run_together(chunks, slot);
}

// Gives a buffer its memory, from `block` on, unless that is nullptr; returns the number of bytes.
size_t place(BufferMemory &buffer, uint32_t batch_size, std::byte *block) {
    size_t bytes = 0;
    const auto take = [&]<class T>(T *&memory, size_t count) {
        if (block) memory = reinterpret_cast<T *>(block + bytes);
        bytes += Arena::footprint<T>(count);
    };
    const size_t values = size_t{buffer.width} * batch_size;
    if (buffer.has_values) take(buffer.values, values);
    if (!buffer.is_quantized) return bytes;
    take(buffer.quantized.q, values);
    take(buffer.quantized.scale, values / 32);
    take(buffer.quantized.sum, values / 16);
    return bytes;
}

// Marks in which forms the steps need each buffer. As floats: what is read so, or written piece by piece; what the
// other steps write at once is quantized at once.
class BufferForms {
public:
    explicit BufferForms(std::vector<BufferMemory> &buffers) : buffers_(buffers) {}

    void operator()(const EmbedStep &step) { mark_floats({step.out}); }
    void operator()(const RmsNormStep &step) { mark_floats({step.in}); }
    void operator()(const LayerNormStep &step) { mark_floats({step.in, step.out}); }
    void operator()(const AddStep &step) { mark_floats({step.in, step.out}); }
    void operator()(const ProjectStep &step) {
        for (uint32_t i = 0; i < step.projection_count; ++i) {
            mark_floats({step.projections[i].out});
            mark_factor(step.in, step.projections[i].linear.weight);
        }
    }
    void operator()(const GatedProjectStep &step) {
        mark_factor(step.in, step.gate.weight);
        mark_factor(step.in, step.up.weight);
    }
    void operator()(const RotateStep &step) {
        for (const Buffer buffer : {step.queries, step.keys, step.values})
            if (buffer.index != RotateStep::none.index) mark_floats({buffer});
    }
    void operator()(const AttendStep &step) {
        mark_floats({step.queries});
        if (!AttendPlanStep::has_whole_blocks(step.shape)) mark_floats({step.out});
    }
    void operator()(const RouteStep &step) { mark_floats({step.logits}); }
    void operator()(const DispatchStep &step) { mark_floats({step.in, step.out}); }
    void operator()(const ExpertProjectStep &step) {
        mark_floats({step.in, step.out});
        for (const std::vector<Linear> *linears : {&step.gate, &step.up})
            for (const Linear &linear : *linears) mark_factor(step.in, linear.weight);
    }
    void operator()(const CombineStep &step) { mark_floats({step.in, step.out}); }
    void operator()(const SelectOutputsStep &) {}
    void operator()(const LogitsStep &step) { mark_factor(step.in, step.weight); }

    void mark_floats(std::initializer_list<Buffer> buffers) {
        for (const Buffer buffer : buffers) buffers_[buffer.index].has_values = true;
    }

private:
    // What is multiplied by the weight.
    void mark_factor(Buffer buffer, const Matrix *weight) {
        BufferMemory &memory = buffers_[buffer.index];
        (is_quantized_type(weight->type) ? memory.is_quantized : memory.has_values) = true;
    }

    std::vector<BufferMemory> &buffers_;
};

// Makes the plan's steps from the graph's, in order.
class StepMaker {
public:
    StepMaker(std::vector<std::unique_ptr<PlanStep>> &steps, const Workspace &workspace, uint32_t batch_size)
        : steps_(steps), workspace_(workspace), batch_size_(batch_size) {}

    void rope_angles() { add_to_chain<RopeAnglesPlanStep>(); }
    void operator()(const EmbedStep &step) { add_to_chain<EmbedPlanStep>(step); }
    void operator()(const RmsNormStep &step) { add_to_chain<RmsNormPlanStep>(step); }
    void operator()(const LayerNormStep &step) { add_to_chain<LayerNormPlanStep>(step); }
    void operator()(const AddStep &step) { add_to_chain<AddPlanStep>(step); }
    void operator()(const RotateStep &step) { add_to_chain<RotatePlanStep>(step); }
    void operator()(const LogitsStep &step) { add<LogitsPlanStep>(step); }

    void operator()(const GatedProjectStep &step) { add<GatedProjectPlanStep>(step); }

    void operator()(const ProjectStep &step) {
        add<ProjectPlanStep>(step);
        for (uint32_t i = 0; i < step.projection_count; ++i) quantize_if_read(step.projections[i].out, false);
    }

    void operator()(const RouteStep &step) {
        add_to_chain<RoutePlanStep>(step);
        add<SortChoicesPlanStep>();
    }
    void operator()(const DispatchStep &step) { add_to_chain<DispatchPlanStep>(step); }
    void operator()(const ExpertProjectStep &step) { add<ExpertProjectPlanStep>(step); }
    void operator()(const CombineStep &step) { add_to_chain<CombinePlanStep>(step); }

    void operator()(const AttendStep &step) {
        add<AttendPlanStep>(step, batch_size_);
        add<MergePartsPlanStep>(step);
        if (!AttendPlanStep::has_whole_blocks(step.shape)) quantize_if_read(step.out, true);
    }

    void operator()(const SelectOutputsStep &step) {
        add<SelectOutputsPlanStep>(step);
        rows_ = Rows::outputs;
    }

private:
    template <class T, class... Args>
    void add(const Args &...args) {
        steps_.push_back(std::make_unique<T>(workspace_, rows_, args...));
        chain_ = nullptr;
    }

    // For steps whose chunks are rows.
    template <class T, class... Args>
    void add_to_chain(const Args &...args) {
        if (!chain_) {
            auto chain = std::make_unique<RowChainPlanStep>(workspace_, rows_);
            chain_ = chain.get();
            steps_.push_back(std::move(chain));
        }
        chain_->append(std::make_unique<T>(workspace_, rows_, args...));
    }

    void quantize_if_read(Buffer buffer, bool always) {
        if (workspace_[buffer].is_quantized) add_to_chain<QuantizePlanStep>(buffer, always);
    }

    std::vector<std::unique_ptr<PlanStep>> &steps_;
    const Workspace &workspace_;
    uint32_t batch_size_;
    Rows rows_ = Rows::all;
    RowChainPlanStep *chain_ = nullptr;  // the last step, if it is one
};

}  // namespace

Plan::Plan(const Graph &graph, const KernelTable &kernels, const PlanShape &shape) : shape_(shape) {
    workspace_.kernels = &kernels;
    workspace_.thread_count = shape.thread_count;
    for (const uint32_t width : graph.buffer_widths) workspace_.buffers.push_back({.width = width});
    workspace_.mixture.shape = graph.mixture;
    for (const RopeTable &table : graph.rope_tables) workspace_.ropes.push_back({.table = &table});
    mark_buffer_forms(graph);
    make_steps(graph);
}

Plan::Plan(const Graph &graph, KvCache &cache, const KernelTable &kernels, ThreadTeam &team, uint32_t batch_size,
           MemoryProvider &memory)
    : Plan(graph, kernels, {cache.context_length(), batch_size, team.size()}) {
    workspace_.cache = &cache;
    workspace_.batch.reserve(batch_size);
    memory_ = Arena(lay_out(graph, false), "intermediate results", memory);
    lay_out(graph, true);
    set_team(team, memory);
}

uint64_t Plan::memory_bytes(const Graph &graph, const KernelTable &kernels, const PlanShape &shape) {
    Plan plan(graph, kernels, shape);
    return plan.lay_out(graph, false) + plan.scratch_bytes(shape.thread_count);
}

void Plan::mark_buffer_forms(const Graph &graph) {
    BufferForms forms(workspace_.buffers);
    for (const Step &step : graph.steps) std::visit(forms, step);
    if (graph.encoding) forms.mark_floats({graph.encoding->vectors});
}

void Plan::make_steps(const Graph &graph) {
    StepMaker make(steps_, workspace_, shape_.batch_size);
    make.rope_angles();
    for (const Step &step : graph.steps) std::visit(make, step);
    phases_.resize(steps_.size());
}

// Goes through all memory but the threads' and gives its bytes; takes it from the arena, too, if that is wanted.
size_t Plan::lay_out(const Graph &graph, bool taking) {
    const auto [context_length, batch_size, thread_count] = shape_;
    size_t parts = 0;
    for (const HeadShape &layer : graph.cache_layers)
        parts = std::max(parts, AttendPlanStep::part_floats(layer, context_length));
    std::vector<size_t> sizes;
    for (BufferMemory &buffer : workspace_.buffers) sizes.push_back(place(buffer, batch_size, nullptr));
    const BufferLayout layout = lay_out_buffers(graph, sizes);

    size_t total = 0;
    const auto take = [&]<class T>(T *&memory, size_t count) {
        total += Arena::footprint<T>(count);
        if (taking) memory = memory_.take<T>(count).data();
    };
    std::byte *buffers = nullptr;
    take(buffers, layout.bytes);
    for (size_t i = 0; taking && i < sizes.size(); ++i)
        place(workspace_.buffers[i], batch_size, buffers + layout.offsets[i]);
    for (RopeMemory &rope : workspace_.ropes) {
        take(rope.cosines, size_t{rope.table->pair_count()} * batch_size);
        take(rope.sines, size_t{rope.table->pair_count()} * batch_size);
    }
    MixtureMemory &mixture = workspace_.mixture;
    const size_t choices = size_t{batch_size} * mixture.shape.used;  // more than 32 bits, in theory
    take(mixture.expert, choices);
    take(mixture.weight, choices);
    take(mixture.place, choices);
    take(mixture.begin, mixture.shape.expert_count + 1);
    take(mixture.active, mixture.shape.expert_count);
    take(workspace_.attention_parts, parts);
    return total;
}

// Of all threads, one after the other.
size_t Plan::scratch_bytes(uint32_t thread_count) const {
    size_t bytes = 0;
    for (const auto &step : steps_) bytes = std::max(bytes, step->scratch_bytes());
    return Arena::footprint<uint8_t>(bytes) * thread_count;
}

void Plan::set_team(ThreadTeam &team, MemoryProvider &memory) {
    const size_t bytes = scratch_bytes(1);
    Arena arena(scratch_bytes(team.size()), "scratch memory of the threads", memory);
    std::vector<uint8_t *> scratch(team.size());
    for (uint8_t *&of_thread : scratch) of_thread = arena.take<uint8_t>(bytes).data();
    scratch_memory_ = std::move(arena);
    workspace_.scratch = std::move(scratch);
    workspace_.thread_count = team.size();
    team_ = &team;
}

bool Plan::run(const std::atomic<bool> *cancel) {
    for (size_t i = 0; i < steps_.size(); ++i) {
        const uint32_t chunk_count = steps_[i]->prepare();
        phases_[i] = {run_step, steps_[i].get(), chunk_count, steps_[i]->most_together(), steps_[i]->keeps_rows()};
    }
    return team_->run(phases_, cancel);
}

}  // namespace llm
