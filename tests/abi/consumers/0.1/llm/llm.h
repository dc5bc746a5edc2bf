/* The declarations of llm.h 0.1.0 as programs were built with them, without its comments. Never changed: that those
 * programs still run is what the test is for. */
/* clang-format off */
#ifndef LLM_LLM_H
#define LLM_LLM_H

#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#  if defined(LLM_BUILD)
#    define LLM_API __declspec(dllexport)
#  else
#    define LLM_API __declspec(dllimport)
#  endif
#else
#  define LLM_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define LLM_VERSION_MAJOR 0
#define LLM_VERSION_MINOR 1
#define LLM_VERSION_PATCH 0
#define LLM_VERSION_STRING "0.1.0"
#define LLM_VERSION (LLM_VERSION_MAJOR * 10000 + LLM_VERSION_MINOR * 100 + LLM_VERSION_PATCH)

#define LLM_ABI_VERSION 0

LLM_API uint32_t llm_version(void);

LLM_API const char *llm_version_string(void);

LLM_API uint32_t llm_abi_version(void);

typedef int32_t llm_status;

#define LLM_OK 0

#define LLM_END 1
#define LLM_BUFFER_TOO_SMALL 2
#define LLM_CANCELLED 3

#define LLM_ERROR_ARGUMENT (-10)
#define LLM_ERROR_TOO_NEW (-11)
#define LLM_ERROR_BUSY (-12)
#define LLM_ERROR_STATE (-13)
#define LLM_ERROR_NOT_FOUND (-14)

#define LLM_ERROR_NO_MEMORY (-20)
#define LLM_ERROR_IO (-21)

#define LLM_ERROR_NOT_GGUF (-30)
#define LLM_ERROR_TRUNCATED (-31)
#define LLM_ERROR_MALFORMED (-32)
#define LLM_ERROR_UNSUPPORTED (-33)
#define LLM_ERROR_MODEL (-34)
#define LLM_ERROR_VOCABULARY (-35)

#define LLM_ERROR_CONTEXT_FULL (-40)
#define LLM_ERROR_NONFINITE (-41)
#define LLM_ERROR_LIMIT (-42)
#define LLM_ERROR_NOT_BUILT (-50)
#define LLM_ERROR_INTERNAL (-90)

LLM_API const char *llm_status_name(llm_status status);

LLM_API llm_status llm_last_error(char *out, size_t capacity, size_t *length);

typedef int32_t llm_log_level;
#define LLM_LOG_DEBUG 0
#define LLM_LOG_INFO 1
#define LLM_LOG_WARNING 2

typedef void (*llm_log_callback)(void *user, llm_log_level level, const char *text, size_t length);

LLM_API llm_status llm_log_set(llm_log_callback callback, void *user, llm_log_level minimum);

LLM_API llm_status llm_cpu_select(const char *tier);

LLM_API llm_status llm_cpu_tier(const char **out);

LLM_API llm_status llm_system_info(char *out, size_t capacity, size_t *length);

typedef int32_t llm_option_group;
#define LLM_OPTIONS_MODEL 0
#define LLM_OPTIONS_CONTEXT 1
#define LLM_OPTIONS_SAMPLER 2
#define LLM_OPTIONS_GENERATION 3

typedef int32_t llm_option_type;
#define LLM_OPTION_INTEGER 0
#define LLM_OPTION_REAL 1
#define LLM_OPTION_CHOICE 2

typedef struct llm_option {
    size_t struct_size;
    const char *name;
    const char *help;
    const char *choices;
    double default_value, minimum, maximum;
    llm_option_type type;
    int32_t reserved;
} llm_option;
#define LLM_OPTION_INIT {sizeof(llm_option), NULL, NULL, NULL, 0.0, 0.0, 0.0, 0, 0}

LLM_API size_t llm_option_count(llm_option_group group);

LLM_API llm_status llm_option_describe(llm_option *out, llm_option_group group, size_t index);

