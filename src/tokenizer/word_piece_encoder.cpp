#include "tokenizer/word_piece_encoder.h"

#include "base/error.h"
#include "tokenizer/bert_normalizer.h"

#include <algorithm>
#include <array>
#include <string>

namespace llm {

namespace {

// A word of more characters is unknown as a whole.
constexpr size_t longest_word = 100;
constexpr size_t longest_word_bytes = 4 * longest_word;

constexpr PreTokenizerStep words_and_marks[] = {{" +"}, {R"([!-/:-@\[-`{-~\p{P}])"}};
constexpr PreTokenizer bert = {"bert", words_and_marks};

TokenAutomaton make_automaton(const Vocabulary &vocabulary) {
    std::vector<TokenAutomaton::Entry> entries;
    for (llm_token token = 0; token < static_cast<llm_token>(vocabulary.size()); ++token) {
        // A space alone begins every word and is none.
        const bool usable = vocabulary.comes_from_text(token) && vocabulary.piece(token) != " ";
        if (usable) entries.push_back({vocabulary.piece(token), token});
    }
    return TokenAutomaton(entries, TokenAutomaton::Direction::backward);
}

}  // namespace

WordPieceEncoder::WordPieceEncoder(const Vocabulary &vocabulary)
    : vocabulary_(vocabulary),
      unknown_(vocabulary.special(SpecialToken::unknown)),
      cutter_(bert),
      pieces_(make_automaton(vocabulary)) {
    if (unknown_ == LLM_TOKEN_NONE) {
        fail(LLM_ERROR_VOCABULARY, special_token_key(SpecialToken::unknown), " is missing, and no token is [UNK]");
    }
}

void WordPieceEncoder::encode(std::vector<llm_token> &out, EncodeScratch &scratch, std::string_view text,
                              bool /*first*/) const {
    std::string normalized;
    append_bert_normalized(normalized, text, vocabulary_.flags().lowercase, vocabulary_.flags().strip_accents);
    PieceStream words(cutter_, scratch.regex, normalized);
    std::string_view word;
    std::array<char, longest_word_bytes + 1> spaced = {' '};  // the space need not be there in the text
    while (words.next(word)) {
        if (word.front() == ' ') continue;
        const auto characters = std::ranges::count_if(word, [](char byte) { return (byte & 0xC0) != 0x80; });
        if (static_cast<size_t>(characters) > longest_word) {
            out.push_back(unknown_);
            continue;
        }
        std::ranges::copy(word, spaced.begin() + 1);
        append_word(out, {spaced.data(), word.size() + 1});
    }
}

void WordPieceEncoder::append_word(std::vector<llm_token> &out, std::string_view spaced_word) const {
    std::array<uint32_t, longest_word_bytes + 1> longest;  // match that begins at each byte
    uint32_t state = TokenAutomaton::root;
    for (size_t begin = spaced_word.size(); begin-- > 0;) {
        state = pieces_.step(state, static_cast<uint8_t>(spaced_word[begin]));
        longest[begin] = pieces_.first_match(state);
    }
    const size_t first_token = out.size();
    for (size_t position = 0; position < spaced_word.size();) {
        const auto [token, length] = pieces_.match(longest[position]);
        if (token == LLM_TOKEN_NONE) {
            out.resize(first_token);
            out.push_back(unknown_);
            return;
        }
        out.push_back(token);
        position += length;
    }
}

}  // namespace llm
