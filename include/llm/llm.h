/*
 * libllm: run large language models from GGUF files on the CPU, inside your own program.
 *
 * This header is the manual. What is not in it is not part of the library's interface.
 *
 * A complete program, without the checks (examples/hello.c has them):
 *
 *     llm_model *model;
 *     llm_context *context;
 *     llm_sampler *sampler;
 *     llm_generation *generation;
 *     llm_token prompt[64];
 *     size_t count;
 *     llm_chunk chunk = LLM_CHUNK_INIT;
 *
 *     llm_model_open(&model, "model.gguf", NULL);
 *     llm_context_new(&context, model, NULL);
 *     llm_sampler_new(&sampler, NULL);
 *     llm_tokenize(prompt, 64, &count, model, "Once upon a time", 16, LLM_TOKENIZE_ADD_SPECIAL);
 *     llm_generation_start(&generation, context, sampler, prompt, count, NULL);
 *     while (llm_generation_next(&chunk, generation) == LLM_OK)
 *         fwrite(chunk.text, 1, chunk.text_length, stdout);
 *     llm_generation_close(generation);
 *     llm_sampler_close(sampler);
 *     llm_context_close(context);
 *     llm_model_close(model);
 *
 * Call shape.  Every function that can fail returns llm_status: 0 is success, a negative value an error, a positive
 * value information. Outputs come first, then the object, then the inputs. An output is written on success only,
 * unless its text says otherwise. After an error, llm_last_error() has one line of detail for the calling thread.
 * LLM_ERROR_ARGUMENT (an argument is NULL or outside its documented range), LLM_ERROR_NO_MEMORY and
 * LLM_ERROR_INTERNAL (a defect of the library; please report it) can come from every such function and are not
 * repeated below.
 *
 * Threads.  A model is immutable: any number of threads may use it at the same time. A context, a batch, a sampler and
 * a generation belong to one thread at a time (any thread); two threads in one of them at once are detected, and the
 * second gets LLM_ERROR_BUSY. llm_cancel(), llm_model_retain(), every *_close() and the functions without an object
 * may be called from any thread. Callbacks run only on a thread that is inside a call to the library.
 *
 * Ownership.  What a function makes through an `llm_x **` output is the caller's, who closes it with llm_x_close().
 * Close accepts NULL. Objects hold a counted reference to those that they need (a context to its model, a generation
 * to its context and sampler), so they may be closed in any order. A handle is a number that is looked up in every
 * call: one that was closed, or belongs to another kind of object, gives LLM_ERROR_ARGUMENT (in functions without a
 * status: what they give for NULL), and closing it again does nothing. A call that is running keeps what it uses: an
 * object that another thread closes meanwhile ends with the call. Nothing else is ever handed over: inputs are copied
 * if they are needed after the call, and pointers that the library returns are borrowed, as each text says.
 *
 * Text is UTF-8, given as bytes and their number, and may hold NUL; ill-formed bytes are data like any other. Names
 * (paths, metadata keys, option names) are zero-terminated UTF-8. Where the caller gives a buffer, the needed size
 * is always written, and a buffer that is too small gives LLM_BUFFER_TOO_SMALL with nothing written to it; a call
 * with capacity 0 and a NULL buffer asks for the size.
 *
 * Process.  The library writes nothing to stdout or stderr, ends no process, lets no C++ exception out, installs no
 * signal handler and changes no locale, environment or working directory.
 *
 * Stability.  Until version 1.0 a minor release may change this header; the SONAME changes with it. Numbers of
 * statuses and flags are never reused. Structs grow only at their end.
 */
/* Columns and macros are set by hand, for reading. */
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

/* ---- Version ---------------------------------------------------------------------------------------------------- */

#define LLM_VERSION_MAJOR 0
#define LLM_VERSION_MINOR 1
#define LLM_VERSION_PATCH 0
#define LLM_VERSION_STRING "0.1.0"
#define LLM_VERSION (LLM_VERSION_MAJOR * 10000 + LLM_VERSION_MINOR * 100 + LLM_VERSION_PATCH)
/* Number in the SONAME (libllm.so.<n>). Raised only when a program built before would no longer run. */
#define LLM_ABI_VERSION 0

/* LLM_VERSION of the library that is loaded, which may be newer than the header. */
LLM_API uint32_t llm_version(void);

/* LLM_VERSION_STRING of the library that is loaded; static. */
LLM_API const char *llm_version_string(void);

/* LLM_ABI_VERSION of the library that is loaded. A binding refuses to work when it is not the one it was made for. */
LLM_API uint32_t llm_abi_version(void);

/* ---- Status ----------------------------------------------------------------------------------------------------- */

typedef int32_t llm_status;

#define LLM_OK 0
/* Information: nothing went wrong. */
#define LLM_END 1              /* a generation has ended; its last chunk was given before */
#define LLM_BUFFER_TOO_SMALL 2 /* the needed size was written; call again with a larger buffer */
#define LLM_CANCELLED 3        /* llm_cancel() or a callback stopped the call; state as before the call */
/* The call was wrong. */
#define LLM_ERROR_ARGUMENT (-10)  /* an argument or option value is NULL, unknown or outside its range */
#define LLM_ERROR_TOO_NEW (-11)   /* an option struct uses fields that this library does not know; update it */
#define LLM_ERROR_BUSY (-12)      /* another thread is inside this object; use one thread at a time */
#define LLM_ERROR_STATE (-13)     /* the object is not in the state that the call needs, e.g. no logits yet */
#define LLM_ERROR_NOT_FOUND (-14) /* no metadata key, tensor or token of that name or number */
/* The machine said no. */
#define LLM_ERROR_NO_MEMORY (-20) /* an allocation failed; nothing was changed, a smaller request may work */
#define LLM_ERROR_IO (-21)        /* the file cannot be opened, read or written; the text has the system's reason */
/* The file is at fault. */
#define LLM_ERROR_NOT_GGUF (-30)    /* not a GGUF file; the text guesses what it is */
#define LLM_ERROR_TRUNCATED (-31)   /* the file ends before what it announces; download it again */
#define LLM_ERROR_MALFORMED (-32)   /* the file contradicts itself or the format */
#define LLM_ERROR_UNSUPPORTED (-33) /* valid, but of a version, type, architecture or tokenizer not in this build */
#define LLM_ERROR_MODEL (-34)       /* hyper-parameters or tensors are missing or do not fit together */
#define LLM_ERROR_VOCABULARY (-35)  /* the tokenizer's data is missing or does not fit together */
#define LLM_ERROR_TEMPLATE (-36)    /* the chat template is wrong, or refuses the conversation; the text has the line */
/* Evaluation. */
#define LLM_ERROR_CONTEXT_FULL (-40) /* no room for these tokens; nothing was evaluated: truncate or enlarge */
#define LLM_ERROR_NONFINITE (-41)    /* logits hold NaN or no finite value, so nothing can be chosen from them */
#define LLM_ERROR_LIMIT (-42)        /* a documented limit of the library was exceeded */
#define LLM_ERROR_NOT_BUILT (-50)    /* the function was left out of this build */
#define LLM_ERROR_INTERNAL (-90)     /* a defect of the library */

/* Name of a status ("LLM_ERROR_IO"); static, "LLM_STATUS_UNKNOWN" for numbers not listed above. */
LLM_API const char *llm_status_name(llm_status status);

