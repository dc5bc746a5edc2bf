// Makes a stream of bytes, cut anywhere, a stream of complete UTF-8.
#pragma once

#include <string>
#include <string_view>

namespace llm {

// What has gone in and come out is the same text as if all bytes had come at once: ill-formed sequences are replaced by
// U+FFFD, each maximal subpart by one, and a character that is not complete yet is held back (at most 3 bytes).
class StreamDecoder {
public:
    // The text that the bytes so far make certain and that was not given before.
    std::string push(std::string_view bytes);

    // What was held back, at the end of the stream: U+FFFD or nothing. Afterwards a new stream may begin.
    std::string finish();

private:
    std::string held_;
};

}  // namespace llm
