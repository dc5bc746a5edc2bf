/* The interface between libllm and its Rust part (rust/). Private: its functions are linked statically and are not
 * exported. Texts are bytes with a length; nothing is kept after a call. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct llmtext_bytes {
    const char *data; /* may be NULL when the length is 0 */
    size_t length;
} llmtext_bytes;

typedef struct llmtext_variable {
    llmtext_bytes name, value;
} llmtext_variable;

#define LLMTEXT_MARK_CONTROL 1         /* the spelling of a control token begins at this byte */
#define LLMTEXT_MARK_ENDS_GENERATION 2 /* ... of one that ends a generation, too */

/* Sets LLMTEXT_MARK_* in `marks`, one zeroed byte for each byte of the text. Returns 0, or anything else when memory
 * has run out. Called during llmtext_render(), on another thread. */
typedef int32_t (*llmtext_marker)(void *user, const char *text, size_t length, uint8_t *marks);

typedef struct llmtext_chat {
    llmtext_bytes template_text;
    llmtext_bytes tools_template_text; /* if not empty: takes its place for a request with tools */
    llmtext_bytes request;
    const llmtext_variable *special; /* names and spellings of special tokens, such as bos_token */
    size_t special_count;
    int64_t now;           /* seconds since 1970 in UTC, for strftime_now */
    int32_t utc_offset;    /* seconds that the clock of the place is ahead of UTC */
    llmtext_marker marker; /* NULL: the text is not guarded */
    void *marker_user;
    int32_t generation_tags; /* 1: the tags by which trainers mark the assistant's turns are read over; 0: refused */
} llmtext_chat;

#define LLMTEXT_OK 0
#define LLMTEXT_ERROR_REQUEST 1  /* the request is wrong */
#define LLMTEXT_ERROR_TEMPLATE 2 /* the template is wrong, or refuses the request */
#define LLMTEXT_ERROR_LIMIT 3
#define LLMTEXT_ERROR_MEMORY 4
#define LLMTEXT_ERROR_INTERNAL 5

/* A character of the text that stands for another: the first one of a control token's spelling. */
typedef struct llmtext_substitute {
    uint32_t standing_in, original;
} llmtext_substitute;

typedef struct llmtext_result {
    char *text; /* what was rendered, or one line that says what is wrong */
    size_t length;
    llmtext_substitute *substitutes;
    size_t substitute_count;
} llmtext_result;

/* Renders a conversation. The result is written in any case, and freed by llmtext_free(). */
int32_t llmtext_render(llmtext_result *result, const llmtext_chat *chat);

void llmtext_free(llmtext_result *result);

#ifdef __cplusplus
}
#endif