/*
 * The calling thread's last error: one line that names the place, the value and the limit. It belongs to the last
 * call on this thread that returned an error, and is empty before the first one.
 *   out, capacity  buffer for the text and a terminating NUL, or NULL and 0
 *   length         receives the number of bytes without the NUL; may be NULL
 * Returns LLM_OK or LLM_BUFFER_TOO_SMALL. Never changes the stored text and works when memory has run out.
 */
LLM_API llm_status llm_last_error(char *out, size_t capacity, size_t *length);

/* ---- Log -------------------------------------------------------------------------------------------------------- */

typedef int32_t llm_log_level;
#define LLM_LOG_DEBUG 0
#define LLM_LOG_INFO 1
#define LLM_LOG_WARNING 2

/* Receives one line without a newline. It must not call the library and must not throw or jump out. */
typedef void (*llm_log_callback)(void *user, llm_log_level level, const char *text, size_t length);

/*
 * Sets the process-wide log callback for lines of `minimum` or above; NULL, the default, is silence. It is called only
 * on threads that are inside a call to the library, possibly on several at the same time. When this function
 * returns, the previous callback is no longer running or called.
 */
LLM_API llm_status llm_log_set(llm_log_callback callback, void *user, llm_log_level minimum);

/* ---- CPU -------------------------------------------------------------------------------------------------------- */

/*
 * Chooses the kernel tier by name: "scalar", "avx2", "avx512", or NULL or "auto" for the best that processor and
 * operating system support. The environment variable LLM_CPU does the same. All tiers give the same bits.
 * Only before a tier is in use, that is before the first model is opened and the first call of llm_cpu_tier() or
 * llm_system_info(); afterwards LLM_ERROR_STATE unless the tier is that one.
 * LLM_ERROR_ARGUMENT for an unknown name, LLM_ERROR_UNSUPPORTED for a tier that this machine does not have.
 */
LLM_API llm_status llm_cpu_select(const char *tier);

/* The tier in use ("avx512"); chosen now if none was yet. LLM_ERROR_ARGUMENT or LLM_ERROR_UNSUPPORTED when LLM_CPU
 * holds such a name. The text is static. */
LLM_API llm_status llm_cpu_tier(const char **out);

/*
 * Facts about library and machine as one JSON object: version, abi_version, tier, tiers, features, threads (the
 * default number: affinity mask and container quota respected), unicode_version, chat_templates (whether built).
 * Buffer as described above; LLM_OK or LLM_BUFFER_TOO_SMALL, and the errors of llm_cpu_tier().
 */
LLM_API llm_status llm_system_info(char *out, size_t capacity, size_t *length);

/* ---- Options ---------------------------------------------------------------------------------------------------- */

/*
 * Options are plain structs. Start from the INIT macro or the init function (both give the same bytes) and change
 * what you need; a NULL pointer stands for the defaults. `struct_size` says which fields the caller's struct has:
 * an older program works with a newer library; a newer program works with an older library as long as the fields
 * that the library does not know are zero, else LLM_ERROR_TOO_NEW.
 *
 * Every numeric option can also be set by name, and each name can be queried: that is one table, from which
 * command line, bindings and documentation are made.
 */
typedef int32_t llm_option_group;
#define LLM_OPTIONS_MODEL 0
#define LLM_OPTIONS_CONTEXT 1
#define LLM_OPTIONS_SAMPLER 2
#define LLM_OPTIONS_GENERATION 3
#define LLM_OPTIONS_CHAT 4

typedef int32_t llm_option_type;
#define LLM_OPTION_INTEGER 0
#define LLM_OPTION_REAL 1
#define LLM_OPTION_CHOICE 2 /* one of the words in `choices` */

typedef struct llm_option {
    size_t struct_size;
    const char *name;
    const char *help;    /* one line */
    const char *choices; /* "packed|mapped" for a choice, else NULL */
    double default_value, minimum, maximum; /* of a choice: indexes of words */
    llm_option_type type;
    int32_t reserved;
} llm_option;
#define LLM_OPTION_INIT {sizeof(llm_option), NULL, NULL, NULL, 0.0, 0.0, 0.0, 0, 0}

/* Number of options in a group; 0 for an unknown group. */
LLM_API size_t llm_option_count(llm_option_group group);

/* Describes the index-th option of a group; texts are static. LLM_ERROR_NOT_FOUND past the end. */
LLM_API llm_status llm_option_describe(llm_option *out, llm_option_group group, size_t index);

/* ---- Model ------------------------------------------------------------------------------------------------------ */

typedef struct llm_model llm_model;

#define LLM_LOAD_PACKED 0 /* read the weights and arrange them for speed; the file is not needed afterwards */
#define LLM_LOAD_MAPPED 1 /* map the file and compute from its own blocks: less memory, shared between processes,
                             slower. The file must not change or shrink while the model is open */

#define LLM_OPEN_ALL 0
#define LLM_OPEN_VOCABULARY 1 /* metadata and tokenizer, no weights: llm_context_new() gives LLM_ERROR_STATE */
#define LLM_OPEN_METADATA 2   /* metadata and tensor directory only; also for models that cannot be run */

/* Called with the part of the load that is done, rising from 0 to 1, every few milliseconds while weights are read.
 * A non-zero return cancels: nothing remains of the model. */
typedef int32_t (*llm_progress_callback)(void *user, float done);

/*
 * The host's allocator for big blocks: the weights of a model, or a context's cache, scratch and logits. Both functions
 * or none are given. They are called only on a thread that is inside a call to the library: allocate on the one that
 * opens the model or makes or uses the context, release possibly on another one, which drops the last reference.
 *   size       of the block in bytes; as given to allocate
 *   alignment  2 MiB for a block of that size or more, else that of a page; less is allowed down to 64 bytes
 * Allocate returns NULL when it has no memory: the call then gives LLM_ERROR_NO_MEMORY (and LLM_ERROR_ARGUMENT when the
 * block begins at no multiple of 64). The bytes need not be zero. The library writes all of them, while without this
 * hook a cache takes memory as it fills. Everything else comes from malloc and operator new: tokenizer and metadata,
 * norms and biases, bookkeeping.
 */
typedef void *(*llm_allocate_callback)(void *user, size_t size, size_t alignment);
typedef void (*llm_release_callback)(void *user, void *block, size_t size);

typedef struct llm_model_options {
    size_t struct_size;
    int32_t load;    /* LLM_LOAD_PACKED (default) or LLM_LOAD_MAPPED */
    int32_t open;    /* LLM_OPEN_ALL (default), LLM_OPEN_VOCABULARY or LLM_OPEN_METADATA */
    int32_t threads; /* threads that load; 0 = the machine's default */
    int32_t reserved;
    const char *pre_tokenizer; /* NULL, or the name to use instead of the file's tokenizer.ggml.pre */
    llm_progress_callback progress;
    void *progress_user;
    uint64_t max_memory; /* most bytes that the weights may take; 0 = no limit. Mapped weights take next to none */
    llm_allocate_callback allocate; /* for packed weights; NULL (default) = pages of the system */
    llm_release_callback release;
    void *memory_user;
    int32_t verify; /* 1 = read all weights and refuse values that are not finite; default 0 */
    int32_t lock;   /* 1 = keep the weights, or the mapped file, in physical memory; default 0 */
} llm_model_options;
#define LLM_MODEL_OPTIONS_INIT {sizeof(llm_model_options), 0, 0, 0, 0, NULL, NULL, NULL, 0, NULL, NULL, NULL, 0, 0}

/* Writes the defaults: the bytes of LLM_MODEL_OPTIONS_INIT. */
LLM_API llm_status llm_model_options_init(llm_model_options *options);

