// Loaded before the library (LD_PRELOAD): its logits, but in a context of two threads with one value changed in the
// fifth row that is asked for, so that there is a difference to find.
#include <llm/llm.h>

#include <dlfcn.h>

#include <vector>

extern "C" LLM_API llm_status llm_logits(const float **out, llm_context *context, int32_t row) {
    using Function = llm_status(const float **, llm_context *, int32_t);
    static Function *const original = reinterpret_cast<Function *>(dlsym(RTLD_NEXT, "llm_logits"));
    static std::vector<float> changed;
    static int count = 0;

    const llm_status status = original(out, context, row);
    llm_context_info info = LLM_CONTEXT_INFO_INIT;
    if (status != LLM_OK || llm_context_get_info(&info, context) != LLM_OK || info.threads != 2 || ++count != 5)
        return status;
    changed.assign(*out, *out + info.vocabulary_size);
    changed[7] += 1;
    *out = changed.data();
    return status;
}
