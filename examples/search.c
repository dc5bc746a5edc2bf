/* Finds the texts that are nearest in meaning to a query, with an encoder: search MODEL QUERY < TEXTS
 * Each line of standard input is a text; they are printed with their similarity, the most similar first.
 * Build: cc -std=c99 search.c $(pkg-config --cflags --libs llm) */
#include <llm/llm.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { max_texts = 1000, max_length = 1024 };

typedef struct {
    char text[max_length];
    float similarity;
} found_text;

static int failed(llm_status status, const char *what) {
    char reason[512] = "";
    if (status == LLM_OK) return 0;
    if (status < 0) llm_last_error(reason, sizeof reason, NULL);
    fprintf(stderr, "%s: %s %s\n", what, llm_status_name(status), reason);
    return 1;
}

/* The embedding of a text, of length 1: `width` floats. */
static int embed(float *out, size_t width, llm_model *model, llm_context *context, const char *text) {
    llm_token tokens[max_length + 2]; /* a token has a byte at least, and there are two around the text */
    size_t count = 0;
    llm_status status =
        llm_tokenize(tokens, max_length + 2, &count, model, text, strlen(text), LLM_TOKENIZE_ADD_SPECIAL);
    if (status == LLM_OK)
        status = llm_embed(out, width, NULL, context, tokens, count, LLM_POOLING_DEFAULT, LLM_EMBED_NORMALIZE);
    return failed(status, text);
}

/* Of vectors of length 1: the cosine of their angle. */
static float similarity(const float *a, const float *b, size_t width) {
    float sum = 0;
    size_t i;
    for (i = 0; i < width; ++i) sum += a[i] * b[i];
    return sum;
}

static int by_similarity(const void *a, const void *b) {
    const float left = ((const found_text *)a)->similarity, right = ((const found_text *)b)->similarity;
    return left < right ? 1 : left > right ? -1 : 0;
}

static int search(llm_model *model, llm_context *context, const char *query, size_t width) {
    found_text *texts = calloc(max_texts, sizeof *texts);
    float *vectors = calloc(2 * width, sizeof *vectors);
    size_t count = 0, i;
    int result = texts == NULL || vectors == NULL || embed(vectors, width, model, context, query);
    while (!result && count < max_texts && fgets(texts[count].text, max_length, stdin) != NULL) {
        found_text *text = &texts[count++];
        text->text[strcspn(text->text, "\n")] = '\0';
        result = embed(vectors + width, width, model, context, text->text);
        text->similarity = similarity(vectors, vectors + width, width);
    }
    if (!result) qsort(texts, count, sizeof *texts, by_similarity);
    for (i = 0; !result && i < count; ++i) printf("%6.3f  %s\n", texts[i].similarity, texts[i].text);
    free(vectors);
    free(texts);
    return result;
}

int main(int argc, char **argv) {
    llm_model *model = NULL;
    llm_context *context = NULL;
    llm_model_info info = LLM_MODEL_INFO_INIT;
    int result;
    if (argc != 3) {
        fprintf(stderr, "usage: %s MODEL QUERY < TEXTS\n", argv[0]);
        return 2;
    }
    result = failed(llm_model_open(&model, argv[1], NULL), argv[1]) ||
             failed(llm_context_new(&context, model, NULL), "context") ||
             failed(llm_model_get_info(&info, model), "info") || search(model, context, argv[2], info.embedding_length);
    llm_context_close(context);
    llm_model_close(model);
    return result;
}
