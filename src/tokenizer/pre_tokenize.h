// Cuts a text into the pieces that are merged each by itself.
#pragma once

#include "tokenizer/pre_tokenizer_table.h"
#include "tokenizer/regex.h"

#include <string_view>
#include <vector>

namespace llm {

// The steps of a PreTokenizer, ready to run: immutable, for all threads.
class PieceCutter {
public:
    explicit PieceCutter(const PreTokenizer &pre_tokenizer, RegexEngine engine = RegexEngine::machine_code);

private:
    friend class PieceStream;

    struct Step {
        PreTokenizerStep::Kind kind;
        Regex regex;  // of the runs of digits where they are cut into groups
    };
    std::vector<Step> steps_;
};

// The pieces of one text, one after the other. Ill-formed UTF-8 is text of its own kind: each run of it is a piece, and
// the patterns see only what lies between two such runs.
class PieceStream {
public:
    PieceStream(const PieceCutter &cutter, RegexScratch &scratch, std::string_view text);

    // False at the end. A piece is never empty; all pieces together are the text.
    bool next(std::string_view &piece);

private:
    // What a step has to cut: text[position ..) is left. A match that does not begin at `position` is kept while the
    // gap in front of it is given out.
    struct Level {
        std::string_view text;
        size_t position = 0;
        Regex::Match match;  // empty when there is none
        // Where digits are cut: the run that is being cut, how many of its digits are left, and the group found ahead.
        Regex::Match run;
        size_t digits = 0;
        Regex::Match ahead;
    };

    void descend(std::string_view piece);
    bool next_run(std::string_view &run, bool &well_formed);
    bool next_of_level(size_t index, std::string_view &piece);
    bool find(const PieceCutter::Step &step, Level &level);
    bool find_digit_group(const Regex &runs, Level &level, Regex::Match &group);
    bool find_complete_group(const Regex &runs, Level &level, Regex::Match &group);
    bool find_from_group_to_group(const Regex &runs, Level &level);

    const PieceCutter &cutter_;
    RegexScratch &scratch_;
    std::string_view rest_;
    std::vector<Level> levels_;  // one for each step
    size_t depth_ = 0;           // levels that have text
};

}  // namespace llm
