#include "kinds.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>

#include <unistd.h>

namespace llm::conformance {

namespace {

using Tokens = std::vector<Token>;

// ---- Members of a case ----------------------------------------------------------------------------------------------

std::string from_hex(const std::string &digits) {
    std::string bytes;
    for (size_t i = 0; i + 1 < digits.size(); i += 2)
        bytes += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
    return bytes;
}

std::string to_hex(std::string_view bytes) {
    constexpr const char *digits = "0123456789abcdef";
    std::string out;
    for (const unsigned char byte : bytes) out.append({digits[byte >> 4], digits[byte & 15]});
    return out;
}

bool flag(const Json &test, const char *name) { return test.value(name, false); }

Tokens tokens_of(const Json &test) { return test.at("tokens").get<Tokens>(); }

std::string text_of(const Json &test) {
    return test.contains("bytes") ? from_hex(test["bytes"]) : test.at("text").get<std::string>();
}

// The options that a member of a case names, on top of `options`.
template <class Options>
Options with_options(Options options, const Json &test, const char *member) {
    if (test.contains(member))
        for (const auto &[name, value] : test[member].items()) options.set(name, value);
    return options;
}

ContextOptions context_options(const Json &test, const char *member = "context") {
    ContextOptions exact;
    exact.cache_type_k = exact.cache_type_v = LLM_CACHE_F32;
    return with_options(exact, test, member);
}

SamplerOptions sampler_options(const Json &test) {
    SamplerOptions greedy;
    greedy.temperature = 0;
    return with_options(greedy, test, "sampler");
}

// ---- Text -----------------------------------------------------------------------------------------------------------

Json tokenize(const Json &test, Models &models) {
    const uint32_t flags = (flag(test, "add_special") ? LLM_TOKENIZE_ADD_SPECIAL : 0) |
                           (flag(test, "parse_special") ? LLM_TOKENIZE_PARSE_SPECIAL : 0);
    return {{"tokens", models.get(test.at("model")).tokenize(text_of(test), flags)}};
}

uint32_t special_flag(const Json &test) { return flag(test, "special") ? LLM_DETOKENIZE_SPECIAL : 0; }

Json detokenize(const Json &test, Models &models) {
    return {{"bytes", to_hex(models.get(test.at("model")).detokenize(tokens_of(test), special_flag(test)))}};
}

Json piece(const Json &test, Models &models) {
    return {{"bytes", to_hex(models.get(test.at("model")).piece(test.at("token"), special_flag(test)))}};
}

Json special_tokens(const Json &test, Models &models) {
    const Model &model = models.get(test.at("model"));
    Json out;
    const char *names[] = {"begin", "end", "end_of_turn", "unknown", "padding", "separator"};
    for (llm_special which = LLM_SPECIAL_BEGIN; which <= LLM_SPECIAL_SEPARATOR; ++which)
        out[names[which]] = model.special_token(which).value_or(LLM_TOKEN_NONE);
    return out;
}

// ---- Facts ----------------------------------------------------------------------------------------------------------

Json info(const Json &test, Models &models) {
    const llm_model_info info = models.get(test.at("model")).info();
    return {{"architecture", info.architecture},
            {"name", info.name},
            {"vocabulary_size", info.vocabulary_size},
            {"context_length", info.context_length},
            {"embedding_length", info.embedding_length},
            {"layer_count", info.layer_count},
            {"parameter_count", info.parameter_count},
            {"generates", (info.capabilities & LLM_MODEL_GENERATES) != 0},
            {"embeds", (info.capabilities & LLM_MODEL_EMBEDS) != 0}};
}

// JSON readers keep integers of 53 bits.
template <class Integer>
Json exact_integer(Integer value) {
    constexpr Integer limit = Integer{1} << 53;
    const bool is_exact = value <= limit && (value >= 0 || value + limit >= 0);
    return is_exact ? Json(value) : Json(std::to_string(value));
}

Json metadata_value(const llm_value &value) {
    switch (value.type) {
        case LLM_VALUE_STRING:
            return std::string(value.text, value.text_length);
        case LLM_VALUE_F32:
        case LLM_VALUE_F64:
            return value.f;
        case LLM_VALUE_I8:
        case LLM_VALUE_I16:
        case LLM_VALUE_I32:
        case LLM_VALUE_I64:
            return exact_integer(value.i);
        default:
            return exact_integer(value.u);
    }
}

Json metadata(const Json &test, Models &models) {
    const Model &model = models.get(test.at("model"));
    const std::string key = test.at("key");
    const std::optional<llm_value> value = model.metadata(key);
    if (!value) return {{"value", nullptr}};
    if (value->type != LLM_VALUE_ARRAY) return {{"value", metadata_value(*value)}};
    Json elements = Json::array();
    for (uint64_t i = 0; i < value->count; ++i)
        elements.push_back(metadata_value(model.metadata_element(key, std::span(&i, 1))));
    return {{"value", elements}};
}

Json option(const Json &test, Models &) {
    const std::string group = test.at("group"), name = test.at("option"), value = test.at("value");
    if (group == "model") ModelOptions().set(name, value);
    if (group == "context") ContextOptions().set(name, value);
    if (group == "sampler") SamplerOptions().set(name, value);
    if (group == "generation") GenerationOptions().set(name, value);
    if (group == "chat") ChatOptions().set(name, value);
    return {{"set", true}};
}

Json open_model(const Json &test, Models &models) {
    const auto options = with_options(ModelOptions(), test, "options");
    std::string bytes = test.contains("bytes") ? from_hex(test["bytes"]) : "";
    if (flag(test, "memory")) {
        std::ifstream file(models.path(test.at("file")), std::ios::binary);
        bytes.assign(std::istreambuf_iterator(file), {});
    }
    const Model model = test.contains("file") && !flag(test, "memory")
                            ? Model(models.path(test["file"]), options)
                            : Model(std::as_bytes(std::span(bytes)), options);
    if (flag(test, "with_context")) Context(model, context_options(test));
    return {{"name", model.info().name}};
}

// ---- Chat -----------------------------------------------------------------------------------------------------------

// Calls function(model, request, options) with what a case says.
template <class Function>
auto chat(const Json &test, Models &models, Function function) {
    auto options = with_options(ChatOptions(), test, "chat");
    const std::string name = test.value("template", "");
    if (!name.empty()) options.template_name = name.c_str();
    options.now = test.value("now", options.now);
    return function(models.get(test.at("model")), test.at("request").get<std::string>(), options);
}

Json chat_render(const Json &test, Models &models) {
    return {{"text", chat(test, models, [](const Model &model, const std::string &request, const ChatOptions &options) {
                 return model.render_chat(request, options);
             })}};
}

Json chat_tokenize(const Json &test, Models &models) {
    return {
        {"tokens", chat(test, models, [](const Model &model, const std::string &request, const ChatOptions &options) {
             return model.tokenize_chat(request, options);
         })}};
}

Json chat_template(const Json &test, Models &models) {
    const Model &model = models.get(test.at("model"));
    const std::string name = test.at("template").is_null() ? "default" : test["template"].get<std::string>();
    return {{"text", detail::read_buffer<std::string>(1024, [&](char *out, std::size_t capacity, std::size_t *length) {
                 return llm_chat_template(out, capacity, length, model.get(), name.c_str());
             })}};
}

// ---- Generation -----------------------------------------------------------------------------------------------------

GenerationOptions generation_options(const Json &test) {
    auto options = with_options(GenerationOptions(), test, "generation");
    options.stop_texts = test.value("stops", std::vector<std::string>());
    return options;
}

const char *finish_name(llm_finish_reason reason) {
    const char *names[] = {"none", "end_token", "stop", "length", "context_full"};
    return names[reason];
}

// Collects the chunks of a generation as a result.
class Chunks {
public:
    explicit Chunks(bool with_logprobs) : with_logprobs_(with_logprobs) {}

