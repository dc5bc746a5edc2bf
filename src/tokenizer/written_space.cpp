#include "tokenizer/written_space.h"

namespace llm {

void append_with_spaces(std::string &out, std::string_view text) {
    for (size_t found; (found = text.find(written_space)) != text.npos;) {
        out.append(text.substr(0, found)).push_back(' ');
        text.remove_prefix(found + written_space.size());
    }
    out.append(text);
}

}  // namespace llm
