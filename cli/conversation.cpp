// The messages of a chat.
#include "conversation.h"

#include "text_io.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <stdexcept>

namespace cli {
namespace {

std::string role_of(const Json &message) { return message.value("role", ""); }

std::string text_of(const Json &message) {
    const auto content = message.find("content");
    return content != message.end() && content->is_string() ? content->get<std::string>() : "";
}

bool is_message(const Json &value) {
    return value.is_object() && value.contains("role") && value.at("role").is_string();
}

}  // namespace

bool Conversation::has_system() const { return !messages_.empty() && role_of(messages_.front()) == "system"; }

void Conversation::set_system(const std::string &text) {
    if (has_system()) messages_.erase(std::size_t{0});
    if (!text.empty()) messages_.insert(messages_.begin(), Json{{"role", "system"}, {"content", text}});
}

std::string Conversation::system() const { return has_system() ? text_of(messages_.front()) : ""; }

void Conversation::add(const std::string &role, const std::string &text) {
    messages_.push_back(Json{{"role", role}, {"content", text}});
}

void Conversation::clear() {
    const std::string text = system();
    messages_ = Json::array();
    set_system(text);
}

std::size_t Conversation::size() const { return messages_.size() - (has_system() ? 1 : 0); }

std::string Conversation::last_role() const { return messages_.empty() ? "" : role_of(messages_.back()); }

std::string Conversation::plain_text() const {
    std::string text;
    for (const Json &message : messages_) text += text_of(message);
    return text;
}

void Conversation::save(const std::string &path) const {
    const Json file = {{"messages", messages_}};
    // A file that was there before stays whole when this fails.
    const std::string part = path + ".part";
    const std::unique_ptr<std::FILE, int (*)(std::FILE *)> out(std::fopen(part.c_str(), "wb"), std::fclose);
    const std::string text = file.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
    if (!out || std::fwrite(text.data(), 1, text.size(), out.get()) != text.size() || std::fflush(out.get()) != 0 ||
        std::rename(part.c_str(), path.c_str()) != 0) {
        const std::string reason = std::strerror(errno);
        if (out) std::remove(part.c_str());
        throw std::runtime_error("cannot write " + path + ": " + reason);
    }
}

void Conversation::load(const std::string &path) {
    const Json file = parsed_json(read_file(path));
    const bool is_request = file.is_object() && file.contains("messages");
    const Json &messages = is_request ? file.at("messages") : file;
    bool good = messages.is_array();
    if (good)
        for (const Json &message : messages) good = good && is_message(message);
    if (!good) throw std::runtime_error(path + " is no conversation: a JSON list of messages with role and content");
    messages_ = Json(messages);
}

}  // namespace cli