/* Sets an option by name from text ("threads", "2"). LLM_ERROR_NOT_FOUND for an unknown name, LLM_ERROR_ARGUMENT for a
 * value that is no number of its type, no such word, or outside the range; the struct is then unchanged. */
LLM_API llm_status llm_model_options_set(llm_model_options *options, const char *name, const char *value);

/*
 * Opens a model file. After success nothing that the file holds can make a later call fail, with two exceptions:
 * weights that are not finite show as LLM_ERROR_NONFINITE when a token is chosen, or as LLM_ERROR_MODEL here with the
 * option `verify`; and the chat template is read only when it is used.
 *   out      receives the model; NULL after any failure
 *   path     of the file. Of a split model ("name-00001-of-00003.gguf") any part: the others are looked for beside it
 *            under such names, and are all needed
 *   options  or NULL
 * LLM_CANCELLED (by the progress callback), LLM_ERROR_IO, LLM_ERROR_NOT_GGUF, LLM_ERROR_TRUNCATED,
 * LLM_ERROR_MALFORMED, LLM_ERROR_UNSUPPORTED, LLM_ERROR_MODEL, LLM_ERROR_VOCABULARY, LLM_ERROR_TOO_NEW.
 * LLM_ERROR_NO_MEMORY has the numbers when max_memory is too small, which is found before the weights are read, and
 * the system's limit when memory cannot be locked.
 */
LLM_API llm_status llm_model_open(llm_model **out, const char *path, const llm_model_options *options);

/* The same from memory. The bytes must stay unchanged until the model is closed for the last time if options say
 * LLM_LOAD_MAPPED; otherwise they are needed only during the call. */
LLM_API llm_status llm_model_open_memory(llm_model **out, const void *data, size_t size,
                                         const llm_model_options *options);

/*
 * The same from a file that is open already, in which the model may be a part, as in an application's bundle.
 *   descriptor  of a regular file that can be read; on Windows one of the C runtime (_open). It stays the caller's, who
 *               may close it after the call; its position is neither used nor changed
 *   offset      of the model's first byte
 *   length      in bytes; 0 = up to the end of the file
 * LLM_ERROR_ARGUMENT when the range is not inside the file; LLM_ERROR_UNSUPPORTED for the weights of a split model.
 */
LLM_API llm_status llm_model_open_fd(llm_model **out, int descriptor, uint64_t offset, uint64_t length,
                                     const llm_model_options *options);

/* Adds a reference: one more llm_model_close() is needed. Returns its argument, which may be NULL. */
LLM_API llm_model *llm_model_retain(llm_model *model);

/* Drops the caller's reference. The memory is freed with the last reference, those of contexts included. */
LLM_API void llm_model_close(llm_model *model);

typedef struct llm_model_info {
    size_t struct_size;
    const char *architecture; /* "llama"; this and the next two live as long as the model */
    const char *name;         /* general.name, "" if the file has none */
    const char *type;         /* "Q4_1": the tensor type that holds most of the weights' bytes */
    uint64_t parameter_count; /* sum of the elements of all tensors */
    uint64_t file_size;       /* bytes, of all parts */
    uint64_t tensor_bytes;    /* bytes of all tensors as stored */
    uint64_t weight_bytes;    /* bytes of memory that the weights take now (0 when mapped) */
    uint32_t vocabulary_size, context_length /* that it was trained for */, embedding_length, layer_count;
    uint32_t head_count, head_count_kv, head_length, feed_forward_length;
    const char *description;  /* for people, "llama 1.24B Q4_K"; lives as long as the model */
    uint32_t capabilities;    /* LLM_MODEL_* of the architecture; 0 when this build does not know it */
    uint32_t file_count;      /* more than 1 when the model is split */
    uint32_t expert_count, expert_used_count; /* of a mixture of experts, else 0 */
} llm_model_info;
#define LLM_MODEL_INFO_INIT \
    {sizeof(llm_model_info), NULL, NULL, NULL, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL, 0, 0, 0, 0}
#define LLM_MODEL_GENERATES 1u /* a decoder: llm_eval(), llm_generation_start() */
#define LLM_MODEL_EMBEDS 2u    /* an encoder: llm_embed() */

/* Facts about a model. Numbers that the file does not give are 0 in a model that was opened for its metadata. */
LLM_API llm_status llm_model_get_info(llm_model_info *out, const llm_model *model);

/*
 * What the model needs and whether this build has it, as a JSON object with "architecture", "tokenizer",
 * "pre_tokenizer", "rope_scaling" and "tensor_types"; each has "name" and "supported". "runnable" is whether the model
 * could be opened with its weights, as far as can be known without reading them: a shape or a number that does not fit
 * counts, too. "problem" is the text with which opening would fail, or "".
 */
LLM_API llm_status llm_model_support(char *out, size_t capacity, size_t *length, const llm_model *model);

/* ---- Metadata and tensors --------------------------------------------------------------------------------------- */

/* Types of GGUF metadata values, with GGUF's own numbers. */
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

/* One metadata value, or one element of an array. Only the member of its type is meaningful. */
typedef struct llm_value {
    size_t struct_size;
    llm_value_type type;
    llm_value_type element_type; /* of an array */
    uint64_t count;              /* elements of an array, else 1 */
    uint64_t u;                  /* U8, U16, U32, U64, BOOL (0 or 1) */
    int64_t i;                   /* I8, I16, I32, I64 */
    double f;                    /* F32, F64 */
    const char *text;            /* STRING: bytes, not terminated; lives as long as the model */
    size_t text_length;
} llm_value;
#define LLM_VALUE_INIT {sizeof(llm_value), 0, 0, 0, 0, 0, 0.0, NULL, 0}

/* Number of metadata keys. 0 for NULL. */
LLM_API size_t llm_metadata_count(const llm_model *model);

/* Name of the index-th key, in the file's order; lives as long as the model. LLM_ERROR_NOT_FOUND past the end. */
LLM_API llm_status llm_metadata_key(const char **out, const llm_model *model, size_t index);

/* Value of a key. LLM_ERROR_NOT_FOUND when the file has no such key. */
LLM_API llm_status llm_metadata_get(llm_value *out, const llm_model *model, const char *key);

/* Element of an array value; nested arrays are addressed by one index for each level.
 * LLM_ERROR_NOT_FOUND for an unknown key or an index past the end, LLM_ERROR_ARGUMENT when it is no array. */
LLM_API llm_status llm_metadata_element(llm_value *out, const llm_model *model, const char *key,
                                        const uint64_t *indexes, size_t index_count);

typedef struct llm_tensor {
    size_t struct_size;
    const char *name; /* this and the next live as long as the model */
    const char *type; /* "Q4_K" */
    uint64_t shape[4];  /* fastest-running dimension first; unused ones are 1 */
    uint64_t offset;    /* of the first byte, from the start of the file that holds it */
    uint64_t byte_count;
    uint32_t dimension_count;
    uint32_t type_number; /* as in the file */
    uint32_t part;        /* of a split model, that holds it: 0 .. file_count - 1 */
    uint32_t reserved;
} llm_tensor;
#define LLM_TENSOR_INIT {sizeof(llm_tensor), NULL, NULL, {0, 0, 0, 0}, 0, 0, 0, 0, 0, 0}

/* Number of tensors in the file, or in all parts. 0 for NULL. */
LLM_API size_t llm_tensor_count(const llm_model *model);

