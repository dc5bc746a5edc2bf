// What becomes of threads when the process is forked: in the child they do not exist.
#pragma once

namespace llm {

// To be called before threads are started or counted on. LLM_ERROR_STATE in a child that was forked after this process,
// or one that it stems from, had made such a call.
void require_own_threads();

// Whether require_own_threads() would fail, and no more than that.
bool threads_lost_in_fork() noexcept;

}  // namespace llm
