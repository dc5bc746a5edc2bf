// The options of one sub-command, and the values that they were given.
#include "options.h"

#include "load_progress.h"
#include "text_io.h"

#include <algorithm>
#include <charconv>

namespace cli {
namespace {

// Further names of table options, as users of other programs type them.
const std::map<std::string, std::string> spellings = {
    {"context_length", "ctx-size,c"},
    {"batch_size", "b"},
    {"threads", "t"},
    {"cache_type_k", "-ctk"},
    {"cache_type_v", "-ctv"},
    {"max_tokens", "n-predict,predict,n"},
    {"temperature", "temp"},
    {"seed", "s"},
    {"typical_p", "typical"},
    {"top_n_sigma", "top-nsigma"},
    {"dynatemp_exponent", "dynatemp-exp"},
    {"mirostat_tau", "mirostat-ent"},
    {"mirostat_eta", "mirostat-lr"},
};

const char *const model_heading = "Model and context";

constexpr std::size_t longest_list = 1000;  // of numbers

// Table options that the commands set themselves.
bool is_internal(std::string_view name) {
    return name == "open" || name == "sequence" || name == "max_sequences" || name == "logprobs" ||
           name == "reuse_prefix";
}

// Other programs take -1 for "no limit" and "any seed", which are the defaults here.
bool takes_minus_one(const std::string &name) { return name == "max_tokens" || name == "seed"; }

// In single precision, which is that of the library's real options: 0.8, not 0.800000011920929.
std::string real_text(double value) {
    char text[32];
    return std::string(text, std::to_chars(text, text + sizeof text, static_cast<float>(value)).ptr);
}

std::string default_text(const llm_option &row) {
    switch (row.type) {
        case LLM_OPTION_CHOICE:
            return split(row.choices, '|').at(std::size_t(row.default_value));
        case LLM_OPTION_REAL:
            return real_text(row.default_value);
        default:
            return std::to_string(static_cast<long long>(row.default_value));
    }
}

long number_in(const std::string &text, const std::string &option, long minimum, long maximum) {
    long number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || number < minimum || number > maximum)
        throw UsageError("--" + option + ": '" + text + "' is no number from " + std::to_string(minimum) + " to " +
                         std::to_string(maximum));
    return number;
}

}  // namespace

std::vector<std::string> split(const std::string &text, char separator) {
    std::vector<std::string> parts(1);
    for (const char c : text) {
        if (c == separator)
            parts.emplace_back();
        else
            parts.back() += c;
    }
    return parts;
}

std::string Option::environment_name() const {
    std::string name = "LLM_ARG_";
    for (const char c : key) name += c == '-' ? '_' : static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
    return name;
}

Options::Options(std::string usage, std::string summary) : usage_(std::move(usage)), summary_(std::move(summary)) {
    add_flag("help,h", "print this text");
    add_value("color,-co", "on|off|auto", "colour; auto = on a terminal, unless NO_COLOR is set (default auto)");
    table_.back().may_be_bare = true;
}

void Options::add(const std::string &names, const std::string &placeholder, const std::string &help) {
    Option option;
    for (const std::string &name : split(names, ',')) {
        const bool is_long = name.size() > 1 && name[0] != '-';
        if (is_long && option.key.empty()) option.key = name;
        const std::string spelled = (is_long ? "--" : name[0] == '-' ? "" : "-") + name;
        // Short forms first, as in all manuals.
        option.names.insert(is_long ? option.names.end() : option.names.begin(), spelled);
    }
    option.placeholder = placeholder;
    if (placeholder.find('|') != placeholder.npos) option.choices = split(placeholder, '|');
    option.help = help;
    option.group = group_;
    table_.push_back(option);
}

void Options::add_flag(const std::string &names, const std::string &help) { add(names, "", help); }

void Options::add_value(const std::string &names, const std::string &placeholder, const std::string &help) {
    add(names, placeholder, help);
}

void Options::add_argument(const std::string &name, const std::string &placeholder, const std::string &help) {
    add(name, placeholder, help);
    positions_.push_back(table_.back().key);
}

void Options::add_list(const std::string &names, const std::string &help) {
    add(names, "LIST", help);
    lists_.insert(table_.back().key);
}

void Options::add_table(llm_option_group group) {
    for (const llm_option &row : option_table(group)) {
        const std::string name = dashed(row.name);
        if (is_internal(row.name) || find("--" + name)) continue;
        const auto more = spellings.find(row.name);
        add(name + (more != spellings.end() ? "," + more->second : ""), row.choices ? row.choices : "N",
            std::string(row.help) + " (default " + default_text(row) + ")");
    }
}