/* Describes the index-th tensor, in the file's order. LLM_ERROR_NOT_FOUND past the end. */
LLM_API llm_status llm_tensor_get(llm_tensor *out, const llm_model *model, size_t index);

/* ---- Text ------------------------------------------------------------------------------------------------------- */

typedef int32_t llm_token; /* 0 .. vocabulary_size - 1 */
#define LLM_TOKEN_NONE (-1)

#define LLM_TOKENIZE_ADD_SPECIAL 1u   /* add the begin and end tokens that the model wants; never twice */
#define LLM_TOKENIZE_PARSE_SPECIAL 2u /* control tokens' spellings in the text become those tokens. Only for text that
                                         you wrote yourself: with it, a user's text can forge turns of a chat */

/*
 * Turns text into token ids.
 *   out, capacity      buffer for the ids
 *   count              receives the number of ids
 *   text, text_length  UTF-8 bytes; at most 2^31 - 1, else LLM_ERROR_LIMIT
 *   flags              LLM_TOKENIZE_*, or 0 for the plain text
 * Byte-level vocabularies that lack a few bytes (control characters mostly) and have no token for unknown text leave
 * those bytes out, as in training.
 * LLM_OK, LLM_BUFFER_TOO_SMALL; LLM_ERROR_STATE when the model was opened for metadata only; LLM_ERROR_VOCABULARY
 * when the text holds something that this vocabulary cannot express.
 */
LLM_API llm_status llm_tokenize(llm_token *out, size_t capacity, size_t *count, const llm_model *model,
                                const char *text, size_t text_length, uint32_t flags);

#define LLM_DETOKENIZE_SPECIAL 1u /* write control tokens with their spelling; without it they give no text */

/*
 * Turns token ids into text: the inverse of llm_tokenize(), byte for byte where the vocabulary allows it. The bytes
 * may be ill-formed UTF-8 when the ids are (a generation never splits a character; see llm_generation_next()).
 * LLM_OK, LLM_BUFFER_TOO_SMALL; LLM_ERROR_ARGUMENT for an id outside the vocabulary; LLM_ERROR_STATE as above.
 */
LLM_API llm_status llm_detokenize(char *out, size_t capacity, size_t *length, const llm_model *model,
                                  const llm_token *tokens, size_t count, uint32_t flags);

/* The bytes of one token as they stand inside a text (a leading space is kept). Otherwise as llm_detokenize(). */
LLM_API llm_status llm_token_piece(char *out, size_t capacity, size_t *length, const llm_model *model,
                                   llm_token token, uint32_t flags);

#define LLM_TOKEN_NORMAL 0u
#define LLM_TOKEN_CONTROL 1u         /* steers the model, no text: begin, end, turn markers */
#define LLM_TOKEN_USER_DEFINED 2u    /* added by the model's maker; matched before anything else */
#define LLM_TOKEN_UNKNOWN 4u
#define LLM_TOKEN_UNUSED 8u
#define LLM_TOKEN_BYTE 16u           /* stands for one byte that has no token of its own */
#define LLM_TOKEN_ENDS_GENERATION 32u /* a generation stops at it */

typedef struct llm_token_info {
    size_t struct_size;
    const char *text; /* as the vocabulary spells it; lives as long as the model; not terminated */
    size_t text_length;
    float score;      /* 0 where the vocabulary has none */
    uint32_t attributes; /* LLM_TOKEN_* */
} llm_token_info;
#define LLM_TOKEN_INFO_INIT {sizeof(llm_token_info), NULL, 0, 0.0f, 0}

/* Describes a token. LLM_ERROR_ARGUMENT for an id outside the vocabulary. */
LLM_API llm_status llm_token_get_info(llm_token_info *out, const llm_model *model, llm_token token);

typedef int32_t llm_special;
#define LLM_SPECIAL_BEGIN 0 /* of text (BOS) */
#define LLM_SPECIAL_END 1   /* of text (EOS) */
#define LLM_SPECIAL_END_OF_TURN 2
#define LLM_SPECIAL_UNKNOWN 3
#define LLM_SPECIAL_PADDING 4
#define LLM_SPECIAL_SEPARATOR 5

/* Id of a special token, or LLM_TOKEN_NONE when the model has none of the kind (or no tokenizer was opened). */
LLM_API llm_token llm_special_token(const llm_model *model, llm_special which);

/* ---- Chat ------------------------------------------------------------------------------------------------------- */

/*
 * A conversation becomes a prompt through the model's chat template, a small program (Jinja) in its file. It is run
 * as Transformers runs it, with the same text as the result, and it can do nothing but make text.
 *
 * A request is a JSON object:
 *   "messages"               the conversation: objects with "role" and "content" and whatever else the template knows
 *   "tools"                  functions that the model may call, or null; default null
 *   "documents"              as "tools"
 *   "add_generation_prompt"  whether the prompt ends with the beginning of the assistant's turn; default true
 *   "variables"              an object with further variables of the template, e.g. {"enable_thinking": false}
 * Any other key is a variable, too. The variables bos_token, eos_token, unk_token, pad_token and sep_token are the
 * vocabulary's spellings unless the request has them.
 *
 * The guard.  Whoever writes a message could spell the token that ends it, and go on in another's name. With `guard`
 * spellings of control tokens in the request stay plain text, to the bit as llm_tokenize() without flags sees them;
 * only what the template itself writes becomes control tokens. All strings of the request are guarded but for roles,
 * keys that are plain names and variables called "..._token", of which templates make control tokens. What the
 * assistant said is guarded as far as that leaves the prompt's text as it is, because a template may look for the end
 * of its thinking there. A spelling that a message only begins counts, because the next could complete it.
 *
 * Tags of training.  {% generation %} is no part of Jinja: Transformers adds it, so that trainers can mark what the
 * assistant says. A model's template may hold it. A template that the caller gives is read as Jinja reads it, unless
 * `generation_tags` says otherwise.
 *
 * Limits: 1 MiB of template, 64 MiB of request; JSON and values nested 128 and 256 deep, macros and loops about 200;
 * 8 million steps, plus 16 for each byte of the request, where a step is an operation or 64 bytes that are made; 256
 * MiB, plus 32 bytes for each of the request; half a second, unless the thread had to wait for a processor. Most
 * renderings take about a millisecond. They run on a thread of their own, whose stack takes 256 MiB of addresses, but
 * memory only as far as it is used.
 */
typedef struct llm_chat_options {
    size_t struct_size;
    const char *template_text; /* a template to use instead of the file's, or NULL */
    size_t template_length;    /* its bytes */
    const char *template_name; /* one of llm_chat_template_name(); NULL = "default", or "tool_use" if the request has
                                  tools and the file such a template */
    int64_t now;               /* what the template takes for the time: seconds since 1970 in UTC, or LLM_CHAT_NOW
                                  (default) for the system's clock and time zone */
    int32_t utc_offset;        /* with a given time: seconds that local time is ahead of UTC */
    int32_t guard;             /* 1 (default) or 0, for a request that is as trustworthy as the template */
    int32_t generation_tags;   /* tags of training: 1 = read over, 0 = an error, LLM_CHAT_TAGS_AUTO (default) = read
                                  over in the file's templates, an error in `template_text` */
} llm_chat_options;
#define LLM_CHAT_NOW INT64_MIN
#define LLM_CHAT_TAGS_AUTO (-1)
#define LLM_CHAT_OPTIONS_INIT {sizeof(llm_chat_options), NULL, 0, NULL, LLM_CHAT_NOW, 0, 1, LLM_CHAT_TAGS_AUTO}

