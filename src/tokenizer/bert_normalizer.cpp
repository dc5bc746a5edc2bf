// The rules are those of BERT's BasicTokenizer (Devlin et al., 2018), as the `tokenizers` package has them.
#include "tokenizer/bert_normalizer.h"

#include "base/utf8.h"
#include "tokenizer/bert_tables.h"

#include <algorithm>

namespace llm {

namespace {

bool is_in(std::span<const CharacterRange> ranges, char32_t character) {
    const auto after = std::ranges::upper_bound(ranges, character, {}, &CharacterRange::first);
    return after != ranges.begin() && character <= (after - 1)->last;
}

// White_Space of the Unicode standard but for the control characters above U+007F, which go.
bool is_white_space(char32_t character) {
    switch (character) {
        case '\t':
        case '\n':
        case '\r':
        case ' ':
        case 0xA0:
        case 0x1680:
        case 0x2028:
        case 0x2029:
        case 0x202F:
        case 0x205F:
        case 0x3000:
            return true;
        default:
            return character >= 0x2000 && character <= 0x200A;
    }
}

bool is_control(char32_t character) {
    return character < 0x80 ? character < 0x20 || character == 0x7F : is_in(control_ranges(), character);
}

bool is_ideograph(char32_t character) {
    constexpr CharacterRange ranges[] = {{0x3400, 0x4DBF},   {0x4E00, 0x9FFF},   {0xF900, 0xFAFF},
                                         {0x20000, 0x2A6DF}, {0x2A700, 0x2B73F}, {0x2B740, 0x2B81F},
                                         {0x2B920, 0x2CEAF}, {0x2F800, 0x2FA1F}};
    return is_in(ranges, character);
}

// Hangul syllables are composed by arithmetic (Unicode standard, section 3.12).
bool append_hangul_decomposed(std::string &out, char32_t character) {
    constexpr char32_t first_syllable = 0xAC00, first_lead = 0x1100, first_vowel = 0x1161, last_before_tail = 0x11A7;
    constexpr char32_t vowels = 21, tails = 28, syllables = 11172;
    if (character < first_syllable || character >= first_syllable + syllables) return false;
    const char32_t index = character - first_syllable;
    append_utf8(out, first_lead + index / (vowels * tails));
    append_utf8(out, first_vowel + index / tails % vowels);
    if (index % tails != 0) append_utf8(out, last_before_tail + index % tails);
    return true;
}

// `character` itself or what a table has for it.
char32_t look_up(std::span<const CharacterFold> folds, char32_t character) {
    const auto fold = std::ranges::lower_bound(folds, character, {}, &CharacterFold::from);
    return fold != folds.end() && fold->from == character ? fold->to : character;
}

void append_in_case(std::string &out, char32_t character, bool lowercase) {
    if (!lowercase) {
        append_utf8(out, character);
    } else if (character < 0x80) {
        const bool upper = character >= 'A' && character <= 'Z';
        out.push_back(static_cast<char>(upper ? character - 'A' + 'a' : character));
    } else if (character == 0x130) {
        out.append("i\u0307");
    } else {
        append_utf8(out, look_up(lower_case_folds(), character));
    }
}

void append_without_accents(std::string &out, char32_t character, bool lowercase) {
    if (character < 0x80) return append_in_case(out, character, lowercase);
    if (is_in(accent_ranges(), character) || append_hangul_decomposed(out, character)) return;
    const auto sequence =
        std::ranges::lower_bound(character_sequence_folds(), character, {}, &CharacterSequenceFold::from);
    if (sequence == character_sequence_folds().end() || sequence->from != character) {
        return append_in_case(out, look_up(character_folds(), character), lowercase);
    }
    for (const char32_t part : sequence->to) {
        if (part != 0) append_in_case(out, part, lowercase);
    }
}

}  // namespace

void append_bert_normalized(std::string &out, std::string_view text, bool lowercase, bool strip_accents) {
    while (!text.empty()) {
        const Utf8Character character = decode_utf8(text);
        text.remove_prefix(character.length);
        const char32_t code_point = character.code_point;  // U+FFFD where ill-formed, which is a control character here
        if (is_white_space(code_point)) {
            out.push_back(' ');
            continue;
        }
        if (is_control(code_point)) continue;
        const bool alone = is_ideograph(code_point);
        if (alone) out.push_back(' ');
        if (strip_accents) {
            append_without_accents(out, code_point, lowercase);
        } else {
            append_in_case(out, code_point, lowercase);
        }
        if (alone) out.push_back(' ');
    }
}

}  // namespace llm
