/* Chats with a model, one message a line, and shows answers as they are made: chat MODEL [SEED]
 * Build: cc -std=c99 chat.c $(pkg-config --cflags --libs llm) */
#include <llm/llm.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A text that grows. */
typedef struct {
    char *data;
    size_t length, capacity;
} text;

static void append(text *out, const char *data, size_t length) {
    if (out->capacity - out->length < length) {
        out->capacity = 2 * (out->length + length);
        out->data = realloc(out->data, out->capacity);
        if (out->data == NULL) {
            fputs("out of memory\n", stderr);
            exit(1);
        }
    }
    memcpy(out->data + out->length, data, length);
    out->length += length;
}

static void append_json_string(text *out, const char *data, size_t length) {
    size_t i;
    append(out, "\"", 1);
    for (i = 0; i < length; ++i) {
        char escaped[8];
        if ((unsigned char)data[i] < 0x20 || data[i] == '"' || data[i] == '\\') {
            append(out, escaped, (size_t)sprintf(escaped, "\\u%04x", (unsigned)data[i]));
        } else {
            append(out, data + i, 1);
        }
    }
    append(out, "\"", 1);
}

/* Puts a message at the end of a conversation: the elements of a JSON array. */
static void append_message(text *conversation, const char *role, const char *data, size_t length) {
    if (conversation->length > 0) append(conversation, ",", 1);
    append(conversation, "{\"role\":", 8);
    append_json_string(conversation, role, strlen(role));
    append(conversation, ",\"content\":", 11);
    append_json_string(conversation, data, length);
    append(conversation, "}", 1);
}

static int failed(llm_status status, const char *what) {
    char reason[512] = "";
    if (status == LLM_OK) return 0;
    if (status < 0) llm_last_error(reason, sizeof reason, NULL);
    fprintf(stderr, "%s: %s %s\n", what, llm_status_name(status), reason);
    return 1;
}

/* The prompt that the model's template makes of the conversation; the caller frees it. NULL after an error. */
static llm_token *tokenize(const llm_model *model, const text *conversation, size_t *count) {
    text request = {NULL, 0, 0};
    llm_token *tokens = NULL;
    llm_status status;
    append(&request, "{\"messages\":[", 13);
    append(&request, conversation->data, conversation->length);
    append(&request, "]}", 2);
    status = llm_chat_tokenize(NULL, 0, count, model, request.data, request.length, NULL);
    if (status == LLM_BUFFER_TOO_SMALL) {
        tokens = malloc(*count * sizeof *tokens);
        status = tokens ? llm_chat_tokenize(tokens, *count, count, model, request.data, request.length, NULL)
                        : LLM_ERROR_NO_MEMORY;
    }
    free(request.data);
    if (!failed(status, "prompt")) return tokens;
    free(tokens);
    return NULL;
}

/* Writes the answer to a prompt, and puts it into `answer`. */
static int answer_prompt(llm_context *context, llm_sampler *sampler, const llm_token *prompt, size_t count,
                         text *answer) {
    llm_generation_options options = LLM_GENERATION_OPTIONS_INIT;
    llm_generation *generation = NULL;
    llm_chunk chunk = LLM_CHUNK_INIT;
    llm_status status;
    options.max_tokens = 256;
    options.reuse_prefix = 1; /* the conversation so far is in the sequence already */
    if (failed(llm_generation_start(&generation, context, sampler, prompt, count, &options), "start")) return 1;
    while ((status = llm_generation_next(&chunk, generation)) == LLM_OK) {
        fwrite(chunk.text, 1, chunk.text_length, stdout);
        fflush(stdout);
        append(answer, chunk.text, chunk.text_length);
    }
    putchar('\n');
    llm_generation_close(generation);
    return status == LLM_END ? 0 : failed(status, "generate");
}

static int chat(llm_model *model, llm_context *context, llm_sampler *sampler) {
    text conversation = {NULL, 0, 0};
    char line[4096];
    int result = 0;
    while (result == 0 && fgets(line, sizeof line, stdin) != NULL) {
        text answer = {NULL, 0, 0};
        llm_token *prompt;
        size_t count = 0;
        append_message(&conversation, "user", line, strcspn(line, "\n"));
        prompt = tokenize(model, &conversation, &count);
        result = prompt == NULL || answer_prompt(context, sampler, prompt, count, &answer);
        append_message(&conversation, "assistant", answer.length ? answer.data : "", answer.length);
        free(prompt);
        free(answer.data);
    }
    free(conversation.data);
    return result;
}

int main(int argc, char **argv) {
    llm_sampler_options sampling = LLM_SAMPLER_OPTIONS_INIT;
    llm_model *model = NULL;
    llm_context *context = NULL;
    llm_sampler *sampler = NULL;
    int result;
    if (argc != 2 && argc != 3) {
        fprintf(stderr, "usage: %s MODEL [SEED]\n", argv[0]);
        return 2;
    }
    result = failed(llm_model_open(&model, argv[1], NULL), argv[1]) ||
             failed(llm_context_new(&context, model, NULL), "context") ||
             failed(llm_sampler_options_from_model(&sampling, model), "options") ||
             (argc > 2 && failed(llm_sampler_options_set(&sampling, "seed", argv[2]), "seed")) ||
             failed(llm_sampler_new(&sampler, &sampling), "sampler") || chat(model, context, sampler);
    llm_sampler_close(sampler);
    llm_context_close(context);
    llm_model_close(model);
    return result;
}
