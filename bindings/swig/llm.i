/*
 * The raw layer of all bindings: llm.h as SWIG sees it. It is private to each binding, whose public layer is written by
 * hand. What a language does with the abstract typemaps, in capitals below, is said in <language>.i:
 *
 *   (const void *BYTES, size_t LENGTH)                           text or bytes in; const char *NAME is zero-terminated
 *   (const llm_token *TOKENS, size_t COUNT), (const uint64_t *NUMBERS, size_t COUNT)
 *   (char *BYTES_OUT, size_t CAPACITY, size_t *NEEDED)           the caller's buffer; the size that is needed
 *   (llm_token *TOKENS_OUT, ...), (float *FLOATS_OUT, ...)       the same with other elements
 *   llm_model **HANDLE_OUT, void **HANDLE_OUT                    a handle that is made
 *   size_t *SIZE_OUT, llm_token *TOKEN_OUT                       a number that is written
 *   llm_status                                                   a negative one becomes the language's error, with the
 *                                                                text of llm_last_error() fetched in the same call
 */
%module raw

%insert("header") "raw.h"

%include <stdint.i>

/* Structs of results are made by the raw layer with their defaults set, and read only. Options are in raw.h. */
%immutable;
%define RESULT_STRUCT(name, init)
%ignore name::struct_size;
%ignore name::reserved;
%extend name {
    name() {
        struct name *made = (struct name *)malloc(sizeof *made);
        if (made) *made = (struct name)init;
        return made;
    }
}
%enddef
RESULT_STRUCT(llm_option, LLM_OPTION_INIT)
RESULT_STRUCT(llm_model_info, LLM_MODEL_INFO_INIT)
RESULT_STRUCT(llm_value, LLM_VALUE_INIT)
RESULT_STRUCT(llm_tensor, LLM_TENSOR_INIT)
RESULT_STRUCT(llm_token_info, LLM_TOKEN_INFO_INIT)
RESULT_STRUCT(llm_context_info, LLM_CONTEXT_INFO_INIT)
RESULT_STRUCT(llm_context_counters, LLM_CONTEXT_COUNTERS_INIT)
RESULT_STRUCT(llm_memory, LLM_MEMORY_INIT)
RESULT_STRUCT(llm_chunk, LLM_CHUNK_INIT)

/* Pointers that are borrowed: raw.h has functions that copy what they point to. */
%ignore llm_chunk::text;
%ignore llm_chunk::text_length;
%ignore llm_chunk::top;
%ignore llm_value::text;
%ignore llm_value::text_length;
%ignore llm_token_info::text;
%ignore llm_token_info::text_length;
%ignore llm_tensor::shape;
%ignore llm_logits;
%ignore llm_metadata_key;
%ignore llm_cpu_tier;
%ignore llm_logprobs;
%ignore llm_token_logprob;

/* Callbacks, and what a binding does in its own way. */
%ignore llm_log_set;
%ignore llm_log_callback;
%ignore llm_progress_callback;
%ignore llm_allocate_callback;
%ignore llm_release_callback;
%ignore llm_last_error;
%ignore llm_model_open_fd;
%ignore llm_logit_bias;
%ignore llm_model_options;
%ignore llm_context_options;
%ignore llm_sampler_options;
%ignore llm_generation_options;
%ignore llm_chat_options;
%rename("$ignore", regextarget=1) "^llm_[a-z]+_options_(init|set)$";

#if defined(SWIGJAVA)
%include "java.i"
#elif defined(SWIGGO)
%include "go.i"
#elif defined(SWIGCSHARP)
%include "csharp.i"
#endif

%apply const char *NAME { const char *path, const char *key, const char *name, const char *value, const char *tier };
%apply (const void *BYTES, size_t LENGTH) {
    (const char *text, size_t text_length), (const char *request, size_t request_length),
    (const void *data, size_t size), (const void *state, size_t size), (const char *bytes, size_t length)
};
%apply (const llm_token *TOKENS, size_t COUNT) {
    (const llm_token *tokens, size_t count), (const llm_token *tokens, size_t token_count),
    (const llm_token *prompt, size_t count)
};
%apply (const uint64_t *NUMBERS, size_t COUNT) { (const uint64_t *indexes, size_t index_count) };
%apply (char *BYTES_OUT, size_t CAPACITY, size_t *NEEDED) {
    (char *out, size_t capacity, size_t *length), (void *out, size_t capacity, size_t *size)
};
%apply (llm_token *TOKENS_OUT, size_t CAPACITY, size_t *NEEDED) { (llm_token *out, size_t capacity, size_t *count) };
%apply (float *FLOATS_OUT, size_t CAPACITY, size_t *NEEDED) {
    (float *out, size_t capacity, size_t *count), (float *values, size_t value_capacity, size_t *value_count)
};
%apply void **HANDLE_OUT {
    llm_model **out, llm_context **out, llm_batch **out, llm_sampler **out, llm_generation **out, raw_options **out
};
%apply size_t *SIZE_OUT { size_t *out, size_t *kept, size_t *first_row };
%apply llm_token *TOKEN_OUT { llm_token *out };

#define __attribute__(visibility) /* of LLM_API */
%include "llm/llm.h"
%include "raw.h"
