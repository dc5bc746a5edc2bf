// Option structs: defaults, by name, and what the table says about them.
#include "capi/barrier.h"
#include "capi/convert.h"
#include "capi/option_table.h"

#include <cstddef>

namespace llm {

namespace {

template <class Options>
llm_status init_options(Options *options, llm_option_group group) {
    return barrier([&]() -> llm_status {
        std::memset(static_cast<void *>(&required(options, "options")), 0, sizeof(Options));
        options->struct_size = sizeof(Options);
        set_default_options(options, group);
        return LLM_OK;
    });
}

template <class Options>
llm_status set_option_by_name(Options *options, llm_option_group group, const char *name, const char *value) {
    return barrier([&]() -> llm_status {
        required(options, "options");
        // A field that the caller's struct does not have must not be written.
        Options known = read_options(options, Options{});
        set_option(&known, group, &required(name, "name"), &required(value, "value"));
        const size_t size = std::min(options->struct_size, sizeof(Options));
        std::memcpy(reinterpret_cast<char *>(options) + sizeof(size_t),
                    reinterpret_cast<char *>(&known) + sizeof(size_t), size - sizeof(size_t));
        return LLM_OK;
    });
}

}  // namespace

}  // namespace llm

size_t llm_option_count(llm_option_group group) { return llm::option_fields(group).size(); }

llm_status llm_option_describe(llm_option *out, llm_option_group group, size_t index) {
    return llm::barrier([&]() -> llm_status {
        const auto fields = llm::option_fields(group);
        if (index >= fields.size())
            llm::fail(LLM_ERROR_NOT_FOUND, "option ", index, " of group ", group, ", which has ", fields.size());
        const llm::OptionField &field = fields[index];
        llm_option option = LLM_OPTION_INIT;
        option.name = field.name;
        option.help = field.help;
        option.choices = field.choices;
        option.default_value = field.default_value;
        option.minimum = field.minimum;
        option.maximum = field.maximum;
        option.type = field.choices                           ? LLM_OPTION_CHOICE
                      : field.type == llm::FieldType::float32 ? LLM_OPTION_REAL
                                                              : LLM_OPTION_INTEGER;
        llm::write_result(out, "out", option);
        return LLM_OK;
    });
}

llm_status llm_model_options_init(llm_model_options *options) { return llm::init_options(options, LLM_OPTIONS_MODEL); }

llm_status llm_model_options_set(llm_model_options *options, const char *name, const char *value) {
    return llm::set_option_by_name(options, LLM_OPTIONS_MODEL, name, value);
}

llm_status llm_context_options_init(llm_context_options *options) {
    return llm::init_options(options, LLM_OPTIONS_CONTEXT);
}

llm_status llm_context_options_set(llm_context_options *options, const char *name, const char *value) {
    return llm::set_option_by_name(options, LLM_OPTIONS_CONTEXT, name, value);
}

llm_status llm_sampler_options_init(llm_sampler_options *options) {
    return llm::init_options(options, LLM_OPTIONS_SAMPLER);
}

llm_status llm_sampler_options_set(llm_sampler_options *options, const char *name, const char *value) {
    return llm::set_option_by_name(options, LLM_OPTIONS_SAMPLER, name, value);
}

llm_status llm_generation_options_init(llm_generation_options *options) {
    return llm::init_options(options, LLM_OPTIONS_GENERATION);
}

llm_status llm_generation_options_set(llm_generation_options *options, const char *name, const char *value) {
    return llm::set_option_by_name(options, LLM_OPTIONS_GENERATION, name, value);
}