typedef struct llm_model llm_model;

#define LLM_LOAD_PACKED 0
#define LLM_LOAD_MAPPED 1

#define LLM_OPEN_ALL 0
#define LLM_OPEN_VOCABULARY 1
#define LLM_OPEN_METADATA 2

typedef int32_t (*llm_progress_callback)(void *user, float done);

typedef struct llm_model_options {
    size_t struct_size;
    int32_t load;
    int32_t open;
    int32_t threads;
    int32_t reserved;
    const char *pre_tokenizer;
    llm_progress_callback progress;
    void *progress_user;
} llm_model_options;
#define LLM_MODEL_OPTIONS_INIT {sizeof(llm_model_options), 0, 0, 0, 0, NULL, NULL, NULL}

LLM_API llm_status llm_model_options_init(llm_model_options *options);

LLM_API llm_status llm_model_options_set(llm_model_options *options, const char *name, const char *value);

LLM_API llm_status llm_model_open(llm_model **out, const char *path, const llm_model_options *options);

LLM_API llm_status llm_model_open_memory(llm_model **out, const void *data, size_t size,
                                         const llm_model_options *options);

LLM_API llm_model *llm_model_retain(llm_model *model);

LLM_API void llm_model_close(llm_model *model);

typedef struct llm_model_info {
    size_t struct_size;
    const char *architecture;
    const char *name;
    const char *type;
    uint64_t parameter_count;
    uint64_t file_size;
    uint64_t tensor_bytes;
    uint64_t weight_bytes;
    uint32_t vocabulary_size, context_length , embedding_length, layer_count;
    uint32_t head_count, head_count_kv, head_length, feed_forward_length;
} llm_model_info;
#define LLM_MODEL_INFO_INIT {sizeof(llm_model_info), NULL, NULL, NULL, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}

LLM_API llm_status llm_model_get_info(llm_model_info *out, const llm_model *model);

LLM_API llm_status llm_model_support(char *out, size_t capacity, size_t *length, const llm_model *model);

typedef int32_t llm_value_type;
#define LLM_VALUE_U8 0
#define LLM_VALUE_I8 1
#define LLM_VALUE_U16 2
#define LLM_VALUE_I16 3
#define LLM_VALUE_U32 4
#define LLM_VALUE_I32 5
#define LLM_VALUE_F32 6
#define LLM_VALUE_BOOL 7
#define LLM_VALUE_STRING 8
#define LLM_VALUE_ARRAY 9
#define LLM_VALUE_U64 10
#define LLM_VALUE_I64 11
#define LLM_VALUE_F64 12

typedef struct llm_value {
    size_t struct_size;
    llm_value_type type;
    llm_value_type element_type;
    uint64_t count;
    uint64_t u;
    int64_t i;
    double f;
    const char *text;
    size_t text_length;
} llm_value;
#define LLM_VALUE_INIT {sizeof(llm_value), 0, 0, 0, 0, 0, 0.0, NULL, 0}

LLM_API size_t llm_metadata_count(const llm_model *model);

LLM_API llm_status llm_metadata_key(const char **out, const llm_model *model, size_t index);

LLM_API llm_status llm_metadata_get(llm_value *out, const llm_model *model, const char *key);

LLM_API llm_status llm_metadata_element(llm_value *out, const llm_model *model, const char *key,
                                        const uint64_t *indexes, size_t index_count);

typedef struct llm_tensor {
    size_t struct_size;
    const char *name;
    const char *type;
    uint64_t shape[4];
    uint64_t offset;
    uint64_t byte_count;
    uint32_t dimension_count;
    uint32_t type_number;
} llm_tensor;
#define LLM_TENSOR_INIT {sizeof(llm_tensor), NULL, NULL, {0, 0, 0, 0}, 0, 0, 0, 0}

LLM_API size_t llm_tensor_count(const llm_model *model);

