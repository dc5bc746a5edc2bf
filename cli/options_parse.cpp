// Reads a command line with Boost.Program_options, and the environment for what it does not say.
#include "color.h"
#include "foreign_options.h"
#include "json_output.h"
#include "nearest.h"
#include "options.h"
#include "text_io.h"

#include <boost/program_options.hpp>

#include <algorithm>

namespace po = boost::program_options;

namespace cli {
namespace {

bool is_short(const std::string &name) { return name.size() > 1 && name[1] != '-'; }

// A word of the command line that begins with a dash, taken apart.
struct Spelling {
    const Option *option = nullptr;
    std::string name;
    std::optional<std::string> value;  // that stands in the same word
};

// "--name", "--name=value", "-n", "-sys", "-n5".
Spelling read_word(const Options &options, const std::string &word) {
    Spelling spelling;
    const std::size_t equals = word.find('=');
    spelling.name = word.substr(0, equals);
    spelling.option = options.find(spelling.name);
    if (equals != word.npos) spelling.value = word.substr(equals + 1);
    const bool is_other_name = options.find("-" + spelling.name) || !refusal_of_foreign_option(spelling.name).empty();
    if (spelling.option || !is_short(word) || word.size() < 3 || is_other_name)
        return spelling;  // "-temp", not "-t emp"
    const Option *option = options.find(word.substr(0, 2));
    if (option && !option->placeholder.empty()) spelling = {option, word.substr(0, 2), word.substr(2)};
    return spelling;
}

bool is_switched_on(const std::string &variable, const std::string &text) {
    for (const char *word : {"1", "true", "on", "yes"})
        if (text == word) return true;
    for (const char *word : {"", "0", "false", "off", "no"})
        if (text == word) return false;
    throw UsageError("environment variable " + variable + " is '" + text + "', must be 1 or 0");
}

// What the parser of the library has to know of the table.
po::options_description description_of(const std::vector<Option> &table) {
    po::options_description description;
    for (const Option &option : table) {
        if (option.placeholder.empty())
            description.add_options()(option.key.c_str(), "");
        else
            description.add_options()(option.key.c_str(), po::value<std::vector<std::string>>(), "");
    }
    return description;
}

std::string joined(const std::vector<std::string> &names) {
    std::string text;
    for (const std::string &name : names) text += (text.empty() ? "" : " or ") + name;
    return text;
}

bool is_one_of(const std::vector<std::string> &words, const std::string &word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

// The value of an option whose own word was taken off: the next word, whatever it looks like, because prompts begin
// with dashes, too.
std::string take_value(const Spelling &spelling, std::vector<std::string> &words) {
    if (spelling.value) return *spelling.value;
    const Option &option = *spelling.option;
    if (option.may_be_bare && (words.empty() || !is_one_of(option.choices, words.front())))
        return option.choices.front();
    if (words.empty()) throw UsageError(spelling.name + " needs a value: " + option.placeholder);
    const std::string value = words.front();
    words.erase(words.begin());
    return value;
}

[[noreturn]] void fail_unknown(const Options &options, const std::string &name) {
    if (const std::string reason = refusal_of_foreign_option(name); !reason.empty())
        throw UsageError(name + ": " + reason);
    std::vector<std::string> names;
    for (const Option &option : options.table()) names.insert(names.end(), option.names.begin(), option.names.end());
    // "-temp" is most of all a "--temp" that lacks a dash.
    const std::vector<std::string> near = nearest_words(is_short(name) && name.size() > 2 ? "-" + name : name, names);
    throw UsageError("there is no option '" + name + "'" +
                     (near.empty() ? "" : "; did you mean " + joined(near) + "?"));
}

// Takes an option with its value off the front of the words.
std::vector<po::option> take_option(const Options &options, std::vector<std::string> &words) {
    const std::string word = words.front();
    if (word.size() < 2 || word[0] != '-' || word == "--") return {};
    if (!options.find(word) && take_foreign_option(words)) return {};
    const Spelling spelling = read_word(options, word);
    if (!spelling.option) fail_unknown(options, spelling.name);
    const bool is_flag = spelling.option->placeholder.empty();
    if (is_flag && spelling.value) throw UsageError(spelling.name + " takes no value");
    words.erase(words.begin());
    return {po::option(spelling.option->key,
                       is_flag ? std::vector<std::string>() : std::vector<std::string>{take_value(spelling, words)})};
}

}  // namespace

void Options::parse(const Arguments &arguments) {
    std::vector<std::string> unnamed;
    try {
        const po::options_description description = description_of(table_);
        const auto take = [this](std::vector<std::string> &words) { return take_option(*this, words); };
        po::command_line_parser parser(arguments);
        // Without guessing: an abbreviation would change its meaning with every option that is added.
        parser.options(description).style(po::command_line_style::unix_style & ~po::command_line_style::allow_guessing);
        for (const po::option &option : parser.extra_style_parser(take).run().options) {
            if (option.position_key >= 0)
                unnamed.insert(unnamed.end(), option.value.begin(), option.value.end());
            else
                values_[option.string_key].push_back({option.value.empty() ? "" : option.value.front(), false});
        }
        read_environment(description);
    } catch (const po::error &error) {
        throw UsageError(error.what());
    }
    if (has("json") || has("jsonl")) set_json_errors();
    assign_arguments(unnamed);
    check_exclusions();
    const std::string color = value("color").value_or("auto");
    if (!set_color(color)) throw UsageError("--color is '" + color + "', must be on, off or auto");
}

void Options::read_environment(const boost::program_options::options_description &description) {
    std::map<std::string, const Option *> variables;
    for (const Option &option : table_) variables[option.environment_name()] = &option;
    const auto key_of = [&](const std::string &variable) {
        const auto found = variables.find(variable);
        return found == variables.end() || found->second->key == "help" ? std::string() : found->second->key;
    };
    for (const po::option &given : po::parse_environment(description, key_of).options) {
        if (has(given.string_key)) continue;
        const Option *option = find("--" + given.string_key);
        if (!option->placeholder.empty() || is_switched_on(option->environment_name(), given.value.front()))
            values_[option->key].push_back({given.value.front(), true});
    }
}

void Options::check_exclusions() {
    for (const auto &[name, other] : exclusions_) {
        const auto one = values_.find(name), two = values_.find(other);
        if (one == values_.end() || two == values_.end()) continue;
        const bool one_is_weak = one->second.back().from_environment, two_is_weak = two->second.back().from_environment;
        if (one_is_weak == two_is_weak) throw UsageError("--" + name + " and --" + other + " exclude each other");
        values_.erase(one_is_weak ? one : two);
    }
}

// A model that the environment names takes no argument, unless there is one for it.
void Options::assign_arguments(const std::vector<std::string> &arguments) {
    std::vector<std::string> open;
    for (const std::string &position : positions_) {
        const auto found = values_.find(position);
        if (found == values_.end() || found->second.back().from_environment) open.push_back(position);
    }
    const auto ends_like_a_model = [](const std::string &text) {
        return text.size() >= 5 && text.compare(text.size() - 5, 5, ".gguf") == 0;
    };
    if (!open.empty() && has(open.front()) && arguments.size() < open.size() &&
        !(arguments.size() == 1 && ends_like_a_model(arguments.front())))
        open.erase(open.begin());
    const bool takes_rest = last_takes_rest_ && !open.empty() && open.back() == positions_.back();
    if (arguments.size() > open.size() && !takes_rest)
        throw UsageError("unexpected argument '" + arguments[open.size()] + "'");
    for (std::size_t i = 0; i < arguments.size(); i++) {
        std::vector<Value> &values = values_[open[std::min(i, open.size() - 1)]];
        if (i < open.size()) values.clear();  // of the environment
        values.push_back({arguments[i], false});
    }
}

std::string Options::source_of(const std::string &table_name) const {
    const auto found = values_.find(dashed(table_name));
    const Option *option = find("--" + dashed(table_name));
    if (found == values_.end() || !option || !found->second.back().from_environment) return "";
    return "environment variable " + option->environment_name() + ": ";
}

}  // namespace cli
