#include "tokenizer/pre_tokenize.h"

#include "base/utf8.h"

#include <algorithm>

namespace llm {

using Kind = PreTokenizerStep::Kind;

namespace {

// Runs of decimal digits; the second only those that end where a word ends.
constexpr std::string_view digit_run = R"(\p{Nd}+)";
constexpr std::string_view digit_run_at_word_end = R"((?<!\p{Nd})\p{Nd}++(?![\p{L}\p{M}\p{N}\p{Pc}]))";

std::string_view pattern_of(const PreTokenizerStep &step) {
    switch (step.kind) {
        case Kind::digit_groups:
            return digit_run;
        case Kind::digit_groups_of_words:
            return digit_run_at_word_end;
        case Kind::pattern:
            break;
    }
    return step.pattern;
}

size_t count_characters(std::string_view text) {
    return static_cast<size_t>(std::ranges::count_if(text, [](char byte) { return (byte & 0xC0) != 0x80; }));
}

}  // namespace

PieceCutter::PieceCutter(const PreTokenizer &pre_tokenizer, RegexEngine engine) {
    for (const PreTokenizerStep &step : pre_tokenizer.steps)
        steps_.push_back({step.kind, Regex(pattern_of(step), engine)});
}

PieceStream::PieceStream(const PieceCutter &cutter, RegexScratch &scratch, std::string_view text)
    : cutter_(cutter), scratch_(scratch), rest_(text), levels_(cutter.steps_.size()) {}

bool PieceStream::next(std::string_view &piece) {
    for (;;) {
        if (depth_ == 0) {
            bool well_formed = false;
            if (!next_run(piece, well_formed)) return false;
            if (!well_formed || levels_.empty()) return true;
            descend(piece);
        }
        if (!next_of_level(depth_ - 1, piece)) {
            --depth_;
        } else if (depth_ == levels_.size()) {
            return true;
        } else {
            descend(piece);
        }
    }
}

void PieceStream::descend(std::string_view piece) {
    Level &level = levels_[depth_++];
    level = Level();
    level.text = piece;
}

bool PieceStream::next_run(std::string_view &run, bool &well_formed) {
    if (rest_.empty()) return false;
    size_t length = well_formed_utf8_prefix(rest_);
    well_formed = length > 0;
    if (!well_formed) length = ill_formed_utf8_prefix(rest_);
    run = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return true;
}

bool PieceStream::next_of_level(size_t index, std::string_view &piece) {
    Level &level = levels_[index];
    if (level.position == level.text.size()) return false;
    if (level.match.end <= level.position && !find(cutter_.steps_[index], level)) {
        level.match = {level.text.size(), level.text.size()};
    }
    const size_t end = level.match.begin > level.position ? level.match.begin : level.match.end;
    piece = level.text.substr(level.position, end - level.position);
    level.position = end;
    return true;
}

bool PieceStream::find(const PieceCutter::Step &step, Level &level) {
    switch (step.kind) {
        case Kind::digit_groups:
            return find_from_group_to_group(step.regex, level);
        case Kind::digit_groups_of_words:
            return find_digit_group(step.regex, level, level.match);
        case Kind::pattern:
            break;
    }
    return step.regex.find(level.match, scratch_, level.text, level.position);
}

// The next group of up to three digits, counted from the end of each run.
bool PieceStream::find_digit_group(const Regex &runs, Level &level, Regex::Match &group) {
    if (level.digits == 0) {
        if (!runs.find(level.run, scratch_, level.text, level.run.end)) return false;
        level.digits = count_characters(level.text.substr(level.run.begin, level.run.end - level.run.begin));
    }
    const size_t count = level.digits % 3 == 0 ? 3 : level.digits % 3;
    group = {level.run.begin, level.run.begin};
    for (size_t digit = 0; digit < count; ++digit) group.end += decode_utf8(level.text.substr(group.end)).length;
    level.run.begin = group.end;
    level.digits -= count;
    return true;
}

bool PieceStream::find_complete_group(const Regex &runs, Level &level, Regex::Match &group) {
    size_t characters = 0;
    do {
        if (!find_digit_group(runs, level, group)) return false;
        characters = count_characters(level.text.substr(group.begin, group.end - group.begin));
    } while (characters < 3);
    return true;
}

// From the start of a complete group to the start of the next one, or to the end.
bool PieceStream::find_from_group_to_group(const Regex &runs, Level &level) {
    if (level.ahead.end == 0 && !find_complete_group(runs, level, level.ahead)) return false;
    level.match.begin = level.ahead.begin;
    if (find_complete_group(runs, level, level.ahead)) {
        level.match.end = level.ahead.begin;
    } else {
        level.match.end = level.text.size();
    }
    return true;
}

}  // namespace llm