void Options::add_weights() {
    begin_group(model_heading);
    add_table(LLM_OPTIONS_CONTEXT);
    add_table(LLM_OPTIONS_MODEL);
    add_flag("no-mmap", "the same as --load packed");
    add_flag("mlock", "the same as --lock 1");
    begin_group("");
}

void Options::add_model() {
    add_argument("model,m", "FILE", "GGUF file of the model");
    begin_group(model_heading);
    add_value("cpu", "auto|scalar|avx2|avx512", "use these kernels (default auto)");
    add_value("pre-tokenizer", "NAME", "use this pre-tokenizer instead of the one that the file names");
    begin_group("");
}

void Options::add_input_text() {
    add_argument("prompt,p", "TEXT", "the text; - reads it from standard input");
    add_value("file,f", "FILE", "read the text from a file");
    exclude("prompt", "file");
}

void Options::add_message() { add_argument("prompt,p", "TEXT", "a message of the user"); }

void Options::add_rest(const std::string &names, const std::string &placeholder, const std::string &help) {
    add(names, placeholder, help);
    positions_.push_back(table_.back().key);
    last_takes_rest_ = true;
}

const Option *Options::find(const std::string &name) const {
    for (const Option &option : table_)
        if (std::find(option.names.begin(), option.names.end(), name) != option.names.end()) return &option;
    return nullptr;
}

std::optional<std::string> Options::value(const std::string &name) const {
    const auto found = values_.find(name);
    return found == values_.end() ? std::nullopt : std::optional(found->second.back().text);
}

std::optional<std::string> Options::table_value(const std::string &table_name) const {
    const std::string name = dashed(table_name);
    const auto text = lists_.count(name) != 0 ? std::nullopt : value(name);
    return text == "-1" && takes_minus_one(table_name) ? std::nullopt : text;
}

std::vector<std::string> Options::values(const std::string &name) const {
    const auto found = values_.find(name);
    std::vector<std::string> texts;
    if (found != values_.end())
        for (const Value &given : found->second) texts.push_back(given.text);
    return texts;
}

long Options::integer(const std::string &name, long default_value, long minimum, long maximum) const {
    const auto text = value(name);
    if (!text) return default_value;
    return number_in(*text, name, minimum, maximum);
}

std::vector<long> Options::list(const std::string &name, long default_value, long minimum, long maximum) const {
    const auto text = value(name);
    if (!text) return {default_value};
    std::vector<long> numbers;
    for (const std::string &word : split(*text, ',')) {
        const std::size_t dash = word.find('-', 1);
        const long first = number_in(word.substr(0, dash), name, minimum, maximum);
        const long last = dash == word.npos ? first : number_in(word.substr(dash + 1), name, first, maximum);
        if (std::size_t(last - first) >= longest_list - numbers.size())
            throw UsageError("--" + name + ": '" + *text + "' has more than " + std::to_string(longest_list) +
                             " numbers");
        for (long number = first; number <= last; number++) numbers.push_back(number);
    }
    return numbers;
}

Model Options::open_model(llm_model_options options) const {
    const auto path = value("model");
    if (!path) throw UsageError("no model file was named");
    return open_model(*path, options);
}

Model Options::open_model(const std::string &path, llm_model_options options) const {
    if (const auto tier = value("cpu"); tier && llm_cpu_select(tier->c_str()) < 0)
        throw UsageError("--cpu: " + last_error());
    apply(options);
    if (has("no-mmap")) options.load = LLM_LOAD_PACKED;
    if (has("mlock")) options.lock = 1;
    if (options.open == LLM_OPEN_ALL && options.progress == nullptr) options.progress = show_load_progress;
    const auto pre_tokenizer = value("pre-tokenizer");
    if (pre_tokenizer) options.pre_tokenizer = pre_tokenizer->c_str();
    struct ClearStatus {
        ~ClearStatus() { show_status(""); }
    } clear;
    return cli::open_model(path, options);
}

std::string Options::input_text() const {
    if (const auto path = value("file")) return read_file(*path);
    if (const auto text = value("prompt"); text && *text != "-") return *text;
    if (!has("prompt") && stdin_is_terminal()) throw UsageError("no text was given");
    return read_stdin();
}

std::string Options::dashed(std::string name) {
    for (char &c : name)
        if (c == '_') c = '-';
    return name;
}

}  // namespace cli
