#include "tokenizer/stop_matcher.h"

#include "base/utf8.h"

#include <algorithm>
#include <utility>

namespace llm {

StopMatcher::StopMatcher(const std::vector<std::string> &stops) {
    for (const std::string &text : stops) {
        if (text.empty() || well_formed_utf8_prefix(text) != text.size()) continue;
        Stop &stop = stops_.emplace_back(Stop{text, {0, 0}, 0});
        // The text is matched against itself, one byte behind.
        for (size_t index = 1; index < text.size(); ++index) {
            advance(stop, text[index]);
            stop.shorter.push_back(stop.matched);
        }
        stop.matched = 0;
    }
}

void StopMatcher::advance(Stop &stop, char byte) {
    while (stop.matched > 0 && stop.text[stop.matched] != byte) stop.matched = stop.shorter[stop.matched];
    if (stop.text[stop.matched] == byte) ++stop.matched;
}

std::string StopMatcher::push(std::string_view text) {
    if (stopped_) return {};
    if (stops_.empty()) return std::string(text);
    size_t longest = 0;  // beginning of a stop text at the end of what was taken
    for (const char byte : text) {
        held_.push_back(byte);
        longest = 0;
        size_t complete = 0;
        for (Stop &stop : stops_) {
            advance(stop, byte);
            longest = std::max<size_t>(longest, stop.matched);
            if (stop.matched == stop.text.size()) complete = std::max(complete, stop.text.size());
        }
        if (complete > 0) {
            stopped_ = true;
            held_.resize(held_.size() - complete);
            return std::exchange(held_, {});
        }
    }
    if (text.empty()) return {};
    std::string out = held_.substr(0, held_.size() - longest);
    held_.erase(0, out.size());
    return out;
}

std::string StopMatcher::finish() {
    for (Stop &stop : stops_) stop.matched = 0;
    return std::exchange(held_, {});
}

}  // namespace llm
