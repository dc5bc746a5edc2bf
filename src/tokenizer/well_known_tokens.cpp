#include "tokenizer/well_known_tokens.h"

namespace llm {

namespace {

using enum WellKnownMeaning;

constexpr WellKnownToken table[] = {
    // The end of a turn of a chat, or of a text where there are no turns.
    {"<|eot_id|>", ends_turn},
    {"<|im_end|>", ends_turn},
    {"<|end|>", ends_turn},
    {"<end_of_turn>", ends_turn},
    {"<|endoftext|>", ends_turn},
    {"<|end_of_text|>", ends_turn},
    {"<EOT>", ends_turn},
    {"_<EOT>", ends_turn},
    {"[EOT]", ends_turn},
    {"<｜end▁of▁sentence｜>", ends_turn},
    {"<end_of_utterance>", ends_turn},
    {"<turn|>", ends_generation},
    {"<eos>", ends_generation},
    {"[EOS]", ends_generation},
    {"</s>", ends_generation},
    {"<|eom_id|>", ends_generation},
    // The end of a call to a tool, after which the caller has to act.
    {"<|return|>", ends_generation},
    {"<|call|>", ends_generation},
    {"<|calls|>", ends_generation},
    {"<|flush|>", ends_generation},
    {"<|tool_response>", ends_generation},
    // Fill-in-the-middle prompts of code models. After padding or a separator the text that was asked for is over.
    {"<|fim_pad|>", ends_generation},
    {"<fim-pad>", ends_generation},
    {"<fim_pad>", ends_generation},
    {"<PAD>", ends_generation},
    {"[PAD]", ends_generation},
    {"<|fim_repo|>", ends_generation},
    {"<|repo_name|>", ends_generation},
    {"<fim-repo>", ends_generation},
    {"<REPO>", ends_generation},
    {"<reponame>", ends_generation},
    {"<|file_sep|>", ends_generation},
    {"<|fim_prefix|>", steers},
    {"<fim-prefix>", steers},
    {"<fim_prefix>", steers},
    {"<PRE>", steers},
    {"▁<PRE>", steers},
    {"<｜fim▁begin｜>", steers},
    {"<|code_prefix|>", steers},
    {"<|fim_suffix|>", steers},
    {"<fim-suffix>", steers},
    {"<fim_suffix>", steers},
    {"<SUF>", steers},
    {"▁<SUF>", steers},
    {"<｜fim▁hole｜>", steers},
    {"<|code_suffix|>", steers},
    {"<|fim_middle|>", steers},
    {"<fim-middle>", steers},
    {"<fim_middle>", steers},
    {"<MID>", steers},
    {"▁<MID>", steers},
    {"<｜fim▁end｜>", steers},
    {"<|code_middle|>", steers},
};

}  // namespace

std::span<const WellKnownToken> well_known_tokens() { return table; }

}  // namespace llm
