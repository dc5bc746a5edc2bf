// The file's metadata and tensor directory.
#include "capi/barrier.h"
#include "capi/convert.h"
#include "capi/handles.h"

using namespace llm;

namespace {

llm_value to_llm_value(const GgufValue &value) {
    llm_value out = LLM_VALUE_INIT;
    out.type = static_cast<llm_value_type>(value.type);
    out.element_type = static_cast<llm_value_type>(value.element_type);
    out.count = value.count;
    out.u = value.u;
    out.i = value.i;
    out.f = value.f;
    out.text = value.text.data();
    out.text_length = value.text.size();
    return out;
}

}  // namespace

size_t llm_metadata_count(const llm_model *model) {
    return value_of(model, size_t{0}, [](const ModelRecord &record) { return record.model->file().keys().size(); });
}

llm_status llm_metadata_key(const char **out, const llm_model *model, size_t index) {
    return barrier([&]() -> llm_status {
        const auto keys = required(model, "model").model->file().keys();
        if (index >= keys.size()) fail(LLM_ERROR_NOT_FOUND, "metadata key ", index, " of ", keys.size());
        required(out, "out") = keys[index].name.c_str();
        return LLM_OK;
    });
}

llm_status llm_metadata_get(llm_value *out, const llm_model *model, const char *key) {
    return barrier([&]() -> llm_status {
        const GgufFile &file = required(model, "model").model->file();
        write_result(out, "out", to_llm_value(file.value(&required(key, "key"))));
        return LLM_OK;
    });
}

llm_status llm_metadata_element(llm_value *out, const llm_model *model, const char *key, const uint64_t *indexes,
                                size_t index_count) {
    return barrier([&]() -> llm_status {
        const GgufFile &file = required(model, "model").model->file();
        const auto path = read_array(indexes, index_count, "indexes");
        write_result(out, "out", to_llm_value(file.element(&required(key, "key"), path)));
        return LLM_OK;
    });
}

size_t llm_tensor_count(const llm_model *model) {
    return value_of(model, size_t{0}, [](const ModelRecord &record) { return record.model->file().tensors().size(); });
}

llm_status llm_tensor_get(llm_tensor *out, const llm_model *model, size_t index) {
    return barrier([&]() -> llm_status {
        const auto tensors = required(model, "model").model->file().tensors();
        if (index >= tensors.size()) fail(LLM_ERROR_NOT_FOUND, "tensor ", index, " of ", tensors.size());
        const GgufTensor &tensor = tensors[index];
        llm_tensor result = LLM_TENSOR_INIT;
        result.name = tensor.name.c_str();
        result.type = tensor.traits ? tensor.traits->name.data() : "unknown";
        std::copy(tensor.dimensions.begin(), tensor.dimensions.end(), result.shape);
        result.offset = tensor.offset;
        result.byte_count = tensor.byte_count;
        result.dimension_count = tensor.dimension_count;
        result.type_number = tensor.type_number;
        result.part = tensor.part;
        write_result(out, "out", result);
        return LLM_OK;
    });
}
