/*
 * The raw layer in Go (package raw): handles are uintptr, texts and bytes are strings, spans are slices, and a status
 * is an Outcome. See llm.i for what the words in capitals stand for. bindings/go/generate.sh runs SWIG.
 */
#pragma SWIG nowarn=453 /* llm.i applies typemaps of three arguments, which Go takes as a slice and a pointer */

%insert(cgo_comment_typedefs) %{
#cgo pkg-config: llm
%}

%rename("%(camelcase)s", %$isfunction) "";
%rename("%(camelcase)s", %$isclass) "";
%rename("%(camelcase)s", %$isvariable) "";
%rename(LlmModelOpenFd) llm_model_open_fd;
%rename("$ignore", regextarget=1) "^llm_[a-z]+_options_(init|set)$";

%typemap(gotype) size_t, const size_t & "uint64"
%typemap(gotype) int32_t, const int32_t & "int32"
%typemap(gotype) uint32_t, const uint32_t & "uint32"

/*
 * What a call returned. The text of an error is fetched in the native call that failed, because the goroutine may be
 * on another thread a moment later. Information and the lack of memory have no text, so that they need no memory.
 */
%{
typedef struct raw_outcome {
    llm_status status;
    int has_text; /* and is to be freed */
    char text[];
} raw_outcome;

static const raw_outcome outcome_end = {LLM_END, 0};
static const raw_outcome outcome_buffer_too_small = {LLM_BUFFER_TOO_SMALL, 0};
static const raw_outcome outcome_cancelled = {LLM_CANCELLED, 0};
static const raw_outcome outcome_no_memory = {LLM_ERROR_NO_MEMORY, 0};

static const raw_outcome *outcome_of(llm_status status) {
    raw_outcome *made;
    size_t length = 0;
    switch (status) {
        case LLM_OK: return NULL;
        case LLM_END: return &outcome_end;
        case LLM_BUFFER_TOO_SMALL: return &outcome_buffer_too_small;
        case LLM_CANCELLED: return &outcome_cancelled;
    }
    llm_last_error(NULL, 0, &length);
    made = (raw_outcome *)malloc(sizeof *made + length + 1);
    if (!made) return &outcome_no_memory;
    made->status = status;
    made->has_text = 1;
    made->text[0] = '\0';
    llm_last_error(made->text, length + 1, NULL);
    return made;
}
%}

%typemap(gotype) llm_status "Outcome"
%typemap(imtype) llm_status "uint64" /* for uintptr SWIG would declare llm_status, of 32 bits */
%typemap(out) llm_status %{ $result = (uintptr_t)outcome_of($1); %}
%typemap(goout) llm_status %{ $result = outcomeOf(uintptr($input)) %}
%apply int32_t { llm_status status }; /* as an argument */

/* Texts that are returned live longer than the call; Go takes a copy. */
%typemap(out) const char * %{ $result.p = (char *)$1; $result.n = $1 ? (intgo)strlen($1) : 0; %}
%typemap(goout) const char * %{ $result = strings.Clone($input) %}
%insert(go_imports) %{"strings"%}

/* ---- Handles ---------------------------------------------------------------------------------------------------- */

%define HANDLE(type)
%typemap(gotype) type *, const type * "uintptr"
%typemap(in) type *, const type * %{ $1 = ($1_ltype)$input; %}
%typemap(out) type *, const type * %{ $result = ($1_ltype)$1; %}
%enddef
HANDLE(llm_model)
HANDLE(llm_context)
HANDLE(llm_batch)
HANDLE(llm_sampler)
HANDLE(llm_generation)
HANDLE(raw_options)
HANDLE(struct llm_model_options)
HANDLE(struct llm_context_options)
HANDLE(struct llm_sampler_options)
HANDLE(struct llm_generation_options)
HANDLE(struct llm_chat_options)
HANDLE(struct raw_outcome)

%inline %{
static int raw_outcome_status(const struct raw_outcome *outcome) { return outcome->status; }
static const char *raw_outcome_text(const struct raw_outcome *outcome) {
    return outcome->has_text ? outcome->text : "";
}
static void raw_outcome_free(const struct raw_outcome *outcome) {
    if (outcome->has_text) free((void *)outcome);
}
%}

%insert(go_wrapper) %{
// Outcome is the status of a call, with the text of llm_last_error() if it is an error.
type Outcome struct {
    Status int32
    Text   string
}

func outcomeOf(native uintptr) Outcome {
    if native == 0 {
        return Outcome{}
    }
    outcome := Outcome{int32(RawOutcomeStatus(native)), RawOutcomeText(native)}
    RawOutcomeFree(native)
    return outcome
}
%}

%typemap(gotype) void **HANDLE_OUT "*uintptr"
%typemap(in) void **HANDLE_OUT %{ $1 = ($1_ltype)$input; %}

/* ---- Texts and spans -------------------------------------------------------------------------------------------- */

/* The caller makes sure that a name holds no NUL: what comes behind it would be lost. */
%typemap(gotype) const char *NAME "string"
%typemap(imtype) const char *NAME "string"
%typemap(goin) const char *NAME %{ $result = $input + "\x00" %}
%typemap(in) const char *NAME %{ $1 = $input.p; %}
%typemap(freearg) const char *NAME ""
%typemap(argout) const char *NAME ""

%typemap(gotype) (const void *BYTES, size_t LENGTH) "string"
%typemap(in) (const void *BYTES, size_t LENGTH) %{ $1 = ($1_ltype)$input.p; $2 = (size_t)$input.n; %}
%typemap(freearg) (const void *BYTES, size_t LENGTH) ""
%typemap(argout) (const void *BYTES, size_t LENGTH) ""

%define SPAN(go_type, pointer, name, count)
%typemap(gotype) (pointer name, size_t count) #go_type
%typemap(in) (pointer name, size_t count) %{ $1 = ($1_ltype)$input.array; $2 = (size_t)$input.len; %}
%enddef
SPAN([]int32, const llm_token *, TOKENS, COUNT)
SPAN([]uint64, const uint64_t *, NUMBERS, COUNT)
SPAN([]byte, char *, out, capacity)
SPAN([]byte, void *, out, capacity)
SPAN([]int32, llm_token *, out, capacity)
SPAN([]float32, float *, out, capacity)
SPAN([]float32, float *, values, value_capacity)

/* The size that a span needs, and other numbers that are written. */
%typemap(gotype) size_t *SIZE_OUT, size_t *length, size_t *size, size_t *count, size_t *value_count "*uint64"
%typemap(in) size_t *SIZE_OUT, size_t *length, size_t *size, size_t *count, size_t *value_count
    %{ $1 = (size_t *)$input; %}
%typemap(gotype) llm_token *TOKEN_OUT "*int32"
%typemap(in) llm_token *TOKEN_OUT %{ $1 = (llm_token *)$input; %}
