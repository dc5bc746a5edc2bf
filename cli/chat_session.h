// A chat with a model: the conversation, and the context in which it is evaluated.
#pragma once

#include "answer.h"
#include "chat_prompt.h"
#include "conversation.h"
#include "sampling.h"

#include <string>

namespace cli {

class ChatSession {
public:
    static void add_options(Options &options);

    // Opens the model. The options are those of a command line that was parsed.
    explicit ChatSession(const Options &options);

    // What became of a message.
    enum class Outcome {
        answered,
        stopped,  // by Ctrl-C; what was written until then is kept
        refused   // it does not fit into the context; the conversation is as before
    };
    // Sends a message and streams the answer to standard output.
    Outcome say(const std::string &text);
    // Drops the last answer and writes another one.
    Outcome regenerate();

    // Changes an option of sampling or generation, or the system's message. Throws UsageError.
    void set(const std::string &name, const std::string &value);
    // The model, the room that is left, and the options that were set.
    std::string description() const;

    Conversation &conversation() { return conversation_; }

private:
    Outcome answer();
    Answer generate(const std::vector<llm_token> &prompt);
    std::vector<llm_token> prompt() const;
    void explain_full_context(std::size_t tokens) const;
    std::uint32_t context_length() const;

    Options options_;
    ChatPrompt chat_;
    Conversation conversation_;
    Model model_;
    Context context_;
    bool has_template_;
    std::uint32_t answers_ = 0;
};

}  // namespace cli
