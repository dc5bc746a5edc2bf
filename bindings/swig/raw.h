/*
 * What the raw layers of all bindings have on top of llm.h: options with the texts and lists that they refer to, and
 * copies of what llm.h lends. All of it is static, because SWIG puts this file into each language's one C file.
 */
#ifndef LLM_BINDINGS_RAW_H
#define LLM_BINDINGS_RAW_H

#include <llm/llm.h>
#include <stdlib.h>
#include <string.h>

/* ---- Options ---------------------------------------------------------------------------------------------------- */

typedef struct raw_options raw_options;

#ifndef SWIG
/* The options of one group, with what they point to. */
struct raw_options {
    llm_option_group group;
    union {
        llm_model_options model;
        llm_context_options context;
        llm_sampler_options sampler;
        llm_generation_options generation;
        llm_chat_options chat;
    } of;
    char *text; /* pre_tokenizer or template_text */
    char *name; /* template_name */
    size_t list_count;
    char **list; /* stops or DRY breakers */
    size_t *list_lengths;
    llm_logit_bias *biases;
};

/* A copy with a zero behind it; NULL without memory. */
static char *raw_copy(const char *bytes, size_t length) {
    char *copy = length < SIZE_MAX ? (char *)malloc(length + 1) : NULL;
    if (copy) {
        if (length) memcpy(copy, bytes, length);
        copy[length] = 0;
    }
    return copy;
}

static llm_status raw_replace(char **place, const char *bytes, size_t length) {
    char *copy = raw_copy(bytes, length);
    if (!copy) return LLM_ERROR_NO_MEMORY;
    free(*place);
    *place = copy;
    return LLM_OK;
}

static llm_status raw_add_to_list(raw_options *options, const char *bytes, size_t length) {
    const size_t count = options->list_count + 1;
    char **list = (char **)realloc(options->list, count * sizeof *list);
    if (list) options->list = list;
    size_t *lengths = (size_t *)realloc(options->list_lengths, count * sizeof *lengths);
    if (lengths) options->list_lengths = lengths;
    char *copy = list && lengths ? raw_copy(bytes, length) : NULL;
    if (!copy) return LLM_ERROR_NO_MEMORY;
    list[count - 1] = copy;
    lengths[count - 1] = length;
    options->list_count = count;
    return LLM_OK;
}

/* Writes an array to the caller's buffer as the functions of llm.h do. */
static llm_status raw_write(void *out, size_t capacity, size_t *needed, const void *from, size_t count, size_t size) {
    if (needed) *needed = count;
    if (count > capacity) return LLM_BUFFER_TOO_SMALL;
    if (count) memcpy(out, from, count * size);
    return LLM_OK;
}
#endif

/* Makes options with their defaults. LLM_ERROR_ARGUMENT for an unknown group. */
static llm_status raw_options_new(raw_options **out, llm_option_group group) {
    raw_options *made = (raw_options *)calloc(1, sizeof *made);
    *out = NULL;
    if (!made) return LLM_ERROR_NO_MEMORY;
    llm_status status = LLM_ERROR_ARGUMENT;
    if (group == LLM_OPTIONS_MODEL) status = llm_model_options_init(&made->of.model);
    if (group == LLM_OPTIONS_CONTEXT) status = llm_context_options_init(&made->of.context);
    if (group == LLM_OPTIONS_SAMPLER) status = llm_sampler_options_init(&made->of.sampler);
    if (group == LLM_OPTIONS_GENERATION) status = llm_generation_options_init(&made->of.generation);
    if (group == LLM_OPTIONS_CHAT) status = llm_chat_options_init(&made->of.chat);
    made->group = group;
    if (status == LLM_OK)
        *out = made;
    else
        free(made);
    return status;
}

static void raw_options_free(raw_options *options) {
    size_t i;
    if (!options) return;
    for (i = 0; i < options->list_count; ++i) free(options->list[i]);
    free(options->list);
    free(options->list_lengths);
    free(options->biases);
    free(options->text);
    free(options->name);
    free(options);
}

