#include "engine/sequence_breakers.h"

#include <string>
#include <string_view>

namespace llm {

namespace {

void append_sequences(DryPenalty::Breakers &out, const Tokenizer &tokenizer, llm_token token, std::string_view text) {
    std::string piece;
    tokenizer.append_piece(piece, token, true);
    if (piece.find(text) != piece.npos) {
        out.push_back({token});
        return;
    }
    for (size_t length = 1; length < text.size() && length <= piece.size(); ++length) {
        if (!std::string_view(piece).ends_with(text.substr(0, length))) continue;
        std::vector<llm_token> sequence = tokenizer.tokenize(text.substr(length), false, false);
        sequence.insert(sequence.begin(), token);
        out.push_back(std::move(sequence));
    }
}

}  // namespace

void find_sequence_breakers(Sampler &sampler, const std::shared_ptr<const Model> &model) {
    if (!sampler.needs_breakers(model)) return;
    const Tokenizer &tokenizer = *model->tokenizer();
    DryPenalty::Breakers sequences;
    for (const std::string &text : sampler.breaker_texts())
        for (llm_token token = 0; token < static_cast<llm_token>(tokenizer.size()); ++token)
            append_sequences(sequences, tokenizer, token, text);
    sampler.set_breakers(model, std::move(sequences));
}

}  // namespace llm
