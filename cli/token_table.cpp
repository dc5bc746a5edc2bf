#include "token_table.h"

#include "color.h"
#include "text_io.h"

namespace cli {
namespace {

bool is_control(const llm_model *model, llm_token id) {
    llm_token_info info = LLM_TOKEN_INFO_INIT;
    check(llm_token_get_info(&info, model, id));
    return (info.attributes & LLM_TOKEN_CONTROL) != 0;
}

}  // namespace

std::string id_list(const std::vector<llm_token> &ids) {
    std::string text;
    for (const llm_token id : ids) text += (text.empty() ? "" : ", ") + std::to_string(id);
    return "[" + text + "]\n";
}

std::string id_table(const llm_model *model, const std::vector<llm_token> &ids) {
    std::string text;
    for (const llm_token id : ids) {
        std::string number = std::to_string(id);
        number.insert(0, number.size() < 8 ? 8 - number.size() : 0, ' ');
        std::string piece = "'";
        piece.append(printable(token_piece(model, id))).append("'");
        if (is_control(model, id)) piece = styled(piece, Style::cyan, 1) + "  control";
        text += number + "  " + piece + "\n";
    }
    return text;
}

Json id_json(const llm_model *model, const std::vector<llm_token> &ids) {
    Json tokens = Json::array();
    for (const llm_token id : ids)
        tokens.push_back({{"id", id}, {"text", token_piece(model, id)}, {"control", is_control(model, id)}});
    return {{"count", ids.size()}, {"tokens", tokens}};
}

}  // namespace cli