/* Sets an option by name: llm_*_options_set() of the group. */
static llm_status raw_options_set(raw_options *options, const char *name, const char *value) {
    if (options->group == LLM_OPTIONS_MODEL) return llm_model_options_set(&options->of.model, name, value);
    if (options->group == LLM_OPTIONS_CONTEXT) return llm_context_options_set(&options->of.context, name, value);
    if (options->group == LLM_OPTIONS_SAMPLER) return llm_sampler_options_set(&options->of.sampler, name, value);
    if (options->group == LLM_OPTIONS_CHAT) return llm_chat_options_set(&options->of.chat, name, value);
    return llm_generation_options_set(&options->of.generation, name, value);
}

/*
 * Sets a text, or adds one to a list; the bytes are copied. "pre_tokenizer" is one of the model's options,
 * "template_text" and "template_name" are of the chat's; "stop" (generation) and "dry_breaker" (sampler) are lists.
 * Returns LLM_ERROR_NOT_FOUND, without a text, for any other name.
 */
static llm_status raw_options_text(raw_options *options, const char *name, const char *bytes, size_t length) {
    llm_status status = LLM_ERROR_NOT_FOUND;
    if (options->group == LLM_OPTIONS_MODEL && !strcmp(name, "pre_tokenizer")) {
        status = raw_replace(&options->text, bytes, length);
        options->of.model.pre_tokenizer = options->text;
    } else if (options->group == LLM_OPTIONS_CHAT && !strcmp(name, "template_text")) {
        status = raw_replace(&options->text, bytes, length);
        options->of.chat.template_text = options->text;
        if (status == LLM_OK) options->of.chat.template_length = length;
    } else if (options->group == LLM_OPTIONS_CHAT && !strcmp(name, "template_name")) {
        status = raw_replace(&options->name, bytes, length);
        options->of.chat.template_name = options->name;
    } else if (options->group == LLM_OPTIONS_GENERATION && !strcmp(name, "stop")) {
        status = raw_add_to_list(options, bytes, length);
        options->of.generation.stops = (const char *const *)options->list;
        options->of.generation.stop_lengths = options->list_lengths;
        options->of.generation.stop_count = options->list_count;
    } else if (options->group == LLM_OPTIONS_SAMPLER && !strcmp(name, "dry_breaker")) {
        status = raw_add_to_list(options, bytes, length);
        options->of.sampler.dry_breakers = (const char *const *)options->list;
        options->of.sampler.dry_breaker_lengths = options->list_lengths;
        options->of.sampler.dry_breaker_count = options->list_count;
    }
    return status;
}

/* Sets the time that a chat template sees. */
static void raw_options_now(raw_options *options, int64_t now) {
    if (options->group == LLM_OPTIONS_CHAT) options->of.chat.now = now;
}

/* Adds to a sampler's logit_bias. */
static llm_status raw_options_bias(raw_options *options, llm_token token, float bias) {
    if (options->group != LLM_OPTIONS_SAMPLER) return LLM_ERROR_NOT_FOUND;
    llm_sampler_options *sampler = &options->of.sampler;
    const size_t count = sampler->logit_bias_count + 1;
    llm_logit_bias *biases = (llm_logit_bias *)realloc(options->biases, count * sizeof *biases);
    if (!biases) return LLM_ERROR_NO_MEMORY;
    biases[count - 1].token = token;
    biases[count - 1].bias = bias;
    options->biases = biases;
    sampler->logit_bias = biases;
    sampler->logit_bias_count = count;
    return LLM_OK;
}

/* The struct inside, for a function of llm.h; NULL when `options` is NULL or of another group. */
static const llm_model_options *raw_model_options(const raw_options *options) {
    return options && options->group == LLM_OPTIONS_MODEL ? &options->of.model : NULL;
}

static const llm_context_options *raw_context_options(const raw_options *options) {
    return options && options->group == LLM_OPTIONS_CONTEXT ? &options->of.context : NULL;
}

static llm_sampler_options *raw_sampler_options(raw_options *options) {
    return options && options->group == LLM_OPTIONS_SAMPLER ? &options->of.sampler : NULL;
}

