// The messages of a chat, and the files that keep them.
#pragma once

#include "json_output.h"

#include <string>

namespace cli {

class Conversation {
public:
    // An empty system message is none.
    void set_system(const std::string &text);
    std::string system() const;

    void add(const std::string &role, const std::string &text);
    // Takes the last message back.
    void pop() { messages_.erase(messages_.size() - 1); }
    // Forgets all but the system's message.
    void clear();

    // Messages without the system's.
    std::size_t size() const;
    // The role of the last message; "" without one.
    std::string last_role() const;

    std::string json() const { return json_text(messages_); }
    // All texts, one behind the other, for models without a chat template.
    std::string plain_text() const;

    // A file as `template --messages` and `run --messages` read it. Throws with the reason.
    void save(const std::string &path) const;
    // Replaces the conversation by that of a file: a list of messages, or an object that has one. After a failure it is
    // as it was.
    void load(const std::string &path);

private:
    bool has_system() const;

    Json messages_ = Json::array();
};

}  // namespace cli
