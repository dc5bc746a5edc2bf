#include "tokenizer/pre_tokenizer_table.h"

#include <algorithm>
#include <iterator>

namespace llm {

namespace {

using Kind = PreTokenizerStep::Kind;
using enum PreTokenizer::Flag;

constexpr std::string_view number = R"(\p{N})";
constexpr std::string_view numbers = R"(\p{N}+)";
constexpr std::string_view three_numbers = R"(\p{N}{1,3})";
constexpr std::string_view three_digits = R"([0-9][0-9][0-9])";
constexpr std::string_view punctuation = R"([\p{P}\$\+<=>\^~\|]+)";
constexpr std::string_view line_end = R"([\r\n])";
constexpr std::string_view lines = R"([^\n]+|[\n]+)";
// The range from U+0800 on without the white space in it, which published ids do not count as part of it.
constexpr std::string_view ideographs_and_hangul =
    R"([一-龥\x{800}-\x{167f}\x{1681}-\x{1fff}\x{200b}-\x{2027}\x{202a}-\x{202e}\x{2030}-)"
    R"(\x{205e}\x{2060}-\x{2fff}\x{3001}-一가-퟿]+)";
// \s+$, written so that a long run of spaces in the middle of a text is looked at only once.
constexpr std::string_view spaces_at_end = R"((?<!\s)\s++\z)";
constexpr std::string_view gpt2_words = R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S))";
// The file's last range begins at U+3000; published ids treat that one as the white space that it is.
constexpr std::string_view deepseek_llm_punctuation = R"(\s?[!-/:-~！-／：-～‘-‟、-。]+)";
constexpr std::string_view llama3_words =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|)"
    R"(\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view qwen2_words =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|)"
    R"(\s+(?!\S)|\s+)";
constexpr std::string_view qwen35_words =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|)"
    R"(\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view minicpm5_words =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}+| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|)"
    R"(\s+(?!\S)|\s+)";
constexpr std::string_view seed_coder_words =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1}| ?[^\s\p{L}\p{N}\r\n]+|\s*[\r\n]+|)"
    R"(\s+(?!\S)|\s+)";
constexpr std::string_view bailing_words =
    R"('(?:[sSdDmMtT]|[lL][lL]|[vV][eE]|[rR][eE])|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|)"
    R"(\s*[\r\n]|\s+(?!\S)|\s+)";
constexpr std::string_view deepseek_v3_words =
    R"([!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+|)"
    R"( ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view tekken_words =
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|)"
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|\p{N}|)"
    R"( ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view gpt4o_words =
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|)"
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|)"
    R"(\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view bloom_words = R"( ?[^(\s|.,!?…。，、।۔،)]+)";
constexpr std::string_view deepseek_llm_words =
    R"(\s?[A-Za-zµÀ-ÖØ-öø-ƺƼ-ƿǄ-ʓʕ-ʯͰ-ͳͶͷͻ-ͽͿΆΈ-ΊΌΎ-ΡΣ-ϵϷ-ҁҊ-ԯԱ-ՖႠ-ჅᎠ-Ᏽᏸ-ᏽᲐ-ᲺᲽ-Ჿᴀ-ᴫᵫ-ᵷᵹ)"
    R"(-ᶚḀ-ἕἘ-Ἕἠ-ὅὈ-Ὅὐ-ὗὙὛὝὟ-ώᾀ-ᾴᾶ-ᾼιῂ-ῄῆ-ῌῐ-ΐῖ-Ίῠ-Ῥῲ-ῴῶ-ῼℂℇℊ-ℓℕℙ-ℝℤΩℨK-ℭℯ-ℴℹℼ-ℿⅅ-ⅉⅎↃↄⰀ)"
    R"(-ⱻⱾ-ⳤⳫ-ⳮⳲⳳꙀ-ꙭꚀ-ꚛꜢ-ꝯꝱ-ꞇꞋ-ꞎꭰ-ꮿﬀ-ﬆﬓ-ﬗＡ-Ｚａ-ｚ𐐀-𐑏𐒰-𐓓𐓘-𐓻𐲀-𐲲𐳀-𐳲𑢠-𑣟𞤀-𞥃]+)";
constexpr std::string_view falcon_punctuation = R"([\p{P}\$\+<=>\^~\|`]+)";
constexpr std::string_view kana_and_ideographs = R"([一-龥぀-ゟ゠-ヿ]+)";

constexpr PreTokenizerStep general[] = {{punctuation}, {gpt2_words}, {numbers}, {three_digits}};
constexpr PreTokenizerStep llama3[] = {{llama3_words}};
constexpr PreTokenizerStep gpt2[] = {{gpt2_words}};
constexpr PreTokenizerStep qwen2[] = {{qwen2_words}};
constexpr PreTokenizerStep qwen35[] = {{qwen35_words}};
constexpr PreTokenizerStep starcoder[] = {{number}, {gpt2_words}};
constexpr PreTokenizerStep deepseek_llm[] = {{line_end},      {deepseek_llm_words},    {deepseek_llm_punctuation},
                                             {spaces_at_end}, {ideographs_and_hangul}, {numbers}};
constexpr PreTokenizerStep deepseek_coder[] = {
    {line_end}, {R"(\s?\p{L}+)"}, {R"(\s?\p{P}+)"}, {ideographs_and_hangul}, {number}};
