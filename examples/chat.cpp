// Chats with a model, one message a line, and shows answers as they are made: chat MODEL [SEED]
// Build: c++ -std=c++20 chat.cpp $(pkg-config --cflags --libs llm)
#include <llm/llm.hpp>

#include <cstdio>
#include <iostream>
#include <string>

namespace {

std::string json_string(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        if (static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\') {
            char escaped[8];
            std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned>(c));
            out += escaped;
        } else {
            out += c;
        }
    }
    return out + '"';
}

// Messages, as the elements of a JSON array.
class Conversation {
public:
    void add(std::string_view role, std::string_view content) {
        if (!messages_.empty()) messages_ += ',';
        messages_ += R"({"role":)" + json_string(role) + R"(,"content":)" + json_string(content) + '}';
    }
    std::string request() const { return R"({"messages":[)" + messages_ + "]}"; }

private:
    std::string messages_;
};

void chat(const std::string &path, const std::string &seed) {
    const llm::Model model(path);
    llm::Context context(model);
    llm::SamplerOptions sampling;
    sampling.set_from(model);
    if (!seed.empty()) sampling.set("seed", seed);
    llm::Sampler sampler(sampling);
    llm::GenerationOptions options;
    options.max_tokens = 256;
    options.reuse_prefix = 1;  // the conversation so far is in the sequence already

    Conversation conversation;
    for (std::string line; std::getline(std::cin, line);) {
        conversation.add("user", line);
        std::string answer;
        llm::Generation generation(context, sampler, model.tokenize_chat(conversation.request()), options);
        for (const llm::Chunk &chunk : generation) {
            std::cout << chunk.text << std::flush;
            answer += chunk.text;
        }
        std::cout << '\n';
        conversation.add("assistant", answer);
    }
}

}  // namespace

int main(int argc, char **argv) {
    if (argc != 2 && argc != 3) {
        std::cerr << "usage: " << argv[0] << " MODEL [SEED]\n";
        return 2;
    }
    try {
        chat(argv[1], argc > 2 ? argv[2] : "");
    } catch (const llm::Error &error) {
        std::cerr << argv[1] << ": " << error.what() << '\n';
        return 1;
    }
    return 0;
}
