#include "tokenizer/stream_decoder.h"

#include "base/utf8.h"

namespace llm {

std::string StreamDecoder::push(std::string_view bytes) {
    std::string out;
    held_.append(bytes);
    std::string_view rest = held_;
    while (!rest.empty()) {
        const size_t good = well_formed_utf8_prefix(rest);
        out.append(rest.substr(0, good));
        rest.remove_prefix(good);
        if (rest.empty()) break;
        const Utf8Character bad = decode_utf8(rest);
        if (bad.incomplete) break;
        out.append(replacement_character_utf8);
        rest.remove_prefix(bad.length);
    }
    held_.erase(0, held_.size() - rest.size());
    return out;
}

std::string StreamDecoder::finish() {
    const bool incomplete = !held_.empty();
    held_.clear();
    return incomplete ? std::string(replacement_character_utf8) : std::string();
}

}  // namespace llm
