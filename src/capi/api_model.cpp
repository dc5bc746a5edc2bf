// Opening models, and what is known about them.
#include "capi/barrier.h"
#include "capi/convert.h"
#include "capi/handles.h"
#include "capi/json_writer.h"
#include "capi/option_table.h"
#include "engine/support.h"

using namespace llm;

namespace {

ModelOptions model_options(const llm_model_options *given) {
    const llm_model_options o = read_options<llm_model_options>(given, LLM_MODEL_OPTIONS_INIT);
    check_options(&o, LLM_OPTIONS_MODEL);
    ModelOptions out;
    out.load = o.load == LLM_LOAD_MAPPED ? LoadMode::mapped : LoadMode::packed;
    out.depth = o.open == LLM_OPEN_METADATA     ? OpenDepth::metadata
                : o.open == LLM_OPEN_VOCABULARY ? OpenDepth::vocabulary
                                                : OpenDepth::all;
    out.thread_count = static_cast<uint32_t>(o.threads);
    if (o.pre_tokenizer) out.pre_tokenizer = o.pre_tokenizer;
    if (o.progress)
        out.weights.progress = [callback = o.progress, user = o.progress_user](float done) {
            return callback(user, done) == 0;
        };
    out.weights.verify = o.verify != 0;
    out.weights.lock = o.lock != 0;
    out.max_memory = o.max_memory;
    out.allocator = host_allocator(o);
    return out;
}

void open_model(llm_model **out, ModelFiles files, const llm_model_options *options) {
    auto record = std::make_unique<ModelRecord>();
    record->model = std::make_shared<const Model>(std::move(files), model_options(options));
    record->facts = read_model_facts(record->model->file());
    give_handle(out, std::move(record));
}

}  // namespace

llm_status llm_model_open(llm_model **out, const char *path, const llm_model_options *options) {
    return barrier([&]() -> llm_status {
        required(out, "out") = nullptr;
        open_model(out, open_model_files(&required(path, "path")), options);
        return LLM_OK;
    });
}

llm_status llm_model_open_memory(llm_model **out, const void *data, size_t size, const llm_model_options *options) {
    return barrier([&]() -> llm_status {
        required(out, "out") = nullptr;
        const auto bytes = read_array(static_cast<const uint8_t *>(data), size, "data");
        open_model(out, read_model_file(make_memory_source(bytes)), options);
        return LLM_OK;
    });
}

llm_status llm_model_open_fd(llm_model **out, int descriptor, uint64_t offset, uint64_t length,
                             const llm_model_options *options) {
    return barrier([&]() -> llm_status {
        required(out, "out") = nullptr;
        open_model(out, read_model_file(open_descriptor_source(descriptor, offset, length)), options);
        return LLM_OK;
    });
}

llm_model *llm_model_retain(llm_model *model) {
    if (const HandlePin pin = pin_handle(model)) pin.add_owner();
    return model;
}

void llm_model_close(llm_model *model) { close_handle(model); }

llm_status llm_model_get_info(llm_model_info *out, const llm_model *model) {
    return barrier([&]() -> llm_status {
        const ModelRecord &handle = required(model, "model");
        const GgufFile &file = handle.model->file();
        llm_model_info info = LLM_MODEL_INFO_INIT;
        const ModelFacts &facts = handle.facts;
        info.architecture = facts.architecture.c_str();
        info.name = facts.name.c_str();
        info.type = facts.main_type.c_str();
        info.description = facts.description.c_str();
        info.parameter_count = facts.parameter_count;
        for (const GgufTensor &tensor : file.tensors()) info.tensor_bytes += tensor.byte_count;
        if (facts.is_known) info.capabilities = facts.is_encoder ? LLM_MODEL_EMBEDS : LLM_MODEL_GENERATES;
        info.file_count = file.part_count();
        info.expert_count = facts.expert_count;
        info.expert_used_count = facts.expert_used_count;
        info.file_size = file.file_size();
        info.weight_bytes = handle.model->weight_bytes();
        info.vocabulary_size = facts.vocabulary_size;
        info.context_length = facts.context_length;
        info.embedding_length = facts.embedding_length;
        info.layer_count = facts.layer_count;
        info.head_count = facts.head_count;
        info.head_count_kv = facts.head_count_kv;
        info.head_length = facts.head_length;
        info.feed_forward_length = facts.feed_forward_length;
        write_result(out, "out", info);
        return LLM_OK;
    });
}

llm_status llm_model_support(char *out, size_t capacity, size_t *length, const llm_model *model) {
    return barrier([&]() -> llm_status {
        const SupportReport report = report_support(required(model, "model").model->file());
        JsonWriter json;
        json.begin_object();
        json.boolean("runnable", report.runnable());
        for (const SupportReport::Item *item :
             {&report.architecture, &report.tokenizer, &report.pre_tokenizer, &report.rope_scaling})
            json.begin_object(item->what).text("name", item->name).boolean("supported", item->supported).end_object();
        json.begin_array("tensor_types");
        for (const SupportReport::Item &type : report.tensor_types)
            json.begin_object().text("name", type.name).boolean("supported", type.supported).end_object();
        json.end_array().end_object();
        return write_text(out, capacity, length, json.str());
    });
}
