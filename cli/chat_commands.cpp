// The commands of a chat.
#include "chat_commands.h"

#include "nearest.h"
#include "text_io.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>

namespace cli {
namespace {

using Outcome = ChatSession::Outcome;

struct ChatCommand {
    const char *name;
    const char *argument;  // "" where there is none
    const char *help;
    ChatStep (*run)(ChatSession &, const std::string &argument);
};

// A path as a shell would read it.
std::string path_of(const std::string &argument) {
    if (argument.empty()) throw UsageError("which file? A path belongs behind the command");
    const char *home = std::getenv("HOME");
    return argument.compare(0, 2, "~/") == 0 && home ? home + argument.substr(1) : argument;
}

ChatStep leave(ChatSession &, const std::string &) { return ChatStep::leave; }

ChatStep clear(ChatSession &session, const std::string &) {
    session.conversation().clear();
    note("what was said is forgotten");
    return ChatStep::next;
}

ChatStep regenerate(ChatSession &session, const std::string &) { return step_after(session.regenerate()); }

ChatStep set(ChatSession &session, const std::string &argument) {
    const std::size_t space = std::min(argument.find(' '), argument.size());
    if (space == 0) throw UsageError("/set needs the name of an option and a value, as in /set temp 0.5");
    const std::size_t value = std::min(argument.find_first_not_of(' ', space), argument.size());
    session.set(argument.substr(0, space), argument.substr(value));
    return ChatStep::next;
}

ChatStep show(ChatSession &session, const std::string &) {
    note(session.description());
    return ChatStep::next;
}

ChatStep save(ChatSession &session, const std::string &argument) {
    session.conversation().save(path_of(argument));
    note(std::to_string(session.conversation().size()) + " messages saved");
    return ChatStep::next;
}

ChatStep load(ChatSession &session, const std::string &argument) {
    session.conversation().load(path_of(argument));
    note(std::to_string(session.conversation().size()) + " messages loaded");
    return ChatStep::next;
}

ChatStep read(ChatSession &session, const std::string &argument) {
    return step_after(session.say(read_file(path_of(argument))));
}

ChatStep help(ChatSession &, const std::string &) {
    note(chat_help());
    return ChatStep::next;
}

const ChatCommand chat_commands[] = {
    {"/exit", "", "leave; also /bye, /quit and Ctrl-D", leave},
    {"/bye", "", nullptr, leave},
    {"/quit", "", nullptr, leave},
    {"/clear", "", "forget what was said, but for the system's message", clear},
    {"/regen", "", "write the last answer again", regenerate},
    {"/set", "NAME VALUE", "change an option: temp, top-k, seed, max-tokens, ..., or system", set},
    {"/show", "", "the model, the context and the options that were set", show},
    {"/save", "FILE", "write the conversation to a file", save},
    {"/load", "FILE", "go on with the conversation of a file", load},
    {"/read", "FILE", "send the text of a file as a message", read},
    {"/help", "", "this text; also /?", help},
    {"/?", "", nullptr, help},
};

// "/word", alone or before a space.
bool looks_like_command(const std::string &word) {
    return word.size() > 1 && word[0] == '/' && word.find('/', 1) == word.npos;
}

}  // namespace

ChatStep step_after(Outcome outcome) {
    switch (outcome) {
        case Outcome::stopped:
            return ChatStep::stopped;
        case Outcome::refused:
            return ChatStep::refused;
        default:
            return ChatStep::next;
    }
}

std::optional<ChatStep> run_chat_command(ChatSession &session, const std::string &line) {
    const std::string word = line.substr(0, line.find(' '));
    if (!looks_like_command(word)) return std::nullopt;
    const auto *found = std::find_if(std::begin(chat_commands), std::end(chat_commands),
                                     [&](const ChatCommand &command) { return command.name == word; });
    if (found == std::end(chat_commands)) {
        std::vector<std::string> names;
        for (const ChatCommand &command : chat_commands) names.emplace_back(command.name);
        const std::vector<std::string> near = nearest_words(word, names);
        throw UsageError("there is no command " + word + (near.empty() ? "" : ", did you mean " + near.front() + "?") +
                         "; /help lists them, and a space before it makes it a message");
    }
    const std::size_t begin = std::min(line.find_first_not_of(' ', word.size()), line.size());
    const std::string argument = line.substr(begin, line.find_last_not_of(' ') + 1 - begin);
    if (!argument.empty() && *found->argument == '\0') throw UsageError(word + " takes no argument");
    return found->run(session, argument);
}

std::string chat_help() {
    std::string text;
    for (const ChatCommand &command : chat_commands) {
        if (!command.help) continue;
        std::string name(2, ' ');
        name.append(command.name).append(" ").append(command.argument);
        name.resize(20, ' ');
        text += name + command.help + "\n";
    }
    return text +
           "  \"\"\"               begins and ends a message of several lines; so does \\ at the end of a line\n"
           "  Ctrl-C            stops the answer; twice leaves";
}

}  // namespace cli