static const llm_generation_options *raw_generation_options(const raw_options *options) {
    return options && options->group == LLM_OPTIONS_GENERATION ? &options->of.generation : NULL;
}

static const llm_chat_options *raw_chat_options(const raw_options *options) {
    return options && options->group == LLM_OPTIONS_CHAT ? &options->of.chat : NULL;
}

/* ---- Copies ----------------------------------------------------------------------------------------------------- */

/* Each writes to the caller's buffer as functions of llm.h do: LLM_OK or LLM_BUFFER_TOO_SMALL. The binding sees to it
 * that the object is not closed, or used by another thread, meanwhile. */
static llm_status raw_chunk_text(char *out, size_t capacity, size_t *length, const llm_chunk *chunk) {
    return raw_write(out, capacity, length, chunk->text, chunk->text_length, 1);
}

static llm_status raw_value_text(char *out, size_t capacity, size_t *length, const llm_value *value) {
    return raw_write(out, capacity, length, value->text, value->text_length, 1);
}

static llm_status raw_token_text(char *out, size_t capacity, size_t *length, const llm_token_info *info) {
    return raw_write(out, capacity, length, info->text, info->text_length, 1);
}

static llm_status raw_metadata_key(char *out, size_t capacity, size_t *length, const llm_model *model, size_t index) {
    const char *key = NULL;
    const llm_status status = llm_metadata_key(&key, model, index);
    return status == LLM_OK ? raw_write(out, capacity, length, key, strlen(key), 1) : status;
}

static llm_status raw_logits(float *out, size_t capacity, size_t *count, llm_context *context, int32_t row) {
    const float *logits = NULL;
    llm_context_info info = LLM_CONTEXT_INFO_INIT;
    llm_status status = llm_context_get_info(&info, context);
    if (status == LLM_OK) status = llm_logits(&logits, context, row);
    return status == LLM_OK ? raw_write(out, capacity, count, logits, info.vocabulary_size, sizeof *out) : status;
}

/* A dimension of a tensor's shape; 0 past the end. */
static uint64_t raw_tensor_dimension(const llm_tensor *tensor, size_t index) {
    return index < tensor->dimension_count && index < 4 ? tensor->shape[index] : 0;
}

#ifndef SWIG
/* Writes tokens and their values to two buffers; as many as the smaller one takes. */
static void raw_split(llm_token *tokens, size_t capacity, size_t *count, float *values, size_t value_capacity,
                      size_t *value_count, const llm_token_logprob *from, size_t from_count) {
    size_t i;
    if (from_count > capacity) from_count = capacity;
    if (from_count > value_capacity) from_count = value_capacity;
    for (i = 0; i < from_count; ++i) {
        tokens[i] = from[i].token;
        values[i] = from[i].logprob;
    }
    if (count) *count = from_count;
    if (value_count) *value_count = from_count;
}
#endif

/* The most probable tokens of a chunk, and their logprobs: as many as fit; both counts are the same. */
static llm_status raw_chunk_top(llm_token *out, size_t capacity, size_t *count, float *values, size_t value_capacity,
                                size_t *value_count, const llm_chunk *chunk) {
    raw_split(out, capacity, count, values, value_capacity, value_count, chunk->top, chunk->top_count);
    return LLM_OK;
}

/* llm_logprobs() with two buffers instead of pairs. */
static llm_status raw_logprobs(llm_token *out, size_t capacity, size_t *count, float *values, size_t value_capacity,
                               size_t *value_count, llm_context *context, int32_t row) {
    size_t pair_count = 0;
    llm_token_logprob *pairs = (llm_token_logprob *)calloc(capacity ? capacity : 1, sizeof *pairs);
    if (!pairs) return LLM_ERROR_NO_MEMORY;
    const llm_status status = llm_logprobs(pairs, capacity, &pair_count, context, row);
    if (status == LLM_OK) raw_split(out, capacity, count, values, value_capacity, value_count, pairs, pair_count);
    free(pairs);
    return status;
}

#endif
