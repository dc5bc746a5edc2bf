// Saved states of sequences.
#include "capi/barrier.h"
#include "capi/context_checks.h"
#include "capi/convert.h"
#include "capi/handles.h"
#include "io/byte_source.h"
#include "io/output_file.h"

using namespace llm;

llm_status llm_state_save(void *out, size_t capacity, size_t *size, const llm_context *context, int32_t sequence) {
    return barrier([&]() -> llm_status {
        const auto shared = entered(context);
        const uint32_t which = check_sequence(*shared, sequence);
        if (!out && capacity > 0) fail(LLM_ERROR_ARGUMENT, "the buffer is NULL but its capacity is ", capacity);
        const size_t needed = shared->state_bytes(which);
        if (needed <= capacity) shared->save_state(which, {static_cast<uint8_t *>(out), needed});
        if (size) *size = needed;
        return needed <= capacity ? LLM_OK : LLM_BUFFER_TOO_SMALL;
    });
}

llm_status llm_state_restore(llm_context *context, int32_t sequence, const void *state, size_t size) {
    return barrier([&]() -> llm_status {
        const auto shared = entered(context);
        shared->restore_state(check_sequence(*shared, sequence),
                              read_array(static_cast<const uint8_t *>(state), size, "state"));
        return LLM_OK;
    });
}

llm_status llm_state_save_file(const llm_context *context, int32_t sequence, const char *path) {
    return barrier([&]() -> llm_status {
        const auto shared = entered(context);
        const uint32_t which = check_sequence(*shared, sequence);
        std::vector<uint8_t> state(shared->state_bytes(which));
        shared->save_state(which, state);
        write_file(&required(path, "path"), state);
        return LLM_OK;
    });
}

llm_status llm_state_restore_file(llm_context *context, int32_t sequence, const char *path) {
    return barrier([&]() -> llm_status {
        const auto shared = entered(context);
        const uint32_t which = check_sequence(*shared, sequence);
        const std::unique_ptr<ByteSource> file = open_file_source(&required(path, "path"));
        if (file->size() > shared->most_state_bytes())
            fail(LLM_ERROR_MALFORMED, quoted(path), " has ", file->size(), " bytes, a state for this context at most ",
                 shared->most_state_bytes());
        std::vector<uint8_t> state(file->size());
        file->copy_to(0, state);
        shared->restore_state(which, state);
        return LLM_OK;
    });
}
