// Option structs: defaults, by name, and what the table says about them.
#include "capi/barrier.h"
#include "capi/convert.h"
#include "capi/handles.h"
#include "capi/option_table.h"

#include <cstddef>
#include <limits>

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

// Lets change(options) work on a copy, of which the fields that the caller's struct has are written back.
template <class Options, class Change>
llm_status change_options(Options *options, Change change) {
    return barrier([&]() -> llm_status {
        required(options, "options");
        Options known = read_options(options, Options{});
        change(known);
        const size_t size = std::min(options->struct_size, sizeof(Options));
        std::memcpy(reinterpret_cast<char *>(options) + sizeof(size_t),
                    reinterpret_cast<char *>(&known) + sizeof(size_t), size - sizeof(size_t));
        return LLM_OK;
    });
}

template <class Options>
llm_status set_option_by_name(Options *options, llm_option_group group, const char *name, const char *value) {
    return change_options(options, [&](Options &known) {
        set_option(&known, group, &required(name, "name"), &required(value, "value"));
    });
}

// Metadata keys behind "general.sampling.", and the options for which they recommend a value.
constexpr struct {
    const char *key, *option;
} recommendations[] = {
    {"temp", "temperature"},
    {"top_k", "top_k"},
    {"top_p", "top_p"},
    {"min_p", "min_p"},
    {"xtc_probability", "xtc_probability"},
    {"xtc_threshold", "xtc_threshold"},
    {"penalty_last_n", "repeat_last_n"},
    {"penalty_repeat", "repeat_penalty"},
    {"mirostat", "mirostat"},
    {"mirostat_tau", "mirostat_tau"},
    {"mirostat_eta", "mirostat_eta"},
};

// A key's number; NaN when it is missing or no number.
double number_or_nan(const GgufFile &file, const std::string &key) {
    const GgufKey *found = file.find_key(key);
    if (!found || scalar_size(found->type) == 0) return std::numeric_limits<double>::quiet_NaN();
    const GgufValue value = file.value(key);
    return static_cast<double>(value.u) + static_cast<double>(value.i) + value.f;  // two of them are 0
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

llm_status llm_sampler_options_from_model(llm_sampler_options *options, const llm_model *model) {
    return llm::change_options(options, [&](llm_sampler_options &known) {
        const llm::GgufFile &file = llm::required(model, "model").model->file();
        const int32_t mirostat = known.mirostat;
        for (const auto &[key, option] : llm::recommendations)
            llm::set_option_if_valid(&known, LLM_OPTIONS_SAMPLER, option,
                                     llm::number_or_nan(file, llm::concat("general.sampling.", key)));
        if (known.mirostat == 1) known.mirostat = mirostat;  // its first version is not here
    });
}

llm_status llm_generation_options_init(llm_generation_options *options) {
    return llm::init_options(options, LLM_OPTIONS_GENERATION);
}

llm_status llm_generation_options_set(llm_generation_options *options, const char *name, const char *value) {
    return llm::set_option_by_name(options, LLM_OPTIONS_GENERATION, name, value);
}

llm_status llm_chat_options_init(llm_chat_options *options) {
    const llm_status status = llm::init_options(options, LLM_OPTIONS_CHAT);
    if (status == LLM_OK) options->now = LLM_CHAT_NOW;
    return status;
}

llm_status llm_chat_options_set(llm_chat_options *options, const char *name, const char *value) {
    return llm::set_option_by_name(options, LLM_OPTIONS_CHAT, name, value);
}
