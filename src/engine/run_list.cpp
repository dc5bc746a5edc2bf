#include "engine/run_list.h"

namespace llm {

void RunList::add(const Run &run) {
    runs_.push_back(run);
    try {
        tokens_.insert(tokens_.end(), run.tokens.begin(), run.tokens.end());
    } catch (...) {
        runs_.pop_back();
        throw;
    }
    row_count_ += run.row_count();
}

void RunList::clear() {
    tokens_.clear();
    runs_.clear();
    row_count_ = 0;
}

std::span<const Run> RunList::runs() {
    size_t first = 0;
    for (Run &run : runs_) {
        run.tokens = {tokens_.data() + first, run.tokens.size()};
        first += run.tokens.size();
    }
    return runs_;
}

}  // namespace llm
