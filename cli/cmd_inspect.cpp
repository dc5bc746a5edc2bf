// llm-cli inspect: what a model file holds, and whether this library can run it. Never reads the weights.
#include "inspect_memory.h"
#include "metadata.h"
#include "options.h"
#include "template_source.h"
#include "text_io.h"

#include <algorithm>
#include <cstdio>

namespace cli {
namespace {

Json summary_json(const llm_model_info &info) {
    return {{"architecture", info.architecture},
            {"name", info.name},
            {"description", info.description},
            {"type", info.type},
            {"parameters", info.parameter_count},
            {"file_size", info.file_size},
            {"tensor_bytes", info.tensor_bytes},
            {"vocabulary_size", info.vocabulary_size},
            {"context_length", info.context_length},
            {"embedding_length", info.embedding_length},
            {"layer_count", info.layer_count},
            {"head_count", info.head_count},
            {"head_count_kv", info.head_count_kv},
            {"head_length", info.head_length},
            {"feed_forward_length", info.feed_forward_length},
            {"expert_count", info.expert_count},
            {"expert_used_count", info.expert_used_count},
            {"file_count", info.file_count},
            {"generates", (info.capabilities & LLM_MODEL_GENERATES) != 0},
            {"embeds", (info.capabilities & LLM_MODEL_EMBEDS) != 0}};
}

Json metadata_json(const llm_model *model) {
    Json object = Json::object();
    for (std::size_t i = 0; i < llm_metadata_count(model); i++) {
        const char *key = nullptr;
        check(llm_metadata_key(&key, model, i));
        object[key] = value_json(model, key);
    }
    return object;
}

const std::string sampling_prefix = "general.sampling.";

// The metadata keys with which the file recommends how to sample.
std::vector<std::string> sampling_keys(const llm_model *model) {
    std::vector<std::string> keys;
    for (std::size_t i = 0; i < llm_metadata_count(model); i++) {
        const char *key = nullptr;
        check(llm_metadata_key(&key, model, i));
        if (std::string_view(key).substr(0, sampling_prefix.size()) == sampling_prefix) keys.push_back(key);
    }
    return keys;
}

Json sampling_json(const llm_model *model) {
    Json object = Json::object();
    for (const std::string &key : sampling_keys(model))
        object[key.substr(sampling_prefix.size())] = value_json(model, key.c_str());
    return object;
}

std::vector<std::uint64_t> shape(const llm_tensor &tensor) {
    return {tensor.shape, tensor.shape + std::min<std::uint32_t>(tensor.dimension_count, 4)};
}

Json tensors_json(const llm_model *model) {
    Json array = Json::array();
    for (const llm_tensor &tensor : tensors(model))
        array.push_back({{"name", tensor.name},
                         {"type", tensor.type},
                         {"shape", shape(tensor)},
                         {"part", tensor.part},
                         {"offset", tensor.offset},
                         {"bytes", tensor.byte_count}});
    return array;
}

Json support_json(const llm_model *model) {
    return Json::parse(fill<std::string>([&](char *out, std::size_t capacity, std::size_t *length) {
        return llm_model_support(out, capacity, length, model);
    }));
}

std::string summary_text(const llm_model_info &info) {
    const auto number = [](std::uint64_t value) {
        return value > 0 ? std::to_string(value) : std::string("not given");
    };
    return line("architecture", printable(info.architecture)) + line("name", printable(info.name)) +
           line("type", info.type) + line("parameters", scaled(double(info.parameter_count), "")) +
           line(info.file_count > 1 ? "size of " + std::to_string(info.file_count) + " files" : "file size",
                scaled(double(info.file_size), "B")) +
           line("vocabulary", number(info.vocabulary_size)) + line("context length", number(info.context_length)) +
           line("embedding length", number(info.embedding_length)) + line("layers", number(info.layer_count)) +
           line("heads", number(info.head_count)) + line("key-value heads", number(info.head_count_kv)) +
           line("head length", number(info.head_length)) +
           line("feed-forward length", number(info.feed_forward_length));
}

// "Q4_1, TQ1_0 (not supported)": one item or several.
std::string support_names(const Json &item) {
    if (item.is_object())
        return printable(item.value("name", "")) + (item.value("supported", false) ? "" : " (not supported)");
    std::string names;
    for (const Json &element : item) names += (names.empty() ? "" : ", ") + support_names(element);
    return names;
}

std::string support_text(const Json &support) {
    std::string text;
    for (const auto &[key, item] : support.items()) {
        std::string what = key;
        std::replace(what.begin(), what.end(), '_', ' ');
        if (item.is_structured()) text += line("needs " + what, support_names(item));
    }
    const std::string problem = support.value("problem", "");
    return text + line("can be run", problem.empty() ? "yes" : "no: " + printable(problem));
}

std::string sampling_text(const llm_model *model) {
    std::string text;
    for (const std::string &key : sampling_keys(model))
        text += line("recommended " + printable(key.substr(sampling_prefix.size())), value_line(model, key.c_str()));
    return text;
}

std::string metadata_text(const llm_model *model) {
    std::string text;
    for (std::size_t i = 0; i < llm_metadata_count(model); i++) {
        const char *key = nullptr;
        check(llm_metadata_key(&key, model, i));
        text += printable(key) + " = " + value_line(model, key) + "\n";
    }
    return text;
}

std::string tensors_text(const llm_model *model) {
    std::string text;
    for (const llm_tensor &tensor : tensors(model)) {
        std::string sizes;
        for (const std::uint64_t size : shape(tensor)) sizes += (sizes.empty() ? "" : " x ") + std::to_string(size);
        char cells[96];
        std::snprintf(cells, sizeof cells, "%14llu  %-8s  %-24s  ", static_cast<unsigned long long>(tensor.offset),
                      tensor.type, sizes.c_str());
        text += cells + printable(tensor.name) + "\n";
    }
    return text;
}

// The named values, or all of them. LLM_ERROR_NOT_FOUND for a name that is none.
Json named_json(const llm_model *model, const std::vector<std::string> &keys) {
    Json object = Json::object();
    for (const std::string &key : keys) object[key] = value_json(model, key.c_str());
    return object;
}

std::string named_text(const llm_model *model, const std::vector<std::string> &keys) {
    std::string text;
    for (const std::string &key : keys) text += shown(value_text(model, key.c_str())) + "\n";
    return text;
}

Json templates_json(const llm_model *model) {
    Json object = Json::object();
    for (const std::string &name : template_names(model)) object[name] = template_source(model, name);
    return object;
}

// One template as it is; several with their names above them.
std::string templates_text(const llm_model *model) {
    const std::vector<std::string> names = template_names(model);
    if (names.empty()) return "the model has no chat template\n";
    std::string text;
    for (const std::string &name : names) {
        if (names.size() > 1) text += "==== " + printable(name) + " ====\n";
        text += shown(template_source(model, name)) + "\n";
    }
    return text;
}

struct Sections {
    bool summary, support, memory, metadata, tensors, templates;
    std::vector<std::string> keys;
    llm_context_options context;  // whose memory it is
};

std::string all_json(const llm_model *model, const Sections &sections) {
    Json object = Json::object();
    if (sections.summary) object["model"] = summary_json(model_info(model));
    if (sections.summary) object["sampling"] = sampling_json(model);
    if (sections.support) object["support"] = support_json(model);
    if (sections.memory) object["memory"] = memory_json(model, sections.context);
    if (sections.metadata) object["metadata"] = metadata_json(model);
    if (!sections.keys.empty()) object["metadata"] = named_json(model, sections.keys);
    if (sections.tensors) object["tensors"] = tensors_json(model);
    if (sections.templates) object["templates"] = templates_json(model);
    return object.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string all_text(const llm_model *model, const Sections &sections) {
    std::string text;
    if (sections.summary) text += summary_text(model_info(model)) + sampling_text(model);
    if (sections.support) text += support_text(support_json(model));
    if (sections.memory) text += memory_text(model, sections.context);
    if (sections.metadata) text += metadata_text(model);
    text += named_text(model, sections.keys);
    if (sections.tensors) text += tensors_text(model);
    if (sections.templates) text += templates_text(model);
    return text;
}

Options make_options() {
    Options options("inspect MODEL [options]",
                    "Shows what a model file holds and whether it can be run. The weights are not read.");
    options.add_model();
    options.add_flag("metadata", "all metadata; of long arrays and texts the beginning");
    options.add_value("key,k", "NAME", "one metadata value, all of it; may be repeated");
    options.add_flag("template", "the chat templates");
    options.add_flag("tensors", "all tensors: offset, type, shape, name");
    options.add_flag("supported", "what the model needs, and whether this library has it");
    options.add_flag("memory", "memory that the model and a context of the options below take");
    options.add_flag("json", "one JSON object, in which arrays of the metadata are complete");
    options.exclude("key", "metadata");
    options.add_value("max-sequences,sequences,-np", "N", "independent sequences (default 1)");
    options.add_weights();
    return options;
}

int run(const Options &options) {
    Sections sections{.summary = false,
                      .support = options.has("supported"),
                      .memory = options.has("memory"),
                      .metadata = options.has("metadata"),
                      .tensors = options.has("tensors"),
                      .templates = options.has("template"),
                      .keys = options.values("key"),
                      .context = LLM_CONTEXT_OPTIONS_INIT};
    options.apply(sections.context);
    llm_model_options model_options = LLM_MODEL_OPTIONS_INIT;
    model_options.open = LLM_OPEN_METADATA;
    const Model model = options.open_model(model_options);
    if (!sections.support && !sections.memory && !sections.metadata && !sections.tensors && !sections.templates &&
        sections.keys.empty())
        sections.summary = sections.support = true;
    write(options.has("json") ? all_json(model.get(), sections) : all_text(model.get(), sections));
    return exit_ok;
}

}  // namespace

const Command cmd_inspect = {"inspect", "show what a model file holds and whether it can be run", make_options, run};

}  // namespace cli
