// The command line of one sub-command: Boost.Program_options reads it, the library checks the values.
#include "options.h"

#include "json_output.h"
#include "text_io.h"

#include <boost/program_options.hpp>

#include <charconv>
#include <cstring>
#include <sstream>

namespace po = boost::program_options;

namespace cli {
namespace {

// Further names of table options, as users of other programs type them.
const std::map<std::string, std::string> spellings = {
    {"context_length", "ctx-size,c"},
    {"batch_size", "b"},
    {"threads", "t"},
    {"max_tokens", "n-predict,n"},
    {"temperature", "temp"},
    {"seed", "s"},
    {"typical_p", "typical"},
    {"top_n_sigma", "top-nsigma"},
    {"dynatemp_exponent", "dynatemp-exp"},
    {"mirostat_tau", "mirostat-ent"},
    {"mirostat_eta", "mirostat-lr"},
};

// Short forms of more than one letter, which the parser does not know.
const std::map<std::string, std::string> long_short_forms = {
    {"-ctk", "--cache-type-k"},
    {"-ctv", "--cache-type-v"},
    {"-np", "--sequences"},
};

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

// "also --ctx-size" for help texts, which show only the first name.
std::string alias_help(const std::string &names) {
    const std::string first = names.substr(0, names.find(','));
    return first.size() > 1 ? " [also --" + first + "]" : "";
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

Options::Options(std::string usage, std::string summary)
    : usage_(std::move(usage)), summary_(std::move(summary)), description_("Options", 100, 60) {
    add_flag("help,h", "print this text");
}

void Options::add_flag(const char *names, const std::string &help) { description_.add_options()(names, help.c_str()); }

void Options::add_value(const char *names, const char *placeholder, const std::string &help) {
    description_.add_options()(names, po::value<std::vector<std::string>>()->value_name(placeholder), help.c_str());
}

void Options::add_list(const char *names, const std::string &help) {
    add_value(names, "LIST", help);
    lists_.insert(std::string(names, std::strcspn(names, ",")));
}

void Options::add_table(llm_option_group group) {
    for (const llm_option &row : option_table(group)) {
        const std::string name = dashed(row.name);
        if (is_internal(row.name) || description_.find_nothrow(name, false)) continue;
        std::string names = name, help = std::string(row.help) + " (default " + default_text(row) + ")";
        if (const auto more = spellings.find(row.name); more != spellings.end()) {
            names += "," + more->second;
            help += alias_help(more->second);
        }
        add_value(names.c_str(), row.choices ? row.choices : "N", help);
    }
}

void Options::add_weights() {
    add_table(LLM_OPTIONS_CONTEXT);
    add_table(LLM_OPTIONS_MODEL);
    add_flag("no-mmap", "the same as --load packed");
}

void Options::add_model() {
    add_value("model,m", "FILE", "GGUF file of the model");
    positions_.push_back("model");
    add_value("cpu", "TIER", "use these kernels: scalar, avx2, avx512 or auto");
    add_value("pre-tokenizer", "NAME", "use this pre-tokenizer instead of the one that the file names");
}

void Options::add_input_text() {
    add_value("prompt,p", "TEXT", "the text; - reads it from standard input");
    add_value("file,f", "FILE", "read the text from a file");
    positions_.push_back("prompt");
}

void Options::add_message() {
    add_value("prompt,p", "TEXT", "a message of the user");
    positions_.push_back("prompt");
}

bool Options::parse(const Arguments &arguments) {
    Arguments spelled = arguments;
    for (std::string &word : spelled)
        if (const auto form = long_short_forms.find(word); form != long_short_forms.end()) word = form->second;

    std::vector<std::string> unnamed;
    try {
        // Without guessing: an abbreviation would change its meaning with every option that is added.
        const int style = po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;
        for (const auto &option : po::command_line_parser(spelled).options(description_).style(style).run().options) {
            std::vector<std::string> &values = option.position_key >= 0 ? unnamed : values_[option.string_key];
            values.insert(values.end(), option.value.begin(), option.value.end());
        }
    } catch (const po::error &error) {
        throw UsageError(error.what());
    }
    if (has("help")) {
        print_help();
        return false;
    }
    if (has("json") || has("jsonl")) set_json_errors();
    assign_arguments(unnamed);
    return true;
}

void Options::assign_arguments(const std::vector<std::string> &arguments) {
    auto position = positions_.begin();
    for (const std::string &argument : arguments) {
        while (position != positions_.end() && has(*position)) ++position;
        if (position == positions_.end()) throw UsageError("unexpected argument '" + argument + "'");
        values_[*position].push_back(argument);
    }
}

void Options::print_help() const {
    std::ostringstream text;
    text << "Usage: llm-cli " << usage_ << "\n\n" << summary_ << "\n\n" << description_;
    write(text.str());
}

std::optional<std::string> Options::value(const std::string &name) const {
    const auto found = values_.find(name);
    return found == values_.end() ? std::nullopt : std::optional(found->second.back());
}

std::optional<std::string> Options::table_value(const std::string &table_name) const {
    const std::string name = dashed(table_name);
    const auto text = lists_.count(name) != 0 ? std::nullopt : value(name);
    return text == "-1" && takes_minus_one(table_name) ? std::nullopt : text;
}

std::vector<std::string> Options::values(const std::string &name) const {
    const auto found = values_.find(name);
    return found == values_.end() ? std::vector<std::string>() : found->second;
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
    if (const auto tier = value("cpu"); tier && llm_cpu_select(tier->c_str()) < 0)
        throw UsageError("--cpu: " + last_error());
    apply(options);
    if (has("no-mmap")) options.load = LLM_LOAD_PACKED;
    const auto pre_tokenizer = value("pre-tokenizer");
    if (pre_tokenizer) options.pre_tokenizer = pre_tokenizer->c_str();
    return cli::open_model(*path, options);
}

std::string Options::input_text() const {
    if (has("prompt") && has("file")) throw UsageError("--prompt and --file exclude each other");
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
