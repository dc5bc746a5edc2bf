// The prompt that a conversation becomes through the model's chat template, and the options that say how.
#pragma once

#include "options.h"

#include <string>
#include <vector>

namespace cli {

class ChatPrompt {
public:
    static void add_options(Options &options);

    // Of a command line that was parsed; reads the files that it names. Throws UsageError.
    explicit ChatPrompt(const Options &options);

    // Whether this build has chat templates, and there is one: the command line's, or the model's.
    bool is_possible(const llm_model *model) const;
    // Whether the command line asks for something that only a template can do; the option's name, or "".
    std::string needs_template() const;

    const std::string &system() const { return system_; }

    // The request (see llm.h) of a conversation in JSON: a list of messages, or a request, whose own words count before
    // those of the command line. Its text is kept as it is, because numbers would not survive a second writer.
    std::string request(const std::string &conversation) const;
    // The same of one message of the user, behind the system's message.
    std::string request_of_message(const std::string &text) const;

    std::string render(const llm_model *model, const std::string &request) const;
    std::vector<llm_token> tokenize(const llm_model *model, const std::string &request) const;

    // Spellings of control tokens in messages become those tokens.
    void switch_guard_off() { chat_.guard = 0; }

private:
    llm_chat_options chat_options(const llm_model *model) const;

    llm_chat_options chat_ = LLM_CHAT_OPTIONS_INIT;
    std::string system_;
    std::string members_;   // of every request, each with a comma behind it
    std::string template_;  // its source, or the name of one of the model's
    std::string needing_;
    bool template_may_be_name_ = false;
};

// Messages as JSON: [{"role": ..., "content": ...}].
std::string message_list(const std::vector<std::pair<std::string, std::string>> &roles_and_texts);

}  // namespace cli