/* As for the model's options; by name only `utc_offset`, `guard` and `generation_tags`. */
LLM_API llm_status llm_chat_options_init(llm_chat_options *options);
LLM_API llm_status llm_chat_options_set(llm_chat_options *options, const char *name, const char *value);

/*
 * Turns a conversation into token ids, ready for llm_generation_start(). No begin or end tokens are added to those of
 * the template.
 *   out, capacity            buffer for the ids
 *   count                    receives the number of ids
 *   request, request_length  JSON as above, UTF-8
 *   options                  or NULL
 * LLM_OK, LLM_BUFFER_TOO_SMALL; LLM_ERROR_ARGUMENT when the request is no such JSON, with line and column;
 * LLM_ERROR_TEMPLATE with the template's line, and with its own words where it refuses the conversation;
 * LLM_ERROR_NOT_FOUND when the file has no such template; LLM_ERROR_LIMIT; LLM_ERROR_STATE when the model was opened
 * for metadata only; LLM_ERROR_VOCABULARY as for llm_tokenize(); LLM_ERROR_NOT_BUILT when the library was built
 * without Rust; LLM_ERROR_TOO_NEW.
 */
LLM_API llm_status llm_chat_tokenize(llm_token *out, size_t capacity, size_t *count, const llm_model *model,
                                     const char *request, size_t request_length, const llm_chat_options *options);

/* The same prompt as text, to look at: no token of it says any more who wrote it. Otherwise as llm_chat_tokenize(). */
LLM_API llm_status llm_chat_render(char *out, size_t capacity, size_t *length, const llm_model *model,
                                   const char *request, size_t request_length, const llm_chat_options *options);

/* The source of the file's chat template of that name; NULL = "default". LLM_OK, LLM_BUFFER_TOO_SMALL;
 * LLM_ERROR_NOT_FOUND. The model may have been opened for its metadata. */
LLM_API llm_status llm_chat_template(char *out, size_t capacity, size_t *length, const llm_model *model,
                                     const char *name);

/* Name of the index-th chat template, in the file's order. Buffer as above. LLM_ERROR_NOT_FOUND past the end. */
LLM_API llm_status llm_chat_template_name(char *out, size_t capacity, size_t *length, const llm_model *model,
                                          size_t index);

/* ---- Context and evaluation ------------------------------------------------------------------------------------- */

typedef struct llm_context llm_context;

/*
 * How a context keeps keys and values. Bytes of one value of the head lengths in use (64 to 256), and what it costs:
 * Q16   2.0  16-bit integers with a scale for each head; integer arithmetic, about as exact as F16 and the fastest
 * F16   2    half floats, computed with in single precision; values above 65504 overflow
 * F32   4    the most exact
 * BF16  2    upper halves of single precision: the range of F32, 8 bits of precision
 * Q8_0  1.1  8-bit integers with a scale for each 32, computed with like Q16: half the memory, a small loss
 */
#define LLM_CACHE_Q16 0
#define LLM_CACHE_F16 1
#define LLM_CACHE_F32 2
#define LLM_CACHE_BF16 3
#define LLM_CACHE_Q8_0 4

/*
 * What layers with a sliding window keep, as Gemma 2 and 3, gpt-oss and others have them. The results are the same.
 * RING  their window and batch_size positions more, twice: a call that is cancelled leaves what was there before.
 *       A sequence can then be shortened by batch_size tokens, not always by more: see llm_sequence_truncate()
 * FULL  all positions, like the other layers
 */
#define LLM_WINDOW_CACHE_RING 0
#define LLM_WINDOW_CACHE_FULL 1

typedef struct llm_context_options {
    size_t struct_size;
    int32_t context_length; /* tokens that a sequence can hold; 0 = what the model was trained for, at most 4096 */
    int32_t batch_size;     /* tokens computed at once; longer inputs are split, but see llm_embed(). 0 = 512 */
    int32_t threads;        /* threads that compute, the calling one included; 0 = the machine's default */
    int32_t cache_type_k;   /* LLM_CACHE_*; the default is LLM_CACHE_Q16 */
    int32_t cache_type_v;   /* chosen on its own */
    int32_t max_sequences;  /* independent sequences, numbered from 0; default 1 */
    int32_t window_cache;   /* LLM_WINDOW_CACHE_*; the default is LLM_WINDOW_CACHE_RING */
    int32_t idle_microseconds; /* that helping threads stay ready for the next call; 0 (default) = 1000. They keep their
                                  processors busy meanwhile; -1 = not at all, which is slower token by token */
    uint64_t max_memory;    /* most bytes of cache, scratch and logits; 0 = no limit */
    llm_allocate_callback allocate; /* for these; NULL (default) = pages of the system */
    llm_release_callback release;
    void *memory_user;
} llm_context_options;
#define LLM_CONTEXT_OPTIONS_INIT {sizeof(llm_context_options), 0, 0, 0, 0, 0, 1, 0, 0, 0, NULL, NULL, NULL}

/* As for the model's options. */
LLM_API llm_status llm_context_options_init(llm_context_options *options);
LLM_API llm_status llm_context_options_set(llm_context_options *options, const char *name, const char *value);

/*
 * Makes a context: the sequences that are being evaluated and their key-value cache. All memory that evaluation needs
 * is reserved here, but for the logits of more than one token. The context holds a reference to the model.
 * LLM_ERROR_STATE when the model was opened without weights, LLM_ERROR_NO_MEMORY with the bytes that were wanted and,
 * if that is the reason, those that max_memory allows; LLM_ERROR_TOO_NEW.
 */
LLM_API llm_status llm_context_new(llm_context **out, llm_model *model, const llm_context_options *options);

/* Drops the caller's reference. */
LLM_API void llm_context_close(llm_context *context);

typedef struct llm_context_info {
    size_t struct_size;
    uint64_t cache_bytes;   /* reserved for keys and values */
    uint64_t scratch_bytes; /* for intermediate results and logits */
    uint32_t context_length, batch_size, threads, max_sequences, vocabulary_size;
    uint32_t reserved;
} llm_context_info;
#define LLM_CONTEXT_INFO_INIT {sizeof(llm_context_info), 0, 0, 0, 0, 0, 0, 0, 0}

/* The values that are in force. */
LLM_API llm_status llm_context_get_info(llm_context_info *out, const llm_context *context);

/*
 * Changes the number of threads that compute; 0 = the machine's default. Results stay the same, to the bit; logits
 * and sequences are kept. The threads' scratch memory is taken anew before the old one is given back.
 * LLM_ERROR_NO_MEMORY, with nothing changed; LLM_ERROR_BUSY.
 */
LLM_API llm_status llm_context_set_threads(llm_context *context, int32_t threads);

/* What a context has done since it was made or its counters were reset. Calls that failed or were cancelled do not
 * count. */
typedef struct llm_context_counters {
    size_t struct_size;
    uint64_t prompt_tokens;      /* evaluated in calls with several tokens of a sequence, and embedded */
    uint64_t prompt_nanoseconds; /* in these calls */
    uint64_t single_tokens;      /* evaluated in calls with one token of a sequence, as in generation */
    uint64_t single_nanoseconds;
    uint64_t reused_tokens;           /* of prompts, found in the cache and not evaluated again */
    uint64_t evaluations;             /* calls that evaluated tokens */
    uint64_t first_token_nanoseconds; /* of the last generation: from the begin of its first llm_generation_next() to
                                         its first token; 0 before it */
    uint64_t longest_sequence;        /* tokens */
} llm_context_counters;
#define LLM_CONTEXT_COUNTERS_INIT {sizeof(llm_context_counters), 0, 0, 0, 0, 0, 0, 0, 0}