constexpr PreTokenizerStep deepseek_v3[] = {{three_numbers}, {kana_and_ideographs}, {deepseek_v3_words}};
constexpr PreTokenizerStep falcon[] = {{falcon_punctuation}, {gpt2_words}, {three_digits}};
constexpr PreTokenizerStep tekken[] = {{tekken_words}};
constexpr PreTokenizerStep gpt4o[] = {{gpt4o_words}};
constexpr PreTokenizerStep bloom[] = {{bloom_words}};
constexpr PreTokenizerStep viking[] = {{bloom_words}, {number}};
constexpr PreTokenizerStep seed_coder[] = {{seed_coder_words}};
constexpr PreTokenizerStep bailing[] = {{bailing_words}};
constexpr PreTokenizerStep minicpm5[] = {{three_numbers}, {minicpm5_words}};
constexpr PreTokenizerStep superbpe[] = {{numbers}, {{}, Kind::digit_groups}};
constexpr PreTokenizerStep tiny_aya[] = {{{}, Kind::digit_groups_of_words}, {gpt4o_words}};
constexpr PreTokenizerStep laguna[] = {{lines}, {qwen2_words}};
constexpr PreTokenizerStep whole_lines[] = {{lines}};

constexpr uint8_t none = 0;

constexpr PreTokenizer table[] = {
    {"default", general, none},
    {"falcon-h1", llama3, whole_word_first | add_begin},
    {"falcon3", llama3, whole_word_first | add_begin},
    {"jina-v5-nano", llama3, whole_word_first | add_begin},
    {"lfm2", llama3, whole_word_first | add_begin},
    {"llama-bpe", llama3, whole_word_first | add_begin},
    {"llama-v3", llama3, whole_word_first | add_begin},
    {"llama3", llama3, whole_word_first | add_begin},
    {"midm-2.0", llama3, whole_word_first | add_begin},
    {"pixtral", llama3, whole_word_first | add_begin},
    {"dbrx", llama3, none},
    {"smaug-bpe", llama3, none},
    {"chatglm-bpe", llama3, none},
    {"glm4", llama3, whole_word_first},
    {"glm5", llama3, whole_word_first},
    {"a.x-4.0", gpt2, none},
    {"exaone4", gpt2, none},
    {"gigachat", gpt2, none},
    {"gpt-2", gpt2, none},
    {"jina-de", gpt2, none},
    {"jina-es", gpt2, none},
    {"jina-v1-en", gpt2, add_separator},
    {"jina-v2-code", gpt2, add_separator},
    {"jina-v2-de", gpt2, none},
    {"jina-v2-es", gpt2, none},
    {"mellum", gpt2, none},
    {"modern-bert", gpt2, none},
    {"phi-2", gpt2, none},
    {"roberta-bpe", gpt2, add_separator},
    {"mpt", gpt2, none},
    {"olmo", gpt2, none},
    {"jais", gpt2, none},
    {"trillion", gpt2, none},
    {"granite-docling", gpt2, none},
    {"deepseek-r1-qwen", qwen2, none},
    {"f2llmv2", qwen2, none},
    {"kormo", qwen2, none},
    {"megrez", qwen2, none},
    {"qwen2", qwen2, none},
    {"stablelm2", qwen2, none},
    {"hunyuan", qwen2, none},
    {"qwen35", qwen35, none},
    {"smollm", starcoder, none},
    {"starcoder", starcoder, none},
    {"refact", starcoder, none},
    {"command-r", starcoder, none},
    {"codeshell", starcoder, none},
    {"exaone", starcoder, none},
    {"minerva-7b", starcoder, none},
    {"mellum2", starcoder, none},
    {"deepseek-llm", deepseek_llm, none},
    {"deepseek-coder", deepseek_coder, none},
    {"deepseek-v3", deepseek_v3, none},
    {"falcon", falcon, none},
    {"tekken", tekken, whole_word_first | add_begin},
    {"gpt-4o", gpt4o, none},
    {"kanana2", gpt4o, none},
    {"llama4", gpt4o, none},
    {"talkie", gpt4o, none},
    {"bloom", bloom, none},
    {"poro-chat", bloom, none},
    {"gpt3-finnish", bloom, none},
    {"viking", viking, none},
    {"seed-coder", seed_coder, none},
    {"bailingmoe", bailing, none},
    {"bailingmoe2", bailing, none},
    {"llada-moe", bailing, none},
    {"minicpm5", minicpm5, whole_word_first},
    {"superbpe", superbpe, none},
    {"cohere2moe", tiny_aya, none},
    {"tiny_aya", tiny_aya, none},
    {"laguna", laguna, none},
    {"gemma4", whole_lines, add_begin | characters},
    {"granite-embed-multi-311m", whole_lines, add_begin | characters},
    {"sarvam-moe", whole_lines, characters},
};

}  // namespace

std::span<const PreTokenizer> pre_tokenizers() { return table; }

const PreTokenizer *find_pre_tokenizer(std::string_view name) {
    const auto found = std::ranges::find(table, name, &PreTokenizer::name);
    return found == std::end(table) ? nullptr : found;
}

}  // namespace llm
