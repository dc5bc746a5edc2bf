// The C API for C++ callers: owning handles, and statuses as exceptions.
#pragma once

#include <llm/llm.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace cli {

// A status that is not LLM_OK, with the library's text.
class ApiError : public std::runtime_error {
public:
    ApiError(llm_status status, const std::string &text) : std::runtime_error(text), status_(status) {}
    llm_status status() const { return status_; }

private:
    llm_status status_;
};

struct Close {
    void operator()(llm_model *model) const { llm_model_close(model); }
    void operator()(llm_context *context) const { llm_context_close(context); }
    void operator()(llm_batch *batch) const { llm_batch_close(batch); }
    void operator()(llm_sampler *sampler) const { llm_sampler_close(sampler); }
    void operator()(llm_generation *generation) const { llm_generation_close(generation); }
};
using Model = std::unique_ptr<llm_model, Close>;
using Context = std::unique_ptr<llm_context, Close>;
using Batch = std::unique_ptr<llm_batch, Close>;
using Sampler = std::unique_ptr<llm_sampler, Close>;
using Generation = std::unique_ptr<llm_generation, Close>;

// The calling thread's last error text.
std::string last_error();

// Throws unless the status is LLM_OK.
void check(llm_status status);

// Runs a call that fills a buffer, `call(data, capacity, &size)`, with as large a buffer as it needs.
template <class Container, class Call>
Container fill(Call &&call) {
    Container out;
    std::size_t size = 0;
    for (;;) {
        const llm_status status = call(out.empty() ? nullptr : out.data(), out.size(), &size);
        if (status != LLM_BUFFER_TOO_SMALL) {
            check(status);
            out.resize(size);
            return out;
        }
        out.resize(size + 1);  // texts end with a NUL
    }
}

Model open_model(const std::string &path, const llm_model_options &options);
Context new_context(llm_model *model, const llm_context_options &options);
Batch new_batch();
std::vector<llm_token> tokenize(const llm_model *model, std::string_view text, std::uint32_t flags);
std::string token_piece(const llm_model *model, llm_token token);
llm_model_info model_info(const llm_model *model);
std::vector<llm_tensor> tensors(const llm_model *model);

// The rows of one option table.
std::vector<llm_option> option_table(llm_option_group group);

// One name for the functions that set an option by name, and the table that each struct belongs to.
inline llm_status set_option(llm_model_options &options, const char *name, const char *value) {
    return llm_model_options_set(&options, name, value);
}
inline llm_status set_option(llm_context_options &options, const char *name, const char *value) {
    return llm_context_options_set(&options, name, value);
}
inline llm_status set_option(llm_sampler_options &options, const char *name, const char *value) {
    return llm_sampler_options_set(&options, name, value);
}
inline llm_status set_option(llm_generation_options &options, const char *name, const char *value) {
    return llm_generation_options_set(&options, name, value);
}
inline llm_status set_option(llm_chat_options &options, const char *name, const char *value) {
    return llm_chat_options_set(&options, name, value);
}
inline llm_option_group option_group(const llm_model_options &) { return LLM_OPTIONS_MODEL; }
inline llm_option_group option_group(const llm_context_options &) { return LLM_OPTIONS_CONTEXT; }
inline llm_option_group option_group(const llm_sampler_options &) { return LLM_OPTIONS_SAMPLER; }
inline llm_option_group option_group(const llm_generation_options &) { return LLM_OPTIONS_GENERATION; }
inline llm_option_group option_group(const llm_chat_options &) { return LLM_OPTIONS_CHAT; }

}  // namespace cli
