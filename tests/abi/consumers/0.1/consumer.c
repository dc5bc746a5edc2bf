/* A program that was built with the header of version 0.1.0 beside it: consumer MODEL. It uses what a program of that
 * time could use, and looks behind the structs that the library fills, whose later members it does not know. */
#include <llm/llm.h>

#include <stdio.h>
#include <string.h>

#define CANARY 0xA5

static int failures = 0;

static void expect(int holds, int line, const char *what) {
    char text[512] = "";
    if (holds) return;
    llm_last_error(text, sizeof text, NULL);
    fprintf(stderr, "line %d: %s (last error: %s)\n", line, what, text);
    failures++;
}
#define EXPECT(condition) expect((condition) != 0, __LINE__, #condition)

/* A struct with room behind it that the library must leave alone. */
#define GUARDED(type, name, init) \
    struct {                      \
        type value;               \
        unsigned char behind[64]; \
    } name = {init, {0}};         \
    memset(name.behind, CANARY, sizeof name.behind)

static int untouched(const unsigned char *behind) {
    int i;
    for (i = 0; i < 64; i++)
        if (behind[i] != CANARY) return 0;
    return 1;
}

static void use_model(const llm_model *model) {
    GUARDED(llm_model_info, info, LLM_MODEL_INFO_INIT);
    GUARDED(llm_value, value, LLM_VALUE_INIT);
    GUARDED(llm_tensor, tensor, LLM_TENSOR_INIT);
    GUARDED(llm_token_info, token, LLM_TOKEN_INFO_INIT);
    const char *key = NULL;
    char text[64];
    size_t length = 0;
    EXPECT(llm_model_get_info(&info.value, model) == LLM_OK && untouched(info.behind));
    EXPECT(strcmp(info.value.architecture, "llama") == 0 && info.value.vocabulary_size == 300);
    EXPECT(info.value.struct_size == sizeof info.value && info.value.layer_count == 1);
    EXPECT(llm_metadata_key(&key, model, 0) == LLM_OK && llm_metadata_count(model) > 10);
    EXPECT(llm_metadata_get(&value.value, model, "llama.block_count") == LLM_OK && untouched(value.behind));
    EXPECT(value.value.type == LLM_VALUE_U32 && value.value.u == 1);
    EXPECT(llm_tensor_get(&tensor.value, model, 0) == LLM_OK && untouched(tensor.behind));
    EXPECT(llm_tensor_count(model) > 5 && tensor.value.dimension_count > 0);
    EXPECT(llm_token_get_info(&token.value, model, 65) == LLM_OK && untouched(token.behind));
    EXPECT(token.value.text_length == 1 && token.value.text[0] == 'A');
    EXPECT(llm_special_token(model, LLM_SPECIAL_BEGIN) == 297);
    EXPECT(llm_token_piece(text, sizeof text, &length, model, 'x', 0) == LLM_OK && length == 1 && text[0] == 'x');
    EXPECT(llm_model_support(text, 0, &length, model) == LLM_BUFFER_TOO_SMALL && length > 0);
}

static void use_context(llm_context *context, llm_sampler *sampler, const llm_token *tokens, size_t count) {
    GUARDED(llm_context_info, info, LLM_CONTEXT_INFO_INIT);
    const float *logits = NULL;
    size_t length = 0;
    llm_token token = LLM_TOKEN_NONE;
    EXPECT(llm_context_get_info(&info.value, context) == LLM_OK && untouched(info.behind));
    EXPECT(info.value.context_length == 64 && info.value.threads == 1);
    EXPECT(llm_eval(context, 0, tokens, count, LLM_EVAL_LOGITS_ALL) == LLM_OK);
    EXPECT(llm_logits(&logits, context, -1) == LLM_OK && logits != NULL);
    EXPECT(llm_sample(&token, sampler, context, -1) == LLM_OK && token >= 0 && token < 300);
    EXPECT(llm_sequence_length(&length, context, 0) == LLM_OK && length == count);
    llm_cancel(context);
    EXPECT(llm_eval(context, 0, tokens, count, 0) == LLM_CANCELLED);
    EXPECT(llm_sequence_truncate(context, 0, 0) == LLM_OK);
}

