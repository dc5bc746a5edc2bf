// The command line of one sub-command. Options of the library's tables come with name, help, range and default from
// there; the values are checked by the library.
#pragma once

#include "api.h"
#include "commands.h"

#include <boost/program_options/options_description.hpp>

#include <map>
#include <optional>
#include <set>
#include <stdexcept>

namespace cli {

// The command line is wrong: the text says how.
class UsageError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Always at least one, possibly empty, part.
std::vector<std::string> split(const std::string &text, char separator);

class Options {
public:
    // usage: what follows "llm-cli" in the help.
    Options(std::string usage, std::string summary);

    // Names are separated by commas: the first is the option's, the others are aliases, a last one of one letter is
    // its short form.
    void add_flag(const char *names, const std::string &help);
    void add_value(const char *names, const char *placeholder, const std::string &help);
    // A value that list() reads. A table's option of this name is then the command's business.
    void add_list(const char *names, const std::string &help);
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

    // False when help was asked for, which is then printed. Throws UsageError.
    bool parse(const Arguments &arguments);

    bool has(const std::string &name) const { return values_.count(name) != 0; }
    // The last value that was given.
    std::optional<std::string> value(const std::string &name) const;
    // All values of an option that may be repeated.
    std::vector<std::string> values(const std::string &name) const;
    long integer(const std::string &name, long default_value, long minimum, long maximum) const;
    // Numbers and ranges with commas between them: "1,4-6" is 1, 4, 5, 6.
    std::vector<long> list(const std::string &name, long default_value, long minimum, long maximum) const;

    // Fills in the options of the struct's table that were given.
    template <class Struct>
    void apply(Struct &options) const {
        for (const llm_option &row : option_table(option_group(options)))
            if (const auto text = table_value(row.name); text && set_option(options, row.name, text->c_str()) < 0)
                throw UsageError(last_error());
    }

    // The model file that was named, the struct filled in, the CPU tier selected.
    Model open_model(llm_model_options options) const;
    std::string input_text() const;

private:
    static std::string dashed(std::string name);
    std::optional<std::string> table_value(const std::string &table_name) const;
    void assign_arguments(const std::vector<std::string> &arguments);
    void print_help() const;

    std::string usage_, summary_;
    boost::program_options::options_description description_;
    std::vector<std::string> positions_;  // options that arguments without a name stand for, in their order
    std::set<std::string> lists_;
    std::map<std::string, std::vector<std::string>> values_;
};

}  // namespace cli