/* LLM_ERROR_BUSY. */
LLM_API llm_status llm_context_get_counters(llm_context_counters *out, const llm_context *context);

/* Sets all counters to 0. LLM_ERROR_BUSY. */
LLM_API llm_status llm_context_reset_counters(llm_context *context);

/* Memory that a model and a context take together. */
typedef struct llm_memory {
    size_t struct_size;
    uint64_t weight_bytes;  /* as in llm_model_info */
    uint64_t mapped_bytes;  /* of the file, that evaluation reads; 0 unless the load mode is LLM_LOAD_MAPPED */
    uint64_t cache_bytes;   /* this and the rest as in llm_context_info */
    uint64_t scratch_bytes; /* logits of one token included; those of more are allocated when they are asked for */
    uint32_t context_length, batch_size, threads, max_sequences;
} llm_memory;
#define LLM_MEMORY_INIT {sizeof(llm_memory), 0, 0, 0, 0, 0, 0, 0, 0}

/*
 * Computes, without reading weights or allocating any of it, the memory that a model and a context will take: what
 * llm_model_get_info() and llm_context_get_info() give afterwards. Vocabulary and metadata come on top.
 *   out      receives the numbers
 *   model    opened in any depth; its load mode is the one that is counted, also with LLM_OPEN_METADATA
 *   options  of the context, or NULL
 * The kernel tier is chosen now if none was yet. LLM_ERROR_UNSUPPORTED, LLM_ERROR_MODEL and LLM_ERROR_VOCABULARY as
 * llm_model_open() would give; LLM_ERROR_TOO_NEW.
 */
LLM_API llm_status llm_memory_estimate(llm_memory *out, const llm_model *model, const llm_context_options *options);

#define LLM_EVAL_LOGITS_ALL 1u  /* keep logits of every token of the call, not only of the last */
#define LLM_EVAL_LOGITS_NONE 2u /* keep none */

/*
 * Appends tokens to a sequence and evaluates them. The result does not depend, to the bit, on how a text is divided
 * into calls, on the batch size, on the number of threads or on the kernel tier.
 *   sequence       0 .. max_sequences - 1
 *   tokens, count  ids; a count of 0 does nothing
 *   flags          LLM_EVAL_*, or 0 for the logits of the last token
 * All or nothing: after any status but LLM_OK the sequence is as it was before the call, and there are no logits.
 * LLM_CANCELLED; LLM_ERROR_CONTEXT_FULL; LLM_ERROR_ARGUMENT for an id outside the vocabulary; LLM_ERROR_STATE when the
 * model is an encoder (see llm_embed()); LLM_ERROR_BUSY.
 */
LLM_API llm_status llm_eval(llm_context *context, int32_t sequence, const llm_token *tokens, size_t count,
                            uint32_t flags);

/* Tokens of several sequences that are evaluated together. It belongs to no context. */
typedef struct llm_batch llm_batch;

/* Makes an empty batch. */
LLM_API llm_status llm_batch_new(llm_batch **out);

/* Ends the batch. */
LLM_API void llm_batch_close(llm_batch *batch);

/*
 * Puts tokens at the end of a batch, to be appended to a sequence. The tokens are copied.
 *   first_row      receives the number of the first row of logits that they will have in llm_logits(), the next one
 *                  being that of the next token with logits; may be NULL
 *   sequence       of the context that will evaluate the batch. One that comes again in the batch goes on there
 *   tokens, count  ids, any number
 *   flags          LLM_EVAL_LOGITS_ALL or LLM_EVAL_LOGITS_NONE, or 0 for the logits of the last of these tokens
 * After an error the batch is as before. LLM_ERROR_BUSY.
 */
LLM_API llm_status llm_batch_add(size_t *first_row, llm_batch *batch, int32_t sequence, const llm_token *tokens,
                                 size_t count, uint32_t flags);

/* Empties a batch. LLM_ERROR_BUSY. */
LLM_API llm_status llm_batch_clear(llm_batch *batch);

/*
 * Evaluates the tokens of a batch: several sequences together take hardly longer than one, because the weights are read
 * once for all of them. The result is, to the bit, that of an llm_eval() for each llm_batch_add(). Rows of logits are
 * in the order in which the tokens were added. The batch stays as it is and may be evaluated again.
 * All or nothing, for all sequences together, with the statuses of llm_eval(); LLM_ERROR_BUSY also of the batch.
 * A batch without tokens does nothing.
 */
LLM_API llm_status llm_eval_batch(llm_context *context, llm_batch *batch);

/* Makes the llm_eval(), llm_eval_batch(), llm_generation_next() or llm_embed() that is running in this context return
 * LLM_CANCELLED within a layer's time; without a running call, the next one. From any thread and from signal
 * handlers. */
LLM_API void llm_cancel(llm_context *context);

/*
 * Logits of the last evaluation: vocabulary_size floats, borrowed until the next call that evaluates in this context.
 *   row  0 .. rows - 1 in the order of the tokens, or -1 for the last
 * LLM_ERROR_STATE when there are none, LLM_ERROR_ARGUMENT for a row outside.
 */
LLM_API llm_status llm_logits(const float **out, llm_context *context, int32_t row);

/* Number of tokens in a sequence. */
LLM_API llm_status llm_sequence_length(size_t *out, const llm_context *context, int32_t sequence);

/*
 * Shortens a sequence to its first `length` tokens; evaluation goes on from there.
 * Always possible to 0, to up to batch_size tokens less than after the last evaluation, and in a model without sliding
 * windows or with LLM_WINDOW_CACHE_FULL. Else LLM_ERROR_STATE when the layers with a window no longer have what the
 * next token needs; the text says which lengths are possible. LLM_ERROR_ARGUMENT when it is shorter already,
 * LLM_ERROR_BUSY. After an error the sequence is as before.
 */
LLM_API llm_status llm_sequence_truncate(llm_context *context, int32_t sequence, size_t length);

/* Empties a sequence, which may then be used again: llm_sequence_truncate() to 0. */
LLM_API llm_status llm_sequence_remove(llm_context *context, int32_t sequence);

/*
 * Makes sequence `to` a copy of sequence `from`; what it was before is removed. Nothing is evaluated, and nothing is
 * copied before it has to be: both share their memory until they go different ways. Logits of the last token of `from`
 * are also those of `to`.
 * LLM_ERROR_ARGUMENT when both are the same; LLM_ERROR_BUSY.
 */
LLM_API llm_status llm_sequence_fork(llm_context *context, int32_t from, int32_t to);

/*
 * Prepares a sequence for a text of which it may have the beginning already. Shortens it to the longest part that both
 * begin with, so that only tokens[kept] on are still to be evaluated.
 *   kept           receives the length of that part, now the length of the sequence: count - 1 at most, so that a
 *                  token is left whose evaluation gives logits. 0 where llm_sequence_truncate() would refuse, as it can
 *                  with sliding windows
 *   tokens, count  the whole text
 * LLM_ERROR_BUSY.
 */
LLM_API llm_status llm_sequence_reuse_prefix(size_t *kept, llm_context *context, int32_t sequence,
                                             const llm_token *tokens, size_t count);

