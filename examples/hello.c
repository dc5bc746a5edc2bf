/* Continues a text with a model, checking every call: hello MODEL [TEXT]
 * Build: cc -std=c99 hello.c $(pkg-config --cflags --libs llm) */
#include <llm/llm.h>

#include <stdio.h>
#include <string.h>

/* Prints what went wrong, if anything did. */
static int failed(llm_status status, const char *what) {
    char text[512] = "";
    if (status == LLM_OK) return 0;
    if (status < 0) llm_last_error(text, sizeof text, NULL);
    fprintf(stderr, "%s: %s %s\n", what, llm_status_name(status), text);
    return 1;
}

static int continue_text(llm_model *model, llm_context *context, llm_sampler *sampler, const char *text) {
    llm_generation_options options = LLM_GENERATION_OPTIONS_INIT;
    llm_generation *generation = NULL;
    llm_chunk chunk = LLM_CHUNK_INIT;
    llm_token prompt[512];
    size_t count = 0;
    llm_status status = llm_tokenize(prompt, 512, &count, model, text, strlen(text), LLM_TOKENIZE_ADD_SPECIAL);
    if (failed(status, "tokenize")) return 1;

    options.max_tokens = 48;
    status = llm_generation_start(&generation, context, sampler, prompt, count, &options);
    if (failed(status, "start")) return 1;
    fputs(text, stdout);
    while ((status = llm_generation_next(&chunk, generation)) == LLM_OK) {
        fwrite(chunk.text, 1, chunk.text_length, stdout);
        fflush(stdout);
    }
    putchar('\n');
    llm_generation_close(generation);
    return status == LLM_END ? 0 : failed(status, "generate");
}

int main(int argc, char **argv) {
    llm_sampler_options greedy = LLM_SAMPLER_OPTIONS_INIT;
    llm_model *model = NULL;
    llm_context *context = NULL;
    llm_sampler *sampler = NULL;
    int result;
    if (argc < 2) {
        fprintf(stderr, "usage: %s MODEL [TEXT]\n", argv[0]);
        return 2;
    }
    greedy.temperature = 0; /* always the most probable token */
    result = failed(llm_model_open(&model, argv[1], NULL), argv[1]) ||
             failed(llm_context_new(&context, model, NULL), "context") ||
             failed(llm_sampler_new(&sampler, &greedy), "sampler") ||
             continue_text(model, context, sampler, argc > 2 ? argv[2] : "Once upon a time");
    llm_sampler_close(sampler);
    llm_context_close(context);
    llm_model_close(model);
    return result;
}
