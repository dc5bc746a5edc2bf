#include "token_table.h"

#include "text_io.h"

namespace cli {

std::string id_list(const std::vector<llm_token> &ids) {
    std::string text;
    for (const llm_token id : ids) text += (text.empty() ? "" : ", ") + std::to_string(id);
    return "[" + text + "]\n";
}

std::string id_table(const llm_model *model, const std::vector<llm_token> &ids, bool show_control) {
    std::string text;
    for (const llm_token id : ids) {
        std::string number = std::to_string(id);
        number.insert(0, number.size() < 8 ? 8 - number.size() : 0, ' ');
        llm_token_info info = LLM_TOKEN_INFO_INIT;
        if (show_control) check(llm_token_get_info(&info, model, id));
        const char *mark = (info.attributes & LLM_TOKEN_CONTROL) != 0 ? "  control" : "";
        text += number + "  '" + printable(token_piece(model, id)) + "'" + mark + "\n";
    }
    return text;
}

}  // namespace cli