/*
 * Saves a sequence, to go on with it later or elsewhere: its tokens and what the next one needs of the cache, with a
 * checksum and a fingerprint of the model. The bytes are the same for the same text, on every machine.
 *   out, capacity  buffer
 *   size           receives the number of bytes; may be NULL
 * LLM_OK, LLM_BUFFER_TOO_SMALL; LLM_ERROR_STATE when the model is an encoder; LLM_ERROR_BUSY.
 */
LLM_API llm_status llm_state_save(void *out, size_t capacity, size_t *size, const llm_context *context,
                                  int32_t sequence);

/*
 * Replaces a sequence by a saved one, which then goes on with the same bits: in any context of the same model with the
 * same cache types, whatever its length, batch size and number of sequences. It has no logits before the next
 * evaluation, and with sliding windows it can be shortened to 0 and to little less than its length only (see
 * llm_sequence_truncate()).
 * The bytes may come from anywhere: whatever they are, the sequence is replaced or as it was before.
 * LLM_ERROR_TRUNCATED, LLM_ERROR_MALFORMED, LLM_ERROR_UNSUPPORTED for bytes that are damaged, no state, or of another
 * version; LLM_ERROR_MODEL when the state is one of another model file, or its context had another length and the
 * model's rotations (LongRoPE) depend on that; LLM_ERROR_STATE for other cache types, or when
 * the model is an encoder; LLM_ERROR_CONTEXT_FULL when it has more tokens than a sequence holds; LLM_ERROR_BUSY.
 */
LLM_API llm_status llm_state_restore(llm_context *context, int32_t sequence, const void *state, size_t size);

/*
 * The same with a file. Saving writes `path`.part first and renames it then, so a file that was there before stays
 * whole when it fails. Also LLM_ERROR_IO.
 */
LLM_API llm_status llm_state_save_file(const llm_context *context, int32_t sequence, const char *path);
LLM_API llm_status llm_state_restore_file(llm_context *context, int32_t sequence, const char *path);

/* ---- Embeddings ------------------------------------------------------------------------------------------------- */

/* How the vectors that an encoder gives for the tokens of an input become the input's embedding. */
typedef int32_t llm_pooling;
#define LLM_POOLING_DEFAULT 0 /* as the model's file says, the mean if it says nothing */
#define LLM_POOLING_MEAN 1    /* of all tokens */
#define LLM_POOLING_FIRST 2   /* the vector of the first token, which is often called CLS */
#define LLM_POOLING_LAST 3    /* the vector of the last token */
#define LLM_POOLING_NONE 4    /* all vectors, one behind the other in the order of the tokens */

#define LLM_EMBED_NORMALIZE 1u /* divide each vector by its Euclidean length, so that a dot product is the cosine */

/*
 * Computes the embedding of an input with an encoder ("bert", "nomic-bert"), whose tokens see each other in both
 * directions: the input is computed at once and on its own, and no sequence of the context changes. The result does
 * not depend, to the bit, on the number of threads or on the kernel tier.
 *   out, capacity        buffer for the embedding: as many floats as llm_model_info's embedding_length, with
 *                        LLM_POOLING_NONE times token_count
 *   count                receives the number of floats; may be NULL
 *   tokens, token_count  ids, at least one; as the model was trained: with LLM_TOKENIZE_ADD_SPECIAL
 *   pooling              LLM_POOLING_*
 *   flags                LLM_EMBED_NORMALIZE, or 0 for the vectors as they are
 * LLM_OK; LLM_BUFFER_TOO_SMALL, with nothing computed; LLM_CANCELLED (by llm_cancel()); LLM_ERROR_STATE when the model
 * is no encoder; LLM_ERROR_CONTEXT_FULL when there are more tokens than the context's batch_size, whose default is
 * here the context length; LLM_ERROR_ARGUMENT for an id outside the vocabulary; LLM_ERROR_NONFINITE when the embedding
 * is not finite; LLM_ERROR_BUSY. The buffer is written on LLM_OK only.
 */
LLM_API llm_status llm_embed(float *out, size_t capacity, size_t *count, llm_context *context, const llm_token *tokens,
                             size_t token_count, llm_pooling pooling, uint32_t flags);

/* ---- Sampling --------------------------------------------------------------------------------------------------- */

typedef struct llm_sampler llm_sampler;

typedef struct llm_logit_bias {
    llm_token token;
    float bias; /* added to the token's logit; minus infinity = never that token */
} llm_logit_bias;

/*
 * A sampler is a chain, in this order: logit bias, penalties (repeat, frequency, presence), DRY; top-n-sigma, top-k,
 * typical, top-p, min-p, XTC; temperature; then one of the tokens that are left is drawn. Every filter works with the
 * probabilities, at temperature 1, of what the one before it left, and leaves at least one token. With mirostat, the
 * temperature and behind it mirostat take the place of the filters. With temperature 0, and no range of it, the best
 * token behind DRY is chosen. The unit of logits, penalties and biases is the natural logarithm of a probability.
 *
 * A token is drawn with std::mt19937 seeded with `seed` (the 32-bit Mersenne Twister of the C++ standard): its next
 * output r gives the first token, in order of falling probability, at which the running sum of probabilities exceeds
 * r / 2^32. Equal logits rank by id, the lower first. XTC, when its probability is not 0, takes the output before
 * that, and acts if it is below xtc_probability * 2^32. So a seed means the same text on every platform.
 */
typedef struct llm_sampler_options {
    size_t struct_size;
    float temperature; /* 0 = always the most probable token; default 0.8 */
    float top_p;       /* keep the smallest set of that much probability; 1 = all; default 0.95 */
    float min_p;       /* drop tokens less probable than this times the best; 0 = none; default 0.05 */
    int32_t top_k;     /* keep that many; 0 = all; default 40 */
    uint32_t seed;     /* LLM_SEED_RANDOM (default): taken from the system, readable by llm_sampler_seed() */
    uint32_t reserved;
    float typical_p;         /* keep the tokens of nearly expected information, of that probability; default 1 = all */
    float top_n_sigma;       /* drop logits that many standard deviations below the best; default 0 = none */
    float xtc_probability;   /* how often to drop all probable tokens but the least; default 0 = never */
    float xtc_threshold;     /* what is probable; default 0.1 */
    float dynatemp_range;    /* vary the temperature by so much with the entropy; default 0 */
    float dynatemp_exponent; /* of the normalized entropy; default 1 */
    int32_t repeat_last_n;   /* tokens that the penalties look at; -1 = all, default 64 */
    float repeat_penalty;    /* positive logits of these are divided by it, others multiplied; default 1 = off */
    float frequency_penalty; /* subtracted for each time that a token occurs; default 0 */
    float presence_penalty;  /* subtracted when it occurs at all; default 0 */
    float dry_multiplier;    /* DRY: the penalty of a token that prolongs a repetition of dry_allowed_length tokens; */
    float dry_base;          /*      times that for each further token; defaults 0 = off, 1.75 */
    int32_t dry_allowed_length; /* default 2 */
    int32_t dry_penalty_last_n; /* tokens that DRY looks at; default -1 = all */
    int32_t mirostat;        /* 0 (default) = off, 2 = version 2: keep the surprise near mirostat_tau */
    float mirostat_tau;      /* in bits; default 5 */
    float mirostat_eta;      /* how fast it adapts; default 0.1 */
    int32_t min_keep;        /* typical, top-p, min-p and XTC leave at least so many; default 0 */
    const llm_logit_bias *logit_bias; /* copied, like the following */
    size_t logit_bias_count;
    const char *const *dry_breakers; /* texts that a repetition does not reach across; NULL = newline : " *  They are
                                        found in the vocabulary of the model that the sampler is used with */
    const size_t *dry_breaker_lengths;
    size_t dry_breaker_count;
} llm_sampler_options;
#define LLM_SEED_RANDOM 0xFFFFFFFFu
#define LLM_SAMPLER_OPTIONS_INIT {sizeof(llm_sampler_options), 0.8f, 0.95f, 0.05f, 40, LLM_SEED_RANDOM, 0, 1.0f, \
    0.0f, 0.0f, 0.1f, 0.0f, 1.0f, 64, 1.0f, 0.0f, 0.0f, 0.0f, 1.75f, 2, -1, 0, 5.0f, 0.1f, 0, NULL, 0, NULL, NULL, 0}

