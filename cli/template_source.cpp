#include "template_source.h"

namespace cli {

std::vector<std::string> template_names(const llm_model *model) {
    std::vector<std::string> names;
    for (;;) {
        std::size_t length = 0;
        const llm_status status = llm_chat_template_name(nullptr, 0, &length, model, names.size());
        if (status == LLM_ERROR_NOT_FOUND) return names;
        names.push_back(fill<std::string>([&](char *out, std::size_t capacity, std::size_t *size) {
            return llm_chat_template_name(out, capacity, size, model, names.size());
        }));
    }
}

std::string template_source(const llm_model *model, const std::string &name) {
    return fill<std::string>([&](char *out, std::size_t capacity, std::size_t *length) {
        return llm_chat_template(out, capacity, length, model, name.c_str());
    });
}

}  // namespace cli
