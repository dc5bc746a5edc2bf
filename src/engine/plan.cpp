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
    take(buffer.values, values);
    if (!buffer.is_quantized) return bytes;
    take(buffer.quantized.q, values);
    take(buffer.quantized.scale, values / 32);
    take(buffer.quantized.sum, values / 16);
    return bytes;
}

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

    void operator()(const GatedProjectStep &step) {
        add<GatedProjectPlanStep>(step);
        quantize_if_read(step.out, false);
    }

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
        quantize_if_read(step.out, !AttendPlanStep::has_whole_blocks(step.shape));
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

Plan::Plan(const Graph &graph, KvCache &cache, const KernelTable &kernels, ThreadTeam &team, uint32_t batch_size,
           MemoryProvider &memory)
    : batch_size_(batch_size) {
    workspace_.kernels = &kernels;
    workspace_.cache = &cache;
    workspace_.batch.reserve(batch_size);
    for (const uint32_t width : graph.buffer_widths) workspace_.buffers.push_back({.width = width});
    workspace_.mixture.shape = graph.mixture;
    for (const RopeTable &table : graph.rope_tables) workspace_.ropes.push_back({.table = &table});
    mark_quantized_buffers(graph);
    make_steps(graph);
    allocate(graph, memory);
    set_team(team, memory);
}

void Plan::mark_quantized_buffers(const Graph &graph) {
    const auto mark = [this](Buffer buffer, const Matrix *weight) {
        if (is_quantized_type(weight->type)) workspace_.buffers[buffer.index].is_quantized = true;
    };
    for (const Step &step : graph.steps) {
        if (const auto *project = std::get_if<ProjectStep>(&step))
            for (uint32_t i = 0; i < project->projection_count; ++i)
                mark(project->in, project->projections[i].linear.weight);
        if (const auto *gated = std::get_if<GatedProjectStep>(&step)) {
            mark(gated->in, gated->gate.weight);
            mark(gated->in, gated->up.weight);
        }
        if (const auto *experts = std::get_if<ExpertProjectStep>(&step))
            for (const std::vector<Linear> *linears : {&experts->gate, &experts->up})
                for (const Linear &linear : *linears) mark(experts->in, linear.weight);
        if (const auto *logits = std::get_if<LogitsStep>(&step)) mark(logits->in, logits->weight);
    }
}

void Plan::make_steps(const Graph &graph) {
    StepMaker make(steps_, workspace_, batch_size_);
    make.rope_angles();
    for (const Step &step : graph.steps) std::visit(make, step);
    phases_.resize(steps_.size());
}

void Plan::allocate(const Graph &graph, MemoryProvider &provider) {
    size_t parts = 0;
    for (const HeadShape &layer : graph.cache_layers)
        parts = std::max(parts, AttendPlanStep::part_floats(layer, workspace_.cache->context_length()));
    std::vector<size_t> sizes;
    for (BufferMemory &buffer : workspace_.buffers) sizes.push_back(place(buffer, batch_size_, nullptr));
    const BufferLayout layout = lay_out_buffers(graph, sizes);

    // Two rounds over the same list: the first adds up, the second takes.
    size_t total = 0;
    std::byte *buffers = nullptr;
    const auto lay_out = [&](bool taking) {
        const auto take = [&]<class T>(T *&memory, size_t count) {
            if (taking)
                memory = memory_.take<T>(count).data();
            else
                total += Arena::footprint<T>(count);
        };
        take(buffers, layout.bytes);
        for (RopeMemory &rope : workspace_.ropes) {
            take(rope.cosines, size_t{rope.table->pair_count()} * batch_size_);
            take(rope.sines, size_t{rope.table->pair_count()} * batch_size_);
        }
        MixtureMemory &mixture = workspace_.mixture;
        take(mixture.expert, mixture.choice_count(batch_size_));
        take(mixture.weight, mixture.choice_count(batch_size_));
        take(mixture.place, mixture.choice_count(batch_size_));
        take(mixture.begin, mixture.shape.expert_count + 1);
        take(mixture.active, mixture.shape.expert_count);
        take(workspace_.attention_parts, parts);
    };
    lay_out(false);
    memory_ = Arena(total, "intermediate results", provider);
    lay_out(true);
    for (size_t i = 0; i < sizes.size(); ++i) place(workspace_.buffers[i], batch_size_, buffers + layout.offsets[i]);
}

void Plan::set_team(ThreadTeam &team, MemoryProvider &memory) {
    size_t bytes = 0;
    for (const auto &step : steps_) bytes = std::max(bytes, step->scratch_bytes());
    Arena arena(Arena::footprint<uint8_t>(bytes) * team.size(), "scratch memory of the threads", memory);
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
        phases_[i] = {run_step, steps_[i].get(), chunk_count, steps_[i]->most_together()};
    }
    return team_->run(phases_, cancel);
}

}  // namespace llm
