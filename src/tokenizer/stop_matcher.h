// Watches a stream of text for the texts that end it, and gives none of them away.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace llm {

// The stream stops at the first byte that completes a stop text, however it is cut: of several that end there, the
// longest counts. Stop texts that are empty or not well-formed UTF-8 never match.
class StopMatcher {
public:
    explicit StopMatcher(const std::vector<std::string> &stops);

    // Takes the next text, of complete characters, and gives what is certain to be no part of a stop text. Nothing
    // once the stream has stopped.
    std::string push(std::string_view text);

    bool stopped() const { return stopped_; }

    // What was held back, at the end of a stream that did not stop.
    std::string finish();

private:
    // The automaton of Knuth, Morris and Pratt for one stop text.
    struct Stop {
        std::string text;
        std::vector<uint32_t> shorter;  // for each number of matching bytes, how many match when the next one does not
        uint32_t matched = 0;
    };

    static void advance(Stop &stop, char byte);

    std::vector<Stop> stops_;
    std::string held_;
    bool stopped_ = false;
};

}  // namespace llm
