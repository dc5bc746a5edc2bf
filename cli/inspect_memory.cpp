#include "inspect_memory.h"

#include "options.h"

#include <cstdio>
#include <cstring>

namespace cli {
namespace {

llm_memory estimate(const llm_model *model, const llm_context_options &options) {
    llm_memory memory = LLM_MEMORY_INIT;
    check(llm_memory_estimate(&memory, model, &options));
    return memory;
}

std::uint64_t total(const llm_memory &memory) {
    return memory.weight_bytes + memory.mapped_bytes + memory.cache_bytes + memory.scratch_bytes;
}

struct OfCacheType {
    std::string name;
    llm_memory memory;
};

// With keys and values of the same type, for all types.
std::vector<OfCacheType> of_all_cache_types(const llm_model *model, llm_context_options options) {
    std::vector<OfCacheType> list;
    for (const llm_option &row : option_table(LLM_OPTIONS_CONTEXT)) {
        if (std::strcmp(row.name, "cache_type_k") != 0) continue;
        for (const std::string &word : split(row.choices, '|')) {
            check(set_option(options, "cache_type_k", word.c_str()));
            check(set_option(options, "cache_type_v", word.c_str()));
            list.push_back({word, estimate(model, options)});
        }
    }
    return list;
}

std::string bytes(std::uint64_t count) { return scaled(double(count), "B"); }

}  // namespace

std::string line(const std::string &name, const std::string &text) {
    std::string padded = name;
    if (padded.size() < 20) padded.resize(20, ' ');
    return padded + "  " + text + "\n";
}

std::string scaled(double value, const char *unit) {
    static const char *const prefixes[] = {"", " k", " M", " G", " T"};
    std::size_t step = 0;
    for (; value >= 1000 && step + 1 < std::size(prefixes); step++) value /= 1000;
    char text[32];
    std::snprintf(text, sizeof text, step == 0 ? "%.0f%s" : "%.1f%s", value, prefixes[step]);
    return text + std::string(unit);
}

nlohmann::ordered_json memory_json(const llm_model *model, const llm_context_options &options) {
    const llm_memory memory = estimate(model, options);
    nlohmann::ordered_json cache_types;
    for (const OfCacheType &type : of_all_cache_types(model, options))
        cache_types[type.name] = {{"cache_bytes", type.memory.cache_bytes}, {"total_bytes", total(type.memory)}};
    return {{"context_length", memory.context_length},
            {"max_sequences", memory.max_sequences},
            {"batch_size", memory.batch_size},
            {"threads", memory.threads},
            {"weight_bytes", memory.weight_bytes},
            {"mapped_bytes", memory.mapped_bytes},
            {"cache_bytes", memory.cache_bytes},
            {"scratch_bytes", memory.scratch_bytes},
            {"total_bytes", total(memory)},
            {"cache_types", cache_types}};
}

std::string memory_text(const llm_model *model, const llm_context_options &options) {
    const llm_memory memory = estimate(model, options);
    std::string text =
        line("memory for", std::to_string(memory.max_sequences) + " x " + std::to_string(memory.context_length) +
                               " tokens, batches of " + std::to_string(memory.batch_size) + ", " +
                               std::to_string(memory.threads) + " threads") +
        line("weights", bytes(memory.weight_bytes));
    if (memory.mapped_bytes != 0) text += line("mapped from the file", bytes(memory.mapped_bytes));
    text += line("key-value cache", bytes(memory.cache_bytes)) + line("scratch", bytes(memory.scratch_bytes)) +
            line("total", bytes(total(memory)));
    for (const OfCacheType &type : of_all_cache_types(model, options))
        text +=
            line("with cache " + type.name, bytes(total(type.memory)) + ", cache " + bytes(type.memory.cache_bytes));
    return text;
}

}  // namespace cli
