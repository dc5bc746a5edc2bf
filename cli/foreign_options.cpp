// Options of llama.cpp's programs. What they ask for is the case anyway, or is not there.
#include "foreign_options.h"

#include "text_io.h"

#include <algorithm>
#include <map>

namespace cli {
namespace {

struct Foreign {
    bool takes_value;
    const char *remark;  // for those who use it; "" if nothing is lost
};

const char *const no_gpu = "is ignored: everything runs on the CPU";

const std::map<std::string, Foreign> ignored = {
    {"-ngl", {true, no_gpu}},
    {"--gpu-layers", {true, no_gpu}},
    {"--n-gpu-layers", {true, no_gpu}},
    {"-dev", {true, no_gpu}},
    {"--device", {true, no_gpu}},
    {"-fa", {true, ""}},
    {"--flash-attn", {true, ""}},
    {"-ub", {true, ""}},
    {"--ubatch-size", {true, ""}},
    {"--jinja", {false, ""}},
    {"--no-warmup", {false, ""}},
    {"--no-display-prompt", {false, ""}},
    {"--simple-io", {false, ""}},
    {"--log-disable", {false, ""}},
    {"--no-perf", {false, ""}},
    {"--no-escape", {false, ""}},
    {"-st", {false, ""}},
    {"--single-turn", {false, ""}},
};

const char *const no_grammar = "constrained output is not a part of this version";
const char *const no_download = "models are files here; download it and give its path";

const char *const use_chat = "use 'llm-cli chat'";

const std::map<std::string, const char *> refused = {
    {"--grammar", no_grammar},    {"--grammar-file", no_grammar},
    {"-j", no_grammar},           {"--json-schema", no_grammar},
    {"-jf", no_grammar},          {"-hf", no_download},
    {"--hf-repo", no_download},   {"-mu", no_download},
    {"--model-url", no_download}, {"-cnv", use_chat},
    {"--conversation", use_chat}, {"-i", use_chat},
    {"--interactive", use_chat},
};

bool is_switch_word(const std::string &word) {
    return word == "on" || word == "off" || word == "auto" || word == "0" || word == "1";
}

}  // namespace

bool take_foreign_option(std::vector<std::string> &words) {
    const std::string word = words.front();
    const std::size_t equals = word.find('=');
    const auto found = ignored.find(word.substr(0, equals));
    if (found == ignored.end()) return false;
    const auto &[name, foreign] = *found;
    const bool is_flash = name == "-fa" || name == "--flash-attn";  // whose value older versions did not have
    words.erase(words.begin());
    if (foreign.takes_value && equals == word.npos && !words.empty() && (!is_flash || is_switch_word(words.front())))
        words.erase(words.begin());
    if (*foreign.remark) note("llm-cli: " + name + " " + foreign.remark);
    return true;
}

std::string refusal_of_foreign_option(const std::string &name) {
    const auto found = refused.find(name);
    return found == refused.end() ? "" : found->second;
}

}  // namespace cli
