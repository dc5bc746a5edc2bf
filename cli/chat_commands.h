// What a user of a chat can type besides messages: lines that begin with a slash.
#pragma once

#include "chat_session.h"

#include <optional>
#include <string>

namespace cli {

// What the loop of a chat does next.
enum class ChatStep { next, stopped, refused, leave };

// Runs a line that is a command, "/regen" or "/set temp 0.5"; nothing for one that is a message, which may well begin
// with a slash as in "/etc/passwd is what?". Throws what the command throws.
std::optional<ChatStep> run_chat_command(ChatSession &session, const std::string &line);

ChatStep step_after(ChatSession::Outcome outcome);

// The commands, for people.
std::string chat_help();

}  // namespace cli
