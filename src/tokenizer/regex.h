// Regular expressions for pre-tokenizers: PCRE2 with its just-in-time compiler, its limits, and the dialect in which
// models' makers write their patterns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

// PCRE2's own types, whose header only regex.cpp includes.
struct pcre2_real_code_8;
struct pcre2_real_match_data_8;
struct pcre2_real_match_context_8;
struct pcre2_real_jit_stack_8;

namespace llm {

// What one thread needs to match; made for a text of up to `text_size` bytes, to which the limits are in proportion.
class RegexScratch {
public:
    explicit RegexScratch(size_t text_size);
    ~RegexScratch();
    RegexScratch(const RegexScratch &) = delete;

private:
    friend class Regex;

    pcre2_real_match_data_8 *match_ = nullptr;
    pcre2_real_match_context_8 *context_ = nullptr;
    pcre2_real_jit_stack_8 *stack_ = nullptr;  // made when 32 KiB of the thread's own stack are not enough
};

// What runs a pattern. The interpreter is the slower one, for systems that grant no executable memory.
enum class RegexEngine : uint8_t { machine_code, interpreter };

// A compiled pattern: immutable, for all threads. Two things of the dialect differ from PCRE2's own:
//   \s, \S  are Unicode's White_Space, without the U+180E that PCRE2 adds;
//   (?i:)   folds the letters A to Z only, so that "'s" does not match U+017F (long s).
class Regex {
public:
    // LLM_ERROR_INTERNAL for a pattern that is none.
    explicit Regex(std::string_view pattern, RegexEngine engine = RegexEngine::machine_code);
    ~Regex();
    Regex(Regex &&other) noexcept;

    struct Match {
        size_t begin = 0;
        size_t end = 0;
    };

    // The first match in `text` at or after `from` that is not empty, or false. `text` must be well-formed UTF-8, and
    // what lies outside it does not exist for the pattern. LLM_ERROR_LIMIT when matching takes more than linear time or
    // memory.
    bool find(Match &out, RegexScratch &scratch, std::string_view text, size_t from) const;

private:
    int run(RegexScratch &scratch, std::string_view text, size_t from) const;

    pcre2_real_code_8 *code_ = nullptr;
    bool compiled_to_machine_code_ = false;
};

// A pattern of the dialect as PCRE2 wants it.
std::string pcre2_pattern(std::string_view pattern);

// The version of PCRE2 and of its Unicode tables, e.g. "14.0.0" for the latter.
std::string regex_unicode_version();

}  // namespace llm
