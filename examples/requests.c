/* Continues many texts at once with one model that all threads share: requests MODEL TEXT...
 * Build: cc -std=c99 -pthread requests.c $(pkg-config --cflags --libs llm) */
#define _POSIX_C_SOURCE 200112L
#include <llm/llm.h>

#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { max_requests = 64, max_prompt = 512, max_answer = 4096 };

typedef struct {
    llm_model *model; /* may be used by any number of threads */
    const char *text;
    char answer[max_answer]; /* or the error */
    int failed;
} request;

/* Puts the library's text of an error of this thread into the answer. */
static int failed(request *self, llm_status status) {
    if (status == LLM_OK) return 0;
    snprintf(self->answer, max_answer, "%s", llm_status_name(status));
    if (status < 0) llm_last_error(self->answer, max_answer, NULL);
    return 1;
}

static llm_status generate(request *self, llm_generation *generation) {
    llm_chunk chunk = LLM_CHUNK_INIT;
    size_t length = 0;
    llm_status status;
    while ((status = llm_generation_next(&chunk, generation)) == LLM_OK) {
        const size_t room = max_answer - 1 - length;
        const size_t part = chunk.text_length < room ? chunk.text_length : room;
        memcpy(self->answer + length, chunk.text, part);
        length += part;
        self->answer[length] = '\0';
    }
    return status == LLM_END ? LLM_OK : status;
}

/* A thread's work: everything but the model is its own. */
static void *serve(void *argument) {
    request *self = argument;
    llm_context_options options = LLM_CONTEXT_OPTIONS_INIT;
    llm_sampler_options greedy = LLM_SAMPLER_OPTIONS_INIT;
    llm_generation_options limits = LLM_GENERATION_OPTIONS_INIT;
    llm_context *context = NULL;
    llm_sampler *sampler = NULL;
    llm_generation *generation = NULL;
    llm_token prompt[max_prompt];
    size_t count = 0;
    options.threads = 1; /* the requests themselves keep the processors busy */
    options.context_length = max_prompt;
    greedy.temperature = 0;
    limits.max_tokens = 16;
    self->failed = failed(self, llm_context_new(&context, self->model, &options)) ||
                   failed(self, llm_sampler_new(&sampler, &greedy)) ||
                   failed(self, llm_tokenize(prompt, max_prompt, &count, self->model, self->text, strlen(self->text),
                                             LLM_TOKENIZE_ADD_SPECIAL)) ||
                   failed(self, llm_generation_start(&generation, context, sampler, prompt, count, &limits)) ||
                   failed(self, generate(self, generation));
    llm_generation_close(generation);
    llm_sampler_close(sampler);
    llm_context_close(context);
    return NULL;
}

static int serve_all(llm_model *model, char **texts, int count) {
    static request requests[max_requests];
    pthread_t threads[max_requests];
    int started = 0, result = 0, i;
    for (; started < count && started < max_requests; ++started) {
        requests[started].model = model;
        requests[started].text = texts[started];
        if (pthread_create(&threads[started], NULL, serve, &requests[started]) != 0) break;
    }
    for (i = 0; i < started; ++i) {
        pthread_join(threads[i], NULL);
        printf("%s|%s\n", requests[i].text, requests[i].answer);
        result |= requests[i].failed;
    }
    return result || started < count;
}

int main(int argc, char **argv) {
    llm_model *model = NULL;
    int result;
    if (argc < 3) {
        fprintf(stderr, "usage: %s MODEL TEXT...\n", argv[0]);
        return 2;
    }
    if (llm_model_open(&model, argv[1], NULL) != LLM_OK) {
        char text[512];
        llm_last_error(text, sizeof text, NULL);
        fprintf(stderr, "%s\n", text);
        return 1;
    }
    result = serve_all(model, argv + 2, argc - 2);
    llm_model_close(model);
    return result;
}