LLM_API llm_status llm_tensor_get(llm_tensor *out, const llm_model *model, size_t index);

typedef int32_t llm_token;
#define LLM_TOKEN_NONE (-1)

#define LLM_TOKENIZE_ADD_SPECIAL 1u
#define LLM_TOKENIZE_PARSE_SPECIAL 2u

LLM_API llm_status llm_tokenize(llm_token *out, size_t capacity, size_t *count, const llm_model *model,
                                const char *text, size_t text_length, uint32_t flags);

#define LLM_DETOKENIZE_SPECIAL 1u

LLM_API llm_status llm_detokenize(char *out, size_t capacity, size_t *length, const llm_model *model,
                                  const llm_token *tokens, size_t count, uint32_t flags);

LLM_API llm_status llm_token_piece(char *out, size_t capacity, size_t *length, const llm_model *model,
                                   llm_token token, uint32_t flags);

#define LLM_TOKEN_NORMAL 0u
#define LLM_TOKEN_CONTROL 1u
#define LLM_TOKEN_USER_DEFINED 2u
#define LLM_TOKEN_UNKNOWN 4u
#define LLM_TOKEN_UNUSED 8u
#define LLM_TOKEN_BYTE 16u
#define LLM_TOKEN_ENDS_GENERATION 32u

typedef struct llm_token_info {
    size_t struct_size;
    const char *text;
    size_t text_length;
    float score;
    uint32_t attributes;
} llm_token_info;
#define LLM_TOKEN_INFO_INIT {sizeof(llm_token_info), NULL, 0, 0.0f, 0}

LLM_API llm_status llm_token_get_info(llm_token_info *out, const llm_model *model, llm_token token);

typedef int32_t llm_special;
#define LLM_SPECIAL_BEGIN 0
#define LLM_SPECIAL_END 1
#define LLM_SPECIAL_END_OF_TURN 2
#define LLM_SPECIAL_UNKNOWN 3
#define LLM_SPECIAL_PADDING 4
#define LLM_SPECIAL_SEPARATOR 5

LLM_API llm_token llm_special_token(const llm_model *model, llm_special which);

typedef struct llm_context llm_context;

#define LLM_CACHE_Q16 0
#define LLM_CACHE_F16 1
#define LLM_CACHE_F32 2
#define LLM_CACHE_BF16 3
#define LLM_CACHE_Q8_0 4

#define LLM_WINDOW_CACHE_RING 0
#define LLM_WINDOW_CACHE_FULL 1

typedef struct llm_context_options {
    size_t struct_size;
    int32_t context_length;
    int32_t batch_size;
    int32_t threads;
    int32_t cache_type_k;
    int32_t cache_type_v;
    int32_t max_sequences;
    int32_t window_cache;
    int32_t reserved;
} llm_context_options;
#define LLM_CONTEXT_OPTIONS_INIT {sizeof(llm_context_options), 0, 0, 0, 0, 0, 1, 0, 0}

LLM_API llm_status llm_context_options_init(llm_context_options *options);
LLM_API llm_status llm_context_options_set(llm_context_options *options, const char *name, const char *value);

LLM_API llm_status llm_context_new(llm_context **out, llm_model *model, const llm_context_options *options);

LLM_API void llm_context_close(llm_context *context);

typedef struct llm_context_info {
    size_t struct_size;
    uint64_t cache_bytes;
    uint64_t scratch_bytes;
    uint32_t context_length, batch_size, threads, max_sequences, vocabulary_size;
    uint32_t reserved;
} llm_context_info;
#define LLM_CONTEXT_INFO_INIT {sizeof(llm_context_info), 0, 0, 0, 0, 0, 0, 0, 0}

LLM_API llm_status llm_context_get_info(llm_context_info *out, const llm_context *context);

#define LLM_EVAL_LOGITS_ALL 1u
#define LLM_EVAL_LOGITS_NONE 2u