/* As for the model's options. */
LLM_API llm_status llm_sampler_options_init(llm_sampler_options *options);
LLM_API llm_status llm_sampler_options_set(llm_sampler_options *options, const char *name, const char *value);

/* Overwrites those options for which the model's file recommends a value (metadata general.sampling.*). What is not of
 * the option's type and range is ignored. */
LLM_API llm_status llm_sampler_options_from_model(llm_sampler_options *options, const llm_model *model);

/* Makes a sampler. LLM_ERROR_ARGUMENT for values outside their range or not finite, LLM_ERROR_TOO_NEW. */
LLM_API llm_status llm_sampler_new(llm_sampler **out, const llm_sampler_options *options);

/* Makes a sampler that goes on as this one does: with its random numbers and the tokens that it has seen.
 * LLM_ERROR_BUSY. */
LLM_API llm_status llm_sampler_clone(llm_sampler **out, llm_sampler *sampler);

/* Drops the caller's reference. */
LLM_API void llm_sampler_close(llm_sampler *sampler);

/* The seed that is in force, to repeat a run. 0 for NULL. */
LLM_API uint32_t llm_sampler_seed(const llm_sampler *sampler);

/* Starts again from the seed, without tokens seen. LLM_ERROR_BUSY. */
LLM_API llm_status llm_sampler_reset(llm_sampler *sampler);

/* Tells the sampler of tokens that it did not choose, such as a prompt, for penalties and DRY. llm_sample() and
 * generations do that themselves. LLM_ERROR_BUSY. */
LLM_API llm_status llm_sampler_accept(llm_sampler *sampler, const llm_token *tokens, size_t count);

/*
 * Chooses a token from a row of the context's logits (-1 = the last row), and accepts it.
 * LLM_ERROR_STATE when there are no logits, LLM_ERROR_NONFINITE, LLM_ERROR_ARGUMENT when logit_bias names a token
 * outside the vocabulary, LLM_ERROR_BUSY (of sampler or context). The sampler is then as it was.
 */
LLM_API llm_status llm_sample(llm_token *out, llm_sampler *sampler, llm_context *context, int32_t row);

typedef struct llm_token_logprob {
    llm_token token;
    float logprob; /* natural logarithm of the token's probability at temperature 1, unfiltered */
} llm_token_logprob;

/*
 * The most probable tokens of a row of logits (-1 = the last row), the best first, no sampler applied.
 *   out, n  buffer for that many tokens
 *   count   receives the number written, less than n when not so many are possible; may be NULL
 * LLM_ERROR_STATE when there are no logits, LLM_ERROR_NONFINITE, LLM_ERROR_BUSY.
 */
LLM_API llm_status llm_logprobs(llm_token_logprob *out, size_t n, size_t *count, llm_context *context, int32_t row);

/* ---- Generation ------------------------------------------------------------------------------------------------- */

typedef struct llm_generation llm_generation;

typedef struct llm_generation_options {
    size_t struct_size;
    int32_t sequence;   /* that is continued; default 0 */
    int32_t max_tokens; /* most tokens to generate; 0 = until the context is full; default 0 */
    int32_t logprobs;   /* n = give each chunk its logprob and the n most probable tokens; 0 (default) = none */
    int32_t reuse_prefix; /* 1 = the prompt is the sequence's whole text, see below; 0 (default) = it is appended */
    const char *const *stops;   /* texts, of complete characters, that end the generation; not part of the output.
                                   One that spells a control token stops at that token */
    const size_t *stop_lengths; /* their bytes */
    size_t stop_count;
} llm_generation_options;
#define LLM_GENERATION_OPTIONS_INIT {sizeof(llm_generation_options), 0, 0, 0, 0, NULL, NULL, 0}

/* As for the model's options. */
LLM_API llm_status llm_generation_options_init(llm_generation_options *options);
LLM_API llm_status llm_generation_options_set(llm_generation_options *options, const char *name, const char *value);

typedef int32_t llm_finish_reason;
#define LLM_FINISH_NONE 0         /* it goes on */
#define LLM_FINISH_END_TOKEN 1    /* the model ended its text */
#define LLM_FINISH_STOP 2         /* a stop text was found */
#define LLM_FINISH_LENGTH 3       /* max_tokens were generated */
#define LLM_FINISH_CONTEXT_FULL 4 /* the sequence has no room for a further token */

typedef struct llm_chunk {
    size_t struct_size;
    const char *text;   /* complete UTF-8, possibly empty; borrowed until the next call with this generation */
    size_t text_length;
    llm_token token;    /* that was chosen in this step */
    llm_finish_reason finish_reason;
    float logprob;      /* if asked for: natural logarithm of the token's probability at temperature 1, unfiltered */
    uint32_t reserved;
    const llm_token_logprob *top; /* if asked for: the most probable tokens, the best first; borrowed like the text */
    size_t top_count;
} llm_chunk;
#define LLM_CHUNK_INIT {sizeof(llm_chunk), NULL, 0, LLM_TOKEN_NONE, 0, 0.0f, 0, NULL, 0}

/*
 * Starts a generation that continues a sequence after `prompt`. Nothing is evaluated yet. It holds references to
 * context and sampler; while it is open, evaluating in the same sequence by other means gives undefined text, not
 * undefined behaviour.
 *   prompt, count  ids to append first, which the sampler accepts when they are evaluated; may be empty when the
 *                  context's last evaluation gave the sequence's last token logits
 * With reuse_prefix the prompt is the whole text from the sequence's first token on, a conversation so far, for
 * instance. This call then does what llm_sequence_reuse_prefix() does: afterwards llm_sequence_length() is the number
 * of tokens that need not be evaluated again. The sampler accepts these, too.
 * LLM_ERROR_STATE when there is neither prompt nor logits, or no prompt with reuse_prefix; LLM_ERROR_TOO_NEW. After an
 * error the sequence is as before.
 */
LLM_API llm_status llm_generation_start(llm_generation **out, llm_context *context, llm_sampler *sampler,
                                        const llm_token *prompt, size_t count,
                                        const llm_generation_options *options);

/*
 * Generates the next token and gives the text that has become certain: incomplete characters and possible beginnings
 * of a stop text are held back, so all chunks together are exactly the text. Bytes that never become a
 * character are given as U+FFFD at the end. The chunk with a finish_reason is the last and has what was held back.
 * LLM_OK with a chunk; LLM_END after the last one; otherwise as llm_eval() and llm_sample(), with the generation
 * as before the call, so that it may be called again (after LLM_CANCELLED, for instance).
 */
LLM_API llm_status llm_generation_next(llm_chunk *out, llm_generation *generation);

/* Drops the caller's reference. The sequence keeps the prompt and all generated tokens that were evaluated. */
LLM_API void llm_generation_close(llm_generation *generation);

#ifdef __cplusplus
}
#endif

#endif