static void use_generation(llm_context *context, llm_sampler *sampler, const llm_token *tokens, size_t count) {
    const char *stops[] = {"no such text"};
    const size_t stop_lengths[] = {12};
    llm_generation_options options = LLM_GENERATION_OPTIONS_INIT;
    llm_generation *generation = NULL;
    GUARDED(llm_chunk, chunk, LLM_CHUNK_INIT);
    int chunks = 0;
    llm_status status;
    options.max_tokens = 5;
    options.logprobs = 1;
    options.stops = stops;
    options.stop_lengths = stop_lengths;
    options.stop_count = 1;
    EXPECT(llm_generation_start(&generation, context, sampler, tokens, count, &options) == LLM_OK);
    while ((status = llm_generation_next(&chunk.value, generation)) == LLM_OK) {
        EXPECT(untouched(chunk.behind) && chunk.value.token >= 0 && chunk.value.logprob <= 0);
        chunks++;
    }
    EXPECT(status == LLM_END && chunks > 0 && chunk.value.finish_reason != LLM_FINISH_NONE);
    llm_generation_close(generation);
}

static void use_options(void) {
    GUARDED(llm_option, option, LLM_OPTION_INIT);
    GUARDED(llm_model_options, model, LLM_MODEL_OPTIONS_INIT);
    GUARDED(llm_context_options, context, LLM_CONTEXT_OPTIONS_INIT);
    GUARDED(llm_sampler_options, sampler, LLM_SAMPLER_OPTIONS_INIT);
    GUARDED(llm_generation_options, generation, LLM_GENERATION_OPTIONS_INIT);
    EXPECT(llm_option_count(LLM_OPTIONS_SAMPLER) >= 5);
    EXPECT(llm_option_describe(&option.value, LLM_OPTIONS_SAMPLER, 0) == LLM_OK && untouched(option.behind));
    EXPECT(llm_model_options_set(&model.value, "threads", "1") == LLM_OK && untouched(model.behind));
    EXPECT(llm_context_options_set(&context.value, "batch_size", "8") == LLM_OK && untouched(context.behind));
    EXPECT(llm_sampler_options_set(&sampler.value, "top_k", "3") == LLM_OK && untouched(sampler.behind));
    EXPECT(llm_generation_options_set(&generation.value, "max_tokens", "3") == LLM_OK && untouched(generation.behind));
    EXPECT(model.value.threads == 1 && context.value.batch_size == 8 && sampler.value.top_k == 3);
}

int main(int argc, char **argv) {
    llm_context_options context_options = LLM_CONTEXT_OPTIONS_INIT;
    llm_sampler_options sampler_options = LLM_SAMPLER_OPTIONS_INIT;
    llm_model_options model_options = LLM_MODEL_OPTIONS_INIT;
    llm_model *model = NULL, *missing = NULL;
    llm_context *context = NULL;
    llm_sampler *sampler = NULL;
    llm_token tokens[16];
    size_t count = 0;
    char text[16];
    if (argc != 2 || llm_abi_version() != LLM_ABI_VERSION || llm_version() < LLM_VERSION) return 2;

    context_options.context_length = 64;
    context_options.threads = 1;
    context_options.cache_type_k = context_options.cache_type_v = LLM_CACHE_F32;
    sampler_options.temperature = 0.7f;
    sampler_options.seed = 7;
    EXPECT(llm_model_open(&model, argv[1], &model_options) == LLM_OK);
    EXPECT(llm_context_new(&context, model, &context_options) == LLM_OK);
    EXPECT(llm_sampler_new(&sampler, &sampler_options) == LLM_OK && llm_sampler_seed(sampler) == 7);
    EXPECT(llm_tokenize(tokens, 16, &count, model, "a cat", 5, LLM_TOKENIZE_ADD_SPECIAL) == LLM_OK && count > 1);
    EXPECT(llm_detokenize(text, sizeof text, &count, model, tokens, count, 0) == LLM_OK && count == 5);
    EXPECT(llm_tokenize(tokens, 16, &count, model, "a cat", 5, LLM_TOKENIZE_ADD_SPECIAL) == LLM_OK);
    use_options();
    use_model(model);
    use_context(context, sampler, tokens, count);
    use_generation(context, sampler, tokens, count);
    EXPECT(llm_model_open(&missing, "/nonexistent", NULL) == LLM_ERROR_IO && missing == NULL);
    llm_sampler_close(sampler);
    llm_context_close(context);
    llm_model_close(model);
    if (failures == 0) printf("a program of 0.1.0 runs with libllm %s\n", llm_version_string());
    return failures != 0;
}
