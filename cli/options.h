// The command line of one sub-command. Options of the library's tables come with name, help, range and default from
// there; the values are checked by the library.
#pragma once

#include "api.h"
#include "commands.h"

#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace boost::program_options {
class options_description;
}

namespace cli {

// The command line is wrong: the text says how.
class UsageError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Always at least one, possibly empty, part.
std::vector<std::string> split(const std::string &text, char separator);

struct Option {
    std::vector<std::string> names;    // with their dashes; the first is that of help texts
    std::string key;                   // by which values are asked for: the first long name without its dashes
    std::string placeholder;           // of the value; empty: a flag
    std::vector<std::string> choices;  // all words that the value can be, if it is one of a few
    std::string help;
    std::string group;         // heading in the help; "" for the command's own options
    bool may_be_bare = false;  // the value may be missing, which means the first choice

    std::string environment_name() const;  // "LLM_ARG_TOP_K"
};

class Options {
public:
    // usage: what follows "llm-cli" in the help.
    Options(std::string usage, std::string summary);

    // Names are separated by commas: the first is the option's key. One of a single letter, or with a dash before it
    // ("-sys"), is a short form.
    void add_flag(const std::string &names, const std::string &help);
    // A placeholder with bars between its words ("on|off") says what values there are; FILE is completed as such.
    void add_value(const std::string &names, const std::string &placeholder, const std::string &help);
    // A value that stands on the command line without a name, too.
    void add_argument(const std::string &name, const std::string &placeholder, const std::string &help);
    // A value that list() reads. A table's option of this name is then the command's business.
    void add_list(const std::string &names, const std::string &help);
    // The options of a table, but for those that the command sets itself. Of equal names the first is shown.
    void add_table(llm_option_group group);
    // The model file, and what matters whenever one is opened.
    void add_model();
    // The tables that matter when a model is evaluated.
    void add_weights();
    // Text as an option, from a file, as an argument or from standard input; see input_text().
    void add_input_text();
    // The same as an argument or option only, for one message: value("prompt").
    void add_message();
    // A last option for which all arguments stand that are left.
    void add_rest(const std::string &names, const std::string &placeholder, const std::string &help);
    // Two options of which the command line may have one.
    void exclude(const char *name, const char *other) { exclusions_.emplace_back(name, other); }
    // Options that are added from now on stand under this heading; "" is the command's own list.
    void begin_group(const std::string &heading) { group_ = heading; }

    const std::string &usage() const { return usage_; }
    const std::string &summary() const { return summary_; }
    const std::vector<Option> &table() const { return table_; }
    // nullptr if there is none; the name has its dashes.
    const Option *find(const std::string &name) const;
    // The headings of the groups, in the order in which they are shown.
    std::vector<std::string> headings() const;
    std::string help_text(std::size_t width) const;

    // Reads the words, and what they do not say from the environment. Throws UsageError.
    void parse(const Arguments &arguments);

    bool has(const std::string &name) const { return values_.count(name) != 0; }
    // The last value that was given.
    std::optional<std::string> value(const std::string &name) const;
    // All values of an option that may be repeated.
    std::vector<std::string> values(const std::string &name) const;
    long integer(const std::string &name, long default_value, long minimum, long maximum) const;
    // Numbers and ranges with commas between them: "1,4-6" is 1, 4, 5, 6.
    std::vector<long> list(const std::string &name, long default_value, long minimum, long maximum) const;

    // Gives an option another value than the command line did, or none.
    void set(const std::string &name, const std::string &text) { values_[name] = {{text, false}}; }
    void unset(const std::string &name) { values_.erase(name); }

    // Fills in the options of the struct's table that were given.
    template <class Struct>
    void apply(Struct &options) const {
        for (const llm_option &row : option_table(option_group(options)))
            if (const auto text = table_value(row.name); text && set_option(options, row.name, text->c_str()) < 0)
                throw UsageError(source_of(row.name) + last_error());
    }

    // The model file that was named, the struct filled in, the CPU tier selected.
    Model open_model(llm_model_options options) const;
    // The same of another file.
    Model open_model(const std::string &path, llm_model_options options) const;
    std::string input_text() const;

private:
    // One of an option's values, and where it comes from.
    struct Value {
        std::string text;
        bool from_environment;
    };

    static std::string dashed(std::string name);
    void add(const std::string &names, const std::string &placeholder, const std::string &help);
    std::optional<std::string> table_value(const std::string &table_name) const;
    std::string source_of(const std::string &table_name) const;
    void read_environment(const boost::program_options::options_description &description);
    void check_exclusions();
    void assign_arguments(const std::vector<std::string> &arguments);

    std::string usage_, summary_, group_;
    std::vector<Option> table_;
    std::vector<std::string> positions_;  // options that arguments without a name stand for, in their order
    bool last_takes_rest_ = false;        // of the positions
    std::set<std::string> lists_;
    std::vector<std::pair<std::string, std::string>> exclusions_;
    std::map<std::string, std::vector<Value>> values_;
};

}  // namespace cli
