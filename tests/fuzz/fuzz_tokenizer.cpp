// Fuzz target: the first bytes choose and shape a vocabulary, the rest is text. Tokenizing fails only with an Error;
// what it gives are ids in range that decode, all at once and piece by piece, to the same text, and where every byte
// has a token to the text itself. Any other ids decode as well.
#include "base/error.h"
#include "tokenizer/pre_tokenizer_table.h"
#include "tokenizer/stop_matcher.h"
#include "tokenizer/stream_decoder.h"
#include "tokenizer/text_decoder.h"
#include "tokenizer/tokenizer.h"
#include "unit/tokenizer/tiny_vocabulary.h"

#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

namespace {

using namespace llm;
using namespace llm::test;

// Takes short strings and numbers off the input.
class Input {
public:
    Input(const uint8_t *data, size_t size) : rest_(reinterpret_cast<const char *>(data), size) {}

    uint8_t byte() { return rest_.empty() ? 0 : static_cast<uint8_t>(take(1).front()); }
    std::string_view text() { return take(byte() % 8u); }
    std::string_view rest() const { return rest_; }

private:
    std::string_view take(size_t size) {
        const std::string_view taken = rest_.substr(0, size);
        rest_.remove_prefix(taken.size());
        return taken;
    }

    std::string_view rest_;
};

void require(bool condition) {
    if (!condition) std::abort();
}

// A vocabulary of one of the five kinds, with tokens, types, scores and merges as the input has them.
TinyVocabulary make_vocabulary(Input &input) {
    constexpr std::array<std::string_view, 5> models = {"gpt2", "llama", "gemma4", "bert", "t5"};
    const std::string_view model = models[input.byte() % models.size()];
    const auto known = pre_tokenizers();
    TinyVocabulary vocabulary(model, known[input.byte() % known.size()].name);
    if (input.byte() % 2 == 0) {
        if (model == "gpt2") {
            vocabulary.add_byte_letters();
        } else {
            vocabulary.add_byte_tokens();
        }
    }
    vocabulary.add_special(SpecialToken::unknown, "[UNK]", TokenType::unknown);
    vocabulary.add_special(SpecialToken::begin, "<s>");
    vocabulary.add_special(SpecialToken::end, "</s>");
    for (uint8_t count = input.byte() % 32; count > 0; --count) {
        const auto type = static_cast<TokenType>(input.byte() % 8);
        const float score = static_cast<float>(input.byte()) / 8.0f - 16.0f;
        std::string text(input.text());
        if (model != "gpt2" && input.byte() % 2 == 0) text.insert(0, "\u2581");
        vocabulary.add(text, type, score);
    }
    for (uint8_t count = input.byte() % 16; count > 0; --count) {
        const std::string_view left = input.text();
        vocabulary.add_byte_merge(left, input.text());
    }
    vocabulary.data.add_space_prefix = input.byte() % 2 == 0;
    vocabulary.data.remove_extra_whitespace = input.byte() % 2 == 0;
    vocabulary.data.lowercase = input.byte() % 2 == 0;
    vocabulary.data.strip_accents = input.byte() % 2 == 0;
    return vocabulary;
}

// Pieces through the stream decoder and a stop matcher that never stops.
std::string streamed(const Tokenizer &tokenizer, const std::vector<llm_token> &tokens) {
    TextDecoder decoder(tokenizer.vocabulary(), true);
    StreamDecoder stream;
    StopMatcher stops({"\x01\x02\x03 never"});
    std::string out;
    for (const llm_token token : tokens) {
        std::string piece;
        decoder.append(piece, token);
        out += stops.push(stream.push(piece));
        if (stops.stopped()) return out;
    }
    out += stops.push(stream.finish());
    return stops.stopped() ? out : out + stops.finish();
}

// The text is the same piece by piece.
void check_decoding(const Tokenizer &tokenizer, const std::vector<llm_token> &tokens) {
    StreamDecoder whole;
    std::string expected = whole.push(tokenizer.detokenize(tokens, true));
    expected += whole.finish();
    if (expected.find("\x01\x02\x03 never") == std::string::npos) require(streamed(tokenizer, tokens) == expected);
}

void check(const Tokenizer &tokenizer, std::string_view text, bool parse_special) {
    const std::vector<llm_token> tokens = tokenizer.tokenize(text, true, parse_special);
    for (const llm_token token : tokens) require(token >= 0 && static_cast<uint32_t>(token) < tokenizer.size());
    check_decoding(tokenizer, tokens);

    if (parse_special || tokenizer.vocabulary().kind() != TokenizerKind::byte_pairs) return;
    for (int byte = 0; byte < 256; ++byte) {
        if (tokenizer.vocabulary().byte_token(static_cast<uint8_t>(byte)) == LLM_TOKEN_NONE) return;
    }
    require(tokenizer.detokenize(tokens, false) == text);
}

// Ids in an order in which no text gives them.
void check_any_ids(const Tokenizer &tokenizer, std::string_view bytes) {
    std::vector<llm_token> tokens;
    for (const char byte : bytes)
        tokens.push_back(static_cast<llm_token>(static_cast<uint8_t>(byte) % tokenizer.size()));
    check_decoding(tokenizer, tokens);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    Input input(data, size);
    try {
        const TinyVocabulary vocabulary = make_vocabulary(input);
        const Tokenizer tokenizer(vocabulary.data);
        for (const bool parse_special : {false, true}) check(tokenizer, input.rest(), parse_special);
        check_any_ids(tokenizer, input.rest());
    } catch (const Error &) {
    }
    return 0;
}
