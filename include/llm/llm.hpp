/*
 * libllm in C++20: the functions of llm.h as classes that close what they open, with exceptions, spans and ranges.
 *
 * A complete program:
 *
 *     #include <llm/llm.hpp>
 *     #include <iostream>
 *
 *     int main() {
 *         const llm::Model model("model.gguf");
 *         llm::Context context(model);
 *         llm::Sampler sampler;
 *         for (const llm::Chunk &chunk : llm::Generation(context, sampler, model.tokenize("Once upon a time")))
 *             std::cout << chunk.text << std::flush;
 *     }
 *
 * Everything is in this header; it adds nothing to the library. What it does not say, about units, threads, limits and
 * results, llm.h says of the function of the same name. Each class lends its handle with get(), for functions of llm.h
 * that have no counterpart here, and check() turns their statuses into exceptions.
 *
 * Errors.  A negative status is thrown as llm::Error, with the library's text. A cancelled call throws llm::Cancelled,
 * and everything is as before the call. Destructors throw nothing.
 *
 * Ownership.  Objects are moved, not copied. They hold counted references to each other inside the library: a Context
 * may outlive its Model, and a Generation both. A moved-from object has no handle: its functions throw
 * LLM_ERROR_ARGUMENT.
 *
 * Options and facts are the structs of llm.h with their defaults set: all fields are documented there. Views and spans
 * that are returned belong to the object: they stay as long as llm.h says of the pointer.
 *
 * The version in the namespace, which nobody needs to write, lets parts of one program use different versions of this
 * header.
 */
#ifndef LLM_LLM_HPP
#define LLM_LLM_HPP

#if !defined(_MSVC_LANG) && __cplusplus < 202002L || defined(_MSVC_LANG) && _MSVC_LANG < 202002L
#error "llm.hpp needs C++20; llm.h serves every C++ and C99"
#endif

