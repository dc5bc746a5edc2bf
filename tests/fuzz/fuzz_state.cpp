// Fuzz target: any bytes as a saved state of a tiny model with a sliding window. They are tried as they are, and with
// magic, version, fingerprint and checksum put right, so that what is behind these is reached. What can be restored is
// saved again and continued.
#include "base/error.h"
#include "fuzz/state_context.h"

#include <algorithm>
#include <cstdlib>

namespace {

using namespace llm;

void attempt(std::span<const uint8_t> state) {
    try {
        test::state_context().restore_state(0, state);
        if (test::saved_state().size() != state.size()) std::abort();
        const llm_token token = 5;
        test::state_context().evaluate(0, std::span(&token, 1), WantedLogits::last);
    } catch (const Error &error) {
        switch (error.status()) {
            case LLM_ERROR_TRUNCATED:
            case LLM_ERROR_MALFORMED:
            case LLM_ERROR_UNSUPPORTED:
            case LLM_ERROR_MODEL:
            case LLM_ERROR_STATE:
            case LLM_ERROR_CONTEXT_FULL:
                break;
            default:
                std::abort();
        }
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    attempt({data, size});
    if (size < StateHeader::bytes + sizeof(uint64_t)) return 0;
    test::state_context().truncate(0, 0);
    const std::vector<uint8_t> empty = test::saved_state();
    std::vector<uint8_t> repaired(data, data + size);
    std::copy_n(empty.begin(), 20, repaired.begin());           // magic, version, cache types
    std::copy_n(empty.begin() + 24, 8, repaired.begin() + 24);  // fingerprint
    seal_state(repaired);
    attempt(repaired);
    return 0;
}
