/* The time of generated tokens through the C interface: cost MODEL TOKENS. README.md in this folder says what a program
 * of this kind does; bindings are compared with this one. */
#define _POSIX_C_SOURCE 199309L
#include <llm/llm.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int failed(llm_status status) {
    char text[512];
    if (status == LLM_OK) return 0;
    llm_last_error(text, sizeof text, NULL);
    fprintf(stderr, "cost: %s %s\n", llm_status_name(status), text);
    return 1;
}

/* Generates and prints the line. The first token is not measured: it brings the prompt's evaluation with it. */
static int measure(llm_generation *generation) {
    llm_chunk chunk = LLM_CHUNK_INIT;
    long tokens = 0, checksum = 0;
    double start;
    llm_status status = llm_generation_next(&chunk, generation);
    if (failed(status)) return 1;
    start = seconds_now();
    while ((status = llm_generation_next(&chunk, generation)) == LLM_OK) {
        ++tokens;
        checksum += chunk.token + (long)chunk.text_length;
    }
    if (status != LLM_END) return failed(status);
    printf("{\"tokens\": %ld, \"seconds\": %.6f, \"checksum\": %ld}\n", tokens, seconds_now() - start, checksum);
    return 0;
}

int main(int argc, char **argv) {
    static const char text[] = "Once upon a time";
    llm_sampler_options greedy = LLM_SAMPLER_OPTIONS_INIT;
    llm_generation_options options = LLM_GENERATION_OPTIONS_INIT;
    llm_model *model = NULL;
    llm_context *context = NULL;
    llm_sampler *sampler = NULL;
    llm_generation *generation = NULL;
    llm_token prompt[64];
    size_t count = 0;
    int result;
    if (argc != 3) {
        fprintf(stderr, "usage: %s MODEL TOKENS\n", argv[0]);
        return 2;
    }
    greedy.temperature = 0;
    options.max_tokens = (int32_t)strtol(argv[2], NULL, 10) + 1;
    result = failed(llm_model_open(&model, argv[1], NULL)) || failed(llm_context_new(&context, model, NULL)) ||
             failed(llm_sampler_new(&sampler, &greedy)) ||
             failed(llm_tokenize(prompt, 64, &count, model, text, strlen(text), LLM_TOKENIZE_ADD_SPECIAL)) ||
             failed(llm_generation_start(&generation, context, sampler, prompt, count, &options)) ||
             measure(generation);
    llm_generation_close(generation);
    llm_sampler_close(sampler);
    llm_context_close(context);
    llm_model_close(model);
    return result;
}