#include <llm/llm.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace llm {
inline namespace v0_1 {

using Token = llm_token;

// ---- Errors ---------------------------------------------------------------------------------------------------------

// What a call failed with. what() begins with the status's name: "LLM_ERROR_IO: cannot open ...".
class Error : public std::runtime_error {
public:
    Error(llm_status status, const std::string &text)
        : std::runtime_error(llm_status_name(status) + (text.empty() ? "" : ": " + text)), status_(status) {}

    // LLM_ERROR_*, or LLM_CANCELLED.
    llm_status status() const noexcept { return status_; }

private:
    llm_status status_;
};

// cancel(), or a callback, stopped the call.
class Cancelled : public Error {
public:
    Cancelled() : Error(LLM_CANCELLED, "") {}
};

// The calling thread's last error: llm_last_error().
inline std::string last_error() {
    std::string text(256, '\0');
    std::size_t length = 0;
    if (llm_last_error(text.data(), text.size(), &length) == LLM_BUFFER_TOO_SMALL) {
        text.resize(length + 1);
        llm_last_error(text.data(), text.size(), &length);
    }
    text.resize(length);
    return text;
}

// Returns a status that is no error, LLM_OK, LLM_END or LLM_BUFFER_TOO_SMALL; throws any other.
inline llm_status check(llm_status status) {
    if (status == LLM_CANCELLED) throw Cancelled();
    if (status < 0) throw Error(status, last_error());
    return status;
}

namespace detail {

// The content of a buffer of unknown size: call(out, capacity, &size) is asked until it fits.
template <class Buffer, class Call>
Buffer read_buffer(std::size_t first_capacity, Call call) {
    Buffer buffer(first_capacity, {});
    std::size_t size = 0;
    while (check(call(buffer.data(), buffer.size(), &size)) == LLM_BUFFER_TOO_SMALL) buffer.resize(size);
    buffer.resize(size);
    return buffer;
}

// Keeps a handle and closes it.
template <class Opaque, void (*close)(Opaque *)>
class Handle {
public:
    // The handle for functions of llm.h; it stays this object's.
    Opaque *get() const noexcept { return handle_.get(); }
    // Gives the handle away, to be closed by the caller.
    [[nodiscard]] Opaque *release() noexcept { return handle_.release(); }
    explicit operator bool() const noexcept { return handle_ != nullptr; }

protected:
    Handle() = default;
    explicit Handle(Opaque *handle) noexcept : handle_(handle) {}

    // Calls open(out), a function that makes a handle.
    template <class Open>
    void open(Open call) {
        Opaque *handle = nullptr;
        check(call(&handle));
        handle_.reset(handle);
    }

private:
    struct Close {
        void operator()(Opaque *handle) const noexcept { close(handle); }
    };
    std::unique_ptr<Opaque, Close> handle_;
};

}  // namespace detail

// ---- Library --------------------------------------------------------------------------------------------------------

// Facts about library and machine as JSON: llm_system_info().
inline std::string system_info() { return detail::read_buffer<std::string>(1024, llm_system_info); }

// The version of the library that is loaded, "0.1.0".
inline std::string_view version() noexcept { return llm_version_string(); }

// The options of a group (LLM_OPTIONS_*) that can be set by name.
inline std::vector<llm_option> options(llm_option_group group) {
    std::vector<llm_option> out(llm_option_count(group), llm_option LLM_OPTION_INIT);
    for (std::size_t i = 0; i < out.size(); ++i) check(llm_option_describe(&out[i], group, i));
    return out;
}

// ---- Model ----------------------------------------------------------------------------------------------------------

// llm_model_options with its defaults.
struct ModelOptions : llm_model_options {
    ModelOptions() noexcept : llm_model_options LLM_MODEL_OPTIONS_INIT {}

    // Told the part that is done, 0 to 1; false cancels. Takes the place of `progress` if set. What it throws comes out
    // of the constructor of the model.
    std::function<bool(float)> on_progress;

    // Sets an option by its name.
    ModelOptions &set(const std::string &name, const std::string &value) {
        check(llm_model_options_set(this, name.c_str(), value.c_str()));
        return *this;
    }
};

// An open model. Immutable: any number of threads may use it.
class Model : public detail::Handle<llm_model, llm_model_close> {
public:
    // Opens a file; the path is UTF-8.
    explicit Model(const std::string &path, const ModelOptions &options = {}) {
        open_with(options, [&](llm_model **out, const llm_model_options *given) {
            return llm_model_open(out, path.c_str(), given);
        });
    }

    // Opens a model that is in memory.
    explicit Model(std::span<const std::byte> bytes, const ModelOptions &options = {}) {
        open_with(options, [&](llm_model **out, const llm_model_options *given) {
            return llm_model_open_memory(out, bytes.data(), bytes.size(), given);
        });
    }

    // Opens a model inside a file that is open already: llm_model_open_fd().
    Model(int descriptor, std::uint64_t offset, std::uint64_t length, const ModelOptions &options = {}) {
        open_with(options, [&](llm_model **out, const llm_model_options *given) {
            return llm_model_open_fd(out, descriptor, offset, length, given);
        });
    }

    // Takes over a handle, which may be null.
    explicit Model(llm_model *handle) noexcept : Handle(handle) {}

    // Another owner of the same model.
    Model share() const noexcept { return Model(llm_model_retain(get())); }

    llm_model_info info() const {
        llm_model_info out = LLM_MODEL_INFO_INIT;
        check(llm_model_get_info(&out, get()));
        return out;
    }

    // What the model needs and whether this build has it, as JSON: llm_model_support().
    std::string support() const {
        return detail::read_buffer<std::string>(1024, [&](char *out, std::size_t capacity, std::size_t *length) {
            return llm_model_support(out, capacity, length, get());
        });
    }

    // Names of the metadata, in the file's order.
    std::vector<std::string_view> metadata_keys() const {
        std::vector<std::string_view> keys(llm_metadata_count(get()));
        for (std::size_t i = 0; i < keys.size(); ++i) {
            const char *key = nullptr;
            check(llm_metadata_key(&key, get(), i));
            keys[i] = key;
        }
        return keys;
    }

    // A metadata value; nothing when the file has no such key.
    std::optional<llm_value> metadata(const std::string &key) const {
        llm_value out = LLM_VALUE_INIT;
        const llm_status status = llm_metadata_get(&out, get(), key.c_str());
        if (status == LLM_ERROR_NOT_FOUND) return std::nullopt;
        check(status);
        return out;
    }

    // An element of an array, with one index for each level.
    llm_value metadata_element(const std::string &key, std::span<const std::uint64_t> indexes) const {
        llm_value out = LLM_VALUE_INIT;
        check(llm_metadata_element(&out, get(), key.c_str(), indexes.data(), indexes.size()));
        return out;
    }

    std::vector<llm_tensor> tensors() const {
        std::vector<llm_tensor> out(llm_tensor_count(get()), llm_tensor LLM_TENSOR_INIT);
        for (std::size_t i = 0; i < out.size(); ++i) check(llm_tensor_get(&out[i], get(), i));
        return out;
    }

    // The ids of a text. `flags` are LLM_TOKENIZE_*; 0 for a text that continues another.
    std::vector<Token> tokenize(std::string_view text, std::uint32_t flags = LLM_TOKENIZE_ADD_SPECIAL) const {
        return detail::read_buffer<std::vector<Token>>(
            text.size() / 2 + 16, [&](Token *out, std::size_t capacity, std::size_t *count) {
                return llm_tokenize(out, capacity, count, get(), text.data(), text.size(), flags);
            });
    }

    // The text of ids. `flags` are LLM_DETOKENIZE_*.
    std::string detokenize(std::span<const Token> tokens, std::uint32_t flags = 0) const {
        return detail::read_buffer<std::string>(
            tokens.size() * 4 + 16, [&](char *out, std::size_t capacity, std::size_t *length) {
                return llm_detokenize(out, capacity, length, get(), tokens.data(), tokens.size(), flags);
            });
    }

    // The bytes of one token as they stand inside a text.
    std::string piece(Token token, std::uint32_t flags = 0) const {
        return detail::read_buffer<std::string>(16, [&](char *out, std::size_t capacity, std::size_t *length) {
            return llm_token_piece(out, capacity, length, get(), token, flags);
        });
    }

    llm_token_info token_info(Token token) const {
        llm_token_info out = LLM_TOKEN_INFO_INIT;
        check(llm_token_get_info(&out, get(), token));
        return out;
    }

    // A special token (LLM_SPECIAL_*), if the model has it.
    std::optional<Token> special_token(llm_special which) const noexcept {
        const Token token = llm_special_token(get(), which);
        return token == LLM_TOKEN_NONE ? std::nullopt : std::optional(token);
    }

private:
    // The caller's progress function, and what it threw.
    struct Progress {
        const std::function<bool(float)> *function;
        std::exception_ptr thrown;

        static std::int32_t report(void *self, float done) noexcept {
            auto *progress = static_cast<Progress *>(self);
            try {
                return (*progress->function)(done) ? 0 : 1;
            } catch (...) {
                progress->thrown = std::current_exception();
                return 1;
            }
        }
    };

    template <class Open>
    void open_with(const ModelOptions &options, Open call) {
        llm_model_options given = options;
        Progress progress{&options.on_progress, nullptr};
        if (options.on_progress) {
            given.progress = Progress::report;
            given.progress_user = &progress;
        }
        try {
            open([&](llm_model **out) { return call(out, &given); });
        } catch (const Cancelled &) {
            if (progress.thrown) std::rethrow_exception(progress.thrown);
            throw;
        }
    }
};

// ---- Context --------------------------------------------------------------------------------------------------------

// llm_context_options with its defaults.
struct ContextOptions : llm_context_options {
    ContextOptions() noexcept : llm_context_options LLM_CONTEXT_OPTIONS_INIT {}

    // Sets an option by its name.
    ContextOptions &set(const std::string &name, const std::string &value) {
        check(llm_context_options_set(this, name.c_str(), value.c_str()));
        return *this;
    }
};

// Sequences that are being evaluated. One thread at a time, but for cancel().
class Context : public detail::Handle<llm_context, llm_context_close> {
public:
    explicit Context(const Model &model, const ContextOptions &options = {}) {
        open([&](llm_context **out) { return llm_context_new(out, model.get(), &options); });
    }

    // Takes over a handle, which may be null.
    explicit Context(llm_context *handle) noexcept : Handle(handle) {}

    llm_context_info info() const {
        llm_context_info out = LLM_CONTEXT_INFO_INIT;
        check(llm_context_get_info(&out, get()));
        return out;
    }

    // 0 is the machine's default. Results stay the same.
    void set_threads(std::int32_t threads) { check(llm_context_set_threads(get(), threads)); }

    llm_context_counters counters() const {
        llm_context_counters out = LLM_CONTEXT_COUNTERS_INIT;
        check(llm_context_get_counters(&out, get()));
        return out;
    }
    void reset_counters() { check(llm_context_reset_counters(get())); }

    // Appends tokens to a sequence and evaluates them. `flags` are LLM_EVAL_*.
    void eval(std::span<const Token> tokens, std::int32_t sequence = 0, std::uint32_t flags = 0) {
        check(llm_eval(get(), sequence, tokens.data(), tokens.size(), flags));
    }

    // A row of the last evaluation's logits, -1 being the last; until the next evaluation.
    std::span<const float> logits(std::int32_t row = -1) {
        const float *out = nullptr;
        check(llm_logits(&out, get(), row));
        return {out, info().vocabulary_size};
    }

    // Stops the call that is running in this context, or the next one. From any thread.
    void cancel() noexcept { llm_cancel(get()); }

    // Number of tokens in a sequence.
    std::size_t length(std::int32_t sequence = 0) const {
        std::size_t out = 0;
        check(llm_sequence_length(&out, get(), sequence));
        return out;
    }

    // Shortens a sequence to its first tokens.
    void truncate(std::size_t length, std::int32_t sequence = 0) {
        check(llm_sequence_truncate(get(), sequence, length));
    }

    // The embedding of an input, computed with an encoder. `flags` are LLM_EMBED_*.
    std::vector<float> embed(std::span<const Token> tokens, llm_pooling pooling = LLM_POOLING_DEFAULT,
                             std::uint32_t flags = LLM_EMBED_NORMALIZE) {
        return detail::read_buffer<std::vector<float>>(0, [&](float *out, std::size_t capacity, std::size_t *count) {
            return llm_embed(out, capacity, count, get(), tokens.data(), tokens.size(), pooling, flags);
        });
    }
};

// ---- Sampler --------------------------------------------------------------------------------------------------------

// llm_sampler_options with its defaults.
struct SamplerOptions : llm_sampler_options {
    SamplerOptions() noexcept : llm_sampler_options LLM_SAMPLER_OPTIONS_INIT {}

    // Sets an option by its name.
    SamplerOptions &set(const std::string &name, const std::string &value) {
        check(llm_sampler_options_set(this, name.c_str(), value.c_str()));
        return *this;
    }
};

// Chooses tokens. One thread at a time.
class Sampler : public detail::Handle<llm_sampler, llm_sampler_close> {
public:
    explicit Sampler(const SamplerOptions &options = {}) {
        open([&](llm_sampler **out) { return llm_sampler_new(out, &options); });
    }

    // Takes over a handle, which may be null.
    explicit Sampler(llm_sampler *handle) noexcept : Handle(handle) {}

    // The seed that is in force.
    std::uint32_t seed() const noexcept { return llm_sampler_seed(get()); }

    // Starts again from the seed.
    void reset() { check(llm_sampler_reset(get())); }

    // Chooses a token from a row of the context's logits, -1 being the last.
    Token sample(Context &context, std::int32_t row = -1) {
        Token out = LLM_TOKEN_NONE;
        check(llm_sample(&out, get(), context.get(), row));
        return out;
    }
};

// ---- Generation -----------------------------------------------------------------------------------------------------

// llm_generation_options with its defaults.
struct GenerationOptions : llm_generation_options {
    GenerationOptions() noexcept : llm_generation_options LLM_GENERATION_OPTIONS_INIT {}

    // Texts that end the generation. Takes the place of `stops` if not empty.
    std::vector<std::string> stop_texts;

    // Sets an option by its name.
    GenerationOptions &set(const std::string &name, const std::string &value) {
        check(llm_generation_options_set(this, name.c_str(), value.c_str()));
        return *this;
    }
};

// A step of a generation.
struct Chunk {
    std::string_view text;  // complete UTF-8, possibly empty; until the next step
    Token token = LLM_TOKEN_NONE;
    llm_finish_reason finish_reason = LLM_FINISH_NONE;
    float logprob = 0.0f;
};

// Continues a sequence: a range of chunks that are generated as they are asked for. One thread at a time.
class Generation : public detail::Handle<llm_generation, llm_generation_close> {
public:
    Generation(Context &context, Sampler &sampler, std::span<const Token> prompt,
               const GenerationOptions &options = {}) {
        llm_generation_options given = options;
        std::vector<const char *> texts;
        std::vector<std::size_t> lengths;
        for (const std::string &stop : options.stop_texts) {
            texts.push_back(stop.data());
            lengths.push_back(stop.size());
        }
        if (!texts.empty()) {
            given.stops = texts.data();
            given.stop_lengths = lengths.data();
            given.stop_count = texts.size();
        }
        open([&](llm_generation **out) {
            return llm_generation_start(out, context.get(), sampler.get(), prompt.data(), prompt.size(), &given);
        });
    }

    // Takes over a handle, which may be null.
    explicit Generation(llm_generation *handle) noexcept : Handle(handle) {}

    // The next chunk, or nothing after the last.
    std::optional<Chunk> next() {
        llm_chunk out = LLM_CHUNK_INIT;
        if (check(llm_generation_next(&out, get())) == LLM_END) return std::nullopt;
        return Chunk{{out.text, out.text_length}, out.token, out.finish_reason, out.logprob};
    }

    // The text of all chunks that are left.
    std::string rest() {
        std::string out;
        while (const auto chunk = next()) out += chunk->text;
        return out;
    }

    // An input iterator: a step forward generates a token.
    class Iterator {
    public:
        using value_type = Chunk;
        using difference_type = std::ptrdiff_t;
        using iterator_category = std::input_iterator_tag;

        const Chunk &operator*() const noexcept { return *chunk_; }
        const Chunk *operator->() const noexcept { return &*chunk_; }
        Iterator &operator++() {
            chunk_ = generation_->next();
            return *this;
        }
        void operator++(int) { ++*this; }
        friend bool operator==(const Iterator &i, std::default_sentinel_t) noexcept { return !i.chunk_; }

    private:
        friend class Generation;
        explicit Iterator(Generation *generation) : generation_(generation), chunk_(generation->next()) {}

        Generation *generation_;  // which must stay where it is
        std::optional<Chunk> chunk_;
    };

    // Generates the next token. A range that was left goes on where it was.
    Iterator begin() { return Iterator(this); }
    std::default_sentinel_t end() const noexcept { return {}; }
};

}  // namespace v0_1
}  // namespace llm

#endif