LLM_API llm_status llm_eval(llm_context *context, int32_t sequence, const llm_token *tokens, size_t count,
                            uint32_t flags);

LLM_API void llm_cancel(llm_context *context);

LLM_API llm_status llm_logits(const float **out, llm_context *context, int32_t row);

LLM_API llm_status llm_sequence_length(size_t *out, const llm_context *context, int32_t sequence);

LLM_API llm_status llm_sequence_truncate(llm_context *context, int32_t sequence, size_t length);

typedef int32_t llm_pooling;
#define LLM_POOLING_DEFAULT 0
#define LLM_POOLING_MEAN 1
#define LLM_POOLING_FIRST 2
#define LLM_POOLING_LAST 3
#define LLM_POOLING_NONE 4

#define LLM_EMBED_NORMALIZE 1u

LLM_API llm_status llm_embed(float *out, size_t capacity, size_t *count, llm_context *context, const llm_token *tokens,
                             size_t token_count, llm_pooling pooling, uint32_t flags);

typedef struct llm_sampler llm_sampler;

typedef struct llm_sampler_options {
    size_t struct_size;
    float temperature;
    float top_p;
    float min_p;
    int32_t top_k;
    uint32_t seed;
    uint32_t reserved;
} llm_sampler_options;
#define LLM_SEED_RANDOM 0xFFFFFFFFu
#define LLM_SAMPLER_OPTIONS_INIT {sizeof(llm_sampler_options), 0.8f, 0.95f, 0.05f, 40, LLM_SEED_RANDOM, 0}

LLM_API llm_status llm_sampler_options_init(llm_sampler_options *options);
LLM_API llm_status llm_sampler_options_set(llm_sampler_options *options, const char *name, const char *value);

LLM_API llm_status llm_sampler_new(llm_sampler **out, const llm_sampler_options *options);

LLM_API void llm_sampler_close(llm_sampler *sampler);

LLM_API uint32_t llm_sampler_seed(const llm_sampler *sampler);

LLM_API llm_status llm_sampler_reset(llm_sampler *sampler);

LLM_API llm_status llm_sample(llm_token *out, llm_sampler *sampler, llm_context *context, int32_t row);

typedef struct llm_generation llm_generation;

typedef struct llm_generation_options {
    size_t struct_size;
    int32_t sequence;
    int32_t max_tokens;
    int32_t logprobs;
    int32_t reserved;
    const char *const *stops;
    const size_t *stop_lengths;
    size_t stop_count;
} llm_generation_options;
#define LLM_GENERATION_OPTIONS_INIT {sizeof(llm_generation_options), 0, 0, 0, 0, NULL, NULL, 0}

LLM_API llm_status llm_generation_options_init(llm_generation_options *options);
LLM_API llm_status llm_generation_options_set(llm_generation_options *options, const char *name, const char *value);

typedef int32_t llm_finish_reason;
#define LLM_FINISH_NONE 0
#define LLM_FINISH_END_TOKEN 1
#define LLM_FINISH_STOP 2
#define LLM_FINISH_LENGTH 3
#define LLM_FINISH_CONTEXT_FULL 4

typedef struct llm_chunk {
    size_t struct_size;
    const char *text;
    size_t text_length;
    llm_token token;
    llm_finish_reason finish_reason;
    float logprob;
    uint32_t reserved;
} llm_chunk;
#define LLM_CHUNK_INIT {sizeof(llm_chunk), NULL, 0, LLM_TOKEN_NONE, 0, 0.0f, 0}

LLM_API llm_status llm_generation_start(llm_generation **out, llm_context *context, llm_sampler *sampler,
                                        const llm_token *prompt, size_t count,
                                        const llm_generation_options *options);

LLM_API llm_status llm_generation_next(llm_chunk *out, llm_generation *generation);

LLM_API void llm_generation_close(llm_generation *generation);

#ifdef __cplusplus
}
#endif

#endif
