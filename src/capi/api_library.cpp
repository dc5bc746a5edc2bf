// Version, status names, log, CPU and system information.
#include "base/cpu_budget.h"
#include "base/cpu_features.h"
#include "base/log.h"
#include "capi/barrier.h"
#include "capi/convert.h"
#include "capi/json_writer.h"
#include "kernels/selection.h"
#include "text/chat_template.h"
#include "tokenizer/tokenizer.h"

using namespace llm;

uint32_t llm_version(void) { return LLM_VERSION; }

const char *llm_version_string(void) { return LLM_VERSION_STRING; }

uint32_t llm_abi_version(void) { return LLM_ABI_VERSION; }

const char *llm_status_name(llm_status status) {
    switch (status) {
#define LLM_CASE(name) \
    case name:         \
        return #name;
        LLM_CASE(LLM_OK)
        LLM_CASE(LLM_END)
        LLM_CASE(LLM_BUFFER_TOO_SMALL)
        LLM_CASE(LLM_CANCELLED)
        LLM_CASE(LLM_ERROR_ARGUMENT)
        LLM_CASE(LLM_ERROR_TOO_NEW)
        LLM_CASE(LLM_ERROR_BUSY)
        LLM_CASE(LLM_ERROR_STATE)
        LLM_CASE(LLM_ERROR_NOT_FOUND)
        LLM_CASE(LLM_ERROR_NO_MEMORY)
        LLM_CASE(LLM_ERROR_IO)
        LLM_CASE(LLM_ERROR_NOT_GGUF)
        LLM_CASE(LLM_ERROR_TRUNCATED)
        LLM_CASE(LLM_ERROR_MALFORMED)
        LLM_CASE(LLM_ERROR_UNSUPPORTED)
        LLM_CASE(LLM_ERROR_MODEL)
        LLM_CASE(LLM_ERROR_VOCABULARY)
        LLM_CASE(LLM_ERROR_TEMPLATE)
        LLM_CASE(LLM_ERROR_CONTEXT_FULL)
        LLM_CASE(LLM_ERROR_NONFINITE)
        LLM_CASE(LLM_ERROR_LIMIT)
        LLM_CASE(LLM_ERROR_NOT_BUILT)
        LLM_CASE(LLM_ERROR_INTERNAL)
#undef LLM_CASE
        default:
            return "LLM_STATUS_UNKNOWN";
    }
}

llm_status llm_log_set(llm_log_callback callback, void *user, llm_log_level minimum) {
    return barrier([&]() -> llm_status {
        if (minimum < LLM_LOG_DEBUG || minimum > LLM_LOG_WARNING)
            fail(LLM_ERROR_ARGUMENT, "log level ", minimum, ", must be ", LLM_LOG_DEBUG, " to ", LLM_LOG_WARNING);
        set_log(callback, user, minimum);
        return LLM_OK;
    });
}

llm_status llm_cpu_select(const char *tier) {
    return barrier([&]() -> llm_status {
        select_kernels(tier);
        return LLM_OK;
    });
}

llm_status llm_cpu_tier(const char **out) {
    return barrier([&]() -> llm_status {
        required(out, "out") = active_kernels().name;
        return LLM_OK;
    });
}

llm_status llm_system_info(char *out, size_t capacity, size_t *length) {
    return barrier([&]() -> llm_status {
        JsonWriter json;
        json.begin_object()
            .text("version", LLM_VERSION_STRING)
            .number("abi_version", LLM_ABI_VERSION)
            .text("tier", active_kernels().name)
            .text("tiers", available_tiers(" "))
            .text("features", feature_names(cpu_features()))
            .number("threads", default_thread_count())
            .text("unicode_version", Tokenizer::unicode_version())
            .boolean("chat_templates", has_chat_templates())
            .end_object();
        return write_text(out, capacity, length, json.str());
    });
}