    void add(const Chunk &chunk) {
        tokens_.push_back(chunk.token);
        chunks_.emplace_back(chunk.text);
        text_ += chunk.text;
        finish_ = finish_name(chunk.finish_reason);
        logprobs_.push_back(chunk.logprob);
        Json top = Json::array();
        for (const llm_token_logprob &candidate : chunk.top) top.push_back({candidate.token, candidate.logprob});
        top_.push_back(top);
    }

    Json result() const {
        Json out = {{"tokens", tokens_}, {"chunks", chunks_}, {"text", text_}, {"finish", finish_}};
        if (with_logprobs_) out.update({{"logprobs", logprobs_}, {"top", top_}});
        return out;
    }

private:
    bool with_logprobs_;
    Tokens tokens_;
    std::vector<std::string> chunks_;
    std::string text_, finish_;
    std::vector<float> logprobs_;
    Json top_ = Json::array();
};

Json generate(const Json &test, Models &models) {
    const Model &model = models.get(test.at("model"));
    Context context(model, context_options(test));
    Sampler sampler(sampler_options(test));
    const Tokens prompt = test.contains("prompt") ? model.tokenize(test["prompt"].get<std::string>()) : tokens_of(test);
    const GenerationOptions options = generation_options(test);
    Generation generation(context, sampler, prompt, options);
    Chunks chunks(options.logprobs > 0);
    bool cancelled = false;
    const auto step = [&] {
        const std::optional<Chunk> chunk = generation.next();
        if (chunk) chunks.add(*chunk);
        return chunk.has_value();
    };
    if (test.contains("after")) {
        for (int i = 0; i < test["after"]; ++i) step();
        context.cancel();
        try {
            step();
        } catch (const Cancelled &) {
            cancelled = true;
        }
    }
    while (step()) {
    }
    Json out = chunks.result();
    if (test.contains("after")) out["cancelled"] = cancelled;
    return out;
}

// ---- Sequences ------------------------------------------------------------------------------------------------------

// The ids that follow a prompt in a sequence, by greedy choice.
Tokens follow(const Json &test, Context &context, const Tokens &prompt, int32_t sequence = 0) {
    Sampler sampler(sampler_options(Json::object()));
    GenerationOptions options;
    options.max_tokens = test.at("count");
    options.sequence = sequence;
    Tokens out;
    for (const Chunk &chunk : Generation(context, sampler, prompt, options)) out.push_back(chunk.token);
    return out;
}

Tokens prompt_of(const Json &test, const Model &model) { return model.tokenize(test.at("prompt").get<std::string>()); }

// The ids of a text that continues another.
Tokens continuation(const Json &test, const Model &model, const char *member = "text") {
    return model.tokenize(test.at(member).get<std::string>(), 0);
}

Json fork(const Json &test, Models &models) {
    const Model &model = models.get(test.at("model"));
    ContextOptions options = context_options(test);
    options.max_sequences = 2;
    Context context(model, options);
    context.eval(prompt_of(test, model));
    context.fork(0, 1);
    const Tokens first = follow(test, context, continuation(test, model, "first"), 0);
    const Tokens second = follow(test, context, continuation(test, model, "second"), 1);
    return {{"first", first}, {"second", second}};
}

Json rewind(const Json &test, Models &models) {
    const Model &model = models.get(test.at("model"));
    Context context(model, context_options(test));
    context.eval(prompt_of(test, model));
    context.truncate(test.at("length"));
    return {{"tokens", follow(test, context, continuation(test, model))}};
}

Json reuse(const Json &test, Models &models) {
    const Model &model = models.get(test.at("model"));
    Context context(model, context_options(test));
    context.eval(prompt_of(test, model));
    const Tokens next = model.tokenize(test.at("next").get<std::string>());
    const size_t kept = context.reuse_prefix(next);
    const Tokens left(next.begin() + static_cast<std::ptrdiff_t>(kept), next.end());
    return {{"kept", kept}, {"tokens", follow(test, context, left)}};
}

// A sequence goes through a file, which is removed again, into another context.
void move_by_file(const Context &from, Context &to) {
    const auto path = std::filesystem::temp_directory_path() / ("conformance-" + std::to_string(getpid()) + ".state");
    from.save_file(path.string());
    to.restore_file(path.string());
    std::filesystem::remove(path);
}

void move_by_bytes(const Context &from, Context &to, const std::string &damage) {
    std::vector<unsigned char> state = from.save();
    if (damage == "truncate") state.pop_back();
    if (damage == "flip") state[state.size() / 2] ^= 1;
    to.restore(state);
}

Json state(const Json &test, Models &models) {
    const Model &model = models.get(test.at("model"));
    Context from(model, context_options(test));
    from.eval(prompt_of(test, model));
    Context to(model, context_options(test, "into"));
    if (flag(test, "file"))
        move_by_file(from, to);
    else
        move_by_bytes(from, to, test.value("damage", ""));
    const size_t length = to.length();
    return {{"length", length}, {"tokens", follow(test, to, continuation(test, model))}};
}

// ---- Evaluation -----------------------------------------------------------------------------------------------------

Json logits(const Json &test, Models &models) {
    Context context(models.get(test.at("model")), context_options(test));
    const Tokens tokens = tokens_of(test);
    context.eval(tokens, 0, LLM_EVAL_LOGITS_ALL);
    Json rows = Json::array();
    for (size_t row = 0; row < tokens.size(); ++row) {
        const std::span<const float> all = context.logits(static_cast<int32_t>(row));
        Json chosen = Json::array();
        for (const size_t column : test.at("columns")) chosen.push_back(all[column]);
        rows.push_back(chosen);
    }
    return {{"rows", rows}};
}

Json eval(const Json &test, Models &models) {
    Context context(models.get(test.at("model")), context_options(test));
    for (const Json &call : test.at("calls")) context.eval(call.get<Tokens>());
    const llm_context_counters counters = context.counters();
    return {{"length", context.length()},
            {"prompt_tokens", counters.prompt_tokens},
            {"single_tokens", counters.single_tokens}};
}

uint32_t logits_flag(const std::string &name) {
    return name == "all" ? LLM_EVAL_LOGITS_ALL : name == "none" ? LLM_EVAL_LOGITS_NONE : 0;
}

Json batch(const Json &test, Models &models) {
    Context context(models.get(test.at("model")), context_options(test));
    Batch batch;
    Json first_rows = Json::array(), best = Json::array(), lengths = Json::array();
    size_t rows = 0;
    for (const Json &entry : test.at("entries")) {
        const Tokens tokens = tokens_of(entry);
        const std::string wanted = entry.at("logits");
        first_rows.push_back(batch.add(tokens, entry.at("sequence"), logits_flag(wanted)));
        rows += wanted == "all" ? tokens.size() : wanted == "last";
    }
    context.eval(batch);
    for (size_t row = 0; row < rows; ++row) {
        const std::span<const float> all = context.logits(static_cast<int32_t>(row));
        best.push_back(std::max_element(all.begin(), all.end()) - all.begin());
    }
    for (int32_t sequence = 0; sequence < 3; ++sequence) lengths.push_back(context.length(sequence));
    return {{"first_rows", first_rows}, {"best", best}, {"lengths", lengths}};
}

Tokens sample_times(Sampler &sampler, Context &context, int count) {
    Tokens out;
    for (int i = 0; i < count; ++i) out.push_back(sampler.sample(context));
    return out;
}

Json sample(const Json &test, Models &models) {
    Context context(models.get(test.at("model")), context_options(test));
    context.eval(tokens_of(test));
    Sampler sampler(sampler_options(test));
    const int count = test.at("count"), half = count / 2;
    Tokens tokens = sample_times(sampler, context, half);
    Sampler clone = sampler.clone();
    const Tokens second_half = sample_times(sampler, context, count - half);
    tokens.insert(tokens.end(), second_half.begin(), second_half.end());
    const Tokens cloned = sample_times(clone, context, count - half);
    sampler.reset();
    return {{"tokens", tokens}, {"clone", cloned}, {"again", sample_times(sampler, context, count)}};
}

Json embed(const Json &test, Models &models) {
    static const std::map<std::string, llm_pooling> poolings = {{"default", LLM_POOLING_DEFAULT},
                                                                {"mean", LLM_POOLING_MEAN},
                                                                {"first", LLM_POOLING_FIRST},
                                                                {"last", LLM_POOLING_LAST},
                                                                {"none", LLM_POOLING_NONE}};
    const Model &model = models.get(test.at("model"));
    Context context(model, context_options(test));
    const Tokens tokens = test.contains("text") ? model.tokenize(test["text"].get<std::string>()) : tokens_of(test);
    return {{"embedding", context.embed(tokens, poolings.at(test.at("pooling")),
                                        flag(test, "normalize") ? LLM_EMBED_NORMALIZE : 0)}};
}

}  // namespace

const Model &Models::get(const std::string &name) {
    if (const auto found = open_.find(name); found != open_.end()) return found->second;
    return open_.emplace(name, Model(path(name + ".gguf"))).first->second;
}

Json run(const Json &test, Models &models) {
    static const std::map<std::string, std::function<Json(const Json &, Models &)>> kinds = {
        {"tokenize", tokenize},
        {"detokenize", detokenize},
        {"piece", piece},
        {"special_tokens", special_tokens},
        {"info", info},
        {"metadata", metadata},
        {"option", option},
        {"open", open_model},
        {"chat_render", chat_render},
        {"chat_tokenize", chat_tokenize},
        {"chat_template", chat_template},
        {"generate", generate},
        {"cancel", generate},
        {"fork", fork},
        {"rewind", rewind},
        {"reuse", reuse},
        {"state", state},
        {"logits", logits},
        {"eval", eval},
        {"batch", batch},
        {"sample", sample},
        {"embed", embed},
    };
    const auto &kind = kinds.at(test.at("kind"));
    try {
        return kind(test, models);
    } catch (const Error &error) {
        return {{"error", llm_status_name(error.status())}};
    }
}

}  // namespace llm::conformance
