// Text to token ids and back, by the rules of a model file.
#pragma once

#include "tokenizer/special_matcher.h"
#include "tokenizer/text_encoder.h"
#include "tokenizer/vocabulary.h"

#include <llm/llm.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace llm {

class GgufFile;
struct PreTokenizer;

struct TokenInfo {
    std::string_view text;  // as the vocabulary spells it; lives as long as the tokenizer
    float score;
    uint32_t attributes;  // LLM_TOKEN_*
};

// Immutable: any number of threads may use it at the same time.
class Tokenizer {
public:
    // `pre_tokenizer`: the name to use instead of the file's; empty for the file's own.
    // LLM_ERROR_UNSUPPORTED, LLM_ERROR_VOCABULARY, LLM_ERROR_LIMIT. Afterwards nothing depends on the file.
    explicit Tokenizer(const GgufFile &file, std::string_view pre_tokenizer = {});
    explicit Tokenizer(const VocabularyData &data);
    ~Tokenizer();
    Tokenizer(const Tokenizer &) = delete;
    Tokenizer &operator=(const Tokenizer &) = delete;

    // Whether this build has a tokenizer for a file's tokenizer.ggml.model, and for it with a tokenizer.ggml.pre.
    static bool supports_model(std::string_view model);
    static bool supports(std::string_view model, std::string_view pre_tokenizer);

    // LLM_ERROR_UNSUPPORTED, with the name that is unknown, where it has none.
    static void require_support(std::string_view model, std::string_view pre_tokenizer) {
        choose(model, pre_tokenizer);
    }

    // Of the tables by which pre-tokenizers know letters and numbers.
    static std::string unicode_version() { return regex_unicode_version(); }

    uint32_t size() const { return vocabulary_.size(); }
    const Vocabulary &vocabulary() const { return vocabulary_; }

    // add_special: with the begin and end tokens that the model wants, unless the text has them already.
    // parse_special: spellings of control tokens become those tokens; those of user-defined tokens always do.
    // LLM_ERROR_LIMIT above 2^31 - 1 bytes; LLM_ERROR_VOCABULARY for text that the vocabulary cannot express.
    std::vector<llm_token> tokenize(std::string_view text, bool add_special, bool parse_special) const;

    // As with parse_special, for a text in which characters stand for others. They are put back by restore(), which is
    // given parts of the text, after the control tokens were found: what becomes one only then stays text.
    using Restore = std::function<std::string(std::string_view)>;
    std::vector<llm_token> tokenize_guarded(std::string_view text, const Restore &restore) const;

    // Finds every control, unknown and user-defined token.
    const SpecialMatcher &special_matcher() const { return all_special_; }

    // The inverse; ids must be in range. `special`: control tokens are written as they are spelled, else left out.
    std::string detokenize(std::span<const llm_token> tokens, bool special) const;

    // The bytes of one token as they stand inside a text.
    void append_piece(std::string &out, llm_token token, bool special) const;

    TokenInfo info(llm_token token) const;

    // LLM_TOKEN_NONE when there is none of the kind, or no such kind.
    llm_token special(llm_special which) const;

    bool ends_generation(llm_token token) const { return vocabulary_.has(token, LLM_TOKEN_ENDS_GENERATION); }

private:
    struct Choice {
        TokenizerKind kind;
        const PreTokenizer *pre_tokenizer;  // nullptr where the kind has none
    };

    static Choice choose(std::string_view model, std::string_view pre_tokenizer);
    Tokenizer(const VocabularyData &data, Choice choice);
    void append_body(std::vector<llm_token> &out, std::string_view text, bool parse_special) const;
    template <class AppendPlain>
    void append_parts(std::vector<llm_token> &out, std::string_view text, const SpecialMatcher &matcher,
                      AppendPlain &&append_plain) const;

    Vocabulary vocabulary_;
    std::unique_ptr<TextEncoder> encoder_;
    SpecialMatcher user_defined_;
    SpecialMatcher all_special_;
    std::vector<uint8_t> strip_;  // see strip_rules()
};

}  // namespace llm
